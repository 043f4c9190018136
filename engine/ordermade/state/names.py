"""Names of what is registered: looked up exactly, refused where they could not be read back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

from ordermade.errors import InputError, UnknownName, quoted

LONGEST_NAME = 200


class Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str:
        """The name it is known by."""


Found = TypeVar("Found", bound=Named)


def checked_name(kind: str, name: str) -> str:
    """`name` itself. Raises InputError if it is empty, too long, padded, or does not print."""
    if not name or name != name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
        raise InputError(
            f"{quoted(name)} cannot be the name of a {kind}",
            next_step=f"Use up to {LONGEST_NAME} printable characters with no space at either end.",
        )
    return name


def find(kind: str, name: str, among: Iterable[Found]) -> Found:
    """The one of that exact name. Raises UnknownName, which names the nearest."""
    known = {each.name: each for each in among}
    if name not in known:
        raise UnknownName(kind, name, known, next_step="" if known else f"Add one with `ordermade {kind} add`.")
    return known[name]


def require_free(kind: str, name: str, among: Iterable[Named]) -> None:
    """Raise InputError if something of that name is registered already."""
    if any(each.name == name for each in among):
        raise InputError(
            f"there is already a {kind} {quoted(name)}",
            next_step=f"Choose another name, or run `ordermade {kind} remove` first.",
        )
