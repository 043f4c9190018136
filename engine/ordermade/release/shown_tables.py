"""Shown tables as files: CSV and Parquet of long rows, workbooks and pages, and what fits into each.

A function that writes gets the path of an existing empty file, as a format of released files does, and gives the same
bytes for the same tables.
"""

from __future__ import annotations

import contextlib
import gzip
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.errors import InputError
from ordermade.release.files import MARK as BYTE_ORDER_MARK
from ordermade.release.files import cannot_write
from ordermade.release.rows import escaped, unescaped
from ordermade.release.shown_page import page_of
from ordermade.release.shown_sheets import require_sheets_fit, write_sheets
from ordermade.release.workbooks import require_installed
from ordermade.sources.executor import arrow
from ordermade.tables.layouts import CrossedTable, Layout, LongCell, crossed, long_rows
from ordermade.tables.shown import Figure, Mark, ShownTable
from ordermade.tables.shown_words import ENGLISH, NO_FIGURE, Words

if TYPE_CHECKING:
    import pyarrow as pa

LAYOUTS: dict[str, tuple[Layout, ...]] = {
    ".csv": ("long", "crossed"),
    ".csv.gz": ("long", "crossed"),
    ".parquet": ("long",),
    ".xlsx": ("long", "crossed"),
    ".html": ("crossed",),
}
"""The layouts that a file of each ending can have, the usual one first."""
LONGEST_LABEL = 100_000
"""The most characters of a label; readers of CSV files refuse longer ones."""
MOST_DIGITS = 38
"""The digits of a number in a Parquet file."""
_CSV = (".csv", ".csv.gz")
_AT_ONCE = 50_000
_BEYOND_INT64 = 2**63
_QUOTED = frozenset(',"\r\n')


@dataclass(frozen=True, slots=True)
class ShownForm:
    """The form of a file of shown tables: its ending, the language of its heads, its layout.

    Of CSV files, `has_mark`: with a byte order mark; `escapes_formulas`: with an apostrophe before labels that a
    spreadsheet would run as formulas.
    """

    ending: str
    words: Words = ENGLISH
    layout: Layout = "long"
    has_mark: bool = False
    escapes_formulas: bool = False

    @property
    def text_in(self) -> Callable[[str], str]:
        """Gives a label as the file has it."""
        return escaped if self.escapes_formulas and self.ending in _CSV else str

    @property
    def text_from(self) -> Callable[[str], str]:
        """Gives a label by what the file has: the inverse."""
        return unescaped if self.escapes_formulas and self.ending in _CSV else str


def require_shown(tables: Sequence[ShownTable], form: ShownForm, where: str) -> None:
    """Raises InputError where a file of this form cannot show the tables, ReleaseFault where a package is missing."""
    if form.layout not in LAYOUTS.get(form.ending, ()):
        allowed = [f"{ending} {layout}" for ending, layouts in LAYOUTS.items() for layout in layouts]
        raise InputError(
            f"a {form.ending} file has no {form.layout} tables", where=where, next_step=f"Take {', '.join(allowed)}."
        )
    texts = [text for table in tables for axis in table.axes for text in (axis.name, *axis.labels)]
    if any(len(each) > LONGEST_LABEL for each in texts):
        raise InputError(
            f"a label has more than {LONGEST_LABEL:,} characters",
            where=where,
            next_step="Give a hierarchy with shorter labels.",
        )
    if not tables or len({each.name for each in tables}) < len(tables):
        raise InputError(
            "there is no table, or two have one name", where=where, next_step="Give each table a name of its own."
        )
    if form.ending in _CSV and form.layout == "crossed" and len(tables) > 1:
        raise InputError(
            f"a CSV file has one cross-tabulated table, and there are {len(tables):,}",
            where=where,
            next_step="Take long rows, or a .xlsx or .html file.",
        )
    if form.ending == ".xlsx":
        require_installed(where)
        require_sheets_fit(tables, where, form.layout)


