"""Shown tables read back from their file: each cell by its labels, with its figure, or suppressed.

Long rows are read as any release is, workbooks and marks as `judge table` reads them; nothing is taken from the tables
that were written but how many axes and measures they have.
"""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from html.parser import HTMLParser
from itertools import takewhile
from pathlib import Path

from ordermade.errors import InputError, ReleaseFault, ReleaseMismatch, quoted
from ordermade.files.workbook_cells import Cell, text_of
from ordermade.files.workbooks import SheetGrid, workbook
from ordermade.release.files import read_rows
from ordermade.release.rows import is_formula
from ordermade.release.shown_page import as_on_page
from ordermade.release.shown_sheets import TITLE_ROWS
from ordermade.release.shown_tables import ShownForm
from ordermade.tables.layouts import LongColumns, crossed, long_columns
from ordermade.tables.published import CellTexts
from ordermade.tables.shown import Cells, ShownTable, cells_of
from ordermade.tables.shown_words import NO_FIGURE


def require_same(tables: Sequence[ShownTable], found: Sequence[Cells], where: str) -> None:
    """Raises ReleaseMismatch where what was read back has other cells, figures or marks than the tables."""
    for table, cells in zip(tables, found, strict=True):
        expected = cells_of(table)
        wrong = sum(expected.get(key, NO_FIGURE) != value for key, value in cells.items())
        missing = len(expected.keys() - cells.keys())
        if wrong or missing:
            what = f"{wrong:,} cells are not as they were to be written, and {missing:,} are missing"
            raise _mismatch(where, table, what)


def read_back(path: Path, form: ShownForm, tables: Sequence[ShownTable]) -> tuple[Cells, ...]:
    """The cells of each table as the file at `path` has them, by measure and labels; `cells_of` gives those expected.

    Raises ReleaseFault where the file cannot be read, and ReleaseMismatch where it does not have these tables.
    """
    if form.ending == ".html":
        shown = [as_on_page(each) for each in tables]
        grids = zip(_page_grids(path, shown), shown, tables, strict=True)
        return tuple(_by_own_labels(_of_grid(path, grid, page), page, table) for grid, page, table in grids)
    if form.ending == ".xlsx":
        sheets = zip(_sheet_rows(path, len(tables)), tables, strict=True)
        if form.layout == "crossed":
            return tuple(_of_grid(path, _sheet_grid(rows, each), each) for rows, each in sheets)
        return tuple(
            _of_long(path, [[*map(_digits_of, row)] for row in rows], [each], form)[0] for rows, each in sheets
        )
    if form.layout == "crossed":
        return (_of_grid(path, _line_grid(list(_lines(path, form)), tables[0]), tables[0]),)
    return _of_long(path, _file_rows(path, form), tables, form)


def formulas_in(path: Path, form: ShownForm) -> int:
    """The texts of a written CSV file that a spreadsheet would run as formulas; none of other files, or where escaped.

    Raises ReleaseFault where the file cannot be read.
    """
    if not form.ending.startswith(".csv") or form.escapes_formulas:
        return 0
    return sum(each != NO_FIGURE and is_formula(each) for line in _lines(path, form) for each in line)


def _by_own_labels(cells: Cells, page: ShownTable, table: ShownTable) -> Cells:
    """The cells of a page by the labels that its table has; a label that is none of its own stays."""
    measures = {shown.name: own.name for shown, own in zip(page.measures, table.measures, strict=True)}
    axes = [dict(zip(shown.labels, own.labels, strict=True)) for shown, own in zip(page.axes, table.axes, strict=True)]
    return {
        (measures.get(name, name), *(own.get(label, label) for own, label in zip(axes, labels, strict=True))): value
        for (name, *labels), value in cells.items()
    }


Texts = Sequence[str | None]


