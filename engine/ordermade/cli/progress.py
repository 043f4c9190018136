"""The progress of a request on a terminal: the step, nodes left, queries, time. Nothing on a pipe."""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import TYPE_CHECKING

from ordermade.cli.exit_status import LOG_VARIABLE

if TYPE_CHECKING:
    from ordermade.sources.door import Statement


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
        self._left, self._most_left = None, 0
        self._bar.update(self._task, description=name, total=None, completed=0, figures=self._figures())

    def nodes_left(self, count: int) -> None:
        """The search has this many nodes left to settle."""
        self._count(count, "nodes")

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
        return queries if self._left is None else f"{self._left:,} {self._what} left, {queries}"


def shown_progress() -> ShownProgress | None:
    """A progress line where stderr is a terminal that can show one and no log is written to it; else None."""
    terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    return ShownProgress() if terminal and not os.environ.get(LOG_VARIABLE) else None
