"""From slots to what is written: random numbers for customers, the released rows in their order, figures of both."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from ordermade import sql
from ordermade.lattice.observation import Observation
from ordermade.purchases.tables import SHOWN
from ordermade.release.histories import histories_statement
from ordermade.release.plan import SORTED, Plan, inner, spread
from ordermade.release.settle import Settled, random_numbers
from ordermade.sources.door import Purpose

PSEUDONYMS = "history_pseudonyms"


@dataclass(frozen=True, slots=True)
class Kept:
    """What is released: of so many `customers` those `clustered`, of so many `rows` those `released`.

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


def kept(plan: Plan) -> Kept:
    """What is released of the dataset, counted from the slots."""
    counts = plan.dataset.backend.workspace.rows(Purpose.RELEASE, sql.template("history/figures"))[0]
    return Kept(*(int(count) for count in counts))


def settle_histories(plan: Plan, figures: Kept) -> Settled:
    """Keeps what is to be written in `SORTED`; its figures, of which a class is the customers with one history."""
    workspace = plan.dataset.backend.workspace
    numbers = {"numbers": random_numbers(figures.clustered)}
    workspace.store(Purpose.RELEASE, PSEUDONYMS, pseudonyms_statement(), numbers)
    workspace.store(Purpose.RELEASE, SORTED, sorted_statement(plan))
    found = workspace.rows(Purpose.RELEASE, classes_statement(plan))
    classes = Observation.from_histogram(((int(size), int(number)) for size, number in found), units=figures.clustered)
    return Settled(classes, classes, figures.released, figures.clustered, figures.deleted, figures.incomplete)


def slot_classes(plan: Plan) -> Observation:
    """The classes of what the slots would release: each cluster is `plan.k` customers with one history."""
    statement = histories_statement(exp.to_table(SHOWN), plan.labels, "cluster")
    found = plan.dataset.backend.workspace.rows(Purpose.RELEASE, statement)
    return Observation.from_histogram((int(clusters) * plan.k, int(number)) for clusters, number in found)


def pseudonyms_statement() -> exp.Select:
    """The statement that gives each customer in a cluster one of the bound numbers."""
    return sql.select("history/pseudonyms")


def sorted_statement(plan: Plan) -> exp.Select:
    """The statement that gives the released rows as they are written, customer by customer."""
    tree = spread(sql.select("history/sorted"), "shown.value", plan.labels)
    for number in tree.expressions:
        if number.name == "number":
            number.replace(sql.named(number.copy(), _pseudonym(plan)))
    return tree


def classes_statement(plan: Plan) -> exp.Select:
    """The statement that gives the sizes of the classes about to be written."""
    return histories_statement(exp.to_table(SORTED), plan.labels, _pseudonym(plan))


def _pseudonym(plan: Plan) -> str:
    """The name of the pseudonyms' column inside the workspace."""
    return inner(len(plan.labels))
