"""Values as exact numbers: statements that count values without one, and statements that read all others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, quoted
from ordermade.least_k import in_words
from ordermade.requests.measured_types import OrderedAs
from ordermade.requests.where import in_a_request
from ordermade.sources.door import Door, Purpose

LARGEST = "1.7976931348623157e308"
"""A bound that no finite float64 is much above."""
ENDS = ("date '0001-01-01'", "date '9999-12-31'")
"""The first and last day that a date of people's lives may be."""

Kind: TypeAlias = OrderedAs | Literal["code", "value"]
"""A count; or the number of a row in a table of the workspace; or any value, known by its text."""

_TYPES = {"whole": "BIGINT", "float": "DOUBLE", "code": "INTEGER"}


@dataclass(frozen=True, slots=True)
class Held:
    """A column of the table of records: its `name` there, the `column` of the dataset that it comes from, its kind.

    `decimals`: the digits after the point that every value has, of DECIMAL, whose numbers count units of the last one.
    `between_ends`: whether a day must lie within ENDS, as for arithmetic by month.
    """

    name: str
    column: str
    kind: Kind
    decimals: int = 0
    between_ends: bool = False

    @property
    def may_be_missing(self) -> bool:
        """Whether the column may still have missing values."""
        return self.kind != "code"

    @property
    def may_be_endless(self) -> bool:
        """Whether a value may be infinite or NaN."""
        return self.kind not in ("code", "value", "whole")


def missing_statement(columns: Iterable[Held]) -> exp.Select:
    """The statement that counts, of every column in turn, the values that are missing, infinite and beyond ENDS."""
    tree = sql.select("slices/missing")
    missing, endless, beyond = tree.expressions
    counted = []
    for each in columns:
        if each.may_be_missing:
            counted.append(_counted(missing, each.name))
        if each.may_be_endless:
            counted.append(_counted(endless, each.name))
        if each.between_ends:
            counted.append(_counted(beyond, each.name))
    tree.set("expressions", counted)
    return tree


def numbers_statement(columns: Iterable[Held]) -> exp.Select:
    """The statement that gives the records as numbers, in their order."""
    tree = sql.select("slices/numbers")
    numbers = [
        sql.named(number_of(exp.column(sql.identifier(each.name), table="microdata"), each), each.name)
        for each in columns
    ]
    tree.set("expressions", numbers)
    return tree


def number_of(value: exp.Expr, held: Held) -> exp.Expr:
    """The expression of a value as a number, or as its text."""
    fragments: dict[str, exp.Expr] = {each.alias: each.unalias() for each in sql.select("slices/numbers").expressions}
    if held.kind == "value":
        return sql.with_expressions(fragments["text"], {"microdata.value": value})
    if held.kind in ("day", "microsecond", "nanosecond"):
        return sql.with_expressions(fragments[held.kind], {"microdata.moment": value})
    if held.decimals:
        units = sql.with_expressions(fragments["decimals"], {"microdata.decimals": value})
        units.this.expression.set("this", exp.Literal.number(10**held.decimals))
        return units
    measured = sql.with_expressions(fragments["measured"], {"microdata.measured": value})
    measured.set("to", exp.DataType.build(_TYPES[held.kind], dialect=sql.DIALECT))
    return measured


def require_values(door: Door, columns: Sequence[Held], where: str, least_k: int) -> None:
    """Raises InputError, with counts only, for values missing, endless or beyond ENDS; `where` is the columns' key.

    No count below `least_k` is shown.
    """
    refuse = partial(_refuse, least_k=least_k)
    checked = [each for each in columns if each.may_be_missing]
    if not checked:
        return
    counts = iter(door.rows(Purpose.RECORDS, missing_statement(checked))[0])
    for each in checked:
        name = sql.text(sql.column(each.column))
        refuse(next(counts), each, where, "NULL", f"{name} is not null")
        if each.kind == "float":
            refuse(next(counts), each, where, "NaN or an infinity", f"{name} between -{LARGEST} and {LARGEST}")
        elif each.may_be_endless:
            refuse(next(counts), each, where, "an infinity", f"{name} between {ENDS[0]} and {ENDS[1]}")
        if each.between_ends:
            what = "before the year 1 or after the year 9999"
            refuse(next(counts), each, where, what, f"{name} between {ENDS[0]} and {ENDS[1]}")


def _refuse(count: Any, held: Held, where: str, what: str, condition: str, *, least_k: int) -> None:
    if count:
        called = {"whole": "number", "float": "number", "value": "value"}.get(held.kind, "date")
        number = in_words(int(count), least_k)
        raise InputError(
            f"{number} row(s) have no {called}: the column {quoted(held.column)} is {what} there",
            where=f"{where}: {held.column}",
            next_step=f"Leave them out with `{in_a_request(condition)}`, or put {called}s in their place in a "
            "dataset query.",
        )


def _counted(fragment: exp.Expr, name: str) -> exp.Expr:
    filled = sql.with_columns(fragment.copy(), {"microdata.measured": name, "microdata.moment": name})
    return sql.named(filled, f"{name}_{fragment.alias}")
