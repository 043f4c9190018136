"""A release as an `.xlsx` workbook: written by XlsxWriter, read by python-calamine.

Numbers, truth values, days, moments and times are cells of their own types; all else is text, and no text becomes a
formula, a link or a number. The same rows are the same bytes. A workbook tells no empty text from an empty cell, no
digit of a number beyond the fifteenth and no microsecond, so a release with one is refused before it is written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, ReleaseFault, quoted
from ordermade.files.private import new_private_file
from ordermade.files.workbooks import SheetGrid, workbook
from ordermade.hierarchies.column_types import plain
from ordermade.sources.executor import BATCH, Executor, Purpose
from ordermade.sources.sheet_format import read_sheet, read_texts

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

ENDING = ".xlsx"
MAX_ROWS = 1_048_575
"""Excel has 1,048,576 rows; one holds the names of columns."""
MAX_COLUMNS = 16_384
LONGEST_TEXT = 32_767
"""The most UTF-16 units that a cell holds."""
SHEET = "release"
CREATED = datetime(2000, 1, 1)
_OTHERWISE = "Release to a .csv or .parquet file"


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of cells: the places in `release/files/unfit` of what it cannot hold, and the format of Excel, if any."""

    unfit: Mapping[int, str]
    shown: str | None = None


_BLANK = 1
_TEXT = _Kind(
    {
        2: "has empty texts, which a workbook does not tell from empty cells",
        3: f"has texts of more than {LONGEST_TEXT:,} characters, the most that a cell holds",
        4: "has texts with a character that no workbook holds (U+FFFE, U+FFFF)",
    }
)
_EXACT = _Kind({5: "has numbers of more than 15 digits, the most that a workbook holds"})
_FLOATING = _Kind({6: "has numbers that are not finite, which a workbook does not hold"})
_TRUTH = _Kind({})
_DAY = _Kind({7: "has days before 1900 or after 9999, which a workbook does not hold"}, "yyyy-mm-dd")
_MOMENT = _Kind(
    {8: "has moments before 1900, after 9999 or finer than a millisecond, which a workbook does not hold"},
    "yyyy-mm-dd hh:mm:ss",
)
_TIME = _Kind({9: "has times finer than a millisecond, which a workbook does not hold"}, "hh:mm:ss")
_KINDS: Mapping[str, _Kind] = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "DECIMAL"), _EXACT),
    **dict.fromkeys(("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"), _EXACT),
    **dict.fromkeys(("FLOAT", "DOUBLE"), _FLOATING),
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS"), _MOMENT),
    "BOOLEAN": _TRUTH,
    "DATE": _DAY,
    "TIME": _TIME,
}


def require_installed(where: str) -> None:
    """Raises ReleaseFault where the packages that write and read workbooks are not installed."""
    for module, package in (("python_calamine", "python-calamine"), ("xlsxwriter", "XlsxWriter")):
        if find_spec(module) is None:
            raise ReleaseFault(
                f"{package} is not installed, which a release to a workbook needs",
                where=where,
                next_step="Install it: pip install 'ordermade[excel]'.",
            )


def require_fits(executor: Executor, query: exp.Query, where: str) -> None:
    """Raises InputError where the answer of a query has more rows than a sheet, or a value that a cell cannot hold."""
    columns = executor.typed(Purpose.CATALOG, query)
    rows, blank, *unfit = executor.rows(Purpose.STORE, unfit_statement(query, columns))[0]
    if rows > MAX_ROWS or len(columns) > MAX_COLUMNS:
        what = f"the release has {rows:,} rows and {len(columns):,} columns, and a sheet holds {MAX_ROWS:,} rows"
        raise InputError(
            f"{what} below its names, and {MAX_COLUMNS:,} columns", where=where, next_step=f"{_OTHERWISE}."
        )
    if blank:
        raise InputError(
            "a row of the release has no value, which a workbook does not tell from no row",
            where=where,
            next_step=f"{_OTHERWISE}.",
        )
    found = iter(unfit)
    for name, kind in columns:
        for what in _kind(kind).unfit.values():
            if next(found):
                step = f"{_OTHERWISE}, or change the column in a dataset query (CAST, NULLIF, DATE_TRUNC)."
                raise InputError(f"the column {quoted(name)} {what}", where=where, next_step=step)


def unfit_statement(query: exp.Query, columns: Sequence[tuple[str, str]]) -> exp.Select:
    """The statement that counts what a workbook cannot hold: rows, rows without a value, then column by column."""
    tree = sql.select("release/files/unfit")
    figures = tree.expressions
    blank = figures[_BLANK]
    empty = cast("exp.If", blank.find(exp.If))
    each_empty = [sql.with_columns(empty.this.copy(), {"released.value": name}) for name, _ in columns]
    empty.set("this", exp.and_(*each_empty, copy=False))
    counts = [
        sql.with_columns(figures[place].unalias().copy(), {"released.value": name, "released.n": name})
        for name, kind in columns
        for place in _kind(kind).unfit
    ]
    numbered = [sql.named(each, f"unfit_{number}") for number, each in enumerate(counts)]
    tree.set("expressions", [figures[0], blank, *numbered])
    return sql.with_relations(tree, {"released": query})


def cells_statement(query: exp.Query, columns: Sequence[tuple[str, str]]) -> exp.Select:
    """The statement that gives the rows as the cells of a workbook; texts are those of a CSV file."""
    tree = sql.select("release/files/in_workbook")
    text, single = (each.unalias() for each in tree.expressions)
    cells = []
    for name, kind in columns:
        if plain(kind) == "FLOAT":
            cell = sql.with_columns(single.copy(), {"released.n": name})
        elif _kind(kind) is _TEXT:
            cell = sql.with_columns(text.copy(), {"released.value": name})
        else:
            cell = sql.column(name, "released")
        cells.append(sql.named(cell, name))
    tree.set("expressions", cells)
    return sql.with_relations(tree, {"released": query})


