"""The seals of the rows of a state, computed again in SQL: which row is not as a command of the engine wrote it.

A seal is known to whoever knows the format: it shows an edit by hand, not one that computes the seals anew. The hash of
the head of the audit, kept elsewhere, shows such an edit of the rows that the audit has (`replay.py`), and of no other:
opt-outs, observations and releases are under their seals alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from sqlglot import exp

from ordermade import sql
from ordermade.state.keys import KEYS
from ordermade.state.records.audit import AuditEntry
from ordermade.state.statements import chained, rows, run

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_LEAST, _MOST = -(2**63), 2**63 - 1
_ROWS_AT_ONCE = 1_000_000
"""Rows of a table that are compared at once, so that the memory does not grow with the table."""

MOST_SHOWN = 100
"""Rows named of one table at most."""

Columns = Mapping[str, Mapping[str, str]]
"""By table, its columns in order with their types."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a state: where, and what."""

    where: str
    what: str


def seal_existing(connection: DuckDBPyConnection) -> None:
    """Seals every row of a state and chains its audit, inside the transaction of the migration."""
    _chain_existing(connection)
    seal_rows(connection)


def seal_rows(connection: DuckDBPyConnection) -> None:
    """Seals every row that was committed to a state without seals, inside a transaction."""
    columns = columns_of(connection)
    for (table,) in rows(connection, "state/filled_tables"):
        if table in KEYS:
            _seal(connection, table, columns[table], _LEAST, _MOST)


def seal_rows_of(connection: DuckDBPyConnection, table: str, owner: int) -> None:
    """Seals the rows of one owner that were written past `run`, inside the transaction that wrote them."""
    _seal(connection, table, columns_of(connection)[table], owner, owner)


def columns_of(connection: DuckDBPyConnection) -> Columns:
    """The columns of every table of the open state."""
    found: dict[str, dict[str, str]] = {}
    for table, column, kind in rows(connection, "state/table_columns"):
        found.setdefault(str(table), {})[str(column)] = str(kind)
    return found


def unlike_their_seals(connection: DuckDBPyConnection) -> Iterator[Finding]:
    """The rows of the open state that are not as they were sealed, each by table and key."""
    columns = columns_of(connection)
    # Most tables of most states have never had a row, and a statement over each takes milliseconds.
    used = {*rows(connection, "state/filled_tables"), *rows(connection, "state/sealed_tables")}
    for table, keys in KEYS.items():
        if table not in columns or (table,) not in used:
            continue
        statement = _over("state/unlike_seals", table, columns[table])
        shown = 0
        for least, most in _stretches(connection, table, columns[table]):
            values = {"table_name": table, "least": least, "most": most, "rows": MOST_SHOWN + 1 - shown}
            for owner, part, is_there, is_sealed in connection.execute(statement, values).fetchall():
                shown += 1
                if shown > MOST_SHOWN:
                    yield Finding(table, f"more than {MOST_SHOWN} rows are not as they were written")
                    break
                key = _key(keys, columns[table], owner, part)
                yield Finding(f"{table} {key}", _WORDS[bool(is_there), bool(is_sealed)])
            if shown > MOST_SHOWN:
                break


_WORDS = {
    (True, True): "the row is not as it was written",
    (True, False): "the row was written by no command of ordermade",
    (False, True): "the row is gone",
}


def broken_chain(connection: DuckDBPyConnection) -> Iterator[Finding]:
    """The entries of the audit that do not follow from those before them, and a head that is not the last one's."""
    before, number = NO_HASH, 0
    for entry in audit_chain(connection):
        if chained(before, entry) != entry.hash:
            yield Finding(f"audit {entry.id}", "the entry is not as it was written, or one before it is gone")
        before, number = entry.hash, entry.id
    heads = rows(connection, "state/audit_head")
    if heads != [(number, before)]:
        noted = f"entry {heads[0][0]}" if heads else "none"
        yield Finding("audit", f"its last entry is {number}, and {noted} is noted as the last: its end was changed")


NO_HASH = "0" * 64
"""The hash before the first entry."""


def audit_chain(connection: DuckDBPyConnection) -> Iterator[AuditEntry]:
    """Every entry in the order of the chain."""
    for row in rows(connection, "state/audit_chain"):
        yield AuditEntry(*row)


