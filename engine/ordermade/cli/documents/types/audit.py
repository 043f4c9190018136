"""The types of the documents of `ordermade audit`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from ordermade.cli.documents.types.opening import Opening
from ordermade.cli.documents.types.state import StateFinding


class Entry(TypedDict):
    """An entry of the audit."""

    id: int
    """Its number."""
    happened_at: str
    """When, in UTC."""
    actor: str
    """Who."""
    action: str
    """What was done, as the command is called."""
    subject: str
    """What it was done to."""
    detail: str | None
    """More in one line; null if there is none."""
    data: str | None
    """What was done, as canonical JSON; null if there is nothing to note."""
    hash: str
    """SHA-256 of the hash of the entry before, a line feed and the entry as canonical JSON."""


class AuditList(Opening):
    """The latest entries of the audit."""

    command: Literal["audit list"]
    """`audit list`."""
    entries: list[Entry]
    """The entries, the latest first."""


class AuditVerified(Opening):
    """The audit, its hashes computed again."""

    command: Literal["audit verify"]
    """`audit verify`."""
    intact: bool
    """Whether every entry is as it was written, and none is gone."""
    entries: int
    """The number of the last entry."""
    head: str
    """Its hash; zeros where there is no entry."""
    findings: list[StateFinding]
    """What is wrong."""


class AuditExported(Opening):
    """Entries of the audit in a file."""

    command: Literal["audit export"]
    """`audit export`."""
    path: str
    """The file."""
    entries: int
    """The number of entries written."""
    head: str
    """The hash of the last of them; zeros where there is none."""
