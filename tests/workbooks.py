"""Workbooks for tests: `.xlsx` by XlsxWriter, cell by cell with the types of Python, and a small `.ods` by hand."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import xlsxwriter

SHOWN = {date: "yyyy-mm-dd", datetime: "yyyy-mm-dd hh:mm:ss", time: "hh:mm:ss", timedelta: "[h]:mm:ss"}


class Formula(str):
    """A formula; `result` is its value as it was last calculated."""

    result: Any = 0

    @classmethod
    def of(cls, text: str, result: Any) -> Formula:
        made = cls(text)
        made.result = result
        return made


def write_workbook(
    path: Path, sheets: Mapping[str, Iterable[Sequence[Any]]], *, hidden: Sequence[str] = (), **options: Any
) -> Path:
    """The sheets as a workbook, None and empty texts as empty cells; `options` are XlsxWriter's."""
    with xlsxwriter.Workbook(str(path), options) as book:
        formats = {kind: book.add_format({"num_format": shown}) for kind, shown in SHOWN.items()}
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            if name in hidden:
                sheet.hide()
            for row, cells in enumerate(rows):
                for column, cell in enumerate(cells):
                    _write(sheet, row, column, cell, formats)
    return path


def _write(sheet: Any, row: int, column: int, cell: Any, formats: Mapping[type, Any]) -> None:
    if isinstance(cell, Formula):
        sheet.write_formula(row, column, str(cell), None, cell.result)
    elif isinstance(cell, bool):
        sheet.write_boolean(row, column, cell)
    elif isinstance(cell, str):
        sheet.write_string(row, column, cell)
    elif type(cell) in formats:
        sheet.write_datetime(row, column, cell, formats[type(cell)])
    elif cell is not None:
        sheet.write_number(row, column, float(cell))


_NAMES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"'
    for short, long in (("office", "office"), ("table", "table"), ("text", "text"))
)
_KIND = "application/vnd.oasis.opendocument.spreadsheet"


def write_ods(path: Path, sheets: Mapping[str, Iterable[Sequence[Any]]]) -> Path:
    """The sheets as an OpenDocument spreadsheet; a text that begins with `<` is the XML of a cell."""
    tables = "".join(
        f'<table:table table:name="{escape(name, {chr(34): "&quot;"})}">'
        + "".join(f"<table:table-row>{''.join(map(_cell, cells))}</table:table-row>" for cells in rows)
        + "</table:table>"
        for name, rows in sheets.items()
    )
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {_NAMES} '
        'xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0" office:version="1.2">'
        f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"
    )
    manifest = (
        '<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{_KIND}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>'
    )
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("mimetype", _KIND)
        packed.writestr("content.xml", content, zipfile.ZIP_DEFLATED)
        packed.writestr("META-INF/manifest.xml", manifest)
    return path


def _cell(cell: Any) -> str:
    if cell is None or cell == "":
        return "<table:table-cell/>"
    if isinstance(cell, str) and cell.startswith("<"):
        return cell
    kind, value = "string", None
    if isinstance(cell, bool):
        kind, value = "boolean", f'office:boolean-value="{str(cell).lower()}"'
    elif isinstance(cell, (int, float)):
        kind, value = "float", f'office:value="{cell}"'
    elif isinstance(cell, (date, datetime)):
        kind, value = "date", f'office:date-value="{cell.isoformat()}"'
    elif isinstance(cell, time):
        kind, value = "time", f'office:time-value="PT{cell.hour:02d}H{cell.minute:02d}M{cell.second:02d}S"'
    return (
        f'<table:table-cell office:value-type="{kind}" {value or ""}>'
        f"<text:p>{escape(str(cell))}</text:p></table:table-cell>"
    )
