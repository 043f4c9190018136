"""Judge published tables, made by any tool: the interval of every suppressed cell, as a reader can compute it.

A reader knows the published cells, which cells are suppressed, the dimensions and which code is the total of which.
From these follows the least and the most that each suppressed cell can be, over all tables that add up
(`tables.intervals`). Several tables of one population are one system of sums: what one of them suppresses, another may
give away. Nothing is registered or kept.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ordermade.catalogue.any_table import AnyTable, column_named
from ordermade.catalogue.hierarchies import Hierarchies
from ordermade.counting.dataset import Dataset
from ordermade.errors import InputError, UnknownName, quoted
from ordermade.evaluation.crossed_files import crossed_sheets
from ordermade.evaluation.recoding_options import hierarchy_of
from ordermade.evaluation.table_microdata import JudgedCells, compared_microdata, counted_microdata
from ordermade.evaluation.tables import label_classes
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.progress.waiting import Progress, Silent
from ordermade.sources.limits import Limits
from ordermade.state.database import StateFile
from ordermade.tables.codes import TOTALS, folded
from ordermade.tables.crossed_grids import CrossedGrid, GridNames, SheetTexts, crossed_grid
from ordermade.tables.judgement import (
    FEW,
    NARROW,
    RECOVERED,
    SAFE,
    UNFINISHED,
    Absent,
    Conflict,
    Finding,
    PublishedTable,
    SuppressedCell,
    TableJudgement,
    WrongSum,
)

if TYPE_CHECKING:
    from ordermade.tables.cells import Relation
    from ordermade.tables.intervals import AuditedCells
    from ordermade.tables.published import CellTexts, LinkedTables, WrittenTable

COUNTS = ("count", "counts", "n", "freq", "frequency", "persons", "件数", "人数", "度数", "世帯数")
"""The names of a column of counts where none is given."""
MAX_TERMS = 20_000_000
"""The terms of sums in all linear programs together, where their number is not given: minutes of a slow core."""
MIN_PROGRAMS, MAX_PROGRAMS = 20, 5_000
"""The linear programs of tables of any size, where their number is not given."""
ABSENT = ("auto", "empty", "suppressed")


@dataclass(frozen=True, slots=True)
class TableOptions:
    """The options of a judgement of published tables.

    `counts`: the column of counts or sums; several of a cross-tabulated table, whose headings are then the codes of the
    dimension `across`. None: by its name. `across` alone, one name or several: the dimensions of the rows of heads of
    cross-tabulated tables, the outermost first; None: as the heads say. `columns`: the dimensions; None: all other
    columns, and of cross-tabulated tables those at the left and in the heads. `status`: a column that
    says which cells are suppressed. `marks`: of suppressed cells, and `totals`: names of totals; None: the usual ones.
    `hierarchies`: by column, a file or a registered name. `k`: the least width that is safe. `least`: no suppressed
    cell is below this, as the reader knows. `absent`: what cells without a row are; `auto`: suppressed where no cell
    has a mark, else empty. `sums`: values may have decimals. `programs`: the most linear programs for
    each table and for all together; None: by their size. `microdata`: the file that the tables were counted from, of a
    column a dimension; `entity`: its column of persons, who may know their own cells.
    """

    counts: Sequence[str] | None = None
    across: str | Sequence[str] | None = None
    columns: Sequence[str] | None = None
    status: str | None = None
    marks: Sequence[str] | None = None
    totals: Sequence[str] | None = None
    hierarchies: Mapping[str, str | Path] = field(default_factory=dict)
    k: int = 3
    least: int = 0
    absent: str = "auto"
    sums: bool = False
    programs: int | None = None
    microdata: str | Path | None = None
    entity: str | None = None

    def require_usable(self) -> None:
        """Raises InputError for an option that no table can have."""
        if self.k < 1:
            raise InputError("k is at least 1", where="--k", next_step="Give the least width that is safe.")
        if self.least < 0:
            raise InputError("counts are at least 0", where="--least", next_step="Give 0, or 1 where zeros are shown.")
        if self.programs is not None and self.programs < 1:
            raise InputError("at least 1 program is solved", where="--programs", next_step="Give a larger number.")
        if self.microdata is None and self.entity is not None:
            raise InputError(
                "persons are counted of microdata", where="--entity", next_step="Name their file with --microdata."
            )
        if self.microdata is not None and self.sums:
            raise InputError(
                "microdata are compared with counts, not with sums",
                where="--microdata",
                next_step="Leave --sums or --microdata out.",
            )
        if self.absent not in ABSENT:
            raise InputError(
                "cells without a row are empty or suppressed",
                where="--absent",
                next_step=f"Give one of {', '.join(ABSENT)}.",
            )
        if self.across is None and self.counts is not None and len(self.counts) > 1:
            raise InputError(
                "several columns of counts have a dimension in their headings",
                where="--count",
                next_step="Name it with --across, for example --across sex.",
            )
        if self.is_listed and len(self.dimensions_across) > 1:
            raise InputError(
                "columns of counts that are listed have the codes of one dimension",
                where="--across",
                next_step="Leave --count out, or give it one name.",
            )

    @property
    def dimensions_across(self) -> tuple[str, ...]:
        """The dimensions in the heads, the outermost first."""
        if self.across is None:
            return ()
        return (self.across,) if isinstance(self.across, str) else tuple(self.across)

    @property
    def is_listed(self) -> bool:
        """Whether the columns of a dimension in the heads are listed, so that there is one row of heads."""
        return bool(self.dimensions_across) and self.counts is not None and len(self.counts) > 1


def judged_tables(
    tables: Sequence[AnyTable],
    wanted: TableOptions,
    state: StateFile,
    limits: Limits,
    *,
    progress: Progress | None = None,
) -> TableJudgement:
    """Judge published tables of one population.

    Raises InputError (UnknownName, HierarchyError) with counts and names of columns only; SourceFault, StateFault.
    """
    progress = progress or Silent()
    wanted.require_usable()
    _require_scipy()
    from ordermade.tables import published

    if not tables:
        raise InputError("no table is named", where="judge table", next_step="Give at least one file.")
    progress.step("tables")
    found_tables = written_tables(tables, wanted, state, limits)
    written, unit = found_tables.written, found_tables.unit
    values = [value for each in written for value in each.values]
    hierarchies = _hierarchies(wanted, written, Hierarchies(state, limits))
    absent: Absent = "suppressed" if wanted.absent == "suppressed" else "empty"
    if wanted.absent == "auto" and all(value is not None for value in values):
        absent = "suppressed"
    totals = TOTALS if wanted.totals is None else tuple(wanted.totals)
    together = published.linked(written, totals, hierarchies, absent)
    if not together.has_totals:
        raise InputError(
            "no cell is a total of others, so nothing follows for any",
            where=", ".join(each.name for each in written),
            next_step="Name the totals with --total, or give --hierarchy COLUMN=FILE.",
        )
    progress.step("intervals")
    judged = _Audited.of(together, wanted, unit)
    alone = [judged]
    if len(written) > 1:
        alone = [_Audited.of(published.linked([each], totals, hierarchies, absent), wanted, unit) for each in written]
    found = _findings(written, judged, alone, wanted, unit, absent)
    if wanted.microdata is None:
        return found
    progress.step("microdata")
    microdata = AnyTable(str(wanted.microdata), None, tables[0].encoding, tables[0].header)
    counted = counted_microdata(microdata, together, hierarchies, wanted.entity, state, limits)
    return replace(found, microdata=compared_microdata(microdata.named, judged.judged_cells(wanted), counted, wanted.k))


@dataclass(frozen=True, slots=True)
class WrittenTables:
    """Published tables as they are written, their values in one unit."""

    written: tuple[WrittenTable, ...]
    unit: Decimal


def written_tables(tables: Sequence[AnyTable], wanted: TableOptions, state: StateFile, limits: Limits) -> WrittenTables:
    """Reads published tables, cross-tabulated ones among them. Raises InputError, SourceFault, StateFault."""
    _require_scipy()
    from ordermade.tables import published

    texts = [found for each in tables for found in _texts(each, wanted, state, limits)]
    _require_columns(wanted, texts)
    unit = published.unit_of([value for each in texts for value in each.values])
    return WrittenTables(tuple(each.written(unit) for each in texts), unit)


def _require_scipy() -> None:
    """Raises InputError where scipy is missing."""
    if importlib.util.find_spec("scipy") is None:
        raise InputError(
            "judging a table needs the package scipy, which is not installed",
            next_step="Install it with `pip install 'ordermade[tables]'`.",
        )


@dataclass(frozen=True, slots=True)
class _Texts:
    """A table as it is read: the codes of its rows, and the values."""

    name: str
    stored: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    values: tuple[Decimal | None, ...]

    def written(self, unit: Decimal) -> WrittenTable:
        """The table, its values in this unit."""
        from ordermade.tables.published import WrittenTable

        values = tuple(None if each is None else int(each / unit) for each in self.values)
        return WrittenTable(self.name, self.columns, self.rows, values)


def _texts(table: AnyTable, wanted: TableOptions, state: StateFile, limits: Limits) -> list[_Texts]:
    """Read a table, or the sheets of a workbook of cross-tabulated ones. Raises InputError, SourceFault."""
    is_crossed = bool(wanted.dimensions_across) and not wanted.is_listed
    counts = frozenset(map(folded, COUNTS if wanted.counts is None else wanted.counts))
    sheets = [] if wanted.is_listed else crossed_sheets(table, state, counts, is_crossed=is_crossed)
    if sheets:
        return [_of_sheet(each, wanted) for each in sheets]
    return [_of_rows(table, wanted, state, limits)]


def _of_sheet(texts: SheetTexts, wanted: TableOptions) -> _Texts:
    """A cross-tabulated table, a cell a figure. Raises InputError where it is not understood."""
    if wanted.status is not None:
        raise InputError(
            "a cross-tabulated table has no column of statuses",
            where=texts.where,
            next_step="Leave --status out, and name the marks of its cells with --mark.",
        )
    cells = _cell_texts(wanted)
    grid = crossed_grid(texts, GridNames(tuple(wanted.columns or ()), wanted.dimensions_across, cells.is_readable))
    places = _measured(grid, wanted, texts.where)
    figures = [row[at] for row in grid.figures for at in places]
    codes = [(*labels, *grid.heads[at]) for labels in grid.labels for at in places]
    columns = (*grid.down, *grid.across)
    return _Texts(texts.where, columns, columns, tuple(codes), tuple(cells.read(figures, None, texts.where)))


def _measured(grid: CrossedGrid, wanted: TableOptions, where: str) -> list[int]:
    """The columns of figures that are counts. Raises InputError where that is not known."""
    if grid.measures is None:
        if wanted.counts is not None:
            raise InputError(
                "its heads name dimensions alone, so that its figures have no name",
                where=where,
                next_step="Leave --count out.",
            )
        return list(range(len(grid.heads)))
    measure = _counts(where, tuple(dict.fromkeys(grid.measures)), wanted)[0]
    return [at for at, each in enumerate(grid.measures) if each == measure]


def _cell_texts(wanted: TableOptions) -> CellTexts:
    """The reader of the texts of counts or sums."""
    from ordermade.tables.published import MARKS, CellTexts

    return CellTexts(MARKS if wanted.marks is None else wanted.marks, sums=wanted.sums)


def _of_rows(table: AnyTable, wanted: TableOptions, state: StateFile, limits: Limits) -> _Texts:
    """Read a table of a row a cell. Raises InputError (UnknownName), SourceFault."""
    with table.released(state, limits) as dataset:
        stored = tuple(each.name for each in dataset.columns)
        counts = _counts(table.named, stored, wanted)
        status = None if wanted.status is None else column_named("--status", wanted.status, stored)
        dimensions = _dimensions(stored, wanted, {*counts, status})
        rows = _rows(dataset, (*dimensions, *counts, *(() if status is None else (status,))))
    cells = _cell_texts(wanted)
    statuses = None if status is None else [row[-1] for row in rows]
    width = len(dimensions)
    codes: list[tuple[str | None, ...]] = []
    values: list[Decimal | None] = []
    for place, count in enumerate(counts):
        texts = [row[width + place] for row in rows]
        values += cells.read(texts, statuses, f"{table.named}, column {quoted(count)}")
        codes += [(*row[:width], count) if wanted.is_listed else row[:width] for row in rows]
    columns = (*dimensions, *wanted.dimensions_across) if wanted.is_listed else dimensions
    return _Texts(table.named, stored, columns, tuple(codes), tuple(values))


def _rows(dataset: Dataset, columns: Sequence[str]) -> list[tuple[str | None, ...]]:
    """The rows as texts, in the order of these; one that is there several times as often."""
    found, numbers = label_classes(dataset, columns)
    return [row for row, number in zip(found, numbers.tolist(), strict=True) for _ in range(number)]


def _counts(named: str, stored: Sequence[str], wanted: TableOptions) -> tuple[str, ...]:
    """The columns of counts. Raises InputError, UnknownName."""
    if wanted.counts is not None:
        return tuple(dict.fromkeys(column_named("--count", each, stored) for each in wanted.counts))
    found = [each for each in stored if folded(each) in COUNTS]
    if len(found) != 1:
        what = "no column is called as counts are" if not found else f"{len(found)} columns are called as counts are"
        raise InputError(what, where=named, next_step="Name the column of counts or sums with --count.")
    return tuple(found)


def _dimensions(stored: Sequence[str], wanted: TableOptions, others: set[str | None]) -> tuple[str, ...]:
    """The dimensions of a table: of those that are named the ones it has, or all its other columns."""
    if wanted.columns is None:
        return tuple(each for each in stored if each not in others)
    names = {folded(each) for each in wanted.columns}
    return tuple(each for each in stored if folded(each) in names and each not in others)


def _require_columns(wanted: TableOptions, texts: Sequence[_Texts]) -> None:
    """Raises UnknownName for a dimension that no table has, InputError for a table without any."""
    every = [column for each in texts for column in each.columns]
    for name in wanted.columns or ():
        if folded(name) not in {folded(each) for each in every}:
            stored = list(dict.fromkeys(column for each in texts for column in each.stored))
            raise UnknownName("column", name, stored, where="--columns")
    for each in texts:
        if not each.columns:
            raise InputError(
                "there is no column beside the counts",
                where=each.name,
                next_step="A dimension is a column with a code a row.",
            )
        if len({folded(column) for column in each.columns}) < len(each.columns):
            raise InputError(
                "two of its dimensions have one name",
                where=each.name,
                next_step="Rename one, or leave it out of --columns. Width, case and spaces do not count.",
            )


def _hierarchies(
    wanted: TableOptions, written: Sequence[WrittenTable], registered: Hierarchies
) -> dict[str, Hierarchy]:
    """The hierarchies by dimension. Raises UnknownName, HierarchyError."""
    columns = list(dict.fromkeys(column for each in written for column in each.columns))
    found: dict[str, Hierarchy] = {}
    for name, given in wanted.hierarchies.items():
        column = next((each for each in columns if folded(each) == folded(name)), None)
        if column is None:
            raise UnknownName("column", name, columns, where="--hierarchy")
        found[column] = hierarchy_of(column, str(given), registered)
    return found


@dataclass(frozen=True, slots=True)
class _Audited:
    """Linked tables, their sums that cannot hold, and the intervals by the others; published cells by number."""

    linked: LinkedTables
    wrong: tuple[int, ...]
    audit: AuditedCells
    numbers: Mapping[tuple[int, ...], int]

    @classmethod
    def of(cls, linked: LinkedTables, wanted: TableOptions, unit: Decimal) -> _Audited:
        """The tables, audited."""
        from ordermade.tables.intervals import audited, contradictions

        lower = np.zeros(len(linked.cells), dtype=np.int64)
        lower[list(linked.suppressed)] = int(wanted.least / unit)
        unknown = (*linked.suppressed, *linked.unpublished)
        wrong = contradictions(linked.relations, linked.values, unknown, lower)
        left = [each for place, each in enumerate(linked.relations) if place not in set(wrong)]
        audit = audited(
            left,
            linked.values,
            linked.suppressed,
            lower,
            unpublished=linked.unpublished,
            most_programs=_programs(left) if wanted.programs is None else wanted.programs,
        )
        return cls(linked, wrong, audit, {cell: place for place, cell in enumerate(linked.cells)})

    def judged_cells(self, wanted: TableOptions) -> JudgedCells:
        """The cells with their intervals, for the comparison with microdata: values are whole numbers."""
        lower = np.zeros(len(self.linked.cells), dtype=np.int64)
        lower[list(self.linked.suppressed)] = wanted.least
        left = [each for place, each in enumerate(self.linked.relations) if place not in set(self.wrong)]
        programs = _programs(left) if wanted.programs is None else wanted.programs
        return JudgedCells(self.linked, left, self.audit, lower, programs)

    def interval(self, codes: Mapping[str, str], least: int) -> tuple[int, int | None]:
        """The least and the most of the cell of these codes; (least, None) for one that the tables know nothing of."""
        named = {folded(column): code for column, code in codes.items()}
        try:
            place = self.numbers[tuple(tree.number(named[folded(tree.dimension.name)]) for tree in self.linked.trees)]
        except KeyError:
            return least, None
        found = self.audit.intervals.get(place)
        value = int(self.linked.values[place])
        return (value, value) if found is None else (found.least, found.most)


def _programs(relations: Sequence[Relation]) -> int:
    """The most programs of tables with these sums: a fixed number, so that equal tables give equal intervals."""
    terms = sum(1 + len(each.parts) for each in relations)
    return max(MIN_PROGRAMS, min(MAX_PROGRAMS, MAX_TERMS // max(terms, 1)))


def _findings(
    written: Sequence[WrittenTable],
    judged: _Audited,
    alone: Sequence[_Audited],
    wanted: TableOptions,
    unit: Decimal,
    absent: Absent,
) -> TableJudgement:
    linked, narrow = judged.linked, int(wanted.k / unit)
    tables, cells = [], []
    published = [set(rows) - set(hidden) for rows, hidden in zip(linked.rows, linked.hidden, strict=True)]
    for place, table in enumerate(written):
        values = [value for value in table.values if value is not None]
        tables.append(
            PublishedTable(
                name=table.name,
                dimensions=table.columns,
                published=len(values),
                suppressed=len(linked.hidden[place]),
                without_row=len(linked.rows[place]) - len(table.rows),
                few=sum(0 < value < narrow for value in values),
            )
        )
        own = alone[place]
        for cell in linked.hidden[place]:
            codes = linked.codes(cell, table.columns)
            found = judged.audit.intervals.get(cell)
            value = int(linked.values[cell])
            least, most = (value, value) if found is None else (found.least, found.most)
            least_alone, most_alone = own.interval(codes, int(wanted.least / unit))
            finding = _finding(least, most, narrow, is_finished=cell not in judged.audit.unfinished)
            alone_finding = _finding(least_alone, most_alone, narrow, is_finished=True)
            cells.append(
                SuppressedCell(
                    table=table.name,
                    codes=codes,
                    least=_in(unit, least),
                    most=None if most is None else _in(unit, most),
                    least_alone=_in(unit, least_alone),
                    most_alone=None if most_alone is None else _in(unit, most_alone),
                    finding=finding,
                    published_in=next((written[at].name for at, own in enumerate(published) if cell in own), None),
                    by_difference=alone_finding == SAFE and finding not in (SAFE, UNFINISHED),
                )
            )
    names = [tree.dimension.name for tree in linked.trees]
    unpublished = set(linked.unpublished)
    return TableJudgement(
        tables=tuple(tables),
        k=wanted.k,
        least=wanted.least,
        absent=absent,
        sums=sum(each.total not in unpublished for each in linked.relations),
        cells=tuple(cells),
        wrong_sums=tuple(_wrong_sum(linked, number, written, published, unit) for number in judged.wrong),
        conflicts=tuple(
            Conflict(linked.codes(cell, names), dict(_values_of(linked, cell, written, unit)))
            for cell in linked.conflicts
        ),
        programs=judged.audit.programs,
        is_outer=linked.is_inner_left_out,
    )


def _finding(least: int, most: int | None, narrow: int, *, is_finished: bool) -> Finding:
    """What an interval says of a cell: an unfinished one is never narrower than the truth, so it may be found out."""
    if most is not None and most == least:
        return RECOVERED
    if most is not None and most - least < narrow:
        return NARROW
    if most is not None and most < narrow:
        return FEW
    return SAFE if is_finished else UNFINISHED


def _in(unit: Decimal, value: int) -> int | float:
    """A value in units of 1."""
    return value if unit == 1 else float(value * unit)


def _wrong_sum(
    linked: LinkedTables, number: int, written: Sequence[WrittenTable], published: Sequence[set[int]], unit: Decimal
) -> WrongSum:
    relation = linked.relations[number]
    names = [tree.dimension.name for tree in linked.trees]
    unknown = {*linked.suppressed, *linked.unpublished}
    total, part = linked.cells[relation.total], linked.cells[relation.parts[0]]
    at = next(place for place, (one, other) in enumerate(zip(total, part, strict=True)) if one != other)
    shown = [each for each in relation.parts if each not in unknown]
    members = {relation.total, *relation.parts}
    return WrongSum(
        codes=linked.codes(relation.total, names),
        dimension=names[at],
        total=None if relation.total in unknown else _in(unit, int(linked.values[relation.total])),
        parts=_in(unit, int(linked.values[shown].sum()) if shown else 0),
        suppressed_parts=len(relation.parts) - len(shown),
        tables=tuple(table.name for table, own in zip(written, published, strict=True) if own & members),
    )


def _values_of(
    linked: LinkedTables, cell: int, written: Sequence[WrittenTable], unit: Decimal
) -> Iterator[tuple[str, int | float]]:
    """The value of a cell in each table that publishes it, by the name of the table."""
    for table, rows in zip(written, linked.rows, strict=True):
        for place, value in zip(rows, table.values, strict=False):
            if place == cell and value is not None:
                yield table.name, _in(unit, value)
