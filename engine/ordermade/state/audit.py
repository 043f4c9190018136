"""The audit: who did what and when, a chain of hashes in which each entry follows from the one before."""

from __future__ import annotations

import getpass
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ordermade.state.records.audit import AuditEntry
from ordermade.state.table import Table

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection


@dataclass(frozen=True, slots=True)
class AuditHead:
    """The number and the hash of the last entry; 0 and zeros before the first."""

    number: int
    hash: str


AUDIT = Table("audit", AuditEntry, sealed=False)
AUDIT_HEAD = Table("audit_head", AuditHead, key=("number",), sealed=False)


def add_audit_entry(
    connection: StateConnection,
    action: str,
    subject: str,
    detail: str | None = None,
    data: Mapping[str, Any] | None = None,
    by: str | None = None,
) -> None:
    """Add an entry: `action` as the command is called (`source add`), `subject` what it was done to.

    `data`: the rows that were written, kept as canonical JSON. `by`: the acting user; None: whoever the transaction is
    of, else the one at the shell. The visit is that of the transaction.
    """
    head = head_of(connection)
    text = None if data is None else canonical_json(data)
    visit = None
    if connection.seals is not None:
        by, visit = connection.seals.by if by is None else by, connection.seals.visit
    acting = actor() if by is None else by
    entry = AuditEntry(head.number + 1, datetime.now(UTC), acting, action, subject, detail, text, visit=visit)
    entry = replace(entry, hash=chained(head.hash, entry))
    AUDIT.insert(connection, **{name: getattr(entry, name) for name in AUDIT.columns})
    AUDIT_HEAD.update(connection, {}, number=entry.id, hash=entry.hash)


def head_of(connection: StateConnection) -> AuditHead:
    """The head of the audit."""
    (head,) = AUDIT_HEAD.select(connection)
    return head


def canonical_json(data: Mapping[str, Any]) -> str:
    """The one JSON text of these values: keys in order, no spaces."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def chained(before: str, entry: AuditEntry) -> str:
    """The hash of an entry of the audit: SHA-256 of the one before, a line feed, and the entry as canonical JSON."""
    return hashlib.sha256(f"{before}\n{canonical_json(content_of(entry))}".encode()).hexdigest()


def content_of(entry: AuditEntry) -> dict[str, Any]:
    """The content of an entry of the audit that its hash is of, by name; a visit where it was done in one."""
    content = {
        "number": entry.id,
        "happened_at": f"{entry.happened_at:%Y-%m-%dT%H:%M:%S.%f}Z",
        "actor": entry.actor,
        "action": entry.action,
        "subject": entry.subject,
        "detail": entry.detail,
        "data": entry.data,
    }
    return content if entry.visit is None else content | {"visit": entry.visit}


def audit_entries(connection: StateConnection, entries: int = 100) -> tuple[AuditEntry, ...]:
    """The latest entries, the latest first."""
    return tuple(AUDIT.select(connection, order_by=("-id",), most=entries))


def actor() -> str:
    """The name of the user on the operating system, or `unknown` where there is none (some containers).

    That of the process, not of LOGNAME or USER: the audit, and whether a review is of an own request, go by it.
    """
    try:
        from pwd import getpwuid
    except ImportError:  # Windows
        return getpass.getuser()
    try:
        return getpwuid(os.geteuid()).pw_name
    except KeyError:
        return "unknown"
