"""The options of `ordermade judge` that are written as a column and what it has: units, hierarchies."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from ordermade.errors import InputError, quoted

if TYPE_CHECKING:
    from decimal import Decimal


def units_of(written: Sequence[str]) -> dict[str, Decimal]:
    """The units in `COLUMN=NUMBER`, by column. Raises InputError for another writing, or a unit that is not above 0."""
    found: dict[str, Decimal] = {}
    for each in written:
        name, sign, number = each.rpartition("=")
        try:
            unit = Decimal(number)
        except InvalidOperation:
            unit = Decimal(0)
        if not sign or not name or not unit.is_finite() or unit <= 0 or abs(unit.adjusted()) > 12:
            raise InputError(
                "a unit is a column and a number above 0", where="--unit", next_step="For example --unit Price=0.01."
            )
        found[name] = unit
    return found


def hierarchies_of(written: Sequence[str]) -> dict[str, str]:
    """The hierarchies in `COLUMN=NAME|FILE`, by column. Raises InputError for another writing, or a column twice."""
    found: dict[str, str] = {}
    for each in written:
        column, sign, given = each.partition("=")
        if not sign or not column or not given:
            raise InputError(
                "a hierarchy is given as a column and a name or file",
                where="--hierarchy",
                next_step="For example --hierarchy age=age.csv.",
            )
        if column in found:
            raise InputError(
                f"{quoted(column)} is named twice", where="--hierarchy", next_step="A column has one hierarchy."
            )
        found[column] = given
    return found
