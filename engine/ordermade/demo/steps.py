"""The steps of a demo, and their seconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from ordermade.sources.door import Statement

Notify = Callable[[str], None]
"""Receives the name of each step as it begins."""


@dataclass(frozen=True, slots=True)
class Timed:
    """A step of the demo and the seconds it took."""

    name: str
    seconds: float


class Stopwatch:
    """Times the steps of a request as they begin, and passes their names on."""

    def __init__(self, notify: Notify) -> None:
        self._notify = notify
        self._started: list[tuple[str, float]] = []

    def step(self, name: str) -> None:
        """A step begins."""
        self._started.append((name, time.perf_counter()))
        self._notify(name)

    def nodes_left(self, count: int) -> None:
        """The search goes on."""
        self._notify(f"{self._started[-1][0]}: {count:,} left to settle")

    def records_left(self, count: int) -> None:
        """Records are put into groups."""
        self._notify(f"{self._started[-1][0]}: {count:,} records left")

    def statement(self, statement: Statement) -> None:
        """Statements are not shown one by one."""

    def laps(self) -> tuple[Timed, ...]:
        """The steps so far, the last one until now."""
        ends = [*(start for _, start in self._started[1:]), time.perf_counter()]
        return tuple(Timed(name, end - start) for (name, start), end in zip(self._started, ends, strict=True))
