"""The seals of the rows of a state, computed again: which row is not as a command of the engine wrote it.

A seal is known to whoever knows the format: it shows an edit by hand, not one that computes the seals anew. The hash of
the head of the audit, kept elsewhere, shows such an edit of the rows that the audit has (`replay.py`), and of no other:
opt-outs, observations and releases are under their seals alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ordermade.state.audit import AUDIT, AUDIT_HEAD, AuditHead, chained
from ordermade.state.statements import rows
from ordermade.state.table import SEALS, TOGETHER, seal_stored
from ordermade.state.tables import SEALED

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection
    from ordermade.state.records.audit import AuditEntry

MAX_SHOWN = 100
"""Rows named of one table at most."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of a state."""

    where: str
    """The table, or another part."""
    what: str
    """The fault."""


def seal_rows(connection: StateConnection) -> None:
    """Seals every row of a state without seals, inside a transaction."""
    present = {str(table) for (table,) in rows(connection, "state/tables")}
    for name, table in SEALED.items():
        if name in present:
            seal_stored(connection, table)


def unlike_their_seals(connection: StateConnection) -> Iterator[Finding]:
    """The rows of the open state that are not as they were sealed, each by table and key."""
    present = {str(table) for (table,) in rows(connection, "state/tables")}
    for name, table in SEALED.items():
        if name not in present:
            continue
        sealed = {
            (owner, part): seal
            for owner, part, seal in SEALS.read(connection, ("owner", "part", "seal"), table_name=name)
        }
        together = {owner for owner, part in sealed if part == TOGETHER}
        apart = {owner for owner, _ in sealed} - together
        unlike: list[tuple[tuple[int, str], bool, bool]] = []
        for owner, part, seal in table.sealable(connection, apart):
            key = owner, part
            noted = sealed.pop(key, None)
            if noted != seal:
                unlike.append((key, True, noted is not None))
        unlike += [(key, False, True) for key in sealed]
        for (owner, part), is_there, is_sealed in sorted(unlike)[:MAX_SHOWN]:
            if table.together and part == TOGETHER:
                yield Finding(f"{name} {table.key[0]} {owner}", _WORDS_TOGETHER[is_there, is_sealed])
            else:
                yield Finding(f"{name} {_key(table.key, owner, part)}", _WORDS[is_there, is_sealed])
        if len(unlike) > MAX_SHOWN:
            yield Finding(name, f"more than {MAX_SHOWN} rows are not as they were written")


_WORDS = {
    (True, True): "the row is not as it was written",
    (True, False): "the row was written by no command of ordermade",
    (False, True): "the row is gone",
}
_WORDS_TOGETHER = {
    (True, True): "the rows are not as they were written",
    (True, False): "the rows were written by no command of ordermade",
    (False, True): "the rows are gone",
}


def broken_chain(connection: StateConnection) -> Iterator[Finding]:
    """The entries of the audit that do not follow from those before them, and a head that is not the last one's."""
    before, number = NO_HASH, 0
    for entry in audit_chain(connection):
        if chained(before, entry) != entry.hash:
            yield Finding(f"audit {entry.id}", "the entry is not as it was written, or one before it is gone")
        before, number = entry.hash, entry.id
    heads = AUDIT_HEAD.select(connection)
    if heads != [AuditHead(number, before)]:
        noted = f"entry {heads[0].number}" if heads else "none"
        yield Finding("audit", f"its last entry is {number}, and {noted} is noted as the last: its end was changed")


NO_HASH = "0" * 64
"""The hash before the first entry."""


def audit_chain(connection: StateConnection) -> Iterator[AuditEntry]:
    """Every entry in the order of the chain."""
    yield from AUDIT.select(connection, order_by=("id",))


def _key(keys: Sequence[str], owner: int, part: str) -> str:
    """The key in words: `17`, or `request_id 17, position 0`."""
    if len(keys) == 1:
        return part or str(owner)
    values = [str(owner), part] if owner else [part]
    return f"({', '.join(keys)}) = ({', '.join(values).replace(',', ', ').replace(',  ', ', ')})"
