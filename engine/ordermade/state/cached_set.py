"""What the cache knows of a frequency set, and which stored set serves a wanted one. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class GroundedColumn:
    """A column grounded in one hierarchy (by content hash) from level `base` up.

    `exact_base` is for what is wanted: a stored set serves only with the very same base (hierarchies that do
    not list their values make other codes from another base).
    """

    column: str
    hierarchy_hash: str
    base: int
    exact_base: bool = False


@dataclass(frozen=True, slots=True)
class CachedSet:
    """A stored frequency set: its columns in the order of c1, c2, … and its number of cells."""

    id: int
    columns: tuple[GroundedColumn, ...]
    length: int


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """A stored set in a list; `bytes` is what its cells take before compression, times are in UTC."""

    id: int
    dataset_version_id: int
    columns: tuple[GroundedColumn, ...]
    source_rows: int
    length: int
    bytes: int
    created_at: datetime
    last_used_at: datetime


def shortest_that_serves(
    entries: Iterable[CacheEntry], version_id: int, wanted: Sequence[GroundedColumn]
) -> CachedSet | None:
    """The shortest set of this version from which the wanted columns can be rolled up, or None."""
    serving = [each for each in entries if each.dataset_version_id == version_id and _serves(each.columns, wanted)]
    if not serving:
        return None
    best = min(serving, key=lambda each: (each.length, each.id))
    return CachedSet(best.id, best.columns, best.length)


def _serves(stored: Sequence[GroundedColumn], wanted: Sequence[GroundedColumn]) -> bool:
    by_column = {each.column: each for each in stored}
    for want in wanted:
        have = by_column.get(want.column)
        if have is None or have.hierarchy_hash != want.hierarchy_hash or have.base > want.base:
            return False
        if want.exact_base and have.base != want.base:
            return False
    return True


def to_evict(entries: Iterable[CacheEntry], new_bytes: int, cap: int) -> tuple[int, ...]:
    """The sets to drop, least recently used first, so that `new_bytes` more stay within `cap`."""
    oldest_first = sorted(entries, key=lambda each: (each.last_used_at, each.id))
    taken = sum(each.bytes for each in oldest_first) + new_bytes
    evicted = []
    for each in oldest_first:
        if taken <= cap:
            break
        evicted.append(each.id)
        taken -= each.bytes
    return tuple(evicted)
