"""Columns of records as arrays of exact numbers: decimals, and whole numbers of a column's unit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from pyarrow import compute
from sqlglot import exp

from ordermade import sql
from ordermade.counting.record_tables import MICRODATA
from ordermade.counting.statements import Statement
from ordermade.errors import InputError, SourceChanged, quoted
from ordermade.hierarchies.column_types import OrderedAs, decimals_of, is_single_precision, measured_as
from ordermade.privacy.least_k import numbered
from ordermade.requests.filter_parser import in_a_request
from ordermade.requests.numbers import plain
from ordermade.sources.executor import Executor, Purpose, arrow

if TYPE_CHECKING:
    import pyarrow as pa

LARGEST = "1.7976931348623157e308"
"""A bound that no finite float64 is much above."""
ENDS = ("date '0001-01-01'", "date '9999-12-31'")
"""The first and last day that a date of people's lives may be."""

Kind: TypeAlias = OrderedAs | Literal["code", "value"]
"""A count; or the number of a row in a table of the workspace; or any value, known by its text."""

_TYPES = {"whole": "BIGINT", "float": "DOUBLE", "code": "INTEGER"}


@dataclass(frozen=True, slots=True)
class NumericEncoding:
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


def missing_statement(columns: Iterable[NumericEncoding], counted: str | None = None) -> exp.Select:
    """The statement that counts, of every column in turn, the values that are missing, infinite and beyond ENDS.

    `counted`: a table that has each value with the rows `n` of it, in place of the records.
    """
    tree = sql.select("slices/missing")
    missing, endless, beyond = tree.expressions
    counts = []
    for each in columns:
        if each.may_be_missing:
            counts.append(_counted(missing, each.name))
        if each.may_be_endless:
            counts.append(_counted(endless, each.name))
        if each.between_ends:
            counts.append(_counted(beyond, each.name))
    tree.set("expressions", counts)
    if counted is None:
        return tree
    for each_case in tree.find_all(exp.If):
        each_case.set("true", exp.column("n", table=MICRODATA))
    return sql.with_relations(tree, {MICRODATA: exp.to_table(counted)})


def numbers_statement(columns: Iterable[NumericEncoding]) -> exp.Select:
    """The statement that gives the records as numbers, in their order."""
    tree = sql.select("slices/numbers")
    numbers = [
        sql.named(number_of(exp.column(sql.identifier(each.name), table="microdata"), each), each.name)
        for each in columns
    ]
    tree.set("expressions", numbers)
    return tree


def number_of(value: exp.Expr, held: NumericEncoding) -> exp.Expr:
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


def missing_values(title: str, columns: Sequence[NumericEncoding], counted: str | None = None) -> Iterator[Statement]:
    """The statement that counts them, called by a title; none where no column may have any."""
    if any(each.may_be_missing for each in columns):
        yield Statement(title, False, None, missing_statement(columns, counted))


def require_values(
    executor: Executor, missing: Iterable[Statement], columns: Sequence[NumericEncoding], where: str, least_k: int
) -> None:
    """Raises InputError, with counts only, for values missing, endless or beyond ENDS; `where` is the columns' key.

    `missing`: the `missing_values` of the columns. No count below `least_k` is shown.
    """
    refuse = partial(_refuse, least_k=least_k)
    counts = (count for each in missing for count in executor.rows(Purpose.RECORDS, each.tree)[0])
    for each in columns:
        if not each.may_be_missing:
            continue
        name = sql.text(sql.column(each.column))
        refuse(next(counts), each, where, "NULL", f"{name} is not null")
        if each.kind == "float":
            refuse(next(counts), each, where, "NaN or an infinity", f"{name} between -{LARGEST} and {LARGEST}")
        elif each.may_be_endless:
            refuse(next(counts), each, where, "an infinity", f"{name} between {ENDS[0]} and {ENDS[1]}")
        if each.between_ends:
            what = "before the year 1 or after the year 9999"
            refuse(next(counts), each, where, what, f"{name} between {ENDS[0]} and {ENDS[1]}")


def _refuse(count: Any, held: NumericEncoding, where: str, what: str, condition: str, *, least_k: int) -> None:
    if count:
        called = {"whole": "number", "float": "number", "value": "value"}.get(held.kind, "date")
        rows = numbered(int(count), "row has", "rows have", least_k)
        raise InputError(
            f"{rows} no {called}: the column {quoted(held.column)} is {what} there",
            where=f"{where}: {held.column}",
            next_step=f"Leave them out with `{in_a_request(condition)}`, or put {called}s in their place in a "
            "dataset query.",
        )


