"""A bound on tries to log in, per name and per address, in the memory of the process."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

WINDOW = 900.0
"""Seconds after which a failed try no longer counts."""
MOST_OF_NAME = 5
"""The most failed tries for one name from one address."""
MOST_OF_ADDRESS = 30
"""The most failed tries from one address, whatever the names are."""
MOST_FOR_NAME = 50
"""The most failed tries for one name from everywhere."""
_MOST_KEPT = 10_000


@dataclass(slots=True)
class LoginLimit:
    """The failed tries of the last quarter of an hour. What is forgotten first, where there are too many, is oldest."""

    clock: Callable[[], float] = time.monotonic
    _tries: OrderedDict[tuple[str, str], list[float]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def is_over(self, name: str, address: str) -> bool:
        """Whether one more try is refused unseen."""
        with self._lock:
            return any(len(self._recent(key)) >= most for key, most in _bounds(name, address))

    def failed(self, name: str, address: str) -> None:
        """Notes a failed try."""
        with self._lock:
            for key, _ in _bounds(name, address):
                self._tries[key] = [*self._recent(key), self.clock()]
                self._tries.move_to_end(key)
            while len(self._tries) > _MOST_KEPT:
                self._tries.popitem(last=False)

    def succeeded(self, name: str, address: str) -> None:
        """Forgets the failed tries for a name from an address."""
        with self._lock:
            self._tries.pop((name, address), None)

    def _recent(self, key: tuple[str, str]) -> list[float]:
        since = self.clock() - WINDOW
        return [each for each in self._tries.get(key, []) if each > since]


def _bounds(name: str, address: str) -> tuple[tuple[tuple[str, str], int], ...]:
    short = name[:200]
    return ((short, address), MOST_OF_NAME), (("", address), MOST_OF_ADDRESS), ((short, ""), MOST_FOR_NAME)
