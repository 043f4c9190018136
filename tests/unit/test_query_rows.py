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
from tests.state_by_hand import by_hand

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
        "SELECT * FROM members WHERE NOT EXISTS (SELECT 1 FROM others WHERE others.id = members.id)",
        "SELECT m.*, a.label, b.txt FROM members m JOIN cities a ON m.city = a.code JOIN cities b ON m.one = b.code",
        "SELECT m.*, label FROM members AS m JOIN cities ON CAST(m.city AS VARCHAR) = txt",
        "SELECT m.*, band FROM members AS m JOIN (VALUES (0, 20), (20, 40)) AS b(low, band) ON id >= low AND id < band",
        "SELECT DISTINCT city FROM members",
        "SELECT city, COUNT(*) AS n FROM members GROUP BY city",
        "SELECT *, COUNT(*) OVER (PARTITION BY city) AS n FROM members",
        "SELECT * FROM members WHERE id IN (SELECT member_id FROM visits)",
    ],
)
def test_a_query_that_keeps_each_row_once_at_most_needs_no_entity(engine: Engine, query: str) -> None:
    added(engine, query)


REPEATING = [
    "SELECT * FROM members UNION ALL SELECT * FROM members",
    "SELECT name, 1 AS x FROM members UNION SELECT name, 2 FROM members",
    "WITH a AS (SELECT * FROM members) SELECT * FROM a UNION ALL SELECT * FROM a",
    "SELECT * FROM others UNION ALL SELECT * FROM seen",
    "SELECT a.* FROM members AS a JOIN members AS b ON a.id = b.id",
    "SELECT a.* FROM members AS a JOIN numbers AS b ON a.one = b.one",
    "SELECT a.* FROM members AS a JOIN numbers AS b ON b.n < 7",
    "SELECT m.*, v.day FROM members AS m JOIN visits AS v ON m.id = v.member_id",
    "SELECT m.id, v.day, COUNT(*) AS n FROM members AS m JOIN visits AS v ON m.id = v.member_id GROUP BY m.id, v.day",
    "SELECT *, UNNEST([1, 2]) AS x FROM members",
    "SELECT id FROM members ORDER BY UNNEST([1, 2])",
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


@pytest.mark.parametrize("entity", [None, "id"])
@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("SELECT id FROM members RIGHT JOIN cities ON city = code", "a RIGHT JOIN"),
        ("SELECT id FROM members FULL JOIN cities ON city = code", "a FULL JOIN"),
        ("SELECT id FROM members SEMI JOIN visits ON id = member_id", "a SEMI JOIN"),
        ("SELECT id FROM members ANTI JOIN visits ON id = member_id", "a ANTI JOIN"),
        ("SELECT members.id FROM members NATURAL JOIN others", "a NATURAL JOIN"),
        ("SELECT id FROM members POSITIONAL JOIN cities", "a POSITIONAL JOIN"),
        ("SELECT id FROM members ASOF JOIN visits ON id = member_id AND day >= one", "a ASOF JOIN"),
        ("SELECT id FROM members CROSS JOIN cities", "a CROSS JOIN"),
        ("SELECT id FROM members, cities WHERE city = code", "a CROSS JOIN"),
        ("SELECT id FROM members, UNNEST([1, 2]) AS b(x)", "a CROSS JOIN"),
        ("SELECT id FROM (members JOIN cities ON city = code)", "a relation in brackets"),
        ("SELECT id FROM members EXCEPT SELECT id FROM others", "EXCEPT"),
        ("SELECT id FROM members INTERSECT SELECT id FROM others", "INTERSECT"),
        ("SELECT id FROM members UNION ALL BY NAME SELECT id FROM others", "UNION BY NAME"),
        (
            "WITH x AS (SELECT * FROM members) SELECT id FROM (WITH x AS (FROM others) SELECT * FROM x)",
            "the name 'x' twice",
        ),
    ],
)
def test_a_form_that_is_seldom_written_is_refused_by_name(
    engine: Engine, query: str, name: str, entity: str | None
) -> None:
    with pytest.raises(FilterError, match=rf"{name}.* is not allowed in a dataset query\. \w") as caught:
        added(engine, query, entity)
    assert "Write" in caught.value.next_step or "Give" in caught.value.next_step


