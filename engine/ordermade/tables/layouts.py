"""Shown tables laid out: as long rows, a cell a row, or cross-tabulated with merged heads and indented labels."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import product
from math import prod
from typing import TypeAlias

from ordermade.tables.shown import Codes, Figure, Mark, ShownTable, TableAxis, TableMeasure, distinct
from ordermade.tables.shown_words import NO_FIGURE, Words

LongCell: TypeAlias = str | Decimal | int | None
"""A label, a figure, a status; None of an axis that a table lacks, and where there is no figure."""


@dataclass(frozen=True, slots=True)
class LongColumns:
    """The columns of long rows: the name of the table where there are several, the axes, and each measure and status.

    `heads`: of all of them, each once.
    """

    has_table: bool
    axes: tuple[str, ...]
    measures: tuple[str, ...]
    heads: tuple[str, ...]

    @property
    def first_axis(self) -> int:
        """The place of the first axis."""
        return int(self.has_table)

    @property
    def of_measures(self) -> Iterator[tuple[int, str]]:
        """The place of each measure, with its name; its status is beside it."""
        first = self.first_axis + len(self.axes)
        return ((first + 2 * at, name) for at, name in enumerate(self.measures))


def long_columns(tables: Sequence[ShownTable], words: Words) -> LongColumns:
    """The columns that all these tables have together."""
    axes = tuple(dict.fromkeys(axis.name for table in tables for axis in table.axes))
    measures = tuple(dict.fromkeys(each.name for table in tables for each in table.measures))
    status = words.status if len(measures) == 1 else words.status_of
    pairs = (head for name in measures for head in (name, status.format(measure=name)))
    has_table = len(tables) > 1
    heads = distinct([*([words.table] if has_table else []), *axes, *pairs], key=str.casefold)
    return LongColumns(has_table, axes, measures, heads)


@dataclass(frozen=True, slots=True)
class Lines:
    """Rows under heads. `numbers`: the decimal places of each column of numbers, by its place; others are of texts."""

    heads: tuple[str, ...]
    numbers: Mapping[int, int]
    rows: Iterable[tuple[LongCell, ...]]


def long_rows(tables: Sequence[ShownTable], words: Words) -> Lines:
    """A row a cell of each table, empty cells, too.

    A status is blank where the figure is published, and the mark of the table where it is suppressed.
    """
    columns = long_columns(tables, words)
    numbers = {
        at: max(each.decimals for table in tables for each in table.measures if each.name == name)
        for at, name in columns.of_measures
    }
    return Lines(columns.heads, numbers, (row for table in tables for row in _long_rows(table, columns)))


def _long_rows(table: ShownTable, columns: LongColumns) -> Iterator[tuple[LongCell, ...]]:
    measures = {each.name: each for each in table.measures}
    place = {each.name: at for at, each in enumerate(table.axes)}
    named = (table.name,) if columns.has_table else ()
    for codes, labels in table.places():
        row: list[LongCell] = [*named, *(labels[place[name]] if name in place else None for name in columns.axes)]
        for name in columns.measures:
            figure = table.figure(measures[name], codes) if name in measures else Mark.NO_FIGURE
            row += [None if isinstance(figure, Mark) else figure]
            row += [table.mark if figure is Mark.SUPPRESSED else ""]
        yield tuple(row)


@dataclass(frozen=True, slots=True)
class Head:
    """A label over columns or beside rows: how many of them it spans, and how deep below a total it is.

    `is_total`: others are below it, and it is below none.
    """

    text: str
    span: int
    depth: int = 0
    is_total: bool = False


@dataclass(frozen=True, slots=True)
class CrossedRow:
    """A row: the label of each axis down, None where the one above goes on, and the figures."""

    labels: tuple[Head | None, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class CrossedTable:
    """A table cross-tabulated: `heads` of its columns, the outermost axis first and the measures last.

    One measure alone has no row of heads, if there are axes across: it is in the title.
    """

    table: ShownTable
    heads: tuple[tuple[Head, ...], ...]

    @cached_property
    def corner(self) -> tuple[str, ...]:
        """The heads of the columns of labels: the names of the axes down."""
        return tuple(each.name for each in self.table.rows)

    @cached_property
    def measures(self) -> tuple[TableMeasure, ...]:
        """The measure of each column of figures."""
        return self.table.measures * prod(len(each.codes) for each in self.table.columns)

    @property
    def head_rows(self) -> int:
        """The rows above the figures: the names of the axes across, their labels, the measures."""
        return len(self.heads) + bool(self.table.columns)

    def marks_said(self, found: Collection[Mark], words: Words) -> list[tuple[str, str]]:
        """Those of its marks that were found, each with the sentence that says what it is."""
        said = {Mark.SUPPRESSED: (self.table.mark, words.suppressed), Mark.NO_FIGURE: (NO_FIGURE, words.no_figure)}
        return [said[each] for each in Mark if each in found]

    def title(self, words: Words) -> str:
        """The name of the table, with its measure where that stands in no head; else the names of its axes."""
        table = self.table
        across = tuple(each.name for each in table.columns)
        name = table.name or words.description(self.corner, across)
        if len(table.measures) > 1 or not table.columns:
            return name
        return words.titled.format(name=name, measure=table.measures[0].name)

    def rows(self) -> Iterator[CrossedRow]:
        """The rows in the order of display, the innermost axis fastest."""
        spans = _spans(self.table.rows)
        down = [list(enumerate(_heads_of(axis, span))) for axis, span in zip(self.table.rows, spans, strict=True)]
        across = [*product(*(each.codes for each in self.table.columns))]
        for combination in product(*down):
            inner = [at for at, _ in combination]
            codes: Codes = tuple(axis.codes[at] for axis, at in zip(self.table.rows, inner, strict=True))
            labels = tuple(None if any(inner[place + 1 :]) else head for place, (_, head) in enumerate(combination))
            figures = tuple(
                self.table.figure(measure, (*codes, *each)) for each in across for measure in self.table.measures
            )
            yield CrossedRow(labels, figures)


def crossed(table: ShownTable) -> CrossedTable:
    """The table cross-tabulated."""
    spans = _spans(table.columns)
    inner = len(table.measures)
    heads = []
    times = 1
    for axis, span in zip(table.columns, spans, strict=True):
        heads.append(_heads_of(axis, span * inner) * times)
        times *= len(axis.codes)
    if inner > 1 or not table.columns:
        heads.append(tuple(Head(each.name, 1) for each in table.measures) * times)
    return CrossedTable(table, tuple(heads))


def _heads_of(axis: TableAxis, span: int) -> tuple[Head, ...]:
    below = (*axis.depths[1:], 0)
    return tuple(
        Head(label, span, depth, is_total=not depth and next_one > 0)
        for label, depth, next_one in zip(axis.labels, axis.depths, below, strict=True)
    )


def _spans(axes: Sequence[TableAxis]) -> list[int]:
    """Of each axis how many combinations of the axes after it one of its labels spans."""
    return [prod(len(each.codes) for each in axes[place + 1 :]) for place in range(len(axes))]
