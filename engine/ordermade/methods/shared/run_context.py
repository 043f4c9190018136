"""The context of a run: state, cache, limits and progress; and the costs of the answer."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from ordermade.sources.backend import SourceDoor
from ordermade.sources.door import Purpose, Statement
from ordermade.sources.workspace import Limits
from ordermade.state.cache import Cache
from ordermade.state.database import StateFile


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


@dataclass(frozen=True, slots=True)
class Setting:
    """The state, the cache beside it (None where it is not to be used), the limits of memory and threads, progress.

    Options that are no part of the request, ignored by methods that do not use them: without
    `roll_up` every k-check runs in the source instead of on one frequency set, with identical figures; with
    `distributions` the result has the distributions of values before and after; `again`: a release of the same request
    that still stands is made anew.
    """

    state: StateFile
    cache: Cache | None
    limits: Limits
    progress: Progress = field(default_factory=Silent)
    roll_up: bool = True
    distributions: bool = False
    again: bool = False


@dataclass(frozen=True, slots=True)
class Costs:
    """The statements that ran in the source, by what they were for, and the seconds of the whole request.

    `source_queries` are the method's own: those that count, or that pull the records.
    """

    source_queries: int
    version_queries: int
    coverage_queries: int
    release_queries: int
    seconds: float

    @classmethod
    def so_far(cls, source: SourceDoor, asks: Iterable[Purpose], started: float) -> Costs:
        """Sum up the statements that ran through the door of the source since `started` (by `time.perf_counter`).

        `asks`: the purposes of the method's own statements.
        """
        return cls(
            source_queries=source.count(asks),
            version_queries=source.count([Purpose.VERSION]),
            coverage_queries=source.count([Purpose.COVERAGE]),
            release_queries=source.count([Purpose.RELEASE]),
            seconds=round(time.perf_counter() - started, 4),
        )