def _of_long(path: Path, rows: Sequence[Texts], tables: Sequence[ShownTable], form: ShownForm) -> tuple[Cells, ...]:
    columns = long_columns(tables, form.words)
    if not rows or tuple(rows[0]) != columns.heads:
        raise _mismatch(path, tables[0], "its heads are not those that were to be written")
    of_tables: dict[str | None, list[Texts]] = {each.name: [] for each in tables}
    for row in rows[1:]:
        name = row[0] if columns.has_table else tables[0].name
        if name not in of_tables:
            raise _mismatch(path, tables[0], "a row is of no table")
        of_tables[name].append(row)
    return tuple(_of_rows(path, of_tables[each.name], each, columns) for each in tables)


def _of_rows(path: Path, rows: Sequence[Texts], table: ShownTable, columns: LongColumns) -> Cells:
    places = [columns.first_axis + columns.axes.index(each.name) for each in table.axes]
    found = [
        ((name, *(row[each] or "" for each in places)), row[place], row[place + 1])
        for place, name in columns.of_measures
        for row in rows
        if row[place] or row[place + 1]
    ]
    return _read(path, table, [each for each, _, _ in found], [each for _, each, _ in found], [s for _, _, s in found])


@dataclass(frozen=True, slots=True)
class _Grid:
    """A cross-tabulated table in a file, every label wherever it holds: heads over the figures, labels beside them."""

    heads: list[list[str]]
    labels: list[list[str]]
    figures: list[list[str]]


def _of_grid(path: Path, grid: _Grid, table: ShownTable) -> Cells:
    across = len(table.columns)
    keys: list[tuple[str, ...]] = []
    texts: list[str | None] = []
    for labels, figures in zip(grid.labels, grid.figures, strict=True):
        for at, figure in enumerate(figures):
            if figure != NO_FIGURE:
                heads = [row[at] for row in grid.heads]
                measure = heads[across] if len(heads) > across else table.measures[0].name
                keys.append((measure, *labels, *heads[:across]))
                texts.append(figure)
    return _read(path, table, keys, texts, None)


def _read(
    path: Path, table: ShownTable, keys: Sequence[tuple[str, ...]], texts: Sequence[str | None], statuses: Texts | None
) -> Cells:
    """The values that the texts are. Raises ReleaseMismatch."""
    try:
        values = CellTexts([table.mark], sums=True).read(texts, statuses, str(path))
    except InputError as error:
        raise _mismatch(path, table, error.what) from None
    found = dict(zip(keys, values, strict=True))
    if len(found) < len(keys):
        raise _mismatch(path, table, f"{len(keys) - len(found):,} cells are there twice")
    return found


def _file_rows(path: Path, form: ShownForm) -> list[Texts]:
    """The heads and the rows of a file of long rows, as texts."""
    read = read_rows(path)
    plain = form.text_from

    def text(cell: Cell | None) -> str | None:
        return None if cell is None else plain(_digits_of(cell))

    columns = [[*map(text, column.to_pylist())] for column in read.columns]
    return [[plain(name) for name in read.schema.names], *zip(*columns, strict=True)]


