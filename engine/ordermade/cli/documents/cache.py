"""The documents of `ordermade cache`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ordermade.cli.documents.opening import FORMAT
from ordermade.cli.screen import plain

if TYPE_CHECKING:
    from ordermade.cli.documents.types.cache import (
        CacheList,
        CachePurged,
        StoredCounts,
        StoredMarginals,
        StoredSet,
        StoredTwin,
    )
    from ordermade.state.cache_contents import Contents, Dropped


def contents(found: Contents) -> CacheList:
    """The document of `cache list`."""
    sets: list[StoredSet] = [{**cast("StoredSet", plain(each)), "kind": "frequency set"} for each in found.sets]
    marginals: list[StoredMarginals] = [
        {**cast("StoredMarginals", plain(each)), "kind": "marginals"} for each in found.marginals
    ]
    counts: list[StoredCounts] = [
        {**cast("StoredCounts", plain(each)), "kind": "counts of values"} for each in found.counts
    ]
    twins: list[StoredTwin] = [
        {"kind": "twin", "bytes": each.bytes, "last_used_at": each.last_used_at} for each in found.twins
    ]
    return {"format": FORMAT, "command": "cache list", "entries": [*sets, *marginals, *counts, *twins]}


def purged(dropped: Dropped, dataset: str | None) -> CachePurged:
    """The document of `cache purge`."""
    return {
        "format": FORMAT,
        "command": "cache purge",
        "dataset": dataset,
        "frequency_sets": dropped.frequency_sets,
        "marginals": dropped.marginals,
        "twins": dropped.twins,
        "counts": dropped.counts,
    }