def _counted(fragment: exp.Expr, name: str) -> exp.Expr:
    filled = sql.with_columns(fragment.copy(), {"microdata.measured": name, "microdata.moment": name})
    return sql.named(filled, f"{name}_{fragment.alias}")


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
    held = NumericEncoding(column, column, "whole", decimals_of(column_type))
    value = number_of(exp.column(sql.identifier(column), table=MICRODATA), held)
    return of_decimals(decimals, value, unit, column_type)


def uneven_rows(
    executor: Executor, table: str, column: str, column_type: str, units: Sequence[Decimal]
) -> tuple[int, ...]:
    """The numbers of values of a column that are no whole number of each of these units.

    Raises the fault of the executor.
    """
    tree = sql.select("slices/uneven")
    tree.set("expressions", [sql.named(uneven(column, column_type, unit), f"uneven_{unit}") for unit in units])
    counts = executor.rows(Purpose.RECORDS, sql.with_relations(tree, {MICRODATA: exp.to_table(table)}))[0]
    return tuple(int(count) for count in counts)


def unit_of_values(executor: Executor, table: str, column: str, column_type: str) -> Decimal | None:
    """The coarsest unit TRIED of which all values of a column of floating-point numbers are whole numbers, if any is.

    Raises the fault of the executor.
    """
    counts = uneven_rows(executor, table, column, column_type, TRIED)
    return next((unit for unit, count in zip(TRIED, counts, strict=True) if not count), None)


def _uneven_floats(floats: exp.Expr, column_type: str, unit: Decimal) -> exp.Expr:
    single = is_single_precision(column_type)
    filled = counting(floats, unit, {"1024": _COUNTED["FLOAT" if single else "DOUBLE"]})
    if single:
        rounded = next(node for node in filled.find_all(exp.Cast) if node.find(exp.Round))
        rounded.set("to", exp.DataType.build("FLOAT", dialect=sql.DIALECT))
    return filled


BATCH = 131_072
"""The number of records of a batch."""

_DTYPES: Mapping[Kind, type[np.generic]] = {"float": np.float64, "code": np.int32, "value": np.int32}


def pulled(
    executor: Executor,
    statement: exp.Query,
    columns: Sequence[NumericEncoding],
    rows: int,
    texts: Mapping[str, pa.Array] | None = None,
) -> tuple[NDArray[Any], ...]:
    """The `rows` of a statement that gives the columns as numbers, in the order of its answer.

    `texts`: of the columns of any values, by name, the texts that these may be; the arrays hold their places there.
    Raises SourceChanged where a record has no number, though every value that was counted had one.
    """
    known = [(texts or {}).get(each.name) for each in columns]
    found: list[NDArray[Any]] = [np.empty(rows, dtype=_DTYPES.get(each.kind, np.int64)) for each in columns]
    done = 0
    for batch in executor.batches(Purpose.RECORDS, statement, BATCH):
        for column, values, listed in zip(found, batch.columns, known, strict=True):
            part = values if listed is None else _places(values, listed)
            if part.null_count:
                raise SourceChanged(
                    "the dataset changed while its records were read", next_step="Run the request again."
                )
            column[done : done + batch.num_rows] = part.to_numpy()
        done += batch.num_rows
    executor.let_go()  # the arrays are worked on next, beside whatever DuckDB keeps
    return tuple(found)


def _places(values: pa.Array, listed: pa.Array) -> pa.Array:
    """The place of each text among those that are listed."""
    short = values.dictionary_encode(null_encoding="encode")
    return compute.index_in(short.dictionary, listed).take(short.indices)


def table_as_numbers(
    workspace: Executor, columns: Sequence[NumericEncoding], table: str, rows: int
) -> dict[str, NDArray[Any]]:
    """The columns of a table of the workspace with so many rows, as numbers, by name."""
    statement = sql.with_relations(numbers_statement(columns), {MICRODATA: exp.to_table(table)})
    return dict(zip((each.name for each in columns), pulled(workspace, statement, columns, rows), strict=True))


def pulled_table(executor: Executor, purpose: Purpose, statement: exp.Query) -> pa.Table | None:
    """The answer of a statement as one Arrow table; None where it has no row."""
    batches = list(executor.batches(purpose, statement, BATCH))
    return arrow().Table.from_batches(batches).combine_chunks() if any(each.num_rows for each in batches) else None
