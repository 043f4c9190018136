"""`state backup`: a consistent copy of the state, alone (the cache is never part of it)."""

from __future__ import annotations

from pathlib import Path

import duckdb

from ordermade.errors import InputError
from ordermade.state.faults import state_fault
from ordermade.state.migrations import require_current
from ordermade.state.opening import bare_connection, beside, opened, put_in_place, refuse_backslash
from ordermade.state.statements import run
from ordermade.state.waiting import Notice, when_free


def backup(path: Path, destination: Path, *, wait_seconds: float = 30.0, notice: Notice | None = None) -> Path:
    """Copy the state at `path` to the new file `destination` (mode 0600); gives `destination`.

    The copy is one snapshot, made by DuckDB under its own lock, written beside its name and put in place
    whole. (Copying the bytes would not do: closing any handle on the file lets go of the lock of this
    process.) Raises InputError if `destination` exists or has no folder, StateMissing, StateOlder,
    StateNewer, StateDamaged, StateLocked, StateFault (a full disk leaves nothing behind).
    """
    _require_new(destination)
    with opened(path, read_only=True, wait_seconds=wait_seconds, notice=notice) as connection:
        require_current(connection, path)
    try:
        with beside(destination) as made, bare_connection() as connection:
            when_free(
                lambda: run(connection, "state/attach_state", path=str(path)),
                path,
                what="state",
                wait_seconds=wait_seconds,
                notice=notice,
            )
            run(connection, "state/attach_backup", path=str(made))
            run(connection, "state/copy_to_backup")
            run(connection, "state/checkpoint_backup")
            run(connection, "state/detach_backup")
            if not put_in_place(made, destination):
                raise _exists(destination)
    except (duckdb.Error, OSError) as error:
        raise state_fault(error, destination, "backup") from error
    return destination


def _require_new(destination: Path) -> None:
    refuse_backslash(destination)
    try:
        if destination.exists() or destination.is_symlink():
            raise _exists(destination)
        if not destination.absolute().parent.is_dir():
            raise InputError(
                "there is no such folder",
                where=str(destination.parent),
                next_step="Make it, or name another.",
            )
    except OSError as error:
        raise state_fault(error, destination, "backup") from error


def _exists(destination: Path) -> InputError:
    return InputError(
        "a backup never replaces a file, and this one exists",
        where=str(destination),
        next_step="Choose another name.",
    )