@pytest.mark.parametrize("name", ["rowid", "ctid", "nothing", "members.nothing"])
def test_a_name_that_is_no_column_of_a_table_is_refused(engine: Engine, name: str) -> None:
    with pytest.raises(FilterError, match=r"rowid|no column of its tables"):
        added(engine, f"SELECT id, {name} AS x FROM members")


@pytest.mark.parametrize(
    ("query", "entity"),
    [
        ("SELECT * FROM members UNION ALL SELECT * FROM members", "id"),
        ("SELECT id AS who, name FROM members UNION ALL SELECT member_id, NULL FROM visits", "who"),
        ("SELECT m.*, v.day FROM members AS m JOIN visits AS v ON m.id = v.member_id", "ID"),
        ("SELECT m.name, v.* FROM visits AS v JOIN members AS m ON m.id = v.member_id", "member_id"),
        ("SELECT members.id, day FROM members JOIN (SELECT *, member_id AS id FROM visits) AS v USING (id)", "id"),
        ("SELECT m.id, v.day FROM visits AS v JOIN members AS m ON m.id = v.member_id", "id"),
        ("SELECT id, UNNEST([1, 2]) AS x FROM members", "id"),
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
        ("SELECT id AS who, name FROM members UNION ALL SELECT city, name FROM members", "is one column of it here"),
        (
            "SELECT n AS who, name FROM members JOIN numbers ON n < 7",
            "'members' are given with those of several persons",
        ),
        ("SELECT n + 0, name FROM members JOIN numbers ON n < 7", "there is no column"),
        ("SELECT a.id AS who, b.name FROM members AS a JOIN members AS b ON a.city = b.id", "reads one table twice"),
        ("SELECT id AS who, label FROM members JOIN cities ON code < 3", "finds several rows for one"),
        (
            "SELECT o.id AS who, a.name FROM others o JOIN members a ON a.city < 9 LEFT JOIN cities ON o.id = a.id",
            "finds several rows for one",
        ),
        (
            "SELECT id AS who, n FROM members JOIN (SELECT id AS x, n FROM members JOIN numbers ON n < 7) ON x = id",
            "finds several rows for one",
        ),
        (
            "SELECT m.id AS who, v.day FROM members m JOIN visits v ON v.member_id = id JOIN visits w ON w.vid = id",
            "is one column of it here",
        ),
        (
            "SELECT member_id AS who, day FROM visits UNION ALL SELECT id, day FROM members JOIN visits ON vid = one",
            "reads one table twice",
        ),
        ("SELECT * FROM members JOIN (SELECT *, member_id AS id FROM visits) AS v USING (id)", "made up"),
    ],
)
def test_an_entity_column_is_a_column_of_a_table_and_owns_the_row(engine: Engine, query: str, told: str) -> None:
    entity = "(n + 0)" if "n + 0" in query else "id" if "USING" in query else "who"
    with pytest.raises(InputError, match=told):
        added(engine, query, entity)


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
@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("SELECT id FROM t LIMIT 20", "LIMIT is not allowed"),
        ("SELECT id FROM t EXCEPT SELECT id FROM u", "EXCEPT is not allowed.*NOT EXISTS"),
        ("SELECT id FROM t SEMI JOIN u ON t.id = u.id", "a SEMI JOIN is not allowed.*WHERE EXISTS"),
    ],
)
def test_a_query_registered_before_is_refused_when_opened(tmp_path: Path, query: str, told: str) -> None:
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT i AS id FROM RANGE(40) AS t(i)")
        connection.execute("CREATE TABLE u AS FROM t")
    engine = new_engine(tmp_path)
    engine.sources.add("s", str(tmp_path / "s.duckdb"))
    engine.datasets.add("d", "s", query="SELECT id FROM t")
    _state_of(engine, f"UPDATE datasets SET query_text = '{query}'")
    request = {
        "dataset": "d",
        "k": 5,
        "quasi_identifiers": {"id": {"hierarchy": "id"}},
        "release": {"replace": True, "to": str(tmp_path / "out.csv")},
    }
    for ask in (engine.check, engine.run, engine.explain):
        with pytest.raises(FilterError, match=rf"dataset 'd': {told}.*dataset remove"):
            ask(request)


def _state_of(engine: Engine, statement: str) -> None:
    state: StateFile = engine.state_file
    with by_hand(state.path) as connection:
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
