"""The constants of a row filter in the types of the columns that they are compared with, and each type's operators."""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Mapping
from datetime import UTC
from decimal import Decimal
from types import MappingProxyType
from typing import cast

from sqlglot import exp

from ordermade.errors import FilterError, quoted
from ordermade.hierarchies.column_types import decimals_of, is_single_precision, is_whole, plain, type_in_words
from ordermade.phrases import phrase
from ordermade.requests.filter_tree import Constant, FilterComparison
from ordermade.requests.numbers import DATE, TIME, read_time
from ordermade.sql import DIALECT

OFFSET = re.compile(TIME.pattern + r"([+-][0-9]{2}(:?[0-9]{2})?|Z)?")
"""A day, or a moment with or without its offset from UTC."""
_CLOCK = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_MAX_OF_SINGLE = 9
"""So many digits tell any number of 4 bytes from the next."""
_LARGEST_DOUBLE = Decimal(sys.float_info.max)


def written(constant: Constant) -> exp.Expression:
    """A constant as SQL, as it is written."""
    match constant.kind:
        case "number":
            return _signed(constant.text)
        case "text":
            return exp.Literal.string(constant.text)
        case "truth":
            return exp.Boolean(this=constant.text == "TRUE")
    return _cast(constant.text, constant.kind)


def _signed(text: str) -> exp.Expression:
    number = exp.Literal.number(text.lstrip("-"))
    return exp.Neg(this=number) if text.startswith("-") else number


def _cast(text: str, to: str) -> exp.Expression:
    return exp.Cast(this=exp.Literal.string(text), to=exp.DataType.build(to, dialect=DIALECT))


_LARGEST: Mapping[str, int] = MappingProxyType(
    {"TINYINT": 2**7, "SMALLINT": 2**15, "INTEGER": 2**31, "BIGINT": 2**63, "HUGEINT": 2**127}
)
_SAME_OR_NOT = ("=", "<>", "IN")
_ORDERED = ("=", "<>", "IN", "<", "<=", ">", ">=", "BETWEEN")
_TEXT = (*_ORDERED, "LIKE")
_NOT_ORDERED = (*_SAME_OR_NOT, "LIKE")
_BY_TYPE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **dict.fromkeys(("VARCHAR", "TEXT"), _TEXT),
        "ENUM": _NOT_ORDERED,  # it is ordered by its labels in one database, by their places in another
        "BOOLEAN": ("=", "<>", "IS TRUE", "IS FALSE", "TRUTH"),
        "UUID": _SAME_OR_NOT,
        **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "DATE", "TIME"), _ORDERED),
        **dict.fromkeys(("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ", "DOUBLE", "DECIMAL"), _ORDERED),
    }
)
"""The operators of each type of column; those of whole numbers and of FLOAT are `_ORDERED`."""


def of_its_type(comparison: FilterComparison, column_type: str) -> tuple[exp.Expression, ...]:
    """The constants of a comparison in the type of its column. Raises FilterError where it has not that operator."""
    kind = plain(column_type)
    is_ordered = is_whole(column_type) or is_single_precision(column_type)
    allowed = _ORDERED if is_ordered else _BY_TYPE.get(kind, ())
    if comparison.operator not in ("IS NULL", *allowed):
        listed = ", ".join(each for each in (*allowed, "IS NULL") if each != "TRUTH")
        what = phrase(
            "the column %(column)s is a %(kind)s, which a filter does not compare so",
            column=quoted(comparison.column),
            kind=type_in_words(column_type),
        )
        raise FilterError(
            what, next_step=phrase("Write one of %(listed)s; anything else is for a dataset query.", listed=listed)
        )
    found = []
    for each in comparison.constants:
        node = in_type(each, column_type)
        if node is None:
            raise FilterError(
                phrase(
                    "the column %(column)s cannot have a value that the filter compares it with",
                    column=quoted(comparison.column),
                ),
                next_step=phrase("Write %(wanted)s.", wanted=_wanted(column_type)),
            )
        found.append(node)
    return tuple(found)


def _wanted(column_type: str) -> str:
    """A constant of a type, in words."""
    kind = plain(column_type)
    if is_whole(column_type):
        least, most = _range_of(kind)
        return phrase(
            "a whole number from %(least)s to %(most)s, without quotes",
            least=format(least, ","),
            most=format(most, ","),
        )
    examples = {
        "DECIMAL": phrase("a number of no more digits than the column keeps, without quotes"),
        "DOUBLE": phrase("a number without quotes"),
        "BOOLEAN": phrase("TRUE or FALSE"),
        "UUID": phrase("a UUID in quotes"),
        "TIME": phrase("a time of the day such as '10:30:00'"),
        "DATE": "DATE '2013-10-01'",
        "TIMESTAMP WITH TIME ZONE": "TIMESTAMPTZ '2013-10-01 10:30:00+09:00'",
    }
    if kind.startswith("TIMESTAMP"):
        return examples.get(kind) or phrase(
            "TIMESTAMP '2013-10-01 10:30:00', as fine and within the years that %(kind)s keeps", kind=kind
        )
    if is_single_precision(column_type):
        return phrase("a number without quotes that 4 bytes keep as it is written")
    return examples.get(kind, phrase("a text in single quotes"))


