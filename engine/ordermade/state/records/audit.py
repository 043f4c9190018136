"""The entries of the audit, a chain of hashes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """An entry of the audit."""

    id: int
    """Its number."""
    happened_at: datetime
    """When, in UTC."""
    actor: str
    """Who."""
    action: str
    """What was done, as the command is called."""
    subject: str
    """What it was done to."""
    detail: str | None
    """More in one line; null if there is none."""
    data: str | None = None
    """What was done, as canonical JSON; null if there is nothing to note."""
    hash: str = ""
    """SHA-256 of the hash of the entry before, a line feed and the entry as canonical JSON."""
    visit: str | None = None
    """The id that the log has of the visit of the portal in which it was done; null of everything else."""
