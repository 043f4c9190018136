"""The options of `ordermade rules`: hierarchies by column, and the file that is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ordermade.errors import InputError, Refused, quoted

if TYPE_CHECKING:
    from ordermade.methods.mondrian.suggest import Suggestion

LESS = "Lower --lift or --support, or name other columns."


def by_column(option: str, given: Sequence[str]) -> dict[str, str]:
    """The names after `=` by the columns before it. Raises InputError for one without, and for a column given twice."""
    found: dict[str, str] = {}
    for each in given:
        column, _, name = (part.strip() for part in each.partition("="))
        if not column or not name:
            raise InputError("a column and a hierarchy are parted by =", where=option, next_step="Write birth=birth.")
        if column in found:
            raise InputError(f"{quoted(column)} is given twice", where=option, next_step="Name one hierarchy for it.")
        found[column] = name
    return found


def require_rules(found: Suggestion) -> None:
    """Raises Refused where there is no rule to be written."""
    if not found.rules:
        raise Refused("no rule has the requested lift and support, so nothing was written", next_step=LESS)
