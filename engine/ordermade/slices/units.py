"""Numbers as whole numbers of a unit: values that are none, and the coarsest unit that fits all values of a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TypeVar

from sqlglot import exp

from ordermade import sql
from ordermade.hierarchies.column_types import is_single_precision
from ordermade.requests.measured_types import decimals_of, measured_as
from ordermade.requests.numbers import plain
from ordermade.slices.numbers import Held, number_of
from ordermade.slices.tables import MICRODATA
from ordermade.sources.door import Door, Purpose

FINEST = 6
"""The most decimals to look for in floating-point numbers without a given unit."""
TRIED = tuple(Decimal(1).scaleb(-places) for places in range(FINEST + 1))
"""The units to derive from values, the coarsest first."""
_COUNTED = {"DOUBLE": 2**50, "FLOAT": 2**22}
"""A floating-point number resolves single units up to this many."""

Tree = TypeVar("Tree", bound=exp.Expr)


def steps_of(unit: Decimal) -> tuple[int, int]:
    """Two whole numbers m and s: the unit is m / 10^s."""
    written = Decimal(plain(unit)).as_tuple()
    exponent = int(written.exponent)
    digits = int("".join(map(str, written.digits)))
    return digits * 10 ** max(exponent, 0), max(-exponent, 0)


def counting(fragment: Tree, unit: Decimal, besides: Mapping[str, int] | None = None) -> Tree:
    """A fragment of a template, which counts units of 5/100, that counts these; `besides`: other numbers to replace."""
    steps, places = steps_of(unit)
    return with_numbers(fragment, {"100": 10**places, "5": steps} | dict(besides or {}))


def with_numbers(tree: Tree, numbers: Mapping[str, int]) -> Tree:
    """`tree` with each of these numbers replaced by another."""
    for node in list(tree.find_all(exp.Literal)):
        if not node.is_string and node.this in numbers:
            node.set("this", str(numbers[node.this]))
    return tree


def last_digit_in(unit: Decimal, column_type: str) -> Fraction:
    """The number of units that the last digit of a DECIMAL makes; of a whole number the last digit is 1."""
    return Fraction(1, 10 ** decimals_of(column_type)) / Fraction(unit)


def of_decimals(fragment: Tree, number: exp.Expr, unit: Decimal, column_type: str) -> Tree:
    """A fragment of a template with a DECIMAL, counted in its last digits, and how many units such a digit makes."""
    share = last_digit_in(unit, column_type)
    filled = with_numbers(fragment, {"2": share.numerator, "3": share.denominator})
    return sql.with_expressions(filled, {"microdata.decimals": number})


def uneven(column: str, column_type: str, unit: Decimal) -> exp.Expr:
    """The number of values of a column of numbers of MICRODATA that are no whole number of units."""
    floats: exp.Expr
    decimals: exp.Expr
    floats, decimals = sql.select("slices/uneven").expressions
    if measured_as(column_type) == "float":
        return _uneven_floats(sql.with_columns(floats, {"microdata.measured": column}), column_type, unit)
    held = Held(column, column, "whole", decimals_of(column_type))
    value = number_of(exp.column(sql.identifier(column), table=MICRODATA), held)
    return of_decimals(decimals, value, unit, column_type)


def uneven_rows(door: Door, table: str, column: str, column_type: str, units: Sequence[Decimal]) -> tuple[int, ...]:
    """The numbers of values of a column that are no whole number of each of these units. Raises the door's fault."""
    tree = sql.select("slices/uneven")
    tree.set("expressions", [sql.named(uneven(column, column_type, unit), f"uneven_{unit}") for unit in units])
    counts = door.rows(Purpose.RECORDS, sql.with_relations(tree, {MICRODATA: exp.to_table(table)}))[0]
    return tuple(int(count) for count in counts)


def unit_of_values(door: Door, table: str, column: str, column_type: str) -> Decimal | None:
    """The coarsest unit TRIED of which all values of a column of floating-point numbers are whole numbers, if any is.

    Raises the fault of the door.
    """
    counts = uneven_rows(door, table, column, column_type, TRIED)
    return next((unit for unit, count in zip(TRIED, counts, strict=True) if not count), None)


def _uneven_floats(floats: exp.Expr, column_type: str, unit: Decimal) -> exp.Expr:
    single = is_single_precision(column_type)
    filled = counting(floats, unit, {"1024": _COUNTED["FLOAT" if single else "DOUBLE"]})
    if single:
        rounded = next(node for node in filled.find_all(exp.Cast) if node.find(exp.Round))
        rounded.set("to", exp.DataType.build("FLOAT", dialect=sql.DIALECT))
    return filled
