"""The sheets of a workbook and the rows of one, through python-calamine, which this module alone imports."""

from __future__ import annotations

import html
import re
import zipfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from posixpath import normpath
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree
from xml.etree.ElementTree import ParseError

from ordermade.errors import OrdermadeError, quoted
from ordermade.files.workbook_cells import Cell, address, column_of
from ordermade.files.workbook_endings import ENDINGS, ending_of

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

_BLOCK = 1 << 20
_LONGEST = 64 * _BLOCK
"""No cell is so long: what has none in so many bytes is looked through as it stands."""
_MAX_LISTED = 3
_STARTS = (b"<row ", b":row ", b"<c ", b":c ", b"<table:table-row")
_ADDRESS = re.compile(rb'\br="([A-Z]{1,3}[0-9]{1,7})"')
_ERROR = re.compile(rb'<(?:\w+:)?c\s([^>]*\bt="e"[^>]*)>')
_NOT_CALCULATED = re.compile(
    rb"<(?:\w+:)?c\s([^>]*[^/>])><(?:\w+:)?f(?:\s[^>]*)?(?:/>|>[^<]*</(?:\w+:)?f>)"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?</(?:\w+:)?c>"
)
_DIMENSION = re.compile(rb'<(?:\w+:)?dimension\s+ref="([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})"')
_IS_TEXT = re.compile(rb'\bt="str"')
_ODS = re.compile(
    rb'<table:table\s[^>]*\btable:name="([^"]*)"|(\bcalcext:value-type="error")|(<table:covered-table-cell\b)'
)


@dataclass(frozen=True, slots=True)
class Marks:
    """Cells of one sheet, by address or, where the file gives none, only by their number.

    `errors` hold an error instead of a value, `formulas` were never calculated; `covered` lie under a merged cell.
    `area`: the cells between the first and the last, by the sheet's own note; 0 where it has none.
    """

    errors: int = 0
    first_errors: tuple[str, ...] = ()
    formulas: int = 0
    first_formulas: tuple[str, ...] = ()
    covered: int = 0
    area: int = 0


def marks_of(path: Path) -> dict[str, Marks]:
    """The marks of each sheet of a workbook, by its name. Raises OSError, KeyError, zipfile.BadZipFile, ParseError."""
    with zipfile.ZipFile(path) as packed:
        if path.suffix.lower() == ".ods":
            return _of_ods(packed)
        return {name: _of_sheet(packed, part) for name, part in _parts(packed).items()}


def _parts(packed: zipfile.ZipFile) -> dict[str, str]:
    """The part of each sheet by its name."""
    workbook = _main_part(packed)
    folder, _, name = workbook.rpartition("/")
    relations = _relations(packed, f"{folder}/_rels/{name}.rels" if folder else f"_rels/{name}.rels")
    found = {}
    for each in ElementTree.fromstring(packed.read(workbook)).iter():
        if _tag(each) == "sheet":
            key = next((value for key, value in each.attrib.items() if key.endswith("}id")), "")
            kind, target = relations.get(key, ("", ""))
            part = target.lstrip("/") if target.startswith("/") else normpath(f"{folder}/{target}")
            if kind == "worksheet" and part in packed.namelist():
                found[each.attrib["name"]] = part
    return found


def _main_part(packed: zipfile.ZipFile) -> str:
    relations = _relations(packed, "_rels/.rels")
    target = next((target for kind, target in relations.values() if kind == "officeDocument"), "xl/workbook.xml")
    return target.lstrip("/")


def _relations(packed: zipfile.ZipFile, part: str) -> dict[str, tuple[str, str]]:
    """The kind and the target of each relation, by its key."""
    root = ElementTree.fromstring(packed.read(part))
    return {
        each.attrib["Id"]: (each.attrib["Type"].rpartition("/")[2], each.attrib["Target"])
        for each in root
        if {"Id", "Type", "Target"} <= each.attrib.keys()
    }


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _of_sheet(packed: zipfile.ZipFile, part: str) -> Marks:
    errors = formulas = area = 0
    first_errors: list[str] = []
    first_formulas: list[str] = []
    for number, block in enumerate(_blocks(packed, part)):
        noted = None if number else _DIMENSION.search(block)
        if noted is not None:
            area = _area(noted)
        if b't="e"' in block:
            for found in _ERROR.finditer(block):
                errors += 1
                _note(found[1], first_errors)
        if b"<f" in block or b":f" in block:
            for found in _NOT_CALCULATED.finditer(block):
                if not _IS_TEXT.search(found[1]):  # a formula whose result is the empty text
                    formulas += 1
                    _note(found[1], first_formulas)
    return Marks(errors, tuple(first_errors), formulas, tuple(first_formulas), area=area)


def _area(dimension: re.Match[bytes]) -> int:
    left, top, right, bottom = dimension.groups()
    return (column_of(right) - column_of(left) + 1) * (int(bottom) - int(top) + 1)


def _note(attributes: bytes, listed: list[str]) -> None:
    address = _ADDRESS.search(attributes)
    if address is not None and len(listed) < _MAX_LISTED:
        listed.append(address[1].decode())


