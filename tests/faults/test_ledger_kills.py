"""The ledger where requests are killed, disks are full and states restored: no release is ever without its entry."""

from __future__ import annotations

import random
import signal
import sqlite3
import stat
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine, ReleasedMeanwhile, StateDamaged, StateFault
from ordermade.errors import ReleaseFault
from ordermade.ledger.entries import LedgerEntry
from ordermade.methods.shared import beside
from ordermade.methods.shared.published import Published
from ordermade.state.authority import SHELL
from ordermade.state.backup import backup, restore
from ordermade.state.inspection import verify
from ordermade.state.ledger import Ledger
from tests.faults import test_kills_of_methods as kills
from tests.long import rounds

SAMPLE, EVERYTHING = 6, 200
KEPT_ENTRIES = 3
"""The entries that each release is judged beside: the test notes earlier ones as destroyed, else it would never end."""
POLICY: Mapping[str, Any] = {"dataset": "purchases", "beside": {"breach": "review", "undecided": "review"}}
"""Every release is judged beside earlier ones, and a reviewer, which the provider is, lets it pass."""

temporary = kills.temporary


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    engine = kills.provider(tmp_path)
    engine.policies.set(dict(POLICY))
    return engine


def ledger(engine: Engine) -> Ledger:
    return Ledger(engine.state_file.path.with_name("ledger.sqlite"))


def there(folder: Path, request: Mapping[str, Any]) -> list[object]:
    """What has a name of this request: what each file is by its bytes, and the rows of its table."""
    to = request["release"]["to"]
    if not isinstance(to, dict):
        return [(each.name, each.read_bytes()) for each in kills.names_of(request) if each.exists()]
    with duckdb.connect(str(folder / "s.duckdb"), read_only=True) as connection:
        named = "SELECT table_name, comment FROM duckdb_tables() WHERE table_name = ?"
        return list(connection.execute(named, [to["table"]]).fetchall())


def request(folder: Path, name: str, **more: Any) -> dict[str, Any]:
    return {**kills.asked(folder, 1, "generalization", "csv", takes_the_place=False), **more} | {
        "release": {"to": str(folder / f"{name}.csv")}
    }


