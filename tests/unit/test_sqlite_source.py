"""A SQLite database as a source: types by what is stored, one consistent state, nothing written, nothing guessed."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot

from ordermade import Engine
from ordermade.counting.dataset import Dataset, relation, version
from ordermade.drafts.hierarchies import DraftedHierarchy
from ordermade.errors import InputError, OrdermadeError, RequestError, SourceFault
from ordermade.progress.waiting import Wait
from ordermade.requests.dataset_query import parse_dataset_query
from ordermade.requests.row_filter import row_condition
from ordermade.sources.backend import qualified
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.open import kind_of_source
from ordermade.sources.sqlite_file import MIXED, SQLiteFile
from tests.made import new_engine

LIMITS = Limits("256MB", 1, Wait(0.1))
Database = Callable[..., Path]


@pytest.fixture
def database(tmp_path: Path) -> Database:
    """Makes a database of one table `t`: the columns as declared, and rows."""

    def make(columns: str, *rows: Sequence[Any], before: str = "", called: str = "app.sqlite") -> Path:
        path = tmp_path / called
        with contextlib.closing(sqlite3.connect(path)) as connection, connection:
            connection.executescript(f"{before}; CREATE TABLE t ({columns});")
            for row in rows:
                connection.execute(f"INSERT INTO t VALUES ({', '.join('?' * len(row))})", row)
        return path

    return make


def opened(path: Path) -> contextlib.closing[SQLiteFile]:
    return contextlib.closing(SQLiteFile(path, limits=LIMITS))


def dataset(source: SQLiteFile, condition: str | None = None) -> Dataset:
    table = next(each for each in source.tables() if each.name == "t")
    types = {each.name: each.type for each in table.columns}
    tree = None if condition is None else row_condition(condition, types)[0]
    return Dataset("t", source, relation(table.reference, tree), table.columns)


def passing(source: SQLiteFile, condition: str) -> list[Any]:
    """What the first column has where the condition holds."""
    return [row[0] for row in source.executor.rows(Purpose.RECORDS, dataset(source, condition).relation)]


@pytest.mark.parametrize(
    ("declared", "stored", "found"),
    [
        ("INTEGER", [1, None, 2**62], "BIGINT"),
        ("TEXT", [1, 2], "VARCHAR"),
        ("REAL", [1, 2], "DOUBLE"),
        ("", ["a"], "VARCHAR"),
        ("", [7], "BIGINT"),
        ("VARCHAR(20)", ["a", None], "VARCHAR"),
        ("DECIMAL(9, 2)", [1, 2], "DOUBLE"),
        ("NUMERIC", [1, 2.5], "DOUBLE"),
        ("NUMERIC", [1, 2], "BIGINT"),
        ("BOOLEAN", [0, 1, None], "BOOLEAN"),
        ("BOOLEAN", [0, 1, 2], "BIGINT"),
        ("DATE", ["2020-02-29", None], "DATE"),
        ("DATE", ["2020-02-29", "2020-02-30"], "VARCHAR"),
        ("DATE", ["2020-02-29", "29.2.2020"], "VARCHAR"),
        ("DATETIME", ["2020-02-29 10:30:00"], "TIMESTAMP"),
        ("TIMESTAMP", ["2020-02-29 10:30"], "VARCHAR"),
        ("BLOB", [b"a"], "BLOB"),
        ("INTEGER", [], "BIGINT"),
        ("DATE", [None], "DATE"),
        ("NUMERIC", [1.5, 2**60], MIXED),
        ("INTEGER", [1, "a"], MIXED),
        ("TEXT", ["a", b"a"], MIXED),
    ],
)
def test_a_column_is_typed_by_what_was_declared_and_what_is_stored(database, declared, stored, found) -> None:
    with opened(database(f"x {declared}", *([each] for each in stored))) as source:
        assert [each.type for each in source.tables()[0].columns] == [found]
        if found not in (MIXED, "BLOB"):
            kept = [row[0] for row in source.executor.rows(Purpose.RECORDS, dataset(source).relation)]
            assert [each is None for each in kept] == [each is None for each in stored]


def test_a_mixed_column_is_refused_by_name_and_no_value_is_shown(database) -> None:
    path = database("id INTEGER, code INTEGER", [1, 7], [2, "secret"])
    with opened(path) as source:
        with pytest.raises(SourceFault, match="column 'code' of 't' holds values of several kinds") as caught:
            source.columns(dataset(source).relation)
        assert "secret" not in str(caught.value)
        query = sqlglot.parse_one("SELECT x.id FROM source.t AS x", dialect="duckdb")
        assert [each.name for each in source.columns(query)] == ["id"]


def test_the_first_bytes_tell_databases_of_one_ending_apart(database, tmp_path: Path) -> None:
    assert kind_of_source(str(database("x INTEGER", [1], called="a.db"))) == "sqlite"
    with duckdb.connect(str(tmp_path / "b.db")) as connection:
        connection.execute("CREATE TABLE t (x INTEGER)")
    assert kind_of_source(str(tmp_path / "b.db")) == "duckdb"
    assert kind_of_source("none.sqlite3") == kind_of_source("none.sqlite") == "sqlite"


@pytest.mark.parametrize(
    ("condition", "ids"),
    [
        ("name = 'Ann'", [1]),
        ("name LIKE 'a%'", [2]),
        ("name IN ('Ann', 'ann')", [1, 2]),
        ("born >= DATE '1990-01-01'", [2, 3]),
        ("born = '1990-01-01'", [2]),
        ("seen < TIMESTAMP '2020-01-02 00:00'", [1]),
        ("seen >= DATE '2020-01-02'", [2, 3]),
        ("active", [1, 3]),
        ("NOT active", [2]),
        ("active = FALSE", [2]),
        ("height > 1.7", [1, 3]),
        ("height IS NOT NULL AND 3 > id", [1, 2]),
        ("name IS NULL", [3]),
    ],
)
def test_a_filter_means_in_sqlite_what_it_means_in_duckdb(database, condition: str, ids: list[int]) -> None:
    rows = [
        (1, "Ann", "1989-12-31", "2020-01-01 23:59:59", 1, 1.75),
        (2, "ann", "1990-01-01", "2020-01-02 00:00:00", 0, 1.5),
        (3, None, "2000-02-29", "2020-01-03 00:00:00", 1, 1.8),
    ]
    columns = "id INTEGER, name TEXT, born DATE, seen DATETIME, active BOOLEAN, height REAL"
    with opened(database(columns, *rows)) as source:
        assert passing(source, condition) == ids
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t ({columns.replace('INTEGER', 'BIGINT')})")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", rows)
        assert [row[0] for row in connection.execute(f"SELECT id FROM t WHERE {condition}").fetchall()] == ids


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT id FROM t WHERE name = 1", "compare a text with a number"),
        ("SELECT id FROM t WHERE id = '1'", "compare a number with a text"),
        ("SELECT id FROM t WHERE active = 1", "compare a boolean with a number"),
        ("SELECT id FROM t WHERE born = 'soon'", "compare a day with a text"),
        ("SELECT id FROM t WHERE id / 2 = 1", "does not calculate DIV"),
        ("SELECT upper(name) AS id FROM t", "does not calculate UPPER"),
        ("SELECT year(born) AS id FROM t", "does not calculate YEAR"),
    ],
)
def test_a_dataset_query_that_sqlite_would_answer_otherwise_is_refused(database, query: str, message: str) -> None:
    columns = "id INTEGER, name TEXT, born DATE, active BOOLEAN"
    with opened(database(columns, (1, "Ann", "1990-01-01", 1))) as source, pytest.raises(OrdermadeError, match=message):
        source.executor.rows(Purpose.RECORDS, qualified(source, parse_dataset_query(query)))


def test_texts_are_compared_by_their_bytes_whatever_the_collation(database) -> None:
    with opened(database("x TEXT COLLATE NOCASE", ["a"], ["A"], ["a "])) as source:
        assert source.capabilities.collates
        (table,) = source.tables()
        exact = relation(
            table.reference, row_condition("x <> 'b'", {"x": "VARCHAR"})[0], table.columns, source.capabilities.binary
        )
        grouped = sqlglot.parse_one("SELECT d.x, COUNT(*) AS n FROM dataset AS d GROUP BY d.x", dialect="duckdb")
        grouped.find(sqlglot.exp.Table).replace(exact.subquery("d"))
        assert sorted(source.executor.rows(Purpose.RECORDS, grouped)) == [("A", 1), ("a", 1), ("a ", 1)]


@pytest.mark.slow
def test_the_sum_of_hashes_does_not_overflow_and_tells_types_apart(database) -> None:
    found = set()
    for stored in ([1] * 1000, [1] * 999, [1.5] * 1000, ["1"] * 1000, [None] * 1000):
        path = database("x", *([each] for each in stored))
        with opened(path) as source:
            found.add(version(dataset(source)))
        path.unlink()
    assert len(found) == 5
    assert max(each.hash_sum for each in found) > 2**64


def test_every_statement_sees_the_state_of_the_moment_it_was_opened(database) -> None:
    path = database("x INTEGER", [1], before="PRAGMA journal_mode = WAL")
    with opened(path) as source:
        before = version(dataset(source))
        with contextlib.closing(sqlite3.connect(path, timeout=0)) as writer, writer:
            writer.execute("INSERT INTO t VALUES (2)")
        assert version(dataset(source)) == before
        assert passing(source, "x > 0") == [1]
    with opened(path) as source:
        assert passing(source, "x > 0") == [1, 2]


def test_a_writer_waits_for_a_database_without_a_log(database) -> None:
    path = database("x INTEGER", [1])
    with opened(path) as source, contextlib.closing(sqlite3.connect(path, timeout=0)) as writer:
        with pytest.raises(sqlite3.OperationalError, match="locked"), writer:
            writer.execute("INSERT INTO t VALUES (2)")
        assert passing(source, "x > 0") == [1]


def test_a_database_that_another_process_writes_is_a_clear_error(database) -> None:
    path = database("x INTEGER", [1])
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(SourceFault, match="SQLITE_BUSY") as caught, opened(path):
            pass
    assert "--wait" in str(caught.value)


@pytest.mark.parametrize("place", [0, 100, 4096])
def test_a_damaged_file_is_a_clear_error(database, place: int) -> None:
    path = database("x INTEGER, y TEXT", *([each, "y" * 50] for each in range(500)))
    content = bytearray(path.read_bytes())
    content[place : place + 200] = b"\xff" * 200
    path.write_bytes(content)
    with pytest.raises(SourceFault, match=r"SQLITE_(NOTADB|CORRUPT)"), opened(path) as source:
        passing(source, "x >= 0")


def test_nothing_is_written_into_the_source(database) -> None:
    path = database("x INTEGER", [1], [2])
    before = (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir()))
    with opened(path) as source:
        source.workspace.rows(Purpose.STORE, "CREATE TEMPORARY TABLE keys_1 AS SELECT 1 AS key, 0 AS cell")
        source.upload("keys_1")
        with pytest.raises(SourceFault, match="SQLITE_READONLY"):
            source.executor.plain(Purpose.STORE, 'DELETE FROM "source".t')
        with pytest.raises(SourceFault, match="SQLITE_READONLY"):
            source.executor.plain(Purpose.STORE, "CREATE TEMPORARY TABLE other (x)")
    assert (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir())) == before


@pytest.mark.slow
def test_an_interrupt_reaches_a_statement_in_the_middle(database) -> None:
    with opened(database("x INTEGER", *([each] for each in range(3000)))) as source:
        joins = "JOIN source.t AS b ON a.x > b.x JOIN source.t AS c ON b.x + c.x > a.x"
        query = f"SELECT COUNT(*) AS n FROM source.t AS a {joins}"
        interrupt = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        interrupt.start()
        with pytest.raises(KeyboardInterrupt):
            source.keep(Purpose.RECORDS, "kept", sqlglot.parse_one(query, dialect="duckdb"))
        interrupt.join()


def persons(database: Database) -> Path:
    rows = [(i, ("f", "m")[i % 2], 20 + i % 10, "secret") for i in range(200)]
    return database("id INTEGER PRIMARY KEY, sex TEXT, age INTEGER, ill TEXT", *rows)


def registered(tmp_path: Path, path: Path) -> Engine:
    engine = new_engine(tmp_path, limits=LIMITS)
    engine.sources.add("shop", str(path))
    engine.datasets.add("d", "shop", table="t", least_k=2)
    (tmp_path / "age.yaml").write_text("intervals:\n  levels:\n    - {width: 5}\n    - {width: 10}\n")
    engine.hierarchies.add("age", tmp_path / "age.yaml")
    return engine


@pytest.mark.slow
def test_a_source_is_added_asked_and_checked_like_any_other(database, tmp_path: Path) -> None:
    engine = registered(tmp_path, persons(database))
    assert engine.sources.get("shop").kind == "sqlite"
    assert engine.sources.show("shop").tables[0].rows == 200
    assert engine.hierarchies.check("age", "d", "age").report.missing_values == 0
    drafted = engine.hierarchies.suggest("d", "age")
    assert isinstance(drafted, DraftedHierarchy)
    assert "bounds: [" in drafted.text
    request = {
        "dataset": "d",
        "k": 30,
        "where": "sex = 'f'",
        "quasi_identifiers": {"age": {"hierarchy": "age"}},
        "release": {"to": str(tmp_path / "out.csv")},
    }
    result = engine.run(request)
    assert (result.status, result.k) == ("released", 40)


@pytest.mark.slow
def test_a_filter_of_another_type_is_a_fault_of_the_filter(database, tmp_path: Path) -> None:
    engine = registered(tmp_path, persons(database))
    request = {
        "dataset": "d",
        "k": 2,
        "where": "sex = 1",
        "quasi_identifiers": {"age": {"hierarchy": "age"}},
        "release": {"to": str(tmp_path / "out.csv")},
    }
    with pytest.raises(RequestError, match="cannot have a value that the filter compares it with"):
        engine.run(request)


def test_it_is_not_written_into(database, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written into"):
        new_engine(tmp_path).sources.add("shop", str(persons(database)), writable=True)
