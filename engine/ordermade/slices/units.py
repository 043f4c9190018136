"""Floating-point numbers as whole numbers of a unit: which of them are none, and the unit that all values tell."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TypeVar

from sqlglot import exp

from ordermade import sql
from ordermade.hierarchies.column_types import is_single_precision
from ordermade.requests.numbers import plain
from ordermade.slices.tables import MICRODATA
from ordermade.sources.door import Door, Purpose

FINEST = 6
"""So many decimals at most are looked for in floating-point numbers of which no unit is told."""
TRIED = tuple(Decimal(1).scaleb(-places) for places in range(FINEST + 1))
"""The units that values may tell, the coarsest first."""
_COUNTED = {"DOUBLE": 2**50, "FLOAT": 2**22}
"""Up to so many units a floating-point number tells each from the next."""

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


def uneven(column: str, column_type: str, unit: Decimal) -> exp.Expr:
    """How many values of a column of floating-point numbers of MICRODATA are no whole number of units."""
    single = is_single_precision(column_type)
    floats: exp.Expr = sql.with_columns(sql.select("slices/uneven").expressions[0], {"microdata.measured": column})
    filled = counting(floats, unit, {"1024": _COUNTED["FLOAT" if single else "DOUBLE"]})
    if single:
        rounded = next(node for node in filled.find_all(exp.Cast) if node.find(exp.Round))
        rounded.set("to", exp.DataType.build("FLOAT", dialect=sql.DIALECT))
    return filled


def unit_told(door: Door, table: str, column: str, column_type: str) -> Decimal | None:
    """The coarsest unit TRIED of which all values of a column of floating-point numbers are whole numbers, if any is.

    Raises the fault of the door.
    """
    tree = sql.select("slices/uneven")
    tree.set("expressions", [sql.named(uneven(column, column_type, unit), f"uneven_{unit}") for unit in TRIED])
    counts = door.rows(Purpose.RECORDS, sql.with_relations(tree, {MICRODATA: exp.to_table(table)}))[0]
    return next((unit for unit, count in zip(TRIED, counts, strict=True) if not count), None)
