"""Waits that are reported: for a database file that another process has open, bounded, and for the compiler."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Notice = Callable[[str], None]
Opened = TypeVar("Opened")

DEFAULT_WAIT = 30.0
"""Seconds."""

_FIRST_PAUSE = 0.01
_LONGEST_PAUSE = 0.25
_PATIENCE = 1.0
"""Seconds after which a wait is reported."""

_HELD = ("Could not set lock on file", "different configuration than existing", "Unique file handle conflict")
"""Parts of DuckDB's messages about a file that another process, or another connection of this one, has open."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A bounded wait for a file that another process has open, of `seconds` at most; `notice` reports a long wait."""

    seconds: float = DEFAULT_WAIT
    notice: Notice | None = None


COMPILING = "Compiling the method for this computer, once after it was installed: some seconds, up to a minute."

Compiling = Callable[[bool], None]
"""Receives True when a function begins to be compiled, and False when it is."""

_compiling_heard: list[Compiling] = []
"""The calls under way that report it. The compiler is one for the whole process, as is its lock."""


@contextmanager
def hearing_of_compiling(hear: Compiling) -> Iterator[None]:
    """Calls `hear` whenever functions of a method begin and end to be compiled while the block runs.

    Nothing is heard where they are on disk from an earlier run. Of blocks within each other only the inmost hears.
    """
    _compiling_heard.append(hear)
    try:
        yield
    finally:
        _compiling_heard.remove(hear)


def report_compiling(begins: bool) -> None:
    """Reports that a function begins to be compiled, or is."""
    for hear in _compiling_heard[-1:]:
        hear(begins)


def is_held(error: Exception) -> bool:
    """Whether the error states that another process, or another connection of this one, has the file open."""
    text = str(error)
    return any(phrase in text for phrase in _HELD)


def when_free(
    open_file: Callable[[], Opened],
    path: Path,
    *,
    what: str,
    wait: Wait,
    still_held: Callable[[], Exception],
    longest_pause: float = _LONGEST_PAUSE,
) -> Opened:
    """The result of `open_file`, tried again while the file at `path` is held, for as long as `wait` allows.

    Pauses grow from 10 ms to `longest_pause` seconds, each drawn at random so that waiting processes do not march in
    step. `notice` is called once, after a second. Raises `still_held()` at the end of the wait; any other error of
    `open_file` at once.
    """
    started = time.monotonic()
    patience = min(_PATIENCE, wait.seconds / 2)
    pause, noticed = _FIRST_PAUSE, False
    while True:
        try:
            return open_file()
        except Exception as error:
            if not is_held(error):
                raise
            waited = time.monotonic() - started
            if waited >= wait.seconds:
                raise still_held() from error
        if wait.notice is not None and not noticed and waited >= patience:
            wait.notice(f"waiting for the {what} {path}: another process holds it")
            noticed = True
        time.sleep(min(pause * random.uniform(0.5, 1.0), max(0.0, wait.seconds - waited)))
        pause = min(pause * 1.6, longest_pause)
