"""Trees of the SQL that computes the key of a value under a rule: whole numbers, steps of arithmetic, cases."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from ordermade.hierarchies.hierarchy import NOT_COVERED


def whole(number: int) -> exp.Expression:
    """A whole number."""
    return exp.Neg(this=exp.Literal.number(str(-number))) if number < 0 else exp.Literal.number(str(number))


def real(number: int) -> exp.Expression:
    """The same with `.0` after it, so that no database divides whole numbers by it."""
    return exp.Literal.number(f"{number}.0")


def text(tree: exp.Expression) -> exp.Expression:
    """CAST(… AS VARCHAR)."""
    return exp.cast(tree, exp.DataType.build("VARCHAR"), copy=False)


def double(tree: exp.Expression) -> exp.Expression:
    """CAST(… AS DOUBLE)."""
    return exp.cast(tree, exp.DataType.build("DOUBLE"), copy=False)


def big_integer(tree: exp.Expression) -> exp.Expression:
    """CAST(… AS BIGINT)."""
    return exp.cast(tree, exp.DataType.build("BIGINT"), copy=False)


def floor(tree: exp.Expression) -> exp.Expression:
    """FLOOR(…), toward minus infinity; `//` and casts round toward zero or to even."""
    return exp.Floor(this=tree)


def absolute(tree: exp.Expression) -> exp.Expression:
    """ABS(…)."""
    return exp.Abs(this=tree)


def divided(tree: exp.Expression, divisor: int) -> exp.Expression:
    """`… / n.0`."""
    return exp.Div(this=_wrapped(tree), expression=real(divisor))


def times(tree: exp.Expression, factor: int) -> exp.Expression:
    """`… * n`."""
    return exp.Mul(this=_wrapped(tree), expression=whole(factor))


def plus(left: exp.Expression, right: exp.Expression) -> exp.Expression:
    """`… + …`."""
    return exp.Add(this=_wrapped(left), expression=_wrapped(right))


def minus(tree: exp.Expression, number: int) -> exp.Expression:
    """`… - n`, or the tree itself where n is 0."""
    return exp.Sub(this=_wrapped(tree), expression=_wrapped(whole(number))) if number else tree


def half() -> exp.Expression:
    """One half."""
    return exp.Literal.number("0.5")


def always() -> exp.Expression:
    """A condition that holds: `1 = 1`."""
    return exp.EQ(this=whole(1), expression=whole(1))


def both(left: exp.Expression, right: exp.Expression) -> exp.Expression:
    """`… AND …`."""
    return exp.And(this=left, expression=right)


def at_most(tree: exp.Expression, limit: exp.Expression) -> exp.Expression:
    """`… <= …`; false of NaN wherever NaN sorts last, unknown of NULL."""
    return exp.LTE(this=tree, expression=limit)


def less(tree: exp.Expression, limit: exp.Expression) -> exp.Expression:
    """`… < …`."""
    return exp.LT(this=tree, expression=limit)


def case(branches: Sequence[tuple[exp.Expression, exp.Expression]], otherwise: exp.Expression) -> exp.Expression:
    """CASE WHEN … THEN … ELSE … END."""
    tree = exp.Case()
    for condition, result in branches:
        tree = tree.when(condition, result, copy=False)
    return tree.else_(otherwise, copy=False)


def placed(column: exp.Expression, in_range: exp.Expression, key: exp.Expression) -> exp.Expression:
    """`key` where the value is in range, NULL for NULL, else `NOT_COVERED`."""
    is_null = exp.Is(this=column.copy(), expression=exp.null())
    return case([(is_null, exp.null()), (in_range, key)], whole(NOT_COVERED))


def snapped(scaled: exp.Expression) -> exp.Expression:
    """A scaled value freed from the noise of floating point."""

    def size() -> exp.Expression:
        return absolute(scaled.copy())

    def rounded(decimals: int) -> exp.Expression:
        half_up = plus(times(scaled.copy(), 10**decimals), half())
        return divided(floor(half_up), 10**decimals)

    return case(
        [(less(size(), real(10**9)), rounded(6)), (less(size(), real(10**12)), rounded(3))],
        scaled.copy(),
    )


def part_of_date(part: str, column: exp.Expression) -> exp.Expression:
    """EXTRACT(part FROM column)."""
    return exp.Extract(this=exp.var(part), expression=column.copy())


def first_characters(tree: exp.Expression, count: int) -> exp.Expression:
    """SUBSTRING(…, 1, count)."""
    return exp.Substring(this=tree, start=whole(1), length=whole(count))


def _wrapped(tree: exp.Expression) -> exp.Expression:
    return exp.Paren(this=tree) if isinstance(tree, (exp.Binary, exp.Neg)) else tree
