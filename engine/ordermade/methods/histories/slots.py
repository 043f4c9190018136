"""Slots of clusters: assignment of customers and purchases, common values, losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlglot import exp

from ordermade import sql
from ordermade.counting.statements import Statement
from ordermade.machine.parallel import cores
from ordermade.methods.histories.algorithm.histories import NONE
from ordermade.methods.histories.records import Purchases, made_outside
from ordermade.methods.histories.units import (
    CLUSTERS,
    MATCHED,
    PLACED,
    SHOWN,
    SLOTS,
    Measure,
    as_text,
    error_column,
    high_column,
    low_column,
)
from ordermade.methods.shared.open_request import RunContext
from ordermade.release.plan import expand_columns, inner
from ordermade.sources.executor import Executor, Purpose, arrow

if TYPE_CHECKING:
    from ordermade.methods.histories.algorithm.histories import Clusters, HistoryArrays, Slots


def cluster_by_rank(purchases: Purchases, k: int) -> None:
    """Store clusters of each k customers in rank order as CLUSTERS; those left over are in none."""
    by_rank(k).keep(_workspace(purchases), Purpose.RELEASE)


def cluster_as(purchases: Purchases, clusters: Clusters) -> None:
    """Store the clusters of the customers, by number, as CLUSTERS."""
    customers = np.flatnonzero(clusters != NONE).astype(np.int32)
    _take(purchases, CLUSTERS, {"customer": customers, "cluster": clusters[customers]})


def place_by_rank(purchases: Purchases) -> None:
    """Assign the purchases of each cluster's customers to slots in their order, as PLACED."""
    placing(purchases.measures, matched=False).keep(_workspace(purchases), Purpose.RELEASE)


def place_as(purchases: Purchases, slots: Slots) -> None:
    """Assign the purchases to slots, each by its number, as PLACED."""
    records = np.flatnonzero(slots != NONE).astype(np.int32)
    _take(purchases, MATCHED, {"record": records, "slot": slots[records]})
    placing(purchases.measures, matched=True).keep(_workspace(purchases), Purpose.RELEASE)


def by_rank(k: int) -> Statement:
    """The statement that becomes `CLUSTERS`, where customers are clustered by their number of purchases."""
    return Statement("clusters of customers", False, CLUSTERS, clusters_statement(k))


def placing(measures: Sequence[Measure], *, matched: bool) -> Statement:
    """The statement that becomes the view `PLACED`; `matched`: by what the table `MATCHED` holds, else by rank."""
    tree = placed_as_matched_statement(measures) if matched else placed_by_rank_statement(measures)
    return Statement("which purchases become alike", False, PLACED, tree, view=True)


def clusters_statement(k: int) -> exp.Select:
    """The statement that clusters each k customers after one another."""
    tree = sql.select("history/clusters_by_rank")
    for node in tree.find_all(exp.Literal):
        node.set("this", str(k))
    return tree


def placed_by_rank_statement(measures: Sequence[Measure]) -> exp.Select:
    """The statement that gives the purchases that are released, by their place in their customer's history."""
    return expand_columns(sql.select("history/placed_by_rank"), "purchases.measured", [each.name for each in measures])


def placed_as_matched_statement(measures: Sequence[Measure]) -> exp.Select:
    """The statement that gives the purchases that are released, as they were matched."""
    return expand_columns(
        sql.select("history/placed_as_matched"), "purchases.measured", [each.name for each in measures]
    )


def _workspace(purchases: Purchases) -> Executor:
    return purchases.plan.dataset.backend.workspace


def _take(purchases: Purchases, table: str, columns: dict[str, Any]) -> None:
    _workspace(purchases).take(Purpose.RELEASE, table, arrow().table(columns))


_ITEM = 1
"""The place of the item among the released columns: after the day, before the numbers."""


def fill_slots(purchases: Purchases, *, delete_costly: bool) -> None:
    """Store the shared values of the purchases in PLACED, slot by slot, as SLOTS; as texts, as SHOWN.

    With `delete_costly`, a number whose summed error in a slot is greater than the slot's purchases is deleted there.
    """
    workspace = purchases.plan.dataset.backend.workspace
    spreads = {_spread(place): sd for place, sd in enumerate(purchases.sds)}
    shared, shown = filling(purchases.measures, delete_costly=delete_costly)
    workspace.let_go()
    shared.keep(workspace, Purpose.RELEASE, spreads)
    workspace.let_go()
    shown.keep(workspace, Purpose.RELEASE)


