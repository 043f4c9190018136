"""The head of a CSV file: encoding, separator, header or first row of data.

It looks like data where one of its texts is an e-mail address or a truth value; is a figure (a number, a date, a
telephone number) over figures; has the digits and signs of half the values below it; or occurs again in its own column.
It holds names where a name stands over figures. In between nothing shows it: its texts are then not listed either.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import IO

from sqlglot import exp

from ordermade import sql
from ordermade.encodings.detected import AUTO, decoded, decodes, detected
from ordermade.errors import SourceFault
from ordermade.sources.door import Door, Purpose

_FIGURE = re.compile(r"[\W\d_]*[0-9][\W\d_]*(?:[Tt][\W\d_]*)?[Zz]?")
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_TRUTHS = frozenset({"true", "false"})


class FirstLine(Enum):
    """The content of the first line of a CSV file, as far as the lines below it show."""

    NAMES = "names"
    DATA = "data"
    UNCLEAR = "unclear"


def first_line(door: Door, text: exp.Table, columns: Sequence[str]) -> FirstLine:
    """Classify the texts `columns` of the first line, from the table `text` of the lines below it."""
    tree = sql.select("csv_first_line")
    figures = tree.expressions
    parameters: dict[str, str] = {}
    expressions: list[exp.Expr] = []
    for at, name in enumerate(columns):
        parameters |= {f"text{at}": name, f"shape{at}": _shape(name)}
        expressions += [_of_column(each, name, at) for each in figures]
    tree.set("expressions", expressions)
    counted = door.rows(Purpose.CATALOG, sql.with_relations(tree, {"dataset": text}), parameters)[0]
    width = len(figures)
    shown = [_shown(name, *counted[at * width : (at + 1) * width]) for at, name in enumerate(columns)]
    if FirstLine.DATA in shown:
        return FirstLine.DATA
    return FirstLine.NAMES if FirstLine.NAMES in shown else FirstLine.UNCLEAR


def _of_column(figure: exp.Expr, name: str, at: int) -> exp.Expr:
    """One figure of one column, with parameters of its own."""
    own = sql.with_columns(figure.copy(), {"dataset.qi": name}).unalias()
    for node in list(own.find_all(exp.Parameter, exp.Placeholder)):
        numbered = f"{node.name}{at}"
        node.set("this", exp.var(numbered) if isinstance(node, exp.Parameter) else numbered)
    return own


def _shape(text: str) -> str:
    """The text with each run of digits as one, as the template has it of values."""
    return re.sub(r"[0-9]+", "9", text)


def _shown(text: str, below: int, same: int, alike: int, figures: int) -> FirstLine:
    """Classify one text of the first line by the counts of its column."""
    is_figure = _FIGURE.fullmatch(text) is not None
    over_figures = 2 * figures >= below
    has_digits = any(each.isdigit() for each in text)
    if same or _ADDRESS.fullmatch(text.strip()) or text.strip().casefold() in _TRUTHS:
        return FirstLine.DATA
    if (is_figure and over_figures) or (has_digits and below and 2 * alike >= below):
        return FirstLine.DATA
    named = below and figures == below and not is_figure
    return FirstLine.NAMES if named else FirstLine.UNCLEAR


SEPARATORS = (",", ";", "\t", "|")
LONGEST_HEADER = 1 << 20
_AS_IT_IS = ("utf-8", "utf-8-sig", "ascii")
"""Encodings whose files are read where they are."""


@dataclass(frozen=True, slots=True)
class CsvReading:
    """The way CSV files are read: in `encoding`, a codec of Python or `auto`; `header`: their first line has names."""

    encoding: str = AUTO
    header: bool = False


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A CSV file ready to be read as UTF-8: `path` may be a recoded copy of the `original`, in `encoding`."""

    path: Path
    original: Path
    encoding: str
    columns: tuple[str, ...]
    separator: str


def prepared(path: Path, encoding: str, spill: Path) -> CsvFile:
    """The file's columns and separator; what is not UTF-8 is recoded into the private folder `spill`.

    Raises SourceFault if it is not text in the encoding, if none is clearly its own, or if it has no header of
    distinct names.
    """
    try:
        found = _encoding_of(path, encoding)
        readable = path if found in _AS_IT_IS else _recoded(path, found, spill)
        with _opened(readable) as file:
            head = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
            columns, separator = _header(head.read(LONGEST_HEADER), path)
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or "the file is cut short"
        raise SourceFault(
            f"the file cannot be read ({reason})", where=str(path), next_step="Check that it is whole and readable."
        ) from None
    return CsvFile(readable, path, found, columns, separator)


def _header(head: str, path: Path) -> tuple[tuple[str, ...], str]:
    parsed = {separator: _first_record(head, separator) for separator in SEPARATORS}
    separator = max(SEPARATORS, key=lambda each: len(parsed[each]))
    columns = tuple(parsed[separator])
    folded = [name.casefold() for name in columns]
    if not head:
        raise SourceFault("the file is empty", where=str(path), next_step="Give a file with a header and rows.")
    if not columns or any(not name.strip() for name in columns):
        raise SourceFault(
            "the first line is not a header: a column has no name",
            where=str(path),
            next_step="Write the names of the columns in the first line.",
        )
    alike = [str(place) for place, key in enumerate(folded, start=1) if folded.count(key) > 1]
    if alike:  # by place: without a header, the first line is a person's
        raise SourceFault(
            f"columns {', '.join(alike)} share a name",
            where=str(path),
            next_step="Give every column a name of its own.",
        )
    return columns, separator


def _first_record(head: str, separator: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(head, newline=""), delimiter=separator, strict=True), [])
    except csv.Error:
        return []


def _encoding_of(path: Path, encoding: str) -> str:
    """The encoding that the whole file is text in: the named one, or that which is found."""
    opened = partial(_opened, path)
    if encoding == AUTO:
        found = detected(opened)
        if found.encoding is None:
            step = "Save it as UTF-8, or give its --encoding."
            raise SourceFault(found.open_question, where=str(path), next_step=step)
        return found.encoding
    if not decodes(opened, encoding):
        raise SourceFault(
            f"the file is not text in {encoding}",
            where=str(path),
            next_step="Give another --encoding, or auto to have it found.",
        )
    return encoding


def _recoded(path: Path, encoding: str, spill: Path) -> Path:
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", dir=spill, suffix=".csv", delete=False) as copy:
        copy.writelines(decoded(partial(_opened, path), encoding))
    return Path(copy.name)


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    with path.open("rb") as file:
        if path.suffix.lower() == ".gz":
            with gzip.GzipFile(fileobj=file) as unpacked:
                yield unpacked  # type: ignore[misc]  # it reads bytes as any file does
        else:
            yield file
