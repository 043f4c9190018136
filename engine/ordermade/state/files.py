"""The engine's own files: waited for while another process has them, made privately, put in place whole."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from ordermade.errors import StateFault, StateLocked, StateMissing
from ordermade.files.private import FILE_MODE, FOLDER_MODE, give_name, own_folder, private_umask
from ordermade.progress import waiting
from ordermade.progress.waiting import Notice, Wait
from ordermade.state.faults import state_fault
from ordermade.state.location import earlier_state, not_found_above

Opened = TypeVar("Opened")


def when_free(
    open_file: Callable[[], Opened],
    path: Path,
    *,
    what: str,
    wait_seconds: float,
    notice: Notice | None,
    longest_pause: float = waiting.LONGEST_PAUSE,
) -> Opened:
    """Return the result of `open_file`, tried again for `wait_seconds` while another process locks `path`.

    Raises StateLocked at the end of the wait; any other error of `open_file` at once. See `ordermade.progress.waiting`.
    """

    def still_held() -> StateLocked:
        return StateLocked(
            f"the {what} was held by another process for {wait_seconds:g} seconds",
            where=str(path),
            next_step="Wait until the other ordermade command has ended, then run this one again.",
        )

    return waiting.when_free(
        open_file,
        path,
        what=what,
        wait=Wait(wait_seconds, notice),
        still_held=still_held,
        longest_pause=longest_pause,
    )


WORKSHOP = ".ordermade-"
"""The prefix of the private folders that files are made in before they get their names."""


def require(path: Path) -> None:
    """Raise StateMissing unless there is a file at `path`, StateFault if that is unknown, or it is no regular one."""
    try:
        exists = path.exists()
        is_special = exists and not path.is_file() and not path.is_dir()  # to open one may wait for its other end
    except OSError as error:
        raise state_fault(error, path) from error
    if not exists and (earlier := earlier_state(path)) is not None:
        raise StateMissing(
            f"there is no state here but one of an earlier ordermade, {earlier}",
            where=str(path),
            next_step="Make one of it with `ordermade state convert`: the old one stays.",
        )
    if not exists:
        raise StateMissing(
            f"there is no state here{not_found_above(path)}",
            where=str(path),
            next_step="Make one with `ordermade init`, or name it with --state or ORDERMADE_STATE.",
        )
    if is_special:
        raise StateFault(
            "this is no regular file, and no state", where=str(path), next_step="Name a file with --state."
        )


def refuse_backslash(path: Path) -> None:
    """Raise StateFault for a path with a backslash: DuckDB reads it as `/` and would open another file."""
    if os.sep != "\\" and "\\" in str(path):
        raise StateFault(
            "a path with a backslash cannot be used", where=str(path), next_step="Choose a path without one."
        )


def make_folder(folder: Path) -> None:
    """Make the folder of a state if it is missing, for its owner alone."""
    folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)


@contextmanager
def alone_beside(path: Path) -> Iterator[Path]:
    """Like `beside`, for a process that holds the lock of `path`: takes away what a killed one left there."""
    workshop = path.with_name(f".{path.name}.new")
    discard_left_beside(path)
    workshop.mkdir(mode=FOLDER_MODE)
    try:
        with private_umask():
            yield workshop / path.name
    finally:
        shutil.rmtree(workshop)


def discard_left_beside(path: Path) -> None:
    """Remove the folder that `alone_beside` made, if its process was killed. This process must lock `path`."""
    workshop = path.with_name(f".{path.name}.new")
    if workshop.exists():
        shutil.rmtree(workshop)


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """A path in a private folder beside `path`, for a file to be put in place; gone after the block.

    Such folders that killed processes left there are removed first.
    """
    with own_folder(path.parent, WORKSHOP) as workshop, private_umask():
        yield workshop / path.name


def put_in_place(made: Path, path: Path) -> bool:
    """Give the finished file `made` its name, mode 0600, unless there is such a file; whether it was given."""
    made.chmod(FILE_MODE)
    try:
        give_name(made, path, replace=False)
    except FileExistsError:
        return False
    return True