def filling(measures: Sequence[Measure], *, delete_costly: bool) -> tuple[Statement, Statement]:
    """The statements that become the table `SLOTS` and the view `SHOWN`."""
    slots = slots_statement(measures, delete_costly=delete_costly)
    return (
        Statement("the shared values of each slot", False, SLOTS, slots),
        Statement("the released values of each slot", False, SHOWN, shown_statement(measures), view=True),
    )


def slots_statement(measures: Sequence[Measure], *, delete_costly: bool) -> exp.Select:
    """The statement that computes the shared values of each slot; `$spread_1`, …: sds of the measures."""
    tree = sql.select("history/slots")
    cluster, slot, n, items, *fragments = tree.expressions
    if not delete_costly:
        fragments = [exp.column(each, table="part") for each in ("low", "high", "error")]
    error = tree.args["from_"].this
    tree.set("expressions", [cluster, slot, n, items, *_of_measures(fragments, measures)])
    whole = error.this.args["from_"].this.this
    *kept, low, high, lost = error.this.expressions
    error.this.set("expressions", [*kept, *_of_measures([low, high, lost], measures)])
    *grouped, least, greatest, total, squares = whole.expressions
    whole.set("expressions", [*grouped, *_of_measures([least, greatest, total, squares], measures)])
    return tree


def shown_statement(measures: Sequence[Measure]) -> exp.Select:
    """The statement that gives the slots as they are released: the day, the item, the numbers."""
    tree = sql.select("history/shown")
    *kept, item, value = tree.expressions
    columns = []
    for place, each in enumerate(measures):
        filled = value.copy()
        for cast in list(filled.find_all(exp.Cast)):
            cast.replace(as_text(each, cast.this))
        columns.append(_of_place(filled, place).unalias())
    columns.insert(_ITEM, item.unalias())
    tree.set("expressions", [*kept, *(sql.named(each, inner(place)) for place, each in enumerate(columns))])
    return tree


def _of_measures(fragments: Sequence[exp.Expr], measures: Sequence[Measure]) -> list[exp.Expr]:
    found: list[exp.Expr] = []
    for place, each in enumerate(measures):
        for fragment in fragments:
            filled = sql.with_columns(_of_place(fragment.copy(), place), {"placed.measured": each.name})
            found.append(sql.named(filled, f"{fragment.alias_or_name}_{place + 1}"))
    return found


def _of_place(fragment: exp.Expr, place: int) -> exp.Expr:
    """A fragment with the columns and the spread of the measure at a place."""
    named = {"low": low_column(place), "high": high_column(place), "error": error_column(place)}
    named |= {each: f"{each}_{place + 1}" for each in ("total", "squares")}
    columns = {f"{table}.{name}": column for table in ("part", "one", "slots") for name, column in named.items()}
    filled = sql.with_columns(fragment, columns)
    for node in filled.find_all(exp.Parameter, exp.Placeholder):
        node.set("this", exp.var(_spread(place)) if isinstance(node, exp.Parameter) else _spread(place))
    return filled


def _spread(place: int) -> str:
    return f"spread_{place + 1}"


@dataclass(frozen=True, slots=True)
class SlotLoss:
    """The loss of one column of purchase histories."""

    column: str
    """Its name."""
    utility: float
    """The mean error of a cell; a deleted one counts 1."""
    kept: int
    """The released purchases with the value as it was."""
    deleted: int
    """The released purchases with `*` in its place."""


@dataclass(frozen=True, slots=True)
class HistoryLosses:
    """The losses of a release of histories: U of the PWSCUP contest, the lower the better.

    `columns`: the day, the item, the numbers. `utility_as_categories`: U as the paper scores categories, as if the
    dataset had had them for goods; None where items are released.
    """

    utility: float
    columns: tuple[SlotLoss, ...]
    rows: int
    deleted_rows: int
    utility_as_categories: float | None = None

    @property
    def deleted_share(self) -> float:
        """The share of the purchases that are not released."""
        return self.deleted_rows / self.rows if self.rows else 0.0


