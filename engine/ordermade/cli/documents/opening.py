"""The keys that every document begins with, and records as documents have them."""

from __future__ import annotations

from typing import Final, Literal, TypeVar, cast

from typing_extensions import TypedDict

from ordermade.cli.screen import plain

FORMAT: Final = "ordermade-output/1"
"""The version of all documents. Further keys leave it as it is; a key that goes, or means another thing, raises it."""


class Opening(TypedDict):
    """The key that every document begins with; the command follows."""

    format: Literal["ordermade-output/1"]
    """The version of the document."""


class TypedColumn(TypedDict):
    """A column of a table."""

    name: str
    """Its name, as the database has it."""
    type: str
    """Its SQL type."""


Kind = TypeVar("Kind")


def printed(record: object, kind: type[Kind]) -> Kind:  # noqa: ARG001 (the kind types the answer)
    """A record whose fields are the keys of a document of this kind. A test compares the two."""
    return cast(Kind, plain(record))
