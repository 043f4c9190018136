"""The progress of a request as a line on a terminal that changes, and is gone when the request has ended."""

from __future__ import annotations

from types import TracebackType

from ordermade.display.told_progress import ToldProgress


class TerminalProgress(ToldProgress):
    """A line on stderr that is gone when the request has ended. Use it as a context manager."""

    def __init__(self) -> None:
        """Makes the line; nothing is shown before the block begins."""
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        super().__init__()
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            TextColumn("{task.fields[figures]}", markup=False),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(self.name, total=None, figures="")

    def __enter__(self) -> TerminalProgress:
        """Shows the line."""
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Takes the line away."""
        self._bar.stop()

    def _changed(self) -> None:
        done = 0 if self.left is None else self.most_left - self.left
        total = None if self.left is None else self.most_left or None
        self._bar.update(self._task, description=self.name, total=total, completed=done, figures=self.figures)
