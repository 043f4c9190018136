"""The SQL types, by DuckDB's names, of numbers or dates that records are grouped by, and their units."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from ordermade.hierarchies.column_types import is_date, is_number, is_whole, plain

MeasuredAs: TypeAlias = Literal["whole", "float"]
"""An exact whole number of 8 bytes (of a DECIMAL: of units of its last digit), or a float64."""

OrderedAs: TypeAlias = MeasuredAs | Literal["day", "microsecond", "nanosecond"]
"""The same, or a whole number of these since 1970-01-01 began: of dates and of time stamps without a time zone."""

MOST_DIGITS = 18
"""A DECIMAL of more digits does not fit into a whole number of 8 bytes."""

_TOO_WIDE = frozenset({"HUGEINT", "UHUGEINT", "UBIGINT"})
_DECIMAL = re.compile(r"DECIMAL\s*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)", re.IGNORECASE)


def measured_as(column_type: str) -> MeasuredAs | None:
    """The representation of numbers of this type; None for a type that is no number or has too many digits."""
    if not is_number(column_type):
        return None
    decimal = _DECIMAL.fullmatch(column_type.strip())
    if decimal:
        return "whole" if int(decimal[1]) <= MOST_DIGITS else None
    if is_whole(column_type):
        return None if plain(column_type) in _TOO_WIDE else "whole"
    return "float"


def decimals_of(column_type: str) -> int:
    """The digits after the point that every value of the type has: 0 except for DECIMAL."""
    decimal = _DECIMAL.fullmatch(column_type.strip())
    return int(decimal[2] or 0) if decimal else 0


def ordered_as(column_type: str) -> OrderedAs | None:
    """The representation that orders values of this type; None for one neither number nor date, or too wide."""
    number = measured_as(column_type)
    if number is not None or not is_date(column_type):
        return number
    match plain(column_type):
        case "DATE":
            return "day"
        case "TIMESTAMP_NS":
            return "nanosecond"
        case _:
            return "microsecond"
