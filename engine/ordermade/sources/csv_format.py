"""How a CSV file is read: its encoding, its dialect, and types that lose nothing."""

from __future__ import annotations

import codecs
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from sqlglot import exp

from ordermade import sql
from ordermade.errors import SourceFault
from ordermade.sources.door import Door, Purpose

ENCODINGS = ("auto", "utf-8", "cp932")
_BLOCK = 1 << 20
_PACKED = {".gz", ".zst"}
_WHOLE_NUMBERS = {
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
}


def query(door: Door, paths: Sequence[Path], encoding: str, spill: Path) -> exp.Query:
    """A query that reads the files as one table with every column typed.

    Types are found over the whole file, not a sample. A column of digits keeps leading zeros, as text. Files in CP932
    are recoded into the private folder `spill` first. Raises SourceFault if a file cannot be read as text or as CSV.
    """
    readable = [_as_utf8(path, encoding, spill) for path in paths]
    text, typed = _with_paths("csv_text", readable), _with_paths("csv_typed", readable)
    kinds = dict(_columns(door, typed, paths))
    names = [name for name, _ in _columns(door, text, paths)]
    numbers = [name for name in names if kinds.get(name) in _WHOLE_NUMBERS]
    zero_led = set(_zero_led(door, text, numbers))
    types = {name: "VARCHAR" if name in zero_led else kinds.get(name, "VARCHAR") for name in names}
    tree = sql.select("csv_typed")
    _reader(tree).append("expressions", exp.EQ(this=exp.column("types"), expression=_struct(types)))
    return sql.with_literal(tree, "stand_in.csv", path_list(readable))


def path_list(paths: Sequence[Path]) -> exp.Array:
    """The paths as a SQL list of literals."""
    return exp.Array(expressions=[exp.Literal.string(str(path)) for path in paths])


def _reader(tree: exp.Select) -> exp.Expr:
    reader = tree.find(exp.ReadCSV)
    if reader is None:
        raise TypeError("sql/csv_typed.sql reads no CSV file")
    return reader


def _struct(types: Mapping[str, str]) -> exp.Struct:
    return exp.Struct(
        expressions=[
            exp.PropertyEQ(this=sql.identifier(name), expression=exp.Literal.string(kind))
            for name, kind in types.items()
        ]
    )


def _with_paths(name: str, paths: Sequence[Path]) -> exp.Select:
    return sql.with_literal(sql.select(name), "stand_in.csv", path_list(paths))


def _columns(door: Door, tree: exp.Select, paths: Sequence[Path]) -> list[tuple[str, str]]:
    describe = sql.with_relations(sql.template("columns"), {"dataset": tree})
    try:
        return [(row[0], row[1]) for row in door.rows(Purpose.CATALOG, describe)]
    except SourceFault as fault:
        raise SourceFault(
            "this cannot be read as a CSV file with a header",
            where=str(paths[0]),
            next_step=fault.next_step,
        ) from None


def _zero_led(door: Door, text: exp.Select, columns: Sequence[str]) -> list[str]:
    """The columns of digits of which at least one value starts with a zero that a number would lose."""
    if not columns:
        return []
    tree = sql.select("leading_zeros")
    zero_led = tree.expressions[0]
    tree.set("expressions", [sql.with_columns(zero_led.copy(), {"dataset.qi": name}) for name in columns])
    counts = door.rows(Purpose.CATALOG, sql.with_relations(tree, {"dataset": text}))[0]
    return [name for name, count in zip(columns, counts, strict=True) if count]


def _as_utf8(path: Path, encoding: str, spill: Path) -> Path:
    if path.suffix.lower() in _PACKED:
        return path
    try:
        if encoding != "cp932" and _decodes(path, "utf-8"):
            return path
        if encoding != "utf-8" and _decodes(path, "cp932"):
            return _recoded(path, spill)
    except OSError as error:
        raise SourceFault(
            f"the file cannot be read ({error.strerror})",
            where=str(path),
            next_step="Check that it is readable.",
        ) from None
    tried = "UTF-8 or CP932" if encoding == "auto" else encoding.upper()
    raise SourceFault(
        f"the file is not text in {tried}",
        where=str(path),
        next_step="Save it as UTF-8, or give its --encoding.",
    )


def _decodes(path: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)(errors="strict")
    with path.open("rb") as file:
        try:
            while block := file.read(_BLOCK):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _recoded(path: Path, spill: Path) -> Path:
    with (
        path.open("r", encoding="cp932", newline="") as source,
        tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", dir=spill, suffix=".csv", delete=False) as copy,
    ):
        while block := source.read(_BLOCK):
            copy.write(block)
    return Path(copy.name)
