"""Statements as SQLite runs them: printed for it, and refused where it would answer another question than DuckDB."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence

from sqlglot import exp

from ordermade import sql
from ordermade.sources import sqlite_functions as texts
from ordermade.sources.portable import DatabaseFunctions, cast_of, is_text, refused

DIALECT = "sqlite"
HASHES = "ROW_HASHES"
"""The aggregate that adds up one 64-bit hash a row."""
_DATABASE = "SQLite"

READERS: Mapping[exp.DType, tuple[str, Callable[[str], int | float | str]]] = {
    exp.DType.BIGINT: ("READ_WHOLE", texts.whole),
    exp.DType.DOUBLE: ("READ_NUMBER", texts.number),
    exp.DType.DATE: ("READ_DAY", texts.day),
    exp.DType.TIMESTAMP: ("READ_MOMENT", texts.moment),
    exp.DType.TIMESTAMPNTZ: ("READ_MOMENT", texts.moment),
}
"""The functions that read texts as each type: their names in SQLite, and what they do."""

Types = Mapping[str, Mapping[str, str]]
"""The types of the columns of the source's tables, by the names of both."""


def printed(tree: exp.Expr, source: str, types: Types, *, pretty: bool = False) -> str:
    """The statement as SQLite gets it; `source` is what the database is called whose tables have these `types`.

    Raises SourceFault for what SQLite does not answer as DuckDB does.
    """
    checked = tree.copy()
    known = DatabaseFunctions(_DATABASE, HASHES, lambda table: types.get(table.name) if table.db == source else None)
    known.require(checked)
    for literal in checked.find_all(exp.Literal):
        if known.kind(literal) in ("number", "decimal") and not (
            literal.name.isdecimal() and int(literal.name) <= 2**63
        ):
            raise refused(_DATABASE, "exact numbers that are not whole or of more than 8 bytes")
    for join in list(checked.find_all(exp.Join)):
        _join_as_stored(join, known)
    checked = checked.transform(_as_text, copy=False)
    return str(checked.sql(dialect=DIALECT, pretty=pretty, comments=False))


def _join_as_stored(join: exp.Join, known: DatabaseFunctions) -> None:
    """Takes the affinity of numbers, which a column declared DATE has, from the value that a key of texts is joined on.

    SQLite would not look the key up by its index.
    """
    condition = join.args.get("on")
    if isinstance(condition, exp.EQ | exp.NullSafeEQ) and known.kind(condition.this) in ("day", "moment"):
        value = condition.this
        condition.set("this", exp.Coalesce(this=value.copy(), expressions=[value.copy()]))


def _as_text(node: exp.Expr) -> exp.Expr:
    """A node as SQLite has it: days and moments are texts there, and functions read texts.

    They fail for a text that is none of the type: a cast of SQLite makes 0 of it.
    """
    if not isinstance(node, exp.Cast):
        return node
    value, of = node.this.transform(_as_text), cast_of(node)
    if of in ("number", ""):
        return exp.cast(value, "TEXT" if is_text(node) else "INTEGER", dialect=DIALECT)
    if node.to.this not in READERS:
        raise refused(_DATABASE, f"a cast to {node.to.sql(dialect=DIALECT)}")
    return value if of is None else exp.Anonymous(this=READERS[node.to.this][0], expressions=[value])


def giving(connection: sqlite3.Connection, table: str, statements: Sequence[exp.Expr]) -> Iterator[str]:
    """The statements that gave the connection a table of the workspace, its rows written into them."""
    drop, create, insert, index = statements
    columns = exp.Select(expressions=[exp.Star()], from_=exp.From(this=sql.table(table, schema="temp")))
    rows = connection.execute(columns.sql(dialect=DIALECT)).fetchall()
    listed = insert.copy()
    (values,) = listed.find_all(exp.Values)
    values.set("expressions", [exp.Tuple(expressions=[exp.convert(each) for each in row]) for row in rows])
    for each in (drop, create, listed, index) if rows else (drop, create, index):
        yield f"{each.sql(dialect=DIALECT, comments=False)};"
