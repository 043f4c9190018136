"""The rows that one step of the service writes, and their record in the audit, in one transaction.

The record has every row as it is written, but for texts that are erased by policy and hashes of what users act by
(`hidden`): the audit, replayed, gives the tables (`state/replay.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ordermade.state.audit import add_audit_entry

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection
    from ordermade.state.table import Record, Table

_NOTHING: Mapping[str, Any] = {}


@dataclass(slots=True)
class StateChanges:
    """The rows written so far by a step of `actor`, on a connection within a transaction."""

    connection: StateConnection
    actor: str
    rows: list[dict[str, Any]] = field(default_factory=list)

    def add(self, table: Table[Record], values: Mapping[str, Any], hidden: Mapping[str, Any] = _NOTHING) -> Record:
        """Adds a row; the row as it is stored."""
        added = table.insert(self.connection, **values, **hidden)
        self._note(table.name, {name: values.get(name, getattr(added, name)) for name in table.key}, values)
        return added

    def put(
        self,
        table: Table[Record],
        key: Mapping[str, Any],
        values: Mapping[str, Any],
        hidden: Mapping[str, Any] = _NOTHING,
    ) -> None:
        """Changes the row with this key."""
        table.update(self.connection, key, **values, **hidden)
        self._note(table.name, key, values)

    def audited(self, action: str, subject: str, why: str | None = None) -> None:
        """Adds the entry of the audit for the rows so far, and begins anew."""
        add_audit_entry(self.connection, action, subject, why, data={"rows": self.rows}, by=self.actor)
        self.rows = []

    def _note(self, table: str, key: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        written = {name: value for name, value in values.items() if name not in key}
        self.rows.append({"table": table, "key": _plain(key), "values": _plain(written)})


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: each.isoformat() if isinstance(each, datetime) else each for name, each in values.items()}
