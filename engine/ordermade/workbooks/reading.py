"""The sheets of a workbook and the rows of one, through python-calamine, which this module alone imports."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import ParseError

from ordermade.errors import OrdermadeError, quoted
from ordermade.workbooks.cells import Cell, address
from ordermade.workbooks.endings import ENDINGS, ending_of
from ordermade.workbooks.marks import Marks, marks_of

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

MOST_CELLS = 100_000_000
"""The cells of a sheet are in memory while it is read, empty ones, too."""
_OLE = bytes.fromhex("d0cf11e0a1b11ae1")
"""The first bytes of an encrypted workbook of Excel, and of one of before 2007."""
_AT_ONCE = 8_192
_MERGED = "Undo the merging, and write the value into each of the cells."
_CALCULATE = "Open the workbook in a spreadsheet program, which calculates it, and save it."


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet of a workbook by its name; `is_hidden`: a spreadsheet program does not show it."""

    name: str
    is_hidden: bool


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a sheet that has some: `first_column` is the number of the leftmost, from 1.

    Its rows are all as wide. Whatever a table may not hold is refused by `require_plain`, by address.
    """

    sheet: Sheet
    first_column: int
    last_row: int
    where: str
    fault: type[OrdermadeError]
    marks: Marks
    _cells: CalamineSheet

    def rows(self, *, blank: bool = False) -> Iterator[tuple[int, list[Cell]]]:
        """Each row that has a value, by its number from 1; from the first such row on, every row where `blank`."""
        is_inside = False
        for number, row in enumerate(self._cells.iter_rows(), start=1):
            if row.count("") != len(row):
                is_inside = True
                yield number, row
            elif blank and is_inside:
                yield number, row

    def batches(self, *, skip: int = 0, blank: bool = False) -> Iterator[list[list[Cell]]]:
        """The rows without their numbers, several thousand at a time, without the first `skip`."""
        rows = (row for _, row in islice(self.rows(blank=blank), skip, None))
        while batch := list(islice(rows, _AT_ONCE)):
            yield batch

    def require_plain(self) -> None:
        """Raises the fault where a cell holds an error, was never calculated, or lies under a merged cell."""
        marks = self.marks
        if marks.errors:
            raise self._refused(marks.errors, "an error instead of a value", marks.first_errors, _ERRORS)
        if marks.formulas:
            what = "a formula that was never calculated"
            raise self._refused(marks.formulas, what, marks.first_formulas, _CALCULATE)
        if marks.covered:
            raise self.fault(f"{marks.covered:,} cells are merged into others", where=self.where, next_step=_MERGED)
        merged = self._cells.merged_cell_ranges or ()
        if merged:
            (top, left), (bottom, right) = merged[0]
            area = f"{address(top + 1, left + 1)}:{address(bottom + 1, right + 1)}"
            more = f", and {len(merged) - 1:,} more areas" if merged[1:] else ""
            raise self.fault(f"the cells {area} are merged{more}", where=self.where, next_step=_MERGED)

    def _refused(self, number: int, holds: str, listed: Sequence[str], step: str) -> OrdermadeError:
        named = f" ({', '.join(listed)}{', …' if number > len(listed) else ''})" if listed else ""
        what = f"a cell holds {holds}{named}" if number == 1 else f"{number:,} cells hold {holds}{named}"
        return self.fault(what, where=self.where, next_step=step)


_ERRORS = "Correct #N/A, #DIV/0! and the like, or empty the cell, and save the workbook."


@dataclass(frozen=True, slots=True)
class Workbook:
    """An open workbook; `sheets` in its order, those of cells alone: charts and macros are none."""

    path: Path
    sheets: tuple[Sheet, ...]
    fault: type[OrdermadeError]
    _marks: dict[str, Marks]
    _opened: CalamineWorkbook

    def grid(self, sheet: Sheet) -> Grid | None:
        """The cells of a sheet; None where it has no value. Raises the fault where it cannot be read."""
        where = f"{self.path}, sheet {quoted(sheet.name)}"
        marks = self._marks.get(sheet.name, Marks())
        if marks.area > MOST_CELLS:
            raise self.fault(
                f"the sheet spans {marks.area:,} cells, more than the {MOST_CELLS:,} that are read",
                where=where,
                next_step="Delete what stands far from the table, rows and columns whole, and save the workbook.",
            )
        with _damage(self.path, self.fault):
            cells = self._opened.get_sheet_by_name(sheet.name)
        start, end = cells.start, cells.end
        if start is None or end is None:
            return None
        return Grid(sheet, start[1] + 1, end[0] + 1, where, self.fault, marks, cells)


@contextmanager
def workbook(path: Path, fault: type[OrdermadeError]) -> Iterator[Workbook]:
    """The workbook at `path`, open.

    Raises `fault` where python-calamine is not installed, or the file is missing, encrypted, damaged or no workbook.
    """
    calamine = _calamine(path, fault)
    _require_workbook(path, fault)
    with _damage(path, fault):
        opened = calamine.CalamineWorkbook.from_path(path)
        marks = marks_of(path)
    with opened:
        kinds = calamine.SheetTypeEnum.WorkSheet, calamine.SheetVisibleEnum.Visible
        sheets = tuple(
            Sheet(each.name, each.visible != kinds[1]) for each in opened.sheets_metadata if each.typ == kinds[0]
        )
        yield Workbook(path, sheets, fault, marks, opened)


def _calamine(path: Path, fault: type[OrdermadeError]) -> Any:
    try:
        import python_calamine
    except ImportError:
        raise fault(
            "python-calamine is not installed, which reads workbooks",
            where=str(path),
            next_step="Install it: pip install 'ordermade[excel]'.",
        ) from None
    return python_calamine


def _require_workbook(path: Path, fault: type[OrdermadeError]) -> None:
    ending = ending_of(path)
    if ending not in ENDINGS:
        raise fault(
            f"{ending} workbooks are not read: nothing in them shows which cells hold errors",
            where=str(path),
            next_step="Save it as .xlsx.",
        )
    try:
        with path.open("rb") as file:
            head = file.read(len(_OLE))
    except OSError as error:
        raise fault(
            f"the file cannot be read ({error.strerror or type(error).__name__})",
            where=str(path),
            next_step="Check the path.",
        ) from None
    if head == _OLE:
        raise fault(
            "the workbook is encrypted, or of the form of before 2007",
            where=str(path),
            next_step="Save it as .xlsx without a password.",
        )
    if not zipfile.is_zipfile(path):
        what = "the file is empty" if not head else "the file is damaged, or no workbook"
        raise fault(what, where=str(path), next_step="Give a workbook saved as .xlsx or .ods.")


@contextmanager
def _damage(path: Path, fault: type[OrdermadeError]) -> Iterator[None]:
    """Around what reads the file: its failures become the fault; none of their words is passed on."""
    from python_calamine import CalamineError, PasswordError

    step = "Open it in a spreadsheet program and save it as .xlsx."
    try:
        yield
    except PasswordError:
        raise fault("the workbook is encrypted", where=str(path), next_step="Save it without a password.") from None
    except (CalamineError, OSError, KeyError, zipfile.BadZipFile, ParseError, RuntimeError, ValueError):
        raise fault("the file is damaged, or no workbook", where=str(path), next_step=step) from None
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # calamine's own, which is no Exception
            raise
        raise fault("the file is damaged, or no workbook", where=str(path), next_step=step) from None
