"""The seals of the rows of a state, computed again: which row is not as a command of the engine wrote it.

A seal is known to whoever knows the format: it shows an edit by hand, not one that computes the seals anew. The hash of
the head of the audit, kept elsewhere, shows such an edit of the rows that the audit has (`replay.py`), and of no other:
opt-outs, observations and releases are under their seals alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from ordermade.state.keys import KEYS
from ordermade.state.records.audit import AuditEntry
from ordermade.state.stand_ins import over
from ordermade.state.statements import chained, key_of, rows, run, seal_of

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection

MOST_SHOWN = 100
"""Rows named of one table at most."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a state: where, and what."""

    where: str
    what: str


def seal_rows(connection: StateConnection) -> None:
    """Seals every row of a state without seals, inside a transaction."""
    present = {str(table) for (table,) in rows(connection, "state/tables")}
    for table in KEYS:
        if table in present:
            _seal(connection, table, sealable(connection, table))


def seal_rows_of(connection: StateConnection, table: str, owner: int) -> None:
    """Seals the rows of one owner that were written past `run`, inside the transaction that wrote them."""
    _seal(connection, table, sealable(connection, table, owner))


def _seal(connection: StateConnection, table: str, found: Iterator[tuple[tuple[int, str], int]]) -> None:
    while stretch := list(islice(found, _AT_ONCE)):
        run(connection, "state/seals_insert", seals=[(table, *key, seal) for key, seal in stretch])


_AT_ONCE = 100_000
"""Rows that are sealed at once, so that the memory does not grow with the table."""


def sealable(
    connection: StateConnection, table: str, owner: int | None = None
) -> Iterator[tuple[tuple[int, str], int]]:
    """The key and the seal of each row of a table, of one `owner` if it is given."""
    found = connection.execute(
        over("state/table_rows" if owner is None else "state/table_rows_of", table), {"id": owner}
    )
    columns = [str(each[0]) for each in found.description]
    for row in found:
        yield key_of(table, columns, row), seal_of(columns, row)


def unlike_their_seals(connection: StateConnection) -> Iterator[Finding]:
    """The rows of the open state that are not as they were sealed, each by table and key."""
    present = {str(table) for (table,) in rows(connection, "state/tables")}
    for table, keys in KEYS.items():
        if table not in present:
            continue
        sealed = {
            (owner, part): seal for owner, part, seal in rows(connection, "state/seals_of_table", table_name=table)
        }
        unlike: list[tuple[tuple[int, str], bool, bool]] = []
        for key, seal in sealable(connection, table):
            noted = sealed.pop(key, None)
            if noted != seal:
                unlike.append((key, True, noted is not None))
        unlike += [(key, False, True) for key in sealed]
        for (owner, part), is_there, is_sealed in sorted(unlike)[:MOST_SHOWN]:
            yield Finding(f"{table} {_key(keys, owner, part)}", _WORDS[is_there, is_sealed])
        if len(unlike) > MOST_SHOWN:
            yield Finding(table, f"more than {MOST_SHOWN} rows are not as they were written")


_WORDS = {
    (True, True): "the row is not as it was written",
    (True, False): "the row was written by no command of ordermade",
    (False, True): "the row is gone",
}


def broken_chain(connection: StateConnection) -> Iterator[Finding]:
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


def audit_chain(connection: StateConnection) -> Iterator[AuditEntry]:
    """Every entry in the order of the chain."""
    for row in rows(connection, "state/audit_chain"):
        yield AuditEntry(*row)


def _key(keys: Sequence[str], owner: int, part: str) -> str:
    """The key in words: `17`, or `request_id 17, position 0`."""
    if len(keys) == 1:
        return part or str(owner)
    values = [str(owner), part] if owner else [part]
    return f"({', '.join(keys)}) = ({', '.join(values).replace(',', ', ').replace(',  ', ', ')})"
