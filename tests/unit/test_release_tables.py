"""A release as a table of its source: replaced where it is ours, refused where it is not, all or nothing."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import InputError, OrdermadeError, ReleaseFault, SourceChanged
from ordermade.methods.shared import publishing
from ordermade.release import into_source
from tests.conformance.prepared import copied, prepare
from tests.made import Row, write_table

pytestmark = pytest.mark.slow

ROWS: list[Row] = [(i % 4 + 1, "basic" if i % 3 else None) for i in range(24)]
COLUMNS = {"age": "INTEGER", "plan": "VARCHAR"}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    halves = ("value", "half"), [("1", "low"), ("2", "low"), ("3", "high"), ("4", "high")]
    return prepare(tmp_path_factory.mktemp("prepared"), COLUMNS, ROWS, {"age": halves}, writable=True)


@pytest.fixture
def engine(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    return copied(prepared, tmp_path, monkeypatch)


def asked(table: str = "out", k: int = 2, shape: str = "rows", **more: Any) -> dict[str, Any]:
    release = {"to": {"table": table}, "shape": shape, "replace": True}
    return {"dataset": "d", "k": k, "quasi_identifiers": {"age": {"hierarchy": "age"}}, "release": release, **more}


def content(folder: Path, file: str = "s.duckdb") -> dict[str, list[Any]]:
    """Every table of the source with its rows."""
    with duckdb.connect(str(folder / file), read_only=True) as connection:
        names = [row[0] for row in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
        return {name: connection.table('"' + name.replace('"', '""') + '"').fetchall() for name in names}


@pytest.mark.parametrize("table", ["out", '名 o"u;t'])
def test_rows_are_released_into_the_source(engine: Engine, tmp_path: Path, table: str) -> None:
    result = engine.run(asked(table, keep=["plan"]))
    assert result.release is not None
    assert (result.release.sha256, result.release.rows) == (None, 24)
    released = content(tmp_path)[table]
    assert released == sorted(ROWS, key=lambda row: (row[0], row[1] or ""))
    assert engine.releases.verify(1).intact


def test_the_statistical_table_is_released_into_the_source(engine: Engine, tmp_path: Path) -> None:
    engine.run(asked(k=7, shape="table"))
    assert content(tmp_path)["out"] == [("high", 12), ("low", 12)]
    assert engine.releases.verify(1).intact


def test_verify_finds_a_changed_table(engine: Engine, tmp_path: Path) -> None:
    engine.run(asked())
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute("DELETE FROM out WHERE age = 1 AND rowid > 0")
    assert not engine.releases.verify(1).intact


@pytest.mark.parametrize("shape", ["rows", "table"])
def test_our_own_table_is_replaced(engine: Engine, tmp_path: Path, shape: str) -> None:
    engine.run(asked(shape=shape))
    engine.run(asked(k=7, shape=shape))
    assert {row[0] for row in content(tmp_path)["out"]} == {"low", "high"}
    assert engine.releases.verify(2).intact


def test_a_table_called_like_the_stand_in_is_never_dropped(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_table(tmp_path / "s.duckdb", {"precious": "INTEGER"}, [(1,)], "released_members")
    texts: list[str] = []
    rows = into_source.Executor.rows

    def heard(executor: Any, purpose: Any, statement: Any, parameters: Any = None) -> Any:
        texts.append(str(statement))
        return rows(executor, purpose, statement, parameters)

    monkeypatch.setattr(into_source.Executor, "rows", heard)
    engine.run(asked())
    with contextlib.suppress(OrdermadeError):
        engine.run(asked())
    assert not any("released_members" in text for text in texts)


def test_a_foreign_table_is_refused_and_left(engine: Engine, tmp_path: Path) -> None:
    before = content(tmp_path)
    with pytest.raises(InputError, match="not a release of ordermade"):
        engine.run(asked("PERSONS"))
    assert content(tmp_path) == before


def test_a_foreign_table_made_where_ours_was_is_left(engine: Engine, tmp_path: Path) -> None:
    engine.run(asked())
    write_table(tmp_path / "s.duckdb", {"precious": "INTEGER"}, [(1,), (2,)], "out")
    with pytest.raises(OrdermadeError):
        engine.run(asked())
    assert content(tmp_path)["out"] == [(1,), (2,)]


def test_a_foreign_table_in_another_database_of_the_same_name_is_left(engine: Engine, tmp_path: Path) -> None:
    engine.run(asked())
    engine.datasets.remove("d")
    engine.sources.remove("s")
    write_table(tmp_path / "t.duckdb", COLUMNS, ROWS)
    write_table(tmp_path / "t.duckdb", {"precious": "INTEGER"}, [(1,), (2,)], "out")
    engine.sources.add("s", str(tmp_path / "t.duckdb"), writable=True)
    engine.datasets.add("d", "s", table="persons", least_k=2)
    with pytest.raises(OrdermadeError):
        engine.run(asked())
    assert content(tmp_path, "t.duckdb")["out"] == [(1,), (2,)]


def test_nothing_is_written_when_the_dataset_changed_meanwhile(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = publishing.table_written

    def after_a_change(*arguments: Any) -> Any:
        with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
            connection.execute("UPDATE persons SET plan = 'plus' WHERE rowid = 3")
        return write(*arguments)

    monkeypatch.setattr(publishing, "table_written", after_a_change)
    with pytest.raises(SourceChanged):
        engine.run(asked())
    assert set(content(tmp_path)) == {"persons"}
    assert [each.status for each in engine.requests.list()] == ["failed"]


@pytest.mark.parametrize("where", [publishing, into_source])
def test_a_table_that_does_not_measure_as_it_must_is_rolled_back(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: Any
) -> None:
    before = content(tmp_path)

    def refuse(*_: object, **__: object) -> None:
        raise ReleaseFault("what was written does not measure as it must")

    monkeypatch.setattr(where, "check_measured", refuse)
    with pytest.raises(ReleaseFault):
        engine.run(asked())
    assert content(tmp_path) == before


def test_a_source_that_is_not_writable_takes_no_table(engine: Engine, tmp_path: Path) -> None:
    engine.sources.add("read", str(tmp_path / "s.duckdb"))
    engine.datasets.add("r", "read", table="persons", least_k=2)
    with pytest.raises(InputError, match="--writable"):
        engine.run({**asked(), "dataset": "r"})
