"""The documents of `ordermade certificate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typing_extensions import Doc, TypedDict

from ordermade.cli.documents.opening import FORMAT, Opening

if TYPE_CHECKING:
    from ordermade.certificates.certify import WrittenCertificate
    from ordermade.certificates.verification import VerifiedCertificate


class Certificate(TypedDict):
    """A certificate that was written."""

    path: str
    """Its file."""
    sha256: str
    """The hash of its content."""
    evidence: int
    """The number of nodes that it has as evidence."""


class CertificateVerified(Opening):
    """A certificate that holds. One that does not is an error, `unproved`."""

    command: Literal["certificate verify"]
    """`certificate verify`."""
    certificate: str
    """Its file."""
    holds: Literal[True]
    """True."""
    counted: int
    """The nodes that were counted again."""
    nodes: int
    """The nodes that the request accepts."""


# `for` is a word of Python's own: the class that has it is made by a call.
_For = TypedDict("_For", {"for": Annotated[Literal["user"], Doc("The reader of the copy.")]})


class CertificateCopied(Opening, _For):
    """A certificate was copied for another reader."""

    command: Literal["certificate copy"]
    """`certificate copy`."""
    copy: str
    """The file of the copy."""
    sha256: str
    """The hash of the provider's certificate."""
    evidence: int
    """The number of nodes that the copy has as evidence."""


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
