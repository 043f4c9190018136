"""The content of the cache, the stored set that serves a wanted one, and the content to evict. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

SENSITIVE = "sensitive"
"""Instead of a hierarchy's hash: the column is sensitive, its cells are the places of its values in their order."""

PERSONS = "persons"
"""Instead of a hierarchy's hash: the column identifies persons, whose combinations the set keeps. The last column."""

OF_PERSONS = ("person",)
"""The further columns of a set that counts persons: see `sql/frequency_set_of_persons.sql`."""


@dataclass(frozen=True, slots=True)
class GroundedColumn:
    """A column grounded in one hierarchy (by content hash, or `SENSITIVE` or `PERSONS`) from level `base` up.

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


@dataclass(frozen=True, slots=True)
class MarginalsEntry:
    """The stored marginals of a dataset version in a list: its columns and how many levels they have in all.

    `bytes` is what the histograms take before compression, times are in UTC.
    """

    dataset_version_id: int
    columns: tuple[str, ...]
    levels: int
    bytes: int
    created_at: datetime
    last_used_at: datetime


@dataclass(frozen=True, slots=True)
class Contents:
    """The content of a cache: frequency sets and marginals, each the one used longest ago first."""

    sets: tuple[CacheEntry, ...] = ()
    marginals: tuple[MarginalsEntry, ...] = ()

    @property
    def version_ids(self) -> frozenset[int]:
        """The dataset versions of which something is stored."""
        return frozenset(each.dataset_version_id for each in self.sets) | {
            each.dataset_version_id for each in self.marginals
        }

    def without_marginals_of(self, version_id: int) -> Contents:
        """All but the marginals of this dataset version."""
        return Contents(self.sets, tuple(each for each in self.marginals if each.dataset_version_id != version_id))

    def of_versions(self, version_ids: Collection[int] | None) -> Contents:
        """The content of these dataset versions; everything if None."""
        if version_ids is None:
            return self
        return Contents(
            tuple(each for each in self.sets if each.dataset_version_id in version_ids),
            tuple(each for each in self.marginals if each.dataset_version_id in version_ids),
        )

    @property
    def dropped(self) -> Dropped:
        """Its amount, as if all were dropped."""
        return Dropped(len(self.sets), sum(each.levels for each in self.marginals))


@dataclass(frozen=True, slots=True)
class Dropped:
    """The amount dropped: frequency sets, and levels of columns whose marginals were stored."""

    frequency_sets: int = 0
    marginals: int = 0


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


def to_evict(contents: Contents, new_bytes: int, cap: int) -> Contents:
    """Choose the content to drop, least recently used first, so that `new_bytes` more stay within `cap`."""
    present: list[CacheEntry | MarginalsEntry] = [*contents.sets, *contents.marginals]
    oldest_first = sorted(present, key=lambda each: each.last_used_at)
    taken = sum(each.bytes for each in oldest_first) + new_bytes
    evicted: list[CacheEntry | MarginalsEntry] = []
    for each in oldest_first:
        if taken <= cap:
            break
        evicted.append(each)
        taken -= each.bytes
    return Contents(
        tuple(each for each in evicted if isinstance(each, CacheEntry)),
        tuple(each for each in evicted if isinstance(each, MarginalsEntry)),
    )
