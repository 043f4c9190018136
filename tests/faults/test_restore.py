"""`state backup` and `state restore` while others write, and killed on the way."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ordermade.errors import InputError, StateDamaged, StateFault, StateNewer, StateOlder
from ordermade.state import audit, runs
from ordermade.state.authority import SHELL
from ordermade.state.backup import backup, restore
from ordermade.state.database import StateFile
from ordermade.state.inspection import verify
from tests.long import rounds
from tests.made import new_state
from tests.state_by_hand import by_hand

WRITER = """
import sys
from pathlib import Path
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile
from ordermade.state.audit import add_audit_entry
file = StateFile(Path(sys.argv[1]), SHELL, wait_seconds=60)
for number in range(int(sys.argv[2])):
    with file.writing() as connection:
        add_audit_entry(connection, "written", f"{sys.argv[3]} {number}")
    print(number, flush=True)
"""
RESTORER = """
import sys
from pathlib import Path
from ordermade.state.authority import SHELL
from ordermade.state.backup import restore
print("begins", flush=True)
restore(Path(sys.argv[1]), Path(sys.argv[2]), SHELL, wait_seconds=60)
"""


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return new_state(tmp_path / "state" / "state.sqlite")


def write(path: Path, *subjects: str) -> None:
    for subject in subjects:
        with StateFile(path, SHELL).writing() as connection:
            audit.add_audit_entry(connection, "written", subject)


def written(path: Path) -> list[str]:
    with StateFile(path, SHELL).reading() as connection:
        return [each.subject for each in reversed(audit.audit_entries(connection, 10_000))]


def started(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.slow
def test_a_restored_state_is_the_backup_and_one_entry_more(state: Path, tmp_path: Path) -> None:
    write(state, "a", "b")
    copy = backup(state, tmp_path / "copy.sqlite", SHELL)
    write(state, "c")
    made = restore(state, copy, SHELL)
    assert written(state) == ["a", "b", "c", "copy.sqlite"]
    assert written(made.kept) == ["a", "b", "c"]
    assert written(copy) == ["a", "b"]
    assert verify(state, SHELL) == verify(made.kept, SHELL) == verify(copy, SHELL) == ()
    assert state.stat().st_mode & 0o777 == made.kept.stat().st_mode & 0o777 == 0o600
    write(state, "d")
    assert written(state)[-1] == "d"
    assert "d" not in written(made.kept)
    assert sorted(each.name for each in state.parent.iterdir()) == [made.kept.name, state.name]


@pytest.mark.slow
def test_what_is_no_sound_backup_is_refused_and_nothing_changes(state: Path, tmp_path: Path) -> None:
    write(state, "a")
    before = state.read_bytes()
    foreign, edited, older, newer = (tmp_path / f"{each}.sqlite" for each in ("foreign", "edited", "older", "newer"))
    for path in (edited, older, newer):
        backup(state, path, SHELL)
    for path, statement in (
        (foreign, "CREATE TABLE persons (id INTEGER)"),
        (edited, "UPDATE audit SET subject = 'b'"),
        (older, "DELETE FROM migrations WHERE number = (SELECT MAX(number) FROM migrations)"),
        (
            newer,
            "INSERT INTO migrations SELECT MAX(number) + 1, 'n', 'c', '2026-01-01 00:00:00.000000' FROM migrations",
        ),
    ):
        with by_hand(path) as connection:
            connection.execute(statement)
    for path, error in ((foreign, StateDamaged), (edited, StateDamaged), (older, StateOlder), (newer, StateNewer)):
        with pytest.raises(error):
            restore(state, path, SHELL)
    with pytest.raises(InputError, match="the state itself"):
        restore(state, state, SHELL)
    assert state.read_bytes() == before
    assert [each.name for each in state.parent.iterdir()] == [state.name]


MADE_BY_HAND = {
    "CREATE VIEW counted AS SELECT 1 AS a": ("counted", "no command of ordermade made this view"),
    "CREATE TABLE persons (id INTEGER)": ("persons", "no command of ordermade made this table"),
    "CREATE INDEX by_name ON tokens (user_id)": ("by_name", "no command of ordermade made this index"),
    "CREATE TRIGGER gone AFTER INSERT ON audit BEGIN DELETE FROM audit; END": (
        "gone",
        "no command of ordermade made this trigger",
    ),
    "ALTER TABLE users ADD COLUMN role TEXT": ("users", "the table is not as ordermade makes it"),
    "ALTER TABLE opt_outs RENAME COLUMN added_at TO other": ("opt_outs", "the table is not as ordermade makes it"),
    "ALTER TABLE opt_outs DROP COLUMN added_at": ("opt_outs", "the table is not as ordermade makes it"),
    "DROP INDEX requests_by_hash": ("requests_by_hash", "the index is missing"),
}


@pytest.mark.parametrize("statement", MADE_BY_HAND)
def test_what_no_command_made_in_a_backup_is_named_and_not_restored(
    state: Path, tmp_path: Path, statement: str
) -> None:
    edited, (name, said) = tmp_path / "edited.sqlite", MADE_BY_HAND[statement]
    backup(state, edited, SHELL)
    with by_hand(edited) as connection:
        connection.execute(statement)
    assert (name, said) in [(each.where, each.what) for each in verify(edited, SHELL)]
    with pytest.raises(StateDamaged, match=f"is not sound: {name}: {said}"):
        restore(state, edited, SHELL, unrelated=True)


@pytest.mark.slow
def test_what_no_command_made_in_the_state_is_gone_from_the_restored_one(state: Path, tmp_path: Path) -> None:
    copy = backup(state, tmp_path / "copy.sqlite", SHELL)
    with by_hand(state) as connection:
        for each in MADE_BY_HAND:
            if "RENAME" not in each:
                connection.execute(each)
        connection.execute('CREATE TABLE "a ""b"" ;" (id INTEGER)')
    made = restore(state, copy, SHELL)
    assert "not sound" in made.locked
    assert verify(state, SHELL) == ()


def test_a_pipe_is_no_backup_and_nothing_waits_for_its_other_end(state: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StateFault, match="no regular file"):
        restore(state, tmp_path / "pipe", SHELL)


@pytest.mark.slow
def test_no_state_is_replaced_while_a_request_runs(state: Path, tmp_path: Path) -> None:
    copy = backup(state, tmp_path / "copy.sqlite", SHELL)
    run = runs.Run(state)
    run.begin()
    try:
        with pytest.raises(InputError, match="requests are running"):
            restore(state, copy, SHELL)
    finally:
        run.end()
    assert restore(state, copy, SHELL).kept.exists()


@pytest.mark.slow
@pytest.mark.long
def test_a_backup_under_load_is_one_moment_of_the_state(state: Path, tmp_path: Path) -> None:
    writers = [started(WRITER, state, rounds(10, 300), name) for name in ("one", "two")]
    try:
        for number in range(rounds(3, 50)):
            copy = backup(state, tmp_path / f"{number}.sqlite", SHELL, wait_seconds=60)
            assert verify(copy, SHELL) == ()
            for name in ("one", "two"):
                of_one = [each for each in written(copy) if each.startswith(name)]
                assert of_one == [f"{name} {i}" for i in range(len(of_one))]
    finally:
        ends = [each.communicate(timeout=120) for each in writers]
    assert [each.returncode for each in writers] == [0, 0], ends
    assert verify(state, SHELL) == ()


@pytest.mark.slow
@pytest.mark.long
def test_what_is_written_during_a_restore_is_in_the_restored_state(state: Path, tmp_path: Path) -> None:
    write(state, "a")
    copy = backup(state, tmp_path / "copy.sqlite", SHELL)
    number = rounds(10, 200)
    writer = started(WRITER, state, number, "one")
    assert writer.stdout is not None
    writer.stdout.readline()
    made = restore(state, copy, SHELL, wait_seconds=60)
    _, errors = writer.communicate(timeout=120)
    assert writer.returncode == 0, errors
    before, after = ([each for each in written(path) if each.startswith("one ")] for path in (made.kept, state))
    assert after == [f"one {i}" for i in range(number)]
    assert before == after[: len(before)]
    assert verify(state, SHELL) == verify(made.kept, SHELL) == ()


@pytest.mark.slow
@pytest.mark.long
def test_a_killed_restore_leaves_the_old_state_or_the_restored_one(state: Path, tmp_path: Path) -> None:
    write(state, "a")
    copy = backup(state, tmp_path / "copy.sqlite", SHELL)
    write(state, "b")
    start = time.monotonic()
    assert started(RESTORER, state, copy).wait(timeout=120) == 0
    takes = time.monotonic() - start
    for number in range(rounds(4, 100)):
        write(state, f"before {number}")
        old = written(state)
        process = started(RESTORER, state, copy)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(takes * number / rounds(4, 100))
        process.kill()
        process.communicate()
        assert written(state) in (old, [*old, "copy.sqlite"])
        assert verify(state, SHELL) == ()
    restore(state, copy, SHELL)
    assert not [each for each in state.parent.iterdir() if each.name.startswith(".")]
