"""Views whose rows differ from one reading to the next, or come from elsewhere: refused by name."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from pathlib import Path

import duckdb
import pytest

from ordermade.errors import FilterError, SourceFault
from ordermade.sources.backend import find_table, row_count
from ordermade.sources.duckdb_file import DuckDBFile
from ordermade.sources.duckdb_views import Views
from ordermade.sources.limits import Limits
from ordermade.sources.sqlite_file import SQLiteFile
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
    "current_localtimestamp()": "SELECT current_localtimestamp() AS t FROM persons",
    "current_localtime()": "SELECT current_localtime() AS t FROM persons",
    "current_timestamp(), wh": "SELECT pg_postmaster_start_time() AS t FROM persons",
    "uses current_timestamp()": "SELECT id FROM persons WHERE pg_conf_load_time() > '2020-01-01'",
    "current_timestamp(), which": "SELECT ago(INTERVAL 1 DAY) AS t FROM persons",
    "version()": "SELECT version() AS v FROM persons",
    "json_serialize_plan()": "SELECT json_serialize_plan('SELECT * FROM plain') AS p FROM persons",
    "a random sample": "SELECT * FROM persons USING SAMPLE 3",
    "the macro added()": "SELECT added(id) AS n FROM persons",
    "made()": "SELECT * FROM made()",
    "duckdb_settings()": "SELECT name FROM duckdb_settings()",
    "query()": "SELECT * FROM query('SELECT random() AS r')",
    "uses random()": "WITH t AS (SELECT id FROM persons ORDER BY RANDOM()) SELECT * FROM t",
    "uses LIMIT": "SELECT id FROM persons ORDER BY age LIMIT 3",
    "LIMIT,": "SELECT id FROM persons LIMIT 10%",
    "uses OFFSET": "SELECT id FROM persons OFFSET 2",
    "DISTINCT ON": "SELECT DISTINCT ON (age) age, id FROM persons",
    "row_number() OVER": "SELECT id, row_number() OVER (ORDER BY age) AS n FROM persons",
    "sum() OVER": "SELECT id, sum(id) OVER w AS n FROM persons WINDOW w AS (ORDER BY age ROWS 1 PRECEDING)",
    "lag() OVER": "SELECT id, lag(id) OVER (PARTITION BY age) AS n FROM persons",
    "list()": "SELECT age, list(id) AS ids FROM persons GROUP BY age",
    "array_agg()": "SELECT array(SELECT id FROM persons) AS ids",
    "string_agg()": "SELECT string_agg(id, ',' ORDER BY age) AS ids FROM persons",
    "first()": "SELECT age, first(id) AS i FROM persons GROUP BY age",
    "arg_max()": "SELECT arg_max(id, age) AS i FROM persons",
    "mode()": "SELECT mode(age) AS i FROM persons",
    "sum() of fractions": "SELECT age, sum(height) AS s FROM persons GROUP BY age",
    "avg() of fractions": "SELECT round(avg(id / 3), 1) AS s FROM persons",
    "stddev() of fractions": "SELECT stddev(id) AS s FROM persons",
    "corr() of": "SELECT corr(id, age) AS s FROM persons",
    "fsum() of": "SELECT id, fsum(height) OVER (PARTITION BY age) AS s FROM persons",
    "avg() of": "SELECT id FROM persons WHERE height > (SELECT avg(height) FROM persons)",
    "sum() of": "SELECT h FROM (SELECT sum(DISTINCT CAST(id AS FLOAT)) AS h FROM persons)",
    "product() of": "SELECT id FROM persons GROUP BY id HAVING product(age) > 1",
    "rowid": "SELECT persons.rowid AS i FROM persons",
    "POSITIONAL JOIN": "SELECT plain.id FROM persons POSITIONAL JOIN plain",
    "'duckdb_tables' is no table": "SELECT table_name FROM duckdb_tables",
    "'tables' is no table": "SELECT table_name FROM information_schema.tables",
    "sleep_ms()": "SELECT sleep_ms(0) AS s FROM persons",
    "error()": "SELECT CASE WHEN id = 77 THEN error('seen') END AS s FROM persons",
    "getvariable()": "SELECT getvariable('x') AS s FROM persons",
    "uses SHOW, DESCRIBE or SUMMARIZE": "SELECT * FROM (SUMMARIZE persons)",
    "SHOW, DESCRIBE or": "SELECT p.id FROM persons AS p JOIN (SHOW TABLES) AS t ON p.id > 3",
    "DESCRIBE or": "SELECT id FROM persons WHERE id < (SELECT count(*) FROM (DESCRIBE persons))",
    "DESCRIBE or SUMMARIZE": "DESCRIBE persons",
    "uses GROUP BY of values": "SELECT word, count(*) AS n FROM spelt GROUP BY word",
    "GROUP BY of values": "SELECT upper(word) AS u, sum(id) AS n FROM spelt GROUP BY ALL",
    "uses DISTINCT of values": "SELECT DISTINCT * FROM spelt",
    "DISTINCT of values": "SELECT DISTINCT w FROM respelt",
    "uses MIN of values": "SELECT min(word || '!') AS w FROM spelt",
    "uses MAX of values": 'SELECT max("user" COLLATE NOCASE) AS w FROM persons',
    "uses UNION of values": "SELECT word FROM spelt UNION SELECT 'x'",
    "an aggregate of values": "SELECT string_agg(word, ',' ORDER BY word) AS w FROM spelt",
    "DISTINCT of value": "WITH t (x) AS (SELECT word FROM spelt) SELECT DISTINCT x FROM t",
    "DISTINCT of valu": "SELECT DISTINCT COLUMNS('wor.*') FROM spelt",
    "DISTINCT of val": "SELECT DISTINCT trim(COLUMNS('wor.*')) AS w FROM spelt",
    "MIN of values": "SELECT id, min(COLUMNS('wor.*')) OVER () AS w FROM spelt",
    "MAX of values": "SELECT max(COLUMNS('wor.*')) AS w FROM spelt",
    "GROUP BY of value": "SELECT COLUMNS('wor.*') FROM spelt GROUP BY ALL",
    "DISTINCT ": "SELECT DISTINCT #1 FROM (SELECT word FROM spelt)",
    "GROUP BY of val": "SELECT * FROM (SELECT word FROM spelt) GROUP BY 1",
    "DISTINCT of va": "SELECT x.word FROM (SELECT DISTINCT s AS x FROM (SELECT word FROM spelt) AS s)",
    "DISTINCT of v": "SELECT x.w FROM (SELECT DISTINCT {'w': word} AS x FROM spelt) AS t",
    "DISTINCT of ": "SELECT DISTINCT p.x.w FROM (SELECT {'w': word} AS x FROM spelt) AS p",
    "DISTINCT of": "SELECT DISTINCT w FROM (SELECT unnest({'w': word}) FROM spelt)",
    "an aggregate of value": "SELECT list_sort(list(word))[1] AS w FROM spelt",
    "histogram() of": "SELECT map_keys(histogram(word)) AS w FROM spelt",
    "uses UNPIVOT of": "SELECT DISTINCT v FROM (UNPIVOT (SELECT word FROM spelt) ON word INTO NAME n VALUE v)",
    "uses PIVOT of": "SELECT * FROM (PIVOT spelt ON id IN (1, 2) USING count(*) GROUP BY word)",
    "DISTINCT of values that may be equal and differ, such as 1 month": "SELECT DISTINCT took FROM spans",
    "GROUP BY of values that may be equal and differ, such as 1 month": "SELECT took, id FROM spans GROUP BY ALL",
    "MAX of values that may be equal and differ, such as 1 month": "SELECT date_part('month', max(took)) FROM spans",
    "an aggregate of values that may be equal and differ, such as 1": "SELECT quantile_disc(took, 0.5) FROM spans",
    "such as 1 month and 30 days": "SELECT CAST(id || ' days' AS INTERVAL) AS t FROM persons GROUP BY t",
    "such as 1 month and 30": "SELECT DISTINCT age(DATE '2020-01-31', born) AS a FROM spans",
    "INTERSECT of": "SELECT word FROM spelt INTERSECT ALL SELECT 'a'",
    "DISTINCT o": "SELECT DISTINCT v FROM (VALUES ('a' COLLATE NOCASE), ('A')) AS t(v), spelt",
}
STABLE = [
    'SELECT id + 1 AS "n AS m", lower("user") AS u, coalesce(age, 0) AS a FROM persons',
    "SELECT id FROM persons WHERE id IN (SELECT id FROM persons WHERE age > 0)",
    "SELECT id, age(TIMESTAMP '2021-01-01', TIMESTAMP '2020-01-01') AS a FROM persons",
    "SELECT age, count(*) AS n, list_sort(list(id)) AS ids FROM persons GROUP BY age HAVING count(*) > 1",
    "SELECT age, string_agg(id, ',' ORDER BY id) AS ids FROM persons GROUP BY age",
    "SELECT id, count(*) OVER (PARTITION BY age) AS n FROM persons QUALIFY n > 5",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 3) SELECT t.n FROM t, main.persons AS p",
    "SELECT * FROM range(3)",
    "SELECT p.id, x FROM persons AS p, unnest([1, 2]) AS t(x)",
    "SELECT id, CAST(age AS DECIMAL(10, 2)) AS d, date_part('year', DATE '2020-01-01') AS y FROM persons",
    "SELECT array_append([1], id) AS l FROM persons",
    "SELECT * FROM (VALUES (1), (2)) AS t(x) UNION ALL FROM persons SELECT id",
    "PIVOT (SELECT id, age FROM persons) ON age IN (0, 1) USING count(*) GROUP BY id",
    "SELECT 1 AS one",
    "SELECT word COLLATE C AS w, min(word COLLATE C) AS m, count(DISTINCT word) AS c FROM spelt GROUP BY w",
    "SELECT word, count(*) OVER (PARTITION BY word) AS n FROM spelt WHERE word = 'a' ORDER BY word",
    "SELECT id, count(*) AS n, bool_or(word = 'a') AS a FROM spelt GROUP BY id",
    "SELECT DISTINCT exact FROM respelt",
    "SELECT word FROM spelt UNION ALL SELECT 'x'",
    "SELECT DISTINCT spelt.id, {'n': id} AS s FROM spelt",
    "SELECT id, sum(length(word)) AS n, approx_count_distinct(word) > 0 AS a FROM spelt GROUP BY 1",
    "SELECT DISTINCT x FROM (SELECT COLUMNS('id') AS x FROM persons)",
    "SELECT DISTINCT date_part('epoch', took) AS e, CAST(took AS VARCHAR) AS t, id FROM spans",
    "SELECT took, born + INTERVAL 1 DAY AS d, count(*) OVER (PARTITION BY took) AS n FROM spans",
    "SELECT born, count(took) AS n, sum(CAST(epoch(took) AS DECIMAL(18, 3))) AS s FROM spans GROUP BY born",
    "SELECT age, avg(id) AS a, sum(CAST(height AS DECIMAL(9, 3))) AS s, median(height) AS d FROM persons GROUP BY age",
    "SELECT id, avg(age) OVER (PARTITION BY id) AS a, count(height) OVER () AS c FROM persons",
    "SELECT pi() * id AS p, [] AS l, count() OVER () AS c, json_array() AS j FROM persons",
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
    "'pragma_database_list' is no table": "SELECT file FROM pragma_database_list",
    "random() in the order": "SELECT id FROM persons ORDER BY random()",
    "uses LIMIT": "SELECT id FROM persons ORDER BY age LIMIT 3",
    "last_insert_rowid()": "SELECT last_insert_rowid() AS r FROM persons",
    "changes()": "SELECT changes() AS r FROM persons",
    "total_changes()": "SELECT total_changes() AS r FROM persons",
    "sqlite_version()": "SELECT sqlite_version() AS r FROM persons",
    "load_extension()": "SELECT load_extension(name) AS r FROM persons",
    "group_concat()": "SELECT group_concat(id) AS r FROM persons",
    "json_group_array()": "SELECT json_group_array(id) AS r FROM persons",
    "row_number()": "SELECT row_number() OVER (ORDER BY age) AS r FROM persons",
    "(id), which": "SELECT id, max(age) AS r FROM persons",
    "(name), which": "SELECT age, name AS r FROM persons GROUP BY age",
    "(age), which": "SELECT max(id) AS age, age AS r FROM persons",
    "rowid, which": "SELECT rowid AS r FROM persons",
    "'sqlite_master' is no table": "SELECT name FROM sqlite_master",
    "'dbstat' is no table": "SELECT name FROM dbstat",
    "'sqlite_stmt' is no table": "SELECT sql FROM sqlite_stmt",
    "date() of a calculated": "SELECT date('no' || 'w') AS r FROM persons",
    "unixepoch() of a calculated": "SELECT unixepoch(char(110, 111, 119)) AS r FROM persons",
    "julianday() of a calculated": "SELECT julianday(w) AS r FROM (SELECT 'no' || 'w' AS w FROM persons)",
    "date() of a calculated text, which may": "SELECT date(born, 'localtime') AS r FROM persons",
    "time() of a calculated": "SELECT time(born, '+1 day', 'utc') AS r FROM persons",
    "date() of a calculated text": "SELECT date(substr('snow', 2)) AS r FROM persons",
    "date() of a": "WITH w AS (SELECT replace('nxw', 'x', 'o') AS v FROM persons) SELECT date(w.v) AS r FROM w",
    "datetime() of a calculated": """SELECT datetime("no" || "w") AS r FROM persons""",
    "strftime() of": "SELECT id, strftime('%s') AS y FROM persons",
    "date() of": "SELECT date(x'6E6F77') AS r FROM persons",
    "time() of": "SELECT time(CAST(x'6E6F77' AS TEXT)) AS r FROM persons",
    "datetime() of": "SELECT datetime('subsec') AS r FROM persons",
    "julianday() of": "SELECT julianday('SubSecond') AS r FROM persons",
    "unixepoch() of": "SELECT unixepoch('subsec', '+1 day') AS r FROM persons",
    "strftime() of a": "SELECT strftime('%Y', 'subsec') AS r FROM persons",
    "timediff() of a": "SELECT timediff('2000-01-01', 'subsec') AS r FROM persons",
    "datetime() of a": "SELECT datetime(born, name) AS r FROM persons",
    "time() of a": "SELECT time(CASE WHEN id > 3 THEN 'subsec' END) AS r FROM persons",
    "date() of a c": "SELECT date(strftime('subsec', born)) AS r FROM persons",
    "sum() of fractions": "SELECT sum(height) AS s FROM measured",
    "avg() of fractions": "SELECT round(avg(x)) AS s FROM (SELECT id / 3.0 AS x FROM persons)",
    "total() of fractions": "SELECT id, total(price) OVER (PARTITION BY id) AS s FROM measured",
    "sum() of": "SELECT sum(CAST(price AS DECIMAL)) AS s FROM measured",
    "uses oid": "SELECT oid AS r FROM persons",
    "oid, which": "SELECT p.oid AS r FROM persons AS p",
    "uses rowid": 'SELECT "rowid" AS r FROM persons',
    "_rowid_, which": 'SELECT p.[_ROWID_] AS r FROM persons AS p JOIN (SELECT 1 AS "_rowid_") AS q',
    "uses _rowid_": "SELECT (SELECT _rowid_ FROM (SELECT 1 AS x)) AS r FROM persons",
    "uses changes()": 'SELECT "changes"() AS r FROM persons',
    "uses GROUP BY of values": "SELECT word, count(*) AS n FROM spelt GROUP BY word",
    "uses DISTINCT of values": "SELECT DISTINCT * FROM spelt",
    "DISTINCT of values": "SELECT DISTINCT w FROM respelt",
    "uses MIN of values": "SELECT min(word) AS w FROM spelt",
    "uses MAX of values": "SELECT max(name COLLATE NOCASE) AS w FROM persons",
    "uses UNION of values": "SELECT word FROM spelt UNION SELECT 'x'",
    "GROUP BY of values without": "SELECT typeof(any_value) AS r, count(*) AS n FROM loose GROUP BY any_value",
    "MAX of values without": "SELECT typeof(max(any_value)) AS r FROM loose",
    "DISTINCT of values without": "SELECT x || '' AS r FROM (SELECT DISTINCT any_value COLLATE BINARY AS x FROM loose)",
    "GROUP BY of values": "SELECT cast(right_word AS TEXT) AS r FROM spelt GROUP BY r",
    "DISTINCT of value": "SELECT DISTINCT coalesce(name COLLATE NOCASE, '') AS m FROM persons",
    "DISTINCT of valu": "SELECT DISTINCT (name COLLATE NOCASE) || '' AS m FROM persons",
    "DISTINCT of val": "SELECT DISTINCT CASE WHEN id >= 0 THEN name COLLATE NOCASE END AS m FROM persons",
    "DISTINCT of va": "SELECT DISTINCT CASE WHEN name = 'x' COLLATE NOCASE THEN name ELSE name END AS m FROM persons",
    "DISTINCT of v": "SELECT DISTINCT m FROM (SELECT printf('%s', name COLLATE NOCASE) AS m FROM persons)",
    "DISTINCT of ": "SELECT DISTINCT cast(cast(word AS BLOB) AS TEXT) AS m FROM spelt",
    "DISTINCT of": "SELECT DISTINCT column1 AS m FROM (VALUES ('a' COLLATE NOCASE), ('A'))",
    "DISTINCT o": "WITH v(m) AS (VALUES ('a' COLLATE NOCASE), ('A')) SELECT DISTINCT m FROM v",
    "GROUP BY of value": "SELECT substr(name COLLATE NOCASE, 1, 9) AS r, count(*) AS n FROM persons GROUP BY r",
    "MAX of value": "SELECT max(coalesce(name COLLATE NOCASE, '')) AS m FROM persons",
    "DISTINCT ": "SELECT DISTINCT m FROM (SELECT 'Q' AS m UNION ALL SELECT word FROM spelt)",
    "UNION of": "SELECT trim(name COLLATE NOCASE) AS m FROM persons UNION SELECT 'zz'",
}
SQLITE_STABLE = [
    "SELECT id + 1 AS n, lower(name) AS u, date(born, '+1 day') AS d FROM persons WHERE id IN (SELECT id FROM persons)",
    "SELECT age, count(*) AS n, strftime('%Y', max(born)) AS y FROM persons GROUP BY age",
    'SELECT id, "random" AS r FROM (SELECT id, age AS "random" FROM persons)',
    "SELECT id, printf('%04d', id) AS y, typeof(age) AS t, iif(age > 1, 'a', 'b') AS i, age || '' AS c FROM persons",
    "SELECT date(printf('%04d-01-01', id)) AS d, date(substr(born, 1, 4) || '-01-01', 'weekday 1') AS e FROM persons",
    "SELECT julianday('2020-01-01') - julianday(born) AS days, strftime('%Y year', born) AS y FROM persons AS p",
    "SELECT age, age + 1 AS b, count(*) AS n, avg(id) AS a, 1 + total(id) AS t FROM persons GROUP BY age HAVING n > 1",
    "SELECT CASE WHEN age > 0 THEN 1 ELSE 0 END AS grown, count(*) AS n FROM persons GROUP BY grown",
    "SELECT age AS a, max(born) AS b, datetime(max(born)) AS c FROM persons GROUP BY 1 ORDER BY b",
    "SELECT p.id, j.value AS v FROM persons AS p, json_each('[1, 2]') AS j",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 3) SELECT n FROM t",
    "SELECT id, count(*) OVER (PARTITION BY age) AS n FROM persons WHERE EXISTS (SELECT 1 FROM persons AS q)",
    "SELECT word COLLATE BINARY AS w, min(word COLLATE BINARY) AS m, count(word) AS c FROM spelt GROUP BY 1",
    "SELECT lower(word) AS l, count(*) AS n FROM spelt GROUP BY lower(word)",
    "SELECT DISTINCT exact, id FROM respelt",
    "SELECT word FROM spelt UNION ALL SELECT 'x'",
    "SELECT sum(CAST(round(height * 100) AS INTEGER)) AS s, max(height) AS m, avg(length(price)) AS a FROM measured",
    "SELECT sum(n) AS s, sum(age > 1) AS g FROM (SELECT age, CASE WHEN id > 1 THEN id ELSE 0 END AS n FROM persons)",
    "SELECT CAST(any_value AS TEXT) AS r, count(any_value) AS n FROM loose GROUP BY 1",
    "SELECT oid AS a, n.oid AS b, [oid] AS c FROM numbered AS n WHERE oid IN (SELECT oid FROM numbered)",
    "SELECT rowid AS r FROM (SELECT id AS rowid FROM persons) AS p",
    "SELECT date('2020-01-01T10:00:00Z', 'start of month', '+1 month', '-1 day') AS d, julianday(2459000.5) AS j",
    "SELECT datetime(id, 'unixepoch', 'subsec') AS s, date(iif(id > 1, born, '2000-01-01')) AS d FROM persons",
    "SELECT date(strftime('%Y-%m-01', \"born\")) AS d, strftime(name, born) AS n FROM persons",
    "SELECT DISTINCT coalesce(name COLLATE NOCASE, '') COLLATE BINARY AS m, nullif(word, '') AS w FROM persons, spelt",
    "WITH v(m) AS (VALUES ('a'), ('A')) SELECT DISTINCT m FROM v",
    "SELECT DISTINCT name = 'n' COLLATE NOCASE AS e FROM persons",
]


def duckdb_file(path: Path) -> Path:
    with duckdb.connect(str(path)) as connection:
        rows = "SELECT i AS id, i % 3 AS age, i / 7 AS height, 'u' AS \"user\" FROM range(30) AS r(i)"
        connection.execute(f"CREATE TABLE persons AS {rows}")
        connection.execute("CREATE TABLE plain AS SELECT 1 AS id")
        connection.execute("CREATE SEQUENCE s")
        connection.execute("CREATE TABLE spelt (id INTEGER, word VARCHAR COLLATE NOCASE DEFAULT 'x')")
        connection.execute("INSERT INTO spelt VALUES (1, 'a'), (2, 'A')")
        connection.execute("CREATE VIEW respelt (w, exact) AS SELECT word, word COLLATE C FROM spelt")
        connection.execute("CREATE TABLE spans AS SELECT 1 AS id, INTERVAL 1 MONTH AS took, DATE '2020-01-01' AS born")
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
        words = "word TEXT NOT NULL COLLATE NOCASE DEFAULT 'x', right_word COLLATE RTRIM, exact TEXT COLLATE BINARY"
        written.execute(f"CREATE TABLE spelt (id INTEGER, {words}, PRIMARY KEY (id)) WITHOUT ROWID")
        written.execute("INSERT INTO spelt VALUES (1, 'a', 'x', 'a')")
        written.execute("CREATE TABLE loose (any_value)")
        written.execute("INSERT INTO loose VALUES (1), (1.0)")
        written.execute("CREATE TABLE measured (id INTEGER, height REAL, price DECIMAL(9, 2))")
        written.execute("INSERT INTO measured VALUES (1, 1.5, 2.25)")
        written.execute("CREATE TABLE numbered (oid INTEGER)")
        written.execute("INSERT INTO numbered VALUES (1)")
        written.execute("CREATE VIEW respelt (w, exact, id) AS SELECT word, word COLLATE BINARY, id FROM spelt")
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


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_a_query_shows_no_text_for_others_that_are_equal_either(kind: str, tmp_path: Path) -> None:
    engine = new_engine(tmp_path)
    engine.sources.add("s", str((duckdb_file if kind == "duckdb" else sqlite_file)(tmp_path / f"s.{kind}")))
    refused = {
        "GROUP BY": "SELECT word, COUNT(*) AS n FROM spelt GROUP BY word",
        "MIN": "SELECT id, MIN(word) AS m FROM spelt GROUP BY id",
        "DISTINCT": "SELECT DISTINCT w FROM respelt",
    }
    for what, query in refused.items():
        with pytest.raises(FilterError, match=rf"the dataset query uses {what} of values.*Make a view") as fault:
            engine.datasets.add("d", "s", query=query)
        assert "the view" not in fault.value.what
    for number, query in enumerate(
        ("SELECT DISTINCT exact FROM respelt", "SELECT id, word FROM spelt WHERE word = 'a'")
    ):
        engine.datasets.add(f"fine{number}", "s", query=query)


SETTINGS = ("SET TimeZone = 'Asia/Tokyo'", "SET threads = 2", "SET schema = 'other'", "SET VARIABLE x = 2")
GIVEN = ("", "'1'", "1", "INTERVAL 1 DAY", "TIMESTAMP '2020-01-01 00:00:00'", "TIMETZ '10:00:00+01'")


@pytest.mark.slow
def test_every_function_of_duckdb_that_a_view_may_call_gives_the_same_in_another_session(tmp_path: Path) -> None:
    path, called = tmp_path / "s.duckdb", list[str]()
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE SCHEMA other")
        named = """SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN ('scalar', 'macro')
        AND stability IS DISTINCT FROM 'VOLATILE' AND regexp_full_match(function_name, '[a-z]\\w*')
        AND NOT regexp_matches(function_name, 'sleep|collate_[a-z]') ORDER BY ALL"""
        for (name,) in connection.execute(named).fetchall():
            called += [f'"{name}"', name, *(f'"{name}"({given})' for given in GIVEN)]
        called = [each for each in called if isinstance(_value(connection, each), list)]
        views = [f"CREATE VIEW v{number} AS SELECT {each}" for number, each in enumerate(called)]
        connection.execute(";".join(views))
    with contextlib.closing(DuckDBFile(path, writable=False, limits=Limits("256MB", 1))) as backend:
        known = Views(backend.executor, {("main", f"v{number}"): each for number, each in enumerate(views)})
        accepted = []
        for number, each in enumerate(called):
            with contextlib.suppress(SourceFault):
                known.require_stable("main", f"v{number}")
                accepted.append(each)
    seen = []
    for settings in ((), SETTINGS):
        time.sleep(0.01)
        with duckdb.connect(str(path), read_only=True) as connection:
            for each in (*settings, "SET TimeZone = 'UTC'"):  # as every session of the engine does
                connection.execute(each)
            seen.append([_value(connection, each) for each in accepted])
    assert [each for each, one, other in zip(accepted, *seen, strict=True) if one != other] == []
    assert {'"pi"()', "\"lower\"('1')", '"chr"(1)'} <= set(accepted)


def _value(connection: duckdb.DuckDBPyConnection, called: str) -> object:
    try:
        return connection.execute(f"SELECT CAST({called} AS VARCHAR)").fetchall()
    except duckdb.Error as error:
        return type(error)


@pytest.mark.slow
def test_a_query_sums_no_fractions_over_a_file_either(tmp_path: Path) -> None:
    engine = new_engine(tmp_path)
    rows = "SELECT i AS id, i % 3 AS age, i / 4 AS height FROM range(30) AS r(i)"
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute(f"CREATE TABLE persons AS {rows}")
        connection.execute(f"COPY ({rows}) TO '{tmp_path / 'persons.csv'}'")
    with contextlib.closing(sqlite3.connect(tmp_path / "s.sqlite")) as written, written:
        written.execute("CREATE TABLE persons (id INTEGER, age INTEGER, height REAL)")
        written.executemany("INSERT INTO persons VALUES (?, ?, ?)", [(i, i % 3, i / 7) for i in range(30)])
    for name in ("s.duckdb", "persons.csv", "s.sqlite"):
        engine.sources.add(name, str(tmp_path / name))
        for number, value in enumerate(("SUM(height)", "SUM(DISTINCT height)", "SUM(height * 2)")):
            query = f"SELECT age, {value} AS h FROM persons GROUP BY age"
            with pytest.raises((FilterError, SourceFault), match=r"(?i)sum.* of fractions of 4 or 8 bytes"):
                engine.datasets.add(f"refused{number}", name, query=query)
        query = "SELECT age, SUM(id) AS h, MAX(height) AS m FROM persons GROUP BY age"
        engine.datasets.add(f"fine {name}", name, query=query)


GENERATED = {
    "uses random()": "random()",
    "uses now()": "CAST(now() AS VARCHAR)",
    "uses current_setting()": "current_setting('threads')",
    "uses getvariable()": "CAST(getvariable('x') AS VARCHAR)",
    "uses age()": "CAST(age(born) AS VARCHAR)",
}
"""What DuckDB calculates each time that the column is read, for it stores none."""


def test_a_generated_column_that_differs_each_time_is_refused_by_name_also_under_a_view(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        for number, expression in enumerate(GENERATED.values()):
            connection.execute(f"CREATE TABLE t{number} (id INTEGER, born TIMESTAMP, g AS ({expression}))")
            connection.execute(f"CREATE VIEW v{number} AS SELECT id FROM t{number}")
        connection.execute(
            'CREATE TABLE fine ("user" VARCHAR, id INTEGER DEFAULT random(), g AS (lower("user") || id))'
        )
        connection.execute("INSERT INTO fine VALUES ('ANN', 1)")
    with contextlib.closing(DuckDBFile(tmp_path / "s.duckdb", writable=False, limits=Limits("256MB", 1))) as backend:
        for number, what in enumerate(GENERATED):
            for table in (f"t{number}", f"v{number}"):
                with pytest.raises(SourceFault) as fault:
                    find_table(backend, table).columns[0]
                assert f"the generated column 'g' of the table 't{number}' {what}" in str(fault.value), table
        assert row_count(backend, find_table(backend, "fine").reference) == 1


@pytest.mark.parametrize("macro", ["COUNT(x) AS 5", "hash(x) AS 1", '"+"(a, b) AS 1', "range(x) AS TABLE SELECT 1"])
def test_a_macro_takes_no_place_of_a_function_of_duckdb(macro: str, tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute(f"CREATE MACRO {macro}")
        connection.execute("CREATE MACRO duckdb_functions() AS TABLE SELECT 'x' AS function_name, TRUE AS internal")
    with pytest.raises(SourceFault, match="has a macro called as DuckDB's own function"):
        DuckDBFile(tmp_path / "s.duckdb", writable=False, limits=Limits("256MB", 1))
