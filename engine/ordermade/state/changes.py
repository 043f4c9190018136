"""The rows that one step of the service writes, and their record in the audit, in one transaction.

The record has every row as it is written, but for texts that are erased by policy and hashes of tokens (`hidden`): the
audit, replayed, gives the tables (`state/replay.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ordermade.state.statements import add_audit_entry, new_id, run

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection

_NOTHING: Mapping[str, Any] = {}


@dataclass(slots=True)
class Changes:
    """The rows written so far by a step of `actor`, on a connection within a transaction."""

    connection: StateConnection
    actor: str
    rows: list[dict[str, Any]] = field(default_factory=list)

    def add(
        self,
        statement: str,
        table: str,
        values: Mapping[str, Any],
        hidden: Mapping[str, Any] = _NOTHING,
        number: int | None = None,
    ) -> int:
        """Runs an INSERT … RETURNING id; the number of the new row, `number` where the state does not give one."""
        of_row = {} if number is None else {"id": number}
        number = new_id(self.connection, statement, **of_row, **values, **hidden)
        self._note(table, {"id": number}, values)
        return number

    def put(
        self,
        statement: str,
        table: str,
        key: Mapping[str, Any],
        values: Mapping[str, Any],
        hidden: Mapping[str, Any] = _NOTHING,
    ) -> None:
        """Runs an INSERT or an UPDATE of the row with this key."""
        run(self.connection, statement, **key, **values, **hidden)
        self._note(table, key, values)

    def audited(self, action: str, subject: str, why: str | None = None) -> None:
        """Adds the entry of the audit for the rows so far, and begins anew."""
        add_audit_entry(self.connection, action, subject, why, data={"rows": self.rows}, by=self.actor)
        self.rows = []

    def _note(self, table: str, key: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        self.rows.append({"table": table, "key": _plain(key), "values": _plain(values)})


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: each.isoformat() if isinstance(each, datetime) else each for name, each in values.items()}
