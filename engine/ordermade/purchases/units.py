"""Numbers of purchases as whole numbers of a unit, exactly: which unit a column has, and how its values count it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import TypeVar

from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, quoted
from ordermade.hierarchies.column_types import is_single_precision
from ordermade.purchases.tables import units_column
from ordermade.requests.measured_types import decimals_of, measured_as
from ordermade.requests.numbers import plain
from ordermade.requests.resolved_history import ResolvedHistory
from ordermade.slices.numbers import Held, number_of
from ordermade.slices.tables import MICRODATA
from ordermade.sources.door import Door, Purpose

FINEST = 6
"""So many decimals at most are looked for in floating-point numbers of which no unit is told."""
_COUNTED = {"DOUBLE": 2**50, "FLOAT": 2**22}
"""Up to so many units a floating-point number tells each from the next."""

Tree = TypeVar("Tree", bound=exp.Expr)


@dataclass(frozen=True, slots=True)
class Measure:
    """A day or a number of the purchases: `name` in their table, in whole numbers of `unit`.

    `day`: the unit is a day, and the numbers count days since 1970-01-01.
    """

    name: str
    column: str
    column_type: str
    unit: Decimal
    day: bool = False

    @property
    def steps(self) -> tuple[int, int]:
        """Two whole numbers m and s: the unit is m / 10^s."""
        sign_less = Decimal(plain(self.unit)).as_tuple()
        exponent = int(sign_less.exponent)
        digits = int("".join(map(str, sign_less.digits)))
        return digits * 10 ** max(exponent, 0), max(-exponent, 0)

    @property
    def held(self) -> Held:
        """The column as it was pulled."""
        kind = "day" if self.day else measured_as(self.column_type)
        if kind is None:
            raise ValueError(f"a column of type {self.column_type} is not measured")
        return Held(self.name, self.column, kind, 0 if self.day else decimals_of(self.column_type))

    @property
    def of_last_digit(self) -> Fraction:
        """How many units the last digit of a DECIMAL makes; 1 where these are its units."""
        return Fraction(1, 10 ** decimals_of(self.column_type)) / Fraction(self.unit)


def measures_of(resolved: ResolvedHistory) -> tuple[Measure, ...]:
    """The day and the numbers of a request, in order; of those whose unit the values must tell it is 1."""
    when = resolved.when
    numbers = (
        Measure(units_column(place), each.column, each.column_type, each.unit or Decimal(1))
        for place, each in enumerate(resolved.numbers, start=1)
    )
    return Measure(units_column(0), when.column, when.column_type, Decimal(1), day=True), *numbers


def in_units(measure: Measure) -> exp.Expr:
    """What a pulled purchase has of a measure, as a whole number of units."""
    bought = sql.select("history/purchases").args["from_"].this.this
    fragments: dict[str, exp.Expr] = {each.alias: each.unalias() for each in bought.expressions}
    held, value = measure.held, exp.column(sql.identifier(measure.name), table=MICRODATA)
    if measure.day:
        return sql.with_columns(fragments["u1"], {"microdata.u1": measure.name})
    if held.kind == "float":
        return _with_steps(sql.with_columns(fragments["floats"], {"microdata.measured": measure.name}), measure)
    number = number_of(value, held)
    return number if measure.of_last_digit == 1 else _of_decimals(fragments["decimals"], measure, number)


def as_text(measure: Measure, number: exp.Expr) -> exp.Expr:
    """A whole number of units as the text of what it counts."""
    fragments: dict[str, exp.Expr] = {each.alias: each.unalias() for each in sql.select("history/texts").expressions}
    steps, places = measure.steps
    if measure.day:
        return sql.with_expressions(fragments["day"], {"slots.low": number})
    if (steps, places) == (1, 0):
        return sql.with_expressions(fragments["whole"], {"slots.low": number})
    filled = fragments["decimals"]
    for node in list(filled.find_all(exp.Cast)):
        if isinstance(node.this, exp.Literal):
            digits = max(len(str(steps)), places)
            node.this.set("this", format(measure.unit, "f"))
            node.set("to", exp.DataType.build(f"DECIMAL({digits}, {places})", dialect=sql.DIALECT))
    return sql.with_expressions(filled, {"slots.low": number})


def uneven_statement(measures: Iterable[Measure]) -> exp.Select:
    """The statement that counts, of each measure in turn, the purchases whose number is no whole number of units."""
    tree = sql.select("history/uneven")
    floats, decimals = tree.expressions
    counted = []
    for place, each in enumerate(measures):
        if each.held.kind == "float":
            single = is_single_precision(each.column_type)
            most = _COUNTED["FLOAT" if single else "DOUBLE"]
            filled = _with_steps(
                sql.with_columns(floats.copy(), {"microdata.measured": each.name}), each, {"1024": most}
            )
            if single:
                rounded = next(node for node in filled.find_all(exp.Cast) if node.find(exp.Round))
                rounded.set("to", exp.DataType.build("FLOAT", dialect=sql.DIALECT))
        else:
            value = number_of(exp.column(sql.identifier(each.name), table=MICRODATA), each.held)
            filled = _of_decimals(decimals.copy(), each, value)
        counted.append(sql.named(filled, f"{each.name}_{place}"))
    tree.set("expressions", counted)
    return tree


def tried(measures: Sequence[Measure], resolved: ResolvedHistory) -> Sequence[Measure]:
    """What the pulled values are held against: units that may not divide them, and those that they may tell."""
    found: list[Measure] = []
    for each, asked in zip(measures[1:], resolved.numbers, strict=True):
        if asked.unit is None:
            found += (replace(each, unit=Decimal(1).scaleb(-places)) for places in range(FINEST + 1))
        elif each.held.kind == "float" or each.of_last_digit.denominator > 1:
            found.append(each)
    return found


def with_units(door: Door, resolved: ResolvedHistory) -> tuple[Measure, ...]:
    """The measures of the pulled purchases, with the units that their values tell where none were asked.

    Raises InputError, with counts only, where a number is no whole number of units.
    """
    measures = measures_of(resolved)
    asked = tried(measures, resolved)
    if not asked:
        return measures
    counts = door.rows(Purpose.RECORDS, uneven_statement(asked))[0]
    found = {each.name: each for each in measures}
    told = {each.column for each in resolved.numbers if each.unit is None}
    for name in dict.fromkeys(each.name for each in asked):
        here = [(each, int(count)) for each, count in zip(asked, counts, strict=True) if each.name == name]
        fitting = next((each for each, count in here if count == 0), None)
        if fitting is None:
            raise _uneven(*here[-1], told=here[-1][0].column in told)
        found[name] = fitting
    return tuple(found.values())


def _uneven(measure: Measure, count: int, *, told: bool) -> InputError:
    unit = plain(measure.unit)
    what = f"{count:,} row(s) of the column {quoted(measure.column)} are no whole number of units of {unit}"
    step = f"Write the unit that its values count, `numbers: {{{measure.column}: {{unit: 0.01}}}}` if they are cents"
    if not told:
        step = "Write a unit that divides all its values"
    return InputError(
        what,
        where=f"history.numbers: {measure.column}",
        next_step=f"{step}; or cast the column to a DECIMAL in a dataset query.",
    )


def _of_decimals(fragment: exp.Expr, measure: Measure, number: exp.Expr) -> exp.Expr:
    share = measure.of_last_digit
    filled = _with_numbers(fragment, {"2": share.numerator, "3": share.denominator})
    return sql.with_expressions(filled, {"microdata.decimals": number})


def _with_steps(fragment: Tree, measure: Measure, besides: Mapping[str, int] | None = None) -> Tree:
    steps, places = measure.steps
    return _with_numbers(fragment, {"100": 10**places, "5": steps} | dict(besides or {}))


def _with_numbers(tree: Tree, numbers: Mapping[str, int]) -> Tree:
    """`tree` with each of these numbers replaced by another."""
    for node in list(tree.find_all(exp.Literal)):
        if not node.is_string and node.this in numbers:
            node.set("this", str(numbers[node.this]))
    return tree
