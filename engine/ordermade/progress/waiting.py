"""Reports of what takes long: a wait for a file that another process has open, the compiler, the steps of a call."""

from __future__ import annotations

import functools
import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from ordermade.search.problem import SoFar
    from ordermade.sources.executor import ExecutedStatement

Notice = Callable[[str], None]
Opened = TypeVar("Opened")
Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")

DEFAULT_WAIT = 30.0
"""Seconds."""

_FIRST_PAUSE = 0.01
LONGEST_PAUSE = 0.25
_PATIENCE = 1.0
"""Seconds after which a wait is reported."""

_HELD = ("Could not set lock on file", "different configuration than existing", "Unique file handle conflict")
"""Parts of DuckDB's messages about a file that another process, or another connection of this one, has open."""


class Sayable(str):
    """A notice of words that come of a request and its policy alone, which users of tokens read, too."""

    __slots__ = ()


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
    """Whether the error states that another process, or another connection of this one, has the file open or locked."""
    if isinstance(error, sqlite3.Error):
        return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    text = str(error)
    return any(phrase in text for phrase in _HELD)


def when_free(
    open_file: Callable[[], Opened],
    path: Path,
    *,
    what: str,
    wait: Wait,
    still_held: Callable[[], Exception],
    longest_pause: float = LONGEST_PAUSE,
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
            if wait.notice is not None and not noticed and 0 < patience <= waited:
                wait.notice(f"waiting for the {what} {path}: another process holds it")
                noticed = True
            if waited >= wait.seconds:
                raise still_held() from error
        time.sleep(min(pause * random.uniform(0.5, 1.0), max(0.0, wait.seconds - waited)))
        pause = min(pause * 1.6, longest_pause)


class Progress(Protocol):
    """Receives each step of a request as it starts, the nodes or records left, and each statement that ran."""

    def step(self, name: str) -> None:
        """A step begins."""

    def nodes_left(self, count: int) -> None:
        """The search has this many nodes left to settle."""

    def records_left(self, count: int) -> None:
        """This many records are left to group."""

    def so_far(self, compute: SoFar) -> None:
        """The search is about to count: `compute` gives the score of the best node, and the bound on better ones."""

    def statement(self, statement: ExecutedStatement) -> None:
        """A statement ran."""


class Silent:
    """Ignores all progress."""

    def step(self, name: str) -> None:
        """Nothing."""

    def nodes_left(self, count: int) -> None:
        """Nothing."""

    def records_left(self, count: int) -> None:
        """Nothing."""

    def so_far(self, compute: SoFar) -> None:
        """Nothing."""

    def statement(self, statement: ExecutedStatement) -> None:
        """Nothing."""


def shown(progress: Progress) -> AbstractContextManager[object]:
    """The progress as a line that is there while a block runs, where it has a beginning and an end."""
    return progress if isinstance(progress, AbstractContextManager) else nullcontext()


def one_at_a_time(method: Callable[Parameters, Answer]) -> Callable[Parameters, Answer]:
    """The method of an engine, inside its progress where that has a beginning and an end, as a line that is shown.

    Its notice, and its progress if that can show it, are given word when functions of the method are compiled.
    """

    @functools.wraps(method)
    def called(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Answer:
        engine = cast("Any", args[0])
        progress, told = engine.progress, False

        def compiling(begins: bool) -> None:
            nonlocal told
            if begins and not told and engine.notice is not None:
                engine.notice(COMPILING)
            told = True
            if hasattr(progress, "compiling"):
                progress.compiling(begins)

        with hearing_of_compiling(compiling), shown(progress):
            return method(*args, **kwargs)

    return called
