"""Filters that are taken for unions of classes, run on a table with NULL: none parts a class.

They are run as requests are, where the types of the columns allow it: in DuckDB, and in SQLite by its source.
"""

from __future__ import annotations

import random
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import duckdb
import pytest

from ordermade.errors import FilterError, OrdermadeError
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.read import parse_yaml, read_hierarchy
from ordermade.policies.filter_levels import is_union_of_classes
from ordermade.requests.filter_parser import canonical, compiled
from ordermade.requests.row_filter import parse_filter
from ordermade.sources.limits import Limits
from ordermade.sources.sqlite_file import SQLiteFile
from ordermade.sql import column as sql_column
from ordermade.sql import text as sql_text
from tests.conformance.filters import passing
from tests.long import rounds

FILTERS = rounds(200, 5_000)
"""Of each kind of column."""
COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")

Constants: TypeAlias = Callable[[random.Random], str]


def text(rng: random.Random) -> str:
    return rng.choice(("'c0'", "'c1'", "'c2'", "'c3'", "'C1'", "'c9'", "'nan'"))


def number(rng: random.Random) -> str:
    drawn = str(rng.choice((4, 5, 9, 10, 19, 20, 39, 40, 64, "05", "1e1", "20.0")))
    return rng.choice((drawn, drawn, drawn, f"'{drawn}'", "'nan'", f"-{drawn}"))


def fraction(rng: random.Random) -> str:
    drawn = str(rng.choice(("0.1", "0.5", "0.7", "0.10", "5e-1", "7e-1", "1e-1", "5e0", "5", "5.4", "5.40", "0.104")))
    long = rng.choice(
        ("0.10000000149", "0.69999999", "16777216", "16777217", "16777217.0", "1.6777217e7", "9007199254740993")
    )
    return rng.choice((drawn, drawn, drawn, long, f"'{long}'", f"-{drawn}"))


def digits(rng: random.Random) -> str:
    return rng.choice(("5", "5", "9", "5.4", "5.0", "'5'", "'05'", "'5.4'", "'9'"))


def day(rng: random.Random) -> str:
    drawn = rng.choice(("2020-01-01", "2020-01-02", "2020-02-01", "2021-01-01"))
    return rng.choice((f"DATE '{drawn}'", f"'{drawn}'", "'2020-1-2'", "'2020/01/02'", "'epoch'"))


AGES = "".join(f"{age};{'young' if age < 20 else age // 20};*\n" for age in range(5, 65)) + ";none;*\n"
FRACTIONS = (
    "0.1;low;*\n0.5;low;*\n0.7;middle;*\n5.0;high;*\n5.4;high;*\n0.69999999;near;*\n0.10000000149;nearer;*\n"
    "16777216.0;large;*\n16777217.0;larger;*\n16777218.0;larger;*\n9007199254740992.0;huge;*\n"
    "9007199254740994.0;huge;*\n;none;*\n"
)
LISTS: dict[str, tuple[str, str, Constants]] = {
    "places": ("VARCHAR", ";north;*\nc0;north;*\nc1;south;*\nc2;south;*\nc3;c3;*\n", text),
    "ages": ("INTEGER", AGES, number),
    "odd ages": ("INTEGER", f"{AGES}05;1;*\nnan;2;*\n", number),
    "numbers": ("DOUBLE", "4.0;low;*\n10.0;low;*\nnan;low;*\n20.0;high;*\ninf;high;*\n;high;*\n", number),
    "codes": ("VARCHAR", "5;low;*\n10;low;*\n9;low;*\n20;high;*\n05;high;*\n;high;*\n", number),
    "singles": ("FLOAT", FRACTIONS, fraction),
    "doubles": ("DOUBLE", FRACTIONS, fraction),
    "decimals": ("DECIMAL(12,2)", "0.10;low;*\n0.50;low;*\n0.104;odd;*\n5.00;high;*\n5.40;high;*\n;none;*\n", fraction),
    "wholes": ("INTEGER", "4;low;*\n5;low;*\n5.4;odd;*\n16777216;large;*\n16777217;larger;*\n;none;*\n", fraction),
    "written": ("VARCHAR", "5;five;*\n05;five;*\n5.4;other;*\n9;other;*\n0.1;less;*\n;none;*\n", digits),
    "signals": ("VARCHAR", "snan;not;*\n1e9999;not;*\nx;text;*\n;none;*\n", text),
    "days": ("DATE", "2020-01-01;first;*\n2020-01-02;first;*\n2020-02-01;second;*\n2020-1-2;second;*\n;first;*\n", day),
    "moments": ("TIMESTAMP", "2020-01-01 00:00:00;a;*\n2020-01-01 12:00:00;a;*\n2020-01-02 00:00:00;b;*\n;b;*\n", day),
}


