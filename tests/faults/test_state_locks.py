from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from ordermade import initialise
from ordermade.errors import StateFault, StateLocked, StateMissing
from ordermade.progress import waiting
from ordermade.progress.waiting import Wait, when_free
from ordermade.state import audit
from ordermade.state.authority import SHELL
from ordermade.state.backup import backup
from ordermade.state.connection import StateConnection
from ordermade.state.database import StateFile
from ordermade.state.inspection import verify

pytestmark = pytest.mark.slow

HOLD = """
import sys
from pathlib import Path
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile
from ordermade.state import audit
with StateFile(Path(sys.argv[1]), SHELL).writing() as connection:
    audit.add_audit_entry(connection, "hold", "state")
    print("held", flush=True)
    sys.stdin.readline()
"""
KILLED = """
import os, sys
from pathlib import Path
from ordermade.state.connection import connect, file_address, transaction
from ordermade.state.audit import add_audit_entry
connection = connect(file_address(Path(sys.argv[1]), read_only=False))
with transaction(connection):
    add_audit_entry(connection, "kept", "s")
connection.execute("PRAGMA cache_size = 1")  # pages go to the file before the end of the transaction
with transaction(connection):
    for number in range(200):
        add_audit_entry(connection, "lost", "s", "x" * 2000)
    os.kill(os.getpid(), 9)
"""


@pytest.fixture
def state(tmp_path: Path) -> Path:
    path = tmp_path / "state.sqlite"
    initialise(path)
    return path


@contextmanager
def held_by_another_process(path: Path) -> Iterator[Callable[[], None]]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    stdin = process.stdin

    def let_go() -> None:
        stdin.write("\n")
        stdin.flush()

    try:
        assert process.stdout.readline() == "held\n"
        yield let_go
    finally:
        process.kill()
        process.communicate(timeout=60)


@contextmanager
def without_powers() -> Iterator[Path]:
    """A folder of an ordinary user, with the powers of one: root may write into read-only folders."""
    nobody = 65534
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if os.geteuid() != 0:
            yield folder
            return
        folder.chmod(0o755)
        os.chown(folder, nobody, nobody)
        os.seteuid(nobody)
        try:
            if not os.access(Path(__file__).parents[2] / "migrations", os.R_OK, effective_ids=True):
                pytest.skip("an ordinary user cannot read the repository where it is")
            yield folder
        finally:
            os.seteuid(0)


def test_reading_makes_no_file(tmp_path: Path) -> None:
    missing = tmp_path / ".ordermade" / "state.sqlite"
    with pytest.raises(StateMissing, match="ordermade init"), StateFile(missing, SHELL).reading():
        pass
    with pytest.raises(StateMissing), StateFile(missing, SHELL).writing():
        pass
    assert list(tmp_path.iterdir()) == []


def test_the_wait_for_another_writer_is_bounded_and_told(state: Path) -> None:
    told: list[str] = []
    with held_by_another_process(state):
        file = StateFile(state, SHELL, wait_seconds=0.2, notice=told.append)
        with pytest.raises(StateLocked, match=r"0\.2 seconds.*run this one again"), file.writing():
            pass
    assert told == [f"waiting for the state {state}: another process holds it"]


def test_a_reader_sees_the_state_of_before_while_another_process_writes(state: Path) -> None:
    with held_by_another_process(state), StateFile(state, SHELL, wait_seconds=0).reading() as connection:
        assert audit.audit_entries(connection) == ()


def test_a_reader_sees_one_moment_of_the_state(state: Path) -> None:
    with StateFile(state, SHELL).reading() as connection:
        with pytest.raises(StateLocked), StateFile(state, SHELL, wait_seconds=0.05).writing() as other:
            audit.add_audit_entry(other, "meanwhile", "state")
        assert audit.audit_entries(connection) == ()
    with StateFile(state, SHELL).reading() as connection:
        assert audit.audit_entries(connection) == ()


