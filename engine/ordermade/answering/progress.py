"""The progress of a request."""

from __future__ import annotations

from typing import Protocol

from ordermade.sources.door import Statement


class Progress(Protocol):
    """Receives each step of a request as it starts, the nodes or records left, and each statement that ran."""

    def step(self, name: str) -> None:
        """A step begins."""
        ...

    def nodes_left(self, count: int) -> None:
        """The search has this many nodes left to settle."""
        ...

    def records_left(self, count: int) -> None:
        """This many records are left to group."""
        ...

    def statement(self, statement: Statement) -> None:
        """A statement ran."""
        ...


class Silent:
    """Ignores all progress."""

    def step(self, name: str) -> None:
        """Nothing."""

    def nodes_left(self, count: int) -> None:
        """Nothing."""

    def records_left(self, count: int) -> None:
        """Nothing."""

    def statement(self, statement: Statement) -> None:
        """Nothing."""