def condition(rng: random.Random, constant: Constants) -> str:
    """A condition on the column `a`."""
    kind = rng.randrange(6)
    denied = rng.choice(("", "NOT "))
    if kind == 0:
        return f"a IS {denied}NULL"
    if kind == 1:
        return f"a {denied}IN ({', '.join(constant(rng) for _ in range(rng.randint(1, 4)))})"
    if kind == 2:
        return f"a {denied}BETWEEN {constant(rng)} AND {constant(rng)}"
    if kind == 3:
        return f"{constant(rng)} {rng.choice(COMPARISONS)} a"
    return f"a {rng.choice(COMPARISONS)} {constant(rng)}"


def drawn_filter(rng: random.Random, constant: Constants, depth: int = 2) -> str:
    """Conditions on `a` and on `b`, joined and negated."""
    if depth == 0 or rng.random() < 0.3:
        return rng.choice((condition(rng, constant), condition(rng, constant), "b = 1", "b IS NULL"))
    inner = drawn_filter(rng, constant, depth - 1)
    if rng.random() < 0.4:
        return f"NOT ({inner})"
    return f"({inner}) {rng.choice(('AND', 'OR'))} ({drawn_filter(rng, constant, depth - 1)})"


def parted(database: duckdb.DuckDBPyConnection, where: str) -> list[Any]:
    """The classes of which a filter lets some rows pass, and some not."""
    return database.execute(
        f"SELECT label, b FROM t GROUP BY ALL HAVING count(*) FILTER ({where}) NOT IN (0, count(*))"
    ).fetchall()


def table_of(hierarchy: Any, column_type: str) -> duckdb.DuckDBPyConnection:
    """Each value that the column can have, with its label and each value of `b`."""
    database = duckdb.connect()
    database.execute(f"CREATE TABLE t (a {column_type}, b INTEGER, label VARCHAR)")
    for leaf, label in zip(hierarchy.leaves, hierarchy.labels[0], strict=True):
        kept = database.execute(f"SELECT CAST(TRY_CAST($1 AS {column_type}) AS VARCHAR)", [leaf]).fetchall()[0][0]
        if kept == leaf:  # else no value of the column has that text
            database.executemany("INSERT INTO t VALUES (?, ?, ?)", [[leaf, b, label] for b in (None, 1, 2)])
    return database


def load(folder: Path, name: str, content: str) -> Hierarchy:
    path = folder / f"{name}.csv"
    path.write_text(content)
    return read_hierarchy(path, name).hierarchy


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("name", LISTS)
def test_no_filter_taken_for_a_union_of_classes_parts_one(tmp_path: Path, name: str) -> None:
    column_type, content, constant = LISTS[name]
    hierarchy = load(tmp_path, name, content)
    database = table_of(hierarchy, column_type)
    rng = random.Random(name)
    taken = 0
    for _ in range(FILTERS):
        where = drawn_filter(rng, constant)
        tree = parse_filter(where, ("a", "b"))
        if not is_union_of_classes(tree, "a", hierarchy, (1,)):
            continue
        try:
            found = parted(database, compiled(tree, {"a": column_type, "b": "INTEGER"}).sql(dialect="duckdb"))
        except (FilterError, duckdb.Error):  # the column has no such constant: nothing is released
            continue
        taken += 1
        assert found == [], where
    assert taken > FILTERS // 20


IN_SQLITE: dict[str, str] = {
    "ages": "INTEGER",
    "numbers": "REAL",
    "codes": "TEXT",
    "written": "TEXT",
    "doubles": "REAL",
}


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("name", IN_SQLITE)
def test_no_filter_parts_a_class_in_sqlite(tmp_path: Path, name: str) -> None:
    _, content, constant = LISTS[name]
    hierarchy = load(tmp_path, name, content)
    path = tmp_path / "source.sqlite"
    rows = [(*each, b) for each in zip(hierarchy.leaves, hierarchy.labels[0], strict=True) for b in (None, 1, 2)]
    listed = [each for each in rows if each[0] not in ("nan", "inf")]
    with sqlite3.connect(path) as database:
        database.execute(f"CREATE TABLE t (id INTEGER, a {IN_SQLITE[name]}, b INTEGER)")
        database.executemany("INSERT INTO t VALUES (?, ?, ?)", [(at, a, b) for at, (a, _, b) in enumerate(listed)])
    database.close()
    rng = random.Random(name)
    taken = 0
    source = SQLiteFile(path, limits=Limits())
    try:
        for _ in range(FILTERS):
            where = drawn_filter(rng, constant)
            if not is_union_of_classes(parse_filter(where, ("a", "b")), "a", hierarchy, (1,)):
                continue
            try:
                found = set(passing(source, where))
            except OrdermadeError:  # it would be another question: the request is refused
                continue
            taken += 1
            by_class = defaultdict(set)
            for at, (_, label, b) in enumerate(listed):
                by_class[label, b].add(at in found)
            assert all(len(each) == 1 for each in by_class.values()), where
    finally:
        source.close()
    assert taken > FILTERS // 20


