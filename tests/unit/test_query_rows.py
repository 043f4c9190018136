"""Whose rows a dataset query has: what can repeat a row needs an entity column, and that is a column of a table."""

from __future__ import annotations

import itertools
from pathlib import Path

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import FilterError, InputError, OrdermadeError
from ordermade.state.database import StateFile
from tests.made import new_engine

TABLES = (
    "CREATE TABLE members AS SELECT i AS id, i % 5 AS city, i % 3 AS one, 'n' || i AS name FROM RANGE(40) AS t(i)",
    "CREATE TABLE visits AS SELECT i AS vid, i % 40 AS member_id, i % 7 AS day FROM RANGE(90) AS t(i)",
    "CREATE TABLE cities AS SELECT i AS code, 'c' || i AS label, CAST(i AS VARCHAR) AS txt FROM RANGE(5) AS t(i)",
    "CREATE TABLE numbers AS SELECT i AS n, 1::BIGINT AS one FROM RANGE(20) AS t(i)",
    "CREATE TABLE others AS FROM members",
    "CREATE VIEW seen AS FROM members",
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    folder = tmp_path_factory.mktemp("rows")
    with duckdb.connect(str(folder / "s.duckdb")) as connection:
        for statement in TABLES:
            connection.execute(statement)
    made = new_engine(folder)
    made.sources.add("s", str(folder / "s.duckdb"))
    return made


NUMBERS = itertools.count()
"""Of the datasets that are added."""


def added(engine: Engine, query: str, entity: str | None = None) -> None:
    engine.datasets.add(f"d{next(NUMBERS)}", "s", query=query, entity=entity)


LAST = "SELECT member_id, MAX(day) AS m FROM visits GROUP BY member_id"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT m.*, c.label FROM members AS m JOIN cities AS c ON m.city = c.code",
        "SELECT m.*, label FROM members AS m LEFT JOIN cities ON code = city AND label <> 'x'",
        "SELECT v.*, m.name FROM visits AS v JOIN members AS m ON m.id = v.member_id",
        "SELECT m.id, m.city, COUNT(vid) AS n FROM members AS m JOIN visits ON m.id = member_id GROUP BY m.id, m.city",
        f"SELECT m.*, x.m FROM members AS m LEFT JOIN ({LAST}) AS x ON x.member_id = m.id",
        f"WITH x(id, m) AS ({LAST}) SELECT * FROM members LEFT JOIN x USING (id)",
        "SELECT * FROM members UNION ALL SELECT * FROM others",
        "SELECT * FROM members EXCEPT SELECT * FROM others",
        "SELECT DISTINCT city FROM members",
        "SELECT city, COUNT(*) AS n FROM members GROUP BY city",
        "SELECT *, COUNT(*) OVER (PARTITION BY city) AS n FROM members",
        "SELECT * FROM members WHERE id IN (SELECT member_id FROM visits)",
        "SELECT * FROM members SEMI JOIN visits ON id = member_id",
    ],
)
def test_a_query_that_keeps_each_row_once_at_most_needs_no_entity(engine: Engine, query: str) -> None:
    added(engine, query)


REPEATING = [
    "SELECT * FROM members UNION ALL SELECT * FROM members",
    "SELECT name, 1 AS x FROM members UNION SELECT name, 2 FROM members",
    "WITH a AS (SELECT * FROM members) SELECT * FROM a UNION ALL SELECT * FROM a",
    "SELECT * FROM others UNION ALL SELECT * FROM seen",
    "SELECT a.* FROM members AS a, members AS b",
    "SELECT a.* FROM members AS a JOIN members AS b ON a.id = b.id",
    "SELECT a.* FROM members AS a CROSS JOIN numbers AS b",
    "SELECT a.* FROM members AS a JOIN numbers AS b ON a.one = b.one",
    "SELECT a.* FROM members AS a JOIN numbers AS b ON b.n = 7",
    "SELECT m.*, v.day FROM members AS m JOIN visits AS v ON m.id = v.member_id",
    "SELECT m.*, c.txt FROM members AS m JOIN cities AS c ON CAST(m.city AS VARCHAR) = c.txt",
    "SELECT m.*, c.txt FROM members AS m JOIN cities AS c ON m.city = c.txt",
    "SELECT m.id, v.day, COUNT(*) AS n FROM members AS m JOIN visits AS v ON m.id = v.member_id GROUP BY m.id, v.day",
    "SELECT city, COUNT(*) AS n FROM members GROUP BY ROLLUP (city)",
    "SELECT a.* FROM members AS a, UNNEST([1, 2]) AS b(x)",
    "SELECT *, UNNEST([1, 2]) AS x FROM members",
    "SELECT a.*, b.x FROM members AS a, LATERAL (SELECT a.id AS x) AS b",
    "SELECT * FROM (VALUES (1), (1)) AS v(x)",
    "SELECT 1 AS x",
]


