"""The catalogue of a DuckDB file is read once for each state of the file, and never one of another state."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from ordermade.errors import SourceFault
from ordermade.sources import duckdb_catalogue
from ordermade.sources.duckdb_file import DuckDBFile
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Limits


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "s.duckdb"
    _change(made, "CREATE TABLE persons (city VARCHAR)")
    return made


@pytest.fixture
def _settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file has settled at once."""
    monkeypatch.setattr(duckdb_catalogue, "_SETTLED", 0.0)


def _change(path: Path, statement: str) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(statement)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[tuple[list[str], int]]:
    with contextlib.closing(DuckDBFile(path, writable=False, limits=Limits("256MB", 1))) as backend:
        yield [each.name for each in backend.tables()], backend.executor.count([Purpose.CATALOG])


@pytest.mark.usefixtures("_settled")
def test_the_catalogue_of_an_unchanged_file_is_read_once(path: Path) -> None:
    with _opened(path) as (tables, statements):
        assert (tables, statements) == (["persons"], 2)
    with _opened(path) as (tables, statements):
        assert (tables, statements) == (["persons"], 0)


@pytest.mark.usefixtures("_settled")
def test_a_file_that_changed_is_read_anew(path: Path) -> None:
    with _opened(path):
        pass
    _change(path, "CREATE TABLE visits (day DATE)")
    with _opened(path) as (tables, statements):
        assert (tables, statements) == (["persons", "visits"], 2)
    _change(path, "CREATE MACRO lower(x) AS x")
    with pytest.raises(SourceFault, match=r"has a macro called as DuckDB's own function lower\(\)"), _opened(path):
        pass


def test_a_file_that_changed_a_moment_ago_is_read_each_time(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duckdb_catalogue, "_SETTLED", 60.0)
    for _ in range(2):
        with _opened(path) as (_, statements):
            assert statements == 2


@pytest.mark.usefixtures("_settled")
def test_a_file_whose_times_are_whole_seconds_settles_later(path: Path) -> None:
    second = int(time.time())
    os.utime(path, (second, second))
    for _ in range(2):
        with _opened(path) as (_, statements):
            assert statements == 2


@pytest.mark.usefixtures("_settled")
def test_what_a_killed_writer_left_in_the_log_beside_the_file_is_read(path: Path) -> None:
    with _opened(path):
        pass
    before = path.stat()
    with duckdb.connect(str(path)) as connection:  # as a writer that is killed, it takes nothing into the file
        connection.execute("PRAGMA disable_checkpoint_on_shutdown")
        connection.execute("CREATE TABLE visits (day DATE)")
    assert path.with_name("s.duckdb.wal").stat().st_size
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    for _ in range(2):
        with _opened(path) as (tables, statements):
            assert (tables, statements) == (["persons", "visits"], 2)
