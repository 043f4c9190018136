"""The cache of counts as far as one request may use it."""

from __future__ import annotations

from dataclasses import dataclass

from ordermade.state.cache import Cache


@dataclass(frozen=True, slots=True)
class UsableCache:
    """The cache that a request may use, for the version of its dataset, of so many rows."""

    cache: Cache
    version_id: int
    rows: int