@pytest.mark.parametrize("query", REPEATING)
def test_a_query_that_can_repeat_a_row_needs_an_entity(engine: Engine, query: str) -> None:
    with pytest.raises(FilterError, match=r"can give a row more than once.*--entity"):
        added(engine, query)


@pytest.mark.parametrize("query", ["SELECT * FROM generate_series(1, 20)", "SELECT m.* FROM members AS m, range(20)"])
def test_rows_that_are_made_up_are_refused(engine: Engine, query: str) -> None:
    with pytest.raises(FilterError, match="table function"):
        added(engine, query)


@pytest.mark.parametrize("kind", ["RIGHT", "FULL"])
def test_a_join_whose_rows_are_not_those_of_its_left_side_is_refused(engine: Engine, kind: str) -> None:
    with pytest.raises(FilterError, match=f"a {kind} JOIN is not allowed"):
        added(engine, f"SELECT id FROM members {kind} JOIN cities ON city = code")


@pytest.mark.parametrize(
    ("query", "entity"),
    [
        ("SELECT * FROM members UNION ALL SELECT * FROM members", "id"),
        ("SELECT id AS who, name FROM members UNION ALL SELECT member_id, NULL FROM visits", "who"),
        ("SELECT m.*, v.day FROM members AS m JOIN visits AS v ON m.id = v.member_id", "ID"),
        ("SELECT m.name, v.* FROM visits AS v JOIN members AS m ON m.id = v.member_id", "member_id"),
        ("SELECT * FROM members JOIN (SELECT *, member_id AS id FROM visits) AS v USING (id)", "id"),
        ("SELECT a.id, a.name FROM members AS a CROSS JOIN numbers AS b", "id"),
        ("SELECT a.*, x.x FROM members AS a, UNNEST([1, 2]) AS x(x)", "id"),
        ("SELECT id, label FROM members JOIN cities ON city = code", "id"),
    ],
)
def test_rows_may_be_repeated_where_an_entity_column_says_whose_they_are(
    engine: Engine, query: str, entity: str
) -> None:
    added(engine, query, entity)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("SELECT 1 AS who, name FROM members", "made up"),
        ("SELECT id || 'a' AS who FROM members UNION ALL SELECT id || 'b' FROM members", "made up"),
        ("SELECT id AS who FROM members UNION ALL SELECT id + 100 FROM members", "made up"),
        ("SELECT * EXCLUDE (name) REPLACE (id + 1 AS id), id + 1 AS who FROM members", "made up"),
        ("SELECT MAX(id) AS who, city FROM members GROUP BY city", "made up"),
        ("SELECT id AS who, name FROM members UNION ALL SELECT city, name FROM members", "one column of a table here"),
        ("SELECT n AS who, name FROM members CROSS JOIN numbers", "'members' are given with those of several persons"),
        ("SELECT a.id AS who, b.name FROM members AS a CROSS JOIN members AS b", "with those of several persons"),
        (
            "SELECT a.id AS who, t.u FROM members AS a CROSS JOIN members AS b, UNNEST([b.name]) AS t(u)",
            "with those of several persons",
        ),
        (
            "SELECT a.id AS who, n FROM members AS a JOIN (SELECT m.id AS x, n FROM members AS m, numbers) ON x = a.id",
            "with those of several persons",
        ),
    ],
)
def test_an_entity_column_is_a_column_of_a_table_and_owns_the_row(engine: Engine, query: str, told: str) -> None:
    with pytest.raises(FilterError, match=told):
        added(engine, query, "who")


