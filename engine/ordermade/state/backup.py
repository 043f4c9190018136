"""`state backup`: a consistent copy of the state in a new private file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from ordermade.errors import InputError
from ordermade.state.database import require_current
from ordermade.state.faults import state_fault
from ordermade.state.statements import (
    beside,
    opened,
    put_in_place,
    refuse_backslash,
    run,
)
from ordermade.waiting import Notice


def require_new(path: Path, what: str) -> None:
    """Raise InputError if there is a file at `path`, or no folder for it; StateFault if nothing can be written there.

    `what` is what messages call the file: `backup`, `export`.
    """
    refuse_backslash(path)
    try:
        if path.exists() or path.is_symlink():
            raise _exists(path, what)
        if not path.absolute().parent.is_dir():
            raise InputError("there is no such folder", where=str(path.parent), next_step="Make it, or name another.")
        with beside(path):  # permissions alone do not decide, as of /proc
            pass
    except OSError as error:
        raise state_fault(error, path, what) from error


@contextmanager
def new_file(path: Path, what: str) -> Iterator[Path]:
    """A path beside `path` to write the file to; it gets its name (mode 0600) at the end of the block.

    Nothing is left behind if the block raises. Errors of DuckDB and of the file system become StateFault; raises
    InputError if a file of that name was made meanwhile.
    """
    try:
        with beside(path) as made:
            yield made
            if not put_in_place(made, path):
                raise _exists(path, what)
    except (duckdb.Error, OSError) as error:
        raise state_fault(error, path, what) from error


def _exists(path: Path, what: str) -> InputError:
    return InputError(
        f"the {what} never replaces a file, and this one exists", where=str(path), next_step="Choose another name."
    )


def backup(path: Path, destination: Path, *, wait_seconds: float = 30.0, notice: Notice | None = None) -> Path:
    """Copy the state at `path` to the new file `destination` (mode 0600); gives `destination`.

    The copy is one snapshot, made by DuckDB under its own lock, written beside its name and put in place
    whole. (Copying the bytes would not do: closing any handle on the file lets go of the lock of this
    process.) Raises InputError if `destination` exists or has no folder, StateMissing, StateOlder,
    StateNewer, StateDamaged, StateLocked, StateFault (a full disk leaves nothing behind).
    """
    require_new(destination, "backup")
    with opened(path, read_only=True, wait_seconds=wait_seconds, notice=notice) as connection:
        require_current(connection, path)
        with new_file(destination, "backup") as made:
            run(connection, "state/attach_backup", path=str(made))
            run(connection, "state/copy_to_backup")
            run(connection, "state/checkpoint_backup")
            run(connection, "state/detach_backup")
    return destination
