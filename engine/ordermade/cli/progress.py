"""The progress of a request: on a terminal a line that changes, on a pipe a line every ten seconds."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from ordermade.cli.exit_status import LOG_VARIABLE
from ordermade.cli.screen import notify

if TYPE_CHECKING:
    from ordermade.search.problem import SoFar
    from ordermade.sources.executor import Statement

_COMPUTED_EVERY = 0.5
_PIPED_EVERY = 10.0
"""Seconds."""


class ShownProgress:
    """A line on stderr that is gone when the request has ended. Use it as a context manager."""

    def __init__(self) -> None:
        """Makes the line; nothing is shown before the block begins."""
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self._queries = 0
        self._most_left = 0
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[figures]}", markup=False),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._left: int | None = None
        self._gap = ""
        self._computed = -_COMPUTED_EVERY
        self._task = self._bar.add_task("reading the request", total=None, figures="")

    def __enter__(self) -> ShownProgress:
        """Shows the line."""
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Takes the line away."""
        self._bar.stop()

    def step(self, name: str) -> None:
        """A step begins."""
        self._left, self._most_left, self._gap = None, 0, ""
        self._bar.update(self._task, description=name, total=None, completed=0, figures=self._figures())

    def nodes_left(self, count: int) -> None:
        """The search has this many nodes left to settle."""
        self._count(count, "nodes")

    def so_far(self, compute: SoFar) -> None:
        """The search is about to count: the score of its best node and the bound are shown, twice a second at most."""
        now = time.monotonic()
        if now - self._computed >= _COMPUTED_EVERY:
            self._gap, self._computed = in_words(compute), now

    def records_left(self, count: int) -> None:
        """This many records are left to group."""
        self._count(count, "records")

    def _count(self, count: int, what: str) -> None:
        self._left, self._what = count, what
        self._most_left = max(self._most_left, count)
        self._bar.update(
            self._task, total=self._most_left or None, completed=self._most_left - count, figures=self._figures()
        )

    def statement(self, statement: Statement) -> None:  # noqa: ARG002  (statements are counted, not shown)
        """A statement ran."""
        self._queries += 1
        self._bar.update(self._task, figures=self._figures())

    def _figures(self) -> str:
        queries = f"{self._queries:,} {'query' if self._queries == 1 else 'queries'}"
        left = None if self._left is None else f"{self._left:,} {self._what} left"
        return ", ".join(each for each in (left, self._gap, queries) if each)


class PipedProgress:
    """A line on stderr every ten seconds, where stderr is no terminal. Use it as a context manager."""

    def __init__(self, every: float = _PIPED_EVERY) -> None:
        """Nothing is printed before `every` seconds have gone by."""
        self._every = every
        self._began = self._printed = time.monotonic()
        self._step = "reading the request"
        self._queries = 0
        self._left: str | None = None
        self._so_far: SoFar | None = None

    def __enter__(self) -> PipedProgress:
        """The progress itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is left to take away."""

    def step(self, name: str) -> None:
        """A step begins."""
        self._step, self._left, self._so_far = name, None, None
        self._print()

    def nodes_left(self, count: int) -> None:
        """The search has this many nodes left to settle."""
        self._left = f"{count:,} nodes left"
        self._print()

    def records_left(self, count: int) -> None:
        """This many records are left to group."""
        self._left = f"{count:,} records left"
        self._print()

    def so_far(self, compute: SoFar) -> None:
        """The search is about to count."""
        self._so_far = compute
        self._print()

    def statement(self, statement: Statement) -> None:  # noqa: ARG002  (statements are counted, not shown)
        """A statement ran."""
        self._queries += 1
        self._print()

    def _print(self) -> None:
        now = time.monotonic()
        if now - self._printed < self._every:
            return
        self._printed = now
        parts = [self._left, None if self._so_far is None else in_words(self._so_far), f"{self._queries:,} queries"]
        notify(f"{now - self._began:.0f} s: {self._step}, {', '.join(each for each in parts if each)}")


def in_words(compute: SoFar) -> str:
    """The best score so far, what no better node scores less than, and the gap between them."""
    best, bound = (None if each is None else float(each) for each in compute())  # type: ignore[arg-type]
    if best is None:
        return "nothing passes yet" if bound is None else f"nothing passes yet, bound {bound:.4g}"
    return (
        f"best {best:.4g}" if bound is None else f"best {best:.4g}, bound {bound:.4g}, gap {max(0.0, best - bound):.4g}"
    )


def shown_progress(*, piped: bool = False) -> ShownProgress | PipedProgress | None:
    """A progress line where stderr is a terminal that can show one and no log is written to it; else None.

    `piped`: elsewhere a line every ten seconds instead.
    """
    if os.environ.get(LOG_VARIABLE):
        return None
    if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        return ShownProgress()
    return PipedProgress() if piped else None