def write_shown(path: Path, tables: Sequence[ShownTable], form: ShownForm) -> None:
    """Writes the tables as the file `path`, which exists and is empty; `require_shown` is called first.

    Raises ReleaseFault where it cannot be written.
    """
    try:
        if form.ending == ".xlsx":
            write_sheets(path, tables, form.words, form.layout)
        elif form.ending == ".html":
            path.write_text(page_of(tables, form.words), encoding="utf-8", newline="")
        elif form.ending == ".parquet":
            _write_parquet(path, tables, form.words)
        elif form.layout == "crossed":
            write_lines(path, _crossed_lines(crossed(tables[0])), form)
        else:
            columns, rows = long_rows(tables, form.words)
            write_lines(path, chain([columns.heads], rows), form)
    except OSError as error:
        raise cannot_write(path, error) from None


def write_lines(path: Path, lines: Iterable[Sequence[LongCell]], form: ShownForm) -> None:
    """Writes lines of texts and numbers as the CSV file `path`, compressed as its ending says. Raises OSError."""
    with contextlib.ExitStack() as opened:
        raw = opened.enter_context(path.open("wb"))
        packed = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if form.ending == ".csv.gz" else None
        file = opened.enter_context(
            io.TextIOWrapper(opened.enter_context(packed) if packed else raw, encoding="utf-8", newline="")
        )
        file.write(BYTE_ORDER_MARK if form.has_mark else "")
        for line in lines:
            file.write(",".join(_field(each, form.text_in) for each in line) + "\n")


def _field(cell: LongCell, text_in: Callable[[str], str]) -> str:
    """A cell of a CSV file. Python's own writer leaves a lone carriage return without quotes, which ends a line."""
    if not isinstance(cell, str):
        return "" if cell is None else digits(cell)
    text = text_in(cell)
    return '"' + text.replace('"', '""') + '"' if _QUOTED & set(text) else text


def digits(number: Decimal | int) -> str:
    """The digits of a number, without an exponent."""
    return f"{number:f}" if isinstance(number, Decimal) else str(number)


def _crossed_lines(table: CrossedTable) -> Iterator[list[LongCell]]:
    """The lines of a cross-tabulated table: every label is written wherever it holds."""
    last = len(table.heads) - 1
    for at, heads in enumerate(table.heads):
        corner = table.corner if at == last else ("",) * len(table.corner)
        yield [*corner, *(head.text for head in heads for _ in range(head.span))]
    labels = [""] * len(table.corner)
    for row in table.rows():
        labels = [known if head is None else head.text for known, head in zip(labels, row.labels, strict=True)]
        yield [*labels, *(_in_line(each, table.table.mark) for each in row.figures)]


def _in_line(figure: Figure, mark: str) -> LongCell:
    if isinstance(figure, Mark):
        return mark if figure is Mark.SUPPRESSED else NO_FIGURE
    return figure


def _write_parquet(path: Path, tables: Sequence[ShownTable], words: Words) -> None:
    """Texts, whole numbers, and numbers with decimals as DECIMAL; a status is NULL where the figure is published."""
    from pyarrow import parquet

    columns, rows = long_rows(tables, words)
    types = [arrow().string()] * len(columns.heads)
    for at, name in columns.of_measures:
        types[at] = _number_type(tables, name)
    schema = arrow().schema(list(zip(columns.heads, types, strict=True)))
    with parquet.ParquetWriter(path, schema, compression="zstd") as file:
        while batch := list(islice(rows, _AT_ONCE)):
            columns_of_batch = zip(schema.types, zip(*batch, strict=True), strict=True)
            arrays = [arrow().array(map(_stored, cells), kind) for kind, cells in columns_of_batch]
            file.write_table(arrow().Table.from_arrays(arrays, schema=schema))


def _number_type(tables: Sequence[ShownTable], name: str) -> pa.DataType:
    measures = [each for table in tables for each in table.measures if each.name == name]
    decimals = max(each.decimals for each in measures)
    figures: Iterator[Decimal | int] = (
        each for measure in measures for each in measure.values.values() if each is not None
    )
    is_whole = not decimals and all(-_BEYOND_INT64 < each < _BEYOND_INT64 for each in figures)
    return arrow().int64() if is_whole else arrow().decimal128(MOST_DIGITS, decimals)


def _stored(cell: LongCell) -> LongCell:
    return None if cell == "" else cell
