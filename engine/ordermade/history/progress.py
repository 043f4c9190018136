"""How far a long search is, told as a share from 0 to 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Done = TypeVar("Done")

Progress = Callable[[float], None]
"""Told of the share of the work that is done."""


def untold(share: float) -> None:
    """The progress of what nobody waits for."""


def part(progress: Progress, first: float, end: float) -> Progress:
    """The progress of a part of the work: its own share, from 0 to 1, is told as one from `first` to `end`."""
    return lambda share: progress(first + (end - first) * share)


def counted(done: Iterable[Done], count: int, progress: Progress) -> Iterator[Done]:
    """What is done one after another, each told as one of so many."""
    for number, each in enumerate(done, start=1):
        progress(number / count)
        yield each
