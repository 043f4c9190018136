from __future__ import annotations

import hashlib
import re
import shutil
import stat
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from ordermade.errors import StateDamaged, StateFault, StateMissing, StateNewer, StateOlder
from ordermade.files.resources import folder
from ordermade.state import audit
from ordermade.state.authority import SHELL
from ordermade.state.backup import backup
from ordermade.state.database import StateFile, initialise, migrate, status
from ordermade.state.inspection import NOT_COUNTED, state_status, verify
from ordermade.state.migrations import known_migrations
from ordermade.state.tables import TABLES
from tests.made import new_state
from tests.state_by_hand import by_hand

LATEST = len(known_migrations())
SEALED = 14
"""From this migration on the rows of a state are sealed as they are written."""


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return new_state(tmp_path / "state.sqlite")


def migrations_with(tmp_path: Path, **files: str) -> Path:
    """The engine's migrations, and after them these."""
    copied = tmp_path / "migrations"
    shutil.copytree(folder("migrations"), copied)
    for number, (name, text) in enumerate(files.items(), start=LATEST + 1):
        (copied / f"{number:04}_{name}.sql").write_text(text, encoding="utf-8")
    return copied


def run_sql(path: Path, text: str) -> None:
    with by_hand(path) as connection:
        connection.execute(text)


@pytest.mark.slow
def test_a_new_state_is_private_and_in_a_folder_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / ".ordermade" / "state.sqlite"
    made = initialise(path, SHELL)
    assert made.created
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [each.name for each in path.parent.iterdir()] == ["state.sqlite"]


def test_initialising_twice_says_so_and_changes_nothing(state: Path) -> None:
    before = state.read_bytes()
    again = initialise(state, SHELL)
    assert not again.created
    assert "already" in again.message
    assert state.read_bytes() == before


def test_every_table_and_column_has_a_comment_above() -> None:
    text = "\n".join(each.read_text(encoding="utf-8") for each in sorted(folder("migrations").glob("*.sql")))
    lines = text.splitlines()
    made = re.compile(r"CREATE TABLE \w+ |    [a-z_]+ (?:INTEGER|TEXT|REAL|TIMESTAMP|BOOLEAN|LIST_TEXT|HUGE_TEXT)\b")
    without = [line for above, line in pairwise(lines) if made.match(line) and not above.lstrip().startswith("--")]
    assert without == []
    assert set(re.findall(r"^CREATE TABLE (\w+)", text, re.MULTILINE)) == {*TABLES} - {"migrations"}


@pytest.mark.slow
def test_a_failing_migration_of_a_new_state_is_named_and_nothing_is_made(tmp_path: Path) -> None:
    bad = migrations_with(tmp_path, bad="SELECT nothing FROM nowhere")
    path = tmp_path / "folder" / "state.sqlite"
    with pytest.raises(StateFault, match=f"{LATEST + 1:04}_bad"):
        initialise(path, SHELL, migrations_folder=bad)
    assert list(path.parent.iterdir()) == []


def test_the_checksum_stored_is_that_of_the_file(state: Path) -> None:
    for applied in status(state, SHELL).applied:
        content = (folder("migrations") / applied.name).read_bytes()
        assert applied.checksum == hashlib.sha256(content).hexdigest()


def test_an_older_state_is_refused_with_the_command_and_migrates(tmp_path: Path, state: Path) -> None:
    newer = migrations_with(tmp_path, more="CREATE TABLE more (id INTEGER);\nINSERT INTO more VALUES (1);")
    with pytest.raises(StateOlder, match="ordermade state migrate"):
        initialise(state, SHELL, migrations_folder=newer)
    assert migrate(state, SHELL, migrations_folder=newer) == (f"{LATEST + 1:04}_more.sql",)
    assert migrate(state, SHELL, migrations_folder=newer) == ()


