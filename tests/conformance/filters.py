"""A table of edges in several databases at once, row filters over it, and what Python says of them.

The oracle shares nothing with the engine but the tree of a filter: it compares with Python's own numbers, texts by
their UTF-8 bytes, NaN as the greatest number, and NULL by the three truth values of SQL.
"""

from __future__ import annotations

import math
import random
import struct
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from fractions import Fraction
from itertools import compress
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from sqlglot import exp

from ordermade import sql
from ordermade.counting.dataset import relation
from ordermade.errors import FilterError, OrdermadeError
from ordermade.requests.filter_parser import compiled
from ordermade.requests.filter_tree import All, AnyOf, Constant, Filter, FilterComparison, Not, Operator
from ordermade.requests.row_filter import row_condition
from ordermade.sources.backend import Backend, columns_of
from ordermade.sources.executor import Purpose
from tests.conformance.backends import BACKENDS, Made, Table, in_mariadb, in_postgresql, opened, the_table
from tests.services.servers import POSTGRES, Schema

TEXTS = (
    "",
    " ",
    "Bob",
    "Bob ",
    "bob",
    "Ann",
    "ann",
    "é",
    "e\u0301",
    "E",
    "😀",
    "a%",
    "a_b",
    "ab",
    "a\\b",
    "a\\\\b",
    "\\",
    "it's",
    '"x"',
    "%",
    "100%",
    "東京",
    "ß",
    "ss",
    "Z",
    "a\tb",
    "a\nb",
    "%s",
    ":n",
    "NULL",
    "1",
    "2020-01-01",
)
INTEGERS = (0, 1, -1, 2, 3, 100, 16777217, 2**31 - 1, -(2**31))
LARGE = (0, 1, -1, 2**53, 2**53 + 1, -(2**53) - 1, 2**62, 2**63 - 1, -(2**63) + 1)
DOUBLES = (0.0, -0.0, 0.1, 0.5, 1.5, -2.5, 1e15, 2.0**53, 1e-7, 16777217.0, 3.0, 0.30000000000000004, 1.7e308, 1e-300)
SINGLES = (0.0, 0.5, 0.1, 1.5, -2.5, 16777216.0, 3.0, 1e-7, 3.4028234663852886e38)
DECIMALS = tuple(Decimal(each) for each in ("0", "0.10", "0.50", "1.50", "-2.50", "3", "12345678.91", "-0.01", "100"))
WIDE = tuple(
    Decimal(each)
    for each in ("0", "0.1", "1.5", "-2.5", "3", "1234567890123456789012345678.0123456789", "9007199254740993")
)
DAYS = tuple(
    date(*each)
    for each in (
        (1000, 1, 1), (1582, 10, 4), (1582, 10, 15), (1899, 12, 31), (1900, 3, 1), (1970, 1, 1), (2000, 2, 29),
        (2020, 1, 1), (2020, 3, 29), (2020, 12, 31), (9999, 12, 31),
    )
)  # fmt: skip
MOMENTS = (
    *(datetime(each.year, each.month, each.day) for each in DAYS[:-1]),
    datetime(2020, 1, 1, 10, 30),
    datetime(2020, 3, 29, 2, 30),
    datetime(2020, 10, 25, 2, 30),
    datetime(2020, 12, 31, 23, 59, 59),
)
FINE = (
    datetime(2020, 1, 1, 10, 30, 0, 1),
    datetime(2020, 12, 31, 23, 59, 59, 999999),
    datetime(1999, 1, 1, 0, 0, 0, 500000),
)
INSTANTS = tuple(each.replace(tzinfo=UTC) for each in (*MOMENTS[6:], *FINE))
TIMES = (time(0, 0), time(10, 30), time(10, 30, 0, 1), time(23, 59, 59, 999999))
BOOLEANS = (True, False)