INTERVALS = (
    "intervals: {levels: [{width: 0.1}, {width: 0.7}, {width: 16777217}, "
    "{bounds: [0.1, 0.7, 5.4, 16777217, 16777218.5]}]}\n"
)
VALUES = ("0.1", "0.2", "0.3", "0.6", "0.7", "0.8", "1.4", "5", "5.3", "5.4", "16777216", "16777217", "16777218", "0")
BOUNDS = (*VALUES, "0.7e0", "7e-1", "5e-1", "1e-1", "5e0", "16777218.5", "1.67772185e7", "1.6777217e7", "2.1", "1.4e0")


@pytest.mark.slow
@pytest.mark.parametrize("column_type", ["FLOAT", "DOUBLE", "DECIMAL(12,2)", "INTEGER"])
def test_no_filter_at_a_bound_parts_an_interval(tmp_path: Path, column_type: str) -> None:
    path = tmp_path / "intervals.yaml"
    path.write_text(INTERVALS)
    hierarchy = read_hierarchy(path, "intervals").hierarchy
    database = duckdb.connect()
    database.execute(f"CREATE TABLE t (a {column_type}, b INTEGER)")
    database.executemany("INSERT INTO t VALUES (?, 1)", [[each] for each in (*VALUES, None)])
    taken = 0
    for level in range(1, hierarchy.top):
        key = sql_text(hierarchy.code(sql_column("a"), column_type, 1))
        codes = database.execute(f"SELECT a, {key} FROM t WHERE a IS NOT NULL").fetchall()
        labels = dict(zip(codes, hierarchy.labels_of([code for _, code in codes], level, 1), strict=True))
        for bound in BOUNDS:
            for comparison in (">=", "<"):
                tree = parse_filter(f"a {comparison} {bound}", ("a",))
                if not is_union_of_classes(tree, "a", hierarchy, (level,)):
                    continue
                try:
                    sent = compiled(tree, {"a": column_type}).sql(dialect="duckdb")
                except FilterError:
                    continue
                taken += 1
                found = {a for (a,) in database.execute(f"SELECT a FROM t WHERE {sent}").fetchall()}
                for label in set(labels.values()):
                    members = {a for (a, _), each in labels.items() if each == label}
                    assert members <= found or not members & found, f"{canonical(tree)} at level {level}"
    assert taken > 20


TAKEN: Sequence[tuple[str, str, bool]] = (
    ("places", "a NOT IN ('c1', 'c2', 'c3')", False),
    ("places", "NOT (a = 'c1' OR a = 'c2' OR a = 'c3')", False),
    ("places", "a IN ('c1', 'c2')", True),
    ("places", "a NOT IN ('c0')", True),
    ("places", "a <> 'c3'", False),
    ("signals", "a = 'snan'", False),
    ("signals", "a = 'x'", True),
    ("signals", "a IN (5, 1e1)", False),
    ("ages", "a >= 20", True),
    ("ages", "NOT (a >= 20)", True),
    ("days", "a >= DATE '2020-02-01'", False),
    ("moments", "a < DATE '2020-01-02'", True),
    ("moments", "a <= DATE '2020-01-01'", False),
    ("singles", "a <= 0.5", True),
    ("singles", "a <= 5e-1", True),
    ("ages", "a >= 2e1", True),
    ("ages", "a IN (20, 2e1)", False),
    ("doubles", "a >= 16777217", True),
    ("doubles", "a > 16777217", False),
    ("doubles", "a = 9007199254740993", False),
    ("wholes", "a < 16777217", True),
)
"""A column, a filter of it, and whether the filter is taken for a union of classes."""


@pytest.mark.parametrize(("name", "where", "expected"), TAKEN)
def test_a_filter_is_taken_for_a_union_of_classes(tmp_path: Path, name: str, where: str, expected: bool) -> None:
    hierarchy = load(tmp_path, name, LISTS[name][1])

    assert is_union_of_classes(parse_filter(where, ("a",)), "a", hierarchy, (1,)) is expected


@pytest.mark.parametrize(
    ("day", "begun"),
    [
        ("2013-10-02", []),
        ("2013-11-01", ["month"]),
        ("2013-10-01", ["month", "quarter"]),
        ("2013-01-01", ["month", "quarter", "year"]),
        ("2010-01-01", ["month", "quarter", "year", "decade"]),
        ("2010-02-01", ["month"]),
    ],
)
def test_a_filter_parts_no_part_of_the_calendar_that_begins_on_its_day(day: str, begun: list[str]) -> None:
    parts = ["month", "quarter", "year", "decade"]
    hierarchy, _ = parse_yaml(f"date: [{', '.join(parts)}]", "h", where="h")
    tree = parse_filter(f"a >= DATE '{day}'", ("a",))
    assert [part for level, part in enumerate(parts, 1) if is_union_of_classes(tree, "a", hierarchy, (level,))] == begun