@pytest.mark.slow
def test_reading_an_older_state_is_refused(tmp_path: Path) -> None:
    none = tmp_path / "none"
    none.mkdir()
    path = tmp_path / "state.sqlite"
    initialise(path, SHELL, migrations_folder=none)
    with pytest.raises(StateOlder, match="ordermade state migrate"), StateFile(path, SHELL).reading():
        pass
    assert state_status(path, SHELL).pending == tuple(each.name for each in known_migrations())
    assert verify(path, SHELL)[0].where == "migrations"
    assert migrate(path, SHELL)
    with StateFile(path, SHELL).reading():
        pass
    assert verify(path, SHELL) == ()


@pytest.mark.slow
def test_a_newer_state_is_refused(tmp_path: Path, state: Path) -> None:
    migrate(state, SHELL, migrations_folder=migrations_with(tmp_path, more="CREATE TABLE more (id INTEGER)"))
    with pytest.raises(StateNewer, match="Upgrade"), StateFile(state, SHELL).reading():
        pass
    with pytest.raises(StateNewer):
        migrate(state, SHELL)
    assert any("newer" in each.what for each in verify(state, SHELL))


@pytest.mark.slow
def test_a_failing_migration_rolls_back_whole(tmp_path: Path, state: Path) -> None:
    bad = migrations_with(tmp_path, bad="CREATE TABLE half (id INTEGER);\nSELECT nothing FROM nowhere;")
    with pytest.raises(StateFault, match="rolled back"):
        migrate(state, SHELL, migrations_folder=bad)
    with StateFile(state, SHELL).reading() as connection:
        tables = connection.execute("SELECT name FROM sqlite_schema").fetchall()
    assert ("half",) not in tables
    assert verify(state, SHELL) == ()


def test_migrations_before_a_failing_one_stay(tmp_path: Path, state: Path) -> None:
    mixed = migrations_with(tmp_path, good="CREATE TABLE good (id INTEGER)", bad="SELECT nothing FROM nowhere")
    with pytest.raises(StateFault, match=f"{LATEST + 2:04}_bad"):
        migrate(state, SHELL, migrations_folder=mixed)
    with by_hand(state) as connection:
        assert connection.execute("SELECT MAX(number) FROM migrations").fetchone() == (LATEST + 1,)


@pytest.mark.slow
def test_a_changed_migration_is_found_and_never_built_upon(tmp_path: Path, state: Path) -> None:
    run_sql(state, "UPDATE migrations SET checksum = 'changed' WHERE number = 1")
    (finding,) = verify(state, SHELL)
    assert "checksum" in finding.what
    with pytest.raises(StateDamaged, match="0001"):
        migrate(state, SHELL, migrations_folder=migrations_with(tmp_path, more="CREATE TABLE more (id INTEGER)"))


@pytest.mark.parametrize("name", ["1_short", f"{LATEST + 2:04}_gap"])
def test_badly_numbered_migrations_are_a_broken_installation(tmp_path: Path, name: str) -> None:
    bad = migrations_with(tmp_path)
    (bad / f"{name}.sql").write_text("SELECT 1", encoding="utf-8")
    with pytest.raises(RuntimeError):
        known_migrations(bad)


@pytest.mark.slow
def test_two_processes_migrating_at_once_both_end_well(tmp_path: Path) -> None:
    none = tmp_path / "none"
    none.mkdir()
    path = tmp_path / "state.sqlite"
    initialise(path, SHELL, migrations_folder=none)
    code = (
        "import sys\nfrom pathlib import Path\nfrom ordermade.state.authority import SHELL\n"
        "from ordermade.state.database import migrate\n"
        "sys.stdin.readline()\nprint(len(migrate(Path(sys.argv[1]), SHELL)))"
    )
    outputs = both_at_once(code, path)
    # Each migration is a transaction of its own: one process may make some, and the other the rest.
    assert sum(map(int, outputs)) == len(known_migrations())
    assert verify(path, SHELL) == ()


@pytest.mark.slow
def test_two_processes_initialising_at_once_both_end_well(tmp_path: Path) -> None:
    path = tmp_path / ".ordermade" / "state.sqlite"
    code = (
        "import sys\nfrom pathlib import Path\nfrom ordermade import initialise\n"
        "sys.stdin.readline()\nprint(initialise(Path(sys.argv[1])).created)"
    )
    assert sorted(both_at_once(code, path)) == ["False", "True"]
    assert verify(path, SHELL) == ()


