"""What the machine has run out of is named as that, never as damage or as a fault of the program."""

from __future__ import annotations

import errno
import os
import resource
from pathlib import Path

import duckdb
import pytest

from ordermade.cli.exit_status import exit_status_of
from ordermade.errors import StateFault
from ordermade.state.authority import SHELL
from ordermade.state.cache import CacheFile
from ordermade.state.database import StateFile
from ordermade.state.faults import is_damage, state_fault
from tests.made import new_state

HANDLES = [
    OSError(errno.EMFILE, os.strerror(errno.EMFILE)),
    duckdb.IOException('IO Error: Cannot open file "/x/cache.duckdb": Too many open files'),
    duckdb.IOException("IO Error: Could not read enough bytes from file: Too many open files"),
    duckdb.CatalogException("Catalog Error: the file could not be opened: Too many open files"),
]


@pytest.mark.parametrize("error", HANDLES, ids=[str(each) for each in range(len(HANDLES))])
def test_a_file_that_cannot_be_opened_for_want_of_handles_is_not_damaged(error: duckdb.Error | OSError) -> None:
    assert not is_damage(error)
    for fault in (state_fault(error, Path("s")), CacheFile(Path("c"), 1.0, None).fault(error)):
        assert "no file handle left" in fault.what
        assert "ulimit -n" in fault.next_step
        assert "damaged" not in fault.message


def test_a_state_that_cannot_be_opened_for_want_of_handles_is_not_forbidden(tmp_path: Path) -> None:
    """SQLite says alike of both that it cannot open the file."""
    state = StateFile(new_state(tmp_path / "state.sqlite"), SHELL)
    with state.reading():
        pass
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.dup(0)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, hard))
    try:
        for opened in (state.reading, state.writing):
            with pytest.raises(StateFault, match="no file handle left"), opened():
                pass
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "the memory is used up"),
        (duckdb.OutOfMemoryException("Out of Memory Error: could not allocate block"), "the memory is used up"),
        (RuntimeError("can't start new thread"), "no more threads"),
        (OSError(errno.EMFILE, "Too many open files", "/x"), "Too many open files. Raise the limit"),
    ],
)
def test_a_command_says_what_there_is_no_more_of(
    error: Exception, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def command() -> None:
        raise error

    assert exit_status_of(command) == 3
    message = capsys.readouterr().err
    assert said in " ".join(message.split())
    assert "unexpected" not in message
    assert "report it" not in message
