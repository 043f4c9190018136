"""The documents of `ordermade certificate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ordermade.cli.documents.opening import FORMAT

if TYPE_CHECKING:
    from ordermade.certificates.certify import WrittenCertificate
    from ordermade.certificates.verification import VerifiedCertificate
    from ordermade.cli.documents.types.certificate import CertificateCopied, CertificateVerified


def verified(file: Path, found: VerifiedCertificate) -> CertificateVerified:
    """The document of `certificate verify`."""
    return {
        "format": FORMAT,
        "command": "certificate verify",
        "certificate": str(file),
        "holds": True,
        "counted": found.counted,
        "nodes": found.nodes,
    }


def copied(to: Path, audience: Literal["user"], copy: WrittenCertificate) -> CertificateCopied:
    """The document of `certificate copy`."""
    return {
        "format": FORMAT,
        "command": "certificate copy",
        "copy": str(to),
        "for": audience,
        "sha256": copy.sha256,
        "evidence": copy.evidence,
    }
