"""The loss of a release against its original, cell by cell, as the contest PWSCUP 2018 scores it. Lower is better.

Source: the readings of Nakamura 2019 (PWSCUP 2018). The error of a cell is 0 where the value is released as it is, 1
where it is deleted, 1 - 1/n of an item that was released as one of n, and of an interval [a;b] with the truth x, all in
units, ((a-x)^2 + (b-x)^2 + (b-a)) / (2 (b-a+1) sd). U is the mean over the columns of the mean over all rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ordermade.judging.original import Original
from ordermade.judging.reading import row
from ordermade.judging.statements import filled
from ordermade.sources.door import Door

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
class Loss:
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


def loss_of(door: Door, original: Original, sds: Sequence[float], *, classes: bool) -> Loss:
    """The loss; `classes`: whether the release names classes of items."""
    bound: dict[str, object] = {f"sd_{place}": sd for place, sd in enumerate(sds, start=1)}
    found = row(door, filled("losses", places=original.places), bound)
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
    return Loss(
        utility=_mean(columns),
        columns=columns,
        records=original.records,
        deleted_rows=original.records - int(found["written"]),
        utility_as_categories=_mean((when, as_written, *numbers)) if classes else None,
    )


def _mean(columns: Sequence[ColumnLoss]) -> float:
    return round(sum(each.utility for each in columns) / len(columns), _DIGITS)
