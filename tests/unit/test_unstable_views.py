"""Views whose rows differ from one reading to the next, or come from elsewhere: refused by name."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import duckdb
import pytest

from ordermade.errors import SourceFault
from ordermade.sources.backend import find_table, row_count
from ordermade.sources.duckdb_file import DuckDBFile
from ordermade.sources.sqlite_file import SQLiteFile
from ordermade.sources.workspace import Limits
from tests.made import new_engine

DUCKDB = {
    "random()": "SELECT id, random() AS r FROM persons",
    "now()": "SELECT id FROM persons WHERE now() > '2020-01-01'",
    "current_date()": "SELECT id, current_date AS d FROM persons",
    "current_timestamp()": "SELECT id, current_timestamp AS d FROM persons",
    "today()": "SELECT id, today() AS d FROM persons",
    "uuid()": "SELECT uuid() AS u FROM persons",
    "nextval()": "SELECT nextval('s') AS n FROM persons",
    "current_user()": "SELECT current_user AS u FROM persons",
    "user()": 'SELECT "user" AS u FROM plain',
    "current_setting()": "SELECT current_setting('threads') AS t FROM persons",
    "age()": "SELECT id, age(TIMESTAMP '2020-01-01') AS a FROM persons",
    "txid_current()": "SELECT txid_current() AS t FROM persons",
    "a random sample": "SELECT * FROM persons USING SAMPLE 3",
    "the macro added()": "SELECT added(id) AS n FROM persons",
    "made()": "SELECT * FROM made()",
    "duckdb_settings()": "SELECT name FROM duckdb_settings()",
    "query()": "SELECT * FROM query('SELECT random() AS r')",
    "uses random()": "WITH t AS (SELECT id FROM persons ORDER BY RANDOM()) SELECT * FROM t LIMIT 3",
}
STABLE = [
    'SELECT id + 1 AS "n AS m", lower("user") AS u, coalesce(age, 0) AS a FROM persons',
    "SELECT id FROM persons WHERE id IN (SELECT id FROM persons WHERE age > 0)",
    "SELECT id, age(TIMESTAMP '2021-01-01', TIMESTAMP '2020-01-01') AS a FROM persons",
    "SELECT age, count(*) AS n, list_sort(list(id)) AS ids FROM persons GROUP BY age HAVING count(*) > 1",
    "SELECT id, row_number() OVER (ORDER BY id) AS n FROM persons QUALIFY n < 5",
    "SELECT * FROM range(3)",
    "SELECT p.id, x FROM persons AS p, unnest([1, 2]) AS t(x)",
    "SELECT id, CAST(age AS DECIMAL(10, 2)) AS d, date_part('year', DATE '2020-01-01') AS y FROM persons",
    "SELECT array_append([1], id) AS l FROM persons",
]


SQLITE = {
    "random()": "SELECT id, random() AS r FROM persons",
    "randomblob()": "SELECT randomblob(4) AS r FROM persons",
    "current_date()": "SELECT id, CURRENT_DATE AS d FROM persons",
    "current_timestamp()": "SELECT id, current_timestamp AS d FROM persons",
    "date() of now": "SELECT id, date('now', '-1 day') AS d FROM persons",
    "strftime() of now": "SELECT id, strftime('%Y') AS y FROM persons",
    "julianday() of now": "SELECT id, julianday('NOW') AS y FROM persons",
    "time() of now": """SELECT id, "time"('now') AS y FROM persons""",
    "datetime() of now": """SELECT id, datetime/**/("now") AS y FROM persons""",
    "unixepoch() of now": """SELECT id, [unixepoch](/**/) AS y FROM persons""",
    "timediff() of now": """SELECT id, timediff(n.v, '2000-01-01') AS y FROM persons, (SELECT 'now' AS v) AS n""",
    "pragma_database_list()": "SELECT file FROM pragma_database_list",
    "uses random() in the order": "SELECT id FROM persons ORDER BY random() LIMIT 3",
}
SQLITE_STABLE = [
    "SELECT id + 1 AS n, lower(name) AS u, date(born, '+1 day') AS d FROM persons WHERE id IN (SELECT id FROM persons)",
    "SELECT age, count(*) AS n, strftime('%Y', born) AS y FROM persons GROUP BY age",
    'SELECT id, "random" AS r FROM (SELECT id, age AS "random" FROM persons)',
]


def duckdb_file(path: Path) -> Path:
    with duckdb.connect(str(path)) as connection:
        rows = "SELECT i AS id, i % 3 AS age, 'u' AS \"user\" FROM range(30) AS r(i)"
        connection.execute(f"CREATE TABLE persons AS {rows}")
        connection.execute("CREATE TABLE plain AS SELECT 1 AS id")
        connection.execute("CREATE SEQUENCE s")
        connection.execute("CREATE MACRO added(x) AS x + 1")
        connection.execute("CREATE MACRO made() AS TABLE SELECT 1 AS q")
        for number, text in enumerate(DUCKDB.values()):
            connection.execute(f"CREATE VIEW v{number} AS {text}")
            connection.execute(f'CREATE VIEW "over AS {number}" AS SELECT * FROM v{number}')
        for number, text in enumerate(STABLE):
            connection.execute(f"CREATE VIEW stable{number} AS {text}")
    return path


def sqlite_file(path: Path) -> Path:
    with contextlib.closing(sqlite3.connect(path)) as written, written:
        written.execute("CREATE TABLE persons (id INTEGER, age INTEGER, name TEXT, born TEXT)")
        written.executemany("INSERT INTO persons VALUES (?, ?, 'N', '1970-01-01')", [(i, i % 3) for i in range(30)])
        for number, text in enumerate(SQLITE.values()):
            written.execute(f"CREATE VIEW v{number} AS {text}")
            written.execute(f'CREATE VIEW "over AS {number}" AS SELECT * FROM v{number}')
        for number, text in enumerate(SQLITE_STABLE):
            written.execute(f"CREATE VIEW stable{number} AS {text}")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_a_view_that_gives_other_rows_each_time_is_refused_by_name(kind: str, tmp_path: Path) -> None:
    limits, backend = Limits("256MB", 1), None
    if kind == "duckdb":
        backend = DuckDBFile(duckdb_file(tmp_path / "s.duckdb"), writable=False, limits=limits)
        refused, stable = DUCKDB, STABLE
    else:
        backend = SQLiteFile(sqlite_file(tmp_path / "s.sqlite"), limits=limits)
        refused, stable = SQLITE, SQLITE_STABLE
    with contextlib.closing(backend):
        for number, what in enumerate(refused):
            for table in (f"v{number}", f"over AS {number}"):
                with pytest.raises(SourceFault) as fault:
                    find_table(backend, table)
                assert what.removesuffix(" in the order") in str(fault.value), table
                assert f"'v{number}'" in str(fault.value), table
        for number in range(len(stable)):
            assert row_count(backend, find_table(backend, f"stable{number}").reference) > 0


@pytest.mark.slow
def test_such_a_view_is_no_dataset_in_a_query_either(tmp_path: Path) -> None:
    engine = new_engine(tmp_path)
    engine.sources.add("s", str(duckdb_file(tmp_path / "s.duckdb")))
    for asked in ({"table": "over AS 0"}, {"query": "SELECT * FROM v0"}):
        with pytest.raises(SourceFault, match=r"the view 'v0' uses random\(\)"):
            engine.datasets.add("d", "s", **asked)  # type: ignore[arg-type]
