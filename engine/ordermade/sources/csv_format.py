"""CSV files as one typed table that loses nothing of their text."""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from sqlglot import exp

from ordermade import sql
from ordermade.errors import SourceFault
from ordermade.sources.csv_header import CsvFile, CsvReading, FirstLine, first_line, prepared
from ordermade.sources.door import Door, Purpose

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
