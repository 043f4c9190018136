"""Tables of the workspace, and numbers of purchases as whole numbers of a unit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from ordermade import sql
from ordermade.counting.numeric_records import (
    TRIED,
    NumericEncoding,
    counting,
    last_digit_in,
    number_of,
    of_decimals,
    steps_of,
    uneven,
)
from ordermade.counting.record_tables import MICRODATA
from ordermade.counting.statements import Statement
from ordermade.errors import InputError, quoted
from ordermade.hierarchies.column_types import decimals_of, measured_as
from ordermade.privacy.least_k import numbered
from ordermade.requests.numbers import plain
from ordermade.requests.resolve_history import ResolvedHistory
from ordermade.sources.executor import Executor, Purpose

PURCHASES = "purchases"
"""The purchases in whole numbers of units, one row each, in the order of the rows' own numbers (`rowid`)."""
CUSTOMERS = "history_customers"
"""The customers in rank order: `key` (their identifier), `number` (from 0), `n` (purchases), `start`."""
GOODS = "history_goods"
"""The goods bought: `key`, `good` (from 1, in order), `item` (the number of the item released for it), `label`."""
ITEMS = "history_items"
"""The items released for goods: `item` (from 1, in order), `label` (its text), `goods` (how many it stands for)."""
CLUSTERS = "history_clusters"
"""`customer`, `cluster` (both from 0): of the customers that are in one."""
MATCHED = "history_matched"
"""`record`, `slot`: of the purchases that were matched outside the database."""
PLACED = "history_placed"
"""A view of the purchases that are released: `record`, `customer`, `cluster`, `slot`, their numbers and `item`."""
SLOTS = "history_slots"
"""The values that the purchases in a slot share, and the loss."""
SHOWN = "history_shown"
"""A view of the slots as they are released: `cluster`, `slot`, `n` (customers), the values by `release.plan.inner`."""


def units_column(place: int) -> str:
    """The column of a purchase's day (place 0) or number, in whole numbers of units."""
    return f"u{place + 1}"


def low_column(place: int) -> str:
    """The column of the least of a slot's days (place 0) or numbers."""
    return f"low_{place + 1}"


def high_column(place: int) -> str:
    """The column of the greatest of a slot's days (place 0) or numbers."""
    return f"high_{place + 1}"


def error_column(place: int) -> str:
    """The column of the summed error of a slot's days (place 0) or numbers."""
    return f"error_{place + 1}"


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
        return steps_of(self.unit)

    @property
    def held(self) -> NumericEncoding:
        """The column as it was pulled."""
        if self.day:
            return NumericEncoding(self.name, self.column, "day", between_ends=True)
        kind = measured_as(self.column_type)
        if kind is None:
            raise ValueError(f"a column of type {self.column_type} is not measured")
        return NumericEncoding(self.name, self.column, kind, decimals_of(self.column_type))

    @property
    def of_last_digit(self) -> Fraction:
        """The number of units that the last digit of a DECIMAL makes; 1 where these are its units."""
        return last_digit_in(self.unit, self.column_type)


def measures_of(resolved: ResolvedHistory) -> tuple[Measure, ...]:
    """The day and the numbers of a request, in order; the unit is 1 where it must be derived from the values."""
    when = resolved.when
    numbers = (
        Measure(units_column(place), each.column, each.column_type, each.unit or Decimal(1))
        for place, each in enumerate(resolved.numbers, start=1)
    )
    return Measure(units_column(0), when.column, when.column_type, Decimal(1), day=True), *numbers


def in_units(measure: Measure) -> exp.Expr:
    """The value of a measure in a pulled purchase, as a whole number of units."""
    bought = sql.select("history/purchases").args["from_"].this.this
    fragments: dict[str, exp.Expr] = {each.alias: each.unalias() for each in bought.expressions}
    held, value = measure.held, exp.column(sql.identifier(measure.name), table=MICRODATA)
    if measure.day:
        return sql.with_columns(fragments["u1"], {"microdata.u1": measure.name})
    if held.kind == "float":
        return counting(sql.with_columns(fragments["floats"], {"microdata.measured": measure.name}), measure.unit)
    number = number_of(value, held)
    if measure.of_last_digit == 1:
        return number
    return of_decimals(fragments["decimals"], number, measure.unit, measure.column_type)


def as_text(measure: Measure, number: exp.Expr) -> exp.Expr:
    """A whole number of units as the text of the number it stands for."""
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
    tree = sql.select("slices/uneven")
    counted = [
        sql.named(uneven(each.name, each.column_type, each.unit), f"{each.name}_{place}")
        for place, each in enumerate(measures)
    ]
    tree.set("expressions", counted)
    return tree


def tried(measures: Sequence[Measure], resolved: ResolvedHistory) -> Sequence[Measure]:
    """The measures to test the pulled values with: units that may not divide them, and candidates to derive."""
    found: list[Measure] = []
    for each, number in zip(measures[1:], resolved.numbers, strict=True):
        if number.unit is None:
            found += (replace(each, unit=unit) for unit in TRIED)
        elif each.held.kind == "float" or each.of_last_digit.denominator > 1:
            found.append(each)
    return found


def with_units(
    executor: Executor, resolved: ResolvedHistory, statements: Iterable[Statement], least_k: int
) -> tuple[Measure, ...]:
    """The measures of the pulled purchases, with units derived from their values where the request gives none.

    `statements`: the one that counts these, if any is tried. Raises InputError, with no count below `least_k`, where a
    number is no whole number of units.
    """
    measures = measures_of(resolved)
    tested = tried(measures, resolved)
    counts = [count for each in statements for count in executor.rows(Purpose.RECORDS, each.tree)[0]]
    found = {each.name: each for each in measures}
    derived = {each.column for each in resolved.numbers if each.unit is None}
    for name in dict.fromkeys(each.name for each in tested):
        here = [(each, int(count)) for each, count in zip(tested, counts, strict=True) if each.name == name]
        fitting = next((each for each, count in here if count == 0), None)
        if fitting is None:
            raise _uneven(*here[-1], least_k, derived=here[-1][0].column in derived)
        found[name] = fitting
    return tuple(found.values())


def _uneven(measure: Measure, count: int, least_k: int, *, derived: bool) -> InputError:
    unit = plain(measure.unit)
    rows, verb = numbered(count, "row", "rows", least_k), "is" if count == 1 and least_k <= 1 else "are"
    what = f"{rows} of the column {quoted(measure.column)} {verb} no whole number of units of {unit}"
    step = f"Write the unit that its values count, `numbers: {{{measure.column}: {{unit: 0.01}}}}` if they are cents"
    if not derived:
        step = "Write a unit that divides all its values"
    return InputError(
        what,
        where=f"history.numbers: {measure.column}",
        next_step=f"{step}; or cast the column to a DECIMAL in a dataset query.",
    )
