"""Intervals of the suppressed cells of shown tables (秘匿インターバル): for the provider, and rounded for the user."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from ordermade.errors import InputError
from ordermade.tables.judgement import INTERVAL_HEADINGS
from ordermade.tables.layouts import Lines, LongCell
from ordermade.tables.shown import Codes, Mark, ShownTable, decimals_of, distinct
from ordermade.tables.shown_words import Words

Number: TypeAlias = Decimal | int


@dataclass(frozen=True, slots=True)
class KnownInterval:
    """The least and the most that a suppressed cell can be; `most` is None where nothing bounds it.

    `is_exact`: by linear programs; else two tables have these values, and the cell may be less or more.
    """

    least: Number
    most: Number | None
    is_exact: bool

    @property
    def width(self) -> Number | None:
        """The most less the least."""
        return None if self.most is None else self.most - self.least

    @property
    def decimals(self) -> int:
        """The most decimal places of its ends."""
        return max(decimals_of(each) for each in (self.least, self.most or 0))

    def rounded(self, k: int) -> KnownInterval:
        """The interval with both ends at a multiple of k, outwards."""
        return KnownInterval(_down(self.least, k), None if self.most is None else -_down(-self.most, k), self.is_exact)


def _down(number: Number, k: int) -> int:
    """The largest multiple of k that is no larger."""
    steps = Decimal(number) / k
    return k * int(steps.to_integral_value(rounding="ROUND_FLOOR"))


Known: TypeAlias = Mapping[tuple[str, Codes], KnownInterval]
"""The intervals of one table by the name of the measure and the codes of the cell."""


def intervals_rows(
    tables: Sequence[ShownTable], known: Sequence[Known], words: Words, *, for_user: int | None = None
) -> Lines:
    """A row a suppressed cell: table, labels, measure, least, most, width, and how the bounds are known.

    A cell without an interval has a row without numbers. `for_user`: ends are rounded outwards to multiples of it, and
    only exact ones are given: what two tables show alone may be narrower than what the reader can compute.
    Raises InputError where there are not as many intervals as tables, or `for_user` is below 1.
    """
    if len(tables) != len(known) or (for_user is not None and for_user < 1):
        raise InputError(
            f"{len(tables)} tables and the intervals of {len(known)}, rounded to {for_user}",
            where="the intervals of suppressed cells",
            next_step="Give the intervals of each table, and a k of 1 or more.",
        )
    axes = tuple(dict.fromkeys(axis.name for table in tables for axis in table.axes))
    table_head, least, most, width, _ = INTERVAL_HEADINGS[words.language]
    bounds = () if for_user is not None else (words.bounds,)
    heads = (table_head, *axes, words.measure, least, most, width, *bounds)
    rows = (row for table, own in zip(tables, known, strict=True) for row in _rows(table, own, axes, words, for_user))
    decimals = max((each.decimals for own in known for each in own.values()), default=0) if for_user is None else 0
    first = 2 + len(axes)
    return Lines(distinct(heads, key=str.casefold), dict.fromkeys(range(first, first + 3), decimals), rows)


def _rows(
    table: ShownTable, known: Known, axes: Sequence[str], words: Words, for_user: int | None
) -> Iterator[tuple[LongCell, ...]]:
    place = {each.name: at for at, each in enumerate(table.axes)}
    for codes, labels in table.places():
        own = tuple(labels[place[name]] if name in place else None for name in axes)
        for measure in table.measures:
            if table.figure(measure, codes) is not Mark.SUPPRESSED:
                continue
            found = known.get((measure.name, codes))
            if for_user is not None:
                found = found.rounded(for_user) if found is not None and found.is_exact else None
            ends = (None, None, None) if found is None else (found.least, found.most, found.width)
            said = "" if found is None else words.exact if found.is_exact else words.at_least
            yield (table.name, *own, measure.name, *ends, *(() if for_user is not None else (said,)))
