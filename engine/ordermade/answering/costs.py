"""What a request cost, whatever the method."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Costs:
    """The statements that ran in the source, by what they were for, and the seconds of the whole request.

    `source_queries` are those that the method asks for: that count, or that pull the records.
    """

    source_queries: int
    version_queries: int
    coverage_queries: int
    release_queries: int
    seconds: float
