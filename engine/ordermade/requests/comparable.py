"""Whether a filter compares each column with values that it can have: known from the types of the columns alone.

Where it does not, DuckDB reads what is written as something else, and other databases refuse it or read it in another
way. A text next to a number becomes one, rounded: `code = 5` holds for '5.4', and the statement fails where some row
has no number there, which would reveal something about one person. A number next to a column that cannot have it
becomes one that the column can: '5.4' is 5 next to whole numbers, and 16777217 is 16777216 next to 4 bytes.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

from sqlglot import exp

from ordermade.errors import FilterError, quoted
from ordermade.hierarchies.column_types import decimals_of, is_number, is_single_precision, is_text, is_whole, plain

INCOMPARABLE = "the source cannot compare what the filter compares"
OF_ITS_TYPE = "compare each column with values of its own type (`ordermade dataset show` lists them)"

_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ)
_TEXTS = (exp.Lower, exp.Upper, exp.Trim, exp.Substring)
_NUMBERS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.Abs, exp.Floor, exp.Ceil, exp.Round, exp.Length)
_DIGITS = re.compile(r"\s*[-+]?[0-9]*(?:\.([0-9]*?)0*)?\s*")
_MOST_DIGITS = 38
_MOST_OF_SINGLE = 9
"""So many digits tell any number of 4 bytes from the next."""


def require_comparable(tree: exp.Expr, types: Mapping[str, str]) -> None:
    """Raises FilterError for a comparison with what a column of these types (by the names as stored) cannot have."""
    for node in tree.find_all(*_COMPARISONS, exp.In, exp.Between):
        first, *others = _compared(node)
        for other in others:
            _require_own_type(first, other, types)
            _require_own_type(other, first, types)


def is_double(literal: exp.Expr) -> bool:
    """Whether a literal is a number of 8 bytes, whatever stands next to it: one with an exponent, or of many digits."""
    return not literal.args.get("is_string") and ("e" in literal.name.lower() or len(literal.name) > _MOST_DIGITS)


def _compared(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.In):
        return [node.this, *node.expressions]
    if isinstance(node, exp.Between):
        return [node.this, node.args["low"], node.args["high"]]
    return [node.this, node.args["expression"]]


def _require_own_type(value: exp.Expr, other: exp.Expr, types: Mapping[str, str]) -> None:
    if _is_text(value, types) and _is_number(other, types):
        if isinstance(value, exp.Column):
            what = f"the column {quoted(value.name)} is a text, and the filter compares it with a number"
            raise FilterError(what, next_step="Write the number in quotes, or compare a column of numbers.")
        raise FilterError(INCOMPARABLE, next_step=f"{OF_ITS_TYPE[0].upper()}{OF_ITS_TYPE[1:]}.")
    if isinstance(value, exp.Column) and not _can_have(types[value.name], other):
        raise FilterError(
            f"the column {quoted(value.name)} cannot have a number that the filter compares it with",
            next_step=f"Write a number that {plain(types[value.name])}, its type, keeps as it is written.",
        )


def _is_text(value: exp.Expr, types: Mapping[str, str]) -> bool:
    if isinstance(value, exp.Column):
        return is_text(types[value.name]) or plain(types[value.name]) == "JSON"
    return isinstance(value, _TEXTS)


def _is_number(value: exp.Expr, types: Mapping[str, str]) -> bool:
    if isinstance(value, exp.Paren):
        return _is_number(value.this, types)
    if isinstance(value, exp.Column):
        return is_number(types[value.name])
    return isinstance(value, _NUMBERS) or (isinstance(value, exp.Literal) and not value.is_string)


def _can_have(column_type: str, constant: exp.Expr) -> bool:
    """Whether a column keeps a number as it is written; True for a constant that is none."""
    literal = constant
    while isinstance(literal, (exp.Paren, exp.Neg)):
        literal = literal.this
    if not isinstance(literal, exp.Literal) or is_double(literal):
        return True
    number = _number(literal.name)
    if number is None:
        return True
    if is_single_precision(column_type):
        return number == _shown_by_4_bytes(number)
    if literal.is_string and (is_whole(column_type) or plain(column_type) == "DECIMAL"):
        found = _DIGITS.fullmatch(literal.name)
        return found is not None and len(found[1] or "") <= decimals_of(column_type)
    return True


def _number(text: str) -> Decimal | None:
    """The number that a text is; None where it is none that columns of every database can have."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _shown_by_4_bytes(number: Decimal) -> Decimal | None:
    """The number as it is shown once 4 bytes keep it: by the fewest digits that give these; None beyond them."""
    kept = _in_4_bytes(float(number))
    if kept is None:
        return None
    (value,) = struct.unpack("f", kept)
    shown = (f"{value:.{digits}g}" for digits in range(1, _MOST_OF_SINGLE + 1))
    return next(Decimal(each) for each in shown if _in_4_bytes(float(each)) == kept)


def _in_4_bytes(number: float) -> bytes | None:
    try:
        return struct.pack("f", number)
    except OverflowError:
        return None
