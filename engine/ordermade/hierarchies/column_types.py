"""SQL types, as DuckDB names them: those of hierarchies, and those that hold numbers or dates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

from ordermade.phrases import phrase

_LABEL = r"'(?:[^']|'')*'"
_ENUM = re.compile(rf"\bENUM\s*\(\s*(?:{_LABEL}(?:\s*,\s*{_LABEL})*)?\s*\)", re.IGNORECASE)

_DECIMAL = re.compile(r"DECIMAL\s*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)", re.IGNORECASE)
_MAX_DIGITS = 38
"""The digits of the widest DECIMAL."""

WHOLE = frozenset(
    {
        "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT",
        "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT",
    }
)  # fmt: skip
DATES = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"})
WITHOUT_TEXT = frozenset({"BLOB", "BIT", "GEOMETRY", "INTERVAL", "VARIANT", "UNION", "STRUCT", "MAP", "LIST", "ARRAY"})


def plain(column_type: str) -> str:
    """The type's name in capitals, `DECIMAL` for `DECIMAL(18,2)`; lists keep their brackets."""
    name = column_type.strip().upper()
    return name if name.endswith("]") else name.partition("(")[0].strip()


def without_labels(column_type: str) -> str:
    """The type as it may be shown and kept: `ENUM` for `ENUM('a', 'b')`, whose labels are values of the data."""
    return _ENUM.sub("ENUM", column_type)


def of_any_scale(column_type: str) -> str:
    """The type itself; of the widest numbers that of no one scale, which may be that of the values alone."""
    decimal = _DECIMAL.fullmatch(column_type.strip())
    return "DECIMAL(38,19)" if decimal and int(decimal[1]) == _MAX_DIGITS else column_type


_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "VARCHAR": phrase("text"),
        "TEXT": phrase("text"),
        "ENUM": phrase("text"),
        "UUID": phrase("text"),
        "DATE": phrase("date"),
        "TIME": phrase("time of the day"),
        "TIME_NS": phrase("time of the day"),
        "TIMETZ": phrase("time of the day"),
        "TIME WITH TIME ZONE": phrase("time of the day"),
        "INTERVAL": phrase("span of time"),
        "BIGNUM": phrase("number"),
        "BOOLEAN": phrase("truth value"),
    }
)


def type_in_words(column_type: str) -> str:
    """The kind of the type in words, which one value of a column rarely decides: no digits, no width."""
    name = plain(column_type)
    if is_number(column_type):
        return phrase("number")
    if name.startswith("TIMESTAMP"):
        is_zoned = "TIME ZONE" in name or name == "TIMESTAMPTZ"
        return phrase("date with a time zone") if is_zoned else phrase("date with a time")
    return _KINDS.get(name, phrase("binary or nested value"))


def holds_span(column_type: str) -> bool:
    """True if the type is, or has within it, a span of time: 1 month and 30 days are equal, and two texts."""
    return re.search(r"\bINTERVAL\b", column_type.upper()) is not None


def is_union(column_type: str) -> bool:
    """True if the type is, or has within it, a union: values of several types side by side."""
    return re.search(r"\bUNION\(", column_type) is not None


def holds_huge(column_type: str) -> bool:
    """True if the type is, or has within it, a whole number of 16 bytes."""
    return re.search(r"\bU?HUGEINT\b", column_type) is not None


def lost_in_parquet(column_type: str) -> str | None:
    """Name the part of a value that Parquet loses, of the type or one within it; None where it holds it whole."""
    if re.search(r"\bTIME WITH TIME ZONE\b", column_type):
        return "offset from UTC"
    return "microseconds" if holds_span(column_type) else None


def is_whole(column_type: str) -> bool:
    """True if the type holds whole numbers only."""
    return plain(column_type) in WHOLE


def is_single_precision(column_type: str) -> bool:
    """True if the type is the 4-byte floating-point number."""
    return plain(column_type) in {"FLOAT", "REAL", "FLOAT4"}


def is_floating(column_type: str) -> bool:
    """True if the type is a floating-point number, which has a zero of either sign."""
    return plain(column_type) == "DOUBLE" or is_single_precision(column_type)


def is_number(column_type: str) -> bool:
    """True if the type is numeric."""
    name = plain(column_type)
    return name in {"DOUBLE", "DECIMAL"} or is_whole(name) or is_single_precision(name)


def is_date(column_type: str) -> bool:
    """True if the type is a date or a time stamp without a time zone."""
    return plain(column_type) in DATES


def is_text(column_type: str) -> bool:
    """True if the type is text, or written as text without a choice of format."""
    return plain(column_type) in {"VARCHAR", "TEXT", "ENUM", "UUID"}


def has_no_text(column_type: str) -> bool:
    """True if the type has no one text form that a listed value could be compared with."""
    name = plain(column_type)
    return name.endswith("]") or name in WITHOUT_TEXT


MeasuredAs: TypeAlias = Literal["whole", "float"]
"""An exact whole number of 8 bytes (of a DECIMAL: of units of its last digit), or a float64."""

OrderedAs: TypeAlias = MeasuredAs | Literal["day", "microsecond", "nanosecond"]
"""The same, or a whole number of these since 1970-01-01 began: of dates and of time stamps without a time zone."""

MAX_DIGITS = 18
"""A DECIMAL of more digits does not fit into a whole number of 8 bytes."""

_TOO_WIDE = frozenset({"HUGEINT", "UHUGEINT", "UBIGINT"})


def measured_as(column_type: str) -> MeasuredAs | None:
    """The representation of numbers of this type; None for a type that is no number or has too many digits."""
    if not is_number(column_type):
        return None
    decimal = _DECIMAL.fullmatch(column_type.strip())
    if decimal:
        return "whole" if int(decimal[1]) <= MAX_DIGITS else None
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
