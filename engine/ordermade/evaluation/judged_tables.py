"""Judge published tables, made by any tool: the interval of every suppressed cell, as a reader can compute it.

A reader knows the published cells, which cells are suppressed, the dimensions and which code is the total of which.
From these follows the least and the most that each suppressed cell can be, over all tables that add up
(`tables.intervals`). Several tables of one population are one system of sums: what one of them suppresses, another may
give away. Nothing is registered or kept.
"""

from __future__ import annotations

import csv
import importlib.util
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ordermade.catalogue.any_table import AnyTable, column_named
from ordermade.catalogue.hierarchies import Hierarchies
from ordermade.counting.dataset import Dataset
from ordermade.errors import InputError, UnknownName, quoted
from ordermade.evaluation.recoding_options import hierarchy_of
from ordermade.evaluation.tables import label_classes
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.progress.waiting import Progress, Silent
from ordermade.records.cards import Card, Grid, HasSummary
from ordermade.sources.limits import Limits
from ordermade.state.database import StateFile
from ordermade.tables.codes import TOTALS, folded

if TYPE_CHECKING:
    from ordermade.tables.intervals import Audit
    from ordermade.tables.published import Absent, LinkedTables, WrittenTable

COUNTS = ("count", "counts", "n", "freq", "frequency", "件数", "人数", "度数", "世帯数")
"""The names of a column of counts where none is given."""
MAX_PROGRAMS = 5_000
"""The linear programs that are solved where no other number is given, for each table and for all together."""
MAX_LISTED = 40
"""The most cells that are listed on a screen."""
ABSENT = ("auto", "empty", "suppressed")

Finding = Literal["recovered", "narrow", "below k", "not audited", "wide"]
RECOVERED: Finding = "recovered"
NARROW: Finding = "narrow"
FEW: Finding = "below k"
UNFINISHED: Finding = "not audited"
SAFE: Finding = "wide"
FINDINGS: tuple[Finding, ...] = (RECOVERED, NARROW, FEW, UNFINISHED, SAFE)
"""What was found of a cell, the worst first: its one possible value; fewer than k more than the least possible; at
most k - 1; neither of them, and what could not be found out."""


