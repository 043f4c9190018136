"""The progress of a request as it was told so far: its step, what is left, the best found, the statements that ran."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ordermade.search.problem import SoFar
    from ordermade.sources.executor import ExecutedStatement

_COMPUTED_EVERY = 0.5
"""Seconds. The gap of a search is computed no more often than it can be read."""


class ProgressSoFar:
    """Receives the progress of a request and keeps it in words; `_changed` shows them, which each kind does its way."""

    def __init__(self) -> None:
        """A request is about to be read."""
        self.name = "reading the request"
        self.queries = 0
        self.left: int | None = None
        self.most_left = 0
        self._what = ""
        self._so_far: SoFar | None = None
        self._gap = ""
        self._computed = -_COMPUTED_EVERY
        self._is_compiling = False

    def step(self, name: str) -> None:
        """A step begins."""
        self.name, self.left, self.most_left, self._so_far, self._gap = name, None, 0, None, ""
        self._changed()

    def nodes_left(self, count: int) -> None:
        """The search has this many nodes left to settle."""
        self._count(count, "nodes")

    def records_left(self, count: int) -> None:
        """This many records are left to group."""
        self._count(count, "records")

    def so_far(self, compute: SoFar) -> None:
        """The search is about to count: `compute` gives the score of its best node and the bound, when it is shown."""
        self._so_far = compute
        self._changed()

    def statement(self, statement: ExecutedStatement) -> None:  # noqa: ARG002  (statements are counted, not shown)
        """A statement ran."""
        self.queries += 1
        self._changed()

    def compiling(self, begins: bool) -> None:
        """A function of the method begins to be compiled, or is."""
        self._is_compiling = begins
        self._changed()

    @property
    def figures(self) -> str:
        """What is left, the best found so far, and the number of statements, in words."""
        now = time.monotonic()
        if self._so_far is not None and now - self._computed >= _COMPUTED_EVERY:
            self._gap, self._computed = in_words(self._so_far), now
        compiling = "compiling, once for this computer" if self._is_compiling else ""
        queries = f"{self.queries:,} {'query' if self.queries == 1 else 'queries'}"
        left = None if self.left is None else f"{self.left:,} {self._what} left"
        return ", ".join(each for each in (compiling, left, self._gap, queries) if each)

    def _count(self, count: int, what: str) -> None:
        self.left, self._what = count, what
        self.most_left = max(self.most_left, count)
        self._changed()

    def _changed(self) -> None:
        """Shows it."""


def in_words(compute: SoFar) -> str:
    """The best score so far, what no better node scores less than, and the gap between them."""
    found = compute()
    best, bound = (None if each is None else float(each) for each in (found.score, found.bound))
    if best is not None and found.score_proved:
        return f"best {best:.4g}, proved to be the least score: the first of its ties is left"
    if best is None:
        return "nothing passes yet" if bound is None else f"nothing passes yet, bound {bound:.4g}"
    return (
        f"best {best:.4g}" if bound is None else f"best {best:.4g}, bound {bound:.4g}, gap {max(0.0, best - bound):.4g}"
    )
