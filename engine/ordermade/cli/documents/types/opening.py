"""The key that every document begins with, and parts of several documents."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict


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