@contextmanager
def new_workbook(path: Path, **options: Any) -> Iterator[Workbook]:
    """A new workbook to be written as `path`, closed with the block; `options` are XlsxWriter's. Raises ReleaseFault.

    The same cells are the same bytes, whenever they are written.
    """
    import xlsxwriter

    # What does not fit into memory goes into the private folder of the file, as the file itself.
    book = xlsxwriter.Workbook(str(path), {"tmpdir": str(path.parent), **options})
    book.set_properties({"created": CREATED})
    try:
        yield book
        book.close()
    except (OSError, xlsxwriter.exceptions.XlsxWriterException) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise ReleaseFault(
            f"the release cannot be written ({reason})",
            where=str(path),
            next_step="Check that the folder is writable and has free space. Nothing was left half written.",
        ) from None


def write(executor: Executor, query: exp.Query, path: Path) -> None:
    """Writes the answer of a query as the file `path`, which exists and is empty. Raises ReleaseFault."""
    columns = executor.typed(Purpose.CATALOG, query)
    kinds = [_kind(kind) for _, kind in columns]
    with new_workbook(path, constant_memory=True, default_date_format=_DAY.shown) as book:
        sheet = book.add_worksheet(SHEET)
        sheet.freeze_panes(1, 0)
        sheet.ignore_errors({"number_stored_as_text": f"A1:XFD{MAX_ROWS + 1}"})
        formats = {kind.shown: book.add_format({"num_format": kind.shown}) for kind in (_DAY, _MOMENT, _TIME)}
        writers = [_writer(sheet, kind, formats.get(kind.shown)) for kind in kinds]
        for column, (name, _) in enumerate(columns):
            if write_text(sheet, 0, column, name):
                raise left_out(path)
        for row, cells in enumerate(_rows(executor, cells_statement(query, columns)), start=1):
            for column, (write_cell, cell) in enumerate(zip(writers, cells, strict=True)):
                if cell is not None and write_cell(row, column, cell):
                    raise left_out(path)


def left_out(path: Path) -> ReleaseFault:
    """XlsxWriter leaves out what does not fit, and says so by a number alone."""
    return ReleaseFault("a cell does not fit into a workbook", where=str(path), next_step=f"{_OTHERWISE}.")


def _rows(executor: Executor, query: exp.Query) -> Iterator[tuple[Any, ...]]:
    for batch in executor.batches(Purpose.RELEASE, query, BATCH):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


class ExactNumber(float):
    """A number written with all of its digits: XlsxWriter asks for sixteen, and a float64 may have seventeen."""

    __slots__ = ()

    def __format__(self, specification: str) -> str:
        return float.__repr__(self)


def _writer(sheet: Worksheet, kind: _Kind, shown: Format | None) -> Callable[[int, int, Any], object]:
    if kind is _TEXT:
        return lambda row, column, cell: write_text(sheet, row, column, cell)
    if kind is _TRUTH:
        return lambda row, column, cell: sheet.write_boolean(row, column, cell)
    if kind.shown is not None:
        return lambda row, column, cell: sheet.write_datetime(row, column, cell, shown)
    return lambda row, column, cell: sheet.write_number(row, column, ExactNumber(cell))


def write_text(sheet: Worksheet, row: int, column: int, text: str, form: Format | None = None) -> object:
    """Writes a cell that is a text, whatever it looks like; a number other than 0 where it does not fit."""
    if text.startswith("<r>") and text.endswith("</r>"):
        # XlsxWriter takes such a text for one that it has put into its own XML already; in parts it is a text.
        return sheet.write_rich_string(row, column, text[:1], text[1:2], text[2:], *([] if form is None else [form]))
    return sheet.write_string(row, column, text, form)


def _kind(column_type: str) -> _Kind:
    return _KINDS.get(plain(column_type), _TEXT)


def read_back(path: Path, folder: Path) -> Path:
    """A Parquet file in the private `folder` with the cells of a written release, all as texts. Raises ReleaseFault."""
    return _loaded(path, folder, lambda grid, loaded: read_texts(grid, loaded))


def read_typed(path: Path, folder: Path) -> Path:
    """The same with a type a column. Raises ReleaseFault."""
    return _loaded(path, folder, lambda grid, loaded: read_sheet(grid, loaded, header=True))


def _loaded(path: Path, folder: Path, load: Callable[[SheetGrid, Path], object]) -> Path:
    with workbook(path, ReleaseFault) as opened:
        grids = [grid for grid in map(opened.grid, opened.sheets) if grid is not None]
        if len(grids) != 1:
            raise ReleaseFault(
                f"a released workbook has one sheet with values, and this one has {len(grids):,}",
                where=str(path),
                next_step="It was changed after its release; run the request again.",
            )
        loaded = folder / "release.parquet"
        os.close(new_private_file(loaded))
        load(grids[0], loaded)
    return loaded


class WorkbookFormat:
    """`.xlsx` workbooks."""

    def require_installed(self, where: str) -> None:
        """XlsxWriter and python-calamine are needed."""
        require_installed(where)

    def require_fits(self, executor: Executor, query: exp.Query, where: str) -> None:
        """A sheet has so many rows, a cell so many characters and digits."""
        require_fits(executor, query, where)

    def write(self, executor: Executor, query: exp.Query, path: Path) -> None:
        """Writes one sheet."""
        write(executor, query, path)

    def readable(self, path: Path, folder: Path) -> Path:
        """A Parquet file of its cells, as texts."""
        return read_back(path, folder)

    def typed(self, path: Path, folder: Path) -> Path:
        """A Parquet file with a type a column."""
        return read_typed(path, folder)