def _range_of(kind: str) -> tuple[int, int]:
    if kind.startswith("U"):
        return 0, 2 * _LARGEST[kind[1:]] - 1
    return -_LARGEST[kind], _LARGEST[kind] - 1


def in_type(constant: Constant, column_type: str) -> exp.Expression | None:
    """A constant in the type of a column; None where no value of the column is written so."""
    kind, text = plain(column_type), constant.text
    if constant.kind == "number":
        return _number_of_type(Decimal(text), column_type)
    if constant.kind == "truth":
        return written(constant) if kind == "BOOLEAN" else None
    if kind in ("VARCHAR", "TEXT", "ENUM"):
        return exp.Literal.string(text) if constant.kind == "text" else None
    if kind == "UUID" and constant.kind == "text":
        return exp.Literal.string(text.lower()) if _UUID.fullmatch(text) else None
    if kind == "TIME" and constant.kind == "text":
        return _cast(text, "TIME") if _CLOCK.fullmatch(text) else None
    return _point_of_type(constant, kind)


def _number_of_type(number: Decimal, column_type: str) -> exp.Expression | None:
    kind = plain(column_type)
    if is_whole(column_type):
        least, most = _range_of(kind)
        if number != number.to_integral_value() or not least <= number <= most:
            return None
        text = str(int(number))
        return _cast(text, kind) if "HUGEINT" in kind else _signed(text)
    if kind == "DECIMAL":
        decimals, digits = decimals_of(column_type), int((re.search(r"\d+", column_type) or ["18"])[0])
        if number and not (-decimals <= _last_place(number) and number.adjusted() < digits - decimals):
            return None
        # As many decimals as the column has: beside others DuckDB would need more digits for both than there are.
        return _signed(f"{number:.{decimals}f}")
    if kind == "DOUBLE":
        return _double(float(number)) if abs(number) <= _LARGEST_DOUBLE else None
    if is_single_precision(column_type):
        kept = _in_4_bytes(number)
        return None if kept is None else _double(kept)  # every database takes the column for 8 bytes beside it
    return None


def _last_place(number: Decimal) -> int:
    """The exponent of the last digit that is not 0: `normalize` would round to 28 digits."""
    written = "".join(map(str, number.as_tuple().digits))
    return cast("int", number.as_tuple().exponent) + len(written) - len(written.rstrip("0"))


def _double(number: float) -> exp.Expression:
    text = repr(number)
    return _signed(text if "e" in text else f"{text}e0")


def _in_4_bytes(number: Decimal) -> float | None:
    """The number of 4 bytes that is shown by these digits, the fewest that give it.

    None where that shows others; a number beyond all of 4 bytes as it is.
    """
    kept = _packed(number)
    if kept is None:
        return float(number) if abs(number) <= _LARGEST_DOUBLE else None
    (value,) = struct.unpack("<f", kept)
    shown = (Decimal(f"{value:.{digits}g}") for digits in range(1, _MAX_OF_SINGLE + 1))
    return value if number == next(each for each in shown if _packed(each) == kept) else None


def _packed(number: Decimal) -> bytes | None:
    try:
        return struct.pack("<f", float(number))
    except OverflowError:
        return None


_FINEST: Mapping[str, int] = MappingProxyType({"TIMESTAMP_S": 1_000_000, "TIMESTAMP_MS": 1_000})
"""The microseconds between two moments of a type."""


def _point_of_type(constant: Constant, kind: str) -> exp.Expression | None:
    """A day or a moment in the type of a column. A day beside moments is the moment at which it begins."""
    moment = read_time(constant.text)
    if moment is None or not OFFSET.fullmatch(constant.text):
        return None
    if kind == "DATE":
        return _cast(constant.text, "DATE") if constant.kind != "TIMESTAMP" and DATE.fullmatch(constant.text) else None
    if kind in ("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ"):
        if constant.kind not in ("text", "TIMESTAMPTZ"):
            return None
        try:
            moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
        except OverflowError:
            return None
        return _cast(moment.isoformat(" "), "TIMESTAMPTZ")
    if not kind.startswith("TIMESTAMP") or constant.kind == "TIMESTAMPTZ" or moment.tzinfo is not None:
        return None
    if moment.microsecond % _FINEST.get(kind, 1) or (kind == "TIMESTAMP_NS" and not 1678 <= moment.year < 2262):
        return None
    return _cast(moment.isoformat(" "), "TIMESTAMP")
