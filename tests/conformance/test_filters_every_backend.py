"""Row filters: types x operators x constants x databases.

Each is refused before it is sent, or answers as Python does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordermade.requests.filter_tree import Filter
from ordermade.requests.row_filter import parse_filter
from tests.conformance.backends import BACKENDS, Table, opened
from tests.conformance.filters import (
    BEYOND,
    COMMON,
    CONSTANTS,
    ENDLESS,
    TIMES,
    Edges,
    accepted,
    answers,
    every_comparison,
    everywhere,
    holds,
    joined,
    passing,
    table_of,
)
from tests.long import rounds
from tests.services.servers import Server, fresh_schema

EVERYTHING = {**COMMON, **BEYOND}
ROUNDS = rounds(6, 500)
ROWS = 40
BATCH = 150
SAMPLE = 11
"""One comparison of so many is always tried."""
Types = dict[str, tuple[str, Sequence[Any]]]


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Edges]:
    """Values that every database has, in DuckDB and SQLite."""
    with everywhere(
        table_of(COMMON, ROWS, 1), tmp_path_factory.mktemp("e"), [], embedded=["duckdb", "sqlite"]
    ) as edges:
        yield edges


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Edges]:
    """NaN, infinities, infinite dates and 38 digits, in DuckDB."""
    with everywhere(table_of(ENDLESS, 12, 4), tmp_path_factory.mktemp("n"), [], embedded=["duckdb"]) as edges:
        yield edges


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory, postgres: Server, mariadb: Server) -> Iterator[Edges]:
    """Values that SQLite has not, too: in DuckDB, PostgreSQL and MariaDB."""
    with fresh_schema(postgres) as one, fresh_schema(mariadb) as other:
        folder = tmp_path_factory.mktemp("servers")
        with everywhere(table_of(EVERYTHING, ROWS, 2), folder, [one, other], embedded=["duckdb"]) as edges:
            yield edges


@pytest.fixture(scope="module")
def timed(tmp_path_factory: pytest.TempPathFactory, postgres: Server) -> Iterator[Edges]:
    """Times of the day, NaN, infinities, infinite dates and 38 digits, in DuckDB and PostgreSQL."""
    columns: Types = {**ENDLESS, "t": ("TIME", TIMES)}
    with fresh_schema(postgres) as schema:
        folder = tmp_path_factory.mktemp("timed")
        with everywhere(table_of(columns, 12, 3), folder, [schema], embedded=["duckdb"]) as edges:
            yield edges


def require_right(edges: Edges, filters: Sequence[Filter]) -> dict[str, int]:
    """Every database answers as Python does, or refuses; returns how many filters each answers."""
    answered = dict.fromkeys(edges.backends, 0)
    names, types = list(edges.table.columns), dict(edges.table.columns)
    rows = [dict(zip(names, row, strict=True)) for row in edges.table.rows]
    right = [{row["id"]: holds(each, row, types) for row in rows} for each in filters]
    for called, backend in edges.backends.items():
        for start in range(0, len(filters), BATCH):
            batch = filters[start : start + BATCH]
            for each, found, expected in zip(batch, answers(backend, batch), right[start:], strict=False):
                assert found is None or found == expected, f"{called}: {each}"
                answered[called] += found is not None
    return answered


def table_of_answers(edges: Edges, filters: Sequence[Filter], answered: Mapping[str, int]) -> str:
    """How many comparisons there are, are filters and were tried, and how many of these each database answers.

    The others are refused before they are sent: a fault of a source ends the test earlier, and so does a wrong answer.
    """
    columns = columns_in(edges)
    every, kept = sum(1 for _ in every_comparison(columns)), len(accepted(columns, edges.table.columns))
    size = f"{len(columns)} types x operators x {len(CONSTANTS)} constants: {every} comparisons, {kept} of them filters"
    lines = [f"{size}, {len(filters)} tried", f"{'':12}{'answered right':>16}{'refused unsent':>16}"]
    lines += [f"{name:12}{found:>16}{len(filters) - found:>16}" for name, found in answered.items()]
    return "\n".join(lines)


def columns_in(edges: Edges) -> list[str]:
    return [each for each in edges.table.columns if each != "id"]


SHARES = [
    pytest.param(SAMPLE, marks=pytest.mark.slow, id="some"),
    pytest.param(1, marks=[pytest.mark.slow, pytest.mark.thorough], id="every"),
]


@pytest.mark.parametrize("step", SHARES)
def test_comparisons_are_right_in_duckdb_and_sqlite(embedded: Edges, step: int) -> None:
    filters = accepted(columns_in(embedded), embedded.table.columns)[::step]
    answered = require_right(embedded, filters)
    print(table_of_answers(embedded, filters, answered))
    assert answered["duckdb"] == len(filters) > 200
    assert answered["sqlite"] > len(filters) * 0.8


@pytest.mark.parametrize("step", SHARES)
def test_comparisons_are_right_beside_what_is_endless(endless: Edges, step: int) -> None:
    filters = accepted(columns_in(endless), endless.table.columns)[::step]
    answered = require_right(endless, filters)
    print(table_of_answers(endless, filters, answered))
    assert answered == {"duckdb": len(filters)}


@pytest.mark.parametrize("step", SHARES)
def test_comparisons_are_right_on_the_servers(servers: Edges, step: int) -> None:
    filters = accepted(columns_in(servers), servers.table.columns)[::step]
    answered = require_right(servers, filters)
    print(table_of_answers(servers, filters, answered))
    assert answered["duckdb"] == len(filters)
    assert min(answered.values()) > len(filters) * 0.9


@pytest.mark.parametrize("step", SHARES)
def test_comparisons_are_right_beside_what_is_endless_in_postgresql(timed: Edges, step: int) -> None:
    filters = accepted(columns_in(timed), timed.table.columns)[::step]
    answered = require_right(timed, filters)
    print(table_of_answers(timed, filters, answered))
    assert answered["duckdb"] == len(filters)
    assert answered["postgresql"] > len(filters) * 0.9


@pytest.mark.slow
@given(data=st.data())
@settings(max_examples=ROUNDS)
def test_joined_comparisons_are_right_in_duckdb_and_sqlite(embedded: Edges, data: st.DataObject) -> None:
    require_right(embedded, _drawn(embedded, data))


@given(data=st.data())
@settings(max_examples=ROUNDS)
def test_joined_comparisons_are_right_on_the_servers(servers: Edges, data: st.DataObject) -> None:
    require_right(servers, _drawn(servers, data))


_ACCEPTED: dict[int, list[Filter]] = {}


def _drawn(edges: Edges, data: st.DataObject) -> list[Filter]:
    if id(edges) not in _ACCEPTED:
        _ACCEPTED[id(edges)] = [*accepted(columns_in(edges), edges.table.columns)]
    return data.draw(st.lists(joined(_ACCEPTED[id(edges)]), min_size=20, max_size=20))


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
@pytest.mark.parametrize(
    ("where", "numbers"),
    [
        ("name = 'bob'", [2]),
        ("name IN ('bob', 'A')", [2]),
        ("name LIKE 'B%'", [1, 3]),
        ("name < 'a'", [1, 3]),
        ("name <> 'bob' AND NOT name BETWEEN 'B' AND 'C'", [4]),
    ],
)
def test_a_filter_compares_texts_by_their_bytes_whatever_the_collation(
    tmp_path: Path, kind: str, where: str, numbers: list[int]
) -> None:
    rows = [(1, "Bob"), (2, "bob"), (3, "BOB"), (4, "a")]
    made = BACKENDS[kind](tmp_path, Table("t", {"id": "INTEGER", "name": "VARCHAR COLLATE NOCASE"}, rows))
    with opened(made) as source:
        assert passing(source, where) == numbers


def test_the_oracle_sees_a_wrong_answer(embedded: Edges) -> None:
    filters = [parse_filter(each, list(COMMON)) for each in ("n >= 1 AND NOT b", "name = 'Bob '", "x <= 0.5")]
    assert require_right(embedded, filters) == {"duckdb": 3, "sqlite": 3}
    table = embedded.table
    moved = Edges(table.changed(rows=[table.rows[0], *table.rows[2:], table.rows[1]]), embedded.backends)
    others = Edges(moved.table.changed(rows=[(row[0] + 1, *row[1:]) for row in table.rows]), embedded.backends)
    with pytest.raises(AssertionError, match="duckdb"):
        require_right(others, filters)
