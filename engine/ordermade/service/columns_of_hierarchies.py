"""The registered hierarchies that are of a column by their names; those that users uploaded are never among them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ordermade.catalogue.registered import named_hierarchies
from ordermade.state import hierarchies as stored_hierarchies

if TYPE_CHECKING:
    from ordermade.hierarchies.hierarchy import Hierarchy
    from ordermade.state.connection import StateConnection

_SEPARATORS = (" ", "_", "-", ".", "（", "(")
"""What may stand between the name of a column and the rest of the name of a hierarchy that is of it."""


def registered_for(connection: StateConnection, column: str) -> tuple[Hierarchy, ...]:
    """The registered hierarchies that are of a column by their names."""
    names = named_after(column, registered_names(connection))
    return tuple(named_hierarchies(connection, names)[each] for each in names) if names else ()


def registered_names(connection: StateConnection) -> frozenset[str]:
    """The names of the registered hierarchies, without those of users."""
    found = stored_hierarchies.named(connection, ())
    return frozenset(found.known) - found.owners.keys()


def named_after(column: str, hierarchies: Iterable[str]) -> tuple[str, ...]:
    """The hierarchies of a column by their names: that of its own name, then those whose names begin with it."""
    own = column.casefold()
    begin = tuple(own + each for each in _SEPARATORS)
    return tuple(
        sorted(
            (each for each in hierarchies if each.casefold() == own or each.casefold().startswith(begin)),
            key=lambda each: (each.casefold() != own, each),
        )
    )
