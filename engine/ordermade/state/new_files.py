"""New files of a user's: backups, exports, reports, drafts and plots, whole under their names or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ordermade.errors import InputError
from ordermade.files.private import write_private_file
from ordermade.state.faults import state_fault
from ordermade.state.files import beside, put_in_place


def require_new(path: Path, what: str) -> None:
    """Raise InputError if there is a file at `path`, or no folder for it; StateFault if nothing can be written there.

    `what` is what messages call the file: `backup`, `export`.
    """
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

    Nothing is left behind if the block raises. Errors of SQLite and of the file system become StateFault; raises
    InputError if a file of that name was made meanwhile.
    """
    try:
        with beside(path) as made:
            yield made
            if not put_in_place(made, path):
                raise _exists(path, what)
    except (sqlite3.Error, OSError) as error:
        raise state_fault(error, path, what) from error


def write_new_file(path: Path, text: str, what: str) -> None:
    """Writes a text as the new file `path` (mode 0600), whole or not at all; `what` and errors as in `new_file`."""
    with new_file(path, what) as made:
        write_private_file(made, text)


def _exists(path: Path, what: str) -> InputError:
    return InputError(
        f"the {what} never replaces a file, and this one exists", where=str(path), next_step="Choose another name."
    )
