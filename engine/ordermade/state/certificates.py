"""Certificates in the state, by the hashes of their files: so that an edited one is seen."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.state.audit import add_audit_entry
from ordermade.state.statements import utc_now
from ordermade.state.table import Table

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection


@dataclass(frozen=True, slots=True)
class CertificateRow:
    """A certificate that was written to a file, with its hash; `request_id`: of the request that it is about."""

    id: int
    request_id: int | None
    path: str
    sha256: str
    written_at: datetime


CERTIFICATES = Table("certificates", CertificateRow)


def note(connection: StateConnection, path: Path, text: str, request_id: int | None) -> None:
    """Note that a certificate with this text was written to a file, about the result of a request."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    CERTIFICATES.insert(
        connection,
        request_id=request_id,
        path=str(path.absolute()),
        sha256=digest,
        written_at=utc_now(),
    )
    add_audit_entry(connection, "certificate written", str(path), data={"request": request_id, "sha256": digest})
