"""Row filters give the same rows everywhere: what a database would answer otherwise than DuckDB, it refuses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordermade.errors import OrdermadeError, SourceFault, UnfitValue
from tests.conformance.filters import BEYOND, COMMON, TIMES, Edges, conditions, everywhere, table_of
from tests.long import rounds
from tests.services.servers import Server, fresh_schema

EVERYTHING = {**COMMON, **BEYOND}
ROUNDS = rounds(200, 5_000)
ROWS = 80


@pytest.fixture(scope="module")
def common(tmp_path_factory: pytest.TempPathFactory, postgres: Server, mariadb: Server) -> Iterator[Edges]:
    """Values that every database has, in DuckDB, SQLite, PostgreSQL and MariaDB."""
    with fresh_schema(postgres) as one, fresh_schema(mariadb) as other:
        folder = tmp_path_factory.mktemp("common")
        with everywhere(table_of(COMMON, ROWS, 1), folder, [one, other], embedded=["duckdb", "sqlite"]) as edges:
            yield edges


@pytest.fixture(scope="module")
def beyond(tmp_path_factory: pytest.TempPathFactory, postgres: Server, mariadb: Server) -> Iterator[Edges]:
    """Values that SQLite has not, too: in DuckDB, PostgreSQL and MariaDB."""
    with fresh_schema(postgres) as one, fresh_schema(mariadb) as other:
        folder = tmp_path_factory.mktemp("beyond")
        with everywhere(table_of(EVERYTHING, ROWS, 2), folder, [one, other], embedded=["duckdb"]) as edges:
            yield edges


@pytest.fixture(scope="module")
def timed(tmp_path_factory: pytest.TempPathFactory, postgres: Server) -> Iterator[Edges]:
    """Times of the day, in DuckDB and PostgreSQL."""
    columns: dict[str, tuple[str, Sequence[object]]] = {"id": COMMON["id"], "t": ("TIME", TIMES)}
    with fresh_schema(postgres) as schema:
        folder = tmp_path_factory.mktemp("timed")
        with everywhere(table_of(columns, 12, 3), folder, [schema], embedded=["duckdb"]) as edges:
            yield edges


def require_same(edges: Edges, where: str) -> int:
    """Every database gives DuckDB's rows or a clear error; returns how many databases beside it answer."""
    right: list[int] | None
    try:
        right = edges.passing("duckdb", where)
    except UnfitValue:
        return 0  # DuckDB goes beyond the range of a type for some value, and has no answer
    except OrdermadeError:
        right = None
    answers = 0
    for backend in edges.backends:
        try:
            found = edges.passing(backend, where)
        except OrdermadeError:
            continue
        assert found == right, f"{backend}: {where}"
        answers += backend != "duckdb"
    return answers


@given(where=conditions(tuple(COMMON)))
@settings(max_examples=ROUNDS)
def test_filters_of_common_types_give_the_same_rows(common: Edges, where: str) -> None:
    require_same(common, where)


@given(where=conditions(tuple(EVERYTHING)))
@settings(max_examples=ROUNDS)
def test_filters_of_the_types_of_servers_give_the_same_rows(beyond: Edges, where: str) -> None:
    require_same(beyond, where)


@given(data=st.data())
@settings(max_examples=5)
def test_most_filters_are_answered(beyond: Edges, data: st.DataObject) -> None:
    filters = data.draw(st.lists(conditions(tuple(EVERYTHING)), min_size=20, max_size=20, unique=True))
    assert sum(require_same(beyond, each) for each in filters) > 20


SAME = (
    "f = 0.1",
    "f IN (0.1, 0.5)",
    "f = 0.1e0",
    "f BETWEEN 0.1 AND 0.5",
    "COALESCE(f, 0.1) = 0.1",
    "big = 9007199254740993e0",
    "big IN (9007199254740993, 1e0)",
    "big > x",
    "dec = 0.1e0",
    "x = 0.10",
    "n + 1 > 2147483647",
    "-big < n * 2",
    "ABS(n) = 2147483648",
    "dec * 0.5 = 0.75",
    "'ss' > 'é'",
    "'Ann' = 'ann'",
    "'a' IN ('A', 'b')",
    "name = 'Bob'",
    "name >= 'Bob ' AND name < 'a'",
    "name LIKE 'a\\b'",
    "name LIKE '%\\%'",
    "name LIKE 'a_b' OR name LIKE '_'",
    "name LIKE '%''%' OR name LIKE '%%s'",
    "name = '%s' OR name = ':n' OR other = '\\'",
    "COALESCE(name, 'ANN') = 'ANN'",
    "COALESCE(ts, TIMESTAMP '2020-01-01 10:30:00') = '2020-01-01T10:30'",
    "d >= '2020-01-01' AND d < DATE '2020-12-31'",
    "d <> TIMESTAMP '2020-01-01'",
    "ts BETWEEN '2020-03-29 02:30:00' AND DATE '2020-12-31'",
    "fine = '2020-12-31 23:59:59.999999'",
    "tz = TIMESTAMPTZ '2020-01-01 19:30:00+09:00'",
    "tz > '2020-03-29 02:30:00' AND tz <= '2020-12-31 23:59:59Z'",
    "tz < DATE '2020-10-25'",
    "b OR NOT b",
    "b IS NOT TRUE",
    "NOT (name NOT IN ('Bob', NULL) AND n IS DISTINCT FROM NULL)",
)


@pytest.mark.parametrize("where", SAME)
def test_both_servers_answer_as_duckdb_does(beyond: Edges, where: str) -> None:
    assert require_same(beyond, where) == 2


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("f * 2 > 1", "a calculation with numbers of 4 bytes"),
        ("f = 0.123456789", "so many digits"),
        ("x = 0.30000000000000004", "so many digits"),
        ("n = f", "exact numbers with fractions"),
        ("wide > x", "exact numbers with fractions"),
        ("name", "a condition of a value"),
        ("n IS TRUE", "a condition of a value"),
        ("n = '1'", "a number with a text"),
        ("COALESCE(n, 'x') = 'x'", "a number with a text"),
        ("d = '2020-01-01 10:30:00'", "a day with a text"),
        ("d < ts", "a day with a moment"),
        ("n / 2 = 1", "does not calculate"),
        ("LOWER(name) = 'ann'", "does not calculate"),
        ("CAST(ts AS DATE) = DATE '2020-01-01'", "a cast"),
    ],
)
@pytest.mark.parametrize("backend", ["postgresql", "mariadb"])
def test_a_server_refuses_what_it_calculates_otherwise(beyond: Edges, backend: str, where: str, message: str) -> None:
    with pytest.raises(SourceFault, match=message) as caught:
        beyond.passing(backend, where)
    assert caught.value.next_step


@pytest.mark.parametrize(
    "where", ["t = '10:30'", "t > '10:30:00' AND t <= '23:59:59.999999'", "t IN ('00:00:00', NULL)"]
)
def test_times_of_the_day_are_compared_with_texts(timed: Edges, where: str) -> None:
    assert require_same(timed, where) == 1


@pytest.mark.parametrize("where", ["big IN (9007199254740993, 1e0)", "big > x", "x = 0.10", "name LIKE 'a\\b'"])
def test_sqlite_answers_as_duckdb_does(common: Edges, where: str) -> None:
    assert require_same(common, where) == 3


@pytest.mark.parametrize("where", ["x > 0.1 + 0.2", "big = 9007199254740993.5", "n + 1 > 2"])
def test_sqlite_refuses_what_it_calculates_otherwise(common: Edges, where: str) -> None:
    with pytest.raises(SourceFault, match="SQLite does not calculate"):
        common.passing("sqlite", where)
