"""The documents of `ordermade cache`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ordermade.records.printed import printed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from ordermade.state.cache_contents import CacheEntry, Contents, CountsEntry, Dropped, MarginalsEntry


@dataclass(frozen=True, slots=True)
class StoredTwin:
    """The rows of a CSV source, kept as Parquet."""

    kind: Literal["twin"]
    """`twin`."""
    bytes: int
    """The size of the file."""
    last_used_at: datetime
    """The time it was last used."""


@dataclass(frozen=True, slots=True)
class CacheList:
    """The content of the cache."""

    entries: Sequence[CacheEntry | MarginalsEntry | CountsEntry | StoredTwin]
    """Frequency sets, marginals, counts of values, twins of CSV sources; of each the one used longest ago first."""

    @classmethod
    def of(cls, found: Contents) -> CacheList:
        """The entries, one kind after the other."""
        twins = (StoredTwin("twin", each.bytes, each.last_used_at) for each in found.twins)
        return cls((*found.sets, *found.marginals, *found.counts, *twins))


@dataclass(frozen=True, slots=True)
class CachePurged:
    """The amount that was dropped from the cache."""

    dataset: str | None
    """The dataset of which it was dropped; null: everything."""
    dropped: Dropped = field(metadata=printed(spread=True))
    """The amount."""