def both_at_once(code: str, path: Path) -> list[str]:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    results = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], results
    return [output.strip() for output, _ in results]


def test_status_counts_and_writes_nothing(state: Path) -> None:
    before = state.read_bytes()
    told = state_status(state, SHELL)
    assert told.version == len(known_migrations())
    assert dict(told.counts) == dict.fromkeys([each for each in TABLES if each not in NOT_COUNTED], 0)
    assert told.size == len(before)
    assert state.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 1000])
def test_a_file_that_is_not_a_state_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "state.sqlite"
    path.write_bytes(content)
    with pytest.raises(StateDamaged, match=r"state\.sqlite"), StateFile(path, SHELL).reading():
        pass
    with pytest.raises(StateDamaged):
        initialise(path, SHELL)
    assert path.read_bytes() == content


def test_a_damaged_page_is_found(state: Path) -> None:
    content = bytearray(state.read_bytes())
    for offset in range(4096, len(content), 512):
        content[offset] ^= 0xFF
    state.write_bytes(content)
    with pytest.raises(StateDamaged, match="backup"), StateFile(state, SHELL).reading():
        pass


@pytest.mark.slow
def test_backup_is_a_whole_private_copy(state: Path, tmp_path: Path) -> None:
    (tmp_path / "cache.duckdb").write_bytes(b"codes of persons")
    with StateFile(state, SHELL).writing() as connection:
        audit.add_audit_entry(connection, "b", "c")
    kept = tmp_path / "kept"
    kept.mkdir()
    copy = backup(state, kept / "it's a copy.sqlite", SHELL)
    assert [each.name for each in kept.iterdir()] == [copy.name]
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert verify(copy, SHELL) == ()
    assert dict(state_status(copy, SHELL).counts)["audit"] == 1
    with by_hand(copy) as connection:
        audit.add_audit_entry(connection, "b", "c")
        assert connection.execute("SELECT MAX(id) FROM audit").fetchone() == (2,)


def test_backup_never_replaces_a_file(state: Path, tmp_path: Path) -> None:
    there = tmp_path / "there.duckdb"
    there.write_bytes(b"precious")
    with pytest.raises(ValueError, match="never replaces"):
        backup(state, there, SHELL)
    with pytest.raises(ValueError, match="no such folder"):
        backup(state, tmp_path / "missing" / "copy.sqlite", SHELL)
    with pytest.raises(StateMissing):
        backup(tmp_path / "none.sqlite", tmp_path / "copy.sqlite", SHELL)
    assert there.read_bytes() == b"precious"
    assert not (tmp_path / "copy.sqlite").exists()


def test_another_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "members.sqlite"
    run_sql(path, "CREATE TABLE members (id INTEGER)")
    with pytest.raises(StateDamaged, match="not a state"), StateFile(path, SHELL).writing():
        pass
    with pytest.raises(StateDamaged):
        migrate(path, SHELL)


@pytest.mark.slow
def test_verify_finds_a_missing_table_and_broken_references(state: Path) -> None:
    run_sql(
        state,
        "INSERT INTO requests (id, request_hash, dataset_name, dataset_version_id, started_at, status, record)"
        " VALUES (1, 'h', 'd', 99, '2026-01-01 00:00:00', 'running', '{}')",
    )
    assert [each.where for each in verify(state, SHELL)] == ["requests of dataset_versions", "requests 1"]
    run_sql(state, "INSERT INTO observation_models (observation_id, models_hash) VALUES (9, 'a0')")
    assert [each.where for each in verify(state, SHELL)] == [
        "observation_models of observations",
        "requests of dataset_versions",
        "requests 1",
        "observation_models (observation_id, models_hash) = (9, a0)",
    ]
    run_sql(state, "DROP TABLE audit")
    assert {(each.where, each.what) for each in verify(state, SHELL)} == {
        ("audit", "the table is missing"),
        ("audit_by_subject", "the index is missing"),
    }
