"""Numbers beside one another: DuckDB compares them exactly, in 8 bytes or in 4, and another database is made to.

DuckDB takes all values of a comparison for one type: a whole or decimal number beside a DOUBLE becomes one, and beside
a FLOAT a FLOAT, where other databases widen the FLOAT. A literal with an exponent is a DOUBLE.
"""

from __future__ import annotations

import struct
from decimal import Decimal

from sqlglot import exp

from ordermade.errors import SourceFault
from ordermade.sources.portable import WIDE, Known, compared, refused

_EXACT, _SINGLE, _DOUBLE = "exact", "single", "double"
_CALCULATIONS = (exp.Add, exp.Sub, exp.Mul)
_OF_THEIR_OPERAND = (exp.Paren, exp.Neg, exp.Abs, exp.Min, exp.Max, exp.Sum, exp.Alias)
_WHOLE = frozenset(["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"])
_MOST_DIGITS = 38
_DIGITS_OF_DOUBLE, _DIGITS_OF_FLOAT = 15, 7
"""So many digits of a decimal number any way of making it a binary one gives the same."""


def is_double(literal: exp.Expr) -> bool:
    """Whether a literal is a number of 8 bytes, whatever stands next to it: one with an exponent, or of many digits."""
    text = literal.name.lower()
    if literal.args.get("is_string"):
        return False
    return "e" in text or sum(each.isdigit() for each in text.lstrip("0")) > _MOST_DIGITS


def require_one_width(node: exp.Expr, known: Known, *, has_decimals: bool = True) -> None:
    """Gives the numbers that a node compares the width they have in DuckDB: literals in the tree become casts.

    `has_decimals`: the database calculates exactly with decimal numbers. Raises SourceFault where it would still
    compare other numbers.
    """
    if isinstance(node, _CALCULATIONS):
        _require_same_result(node, known, has_decimals=has_decimals)
    values = [each for each in compared(node) if known.kind(each) == "number"]
    widths = {width(each, known) for each in values}
    wanted = _DOUBLE if _DOUBLE in widths else _SINGLE if _SINGLE in widths else _EXACT
    for each in values:
        if width(each, known) == _EXACT and wanted != _EXACT:
            _as_binary(each, wanted, known)
        elif wanted == _DOUBLE and isinstance(each, exp.Literal):
            each.replace(_double(float(each.name)))
        elif wanted == _EXACT and not has_decimals:
            _require_whole(each, known)


def width(value: exp.Expr, known: Known) -> str:
    """`exact`, `single` or `double`."""
    if isinstance(value, _OF_THEIR_OPERAND):
        return width(value.this, known)
    if isinstance(value, exp.Literal):
        return _DOUBLE if is_double(value) else _EXACT
    if isinstance(value, exp.Cast):
        return _DOUBLE if value.to.this is exp.DType.DOUBLE else _EXACT
    if isinstance(value, exp.Column):
        return {"FLOAT": _SINGLE, "DOUBLE": _DOUBLE}.get(known.type_of(value), _EXACT)
    parts = (
        compared(value) if isinstance(value, exp.Coalesce) else [value.args.get("this"), value.args.get("expression")]
    )
    widths = {width(each, known) for each in parts if isinstance(each, exp.Expr)}
    return _DOUBLE if _DOUBLE in widths else _SINGLE if _SINGLE in widths else _EXACT


def _digits(literal: exp.Literal) -> int:
    return len(Decimal(literal.name).as_tuple().digits)


def _as_binary(value: exp.Expr, wanted: str, known: Known) -> None:
    literal = value
    while isinstance(literal, exp.Paren | exp.Neg):
        literal = literal.this
    if isinstance(literal, exp.Literal):
        most = _DIGITS_OF_DOUBLE if wanted == _DOUBLE else _DIGITS_OF_FLOAT
        if _digits(literal) > most and not (wanted == _DOUBLE and _fits_8_bytes(literal)):
            raise SourceFault(
                f"{known.database} would round a number of so many digits otherwise beside a column of fractions",
                next_step=f"Write at most {_DIGITS_OF_DOUBLE} digits, {_DIGITS_OF_FLOAT} beside a column of 4 bytes.",
            )
        number = float(literal.name)
        if wanted == _SINGLE:
            number = struct.unpack("f", struct.pack("f", number))[0]
        literal.replace(_double(number))
        return
    if wanted == _SINGLE or not all(_is_whole(each, known) for each in value.find_all(exp.Column, exp.Literal)):
        raise refused(known.database, "a comparison of exact numbers with fractions")
    # MariaDB and SQLite compare a column of whole numbers with a number of 8 bytes exactly.
    value.replace(exp.cast(value.copy(), "DOUBLE", dialect="duckdb"))


def _is_whole(value: exp.Expr, known: Known) -> bool:
    if isinstance(value, exp.Literal):
        return bool(value.name.isdecimal())
    kind = known.type_of(value)
    if kind.startswith("DECIMAL("):
        return int(kind[len("DECIMAL(") :].partition(",")[0]) <= _DIGITS_OF_DOUBLE
    return kind in _WHOLE


def _require_same_result(node: exp.Expr, known: Known, *, has_decimals: bool) -> None:
    widths = {width(each, known) for each in (node.this, node.expression)}
    if _SINGLE in widths:
        raise refused(known.database, "a calculation with numbers of 4 bytes")
    if _DOUBLE in widths:
        for each in (node.this, node.expression):
            if width(each, known) == _EXACT:
                _as_binary(each, _DOUBLE, known)
            elif isinstance(each, exp.Literal):
                each.replace(_double(float(each.name)))
    elif not has_decimals:
        for each in (node.this, node.expression):
            _require_whole(each, known)


def _require_whole(value: exp.Expr, known: Known) -> None:
    """Raises SourceFault for an exact number that a database without decimals rounds to 8 bytes."""
    for each in value.find_all(exp.Literal):
        if not each.is_string and _digits(each) > _DIGITS_OF_DOUBLE and not _fits_8_bytes(each):
            raise refused(known.database, "a comparison with a number of so many digits")
        if isinstance(each.parent, _CALCULATIONS) and not each.name.isdecimal():
            raise refused(known.database, "a calculation with decimal numbers")


def _fits_8_bytes(literal: exp.Literal) -> bool:
    return literal.name.isdecimal() and int(literal.name) < 2**63


def _double(number: float) -> exp.Expr:
    return exp.cast(exp.Literal.number(repr(number)), "DOUBLE", dialect="duckdb")


def literal_double(node: exp.Expr) -> exp.Expr | None:
    """The literal with an exponent, of the cast that stands for a number of 8 bytes; None for any other node."""
    if isinstance(node, exp.Cast) and node.to.this is exp.DType.DOUBLE and isinstance(node.this, exp.Literal):
        text = node.this.name
        return exp.Literal.number(text if "e" in text else f"{text}e0")
    return None


def is_widened(node: exp.Cast) -> bool:
    """Whether a cast makes a whole number one of more bytes, in which a filter calculates."""
    return node.to.this in WIDE