@pytest.mark.slow
def test_a_join_is_counted_again_when_the_dataset_is_opened(tmp_path: Path) -> None:
    database = tmp_path / "s.duckdb"
    with duckdb.connect(str(database)) as connection:
        connection.execute("CREATE TABLE t AS SELECT i AS id FROM RANGE(40) AS t(i)")
        connection.execute("CREATE TABLE u AS SELECT i AS id, i % 2 AS sex FROM RANGE(40) AS t(i)")
    engine = new_engine(tmp_path)
    engine.sources.add("s", str(database))
    engine.datasets.add("d", "s", query="SELECT t.id, sex FROM t JOIN u ON t.id = u.id")
    with duckdb.connect(str(database)) as connection:
        connection.execute("INSERT INTO u VALUES (7, 1)")
    with pytest.raises(FilterError, match=r"dataset 'd': .* the join with 'u' finds several rows"):
        engine.datasets.show("d")


@pytest.mark.slow
def test_a_query_registered_before_is_refused_when_opened(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT i AS id FROM RANGE(40) AS t(i)")
    engine = new_engine(tmp_path)
    engine.sources.add("s", str(tmp_path / "s.duckdb"))
    engine.datasets.add("d", "s", query="SELECT id FROM t")
    _state_of(engine, "UPDATE datasets SET query_text = 'SELECT id FROM t LIMIT 20'")
    request = {
        "dataset": "d",
        "k": 5,
        "quasi_identifiers": {"id": {"hierarchy": "id"}},
        "release": {"replace": True, "to": str(tmp_path / "out.csv")},
    }
    for ask in (engine.check, engine.run, engine.explain):
        with pytest.raises(FilterError, match=r"dataset 'd': LIMIT is not allowed.*dataset remove"):
            ask(request)


def _state_of(engine: Engine, statement: str) -> None:
    state: StateFile = engine.state_file
    with duckdb.connect(str(state.path)) as connection:
        connection.execute(statement)


@pytest.mark.slow
def test_datasets_are_described_inline_only_where_the_source_allows_it(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT i AS id FROM RANGE(40) AS t(i)")
    engine = new_engine(tmp_path)
    engine.sources.add("s", str(tmp_path / "s.duckdb"))
    allowed = engine.sources.add("own", str(tmp_path / "s.duckdb"), allow_inline=True)
    assert [(each.name, each.allow_inline) for each in engine.sources.list()] == [("own", True), ("s", False)]
    assert engine.sources.get("own") == allowed
    asked = {
        "method": "mondrian",
        "k": 5,
        "quasi_identifiers": {"id": {}},
        "release": {"replace": True, "to": str(tmp_path / "o.csv")},
    }
    for described in ({"table": "t"}, {"query": "SELECT id FROM t"}):
        request = asked | {"dataset": {"source": "s", **described}}
        for ask in (engine.check, engine.explain, engine.run):
            with pytest.raises(InputError, match=r"of the source 's' themselves\..*--allow-inline"):
                ask(request)
        assert engine.check(asked | {"dataset": {"source": "own", **described}}).keep == ()


@pytest.mark.slow
def test_the_same_rows_twenty_times_are_no_k(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 'n' || i AS name FROM RANGE(3) AS t(i)")
    engine = new_engine(tmp_path)
    engine.sources.add("s", str(tmp_path / "s.duckdb"), allow_inline=True)
    query = " UNION ALL ".join(["SELECT name FROM t"] * 20)
    asked = {"dataset": {"source": "s", "query": query}, "method": "mondrian", "k": 20}
    with pytest.raises(OrdermadeError, match="can give a row more than once"):
        engine.run(
            asked | {"quasi_identifiers": {"name": {}}, "release": {"replace": True, "to": str(tmp_path / "out.csv")}}
        )
    assert not (tmp_path / "out.csv").exists()
