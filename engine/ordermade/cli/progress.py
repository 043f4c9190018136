"""The progress of a request: on a terminal a line that changes, on a pipe a line every ten seconds."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType

from ordermade.cli.log import LOG
from ordermade.progress.line import can_change_lines
from ordermade.progress.so_far import ProgressSoFar
from ordermade.progress.terminal import TerminalProgress
from ordermade.views.screen import notify

_PIPED_EVERY = 10.0
"""Seconds."""


class PipedProgress(ProgressSoFar):
    """A line on stderr every ten seconds, where stderr is no terminal. Use it as a context manager."""

    def __init__(self, every: float = _PIPED_EVERY) -> None:
        """Nothing is printed before `every` seconds have gone by."""
        super().__init__()
        self._every = every
        self._began = self._printed = time.monotonic()

    def __enter__(self) -> PipedProgress:
        """The progress itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is left to take away."""

    def _changed(self) -> None:
        now = time.monotonic()
        if now - self._printed >= self._every:
            self._printed = now
            notify(f"{now - self._began:.0f} s: {self.name}, {self.figures}")


def shown_progress(*, piped: bool = False) -> AbstractContextManager[TerminalProgress | PipedProgress | None]:
    """A progress line where stderr is a terminal that can show one and no log is written to it; else None.

    `piped`: elsewhere a line every ten seconds instead.
    """
    if LOG.level:
        return nullcontext()
    if can_change_lines():
        return TerminalProgress()
    return PipedProgress() if piped else nullcontext()
