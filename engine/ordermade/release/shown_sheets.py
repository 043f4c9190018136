"""Shown tables as the sheets of a workbook: long rows, or cross-tabulated under merged heads that stay in view."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordermade.errors import InputError, quoted
from ordermade.records.inert import width
from ordermade.release.workbooks import (
    LONGEST_TEXT,
    MAX_COLUMNS,
    MAX_ROWS,
    ExactNumber,
    left_out,
    new_workbook,
    write_text,
)
from ordermade.requests.table_options import Layout
from ordermade.tables.layouts import CrossedTable, Head, Lines, crossed, long_rows
from ordermade.tables.shown import Mark, ShownTable, distinct
from ordermade.tables.shown_words import NO_FIGURE, Words

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

TITLE_ROWS = 1
"""The rows above the heads of a cross-tabulated table."""
MOST_DIGITS = 15
_LONGEST_NAME = 31
_RESERVED = "history"
_NOT_IN_NAMES = str.maketrans(dict.fromkeys("[]:*?/\\", "_"))
_UNKNOWN = ("\ufffe", "\uffff")
_NARROWEST, _WIDEST_LABEL, _WIDEST_FIGURE = 8.0, 40.0, 18.0
_A4 = 9
_DEEPEST = 15
_FONTS = {"ja": "Yu Gothic"}


def require_sheets_fit(tables: Sequence[ShownTable], where: str, layout: Layout) -> None:
    """Raises InputError where a sheet cannot hold a table: its rows, columns, texts or digits."""
    for table in tables:
        down, across = (prod(len(each.codes) for each in axes) for axes in (table.rows, table.columns))
        rows, columns = (down, across) if layout == "crossed" else (table.size, 1)
        if rows > MAX_ROWS - 10 or columns * len(table.measures) > MAX_COLUMNS - 10:
            raise _refused(table, f"has {rows:,} rows and {columns:,} columns, more than a sheet holds", where)
        texts = [table.name, table.mark, *(each.name for each in table.measures)]
        texts += [text for axis in table.axes for text in (axis.name, *axis.labels)]
        if any(len(each.encode("utf-16-le")) // 2 > LONGEST_TEXT for each in texts):
            raise _refused(table, f"has a label of more than {LONGEST_TEXT:,} characters, the most of a cell", where)
        if any(character in each for each in texts for character in _UNKNOWN):
            raise _refused(table, "has a label with a character that no workbook holds (U+FFFE, U+FFFF)", where)
        figures = (each for measure in table.measures for each in measure.values.values())
        if any(each is not None and Decimal(repr(float(each))) != each for each in figures):
            raise _refused(table, f"has numbers of more than {MOST_DIGITS} digits, the most of a workbook", where)


def _refused(table: ShownTable, what: str, where: str) -> InputError:
    return InputError(f"the table {quoted(table.name)} {what}", where=where, next_step="Take a .csv or .parquet file.")


def write_sheets(path: Path, tables: Sequence[ShownTable], words: Words, layout: Layout) -> None:
    """Writes a workbook with a sheet a table as the file `path`. Raises ReleaseFault."""
    with new_workbook(path, **_options(words)) as book:
        for name, table in zip(sheet_names(tables, words), tables, strict=True):
            sheet = _Sheet(book, book.add_worksheet(name), path)
            if layout == "crossed":
                sheet.write_crossed(crossed(table), words)
            else:
                sheet.write_lines(long_rows([table], words))


def write_lines_sheet(path: Path, lines: Lines, words: Words) -> None:
    """Writes a workbook with one sheet of lines as the file `path`. Raises ReleaseFault."""
    with new_workbook(path, **_options(words)) as book:
        _Sheet(book, book.add_worksheet(words.table), path).write_lines(lines)


def _options(words: Words) -> dict[str, Any]:
    font = {"font_name": _FONTS[words.language]} if words.language in _FONTS else {}
    return {"default_format_properties": {**font, "font_size": 11}}


def sheet_names(tables: Sequence[ShownTable], words: Words) -> tuple[str, ...]:
    """The names of the sheets: those of the tables as far as a sheet may be called so, each once."""
    plain = (each.name.translate(_NOT_IN_NAMES).strip("' ") for each in tables)
    fitting = ("".join(c for c in each if c.isprintable() and ord(c) < 0x10000) for each in plain)
    names = [each if len(each) <= _LONGEST_NAME else each[: _LONGEST_NAME - 6].strip("' ") for each in fitting]
    named = [words.table if not each or each.casefold() == _RESERVED else each for each in names]
    return distinct(named, lambda at: named[at][: _LONGEST_NAME - 6].strip("' "), key=str.casefold)


class _Sheet:
    """A sheet that a table is written to; the path is that of its workbook, for errors."""

    def __init__(self, book: Workbook, sheet: Worksheet, path: Path) -> None:
        self._book, self._sheet, self._path = book, sheet, path
        self._formats: dict[tuple[tuple[str, Any], ...], Format] = {}
        self._widths: dict[int, float] = defaultdict(float)

    def write_lines(self, lines: Lines) -> None:
        """Heads, and the rows below."""
        for at, head in enumerate(lines.heads):
            self._text(0, at, head, bold=True, bottom=1)
        last = 0
        for last, row in enumerate(lines.rows, start=1):
            for at, cell in enumerate(row):
                if isinstance(cell, str):
                    if cell:
                        self._text(last, at, cell)
                elif cell is not None:
                    self._number(last, at, cell, lines.numbers[at])
        self._sheet.freeze_panes(1, 0)
        self._sheet.autofilter(0, 0, last, len(lines.heads) - 1)
        texts = (at for at in range(len(lines.heads)) if at not in lines.numbers)
        self._finish(dict.fromkeys(texts, _WIDEST_LABEL), last_row=last, columns=len(lines.heads), heads=(0, 0))

    def write_crossed(self, shown: CrossedTable, words: Words) -> None:
        """The title, heads over the figures, labels beside them, and what the marks mean."""
        labels = len(shown.corner)
        first = TITLE_ROWS + shown.head_rows
        self._text(0, 0, shown.title(words), measured=False, bold=True, font_size=13)
        for at, name in enumerate(shown.corner):
            self._merged((TITLE_ROWS, at), (first - 1, at), name, align="left", valign="bottom", **_HEAD)
        self._write_heads(shown, words, labels)
        found = self._write_rows(shown, first, labels)
        notes = [text.format(mark=mark) for mark, text in shown.marks_said(found, words)]
        last = first + prod(len(each.codes) for each in shown.table.rows)
        for at, note in enumerate(notes, start=last + 1):
            self._text(at, 0, note, measured=False, font_color="#555555")
        self._sheet.freeze_panes(first, labels)
        self._finish(
            dict.fromkeys(range(labels), _WIDEST_LABEL),
            last_row=last + len(notes),
            columns=labels + len(shown.measures),
            heads=(0, first - 1),
        )

    def _write_heads(self, shown: CrossedTable, words: Words, labels: int) -> None:
        if shown.table.columns:
            names = words.several.join(each.name for each in shown.table.columns)
            end = (TITLE_ROWS, labels + len(shown.measures) - 1)
            self._merged((TITLE_ROWS, labels), end, names, align="left", measured=False, **_HEAD)
        for row, heads in enumerate(shown.heads, start=TITLE_ROWS + bool(shown.table.columns)):
            at = labels
            align = "right" if row == TITLE_ROWS + shown.head_rows - 1 else "center"
            for head in heads:
                end = (row, at + head.span - 1)
                self._merged((row, at), end, head.text, align=align, measured=head.span == 1, **_HEAD)
                at += head.span

    def _write_rows(self, shown: CrossedTable, first: int, labels: int) -> set[Mark]:
        found: set[Mark] = set()
        for row, each in enumerate(shown.rows(), start=first):
            for at, head in enumerate(each.labels):
                if head is not None:
                    self._label(row, at, head)
            for at, (figure, measure) in enumerate(zip(each.figures, shown.measures, strict=True), start=labels):
                if isinstance(figure, Mark):
                    found.add(figure)
                    text = shown.table.mark if figure is Mark.SUPPRESSED else NO_FIGURE
                    self._text(row, at, text, align="right", valign="top")
                else:
                    self._number(row, at, figure, measure.decimals)
        return found

    def _label(self, row: int, at: int, head: Head) -> None:
        form: dict[str, Any] = {"align": "left", "valign": "top", "text_wrap": True}
        if head.depth:
            form["indent"] = min(head.depth, _DEEPEST)
        if head.is_total:
            form["bold"] = True
        self._merged((row, at), (row + head.span - 1, at), head.text, extra=2.0 * head.depth, **form)

    def _merged(self, start: tuple[int, int], end: tuple[int, int], text: str, **form: Any) -> None:
        """A text over cells, which become one."""
        measured, extra = form.pop("measured", True), form.pop("extra", 0.0)
        if start != end and self._sheet.merge_range(*start, *end, "", self._format(form)):
            raise left_out(self._path)
        self._text(*start, text, measured=measured, extra=extra, **form)

    def _text(self, row: int, at: int, text: str, *, measured: bool = True, extra: float = 0.0, **form: Any) -> None:
        if write_text(self._sheet, row, at, text, self._format(form)):
            raise left_out(self._path)
        if measured:
            self._widths[at] = max(self._widths[at], extra + _width(text))

    def _number(self, row: int, at: int, number: Decimal | int, decimals: int) -> None:
        shown = "#,##0" + ("." + "0" * decimals if decimals else "")
        if self._sheet.write_number(row, at, ExactNumber(number), self._format({"num_format": shown, "valign": "top"})):
            raise left_out(self._path)
        self._widths[at] = max(self._widths[at], len(f"{number:,}"))

    def _format(self, form: Mapping[str, Any]) -> Format:
        key = tuple(sorted(form.items()))
        if key not in self._formats:
            self._formats[key] = self._book.add_format(dict(form))
        return self._formats[key]

    def _finish(self, widest: Mapping[int, float], *, last_row: int, columns: int, heads: tuple[int, int]) -> None:
        """Widths of the columns, no warnings at texts of digits, and a page that is as wide as paper."""
        for at, wide in self._widths.items():
            self._sheet.set_column(at, at, min(max(wide + 2, _NARROWEST), widest.get(at, _WIDEST_FIGURE)))
        self._sheet.ignore_errors({"number_stored_as_text": f"A1:XFD{last_row + 1}"})
        self._sheet.set_paper(_A4)
        if columns > 7:
            self._sheet.set_landscape()
        self._sheet.fit_to_pages(1, 0)
        self._sheet.repeat_rows(*heads)


@lru_cache(4096)
def _width(text: str) -> float:
    """The width of the widest line of a label, which many cells have."""
    return max(map(width, text.splitlines()), default=0.0)


_HEAD: Mapping[str, Any] = {"bold": True, "bottom": 1, "text_wrap": True}