def killed_at_random(process: Any, file: Path, chance: random.Random, lasts: float) -> bool:
    """Kills a request at a random moment, half of them soon after its first word in the ledger; whether one was."""
    near_its_name = chance.random() < 0.5
    until = time.monotonic() + chance.uniform(0.02 * lasts, 1.1 * lasts)
    before = file.stat().st_mtime_ns
    while process.is_alive() and (near_its_name or time.monotonic() < until):
        if near_its_name and file.stat().st_mtime_ns != before:
            time.sleep(chance.choice([0, chance.uniform(0, 0.01), chance.uniform(0, 0.1)]))
            break
        time.sleep(0.0005)
    is_killed = process.is_alive()
    process.kill()
    process.join()
    return bool(is_killed and process.exitcode == -signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.long
def test_a_killed_request_never_leaves_a_release_without_its_entry(
    tmp_path: Path, temporary: Path, engine: Engine, seed: int
) -> None:
    moments, state = random.Random(seed), engine.state_file.path
    print(f"seed {seed}")
    kept = Ledger(state.with_name("ledger.sqlite"))  # read without the engine, which puts what was killed in order
    kinds = [(method, target) for method in kills.METHODS for target in kills.TARGETS]
    lasted: dict[str, float] = {}
    for number in range(2 * len(kills.METHODS)):  # the first compiles what the second is timed by
        method = list(kills.METHODS)[number % len(kills.METHODS)]
        asked = kills.asked(tmp_path, 1000 + number, method, "csv", takes_the_place=False)
        started = time.monotonic()
        process = kills.PROCESSES.Process(target=kills.run, args=(state, temporary, asked))
        process.start()
        process.join()
        lasted[method] = time.monotonic() - started
    assert len(engine.ledger.list()) == 2 * len(kills.METHODS)
    killed, total, left = 0, 0, {"nothing": 0, "intended": 0, "released": 0, "absent": 0}
    named = 0
    while killed < rounds(SAMPLE, EVERYTHING):
        for each in [each for each in engine.ledger.list() if each.status == "released"][KEPT_ENTRIES:]:
            engine.ledger.destroyed(each.id)
        method, target = moments.choice(kinds)
        takes = moments.random() < 0.5 and target != "table"
        asked = kills.asked(tmp_path, total, method, target, takes_the_place=takes)
        before, had = there(tmp_path, asked), {each.id for each in kept.entries()}
        process = kills.PROCESSES.Process(target=kills.run, args=(state, temporary, asked))
        process.start()
        is_killed = killed_at_random(process, kept.path, moments, lasted[method])
        killed, total = killed + is_killed, total + 1
        found = [each for each in kept.entries() if each.id not in had]
        assert len(found) <= 1
        if there(tmp_path, asked) != before:
            assert [each.counts for each in found] == [True]
            named += is_killed
        left[found[0].status if found else "nothing"] += is_killed
        in_order(engine, asked, {each.id for each in found})
    print(f"{killed} of {total} requests were killed: {left}, {named} with a name that was taken")
    assert left["intended"]
    assert verify(state, SHELL) == ()


def in_order(engine: Engine, asked: Mapping[str, Any], new: set[int]) -> None:
    """Asserts that after the next command each entry says what became of its release, and that nothing is left over."""
    stands = {each.id: each.ended != "withdrawn" for each in engine.releases.list()}
    kills.held_against_the_state(engine, asked)
    for each in ledger(engine).entries():
        assert each.status in ("released", "absent", "destroyed")
        if each.id in new:
            assert (each.status == "released") == stands.get(each.release or 0, False)
    folder = engine.state_file.path.parent
    assert {each.name for each in folder.iterdir()} <= kills.KEPT
    assert {stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()} == {0o600}


def failing(*_: object, **__: object) -> Any:
    raise StateFault("the ledger is full", where="ledger.sqlite")


def test_a_ledger_that_cannot_be_written_lets_nothing_out(
    tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.run(request(tmp_path, "first"))
    monkeypatch.setattr(Ledger, "add", failing)
    with pytest.raises(StateFault, match="full"):
        engine.run(request(tmp_path, "second"))
    assert not (tmp_path / "second.csv").exists()
    assert [each.status for each in engine.requests.list()] == ["failed", "released"]
    assert len(engine.releases.list()) == len(engine.ledger.list()) == 1
    assert not list(tmp_path.glob(".ordermade-*"))


@pytest.mark.parametrize(
    "content", [b"no database at all, but a text of some length", b"SQLite format 3\0" + b"\1" * 5000]
)
def test_beside_a_damaged_ledger_nothing_is_released(tmp_path: Path, engine: Engine, content: bytes) -> None:
    engine.run(request(tmp_path, "first"))
    ledger(engine).path.write_bytes(content)
    with pytest.raises(StateDamaged, match="ledger"):
        engine.run(request(tmp_path, "second"))
    assert not (tmp_path / "second.csv").exists()
    assert len(engine.releases.list()) == 1
    assert not list(tmp_path.glob(".ordermade-*"))


def test_beside_a_changed_entry_nothing_is_released(tmp_path: Path, engine: Engine) -> None:
    engine.run(request(tmp_path, "first"))
    with closing(sqlite3.connect(ledger(engine).path)) as connection, connection:
        connection.execute("UPDATE ledger_entries SET document = replace(document, '\"k\":', '\"k\":1')")
    with pytest.raises(StateDamaged, match="entry 1"):
        engine.run(request(tmp_path, "second"))
    assert not (tmp_path / "second.csv").exists()


def test_a_release_that_the_ledger_cannot_note_as_such_stands_and_is_noted_later(
    tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "settle", failing)
        result = engine.run(request(tmp_path, "first"))
    assert result.status == "released"
    assert any("ledger could not note" in each for each in result.warnings)
    assert [each.status for each in ledger_unread(engine)] == ["intended"]
    assert [(each.status, each.release) for each in engine.ledger.list()] == [("released", 1)]
    assert (tmp_path / "first.csv").exists()
    assert [each.status for each in engine.requests.list()] == ["released"]


def test_a_release_that_fails_beside_a_failing_ledger_is_noted_as_absent_later(
    tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_name(_: Published) -> None:
        raise ReleaseFault("the disk is gone", where="here")

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "settle", failing)
        patched.setattr(Published, "carry_out", no_name)
        with pytest.raises(ReleaseFault, match="disk is gone"):
            engine.run(request(tmp_path, "first"))
    assert [each.status for each in ledger_unread(engine)] == ["intended"]
    assert [each.status for each in engine.ledger.list()] == ["absent"]
    assert not (tmp_path / "first.csv").exists()
    assert [each.status for each in engine.requests.list()] == ["failed"]


def ledger_unread(engine: Engine) -> tuple[LedgerEntry, ...]:
    """The entries as they are, before a command puts anything in order."""
    return Ledger(Path(str(engine.state)).with_name("ledger.sqlite")).entries()


def test_a_restore_takes_no_entry_back(tmp_path: Path, engine: Engine) -> None:
    state = engine.state_file.path
    engine.run(request(tmp_path, "first"))
    copy = backup(state, tmp_path / "copy.sqlite", SHELL)
    engine.run(request(tmp_path, "second"))
    before = ledger(engine).entries(with_classes=False)
    restore(state, copy, SHELL)
    assert ledger(engine).entries(with_classes=False) == before
    assert [each.status for each in before] == ["released", "released"]
    found = engine.judge_request(request(tmp_path, "third", where="id >= 2"))
    assert found.answer != "safe"


def test_after_a_restore_a_run_settles_no_entry_of_another_with_its_number(tmp_path: Path, engine: Engine) -> None:
    state = engine.state_file.path
    copy = backup(state, tmp_path / "copy.sqlite", SHELL)
    engine.run(request(tmp_path, "first"))
    (entry,) = ledger(engine).entries()
    ledger(engine).settle(entry.id, "intended")
    restore(state, copy, SHELL)
    assert entry.run is not None
    ledger(engine).settle_run("another", "absent")
    assert [each.status for each in ledger(engine).entries()] == ["intended"]


def test_of_two_requests_at_once_the_later_one_finds_the_other(
    tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = beside.beside_entries
    engine.run(request(tmp_path, "first"))
    (first,) = ledger(engine).entries()

    def with_another_meanwhile(*arguments: Any) -> Any:
        found = inner(*arguments)
        ledger(engine).add(replace(first, key=""), [])
        return found

    with monkeypatch.context() as patched:
        patched.setattr(beside, "beside_entries", with_another_meanwhile)
        with pytest.raises(ReleasedMeanwhile):
            engine.run(request(tmp_path, "later"))
    assert not (tmp_path / "later.csv").exists()
    assert [each.status for each in ledger(engine).entries()] == ["released", "released"]
    assert sorted(each.status for each in engine.requests.list()) == ["failed", "released"]
    assert engine.run(request(tmp_path, "later")).status == "released"


def test_an_empty_folder_of_runs_is_gone_with_the_next_command(engine: Engine) -> None:
    left = engine.state_file.path.with_name("runs")
    left.mkdir()
    engine.ledger.list()
    assert not left.exists()
