"""The rows to write from slots: random numbers for customers, the released rows in their order, figures of both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from ordermade import sql
from ordermade.counting.statements import Statement, carry_out
from ordermade.lattice.observation import Observation
from ordermade.methods.histories.units import CLUSTERS, CUSTOMERS, MATCHED, PURCHASES, SHOWN, SLOTS
from ordermade.release.measure import histories_statement
from ordermade.release.plan import SORTED, Plan, expand_columns, inner
from ordermade.release.pseudonyms import random_pseudonyms
from ordermade.release.rows import ReleaseCounts
from ordermade.sources.executor import Purpose

PSEUDONYMS = "history_pseudonyms"
"""`customer`, `cluster`, `number`: of the customers in a cluster, the random number that is released for each."""
SORTED_SLOTS = "history_sorted"
"""`first`, `numbers`, `slot`, the values by `release.plan.inner`: the slots in the order of the release."""
FIRST = "first"
"""The least random number of a cluster's customers, which identifies the cluster."""


@dataclass(frozen=True, slots=True)
class HistoryCounts:
    """Counts of the release: of so many `customers` those `clustered`, of so many `rows` those `released`.

    `incomplete`: the customers with a purchase that is not. In a cluster, from `fewest` to `most` purchases of a
    customer are.
    """

    customers: int
    clustered: int
    rows: int
    released: int
    incomplete: int
    fewest: int
    most: int

    @property
    def deleted(self) -> int:
        """The rows that are not released."""
        return self.rows - self.released


def kept(plan: Plan) -> HistoryCounts:
    """The counts of the release, from the slots."""
    counts = plan.dataset.backend.workspace.rows(Purpose.RELEASE, sql.template("history/figures"))[0]
    return HistoryCounts(*(int(count) for count in counts))


def none_is_left(figures: HistoryCounts) -> str | None:
    """The reason, in a refusal's words, why nothing would be released; None where something would."""
    if figures.released:
        return None
    return (
        "every purchase would be deleted: the values that those of k customers share lose more than that, and with "
        "`delete_costly: false` no value is deleted alone"
    )


def settle_histories(plan: Plan, figures: HistoryCounts) -> ReleaseCounts:
    """Store the rows to write, slot by slot, and as the view `SORTED`; return their counts.

    A class is the customers with one history.
    """
    numbers = {"numbers": random_pseudonyms(figures.clustered, plan.pseudonyms)}
    settling = Settling.of(plan)
    carry_out(plan.dataset.backend, Purpose.RELEASE, [settling.pseudonyms], numbers)
    carry_out(plan.dataset.backend, Purpose.RELEASE, settling.sorted)
    classes = _classes(plan, settling.classes.tree)
    return ReleaseCounts(classes, classes, figures.released, figures.clustered, figures.deleted, figures.incomplete)


@dataclass(frozen=True, slots=True)
class Settling:
    """The statements that make the rows to write, in order, and the one that counts their classes."""

    pseudonyms: Statement
    sorted: tuple[Statement, Statement]
    classes: Statement

    @classmethod
    def of(cls, plan: Plan) -> Settling:
        """The statements of a plan."""
        released = released_statement(plan)
        return cls(
            Statement("release, pseudonyms", False, PSEUDONYMS, pseudonyms_statement()),
            (
                Statement("release, slots in their order", False, SORTED_SLOTS, sorted_statement(plan)),
                Statement("release, the purchases of every customer", False, SORTED, released, view=True),
            ),
            Statement("release, clusters with the same history", False, None, classes_statement(plan)),
        )

    def __iter__(self) -> Iterator[Statement]:
        """Each of them."""
        yield self.pseudonyms
        yield from self.sorted
        yield self.classes


def let_go(plan: Plan, *, settled: bool) -> None:
    """Drops the purchases, which nothing reads but a map; and their slots, once the rows to write are `settled`."""
    workspace = plan.dataset.backend.workspace
    workspace.let_go(PURCHASES, MATCHED)
    if settled:
        workspace.let_go(SLOTS, PSEUDONYMS, CLUSTERS, CUSTOMERS)


def slot_classes(plan: Plan) -> Observation:
    """The classes that the release of the slots would have."""
    return _classes(plan, histories_statement(exp.to_table(SHOWN), plan.labels, "cluster"))


def _classes(plan: Plan, statement: exp.Query) -> Observation:
    """The classes of which a statement gives the sizes in clusters: each is `plan.k` customers with one history."""
    found = plan.dataset.backend.workspace.rows(Purpose.RELEASE, statement)
    return Observation.from_histogram((int(clusters) * plan.k, int(number)) for clusters, number in found)


def pseudonyms_statement() -> exp.Select:
    """The statement that assigns each customer in a cluster one of the bound numbers."""
    return sql.select("history/pseudonyms")


def sorted_statement(plan: Plan) -> exp.Select:
    """The statement that gives the slots in the order in which they are written."""
    return expand_columns(sql.select("history/sorted"), "shown.value", plan.labels)


def released_statement(plan: Plan) -> exp.Select:
    """The statement that gives the released rows: every slot as often as it has customers."""
    tree = expand_columns(sql.select("history/released"), "sorted.value", plan.labels)
    number = next(each for each in tree.expressions if each.alias_or_name == "number")
    number.replace(sql.named(number.copy(), inner(len(plan.labels))))
    return tree


def classes_statement(plan: Plan) -> exp.Select:
    """The statement that gives how many clusters share one history, and how many such histories are to be written."""
    return histories_statement(exp.to_table(SORTED_SLOTS), plan.labels, FIRST)