def losses(purchases: Purchases) -> HistoryLosses:
    """The losses in SLOTS, over all purchases of the dataset."""
    workspace = purchases.plan.dataset.backend.workspace
    of_goods = purchases.resolved.taxonomy is not None
    summed = summing_losses(purchases.measures, goods=of_goods)
    rows, *figures = workspace.rows(Purpose.RELEASE, summed.tree)[0]
    deleted_rows = purchases.rows - int(rows)

    def mean(error: Decimal) -> float:
        return float((error + deleted_rows) / max(purchases.rows, 1))

    of_items = 3 * len(purchases.measures)
    measured = zip(figures[0:of_items:3], figures[1:of_items:3], figures[2:of_items:3], strict=True)
    numbers = [
        SlotLoss(each.column, mean(error), int(kept), int(deleted))
        for each, (error, kept, deleted) in zip(purchases.measures, measured, strict=True)
    ]
    as_items, items_kept, *as_goods = figures[of_items:]
    error, kept = as_goods or (as_items, items_kept)
    item = SlotLoss(purchases.resolved.item.column, mean(error), int(kept), 0)
    columns = (numbers[0], item, *numbers[1:])
    utility = sum(each.utility for each in columns) / len(columns)
    as_categories = None
    if of_goods:
        as_categories = utility + (mean(as_items) - item.utility) / len(columns)
    return HistoryLosses(utility, columns, purchases.rows, deleted_rows, as_categories)


def summing_losses(measures: Sequence[Measure], *, goods: bool) -> Statement:
    """The statement that sums the losses of all slots."""
    return Statement("the losses", False, None, losses_statement(measures, goods=goods))


def losses_statement(measures: Sequence[Measure], *, goods: bool) -> exp.Select:
    """The statement that sums the losses of all slots; with `goods` also those against the goods of an item."""
    tree = sql.select("history/losses")
    rows, error, kept, deleted, items_error, items_kept, goods_error, goods_kept = tree.expressions
    columns = [rows]
    for place in range(len(measures)):
        named = {"low": low_column(place), "high": high_column(place), "error": error_column(place)}
        renamed = {f"slots.{name}": column for name, column in named.items()}
        columns += [
            sql.named(sql.with_columns(each.copy(), renamed), f"{each.alias}_{place + 1}")
            for each in (error, kept, deleted)
        ]
    columns += [items_error, items_kept]
    if goods:
        columns += [goods_error, goods_kept]
    else:
        tree.set("joins", [])
    tree.set("expressions", columns)
    return tree


@dataclass(frozen=True, slots=True, eq=False)
class SharedHistories:
    """Purchases during the assignment to clusters and slots.

    `histories`: the purchases as arrays; None where clusters and slots go by their order alone, which the database
    knows.
    """

    purchases: Purchases
    histories: HistoryArrays | None
    context: RunContext

    @classmethod
    def of(cls, purchases: Purchases, context: RunContext) -> SharedHistories:
        """Load the purchases as arrays if the request needs them. Raises SourceFault."""
        return cls(purchases, purchases.histories() if made_outside(purchases.resolved) else None, context)

    def fill(self, k: int) -> None:
        """Cluster the customers, assign their purchases to slots, and store the slots' shared values as SLOTS."""
        self.assign(k)
        fill_slots(self.purchases, delete_costly=self.purchases.resolved.delete_costly)

    def assign(self, k: int) -> None:
        """Cluster the customers and assign their purchases to slots: nothing after that needs the arrays."""
        resolved, progress = self.purchases.resolved, self.context.progress
        clusters = None
        if self.histories is None:
            cluster_by_rank(self.purchases, k)
        else:
            progress.step(f"clusters ({resolved.cluster})")
            clusters = self._clusters(self.histories, k)
            cluster_as(self.purchases, clusters)
        if resolved.match == "optimal" and self.histories is not None and clusters is not None:
            progress.step("purchases, matched")
            self._match(self.histories, clusters)
        else:
            place_by_rank(self.purchases)
        progress.step("slots")

    def _clusters(self, histories: HistoryArrays, k: int) -> Clusters:
        from ordermade.methods.histories.algorithm.clustering import clusters_by_rank, similar

        if self.purchases.resolved.cluster == "rank":
            return clusters_by_rank(histories.customers, k)
        window = self.purchases.resolved.window
        return similar(histories, k, window=window, threads=self._threads, progress=partial(self._left, histories.rows))

    def _match(self, histories: HistoryArrays, clusters: Clusters) -> None:
        from ordermade.methods.histories.algorithm.slotted import matched

        slots = matched(
            histories,
            clusters,
            delete_costly=self.purchases.resolved.delete_costly,
            threads=self._threads,
            progress=partial(self._left, histories.rows),
        )
        place_as(self.purchases, slots)

    @property
    def _threads(self) -> int:
        return self.context.limits.threads or cores()

    def _left(self, rows: int, done: float) -> None:
        """Report progress as records left, from the share `done`."""
        self.context.progress.records_left(round(rows * (1 - done)))
