"""The progress of the calls of an engine: a line in a notebook, and on a terminal where it was wanted."""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import TYPE_CHECKING, cast

from ordermade.errors import InputError
from ordermade.progress.notebook import NotebookProgress, in_notebook
from ordermade.progress.so_far import ProgressSoFar
from ordermade.progress.terminal import TerminalProgress
from ordermade.progress.waiting import Progress, Silent

if TYPE_CHECKING:
    from ordermade.search.problem import SoFar
    from ordermade.sources.executor import ExecutedStatement


class ProgressLine:
    """Shows the progress of each call of an engine as one line, which is gone when the call has ended.

    In a notebook it stands beneath the cell, on a terminal on stderr; elsewhere there is none. An engine in a notebook
    has it without being told; on a terminal it is wanted with `Engine(progress=ProgressLine())`.

    Example:
        >>> Engine(progress=ProgressLine()).progress
        ProgressLine()
    """

    def __init__(self) -> None:
        self._line: ProgressSoFar | None = None
        self._calls = 0

    def __repr__(self) -> str:
        return "ProgressLine()"

    def __enter__(self) -> ProgressLine:
        """A call begins; one within another shows its progress in the line that is there."""
        self._calls += 1
        if self._calls == 1 and (made := _line_here()) is not None:
            self._line = made.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The call has ended, and with the last of them the line."""
        self._calls -= 1
        if self._calls == 0 and self._line is not None:
            line, self._line = self._line, None
            cast("TerminalProgress | NotebookProgress", line).__exit__(kind, error, trace)

    def step(self, name: str) -> None:
        """A step begins."""
        if self._line is not None:
            self._line.step(name)

    def nodes_left(self, count: int) -> None:
        """The search has this many nodes left to settle."""
        if self._line is not None:
            self._line.nodes_left(count)

    def records_left(self, count: int) -> None:
        """This many records are left to group."""
        if self._line is not None:
            self._line.records_left(count)

    def so_far(self, compute: SoFar) -> None:
        """The search is about to count: `compute` gives the score of the best node, and the bound on better ones."""
        if self._line is not None:
            self._line.so_far(compute)

    def compiling(self, begins: bool) -> None:
        """A function of the method begins to be compiled, or is."""
        if self._line is not None:
            self._line.compiling(begins)

    def statement(self, statement: ExecutedStatement) -> None:
        """A statement ran."""
        if self._line is not None:
            self._line.statement(statement)


def progress_of(wanted: object) -> Progress:
    """The progress that a call of a program wants: True for a line where one can be shown, False for none, or its own.

    Raises InputError for anything else.
    """
    if isinstance(wanted, bool):
        return ProgressLine() if wanted else Silent()
    if not callable(getattr(wanted, "step", None)):
        raise InputError("this shows no progress", where="progress", next_step="Give True, False or a Progress.")
    return cast("Progress", wanted)


def _line_here() -> TerminalProgress | NotebookProgress | None:
    if in_notebook():
        return NotebookProgress()
    return TerminalProgress() if can_change_lines() else None


def can_change_lines() -> bool:
    """True where stderr is a terminal that can show a line that changes."""
    return (
        sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM", "dumb") not in ("", "dumb", "unknown")
    )
