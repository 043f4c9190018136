"""The documents of `ordermade certificate`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ordermade.records.printed import printed

if TYPE_CHECKING:
    from ordermade.certificates.tables import VerifiedTables
    from ordermade.certificates.verification import VerifiedCertificate


@dataclass(frozen=True, slots=True)
class CertificateVerified:
    """A certificate that holds. One that does not is an error, `unproved`."""

    certificate: Path
    """Its file."""
    verified: VerifiedCertificate = field(metadata=printed(spread=True))
    """The nodes that were counted."""
    holds: Literal[True] = True
    """True."""


@dataclass(frozen=True, slots=True)
class TablesCertificateVerified:
    """A certificate of tables with totals that holds. One that does not is an error, `unproved`."""

    certificate: Path
    """Its file."""
    verified: VerifiedTables = field(metadata=printed(spread=True))
    """The cells that were counted."""
    holds: Literal[True] = True
    """True."""


@dataclass(frozen=True, slots=True)
class CertificateCopied:
    """A certificate was copied for another reader."""

    copy: Path
    """The file of the copy."""
    audience: Literal["user"] = field(metadata=printed("for"))
    """The reader of the copy."""
    sha256: str
    """The hash of the provider's certificate."""
    evidence: int
    """The number of nodes that the copy has as evidence."""