def _chain_existing(connection: DuckDBPyConnection) -> None:
    before, hashes = NO_HASH, {}
    for entry in audit_chain(connection):
        before = hashes[entry.id] = chained(before, entry)
    if hashes:
        run(connection, "state/audit_chained", id=list(hashes), hash=list(hashes.values()))
        run(connection, "state/audit_head_update", number=max(hashes), hash=before)


def _seal(connection: DuckDBPyConnection, table: str, columns: Mapping[str, str], least: int, most: int) -> None:
    statement = _over("state/seal_existing", table, columns)
    connection.execute(statement, {"table_name": table, "least": least, "most": most})


def _stretches(connection: DuckDBPyConnection, table: str, columns: Mapping[str, str]) -> Iterator[tuple[int, int]]:
    """Ranges of owners that cover every row of the table and every seal, each with about as many rows."""
    ((least, most, count),) = connection.execute(_over("state/seal_owners", table, columns)).fetchall()
    parts = 1 + count // _ROWS_AT_ONCE
    bounds = [_LEAST] + [least + (most - least) * i // parts for i in range(1, parts)] + [_MOST]
    for i, bound in enumerate(bounds[1:]):
        yield bounds[i] + (i > 0), bound


def _over(name: str, table: str, columns: Mapping[str, str]) -> str:
    """The statement over a table, with its owner, part and content in place of the columns that stand for them."""
    return _printed(name, table, tuple(columns.items()))


@cache
def _printed(name: str, table: str, typed: tuple[tuple[str, str], ...]) -> str:
    columns = dict(typed)
    keys = KEYS[table]
    is_numbered = columns[keys[0]] in _WHOLE
    parts: list[exp.Expr] = []
    for key in keys[is_numbered:]:
        parts += [exp.Literal.string(","), _plain(key, columns[key])] if parts else [_plain(key, columns[key])]
    owner = sql.column(keys[0], table) if is_numbered else exp.Literal.number(0)
    named = {
        "requests.id": owner,
        "requests.title": _joined(parts) if parts else exp.Literal.string(""),
        "requests.status": _joined([_content(name, kind) for name, kind in columns.items()]),
    }
    tree = sql.with_expressions(sql.template(name), named)
    relation = sql.table(table)
    for each in tree.find_all(exp.Table):
        if each.name == "requests":
            each.set("this", relation.this.copy())
    return sql.text(tree)


_WHOLE = ("BIGINT", "INTEGER")


def _content(name: str, kind: str) -> exp.Expr:
    """What a column adds to the content of its row: name and value, and the bytes of a text; nothing for NULL."""
    value = [_plain(name, kind)]
    if kind == "VARCHAR":
        length = exp.cast(exp.Anonymous(this="STRLEN", expressions=[sql.column(name)]), "VARCHAR")
        value = [length, exp.Literal.string(":"), *value]
    piece = _joined([exp.Literal.string(f"{name}="), *value, exp.Literal.string(";")])
    return exp.Coalesce(this=piece, expressions=[exp.Literal.string("")])


def _plain(name: str, kind: str) -> exp.Expr:
    column = sql.column(name)
    if kind == "VARCHAR":
        return column
    if kind == "DOUBLE":
        return exp.Anonymous(this="PRINTF", expressions=[exp.Literal.string("%.17g"), column])
    if kind == "TIMESTAMP":
        return exp.cast(exp.Anonymous(this="EPOCH_US", expressions=[column]), "VARCHAR")
    if kind.endswith("[]"):
        return exp.cast(exp.Anonymous(this="TO_JSON", expressions=[column]), "VARCHAR")
    return exp.cast(column, "VARCHAR")


def _joined(pieces: Sequence[exp.Expr]) -> exp.Expr:
    joined = pieces[0]
    for piece in pieces[1:]:
        joined = exp.DPipe(this=joined, expression=piece, safe=False)
    return joined


def _key(keys: Sequence[str], columns: Mapping[str, str], owner: int, part: str) -> str:
    """The key in words: `17`, or `request_id 17, position 0`."""
    if len(keys) == 1:
        return str(owner) if columns[keys[0]] in _WHOLE else part
    values = [str(owner), part] if columns[keys[0]] in _WHOLE else [part]
    return f"({', '.join(keys)}) = ({', '.join(values).replace(',', ', ').replace(',  ', ', ')})"
