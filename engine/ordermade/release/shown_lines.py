"""Long rows as CSV and Parquet files, and a cross-tabulated table as a CSV file."""

from __future__ import annotations

import contextlib
import gzip
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import islice
from pathlib import Path

from ordermade.release.files import MARK as BYTE_ORDER_MARK
from ordermade.sources.executor import arrow
from ordermade.tables.layouts import CrossedTable, Lines, LongCell
from ordermade.tables.shown import Figure, Mark
from ordermade.tables.shown_words import NO_FIGURE

MOST_DIGITS = 38
"""The digits of a number with decimals in a Parquet file."""
_AT_ONCE = 50_000
_QUOTED = frozenset(',"\r\n')


def write_csv(
    path: Path, lines: Iterable[Sequence[LongCell]], text_in: Callable[[str], str], *, has_mark: bool
) -> None:
    """Writes lines as the CSV file `path`, compressed where its name ends in `.gz`. Raises OSError.

    `text_in`: gives a text as the file has it. `has_mark`: a byte order mark comes first.
    """
    with contextlib.ExitStack() as opened:
        plain = opened.enter_context(path.open("wb"))
        is_packed = path.name.lower().endswith(".gz")
        packed = opened.enter_context(gzip.GzipFile("", "wb", fileobj=plain, mtime=0)) if is_packed else plain
        file = opened.enter_context(io.TextIOWrapper(packed, encoding="utf-8", newline=""))
        file.write(BYTE_ORDER_MARK if has_mark else "")
        for line in lines:
            file.write(",".join(_field(each, text_in) for each in line) + "\n")


def _field(cell: LongCell, text_in: Callable[[str], str]) -> str:
    """A cell of a CSV file. Python's own writer leaves a lone carriage return without quotes, which ends a line."""
    if cell is None:
        return ""
    if isinstance(cell, Decimal):
        return f"{cell:f}"
    text = text_in(cell) if isinstance(cell, str) else str(cell)
    return '"' + text.replace('"', '""') + '"' if _QUOTED & set(text) else text


def csv_lines_of(table: CrossedTable) -> Iterator[list[LongCell]]:
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


def write_parquet(path: Path, lines: Lines) -> None:
    """Writes lines as the Parquet file `path`: texts, whole numbers, DECIMAL; empty texts are NULL. Raises OSError."""
    from pyarrow import parquet

    types = [_type(lines.numbers.get(at)) for at in range(len(lines.heads))]
    schema = arrow().schema(list(zip(lines.heads, types, strict=True)))
    rows = iter(lines.rows)
    with parquet.ParquetWriter(path, schema, compression="zstd") as file:
        while batch := list(islice(rows, _AT_ONCE)):
            columns = zip(types, zip(*batch, strict=True), strict=True)
            arrays = [arrow().array([None if each == "" else each for each in cells], kind) for kind, cells in columns]
            file.write_table(arrow().Table.from_arrays(arrays, schema=schema))


def _type(decimals: int | None) -> object:
    if decimals is None:
        return arrow().string()
    return arrow().decimal128(MOST_DIGITS, decimals) if decimals else arrow().int64()
