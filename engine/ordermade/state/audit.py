"""The audit: who did what and when. Entries are only ever added; nothing here changes or removes one."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING

from ordermade.state.records import AuditEntry
from ordermade.state.statements import rows, run, utc_now

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def note(connection: DuckDBPyConnection, action: str, subject: str, detail: str | None = None) -> None:
    """Add an entry: `action` as the command is called (`source add`), `subject` what it was done to."""
    run(
        connection,
        "state/audit_insert",
        happened_at=utc_now(),
        actor=actor(),
        action=action,
        subject=subject,
        detail=detail,
    )


def listed(connection: DuckDBPyConnection, entries: int = 100) -> tuple[AuditEntry, ...]:
    """The latest entries, the latest first."""
    return tuple(AuditEntry(*row) for row in rows(connection, "state/audit", entries=entries))


def actor() -> str:
    """The name of the user on the operating system, or `unknown` where there is none (some containers)."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"
