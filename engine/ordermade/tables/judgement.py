"""What was found of published tables and their suppressed cells: a record, its words on a screen and in a file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ordermade.errors import quoted
from ordermade.records.cards import Card, Grid, HasSummary
from ordermade.tables.codes import folded

MAX_ATTACKERS = 50
"""The most sole contributors who are let to compute other cells."""
MAX_LISTED = 40
"""The most cells that are listed on a screen."""
Absent = Literal["empty", "suppressed"]
"""What cells without a row are."""

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


@dataclass(frozen=True, slots=True)
class NamedCell:
    """A published cell by its codes."""

    codes: Mapping[str, str]
    """Its codes by dimension."""
    published: int
    """Its figure."""


@dataclass(frozen=True, slots=True)
class DifferentCell:
    """A published cell that microdata have another figure of."""

    codes: Mapping[str, str]
    """Its codes by dimension."""
    published: int
    """Its figure."""
    counted: int | None
    """That of the microdata; null where it, or what it differs by, is below k."""


@dataclass(frozen=True, slots=True)
class ComparedMicrodata:
    """The findings on published tables beside the microdata that they were counted from: for the provider alone."""

    name: str
    """The microdata."""
    counted: Literal["rows", "persons"]
    """What the figures count: what fewer cells differ in."""
    compared: int
    """The published cells."""
    different: tuple[DifferentCell, ...]
    """Those of them that microdata have another figure of."""
    few: tuple[NamedCell, ...]
    """Published cells of fewer than k persons, or rows where no column identifies persons."""
    primary: int
    """Suppressed cells of fewer than k."""
    secondary: int
    """Those of k or more."""
    empty: int
    """Those that are empty."""
    inside: int
    """Suppressed cells whose true figure is inside their interval."""
    at_an_end: int
    """Those where it is the least or the most."""
    outside: int
    """Those where it is beyond them: then the tables are of other rows, or readers know less than is assumed."""
    strange: int | None
    """Rows with a value that no code of the tables has, which count to totals alone; null where they are below k."""
    sole: int | None
    """Cells of the tables that one person is alone in; null where no column identifies persons."""
    attackers: int | None
    """The persons alone in a suppressed cell who were let to compute the others, 50 at most; null where some published
    cells differ, too."""
    recovered: int | None
    """Suppressed cells that one of them computes exactly."""
    narrow: int | None
    """Others that one of them knows to less than k - 1."""


@dataclass(frozen=True, slots=True, repr=False)
class TableJudgement(HasSummary):
    """The findings on published tables.

    `absent`: what cells without a row were taken for, `empty` or `suppressed`. `sums`: the sums to a cell of a table.
    `programs`: how many linear programs were solved. `is_outer`: there are too many finest cells of all dimensions
    together, so that intervals may be wider than the truth. `microdata`: what they tell, where they are given.
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
    microdata: ComparedMicrodata | None = None

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
    if found.microdata is not None:
        yield from _facts_of_microdata(found.microdata, found.k)


def _facts_of_microdata(found: ComparedMicrodata, k: int) -> Iterator[tuple[str, Any]]:
    yield "microdata", f"{found.name}, counted in {found.counted}"
    yield "published cells", f"{found.compared:,} compared, {len(found.different):,} of them different"
    yield "below k, published", f"{_cells(len(found.few))} of fewer than {k:,}" if found.few else "none"
    empty = f", {found.empty:,} empty" if found.empty else ""
    yield "suppressed", f"{found.primary:,} of fewer than {k:,}, {found.secondary:,} of {k:,} or more{empty}"
    outside = f", {found.outside:,} outside" if found.outside else ""
    yield "true figures", f"{found.inside:,} inside their interval, {found.at_an_end:,} at an end of it{outside}"
    if found.sole is not None:
        yield "sole contributors", f"{_cells(found.sole)} with one person alone"
    if found.attackers:
        first = "first " if found.attackers == MAX_ATTACKERS else ""
        known = f"{found.recovered:,} recovered, {found.narrow:,} known to less than {k - 1:,}"
        yield "by sole contributors", f"{known}, by the {first}{found.attackers:,} of suppressed cells"


def headings(found: TableJudgement) -> tuple[str, ...]:
    """The dimensions, the interval, and the finding; the table and its own interval where there are several."""
    several = len(found.tables) > 1
    ends = ("least", "most", "width", "finding")
    return ("table", *columns_of(found), "alone", *ends) if several else (*columns_of(found), *ends)


def columns_of(found: TableJudgement) -> tuple[str, ...]:
    """The dimensions of all tables."""
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
    columns = [folded(each) for each in columns_of(found)]
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
    whole = [each.name for each in found.tables if not each.suppressed]
    if found.absent == "empty" and found.cells and whole:
        yield (
            f"\nNo suppressed cell in {', '.join(whole)}: cells without a row count as empty. If it leaves suppressed "
            "cells out, say --absent suppressed."
        )
    few = sum(each.few for each in found.tables)
    if few:
        yield f"\n{_cells(few)} published with a value from 1 to {found.k - 1:,}."
    if found.microdata is not None:
        yield from _notes_on_microdata(found.microdata, found.k)
    if found.number(UNFINISHED):
        yield "\nThe linear programs ran out: raise --programs to audit all cells."
    if found.is_outer:
        yield "\nThe dimensions have too many cells together: intervals may be narrower than they are here."
    if found.least == 0 and found.absent == "empty" and found.cells:
        yield "\nSuppressed cells may be 0 here. Readers who know that they are not: --least 1."


def _notes_on_microdata(found: ComparedMicrodata, k: int) -> Iterator[str]:
    for different in found.different[:MAX_LISTED]:
        counted = "another figure" if different.counted is None else f"{different.counted:,}"
        yield f"\nNot that of the microdata: {_named(different.codes)}: {different.published:,}, counted {counted}."
    for few in found.few[:MAX_LISTED]:
        yield f"\nPublished, of fewer than {k:,}: {_named(few.codes)}."
    beyond = max(len(found.different), len(found.few)) - MAX_LISTED
    if beyond > 0:
        yield "\nFurther cells are not listed: --json has all."
    if found.strange is None or found.strange:
        rows = f"fewer than {k:,}" if found.strange is None else f"{found.strange:,}"
        yield f"\nRows with a value that no code has: {rows}. They count to totals alone."
    if found.outside:
        yield "\nTrue figures outside their interval: the tables are of other rows, or --least, --absent do not fit."


def _named(codes: Mapping[str, str]) -> str:
    return ", ".join(f"{column} {quoted(code)}" for column, code in codes.items())


def intervals_file(found: TableJudgement, language: str) -> str:
    """All suppressed cells as a CSV file with the interval of each, headings in English (`en`) or Japanese (`ja`)."""
    heads, words = INTERVAL_HEADINGS[language], FINDING_WORDS[language]
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    columns = columns_of(found)
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