COMMON = {
    "id": ("BIGINT", ()),
    "n": ("INTEGER", INTEGERS),
    "big": ("BIGINT", LARGE),
    "x": ("DOUBLE", DOUBLES),
    "name": ("VARCHAR", TEXTS),
    "other": ("VARCHAR", TEXTS),
    "d": ("DATE", DAYS),
    "ts": ("TIMESTAMP", MOMENTS),
    "b": ("BOOLEAN", BOOLEANS),
}
"""Columns of types that every database of the suite has, and their values."""
BEYOND = {
    "dec": ("DECIMAL(10,2)", DECIMALS),
    "wide": ("DECIMAL(38,10)", WIDE),
    "f": ("FLOAT", SINGLES),
    "fine": ("TIMESTAMP", FINE),
    "tz": ("TIMESTAMPTZ", INSTANTS),
}
"""Columns of types that SQLite lacks."""
HUGE = (0, 1, -1, 10**18, 10**38 - 1, -(10**38) + 1)
ENDLESS = {
    "id": ("BIGINT", ()),
    "x": ("DOUBLE", (float("nan"), float("inf"), float("-inf"), sys.float_info.max, 5e-324, 0.1)),
    "f": ("FLOAT", (float("nan"), float("inf"), float("-inf"), 3.4028234663852886e38, 0.1)),
    "d": ("DATE", ("infinity", "-infinity", date(2020, 1, 1), date(9999, 12, 31))),
    "ts": ("TIMESTAMP", ("infinity", "-infinity", datetime(2020, 1, 1), datetime(9999, 12, 31))),
    "whole": ("DECIMAL(38,0)", tuple(map(Decimal, HUGE))),
    "least": (
        "DECIMAL(38,37)",
        tuple(Decimal(each) for each in ("9." + "9" * 37, "-9." + "9" * 37, "0." + "0" * 36 + "1")),
    ),
}
"""Columns of values that only DuckDB and PostgreSQL have, but for DECIMAL."""


def table_of(columns: dict[str, tuple[str, Sequence[object]]], rows: int, seed: int) -> Table:
    """Rows of edges at random, each value in some row; `id` numbers them."""
    draw = random.Random(seed)

    def value(values: Sequence[object], row: int) -> object:
        if row < len(values):
            return values[row]
        return None if draw.random() < 0.15 else draw.choice(values)

    made = [
        tuple(row if name == "id" else value(values, row) for name, (_, values) in columns.items())
        for row in range(rows)
    ]
    return Table("edges", {name: kind for name, (kind, _) in columns.items()}, made)


@dataclass(frozen=True)
class Edges:
    """The same table, open in several databases, by what they are called; DuckDB's is the answer that is right."""

    table: Table
    backends: dict[str, Backend]


def passing(source: Backend, where: str) -> list[int]:
    """The numbers of the rows of the one table of a source that pass a filter, in order. Raises OrdermadeError."""
    table = the_table(source)
    columns = columns_of(source, relation(table.reference, None))
    types = {each.name: each.type for each in columns}
    condition, _ = row_condition(where, types)
    exact = columns if source.capabilities.collates else None
    rows = relation(table.reference, condition, exact, source.capabilities.binary)
    numbers = exp.Select(expressions=[sql.column("id", "dataset")])
    return sorted(row[0] for row in source.executor.rows(Purpose.RECORDS, numbers.from_(rows.subquery("dataset"))))


@contextmanager
def everywhere(table: Table, folder: Path, schemas: Sequence[Schema], *, embedded: Sequence[str]) -> Iterator[Edges]:
    """The table in embedded databases and in schemas of servers, open for reading."""
    made: dict[str, Made] = {}
    for kind in embedded:
        (folder / kind).mkdir()
        made[kind] = BACKENDS[kind](folder / kind, table)
    for schema in schemas:
        if schema.server.kind is POSTGRES:
            made["postgresql"] = in_postgresql(schema, table)
        else:
            made["mariadb"] = in_mariadb(schema, table)
    with ExitStack() as stack:
        yield Edges(table, {kind: stack.enter_context(opened(each)) for kind, each in made.items()})


