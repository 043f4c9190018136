"""Statements as SQLite runs them: printed for it, and refused where it would answer another question than DuckDB."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence

from sqlglot import exp

from ordermade import sql
from ordermade.errors import SourceFault, quoted
from ordermade.sources import sqlite_functions as texts
from ordermade.sources.portable import (
    PORTABLE,
    Known,
    is_marked,
    is_text,
    mark_casts,
    point,
    refused,
    require_same_texts,
    spelt,
)
from ordermade.sources.widths import literal_double, require_one_width

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
    known = Known(_DATABASE, lambda table: types.get(table.name) if table.db == source else None)
    mark_casts(checked, known)
    nodes = list(checked.walk())
    for node in nodes:
        _require_same(node)
    for node in nodes:
        require_same_texts(node, known)
        known.require_alike(node)
    for node in list(checked.walk()):
        require_one_width(node, known, has_decimals=False)
    for join in list(checked.find_all(exp.Join)):
        _join_as_stored(join, known)
    checked = checked.transform(_as_text, copy=False)
    return str(checked.sql(dialect=DIALECT, pretty=pretty, comments=False))


def _join_as_stored(join: exp.Join, known: Known) -> None:
    """Takes the affinity of numbers, which a column declared DATE has, from the value that a key of texts is joined on.

    SQLite would not look the key up by its index.
    """
    condition = join.args.get("on")
    if isinstance(condition, exp.EQ | exp.NullSafeEQ) and known.kind(condition.this) in ("day", "moment"):
        value = condition.this
        condition.set("this", exp.Coalesce(this=value.copy(), expressions=[value.copy()]))


def _require_same(node: exp.Expr) -> None:
    if isinstance(node, exp.Cast):
        if point(node) is None and not is_marked(node):
            raise refused(_DATABASE, "a cast")
    elif isinstance(node, exp.DataType) and isinstance(node.parent, exp.Cast):
        return
    elif isinstance(node, exp.Anonymous):
        if node.name.upper() != HASHES:
            raise refused(_DATABASE, f"the function {node.name}")
    elif type(node) not in PORTABLE:
        raise refused(_DATABASE, f"{type(node).__name__.upper()}")


def _as_text(node: exp.Expr) -> exp.Expr:
    """Days and moments are texts in SQLite, and numbers of 8 bytes have an exponent."""
    if isinstance(node, exp.Cast) and is_marked(node):
        return _read(node)
    if isinstance(node, exp.Cast) and node.to.this is exp.DType.DOUBLE:
        return literal_double(node) or exp.cast(node.this.copy(), "REAL", dialect=DIALECT)
    if isinstance(node, exp.Cast):
        written = spelt(node.this.this, point(node) or "")
        if not written:
            raise SourceFault(
                f"{quoted(node.this.this)} is finer than the seconds that SQLite's points in time have",
                next_step="Write a day, or a moment such as 2013-10-01 10:30:00.",
            )
        return exp.Literal.string(written)
    return node


def _read(cast: exp.Cast) -> exp.Expr:
    """The function that reads a text, and fails for one that is none of the type: a cast of SQLite makes 0 of it."""
    if is_text(cast):
        return exp.cast(cast.this.copy(), "TEXT", dialect=DIALECT)
    if cast.to.this not in READERS:
        raise refused(_DATABASE, f"a cast to {cast.to.sql(dialect=DIALECT)}")
    return exp.Anonymous(this=READERS[cast.to.this][0], expressions=[cast.this.copy()])


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
