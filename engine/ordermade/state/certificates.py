"""Certificates in the state, by the hashes of their files: so that an edited one is seen."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.state.statements import add_audit_entry, run, utc_now

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection


def note(connection: StateConnection, path: Path, text: str, request_id: int | None) -> None:
    """Note that a certificate with this text was written to a file, about the result of a request."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    run(
        connection,
        "state/certificate_insert",
        request_id=request_id,
        path=str(path.absolute()),
        sha256=digest,
        written_at=utc_now(),
    )
    add_audit_entry(connection, "certificate written", str(path), data={"request": request_id, "sha256": digest})