NUMBERS = (
    "0", "1", "-1", "2", "3", "100", "0.1", "0.5", "1.5", "2.50", "-2.5", "1e0", "1e-7", "1e15", "0.10", "1.7e308",
    "-1.7e308",
    "1e-300", "5e-324", "1.7976931348623157e308", "3.4028235e38", "9007199254740993", "9007199254740992", "16777217",
    "16777216", "12345678.91", "2147483647", "2147483648", "-2147483648", "9223372036854775807", "-9223372036854775808",
    "9223372036854775808", "12345678901234567890", "1234567890123456789012345678.0123456789", "0.30000000000000004",
    "99999999999999999999999999999999999999", "-99999999999999999999999999999999999999", "99999999.99", "0.005",
    f"0.{'0' * 36}1", f"9.{'9' * 37}",
)  # fmt: skip
PREFIXES = ("a", "B", "Bob", "Bob ", "é", "東", "1", "2020", '"', "😀", "it'", "ss", "e")
MOMENT_TEXTS = (
    "2020-01-01", "2020-01-01 10:30:00", "2020-01-01 10:30", "2020-01-01T10:30:00", "2020-03-29 02:30:00",
    "2020-12-31 23:59:59", "2020-01-01 10:30:00.000001", "2020-12-31 23:59:59.999999", "1582-10-04 00:00:00",
    "1999-01-01 00:00:00.5", "0001-01-01", "9999-12-31 23:59:59", "2020-01-01 19:30:00+09:00", "2020-12-31 23:59:59Z",
)  # fmt: skip
DAY_TEXTS = (*(each.isoformat() for each in DAYS), "2020-02-28", "1900-02-28", "1582-10-10", "0001-01-01")
ODD_TEXTS = (
    "nan",
    "infinity",
    "-infinity",
    "10:30",
    "10:30:00.000001",
    "23:59:59.999999",
    "x" * 300,
    "\u00e9\u0000"[:1],
)
CONSTANTS: tuple[Constant, ...] = (
    *(Constant("number", each) for each in NUMBERS),
    *(Constant("text", each) for each in dict.fromkeys((*TEXTS, *ODD_TEXTS, *MOMENT_TEXTS, *DAY_TEXTS))),
    *(Constant("truth", each) for each in ("TRUE", "FALSE")),
    *(Constant("DATE", each) for each in DAY_TEXTS),
    *(Constant("TIMESTAMP", each) for each in MOMENT_TEXTS if each[-1] not in "Z0" or "+" not in each),
    *(Constant("TIMESTAMPTZ", each) for each in MOMENT_TEXTS),
)
"""Constants of every kind: extremes, 38 digits, NaN and infinities, which no column of a filter is compared with."""
ORDERED: tuple[Operator, ...] = ("=", "<>", "<", "<=", ">", ">=")
ALONE: tuple[Operator, ...] = ("IS NULL", "IS TRUE", "IS FALSE", "TRUTH")


def every_comparison(columns: Iterable[str]) -> Iterator[FilterComparison]:
    """Each column with each operator and each constant, whether or not that makes a filter."""
    for column in columns:
        yield from (FilterComparison(column, operator) for operator in ALONE)
        for place, each in enumerate(CONSTANTS):
            other = CONSTANTS[(place * 7 + 3) % len(CONSTANTS)]
            same = next(found for found in (*CONSTANTS[place + 1 :], *CONSTANTS) if found.kind == each.kind)
            yield from (FilterComparison(column, operator, (each,)) for operator in ORDERED)
            yield from (FilterComparison(column, "IN", pair) for pair in ((each,), (each, same), (each, other)))
            yield from (FilterComparison(column, "BETWEEN", pair) for pair in ((each, same), (same, each)))
        yield from (FilterComparison(column, "LIKE", (Constant("text", each),)) for each in PREFIXES)


def accepted(columns: Iterable[str], types: Mapping[str, str]) -> list[FilterComparison]:
    """The comparisons that are filters of columns of these types."""
    found = []
    for each in every_comparison(columns):
        try:
            compiled(each, types)
        except FilterError:
            continue
        found.append(each)
    return found


def answers(source: Backend, filters: Sequence[Filter]) -> list[dict[int, bool | None] | None]:
    """The truth of each filter for each row by its number, in one statement; None where the source refuses a filter.

    Raises what a source raises once a statement was sent.
    """
    table = the_table(source)
    columns = columns_of(source, relation(table.reference, None))
    types = {each.name: each.type for each in columns}
    exact = columns if source.capabilities.collates else None
    rows = relation(table.reference, None, exact, source.capabilities.binary)
    conditions = [compiled(each, types) for each in filters]
    printed = [True] * len(conditions)
    if not is_printed(source, rows, conditions):
        printed = [is_printed(source, rows, [each]) for each in conditions]
    found = source.executor.rows(Purpose.RECORDS, _truths(rows, list(compress(conditions, printed))))
    places = iter(range(1, len(conditions) + 1))
    truths = {0: False, 1: True, 2: None}
    return [
        {int(row[0]): truths[int(row[place])] for row in found} if is_sent and (place := next(places)) else None
        for is_sent in printed
    ]


