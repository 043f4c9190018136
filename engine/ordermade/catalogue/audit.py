"""The audit of a state: listed, verified as a chain of hashes, and exported."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.catalogue.arguments import typed_methods
from ordermade.errors import InputError
from ordermade.records.listing import Listing
from ordermade.records.printed import printed, printed_as
from ordermade.state.audit import audit_entries, canonical_json, content_of
from ordermade.state.database import StateFile
from ordermade.state.new_files import new_file, require_new
from ordermade.state.replay import unlike_their_steps
from ordermade.state.seals import NO_HASH, Finding, audit_chain, broken_chain

if TYPE_CHECKING:
    from ordermade.state.records.audit import AuditEntry

SHOWN = {
    "number": "id",
    "when": "happened_at",
    "who": "actor",
    "what": "action",
    "of": "subject",
    "detail": "detail",
    "visit": "visit",
}
"""The columns of the list, in Python and on the screen."""


@dataclass(frozen=True, slots=True)
class VerifiedAudit:
    """The audit, computed again and replayed."""

    number: int = field(metadata=printed("entries"))
    """The number of its entries."""
    head: str
    """The hash of the last one."""
    findings: tuple[Finding, ...]
    """Everything that is wrong."""

    @property
    @printed_as("intact")
    def intact(self) -> bool:
        """Whether every entry is as it was written, and none is gone; if not, the exit status is 3."""
        return not self.findings


@dataclass(frozen=True, slots=True)
class ExportedAudit:
    """Entries of the audit in a file."""

    path: Path
    """The file."""
    entries: int
    """The number of entries written."""
    head: str
    """The hash of the last of them; zeros where there is none."""


@typed_methods
@dataclass(frozen=True, slots=True)
class Audit:
    """The audit of a state: who did what and when."""

    state: StateFile

    def list(self, entries: int = 100) -> tuple[AuditEntry, ...]:
        """The latest entries, the latest first. Raises InputError for fewer than one, StateFault."""
        if entries < 1:
            raise InputError("the number of entries is less than 1", next_step="Ask for at least one.")
        with self.state.reading() as connection:
            return Listing(audit_entries(connection, entries), "entries", SHOWN)

    def verify(self, head: str | None = None) -> VerifiedAudit:
        """Computes the hash of every entry again, and replays the steps, which give the rows that they wrote.

        `head`: the hash of an entry that was noted elsewhere: it must be in the chain, which shows an audit that was
        written anew with hashes that fit. Raises InputError where it is no such hash, StateFault.
        """
        if head is not None and (len(head) != len(NO_HASH) or not set(head) <= set("0123456789abcdef")):
            step = "Give the 64 characters that `audit verify` or `audit export` printed."
            raise InputError("this is no hash of an entry", where="--head", next_step=step)
        with self.state.reading() as connection:
            findings = [*broken_chain(connection), *unlike_their_steps(connection)]
            hashes = {entry.hash: entry.id for entry in audit_chain(connection)}
        if head is not None and head not in hashes and head != NO_HASH:
            findings.append(Finding("audit", "no entry has the given hash: the audit is not the one it was noted of"))
        last, number = next(reversed(hashes.items()), (NO_HASH, 0))
        return VerifiedAudit(number, last, tuple(findings))

    def export(self, path: Path, since: int | datetime | None = None) -> ExportedAudit:
        """Writes entries to a new file (mode 0600), a line of JSON each, from a number or a time (UTC) on.

        Raises InputError where the file is there or has no folder, StateFault.
        """
        require_new(path, "export")
        with self.state.reading() as connection, new_file(path, "export") as made:
            written, head = 0, NO_HASH
            with made.open("w", encoding="utf-8") as file:
                for entry, line in _lines(audit_chain(connection)):
                    if _is_since(entry, since):
                        file.write(line + "\n")
                        written, head = written + 1, entry.hash
        return ExportedAudit(path, written, head)


def _lines(entries: Iterator[AuditEntry]) -> Iterator[tuple[AuditEntry, str]]:
    """Each entry with its line: the hash before it, its own, and the text that it is the hash of."""
    before = NO_HASH
    for entry in entries:
        content = canonical_json(content_of(entry))
        yield entry, f'{{"previous":{json.dumps(before)},"hash":{json.dumps(entry.hash)},"entry":{content}}}'
        before = entry.hash


def _is_since(entry: AuditEntry, since: int | datetime | None) -> bool:
    if since is None:
        return True
    return entry.id >= since if isinstance(since, int) else entry.happened_at >= since
