"""Filters that are taken for unions of classes, run on a table with NULL: none parts a class."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import duckdb
import pytest

from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.read import read_hierarchy
from ordermade.policies.filter_levels import is_union_of_classes
from ordermade.requests.where import canonical, parse_filter
from tests.long import rounds

FILTERS = rounds(400, 5_000)
"""Of each kind of column."""
COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")

Constants: TypeAlias = Callable[[random.Random], str]


def text(rng: random.Random) -> str:
    return rng.choice(("'c0'", "'c1'", "'c2'", "'c3'", "'C1'", "'c9'", "'nan'"))


def number(rng: random.Random) -> str:
    drawn = str(rng.choice((4, 5, 9, 10, 19, 20, 39, 40, 64, "05", "1e1", "20.0")))
    return rng.choice((drawn, f"'{drawn}'", f"' {drawn}'", "'nan'", "'inf'", "'0x14'", f"-{drawn}"))


def day(rng: random.Random) -> str:
    drawn = rng.choice(("2020-01-01", "2020-01-02", "2020-02-01", "2021-01-01"))
    return rng.choice((f"DATE '{drawn}'", f"'{drawn}'", "'2020-1-2'", "'2020/01/02'", "'epoch'"))


def truth(rng: random.Random) -> str:
    return rng.choice(("'true'", "'t'", "'1'", "'false'", "TRUE", "FALSE", "1"))


AGES = "".join(f"{age};{'young' if age < 20 else age // 20};*\n" for age in range(5, 65)) + ";none;*\n"
LISTS: dict[str, tuple[str, str, Constants]] = {
    "places": ("VARCHAR", ";north;*\nc0;north;*\nc1;south;*\nc2;south;*\nc3;c3;*\n", text),
    "ages": ("INTEGER", AGES, number),
    "odd ages": ("INTEGER", f"{AGES}05;1;*\nnan;2;*\n", number),
    "numbers": ("DOUBLE", "4.0;low;*\n10.0;low;*\nnan;low;*\n20.0;high;*\ninf;high;*\n;high;*\n", number),
    "codes": ("VARCHAR", "5;low;*\n10;low;*\n9;low;*\n20;high;*\n05;high;*\n;high;*\n", number),
    "days": ("DATE", "2020-01-01;first;*\n2020-01-02;first;*\n2020-02-01;second;*\n2020-1-2;second;*\n;first;*\n", day),
    "moments": ("TIMESTAMP", "2020-01-01 00:00:00;a;*\n2020-01-01 12:00:00;a;*\n2020-01-02 00:00:00;b;*\n;b;*\n", day),
    "truths": ("BOOLEAN", "true;any;*\nfalse;any;*\n;none;*\nt;t;*\n", truth),
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
            found = parted(database, canonical(tree))
        except duckdb.Error:  # the column has no such constant: nothing is released
            continue
        taken += 1
        assert found == [], where
    assert taken > FILTERS // 20


TAKEN: Sequence[tuple[str, str, bool]] = (
    ("places", "a NOT IN ('c1', 'c2', 'c3')", False),
    ("places", "NOT (a = 'c1' OR a = 'c2' OR a = 'c3')", False),
    ("places", "a IN ('c1', 'c2')", True),
    ("places", "a NOT IN ('c0')", True),
    ("places", "a <> 'c3'", False),
    ("ages", "a >= '10'", False),
    ("ages", "a >= 20", True),
    ("ages", "NOT (a >= 20)", True),
    ("days", "a >= DATE '2020-02-01'", False),
    ("moments", "a < DATE '2020-01-02'", True),
    ("moments", "a <= DATE '2020-01-01'", False),
    ("truths", "a = 't'", False),
)
"""A column, a filter of it, and whether the filter is taken for a union of classes."""


@pytest.mark.parametrize(("name", "where", "expected"), TAKEN)
def test_a_filter_is_taken_for_a_union_of_classes(tmp_path: Path, name: str, where: str, expected: bool) -> None:
    hierarchy = load(tmp_path, name, LISTS[name][1])

    assert is_union_of_classes(parse_filter(where, ("a",)), "a", hierarchy, (1,)) is expected
