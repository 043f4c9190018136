"""A catalogue is read by name: a bad view spoils nothing beside it, and a thousand other tables cost nothing."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from pathlib import Path

import duckdb
import pytest

from ordermade import Engine
from ordermade.catalogue import sources
from ordermade.errors import SourceFault
from ordermade.sources.backend import columns_of, find_table
from ordermade.sources.duckdb_file import DuckDBFile
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.sqlite_file import SQLiteFile
from tests.made import new_engine

KINDS = ("duckdb", "sqlite")
ENDLESS = {
    "duckdb": "SELECT COUNT(*) AS n FROM range(10000000000) AS a(i), range(1000) AS b(j) WHERE (i * j) % 7 = 1",
    "sqlite": "WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t) SELECT COUNT(*) AS n FROM t",
}


def made(folder: Path, kind: str, *statements: str) -> Path:
    """A database with a table `persons` of 30 rows, and what these statements make."""
    path = folder / f"s.{kind}"
    every = [
        "CREATE TABLE persons (id INTEGER, age INTEGER)",
        f"INSERT INTO persons VALUES {', '.join(f'({i}, {i % 3})' for i in range(30))}",
        *statements,
    ]
    if kind == "duckdb":
        with duckdb.connect(str(path)) as connection:
            for each in every:
                connection.execute(each)
    else:
        with contextlib.closing(sqlite3.connect(path)) as written, written:
            for each in every:
                written.execute(each)
    return path


STALE = ("CREATE TABLE gone (x INTEGER)", "CREATE VIEW stale AS SELECT x FROM gone", "DROP TABLE gone")


def registered(folder: Path, path: Path) -> Engine:
    engine = new_engine(folder)
    engine.sources.add("s", str(path))
    return engine


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_stale_view_is_named_and_spoils_nothing_beside_it(kind: str, tmp_path: Path) -> None:
    engine = registered(tmp_path, made(tmp_path, kind, *STALE))
    engine.datasets.add("d", "s", table="persons")
    assert engine.datasets.show("d").rows == 30
    shown = {each.name: each for each in engine.sources.show("s").tables}
    assert shown["persons"].rows == 30
    assert "the view 'stale' cannot be read" in shown["stale"].reason  # type: ignore[attr-defined]
    with pytest.raises(SourceFault, match="the view 'stale' cannot be read"):
        engine.datasets.add("e", "s", table="stale")
    with pytest.raises(SourceFault, match="the view 'stale' cannot be read"):
        engine.sources.check("s")


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_is_found_without_reading_the_others(kind: str, tmp_path: Path) -> None:
    counts = []
    for others in (0, 40):
        folder = tmp_path / str(others)
        folder.mkdir()
        more = [f"CREATE TABLE other_{i} (a INTEGER, b DECIMAL(10, 2), c DATE)" for i in range(others)]
        path = made(folder, kind, *more)
        limits = Limits("256MB", 1)
        backend = (
            DuckDBFile(path, writable=False, limits=limits) if kind == "duckdb" else SQLiteFile(path, limits=limits)
        )
        with contextlib.closing(backend):
            columns_of(backend, find_table(backend, "persons").reference)
            counts.append(backend.executor.count([Purpose.CATALOG]))
    assert counts[0] == counts[1]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_listing_that_takes_too_long_says_so_and_ends(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "LONGEST_LISTING", 0.3)
    engine = registered(tmp_path, made(tmp_path, kind, f"CREATE VIEW zz AS {ENDLESS[kind]}"))
    started = time.monotonic()
    shown = {each.name: each for each in engine.sources.show("s").tables}
    assert time.monotonic() - started < 60
    assert shown["persons"].rows == 30
    assert "took longer than 0.3 seconds" in shown["zz"].reason  # type: ignore[attr-defined]
