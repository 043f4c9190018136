"""The entries of the audit, a chain of hashes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """An action on an object of the state: by whom, and when; `data`: the rows that a step wrote, as JSON.

    `hash` is the SHA-256 of the entry and the hash of the one before; empty while it is not in the chain.
    """

    id: int
    happened_at: datetime
    actor: str
    action: str
    subject: str
    detail: str | None
    data: str | None = None
    hash: str = ""