def test_a_wait_whose_process_did_not_run_in_its_middle_is_told_before_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    def held() -> None:
        raise OSError("Could not set lock on file")

    moments = iter([0.0, 5.0])
    monkeypatch.setattr(waiting, "time", SimpleNamespace(monotonic=lambda: next(moments)))
    told: list[str] = []
    with pytest.raises(StateLocked):
        when_free(held, Path("s"), what="state", wait=Wait(2, told.append), still_held=lambda: StateLocked("held"))
    assert told == ["waiting for the state s: another process holds it"]


def test_a_wait_ends_when_the_other_process_lets_go(state: Path) -> None:
    with held_by_another_process(state) as let_go:
        file = StateFile(state, SHELL, wait_seconds=60, notice=lambda _: let_go())
        with file.writing() as connection:
            audit.add_audit_entry(connection, "mine", "state")
    with StateFile(state, SHELL).reading() as connection:
        assert [each.action for each in audit.audit_entries(connection)] == ["mine", "hold"]


def test_many_may_read_at_once(state: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom ordermade.state.authority import SHELL\n"
        "from ordermade.state.database import StateFile\n"
        "with StateFile(Path(sys.argv[1]), SHELL, wait_seconds=0).reading(): print('read')"
    )
    with StateFile(state, SHELL).reading():
        done = subprocess.run([sys.executable, "-c", code, str(state)], capture_output=True, text=True, check=True)
    assert done.stdout == "read\n"


def test_another_connection_of_this_process_is_waited_for_too(state: Path) -> None:
    with (
        StateFile(state, SHELL).reading(),
        pytest.raises(StateLocked),
        StateFile(state, SHELL, wait_seconds=0.05).writing(),
    ):
        pass


@pytest.mark.parametrize("stop", [KeyboardInterrupt, ValueError, SystemExit])
def test_any_exception_rolls_back(state: Path, stop: type[BaseException]) -> None:
    def stopped() -> None:
        with StateFile(state, SHELL).writing() as connection:
            audit.add_audit_entry(connection, "never", "state")
            raise stop

    with pytest.raises(stop):
        stopped()
    with StateFile(state, SHELL).reading() as connection:
        assert audit.audit_entries(connection) == ()


def test_an_error_of_the_database_tells_no_value(state: Path) -> None:
    with pytest.raises(StateFault) as raised, StateFile(state, SHELL).writing() as connection:
        connection.execute("SELECT json('Jane Doe')")
    assert "Jane" not in str(raised.value)
    assert isinstance(raised.value.__cause__, sqlite3.Error)


def test_a_killed_writer_leaves_a_state_that_opens(state: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED, str(state)], check=False)
    assert killed.returncode == -signal.SIGKILL
    journal = state.with_name(f"{state.name}-journal")
    assert stat.S_IMODE(journal.stat().st_mode) == 0o600
    assert b"xxxx" in state.read_bytes()
    with StateFile(state, SHELL).reading() as connection:
        assert [each.action for each in audit.audit_entries(connection)] == ["kept"]
    assert not journal.exists()
    assert verify(state, SHELL) == ()
    copy = backup(state, state.with_name("copy.sqlite"), SHELL)
    with StateFile(copy, SHELL).reading() as connection:
        assert [each.action for each in audit.audit_entries(connection)] == ["kept"]
    with StateFile(state, SHELL).writing() as connection:
        audit.add_audit_entry(connection, "after", "state")
    with StateFile(state, SHELL).reading() as connection:
        assert [each.action for each in audit.audit_entries(connection)] == ["after", "kept"]


def test_a_read_only_folder_is_told(state: Path) -> None:
    with StateFile(state, SHELL).reading():  # whatever Python still has to import, it imports now
        pass
    with without_powers() as folder:
        path = folder / "state.sqlite"
        initialise(path)
        folder.chmod(0o500)
        with StateFile(path, SHELL).reading() as connection:
            assert audit.audit_entries(connection) == ()
        with pytest.raises(StateFault, match="permission"), StateFile(path, SHELL).writing() as connection:
            audit.add_audit_entry(connection, "never", "state")
        with pytest.raises(StateFault, match="permission"):
            initialise(folder / ".ordermade" / "state.sqlite")
        with pytest.raises(StateFault, match="permission"):
            backup(path, folder / "copy.sqlite", SHELL)
        path.chmod(0o000)
        with pytest.raises(StateFault, match="permission"), StateFile(path, SHELL).reading():
            pass
        folder.chmod(0o700)