@dataclass(frozen=True, slots=True)
class TableOptions:
    """The options of a judgement of published tables.

    `counts`: the column of counts or sums; several of a cross-tabulated table, whose headings are then the codes of the
    dimension `across`. None: by its name. `columns`: the dimensions; None: all other columns. `status`: a column that
    says which cells are suppressed. `marks`: of suppressed cells, and `totals`: names of totals; None: the usual ones.
    `hierarchies`: by column, a file or a registered name. `k`: the least width that is safe. `least`: no suppressed
    cell is below this, as the reader knows. `absent`: what cells without a row are; `auto`: suppressed where no cell
    has a mark, else empty. `sums`: values may have decimals. `programs`: the most linear programs.
    """

    counts: Sequence[str] | None = None
    across: str | None = None
    columns: Sequence[str] | None = None
    status: str | None = None
    marks: Sequence[str] | None = None
    totals: Sequence[str] | None = None
    hierarchies: Mapping[str, str | Path] = field(default_factory=dict)
    k: int = 3
    least: int = 0
    absent: str = "auto"
    sums: bool = False
    programs: int = MAX_PROGRAMS

    def require_usable(self) -> None:
        """Raises InputError for an option that no table can have."""
        if self.k < 1:
            raise InputError("k is at least 1", where="--k", next_step="Give the least width that is safe.")
        if self.least < 0:
            raise InputError("counts are at least 0", where="--least", next_step="Give 0, or 1 where zeros are shown.")
        if self.programs < 1:
            raise InputError("at least 1 program is solved", where="--programs", next_step="Give a larger number.")
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
        if self.across is not None and (self.counts is None or len(self.counts) < 2):
            raise InputError(
                "a dimension in the headings has a column of counts for each code",
                where="--across",
                next_step="Name them with --count a,b,c.",
            )


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table: its dimensions and its cells: those with a value, and the suppressed ones.

    `without_row`: those of the suppressed ones that have no row. `few`: published cells from 1 to k - 1.
    """

    name: str
    dimensions: tuple[str, ...]
    published: int
    suppressed: int
    without_row: int
    few: int


@dataclass(frozen=True, slots=True)
class SuppressedCell:
    """A suppressed cell: the least and the most that it can be by all tables; `most` is None where nothing bounds it.

    `least_alone` and `most_alone`: by its own table. `finding`: one of FINDINGS. `published_in`: another table that
    publishes it. `by_difference`: whether its own table would have left it wide.
    """

    table: str
    codes: Mapping[str, str]
    least: int | float
    most: int | float | None
    least_alone: int | float
    most_alone: int | float | None
    finding: Finding
    published_in: str | None
    by_difference: bool

    @property
    def width(self) -> int | float | None:
        """The most less the least."""
        return None if self.most is None else self.most - self.least


@dataclass(frozen=True, slots=True)
class WrongSum:
    """A sum that cannot hold: the codes of its total, and the dimension that is summed over.

    `total`: None where it is suppressed. `parts`: the sum of those that are published; `suppressed_parts`: how many are
    not. `tables`: where its cells are published.
    """

    codes: Mapping[str, str]
    dimension: str
    total: int | float | None
    parts: int | float
    suppressed_parts: int
    tables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """A cell that tables publish with different values."""

    codes: Mapping[str, str]
    values: Mapping[str, int | float]


@dataclass(frozen=True, slots=True, repr=False)
class TableJudgement(HasSummary):
    """The findings on published tables.

    `absent`: what cells without a row were taken for, `empty` or `suppressed`. `sums`: the sums to a cell of a table.
    `programs`: how many linear programs were solved. `is_outer`: there are too many finest cells of all dimensions
    together, so that intervals may be wider than the truth.
    """

    tables: tuple[PublishedTable, ...]
    k: int
    least: int
    absent: Absent
    sums: int
    cells: tuple[SuppressedCell, ...]
    wrong_sums: tuple[WrongSum, ...]
    conflicts: tuple[Conflict, ...]
    programs: int
    is_outer: bool

    def number(self, finding: Finding) -> int:
        """How many suppressed cells have this finding."""
        return sum(each.finding == finding for each in self.cells)

    @property
    def by_difference(self) -> int:
        """How many cells only all tables together give away."""
        return sum(each.by_difference for each in self.cells)

    @property
    def adds_up(self) -> bool:
        """Whether some table has all published cells."""
        return not self.wrong_sums and not self.conflicts

    def _card(self) -> Card:
        title = f"TableJudgement: {self.number(RECOVERED):,} of {len(self.cells):,} suppressed cells recovered"
        return Card.of(title, facts(self), Grid(headings(self), cell_rows(self), "Suppressed cells, narrowest first"))


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
    from ordermade.tables import published

    progress = progress or Silent()
    wanted.require_usable()
    _require_scipy()
    if not tables:
        raise InputError("no table is named", where="judge table", next_step="Give at least one file.")
    progress.step("tables")
    texts = [_texts(each, wanted, state, limits) for each in tables]
    _require_columns(wanted, texts)
    values = [value for each in texts for value in each.values]
    unit = published.unit_of(values)
    written = [each.written(unit) for each in texts]
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
    return _findings(written, judged, alone, wanted, unit, absent)


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


def _texts(table: AnyTable, wanted: TableOptions, state: StateFile, limits: Limits) -> _Texts:
    """Read a table. Raises InputError (UnknownName), SourceFault."""
    from ordermade.tables.published import MARKS, CellTexts

    with table.released(state, limits) as dataset:
        stored = tuple(each.name for each in dataset.columns)
        counts = _counts(table.named, stored, wanted)
        status = None if wanted.status is None else column_named("--status", wanted.status, stored)
        dimensions = _dimensions(stored, wanted, {*counts, status})
        rows = _rows(dataset, (*dimensions, *counts, *(() if status is None else (status,))))
    cells = CellTexts(MARKS if wanted.marks is None else wanted.marks, sums=wanted.sums)
    statuses = None if status is None else [row[-1] for row in rows]
    width = len(dimensions)
    codes: list[tuple[str | None, ...]] = []
    values: list[Decimal | None] = []
    for place, count in enumerate(counts):
        texts = [row[width + place] for row in rows]
        values += cells.read(texts, statuses, f"{table.named}, column {quoted(count)}")
        codes += [row[:width] if wanted.across is None else (*row[:width], count) for row in rows]
    columns = dimensions if wanted.across is None else (*dimensions, wanted.across)
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
    audit: Audit
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
            most_programs=wanted.programs,
        )
        return cls(linked, wrong, audit, {cell: place for place, cell in enumerate(linked.cells)})

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


def facts(found: TableJudgement) -> Iterator[tuple[str, Any]]:
    """The judged tables, their suppressed cells and what was found of these."""
    for each in found.tables:
        suppressed = f"{_cells(each.suppressed)} suppressed"
        without = f", {each.without_row:,} of them without a row" if each.without_row else ""
        yield "table", f"{each.name}: {_cells(each.published)} published, {suppressed}{without}"
    yield "k", found.k
    yield "sums", f"{found.sums:,}" if found.adds_up else f"{found.sums:,}, {len(found.wrong_sums):,} of them wrong"
    yield "suppressed cells", f"{len(found.cells):,}"
    yield "recovered", f"{found.number(RECOVERED):,}"
    yield "too narrow", f"{found.number(NARROW):,}, with an interval of width below {found.k:,}"
    yield "below k", f"{found.number(FEW):,}, certainly below {found.k:,}" if found.number(FEW) else None
    if len(found.tables) > 1:
        yield "by difference", f"{found.by_difference:,} of these, which their own table would have left wide"
    yield "not audited", f"{found.number(UNFINISHED):,}" if found.number(UNFINISHED) else None
    yield "linear programs", f"{found.programs:,}"


def headings(found: TableJudgement) -> tuple[str, ...]:
    """The dimensions, the interval, and the finding; the table and its own interval where there are several."""
    several = len(found.tables) > 1
    ends = ("least", "most", "width", "finding")
    return ("table", *_columns(found), "alone", *ends) if several else (*_columns(found), *ends)


def _columns(found: TableJudgement) -> tuple[str, ...]:
    shown: dict[str, str] = {}
    for table in found.tables:
        for column in table.dimensions:
            shown.setdefault(folded(column), column)
    return tuple(shown.values())


def worst_first(found: TableJudgement) -> list[SuppressedCell]:
    """The suppressed cells, the recovered ones first, then by width; else in the order of the tables."""
    endless = float("inf")
    return sorted(
        found.cells,
        key=lambda each: (FINDINGS.index(each.finding), endless if each.width is None else each.width),
    )


def cell_rows(found: TableJudgement, most: int | None = MAX_LISTED) -> list[tuple[Any, ...]]:
    """A row a suppressed cell, the worst first, at most so many (None: all)."""
    several = len(found.tables) > 1
    columns = [folded(each) for each in _columns(found)]
    rows: list[tuple[Any, ...]] = []
    for each in worst_first(found)[:most]:
        codes = {folded(column): code for column, code in each.codes.items()}
        ends = (each.least, each.most, each.width, each.finding)
        own = tuple(codes.get(column) for column in columns)
        alone = f"{each.least_alone:,}..{'' if each.most_alone is None else f'{each.most_alone:,}'}"
        rows.append((each.table, *own, alone, *ends) if several else (*own, *ends))
    return rows


def notes(found: TableJudgement) -> Iterator[str]:
    """Notes on what these figures rest on."""
    if len(found.cells) > MAX_LISTED:
        yield f"\n{len(found.cells) - MAX_LISTED:,} further cells are not listed: --json and --intervals have all."
    for wrong in found.wrong_sums[:MAX_LISTED]:
        codes = ", ".join(f"{column} {quoted(code)}" for column, code in wrong.codes.items())
        total = "suppressed" if wrong.total is None else f"{wrong.total:,}"
        beside = f" and {_cells(wrong.suppressed_parts)} suppressed" if wrong.suppressed_parts else ""
        yield f"\nDoes not add up over {quoted(wrong.dimension)}: {codes}: {total}, its parts {wrong.parts:,}{beside}."
    for conflict in found.conflicts[:MAX_LISTED]:
        codes = ", ".join(f"{column} {quoted(code)}" for column, code in conflict.codes.items())
        values = ", ".join(f"{value:,} in {name}" for name, value in conflict.values.items())
        yield f"\nPublished with different values: {codes}: {values}."
    if not found.adds_up:
        yield "\nSums that do not add up were left out: intervals hold if the others are right."
    if any(each.without_row for each in found.tables):
        yield "\nCells without a row count as suppressed; if they are empty, say --absent empty."
    few = sum(each.few for each in found.tables)
    if few:
        yield f"\n{_cells(few)} published with a value from 1 to {found.k - 1:,}."
    if found.number(UNFINISHED):
        yield "\nThe linear programs ran out: raise --programs to audit all cells."
    if found.is_outer:
        yield "\nThe dimensions have too many cells together: intervals may be narrower than they are here."
    if found.least == 0 and found.absent == "empty" and found.cells:
        yield "\nSuppressed cells may be 0 here. Readers who know that they are not: --least 1."


def intervals_file(found: TableJudgement, language: str) -> str:
    """All suppressed cells as a CSV file with the interval of each, headings in English (`en`) or Japanese (`ja`)."""
    heads, words = INTERVAL_HEADINGS[language], FINDING_WORDS[language]
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    columns = _columns(found)
    writer.writerow((heads[0], *columns, *heads[1:]))
    for each in found.cells:
        codes = {folded(column): code for column, code in each.codes.items()}
        own = (codes.get(folded(column), "") for column in columns)
        writer.writerow((each.table, *own, each.least, each.most, each.width, words[each.finding]))
    return written.getvalue()


INTERVAL_HEADINGS: Mapping[str, tuple[str, ...]] = {
    "en": ("table", "least", "most", "width", "finding"),
    "ja": ("表", "秘匿インターバル（下限）", "秘匿インターバル（上限）", "幅", "判定"),
}
"""The headings of a file of intervals, by language; the dimensions stand after the first."""
FINDING_WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {each: each for each in FINDINGS},
    "ja": {
        RECOVERED: "値が特定される",
        NARROW: "幅がk未満",
        FEW: "k未満と分かる",
        UNFINISHED: "未判定",
        SAFE: "幅がk以上",
    },
}
"""The findings, by language."""


def _cells(number: int) -> str:
    return "1 cell" if number == 1 else f"{number:,} cells"
