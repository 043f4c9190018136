"""The losses of a release of histories, column by column, counted from its slots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from sqlglot import exp

from ordermade import sql
from ordermade.purchases.records import Purchases
from ordermade.purchases.tables import error_column, high_column, low_column
from ordermade.purchases.units import Measure
from ordermade.sources.door import Purpose


@dataclass(frozen=True, slots=True)
class ColumnLoss:
    """The loss of one column.

    `utility`: the mean error of a cell over all purchases of the dataset; a deleted cell or purchase counts 1. Of the
    released purchases, `kept` have the value as it was, of `deleted` ones it is `*`.
    """

    column: str
    utility: float
    kept: int
    deleted: int


@dataclass(frozen=True, slots=True)
class HistoryLosses:
    """The losses of a release of histories: U of the PWSCUP contest, the lower the better.

    `columns`: the day, the item, the numbers. `utility_as_categories`: U as the paper scores categories, as if the
    dataset had had them for goods; None where items are released.
    """

    utility: float
    columns: tuple[ColumnLoss, ...]
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
    statement = losses_statement(purchases.measures, goods=of_goods)
    rows, *figures = workspace.rows(Purpose.RELEASE, statement)[0]
    deleted_rows = purchases.rows - int(rows)

    def mean(error: Decimal) -> float:
        return float((error + deleted_rows) / max(purchases.rows, 1))

    of_items = 3 * len(purchases.measures)
    measured = zip(figures[0:of_items:3], figures[1:of_items:3], figures[2:of_items:3], strict=True)
    numbers = [
        ColumnLoss(each.column, mean(error), int(kept), int(deleted))
        for each, (error, kept, deleted) in zip(purchases.measures, measured, strict=True)
    ]
    as_items, items_kept, *as_goods = figures[of_items:]
    error, kept = as_goods or (as_items, items_kept)
    item = ColumnLoss(purchases.resolved.item.column, mean(error), int(kept), 0)
    columns = (numbers[0], item, *numbers[1:])
    utility = sum(each.utility for each in columns) / len(columns)
    as_categories = None
    if of_goods:
        as_categories = utility + (mean(as_items) - item.utility) / len(columns)
    return HistoryLosses(utility, columns, purchases.rows, deleted_rows, as_categories)


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
