"""Whether a filter has an answer for every row, whatever its values: known from the types of the columns alone.

DuckDB reads what is compared as one type, for the rows that come so far. Where some value is none of that type (a text
that is no number, `n = 'abc'`) or has too many digits for it, the statement fails for a row that passes the conditions
before it, and for no other: the error would tell whether there is such a person. Where a number is rounded, the filter
finds another one. So each value stands beside those of its own kind alone, which other databases want, too.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from sqlglot import exp

from ordermade.errors import FilterError, quoted
from ordermade.hierarchies.column_types import decimals_of, is_number, is_single_precision, is_whole, plain
from ordermade.requests.where import is_point, largest_of

INCOMPARABLE = "the source cannot compare what the filter compares"
OF_ITS_TYPE = "compare each column with values of its own type (`ordermade dataset show` lists them)"

_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ)
_TEXTS = (exp.Lower, exp.Upper, exp.Trim, exp.Substring)
_COUNTS = (exp.Length, exp.Year, exp.Month, exp.Day, exp.Extract)
_SUMS = (exp.Add, exp.Sub)
_CALCULATIONS = (*_SUMS, exp.Mul, exp.Div, exp.Neg, exp.Abs, exp.Floor, exp.Ceil, exp.Round)
_POINTS = {"day": exp.DType.DATE, "moment": exp.DType.TIMESTAMP, "instant": exp.DType.TIMESTAMPTZ}
_KINDS: Mapping[str, str] = {
    **dict.fromkeys(("VARCHAR", "TEXT", "ENUM"), "text"),
    "BOOLEAN": "truth",
    "DATE": "day",
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS"), "moment"),
    **dict.fromkeys(("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ"), "instant"),
}
_TOGETHER = (frozenset(["number", "truth"]), frozenset(["day", "moment", "instant"]))
"""Kinds of which each value becomes one of the other without a fault."""
_TRUTHS = frozenset(["true", "false", "t", "f", "1", "0"])
_EXACT = re.compile(r"[-+]?([0-9]*)(?:\.([0-9]*?)0*)?")
_BINARY = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[-+]?[0-9]+)?|nan|[-+]?inf(inity)?", re.IGNORECASE)
_TIME = re.compile(r"[0-2][0-9]:[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_MOST_DIGITS = 38
_MOST_OF_8_BYTES = 18
_MOST_OF_SINGLE = 9
"""So many digits tell any number of 4 bytes from the next."""


def require_comparable(tree: exp.Expr, types: Mapping[str, str]) -> None:
    """Raises FilterError for a filter that has no answer for some value of columns of these types, or rounds a number.

    `types`: by the names of the columns as stored.
    """
    for node in tree.find_all(*_COMPARISONS, exp.In, exp.Between, exp.Coalesce):
        values = _compared(node)
        for other in values[1:]:
            _require_one_kind(values[0], other, types)
            _require_one_kind(other, values[0], types)
        _require_digits([_digits(each, types) for each in values])
    for node in tree.find_all(*_SUMS, exp.Mul):
        _require_digits([_digits(node, types)], _most_of_product(node, types))
    for node in tree.find_all(exp.Cast):
        if isinstance(node.this, exp.Column) and _kind(node.this, types) not in (*_POINTS, "TIMESTAMP_NS"):
            what = f"the filter reads the column {quoted(node.this.name)} as a date, and some value may be none"
            raise FilterError(what, next_step="Compare it as it is, or have a dataset query read it.")
    for each in _conditions(tree):
        if _kind(each, types) not in ("number", "truth", ""):
            raise FilterError("the filter takes a value for a condition", next_step="Compare it with another value.")


def is_double(literal: exp.Expr) -> bool:
    """Whether a literal is a number of 8 bytes, whatever stands next to it: one with an exponent, or of many digits."""
    text = literal.name.lower()
    if literal.args.get("is_string"):
        return False
    return "e" in text or sum(each.isdigit() for each in text.lstrip("0")) > _MOST_DIGITS


def _compared(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.In | exp.Coalesce):
        return [node.this, *node.expressions]
    if isinstance(node, exp.Between):
        return [node.this, node.args["low"], node.args["high"]]
    return [node.this, node.args["expression"]]


def _conditions(tree: exp.Expr) -> Iterator[exp.Expr]:
    """The values that a filter takes for truth, without parentheses."""
    yield bare(tree)
    for node in tree.find_all(exp.And, exp.Or, exp.Not, exp.Is):
        if not isinstance(node, exp.Is) or isinstance(node.args["expression"], exp.Boolean):
            yield bare(node.this)
        if isinstance(node, exp.And | exp.Or):
            yield bare(node.args["expression"])


def bare(node: exp.Expr) -> exp.Expr:
    """The node without the parentheses around it."""
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def _require_one_kind(value: exp.Expr, other: exp.Expr, types: Mapping[str, str]) -> None:
    value, other = bare(value), bare(other)
    kind, beside = _kind(value, types), _kind(other, types)
    if not kind or not beside or (_is_quoted(value) and not _is_quoted(other)):
        return  # NULL; and a text in quotes is judged by what stands beside it
    if _is_quoted(other):
        _require_read(value, other.name, kind, types)
    elif kind != beside and not any({kind, beside} <= each for each in _TOGETHER):
        if isinstance(value, exp.Column) and (kind, beside) == ("text", "number"):
            what = f"the column {quoted(value.name)} is a text, and the filter compares it with a number"
            raise FilterError(what, next_step="Write a number in quotes, or compare a column of numbers.")
        if kind == "text" or beside != "text":  # else the other side is named
            raise FilterError(INCOMPARABLE, next_step=in_a_sentence(OF_ITS_TYPE))
    elif isinstance(value, exp.Column) and is_single_precision(types[value.name]):
        _require_kept(value, _literal_of(other), types)


def in_a_sentence(correction: str) -> str:
    """A correction as the next step of an error."""
    return f"{correction[0].upper()}{correction[1:]}."


def _require_read(value: exp.Expr, text: str, kind: str, types: Mapping[str, str]) -> None:
    """Raises FilterError where a text in quotes is no value of the kind beside it, or not as it is written."""
    if isinstance(value, exp.Column):
        _require_kept(value, exp.Literal.string(text), types)
    elif kind == "number" or not _is_read(text, kind):
        raise FilterError(INCOMPARABLE, next_step="Write a number without quotes, or compare the column as it is.")


def _require_kept(column: exp.Column, literal: exp.Expr | None, types: Mapping[str, str]) -> None:
    kind = types[column.name]
    if literal is None or _keeps(kind, literal):
        return
    raise FilterError(
        f"the column {quoted(column.name)} cannot have a value that the filter compares it with",
        next_step=f"Write a value that {plain(kind)}, its type, keeps as it is written.",
    )


def _kind(value: exp.Expr, types: Mapping[str, str]) -> str:
    """`text`, `number`, `truth`, `day`, `moment`, `instant`, or the name of another type; empty of NULL."""
    value = bare(value)
    match value:
        case exp.Column():
            column_type = types[value.name]
            return "number" if is_number(column_type) else _KINDS.get(plain(column_type), plain(column_type))
        case exp.Literal():
            return "text" if value.is_string else "number"
        case exp.Cast():
            return next((kind for kind, read in _POINTS.items() if value.to.this is read), "moment")
        case exp.Coalesce():
            kinds = [_kind(each, types) for each in _compared(value) if not _is_quoted(each)]
            return next((kind for kind in kinds if kind), "text")
        case exp.Null():
            return ""
    if isinstance(value, (*_CALCULATIONS, *_COUNTS)):
        return "number"
    return "text" if isinstance(value, _TEXTS) else "truth"


def _is_quoted(value: exp.Expr) -> bool:
    return isinstance(value, exp.Literal) and bool(value.is_string)


def _literal_of(value: exp.Expr) -> exp.Expr | None:
    """The number that stands in a value, whatever its sign; None for any other value."""
    while isinstance(value, exp.Paren | exp.Neg):
        value = value.this
    return value if isinstance(value, exp.Literal) else None


def _keeps(column_type: str, literal: exp.Expr) -> bool:
    """Whether a column keeps a literal as it is written."""
    if not is_number(column_type):
        return _is_read(literal.name, _KINDS.get(plain(column_type), plain(column_type)))
    if is_double(literal):
        return True
    if is_single_precision(column_type):
        number = _number(literal.name)
        return number is not None and (not number.is_finite() or number == _shown_by_4_bytes(number))
    if _is_exact(column_type):
        return not literal.args.get("is_string") or _is_in_decimals(literal.name, column_type)
    return _number(literal.name) is not None


def _is_in_decimals(text: str, column_type: str) -> bool:
    found = _EXACT.fullmatch(text)
    if found is None or not (found[1] or found[2]) or len(found[2] or "") > decimals_of(column_type):
        return False
    if is_whole(column_type):
        number = int(Decimal(text))
        return -largest_of(column_type) <= number < largest_of(column_type) and (
            number >= 0 or not plain(column_type).startswith("U")
        )
    return len(found[1].lstrip("0")) <= _of_column(column_type)[0]


def _is_read(text: str, kind: str) -> bool:
    """Whether a text in quotes is a value of a kind."""
    if kind in _POINTS:
        return is_point(text, _POINTS[kind])
    match kind:
        case "text":
            return True
        case "truth":
            return text.casefold() in _TRUTHS
        case "TIME":
            return _TIME.fullmatch(text) is not None and text < "24"
        case "UUID":
            return _UUID.fullmatch(text) is not None
        case "TIMESTAMP_NS":
            return is_point(text, exp.DType.TIMESTAMP) and "1678" <= text < "2262"
        case "JSON":
            return _is_json(text)
    return False


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _most_of_product(node: exp.Expr, types: Mapping[str, str]) -> int:
    """The digits that DuckDB keeps of a product of decimals, in 8 bytes where no factor has more; else of a number."""
    columns = [types[each.name] for each in node.find_all(exp.Column)]
    is_wide = any(_is_exact(each) and sum(_of_column(each)) > _MOST_OF_8_BYTES for each in columns)
    return _MOST_DIGITS if is_wide or not isinstance(node, exp.Mul) else _MOST_OF_8_BYTES


def _require_digits(found: Sequence[tuple[int, int] | None], most: int = _MOST_DIGITS) -> None:
    """Raises FilterError where exact numbers, one with decimals, have more digits together than that."""
    known = [each for each in found if each is not None]
    decimals = max((each for _, each in known), default=0)
    if decimals and max(whole for whole, _ in known) + decimals > most:
        raise FilterError(
            f"the filter needs more than {most} digits for some values that its columns can have",
            next_step="Write numbers with fewer digits after the point, or calculate in a dataset query.",
        )


def _digits(value: exp.Expr, types: Mapping[str, str]) -> tuple[int, int] | None:
    """The most digits before and after the point of an exact number; None for any other value, and beside 8 bytes."""
    value = bare(value)
    if isinstance(value, exp.Column):
        return _of_column(types[value.name]) if _is_exact(types[value.name]) else None
    if isinstance(value, exp.Literal):
        if value.is_string or is_double(value):
            return None
        before, _, after = value.name.partition(".")
        return len(before.lstrip("0")), len(after)
    if isinstance(value, _COUNTS):
        return 10, 0
    if isinstance(value, exp.Neg | exp.Abs | exp.Floor | exp.Ceil | exp.Round):
        found = _digits(value.this, types)
        return None if found is None else (found[0] + isinstance(value, exp.Round), found[1])
    if isinstance(value, exp.Coalesce):
        parts = [_digits(each, types) for each in _compared(value)]
    elif isinstance(value, (*_SUMS, exp.Mul)):
        parts = [_digits(value.this, types), _digits(value.args["expression"], types)]
    else:
        return None
    known = [each for each in parts if each is not None]
    if len(known) < len(parts):
        return None
    if isinstance(value, exp.Mul):
        return known[0][0] + known[1][0], known[0][1] + known[1][1]
    whole, decimals = max(each for each, _ in known), max(each for _, each in known)
    return whole + isinstance(value, _SUMS), decimals


def _is_exact(column_type: str) -> bool:
    return is_whole(column_type) or plain(column_type) == "DECIMAL"


def _of_column(column_type: str) -> tuple[int, int]:
    """The digits before and after the point of an exact type."""
    if is_whole(column_type):
        return len(str(largest_of(column_type))), 0
    digits = re.search(r"\((\d+)", column_type)
    decimals = decimals_of(column_type)
    return (18 if digits is None else int(digits[1])) - decimals, decimals


def _number(text: str) -> Decimal | None:
    """The number that a text is in a column of binary fractions; None where it is none, or too large for 8 bytes."""
    if not _BINARY.fullmatch(text):
        return None
    number = Decimal(text)
    return None if number.is_finite() and math.isinf(float(number)) else number


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
