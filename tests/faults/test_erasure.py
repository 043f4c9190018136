"""What a policy erases is in no file afterwards: state, journal, states of before, temporary files, a reader open."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from ordermade import Engine, initialise
from ordermade.errors import StateLocked
from ordermade.service import retention
from ordermade.state import statements
from ordermade.state.authority import SHELL
from ordermade.state.backup import backup, restore
from ordermade.state.connection import connect, file_address
from ordermade.state.inspection import verify
from ordermade.state.old_states import old_states

pytestmark = pytest.mark.slow

SECRET = "Zqxtitle"
"""In titles, filters and targets of what is erased, and nowhere else."""
REQUESTS = 40
POLICY = "dataset: members\nretention: {requests: 30 days}\n"


@pytest.fixture
def office(tmp_path: Path) -> Engine:
    """An engine whose state has requests with the secret, refused and erased later, beside some that stay."""
    folder = tmp_path / "office"
    folder.mkdir()
    source = tmp_path / "members.duckdb"
    with duckdb.connect(str(source)) as connection:
        connection.execute(
            "CREATE TABLE members AS SELECT i % 50 AS age, 'place ' || i % 7 AS place, i AS id FROM range(400) AS r (i)"
        )
    initialise(folder / "state.sqlite")
    engine = Engine(folder / "state.sqlite", use_cache=False)
    engine.sources.add("shop", str(source))
    engine.datasets.add("members", "shop", table="members", least_k=2)
    engine.hierarchies.add("age", "intervals:\n  levels: [{width: 10}]\n")
    for number in range(REQUESTS):
        result = engine.run(
            {
                "title": f"{SECRET} {number} " + "long " * 40,
                "dataset": "members",
                "k": 401,
                "quasi_identifiers": {"age": {"hierarchy": "age"}},
                "identifiers": ["id"],
                "keep": [],
                "where": f"place <> '{SECRET} {number}'",
                "release": {"to": str(folder / f"{SECRET}-{number}.csv")},
            }
        )
        assert not result.released
    engine.policies.set(POLICY)
    return engine


def files_with(secret: str, *folders: Path) -> list[str]:
    """The files whose bytes have the secret."""
    found = [each for folder in folders for each in folder.rglob("*") if each.is_file()]
    return sorted(each.name for each in found if secret.encode() in each.read_bytes())


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    for name in ("TMPDIR", "SQLITE_TMPDIR"):
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    shutil.rmtree(folder)


def later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "utc_now", lambda: statements.utc_now() + timedelta(days=40))


def test_nothing_that_was_erased_is_in_any_file(
    office: Engine, temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = office.state_file.path
    copy = backup(path, tmp_path / "copy.sqlite", SHELL)
    restore(path, copy, SHELL)
    copy.unlink()
    (before,) = old_states(path)
    assert files_with(SECRET, path.parent, temporary) == sorted([before.name, path.name])
    later(monkeypatch)

    assert office.retention.apply(dry_run=True).old_states == (before,)
    assert before.exists()
    done = office.retention.apply()

    assert (done.datasets[0].requests, done.old_states) == (tuple(range(1, REQUESTS + 1)), (before,))
    assert files_with(SECRET, path.parent, temporary) == []
    assert verify(path, SHELL) == ()
    assert len(office.requests.list()) == REQUESTS


def test_a_reader_that_is_open_is_waited_for(office: Engine, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = office.state_file.path
    later(monkeypatch)
    with closing(connect(file_address(path, read_only=True))) as reader:
        reader.execute("BEGIN")
        seen = reader.execute("SELECT COUNT(*) FROM requests").fetchone()
        with pytest.raises(StateLocked):
            Engine(path, use_cache=False, wait_seconds=0.2).retention.apply()
        assert reader.execute("SELECT COUNT(*) FROM requests").fetchone() == seen
    office.retention.apply()
    assert files_with(SECRET, path.parent, temporary) == []


def test_other_files_beside_the_state_stay(office: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    path = office.state_file.path
    names = ["state.duckdb", "state-replaced.sqlite", "state-replaced-20260101T000000.csv", "members.duckdb"]
    others = [path.with_name(each) for each in (*names, "states-replaced-20260101T000000.sqlite")]
    for each in others:
        each.write_text("a file of somebody's", encoding="utf-8")
    gone = [path.with_name(f"state-replaced-20260101T000000{each}") for each in (".sqlite", "-2.sqlite", ".duckdb")]
    for each in gone:
        each.write_text("a state of before", encoding="utf-8")
    later(monkeypatch)
    assert set(office.retention.apply().old_states) == set(gone)
    assert all(each.exists() for each in others)
    assert not any(each.exists() for each in gone)