FULL = """
import resource, sys
from pathlib import Path
from ordermade.errors import StateFault
from ordermade.state import audit
from ordermade.state.backup import backup
from ordermade.state.connection import StateConnection
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile, initialise

state, limit = Path(sys.argv[1]), int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
def fill():
    with StateFile(state, SHELL).writing() as connection:
        for _ in range(20):
            detail = "".join(chr(0x4E00 + i * 7 % 20000) for i in range(200_000))
            audit.add_audit_entry(connection, "fill", "state", detail)
for attempt in (
    fill,
    lambda: backup(state, state.with_name("copy.sqlite"), SHELL),
    lambda: initialise(state.with_name("other.sqlite"), SHELL),
):
    try:
        attempt()
        print("done")
    except StateFault as error:
        print(error)
"""


def test_a_full_disk_is_told_and_loses_nothing(state: Path) -> None:
    with StateFile(state, SHELL).writing() as connection:
        audit.add_audit_entry(connection, "kept", "state")
    limit = 20_000  # less than an empty state takes
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(state), str(limit)], capture_output=True, text=True, check=False
    )
    told = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert len(told) == 3
    assert all("full" in line for line in told), told
    assert {each.name for each in state.parent.iterdir()} <= {"state.sqlite", "state.sqlite-journal"}
    with StateFile(state, SHELL).reading() as connection:
        assert [each.action for each in audit.audit_entries(connection)] == ["kept"]
    assert verify(state, SHELL) == ()


def test_several_states_are_open_at_once(state: Path) -> None:
    other = state.with_name("other.sqlite")
    initialise(other)
    with StateFile(state, SHELL).writing() as one, StateFile(other, SHELL).writing() as two:
        audit.add_audit_entry(one, "first", "state")
        audit.add_audit_entry(two, "second", "state")
    with (
        StateFile(state, SHELL).reading() as one,
        StateFile(other, SHELL).reading() as two,
        StateFile(state, SHELL).reading() as three,
    ):
        told = [[each.action for each in audit.audit_entries(each_of)] for each_of in (one, two, three)]
    assert told == [["first"], ["second"], ["first"]]


def test_a_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "folder.sqlite").mkdir()
    with pytest.raises(StateFault, match="folder"), StateFile(tmp_path / "folder.sqlite", SHELL).reading():
        pass


@pytest.mark.parametrize(
    "name",
    [
        "it's.duckdb",
        'a "b".duckdb',
        "; DROP TABLE x.duckdb",
        "状態.duckdb",
        "$path.duckdb",
        "a\\b.sqlite",
        "?mode=ro#%41",
    ],
)
def test_hostile_paths_work(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    initialise(path)
    with StateFile(path, SHELL).writing() as connection:
        audit.add_audit_entry(connection, "x", "y")
    assert verify(backup(path, tmp_path / f"copy of {name}", SHELL), SHELL) == ()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("deed", [StateFile.reading, StateFile.writing])
def test_a_connection_that_is_shared_is_opened_once_the_state_is_free(
    state: Path, deed: Callable[[StateFile], AbstractContextManager[StateConnection]]
) -> None:
    """To open it reads the file, which a process that commits has locked for a moment."""
    holding = sqlite3.connect(state, isolation_level=None, check_same_thread=False)
    holding.execute("BEGIN EXCLUSIVE")
    release = threading.Timer(0.5, holding.rollback)
    release.start()
    with StateFile(state, SHELL).sharing() as shared, deed(shared) as connection:
        assert audit.audit_entries(connection) is not None
    release.join()
    holding.close()
