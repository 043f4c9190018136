"""The cost of an answer."""

from __future__ import annotations

from typing_extensions import TypedDict


class Costs(TypedDict):
    """The statements that ran in the source, by purpose, and the seconds."""

    source_queries: int
    """Those that count, or that read the records."""
    version_queries: int
    """Those for the dataset version."""
    coverage_queries: int
    """Those for the values of quasi-identifiers."""
    release_queries: int
    """Those that made or measured the release."""
    seconds: float
    """The seconds of the whole request."""
