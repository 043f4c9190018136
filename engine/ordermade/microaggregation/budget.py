"""The budget of a search: seconds, rounds, or whichever ends first."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from ordermade.microaggregation.arguments import number_from, whole_number_from

SHORT, LONG = 0.03, 0.1
"""Seconds between two looks at the clock: compiled code comes back so often, and Ctrl-C is heard."""


@dataclass(frozen=True, slots=True)
class Budget:
    """A budget that began at `began` (of time.monotonic). With neither seconds nor rounds it is used up at once.

    Once `stop` is set its time is used up as well.
    """

    began: float
    seconds: float | None
    rounds: int | None
    stop: threading.Event | None = None

    def used(self, rounds: int) -> float:
        """The share that is used up after so many rounds; 1 or more: all of it."""
        if self.rounds is None and self.seconds is None:
            return 1.0
        if self.rounds is None:
            return self.time_used()
        return max(rounds / self.rounds if self.rounds else 1.0, self.time_used())

    def time_used(self) -> float:
        """The share of the seconds that has passed; 0 if they do not matter."""
        if self.stop is not None and self.stop.is_set():
            return 1.0
        if self.seconds is None:
            return 0.0
        return (time.monotonic() - self.began) / self.seconds if self.seconds > 0 else 1.0


def begin(seconds: float | None, rounds: int | None, stop: threading.Event | None = None) -> Budget:
    """A budget that begins now. Raises InputError for a negative or infinite budget, or none."""
    time_given = None if seconds is None else number_from(seconds, 0, "the number of seconds", 10)
    rounds_given = None if rounds is None else whole_number_from(rounds, 0, "the number of rounds", 50)
    return Budget(time.monotonic(), time_given, rounds_given, stop)


@dataclass(slots=True)
class Pace:
    """The amount of work that compiled code is given at once, so that it returns in time."""

    amount: int = 1

    def work(self, most: int, work: Callable[[int], float]) -> tuple[int, float]:
        """Run some of the work; return the amount done, and its result."""
        part = min(self.amount, most)
        began = time.monotonic()
        returned = work(part)
        took = time.monotonic() - began
        if took > LONG:
            self.amount = max(part // 2, 1)
        elif took < SHORT and part == self.amount:
            self.amount *= 2
        return part, returned