def _of_ods(packed: zipfile.ZipFile) -> dict[str, Marks]:
    found: dict[str, list[int]] = {}
    counts = [0, 0]
    for block in _blocks(packed, "content.xml"):
        for each in _ODS.finditer(block):
            if each[1] is not None:
                counts = found.setdefault(html.unescape(each[1].decode("utf-8", "replace")), [0, 0])
            elif each[2] is not None:
                counts[0] += 1
            else:
                counts[1] += 1
    return {name: Marks(errors=errors, covered=covered) for name, (errors, covered) in found.items()}


def _blocks(packed: zipfile.ZipFile, part: str) -> Iterator[bytes]:
    """The bytes of a part in blocks that end before the last row, or the last cell, that may not be whole."""
    with packed.open(part) as file:
        kept = b""
        while block := file.read(_BLOCK):
            text = kept + block
            end = text.rfind(b"<", 0, max(map(text.rfind, _STARTS)) + 1)
            if end <= 0 and len(text) < _LONGEST:
                kept = text
                continue
            yield text[:end]
            kept = text[end:]
        yield kept


MAX_CELLS = 100_000_000
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
class SheetGrid:
    """The cells of a sheet that has some: `first_column` is the number of the leftmost, from 1.

    `skipped`: the numbers of rows that are no part of it.
    Its rows are all as wide. Whatever a table may not hold is refused by `require_plain`, by address.
    """

    sheet: Sheet
    first_column: int
    last_row: int
    where: str
    fault: type[OrdermadeError]
    marks: Marks
    _cells: CalamineSheet
    skipped: frozenset[int] = frozenset()

    def without(self, rows: Collection[int]) -> SheetGrid:
        """The same sheet without the rows of these numbers."""
        return replace(self, skipped=self.skipped | frozenset(rows))

    def rows(self, *, blank: bool = False) -> Iterator[tuple[int, list[Cell]]]:
        """Each row that has a value, by its number from 1; from the first such row on, every row where `blank`."""
        is_inside = False
        for number, row in enumerate(self._cells.iter_rows(), start=1):
            if number in self.skipped:
                continue
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

    @property
    def merged(self) -> Sequence[tuple[tuple[int, int], tuple[int, int]]]:
        """The areas of merged cells: their first and last row and column, from 0."""
        return self._cells.merged_cell_ranges or ()

    def require_values(self) -> None:
        """Raises the fault where a cell holds an error, or was never calculated."""
        marks = self.marks
        if marks.errors:
            raise self._refused(marks.errors, "an error instead of a value", marks.first_errors, _ERRORS)
        if marks.formulas:
            what = "a formula that was never calculated"
            raise self._refused(marks.formulas, what, marks.first_formulas, _CALCULATE)

    def require_plain(self) -> None:
        """Raises the fault where a cell holds an error, was never calculated, or lies under a merged cell."""
        self.require_values()
        marks = self.marks
        if marks.covered:
            raise self.fault(f"{marks.covered:,} cells are merged into others", where=self.where, next_step=_MERGED)
        merged = self.merged
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
class OpenWorkbook:
    """An open workbook; `sheets` in its order, those of cells alone: charts and macros are none."""

    path: Path
    sheets: tuple[Sheet, ...]
    fault: type[OrdermadeError]
    _marks: dict[str, Marks]
    _opened: CalamineWorkbook

    def grid(self, sheet: Sheet) -> SheetGrid | None:
        """The cells of a sheet; None where it has no value. Raises the fault where it cannot be read."""
        where = f"{self.path}, sheet {quoted(sheet.name)}"
        marks = self._marks.get(sheet.name, Marks())
        if marks.area > MAX_CELLS:
            raise self.fault(
                f"the sheet spans {marks.area:,} cells, more than the {MAX_CELLS:,} that are read",
                where=where,
                next_step="Delete what stands far from the table, rows and columns whole, and save the workbook.",
            )
        with _damage(self.path, self.fault):
            cells = self._opened.get_sheet_by_name(sheet.name)
        start, end = cells.start, cells.end
        if start is None or end is None:
            return None
        return SheetGrid(sheet, start[1] + 1, end[0] + 1, where, self.fault, marks, cells)


@contextmanager
def workbook(path: Path, fault: type[OrdermadeError]) -> Iterator[OpenWorkbook]:
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
        yield OpenWorkbook(path, sheets, fault, marks, opened)


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
    calamine = _calamine(path, fault)
    step = "Open it in a spreadsheet program and save it as .xlsx."
    try:
        yield
    except calamine.PasswordError:
        raise fault("the workbook is encrypted", where=str(path), next_step="Save it without a password.") from None
    except (calamine.CalamineError, OSError, KeyError, zipfile.BadZipFile, ParseError, RuntimeError, ValueError):
        raise fault("the file is damaged, or no workbook", where=str(path), next_step=step) from None
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # calamine's own, which is no Exception
            raise
        raise fault("the file is damaged, or no workbook", where=str(path), next_step=step) from None
