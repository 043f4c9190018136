"""The cost of a request, whatever the method."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

from ordermade.sources.backend import SourceDoor
from ordermade.sources.door import Purpose


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
