"""The catalogue of a server is read by name: names first, columns of what is looked at; a bad view spoils nothing."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from ordermade import Engine
from ordermade.catalogue import sources
from ordermade.catalogue.sources import EstimatedTable, UnreadTable
from ordermade.errors import SourceFault
from ordermade.sources.backend import columns_of, find_table, row_count
from ordermade.sources.executor import Purpose
from ordermade.sources.mysql import MySQL
from ordermade.sources.postgresql import PostgreSQL
from ordermade.sources.server import Server, ServerExecutor
from tests.conformance.test_tables_of_servers import holding, of_schema
from tests.made import new_engine
from tests.services.servers import KINDS, POSTGRES, Schema
from tests.services.throwaway import Throwaway

PERSONS = ("CREATE TABLE persons (id INTEGER, age INTEGER)", "INSERT INTO persons VALUES (1, 30), (2, 40)")


@pytest.fixture(params=[pytest.param(kind.name, marks=pytest.mark.services) for kind in KINDS])
def schema(request: pytest.FixtureRequest) -> Schema:
    made: Schema = request.getfixturevalue(f"{request.param}_schema")
    for each in PERSONS:
        made.run(each)
    return made


def registered(schema: Schema, folder: Path) -> Engine:
    engine = new_engine(folder)
    engine.sources.add("s", of_schema(schema).location)
    return engine


def listed(engine: Engine, schema: Schema) -> dict[str, Any]:
    return {each.name: each for each in engine.sources.show("s").tables if each.schema == schema.name}


@pytest.mark.parametrize("many", [8, pytest.param(200, marks=pytest.mark.thorough)])
def test_nothing_but_names_is_read_of_tables_that_nobody_looks_at(
    schema: Schema, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, list[tuple[Any, ...]]]] = []
    plain = ServerExecutor.plain

    def noted(self: ServerExecutor, purpose: Purpose, text: str, bound: Any = None) -> list[tuple[Any, ...]]:
        rows = plain(self, purpose, text, bound)
        asked.append((text, [each for each in rows if each[0] == schema.name and each[1].startswith("other_")]))
        return rows

    monkeypatch.setattr(ServerExecutor, "plain", noted)
    found = []
    for others in (0, many):
        asked.clear()
        with closing(schema.server.connect()) as connection, connection.cursor() as cursor:
            for i in range(others):
                cursor.execute(f"CREATE TABLE {schema.name}.other_{i} (a INTEGER, b DECIMAL(10, 2), c DATE)")
        with holding(schema) as backend:
            table = find_table(backend, "persons")
            assert [each.name for each in columns_of(backend, table.reference)] == ["id", "age"]
            assert row_count(backend, table.reference) == 2
            assert len([each for each in backend.tables() if each.schema == schema.name]) == others + 1
            mirrored = backend.connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        found.append(([text for text, _ in asked], mirrored))
        assert sum(len(rows) for _, rows in asked) == others  # one row each: the name
    assert found[0] == found[1]
    assert found[0][1] == [("persons",)]


def test_a_view_that_cannot_be_read_is_named_and_spoils_nothing_beside_it(
    mariadb_schema: Schema, tmp_path: Path
) -> None:
    for each in (
        *PERSONS,
        "CREATE TABLE gone (x INTEGER)",
        "CREATE VIEW stale AS SELECT x FROM gone",
        "CREATE VIEW staler AS SELECT x FROM stale",
        "DROP TABLE gone",
    ):
        mariadb_schema.run(each)
    engine = registered(mariadb_schema, tmp_path)
    engine.datasets.add("d", "s", table="persons")
    assert engine.datasets.show("d").rows == 2
    found = listed(engine, mariadb_schema)
    assert isinstance(found["persons"], EstimatedTable)
    for view in ("stale", "staler"):
        assert isinstance(found[view], UnreadTable)
        assert f"the view '{view}' cannot be read. The view reads what is not there any more" in found[view].reason
        with pytest.raises(SourceFault, match=f"the view '{view}' cannot be read"):
            engine.datasets.add("e", "s", table=view)
    with pytest.raises(SourceFault, match=r"the view 'stale' cannot be read.*and 1 more"):
        engine.sources.check("s")


def test_nothing_of_a_view_is_run_to_read_the_catalogue(schema: Schema, tmp_path: Path) -> None:
    if schema.server.kind is POSTGRES:
        body = "LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE EXCEPTION ''run''; END'"
    else:
        body = "DETERMINISTIC NO SQL BEGIN SIGNAL SQLSTATE '45000'; RETURN 1; END"
    schema.run(f"CREATE FUNCTION failing() RETURNS INTEGER {body}")
    schema.run("CREATE VIEW bad AS SELECT id, failing() AS x FROM persons")
    engine = registered(schema, tmp_path)
    engine.datasets.add("d", "s", table="persons")
    assert engine.datasets.show("d").rows == 2
    found = listed(engine, schema)
    assert [each.name for each in found["bad"].columns] == ["id", "x"]
    assert [each.name for each in found["persons"].columns] == ["id", "age"]
    engine.sources.check("s")


def test_a_table_of_mariadb_without_the_right_to_read_it_is_named_as_that(
    throwaway_mariadb: Throwaway, tmp_path: Path
) -> None:
    server = throwaway_mariadb
    for each in (
        "CREATE TABLE test.seen (id INTEGER)",
        "CREATE TABLE test.hidden (id INTEGER)",
        "CREATE USER reader_of_one",
        "GRANT SELECT ON test.seen TO reader_of_one",
        "GRANT INSERT ON test.hidden TO reader_of_one",
    ):
        server.run(each)
    engine = new_engine(tmp_path)
    user = server.url.split("://", 1)[1].split("@", 1)[0]
    engine.sources.add("s", server.url.replace(f"//{user}@", "//reader_of_one@"))
    assert [each.name for each in engine.sources.check("s").tables] == ["seen"]
    with pytest.raises(SourceFault, match=r"the table 'hidden' may not be read.*GRANT SELECT"):
        engine.datasets.add("d", "s", table="hidden")


@pytest.mark.parametrize("slow", ["read_columns", "facts"])
def test_a_listing_that_takes_too_long_says_so_and_ends(
    schema: Schema, slow: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time is over as soon as the server is asked for what takes a minute, however long all else takes."""
    schema.run("CREATE VIEW slow AS SELECT id FROM persons")
    schema.run("CREATE VIEW z AS SELECT id FROM persons")
    kind = PostgreSQL if schema.server.kind is POSTGRES else MySQL
    sleep = "SELECT pg_sleep(60)" if kind is PostgreSQL else "SELECT SLEEP(60), COUNT(*) FROM persons"
    waiting: list[Any] = []

    class Stopped(Timer):
        def start(self) -> None:
            waiting.append(self.function)

    done = getattr(kind, slow)

    def sleeping(self: Server, *arguments: Any) -> Any:
        if slow == "facts" or arguments[0].name == "slow":
            Timer(0.2, waiting.pop()).start()
            self.executor.plain(Purpose.CATALOG, sleep)
        return done(self, *arguments)

    engine = registered(schema, tmp_path)
    monkeypatch.setattr(sources, "Timer", Stopped)
    monkeypatch.setattr(kind, slow, sleeping)
    if slow == "facts":
        with pytest.raises(SourceFault, match="the listing took longer than 10 seconds and ended"):
            engine.sources.show("s")
        return
    found = listed(engine, schema)
    assert isinstance(found["persons"], EstimatedTable)
    for late in ("slow", "z"):
        assert "the listing took longer than 10 seconds and ended" in found[late].reason
