"""The progress of a long search, as a share from 0 to 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Done = TypeVar("Done")

Progress = Callable[[float], None]
"""Called with the share of the work that is done."""


def unreported(share: float) -> None:
    """The progress of work that nobody watches: ignored."""


def part(progress: Progress, first: float, end: float) -> Progress:
    """The progress of a part of the work: maps its own share, from 0 to 1, to one from `first` to `end`."""
    return lambda share: progress(first + (end - first) * share)


def counted(done: Iterable[Done], count: int, progress: Progress) -> Iterator[Done]:
    """Yield pieces of work as they are done, and report each as one of `count`."""
    for number, each in enumerate(done, start=1):
        progress(number / count)
        yield each
