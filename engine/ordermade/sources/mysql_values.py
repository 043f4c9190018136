"""Values between Arrow and MariaDB or MySQL: as JSON on the way there, as texts on the way back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from pyarrow import compute

from ordermade.errors import UnfitValue, quoted

_LONGEST_KEY = 700
"""Characters: a longer text is no key that MariaDB looks rows up by."""
_MAX_DIGITS = 16_000
"""Hexadecimal digits: of bytes that come as a LONGTEXT, MariaDB finds none by a key."""


def longest_text(column: pa.ChunkedArray) -> int:
    """The characters of the longest text of a column, or digits of its longest bytes; 0 where it has neither."""
    if pa.types.is_binary(column.type):
        return 2 * (compute.max(compute.binary_length(column)).as_py() or 0)
    if not pa.types.is_string(column.type):
        return 0
    return compute.max(compute.utf8_length(column)).as_py() or 0


def json_type(kind: pa.DataType, longest: int) -> str:
    """The type of a column of JSON_TABLE."""
    types = pa.types
    if types.is_string(kind) or types.is_large_string(kind):
        return f"VARCHAR({max(1, longest)})" if longest <= _LONGEST_KEY else "LONGTEXT"
    if types.is_binary(kind) and longest <= _MAX_DIGITS:
        return f"VARCHAR({max(1, longest)})"
    if types.is_boolean(kind):
        return "TINYINT"
    if types.is_unsigned_integer(kind):
        return "BIGINT UNSIGNED"
    if types.is_integer(kind):
        return "BIGINT"
    if types.is_floating(kind):
        return "DOUBLE"
    if types.is_decimal(kind):
        return f"DECIMAL({kind.precision}, {kind.scale})"
    if types.is_date(kind):
        return "DATE"
    return "DATETIME(6)" if types.is_timestamp(kind) else "LONGTEXT"


def as_json(column: pa.ChunkedArray) -> list[Any]:
    """Values as JSON holds them: numbers, or texts."""
    types = pa.types
    if types.is_boolean(column.type):
        return column.cast(pa.int8()).to_pylist()  # type: ignore[no-any-return]
    if types.is_integer(column.type) or types.is_floating(column.type):
        return column.to_pylist()  # type: ignore[no-any-return]
    if types.is_binary(column.type):
        return [None if each is None else each.hex() for each in column.to_pylist()]
    if types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("us"))
    return column.cast(pa.string()).to_pylist()  # type: ignore[no-any-return]


def as_arrow(values: Sequence[Any], kind: pa.DataType, name: str) -> pa.Array:
    """Values of one column as Arrow. Raises UnfitValue for a day that is none."""
    types = pa.types
    if types.is_string(kind) or types.is_binary(kind):
        return pa.array(values, kind)
    texts = pa.array(values, pa.string())
    if types.is_boolean(kind):
        numbers = texts.cast(pa.int8())
        if any(each not in (0, 1, None) for each in numbers.unique().to_pylist()):
            raise UnfitValue(
                f"the column {quoted(name)} is declared as tinyint(1), a truth value, and stores other numbers",
                next_step="Declare it as tinyint, or register a view that does.",
            )
        return numbers.cast(kind)
    if types.is_date(kind) or types.is_timestamp(kind):
        if any(each is not None and ("-00" in each[:10] or each.startswith("0000")) for each in values):
            raise UnfitValue(
                f"the column {quoted(name)} stores zero dates, such as 0000-00-00, which are no days",
                next_step="Store NULL in their place, or register a dataset query that leaves them out.",
            )
        if types.is_timestamp(kind):
            return texts.cast(pa.timestamp("us")).cast(kind)
    return texts.cast(kind)
