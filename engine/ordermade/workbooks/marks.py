"""What the XML of a sheet says of its cells beyond their values: errors, formulas never calculated, merged cells.

python-calamine gives an error such as `#N/A`, and a formula that no program has calculated yet, as an empty cell. A
table with such a cell would lose a value silently, so that the XML is looked through for them, in one pass of a few
patterns over blocks of bytes; nothing of a sheet is held.
"""

from __future__ import annotations

import html
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from posixpath import normpath
from xml.etree import ElementTree

from ordermade.workbooks.cells import column_of

_BLOCK = 1 << 20
_LONGEST = 64 * _BLOCK
"""No cell is so long: what has none in so many bytes is looked through as it stands."""
_MOST_LISTED = 3
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
    if address is not None and len(listed) < _MOST_LISTED:
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
