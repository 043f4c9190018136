"""A table of edges in several databases at once, and row filters over it: as texts, by a strategy of hypothesis."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path

from hypothesis import strategies as st
from sqlglot import exp

from ordermade import sql
from ordermade.measuring.dataset import relation
from ordermade.requests.where import parse_filter, widened
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
DOUBLES = (0.0, -0.0, 0.1, 0.5, 1.5, -2.5, 1e15, 2.0**53, 1e-7, 16777217.0, 3.0, 100.0)
SINGLES = (0.0, 0.5, 0.1, 1.5, -2.5, 16777216.0, 3.0, 1e-7)
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

    def passing(self, backend: str, where: str) -> list[int]:
        """The numbers of the rows that pass a filter. Raises OrdermadeError."""
        source = self.backends[backend]
        return passing(source, where)


def passing(source: Backend, where: str) -> list[int]:
    """The numbers of the rows of the one table of a source that pass a filter, in order. Raises OrdermadeError."""
    table = the_table(source)
    columns = columns_of(source, relation(table.reference, None))
    types = {each.name: each.type for each in columns}
    condition = widened(parse_filter(where, tuple(types)), types)
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
    "0", "1", "-1", "2", "3", "100", "0.1", "0.5", "1.5", "2.50", "-2.5", "1e0", "1.5e0", "0.1e0", "1e-7", "1e15",
    "9007199254740993", "9007199254740992", "9007199254740993e0", "16777217", "16777216", "12345678.91", "0.10",
    "9223372036854775807", "12345678901234567890", "1234567890123456789012345678.0123456789", "0.30000000000000004",
)  # fmt: skip
PATTERNS = (
    "", "%", "_", "__", "a%", "%b", "a_b", "a\\b", "a\\_b", "\\", "\\\\", "\\%", "%\\%", "%'%", '"%"', "ANN", "ann",
    "Bob", "Bob%", "%😀%", "_́", "é", "1%", "100%", "%%", "%s", "東_", "a\t_", "a\n%", "2020%",
)  # fmt: skip
MOMENT_TEXTS = (
    "2020-01-01", "2020-01-01 10:30:00", "2020-01-01 10:30", "2020-01-01T10:30:00", "2020-03-29 02:30:00",
    "2020-12-31 23:59:59", "2020-01-01 10:30:00.000001", "2020-12-31 23:59:59.999999", "2020-12-31 23:59:59.9",
    "1582-10-04 00:00:00", "1970-01-01 00:00:00", "1999-01-01 00:00:00.5",
)  # fmt: skip
DAY_TEXTS = (*(each.isoformat() for each in DAYS), "2020-02-28", "1900-02-28", "1582-10-10", "9999-12-30", "0001-01-01")
OFFSETS = ("", "Z", "+00", "+09:00", "-05:30")


def quoted(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def _of_number(columns: Sequence[str]) -> st.SearchStrategy[str]:
    plain = st.sampled_from([each for each in columns if each in ("n", "big", "x", "dec", "wide", "f")])
    small = st.sampled_from(["1", "2", "0.5", "-1", "3"])
    calculated = st.one_of(
        st.tuples(plain, st.sampled_from("+-*"), small).map(lambda each: f"({' '.join(each)})"),
        plain.map(lambda each: f"-{each}"),
        plain.map(lambda each: f"ABS({each})"),
        st.tuples(plain, small).map(lambda each: f"COALESCE({each[0]}, {each[1]})"),
    )
    return st.one_of(plain, plain, plain, calculated)


def _literals(columns: Sequence[str]) -> dict[str, tuple[st.SearchStrategy[str], st.SearchStrategy[str]]]:
    """The values of each kind that is compared, and the constants they are compared with."""
    days = st.sampled_from(DAY_TEXTS).flatmap(lambda each: st.sampled_from([f"'{each}'", f"DATE '{each}'"]))
    moments = st.sampled_from(MOMENT_TEXTS).flatmap(lambda each: st.sampled_from([f"'{each}'", f"TIMESTAMP '{each}'"]))
    zoned = st.tuples(st.sampled_from(MOMENT_TEXTS[1:]), st.sampled_from(OFFSETS)).map("".join)
    instants = zoned.flatmap(lambda each: st.sampled_from([f"'{each}'", f"TIMESTAMPTZ '{each}'"]))
    kinds = {
        "number": (_of_number(columns), st.sampled_from(NUMBERS)),
        "text": (
            st.sampled_from(["name", "name", "other", "COALESCE(name, 'Ann')", "COALESCE(name, other)"]),
            st.sampled_from(TEXTS).map(quoted),
        ),
        "day": (st.sampled_from(["d", "d", "COALESCE(d, DATE '2020-01-01')"]), st.one_of(days, days, moments)),
        "moment": (st.sampled_from([each for each in columns if each in ("ts", "fine")]), st.one_of(moments, days)),
        "boolean": (st.just("b"), st.sampled_from(["TRUE", "FALSE", "NULL"])),
    }
    if "tz" in columns:
        kinds["instant"] = (st.just("tz"), instants)
    return kinds


def conditions(columns: Sequence[str]) -> st.SearchStrategy[str]:
    """Row filters over these columns: most compare values of one kind, some what no database should compare."""
    kinds = _literals(columns)
    compare = st.sampled_from(["=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"])
    negated = st.sampled_from(["", "NOT "])
    every_constant = st.one_of(*(constant for _, constant in kinds.values()))
    predicates: list[st.SearchStrategy[str]] = []
    for value, constant in kinds.values():
        other = st.one_of(constant, constant, constant, value, st.just("NULL"))
        listed = st.lists(st.one_of(constant, constant, st.just("NULL")), min_size=1, max_size=4).map(", ".join)
        predicates += [
            st.tuples(value, compare, other).map(" ".join),
            st.tuples(constant, compare, value).map(" ".join),
            st.tuples(value, negated, listed).map(lambda each: f"{each[0]} {each[1]}IN ({each[2]})"),
            st.tuples(value, negated, other, other).map(
                lambda each: f"{each[0]} {each[1]}BETWEEN {each[2]} AND {each[3]}"
            ),
            st.tuples(value, negated).map(lambda each: f"{each[0]} IS {each[1]}NULL"),
        ]
    like = st.tuples(st.sampled_from(["name", "other"]), negated, st.sampled_from(PATTERNS).map(quoted)).map(
        lambda each: f"{each[0]} {each[1]}LIKE {each[2]}"
    )
    truth = st.sampled_from(
        ["b", "NOT b", "b IS TRUE", "b IS NOT TRUE", "b IS FALSE", "b = (n > 1)", "COALESCE(b, TRUE)"]
    )
    constants = st.tuples(st.sampled_from(TEXTS).map(quoted), compare, st.sampled_from(TEXTS).map(quoted)).map(" ".join)
    odd = st.one_of(
        st.tuples(st.sampled_from(columns), compare, every_constant).map(" ".join),
        st.sampled_from(columns),
        st.sampled_from(columns).map(lambda each: f"{each} IS TRUE"),
        st.sampled_from(columns).map(lambda each: f"{each} LIKE '%1%'"),
        st.tuples(st.sampled_from(columns), every_constant).map(
            lambda each: f"COALESCE({each[0]}, {each[1]}) = {each[1]}"
        ),
        constants,
    )
    one = st.one_of(*predicates, *predicates, like, like, like, truth, odd)
    return st.recursive(
        one,
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from([" AND ", " OR "]), inner).map(lambda each: f"({''.join(each)})"),
            inner.map(lambda each: f"NOT ({each})"),
        ),
        max_leaves=3,
    )
