"""CSV files as one typed table that loses nothing of their text, with the head found: encoding, separator, header.

The first row looks like data where one of its texts is an e-mail address or a truth value; is a figure (a number, a
date, a telephone number) over figures; has the digits and signs of half the values below it; or occurs again in its own
column. It holds names where a name stands over figures. In between nothing shows it: its texts are then not listed.
"""

from __future__ import annotations

import csv
import glob
import gzip
import io
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import partial
from itertools import groupby
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
        parameters |= {f"text{at}": name, f"shape{at}": _shape_of_header(name)}
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


def _shape_of_header(text: str) -> str:
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


_TEXT = "VARCHAR"
_ONE_SHAPE = "Every line needs the fields of the first, and the same kind of line end."
_WHOLE, _DECIMAL, _SHORT, _DATE, _TIMESTAMP, _BOOLEAN = 1, 2, 4, 8, 16, 32
"""The flags that csv_types.sql adds up for a value: the types whose text form is the value as written."""
_MOST_DIGITS = 38


@dataclass(frozen=True, slots=True)
class CsvRead:
    """Observations made of CSV files while they were read: encodings, and names that nothing shows to be names."""

    encodings: tuple[str, ...]
    unvouched: frozenset[str]


def read_once(door: Door, paths: Sequence[Path], reading: CsvReading, spill: Path, table: exp.Table) -> CsvRead:
    """Reads the files as one table `table`, columns by name, each of the narrowest type that rewrites no value.

    Types are found over all rows, not a sample; what a type would rewrite (leading zeros, 1E2) keeps its column a text.
    Raises SourceFault, with the line of what does not fit, if a file cannot be read or has data in its first line.
    """
    files = [prepared(path, reading.encoding, spill) for path in paths]
    columns = files[0].columns
    for file in files[1:]:
        if set(file.columns) != set(columns):
            raise SourceFault(
                f"the columns are not those of {files[0].original}",
                where=str(file.original),
                next_step="Files of one source have the same columns; register them apart.",
            )
    text = sql.table("the texts of the CSV files", schema="main", catalog="memory")
    texts = sql.union_all(_text_of(list(alike), columns) for _, alike in groupby(files, key=_shape))
    try:
        _create(door, text, texts)
    except SourceFault as fault:
        where = ", ".join(str(file.original) for file in files[:3]) + (", …" if len(files) > 3 else "")
        step = fault.next_step if "Line" in fault.next_step else f"{fault.next_step} {_ONE_SHAPE}"
        raise SourceFault("this cannot be read as a CSV file with a header", where=where, next_step=step) from None
    holds = FirstLine.NAMES if reading.header else first_line(door, text, columns)
    if holds is FirstLine.DATA:
        raise SourceFault(
            "the first line looks like data, not like names of columns",
            where=f"{files[0].original}:1",
            next_step="Write the names of the columns in the first line, or say with `--header` that it holds them.",
        )
    _create(door, table, _typed(text, _types(door, text, columns)))
    drop = sql.template("drop_csv_text")
    drop.set("tables", [text.copy()])
    door.rows(Purpose.LOAD, drop)
    encodings = tuple(dict.fromkeys(file.encoding for file in files))
    return CsvRead(encodings, frozenset(columns) if holds is FirstLine.UNCLEAR else frozenset())


def text_columns(columns: Sequence[str]) -> list[exp.Expr]:
    """The columns as READ_CSV takes them: each a text."""
    return [exp.PropertyEQ(this=sql.identifier(name), expression=exp.Literal.string(_TEXT)) for name in columns]


def literal_path(path: Path) -> exp.Literal:
    """A path as DuckDB reads it back: the signs of a pattern stand for themselves."""
    return exp.Literal.string(glob.escape(str(path)))


def _shape(file: CsvFile) -> tuple[tuple[str, ...], str]:
    return file.columns, file.separator


def _create(door: Door, table: exp.Table, query: exp.Expr) -> None:
    tree = sql.template("read_files_once")
    tree.set("this", table.copy())
    tree.set("expression", query)
    door.rows(Purpose.LOAD, tree)


def _text_of(files: Sequence[CsvFile], columns: Sequence[str]) -> exp.Query:
    """Files of one shape as a table of texts, its columns in the given order."""
    tree = sql.select("csv_text")
    paths = exp.Array(expressions=[literal_path(file.path) for file in files])
    tree = sql.with_literal(tree, "stand_in.csv", paths)
    tree = sql.with_literal(tree, ",", exp.Literal.string(files[0].separator))
    struct = tree.find(exp.Struct)
    if struct is None:
        raise TypeError("sql/csv_text.sql names no columns")
    struct.set("expressions", text_columns(files[0].columns))
    column = tree.expressions[0]
    tree.set("expressions", [sql.with_columns(column.copy(), {"dataset.qi": name}) for name in columns])
    return tree


def _types(door: Door, text: exp.Table, columns: Sequence[str]) -> Mapping[str, str]:
    """The type of each column, from what all its values can be read as."""
    tree = sql.select("csv_types")
    figures = tree.expressions
    tree.set(
        "expressions",
        [sql.with_columns(each.copy(), {"dataset.qi": name}).unalias() for name in columns for each in figures],
    )
    counted = door.rows(Purpose.CATALOG, sql.with_relations(tree, {"dataset": text}))[0]
    width = len(figures)
    return {name: _type_of(*counted[at * width : (at + 1) * width]) for at, name in enumerate(columns)}


def _type_of(fits: int | None, least_scale: int | None, scale: int | None, digits: int | None) -> str:
    if fits is None or least_scale is None or scale is None or digits is None:
        return _TEXT
    if fits & _WHOLE:
        return "BIGINT"
    if fits & _DECIMAL and least_scale == scale > 0 and digits + scale <= _MOST_DIGITS:
        return f"DECIMAL({max(18, digits)}, {scale})"
    for mask, kind in ((_SHORT, "DOUBLE"), (_DATE, "DATE"), (_TIMESTAMP, "TIMESTAMP"), (_BOOLEAN, "BOOLEAN")):
        if fits & mask:
            return kind
    return _TEXT


def _typed(text: exp.Table, types: Mapping[str, str]) -> exp.Query:
    tree = sql.select("csv_typed")
    value = tree.expressions[0]
    columns = []
    for name, kind in types.items():
        cast = sql.with_columns(value.copy(), {"dataset.qi": name}).unalias()
        cast.set("to", exp.DataType.build(kind, dialect=sql.DIALECT))
        columns.append(sql.named(cast, name))
    tree.set("expressions", columns)
    return sql.with_relations(tree, {"dataset": text})
