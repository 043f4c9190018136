"""The SQL types, as DuckDB names them, that a hierarchy can be used on."""

from __future__ import annotations

import re

_LABEL = r"'(?:[^']|'')*'"
_ENUM = re.compile(rf"\bENUM\s*\(\s*(?:{_LABEL}(?:\s*,\s*{_LABEL})*)?\s*\)", re.IGNORECASE)

WHOLE = frozenset(
    {
        "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT",
        "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT",
    }
)  # fmt: skip
DATES = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"})
WITHOUT_TEXT = frozenset({"BLOB", "BIT", "GEOMETRY", "VARIANT", "UNION", "STRUCT", "MAP", "LIST", "ARRAY"})


def plain(column_type: str) -> str:
    """The type's name in capitals, `DECIMAL` for `DECIMAL(18,2)`; lists keep their brackets."""
    name = column_type.strip().upper()
    return name if name.endswith("]") else name.partition("(")[0].strip()


def without_labels(column_type: str) -> str:
    """The type as it may be shown and kept: `ENUM` for `ENUM('a', 'b')`, whose labels are values of the data."""
    return _ENUM.sub("ENUM", column_type)


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
    return "microseconds" if re.search(r"\bINTERVAL\b", column_type) else None


def is_whole(column_type: str) -> bool:
    """True if the type holds whole numbers only."""
    return plain(column_type) in WHOLE


def is_single_precision(column_type: str) -> bool:
    """True if the type is the 4-byte floating-point number."""
    return plain(column_type) in {"FLOAT", "REAL", "FLOAT4"}


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


def is_nested_or_binary(column_type: str) -> bool:
    """True if the type has no one text form that a listed value could be compared with."""
    name = plain(column_type)
    return name.endswith("]") or name in WITHOUT_TEXT