def _lines(path: Path, form: ShownForm) -> Iterator[list[str]]:
    """The lines of a CSV file."""
    plain = form.text_from
    try:
        with path.open("rb") as file:
            raw = gzip.GzipFile(fileobj=file) if form.ending == ".csv.gz" else file
            for line in csv.reader(io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")):
                yield [plain(each) for each in line]
    except (OSError, EOFError, UnicodeDecodeError, csv.Error):
        raise _unreadable(path) from None


def _line_grid(lines: Sequence[Sequence[str]], table: ShownTable) -> _Grid:
    return _split([list(each) for each in lines], len(crossed(table).heads), len(table.rows))


def _split(rows: Sequence[list[str]], heads: int, labels: int) -> _Grid:
    body = rows[heads:]
    return _Grid([row[labels:] for row in rows[:heads]], [row[:labels] for row in body], [row[labels:] for row in body])


def _sheet_rows(path: Path, number: int) -> Iterator[list[list[Cell]]]:
    """The rows of each sheet."""
    with workbook(path, ReleaseFault) as opened:
        if len(opened.sheets) != number:
            raise _unreadable(path)
        for sheet in opened.sheets:
            grid: SheetGrid | None = opened.grid(sheet)
            yield [] if grid is None else [row for _, row in grid.rows(blank=True)]


def _sheet_grid(rows: Sequence[Sequence[Cell]], table: ShownTable) -> _Grid:
    """The cells of a sheet, what stands in the first of merged ones written into each; figures end at a blank row."""
    shown = crossed(table)
    heads, labels = len(shown.heads), len(shown.corner)
    first = TITLE_ROWS + shown.head_rows
    body = list(takewhile(lambda row: any(each != "" for each in row[labels:]), rows[first:]))
    width = max(map(len, body), default=labels)
    texts = [
        [*map(_digits_of, row[:width]), *[""] * (width - len(row))] for row in (*rows[first - heads : first], *body)
    ]
    for row in texts[:heads]:
        for at in range(labels + 1, len(row)):
            row[at] = row[at] or row[at - 1]
    for above, row in zip(texts[heads:], texts[heads + 1 :], strict=False):
        for at in range(labels):
            row[at] = row[at] or above[at]
    return _split(texts, heads, labels)


def _digits_of(cell: Cell | Decimal) -> str:
    """A text as it is, a number without an exponent."""
    if isinstance(cell, str):
        return cell
    return f"{cell if isinstance(cell, Decimal) else Decimal(text_of(cell)):f}"


def _page_grids(path: Path, tables: Sequence[ShownTable]) -> Iterator[_Grid]:
    try:
        page = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise _unreadable(path) from None
    parser = _Tables()
    parser.feed(page)
    parser.close()
    if len(parser.tables) != len(tables):
        raise _unreadable(path)
    for rows, table in zip(parser.tables, tables, strict=True):
        heads = len(crossed(table).heads)
        yield _split(list(_expanded(rows))[bool(table.columns) :], heads, len(table.rows))


@dataclass(slots=True)
class _PageCell:
    rows: int
    columns: int
    text: str = ""


class _Tables(HTMLParser):
    """The tables of a page that `shown_page` wrote: the cells of each row."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[list[list[_PageCell]]] = []
        self._is_in_cell = False

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        """A table, a row or a cell begins."""
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("th", "td"):
            said: Mapping[str, str | None] = dict(attrs)
            self.tables[-1][-1].append(_PageCell(int(said.get("rowspan") or 1), int(said.get("colspan") or 1)))
            self._is_in_cell = True

    def handle_endtag(self, tag: str) -> None:
        """A cell ends."""
        if tag in ("th", "td"):
            self._is_in_cell = False

    def handle_data(self, data: str) -> None:
        """The text of a cell; any other is left out."""
        if self._is_in_cell:
            self.tables[-1][-1][-1].text += data


def _expanded(rows: Sequence[Sequence[_PageCell]]) -> Iterator[list[str]]:
    """The rows with the text of each cell wherever it spans."""
    going_on: dict[int, _PageCell] = {}
    for row in rows:
        texts: list[str] = []
        waiting = iter(row)
        while True:
            above = going_on.pop(len(texts), None)
            cell = above or next(waiting, None)
            if cell is None:
                break
            for _ in range(1 if above else cell.columns):
                if cell.rows > 1:
                    going_on[len(texts)] = _PageCell(cell.rows - 1, 1, cell.text)
                texts.append(cell.text)
        yield texts


def _mismatch(where: Path | str, table: ShownTable, what: str) -> ReleaseMismatch:
    return ReleaseMismatch(
        f"the table {quoted(table.name)} is not what was to be written: {what}",
        where=str(where),
        next_step="Nothing was released. Run the request again; if it happens again, report it.",
    )


def _unreadable(path: Path) -> ReleaseFault:
    return ReleaseFault(
        "the tables cannot be read", where=str(path), next_step="The file was moved, deleted or damaged."
    )
