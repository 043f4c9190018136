"""The documents of `ordermade audit`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from ordermade.cli.documents.opening import FORMAT
from ordermade.cli.screen import plain

if TYPE_CHECKING:
    from ordermade.catalogue.audit import ExportedAudit, VerifiedAudit
    from ordermade.cli.documents.types.audit import AuditExported, AuditList, AuditVerified, Entry
    from ordermade.cli.documents.types.state import StateFinding
    from ordermade.state.records.audit import AuditEntry


def listed(entries: Sequence[AuditEntry]) -> AuditList:
    """The document of `audit list`."""
    return {
        "format": FORMAT,
        "command": "audit list",
        "entries": [cast("Entry", plain(each)) for each in entries],
    }


def verified(found: VerifiedAudit) -> AuditVerified:
    """The document of `audit verify`."""
    return {
        "format": FORMAT,
        "command": "audit verify",
        "intact": found.intact,
        "entries": found.number,
        "head": found.head,
        "findings": [cast("StateFinding", plain(each)) for each in found.findings],
    }


def exported(made: ExportedAudit) -> AuditExported:
    """The document of `audit export`."""
    return {
        "format": FORMAT,
        "command": "audit export",
        "path": str(made.path),
        "entries": made.entries,
        "head": made.head,
    }
