"""Cross-tabulated tables in files: the sheets of a workbook with merged heads, and CSV files with several rows of them.

Both are read as they are written, not as tables of named columns.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Sequence
from pathlib import Path

from ordermade.catalogue.any_table import AnyTable, Located
from ordermade.errors import InputError, SourceFault, UnknownName
from ordermade.files.workbook_cells import Cell, address, text_of
from ordermade.files.workbook_endings import ENDINGS, ending_of
from ordermade.files.workbooks import Sheet, SheetGrid, workbook
from ordermade.release.files import manifest_of, read_manifest
from ordermade.release.rows import unescaped
from ordermade.sources.csv_format import encoding_of, lines_left_out, lines_of
from ordermade.sources.csv_head import LONGEST_HEADER, original_line, separator_of
from ordermade.state.database import StateFile
from ordermade.tables.codes import folded
from ordermade.tables.crossed_grids import SheetTexts

_CSV = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
_SAVE_AS = "Save it as .xlsx."


def crossed_sheets(table: AnyTable, state: StateFile, counts: Collection[str], *, is_crossed: bool) -> list[SheetTexts]:
    """The cross-tabulated tables of a file; none where it has a row a cell, or is no file.

    Of a workbook every sheet that is shown, or the one that is named, where one of them has merged cells or a title.
    `is_crossed`: some of the tables are known to be cross-tabulated, so those are whose first line has no column of
    these `counts`, folded. Raises InputError (UnknownName), SourceFault, ReleaseFault.
    """
    located = table.located(state)
    path = Path(located.location)
    if located.source is not None or "://" in located.location or not path.is_file():
        return []
    if ending_of(path) in ENDINGS:
        return _sheets(path, located, counts, is_crossed=is_crossed)
    if is_crossed and path.name.rstrip().lower().endswith(_CSV):
        found = _lines(path, located, table.named)
        return [] if _has_column(found, counts) else [found]
    return []


def _has_column(texts: SheetTexts, counts: Collection[str]) -> bool:
    """Whether the first line is one of names, a column of counts among them."""
    first = next((row for row in texts.rows if any(row)), ())
    return sum(map(bool, first)) > 1 and any(folded(each) in counts for each in first)


def _sheets(path: Path, located: Located, counts: Collection[str], *, is_crossed: bool) -> list[SheetTexts]:
    """The sheets of a workbook, if one of them is cross-tabulated."""
    with workbook(path, SourceFault) as opened:
        wanted = [each for each in opened.sheets if not each.is_hidden]
        if located.table is not None:
            names = [each.name for each in opened.sheets]
            if located.table not in names:
                raise UnknownName("table", located.table, names, where=str(path))
            wanted = [each for each in opened.sheets if each.name == located.table]
        grids = [(each, grid) for each in wanted if (grid := opened.grid(each)) is not None]
        merged = [bool(grid.merged or grid.marks.covered) for _, grid in grids]
        found = [_sheet(path, each, grid, located, is_one=len(grids) == 1) for each, grid in grids]
        is_plain = not any(merged) and not any(each.has_title for each in found)
        if is_plain and (not is_crossed or any(_has_column(each, counts) for each in found)):
            return []
        for _, grid in grids:
            grid.require_values()
            if grid.marks.covered and not grid.merged:
                raise SourceFault("merged cells are read of .xlsx files only", where=grid.where, next_step=_SAVE_AS)
    return found


def _sheet(path: Path, sheet: Sheet, grid: SheetGrid, located: Located, *, is_one: bool) -> SheetTexts:
    """A sheet with all of its rows, those that are skipped as blank ones."""
    skipped, first = frozenset(located.reading.skipped), grid.first_column
    cells = [[] if number in skipped else row for number, row in _numbered(grid)]
    width = max(map(len, cells), default=0)
    rows: list[list[Cell]] = [[*row, *[""] * (width - len(row))] for row in cells]
    return SheetTexts(
        where=str(path) if is_one else f"{path}, sheet '{sheet.name}'",
        numbers=tuple(range(1, len(rows) + 1)),
        rows=tuple(tuple(text_of(each).strip() for each in row) for row in rows),
        address=lambda row, at: address(row, at + first - 1),
        merged=tuple(
            (top, left - first + 1, bottom, right - first + 1)
            for (top, left), (bottom, right) in grid.merged
            if top + 1 not in skipped
        ),
        labels=tuple(tuple(isinstance(each, str) for each in row) for row in rows),
    )


def _numbered(grid: SheetGrid) -> list[tuple[int, list[Cell]]]:
    """Every row by its number, the blank ones, too."""
    known = dict(grid.rows())
    return [(number, known.get(number, [])) for number in range(1, grid.last_row + 1)]


def _lines(path: Path, located: Located, named: str) -> SheetTexts:
    """A CSV file: its records as rows, with the numbers of the lines at which they begin."""
    encoding = encoding_of(path, located.reading.encoding)
    skipped = lines_left_out(path, encoding, located.reading)
    with lines_of(path, encoding) as lines:
        kept = [line for number, line in enumerate(lines, start=1) if number not in skipped]
    is_escaped = manifest_of(path).is_file() and read_manifest(path).get("formulas") == "escape"
    rows: list[list[str]] = []
    numbers: list[int] = []
    reader = csv.reader(kept, delimiter=separator_of("".join(kept)[:LONGEST_HEADER]))
    try:
        before = 0
        for fields in reader:
            rows.append([(unescaped(each) if is_escaped else each).strip() for each in fields])
            numbers.append(original_line(before + 1, skipped))
            before = reader.line_num
    except csv.Error:
        raise InputError(
            "the lines of the file cannot be parted into fields",
            where=named,
            next_step="Save it as a CSV file in UTF-8, texts with a separator in double quotes.",
        ) from None
    return SheetTexts(named, tuple(numbers), _padded(rows), _field)


def _padded(rows: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    width = max(map(len, rows), default=0)
    return tuple((*row, *[""] * (width - len(row))) for row in rows)


def _field(line: int, at: int) -> str:
    """The address of a field of a CSV file."""
    return f"in line {line:,}, field {at}"