def is_printed(source: Backend, rows: exp.Query, conditions: Sequence[exp.Expr]) -> bool:
    """Whether a source prints filters: it refuses what its database would answer otherwise.

    Raises what the source raises of an error of its database, which was sent a statement then.
    """
    try:
        columns_of(source, _truths(rows, conditions))
    except OrdermadeError as refused:
        if refused.__context__ is not None:
            raise
        return False
    return True


def _truths(rows: exp.Query, conditions: Sequence[exp.Expr]) -> exp.Select:
    """The number of each row, and the truth of each condition."""
    values = [sql.named(_truth(each), f"c{at}") for at, each in enumerate(conditions)]
    return exp.Select(expressions=[sql.column("id", "dataset"), *values]).from_(rows.copy().subquery("dataset"))


def _truth(condition: exp.Expr) -> exp.Expr:
    """1 where a condition holds, 0 where it does not, 2 where it is NULL."""
    whole = exp.Paren(this=condition.copy())
    ifs = [
        exp.If(this=whole, true=exp.Literal.number(1)),
        exp.If(this=exp.Not(this=whole.copy()), true=exp.Literal.number(0)),
    ]
    return exp.Case(ifs=ifs, default=exp.Literal.number(2))


def holds(tree: Filter, row: Mapping[str, Any], types: Mapping[str, str]) -> bool | None:
    """The truth of a filter for a row, by Python."""
    match tree:
        case Not():
            inner = holds(tree.part, row, types)
            return None if inner is None else not inner
        case All():
            found = [holds(each, row, types) for each in tree.parts]
            return False if False in found else None if None in found else True
        case AnyOf():
            found = [holds(each, row, types) for each in tree.parts]
            return True if True in found else None if None in found else False
    value, kind = row[tree.column], types[tree.column]
    if tree.operator == "IS NULL":
        return value is None
    if tree.operator in ("IS TRUE", "IS FALSE"):
        return value is (tree.operator == "IS TRUE")
    if value is None or tree.operator == "TRUTH":
        return value
    if tree.operator == "LIKE":
        return bool(str(value).startswith(tree.constants[0].text))
    own = _place(value, kind)
    others = [_place(_constant(each, kind), kind) for each in tree.constants]
    match tree.operator:
        case "=" | "IN":
            return own in others
        case "<>":
            return bool(own != others[0])
        case "BETWEEN":
            return bool(others[0] <= own <= others[1])
        case "<" | "<=":
            return bool(own < others[0] or (tree.operator == "<=" and own == others[0]))
    return bool(own > others[0] or (tree.operator == ">=" and own == others[0]))


def _constant(constant: Constant, kind: str) -> Any:
    if constant.kind == "number":
        return Decimal(constant.text)
    if constant.kind == "truth" or kind == "VARCHAR":
        return constant.value
    if kind == "TIME":
        return time.fromisoformat(constant.text)
    return datetime.fromisoformat(constant.text)


def _place(value: Any, kind: str) -> Any:
    """A value as what Python orders as a database does."""
    if kind in ("DOUBLE", "FLOAT"):
        number = float(value)
        if kind == "FLOAT" and math.isfinite(number) and abs(number) < 3.5e38:
            (number,) = struct.unpack("<f", struct.pack("<f", number))
        ends = {math.inf: (1, 0), -math.inf: (-1, 0)}
        return (2, 0) if math.isnan(number) else ends.get(number, (0, Fraction(number) if math.isfinite(number) else 0))
    if isinstance(value, str) and kind != "VARCHAR":
        return ("-infinity", "", "infinity").index(value) - 1, datetime.min
    if isinstance(value, datetime):
        return 0, value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    if isinstance(value, date):
        return 0, datetime(value.year, value.month, value.day)
    return value.encode() if isinstance(value, str) else value


def quoted(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def joined(found: Sequence[Filter]) -> st.SearchStrategy[Filter]:
    """Comparisons joined and negated."""
    return st.recursive(
        st.sampled_from(found),
        lambda inner: st.one_of(
            st.lists(inner, min_size=2, max_size=3).map(lambda parts: All(tuple(parts))),
            st.lists(inner, min_size=2, max_size=3).map(lambda parts: AnyOf(tuple(parts))),
            inner.map(Not),
        ),
        max_leaves=5,
    )
