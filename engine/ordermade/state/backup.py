"""`state backup`: a consistent copy of the state, alone (the cache is never part of it)."""

from __future__ import annotations

from pathlib import Path

from ordermade.state.migrations import require_current
from ordermade.state.new_file import new_file, require_new
from ordermade.state.opening import bare_connection, opened
from ordermade.state.statements import run
from ordermade.state.waiting import when_free
from ordermade.waiting import Notice


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
    with new_file(destination, "backup") as made, bare_connection() as connection:
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
    return destination
