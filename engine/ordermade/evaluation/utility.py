"""Utility of a release: the contest's loss cell by cell, and analyses before and after.

Source: the readings of Nakamura 2019 (PWSCUP 2018). The error of a cell is 0 where the value is released as it is, 1
where it is deleted, 1 - 1/n of an item that was released as one of n, and of an interval [a, b] with the truth x, all
in units, ((a-x)^2 + (b-x)^2 + (b-a)) / (2 (b-a+1) sd). U is the mean over the columns of the mean over all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from ordermade.evaluation.pair import JudgedOriginal
from ordermade.evaluation.tables import Pair, drop, filled, keep, row
from ordermade.sources.executor import Executor, Purpose

_DIGITS = 12
"""The decimals of sums: beyond, those of several threads differ."""


@dataclass(frozen=True, slots=True)
class ColumnLoss:
    """One column: its mean error, and of the cells of the original those deleted and those released untrue.

    A cell is untrue if the released values do not include the truth; it is scored by the same formula.
    """

    name: str
    utility: float
    deleted: int
    untrue: int


@dataclass(frozen=True, slots=True)
class UtilityLoss:
    """U, and by column in the order of the release; `deleted_rows`: with nothing left of them.

    `utility_as_categories`: where classes are released, U of classes instead of goods; then `utility` is of goods.
    """

    utility: float
    columns: tuple[ColumnLoss, ...]
    records: int
    deleted_rows: int
    utility_as_categories: float | None = None

    @property
    def deleted_share(self) -> float:
        """The share of the rows of the original that have no row in the release."""
        return self.deleted_rows / self.records

    @property
    def untrue(self) -> int:
        """The number of cells that do not hold the truth."""
        return sum(each.untrue for each in self.columns)

    def total(self, k: int) -> float:
        """U + 1/k."""
        return round(self.utility + float(Fraction(1, k)), _DIGITS)


def loss_of(executor: Executor, original: JudgedOriginal, sds: Sequence[float], *, classes: bool) -> UtilityLoss:
    """The loss; `classes`: whether the release names classes of items."""
    bound: dict[str, object] = {f"sd_{place}": sd for place, sd in enumerate(sds, start=1)}
    found = row(executor, filled("judging/utility/losses", places=original.places), bound)
    gone = original.records - int(found["released"])

    def of(name: str, lost: str, figures: str) -> ColumnLoss:
        mean = round((float(found[lost]) + gone) / original.records, _DIGITS)
        return ColumnLoss(name, mean, int(found[f"deleted_{figures}"]) + gone, int(found[f"untrue_{figures}"]))

    roles = original.roles
    item = of(roles.item, "lost_goods", "item")
    when, *numbers = (
        of(name, f"lost_{place}", str(place)) for place, name in enumerate((roles.when, *roles.numbers), start=1)
    )
    columns = (when, item, *numbers)
    as_written = of(roles.item, "lost_item", "item")
    return UtilityLoss(
        utility=_mean(columns),
        columns=columns,
        records=original.records,
        deleted_rows=original.records - int(found["written"]),
        utility_as_categories=_mean((when, as_written, *numbers)) if classes else None,
    )


def _mean(columns: Sequence[ColumnLoss]) -> float:
    return round(sum(each.utility for each in columns) / len(columns), _DIGITS)


MAX_SOLD = (10, 20)
"""The numbers of top-selling items to compare."""

_SALES, _BEFORE, _AFTER, _FIGURES, _SEGMENTS_BEFORE, _SEGMENTS_AFTER = (
    "sales_before", "sold_before", "sold_after", "customer_figures", "segments_before", "segments_after"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Month:
    """The sales of one month, as shares of all sales of the original."""

    month: str
    """The month."""
    before: float
    """In the original."""
    after: float
    """In the release."""


@dataclass(frozen=True, slots=True)
class MostSold:
    """The best-selling items."""

    most: int
    """So many of the original."""
    found: int
    """Those of them that are among as many of the release."""


@dataclass(frozen=True, slots=True)
class Segments:
    """The share of customers in the same fifth as before."""

    customers: int
    """The customers that are compared."""
    recency: float
    """By the day of the last purchase."""
    frequency: float
    """By the number of purchases."""
    monetary: float | None
    """By sales; null without price and quantity."""
    all_of_them: float
    """By all of these."""


@dataclass(frozen=True, slots=True)
class UnderstoodItems:
    """Sales by month (None without price and quantity), the items sold most, the segments of customers."""

    months: tuple[Month, ...] | None
    most_sold: tuple[MostSold, ...]
    segments: Segments

    @property
    def sales_kept(self) -> float | None:
        """The share of all sales whose month the release keeps."""
        return None if self.months is None else sum(each.after for each in self.months)


def understood(pair: Pair, price: int | None, quantity: int | None) -> UnderstoodItems:
    """Compute the three; `price` and `quantity`: the places of these columns among the numbers, from 1."""
    sells = price is not None and quantity is not None
    named = {name: place + 1 for name, place in (("price", price), ("quantity", quantity)) if place is not None}
    return UnderstoodItems(
        months=_months(pair, named) if sells else None,
        most_sold=_most_sold(pair, named),
        segments=_segments(pair, named, sells=sells),
    )


def _of_columns(name: str, named: dict[str, int]) -> exp.Select:
    """A template with the columns of price and quantity at these places; 1 where there is none."""
    tree = filled(name)
    for column in list(tree.find_all(exp.Column)):
        for role in ("price", "quantity"):
            if column.name == role or column.name.endswith(f"_{role}"):
                _name(column, role, named.get(role))
    return tree


def _name(column: exp.Column, role: str, place: int | None) -> None:
    if place is None:
        column.replace(exp.Literal.number(1))
    elif column.name == role:
        column.set("this", exp.to_identifier(f"u{place}"))
    else:
        column.set("this", exp.to_identifier(f"{column.name.removesuffix(role)}{place}"))


def _months(pair: Pair, named: dict[str, int]) -> tuple[Month, ...] | None:
    keep(pair.executor, _SALES, _of_columns("judging/utility/sales_before", named))
    found = pair.executor.rows(Purpose.MEASURE, _of_columns("judging/utility/sales_after", named))
    drop(pair.executor, _SALES)
    total = float(sum(before for _, before, _ in found))
    if not total:
        return None
    return tuple(Month(month, float(before) / total, float(after) / total) for month, before, after in found)


def _most_sold(pair: Pair, named: dict[str, int]) -> tuple[MostSold, ...]:
    keep(pair.executor, _BEFORE, _of_columns("judging/utility/sold_before", named))
    keep(pair.executor, _AFTER, _of_columns("judging/utility/sold_after", named))
    items = int(row(pair.executor, filled("judging/utility/items_sold"))["items"])
    sizes = dict.fromkeys(min(each, items) for each in MAX_SOLD)
    found = tuple(
        MostSold(most, int(row(pair.executor, filled("judging/utility/top_items"), {"most": most})["items"]))
        for most in sizes
    )
    drop(pair.executor, _BEFORE, _AFTER)
    return found


def _segments(pair: Pair, named: dict[str, int], *, sells: bool) -> Segments:
    for figures, segments in (
        ("judging/utility/customers_before", _SEGMENTS_BEFORE),
        ("judging/utility/customers_after", _SEGMENTS_AFTER),
    ):
        keep(pair.executor, _FIGURES, _of_columns(figures, named))
        keep(pair.executor, segments, filled("judging/utility/segments"))
    same = row(pair.executor, filled("judging/utility/same_segments"))
    drop(pair.executor, _FIGURES, _SEGMENTS_BEFORE, _SEGMENTS_AFTER)
    share = {name: float(number) / pair.customers for name, number in same.items()}
    return Segments(
        customers=pair.customers,
        recency=share["recency"],
        frequency=share["frequency"],
        monetary=share["monetary"] if sells else None,
        all_of_them=share["all_of_them"] if sells else share["recency_and_frequency"],
    )
