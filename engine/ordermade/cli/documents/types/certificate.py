"""The types of the documents of `ordermade certificate`."""

from __future__ import annotations

from typing import Annotated, Literal

from typing_extensions import Doc, TypedDict

from ordermade.cli.documents.types.opening import Opening


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
