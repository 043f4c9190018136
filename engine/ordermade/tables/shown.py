"""A table as it is shown: its axes with the labels of their codes in order, its figures, and what is suppressed.

Labels stand in the order of a tree: a total before its parts, and the parts by value and code. Each is there once on
its axis, so that a cell has one name, and what was written can be read back and compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import Enum
from functools import cached_property
from itertools import product
from math import prod
from typing import TypeAlias

from ordermade.errors import InputError, quoted
from ordermade.hierarchies.hierarchy import STAR
from ordermade.hierarchies.interval_labels import in_japanese
from ordermade.requests.table_options import Zeros
from ordermade.tables.codes import folded
from ordermade.tables.dimensions import Dimension
from ordermade.tables.published import MAX_CELLS, PUBLISHED, folded_mark
from ordermade.tables.shown_words import NO_FIGURE, Words

Codes: TypeAlias = tuple[int, ...]
"""The code of a cell on each axis: first of the rows, then of the columns."""
Order: TypeAlias = Callable[[Sequence[str]], Sequence[int]]
"""Gives the positions of labels in their order."""
Cells: TypeAlias = Mapping[tuple[str, ...], Decimal | None]
"""The figures of a table by the name of the measure and the labels of the axes; None of a suppressed cell."""


@dataclass(frozen=True, slots=True)
class TableAxis:
    """A dimension of a shown table: its head, the codes that are shown, in order, and the label of each.

    `depths`: how many shown codes each is below. `axis_of` makes one.
    """

    name: str
    dimension: Dimension
    codes: Codes
    labels: tuple[str, ...]
    depths: tuple[int, ...]


def axis_of(
    name: str, dimension: Dimension, codes: Iterable[int], order: Order, words: Words, *, unit: str | None = None
) -> TableAxis:
    """The axis of these codes of a dimension: each below the nearest code above it that is shown.

    `order`: of labels below one code. `unit`: labels of intervals become those of a Japanese table, with this unit
    (歳, or nothing); None: they stay. Raises InputError for no codes, and for one that the dimension has not.
    """
    shown = set(codes)
    if not shown or not all(0 <= each < len(dimension.codes) for each in shown):
        raise InputError(
            "a table shows no code, or one that its dimension has not",
            where=f"dimension {quoted(name)}",
            next_step=f"Codes are numbers from 0 to {len(dimension.codes) - 1:,}.",
        )
    above = {code: next((each for each in dimension.path(code)[1:] if each in shown), -1) for code in sorted(shown)}
    below: dict[int, list[int]] = {}
    for code, parent in above.items():
        below.setdefault(parent, []).append(code)
    texts = {code: _label(dimension, code, words, unit) for code in shown}
    found: list[int] = []
    depths: list[int] = []
    waiting = [(code, 0) for code in reversed(_sorted(below[-1], texts, order))]
    while waiting:
        code, depth = waiting.pop()
        found.append(code)
        depths.append(depth)
        waiting += [(each, depth + 1) for each in reversed(_sorted(below.get(code, []), texts, order))]

    def below_parent(at: int) -> str:
        parent, label = above[found[at]], texts[found[at]]
        return words.between.format(parent=texts[parent], label=label) if parent >= 0 else label

    labels = distinct([texts[code] for code in found], below_parent)
    return TableAxis(name, dimension, tuple(found), labels, tuple(depths))


def _sorted(codes: Sequence[int], texts: Mapping[int, str], order: Order) -> list[int]:
    return [codes[position] for position in order([texts[code] for code in codes])]


def _label(dimension: Dimension, code: int, words: Words, unit: str | None) -> str:
    text = dimension.codes[code]
    if text == STAR and dimension.parents[code] < 0:
        return words.total
    if not text:
        return words.empty
    return text if unit is None else in_japanese(text, unit)


def distinct(
    texts: Sequence[str], longer: Callable[[int], str] | None = None, *, key: Callable[[str], str] = str
) -> tuple[str, ...]:
    """The texts, each once: one that is there several times in its longer form, and else with a number after it.

    `longer`: the longer form of the text at a position. `key`: texts with the same key are the same.
    """
    numbers = Counter(map(key, texts))
    named = [longer(at) if longer and numbers[key(text)] > 1 else text for at, text in enumerate(texts)]
    numbers = Counter(map(key, named))
    taken = {each for each, number in numbers.items() if number == 1}
    found = []
    for text in named:
        name, number = text, 1
        while numbers[key(text)] > 1 and key(name) in taken:
            number += 1
            name = f"{text} ({number})"
        taken.add(key(name))
        found.append(name)
    return tuple(found)


class Mark(Enum):
    """What a cell has instead of a figure."""

    SUPPRESSED = "suppressed"
    NO_FIGURE = "no figure"


Figure: TypeAlias = Decimal | int | Mark


@dataclass(frozen=True)
class TableMeasure:
    """The figures under one head: counts, sums, means, shares.

    `values`: by the codes of the axes; None: suppressed; not there: empty. `has_zeros`: an empty cell is 0, as counts
    and sums are; else it has no figure, as a mean of nobody.
    """

    name: str
    values: Mapping[Codes, Decimal | int | None]
    has_zeros: bool = True

    @cached_property
    def decimals(self) -> int:
        """The most decimal places of its figures."""
        return max((decimals_of(each) for each in self.values.values() if each is not None), default=0)

    @cached_property
    def largest(self) -> Decimal:
        """The largest of its figures, without signs."""
        return max((abs(Decimal(each)) for each in self.values.values() if each is not None), default=Decimal(0))


def decimals_of(number: Decimal | int) -> int:
    """The decimal places that a number is written with."""
    exponent = number.as_tuple().exponent if isinstance(number, Decimal) else 0
    return max(0, -exponent) if isinstance(exponent, int) else 0


@dataclass(frozen=True)
class ShownTable:
    """A table to be shown: axes down and across, and its figures.

    `mark`: the one mark of every suppressed cell. `zeros`: empty cells are shown as 0, or hidden behind the mark.
    Raises InputError for a table without rows or figures, for names that are there twice, for a mark that may be taken
    for a figure, and for too many cells.
    """

    name: str
    rows: tuple[TableAxis, ...]
    columns: tuple[TableAxis, ...]
    measures: tuple[TableMeasure, ...]
    mark: str = "X"
    zeros: Zeros = "shown"

    def __post_init__(self) -> None:
        if not self.rows or not self.measures:
            raise self._refused("it has no rows, or no figures", "Give it at least one axis down, and a measure.")
        for kind, names in (("axes", [each.name for each in self.axes]), ("heads", [m.name for m in self.measures])):
            if len({folded(each) for each in names}) < len(names):
                raise self._refused(f"two of its {kind} have one name", "Name each once; case does not count.")
        require_mark(self.mark)
        if self.size > MAX_CELLS:
            raise self._refused(
                f"it has {self.size:,} cells, and a shown table at most {MAX_CELLS:,}",
                "Show fewer codes, or fewer dimensions.",
            )

    def _refused(self, what: str, step: str) -> InputError:
        return InputError(what, where=f"table {quoted(self.name)}", next_step=step)

    @cached_property
    def axes(self) -> tuple[TableAxis, ...]:
        """Those of the rows, then those of the columns."""
        return (*self.rows, *self.columns)

    @property
    def size(self) -> int:
        """How many cells it has, empty ones, too."""
        return prod(len(each.codes) for each in self.axes)

    def figure(self, measure: TableMeasure, codes: Codes) -> Figure:
        """What is shown in a cell."""
        value = measure.values.get(codes, Mark.NO_FIGURE)
        if value is None:
            return Mark.SUPPRESSED
        if value is not Mark.NO_FIGURE:
            return value
        if self.zeros == "hidden":
            return Mark.SUPPRESSED
        return 0 if measure.has_zeros else Mark.NO_FIGURE

    def places(self) -> Iterator[tuple[Codes, tuple[str, ...]]]:
        """The codes and the labels of each cell, in the order of display, the last axis fastest."""
        yield from zip(
            product(*(each.codes for each in self.axes)), product(*(each.labels for each in self.axes)), strict=True
        )


def cells_of(table: ShownTable) -> dict[tuple[str, ...], Decimal | None]:
    """The figures that a table shows, as `Cells`; a cell without a figure is left out."""
    found: dict[tuple[str, ...], Decimal | None] = {}
    for codes, labels in table.places():
        for measure in table.measures:
            shown = table.figure(measure, codes)
            if shown is not Mark.NO_FIGURE:
                found[measure.name, *labels] = None if isinstance(shown, Mark) else Decimal(shown)
    return found


def require_mark(mark: str) -> None:
    """Raises InputError for a mark that a reader may take for a figure, for no mark, or for a published cell."""
    text = folded_mark(mark)
    try:
        is_number = bool(Decimal(text.replace(",", "")).is_finite())
    except InvalidOperation:
        is_number = False
    if is_number or folded(mark) in {folded(each) for each in PUBLISHED} or text == folded_mark(NO_FIGURE):
        raise InputError(
            f"the mark {quoted(mark)} looks like a figure, like none, or like the status of a published cell",
            where="the mark of suppressed cells",
            next_step="Take another one, such as X or *.",
        )
