"""Releases that the ledger has no entry of count, and so do those of a dataset that was registered anew."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine, InputError
from ordermade.catalogue.repeated_requests import rerun
from tests.made import new_engine, write_hierarchy


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE persons AS SELECT i AS id, i % 2 AS side, i % 4 AS part, i < 1 AS is_first "
            "FROM range(24) AS r (i)"
        )
    engine = new_engine(tmp_path)
    engine.sources.add("s", str(tmp_path / "s.duckdb"))
    engine.datasets.add("persons", "s", table="persons", least_k=3)
    for name, values in (("side", "01"), ("part", "0123")):
        rows = [(each, "*") for each in values]
        engine.hierarchies.add(name, write_hierarchy(tmp_path / f"{name}.csv", ["value", "level 1"], rows))
    engine.policies.set({"dataset": "persons", "k": 3})
    return engine


def request(folder: Path, name: str, column: str = "side", **more: Any) -> dict[str, Any]:
    wanted = {column: {"hierarchy": column, "from": 0, "to": 0}}
    return {"dataset": "persons", "k": 3, "quasi_identifiers": wanted, "release": {"to": str(folder / name)}, **more}


def ledger(engine: Engine) -> Path:
    return engine.state_file.path.with_name("ledger.sqlite")


def test_a_lost_ledger_makes_nothing_safe(engine: Engine, tmp_path: Path) -> None:
    engine.run(request(tmp_path, "first.csv"))
    ledger(engine).unlink()
    for _ in range(2):
        found = engine.judge_request(request(tmp_path, "later.csv", where="is_first = FALSE"))
        assert (found.answer, found.releases) == ("undecided", (1,))
        assert found.reasons == ("release 1 was made while the ledger had no entry of it",)
    (entry,) = engine.ledger.list()
    assert (entry.release, entry.status, entry.recipients) == (1, "released", ("anyone",))


def test_what_nobody_has_any_more_no_longer_counts(engine: Engine, tmp_path: Path) -> None:
    engine.run(request(tmp_path, "first.csv"))
    ledger(engine).unlink()
    engine.judge_request(request(tmp_path, "later.csv"))
    engine.ledger.destroyed(engine.ledger.list()[0].id)
    assert engine.judge_request(request(tmp_path, "later.csv")).answer == "safe"


def test_a_release_of_an_earlier_version_which_noted_no_run_counts(engine: Engine, tmp_path: Path) -> None:
    engine.run(request(tmp_path, "first.csv"))
    ledger(engine).unlink()
    with closing(sqlite3.connect(engine.state_file.path)) as connection, connection:
        connection.execute("UPDATE requests SET run = NULL")
    for _ in range(2):
        assert engine.judge_request(request(tmp_path, "later.csv")).answer == "undecided"
    assert len(engine.ledger.list()) == 1


def test_of_several_releases_the_one_without_an_entry_is_found(engine: Engine, tmp_path: Path) -> None:
    engine.run(request(tmp_path, "first.csv"))
    copy = ledger(engine).read_bytes()
    engine.run(request(tmp_path, "second.csv", "part"))
    ledger(engine).write_bytes(copy)
    found = engine.judge_request(request(tmp_path, "later.csv", "part"))
    assert found.reasons == ("release 2 was made while the ledger had no entry of it",)
    assert engine.judge_request(request(tmp_path, "same.csv")).answer == "safe", "it follows from release 1"


def test_a_dataset_that_moved_is_judged_beside_its_releases(engine: Engine, tmp_path: Path) -> None:
    engine.run(request(tmp_path, "first.csv"))
    shutil.copy(tmp_path / "s.duckdb", tmp_path / "copy.duckdb")
    engine.sources.add("moved", str(tmp_path / "copy.duckdb"))
    engine.datasets.remove("persons")
    engine.datasets.add("persons", "moved", table="persons", least_k=3)
    engine.policies.set({"dataset": "persons", "k": 3})
    found = engine.judge_request(request(tmp_path, "later.csv", where="is_first = FALSE"))
    assert (found.answer, found.releases) == ("breach", (1,))


def test_beside_a_release_of_a_column_that_is_gone_nothing_is_safe(engine: Engine, tmp_path: Path) -> None:
    engine.run(request(tmp_path, "first.csv"))
    engine.datasets.remove("persons")
    engine.datasets.add("persons", "s", query="SELECT id, part, is_first FROM persons", least_k=3)
    engine.policies.set({"dataset": "persons", "k": 3})
    found = engine.judge_request(request(tmp_path, "later.csv", "part"))
    assert (found.answer, found.releases) == ("undecided", (1,))
    assert "side" in found.reasons[0]


def test_a_release_is_returned_to_its_recipients_alone(engine: Engine, tmp_path: Path) -> None:
    first = engine.run(request(tmp_path, "first.csv"), recipients=["ann"])
    assert engine.run(request(tmp_path, "first.csv"), recipients=["ann"]).returned == 1
    for others in (["bob"], ["ann", "bob"], []):
        with pytest.raises(InputError, match="made for other recipients"):
            engine.run(request(tmp_path, "first.csv"), recipients=others)
    engine.run(request(tmp_path, "first.csv"), recipients=["bob"], again=True)
    assert [each.recipients for each in engine.ledger.list()] == [("bob",), ("ann",)]
    assert first.status == "released"


def test_a_release_for_anyone_is_returned_to_everybody(engine: Engine, tmp_path: Path) -> None:
    engine.run(request(tmp_path, "first.csv"))
    assert engine.run(request(tmp_path, "first.csv"), recipients=["ann"]).returned == 1


def test_what_recipients_destroyed_is_made_anew_for_them(engine: Engine, tmp_path: Path) -> None:
    engine.run(request(tmp_path, "first.csv"), recipients=["ann"])
    engine.ledger.destroyed(1)
    with pytest.raises(InputError, match="made for other recipients"):
        engine.run(request(tmp_path, "first.csv"), recipients=["ann"])


def test_a_request_is_run_again_for_its_recipients(engine: Engine, tmp_path: Path) -> None:
    first = engine.run(request(tmp_path, "first.csv"), recipients=["ann"])
    assert rerun(engine, first.request).returned == 1
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute("INSERT INTO persons SELECT i, i % 2, i % 4, FALSE FROM range(24, 48) AS r (i)")
    rerun(engine, first.request)
    assert [each.recipients for each in engine.ledger.list()] == [("ann",), ("ann",)]


def test_beside_a_live_view_nothing_is_decided(engine: Engine, tmp_path: Path) -> None:
    engine.sources.add("w", str(tmp_path / "s.duckdb"), writable=True)
    engine.datasets.add("viewed", "w", table="persons", least_k=3)
    wanted = request(tmp_path, "first.csv", dataset="viewed")
    engine.live_view(wanted, engine.run(wanted), "live", create=True)
    engine.policies.set({"dataset": "viewed", "k": 3})
    finer = request(tmp_path, "later.csv", "part", dataset="viewed")
    assert engine.judge_request(finer).reasons == (
        "entry 2 of the ledger is a live view, whose classes change with the data",
    )
