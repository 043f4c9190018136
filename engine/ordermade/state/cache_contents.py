"""The content of the cache, by itself: its entries, the set that serves a request, and the content to evict.

Pure: nothing here reads the file of the cache.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

from ordermade.errors import quoted
from ordermade.files.private import SharedFile
from ordermade.lattice.observation import Sizes
from ordermade.records.printed import printed_as

if TYPE_CHECKING:
    from ordermade.hierarchies.hierarchy import Hierarchy


SENSITIVE = "sensitive"
"""Instead of a hierarchy's hash: the column is sensitive, its cells are the places of its values in their order."""

PERSONS = "persons"
"""Instead of a hierarchy's hash: the column identifies persons, whose combinations the set keeps. The last column."""

LISTED = "listed"
"""Instead of a hierarchy's hash: the values are counted as they are, which serves every hierarchy that lists them."""

OF_PERSONS = ("person",)
"""The further columns of a set that counts persons: see `counting/frequency_set_of_persons`."""


@dataclass(frozen=True, slots=True)
class GroundedColumn:
    """A column as it is counted in a frequency set.

    `exact_base` is for what is wanted: a stored set serves only with the very same base (hierarchies that do
    not list their values make other codes from another base).
    """

    column: str
    """Its name."""
    hierarchy_hash: str
    """The hash of its hierarchy, or `sensitive`, `persons` or `listed` in the place of one."""
    base: int
    """The finest level that the counts serve."""
    exact_base: bool = False
    """Whether they serve this level alone."""


@dataclass(frozen=True, slots=True)
class CachedSet:
    """A stored frequency set: its columns in the order of c1, c2, … and its number of cells."""

    id: int
    columns: tuple[GroundedColumn, ...]
    length: int


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """A stored frequency set."""

    id: int
    """Its number."""
    dataset_version_id: int
    """The number of the dataset version."""
    columns: tuple[GroundedColumn, ...]
    """Its columns."""
    source_rows: int
    """The rows that it counts."""
    length: int
    """The number of its cells: combinations that occur."""
    bytes: int
    """Their size before compression."""
    created_at: datetime
    """The time it was stored."""
    last_used_at: datetime
    """The time it was last used."""

    @property
    @printed_as("kind")
    def kind(self) -> Literal["frequency set"]:
        """`frequency set`."""
        return "frequency set"


@dataclass(frozen=True, slots=True)
class MarginalsEntry:
    """The stored class sizes of single columns of a dataset version."""

    dataset_version_id: int
    """The number of the dataset version."""
    columns: tuple[str, ...]
    """The columns."""
    levels: int
    """The number of their levels."""
    bytes: int
    """The size before compression."""
    created_at: datetime
    """The time they were stored."""
    last_used_at: datetime
    """The time they were last used."""

    @property
    @printed_as("kind")
    def kind(self) -> Literal["marginals"]:
        """`marginals`."""
        return "marginals"


@dataclass(frozen=True, slots=True)
class CountsEntry:
    """The stored counts of one column's values."""

    id: int
    """Their number."""
    dataset_version_id: int
    """The number of the dataset version."""
    column: GroundedColumn
    """The column."""
    statement_hash: str
    """The hash of the statement that counted them."""
    fingerprint: str
    """The length, rows and hash of the content."""
    bytes: int
    """The size before compression."""
    created_at: datetime
    """The time they were stored."""
    last_used_at: datetime
    """The time they were last used."""

    @property
    @printed_as("kind")
    def kind(self) -> Literal["counts of values"]:
        """`counts of values`."""
        return "counts of values"


Entry: TypeAlias = CacheEntry | MarginalsEntry | CountsEntry | SharedFile


@dataclass(frozen=True, slots=True)
class Contents:
    """The content of a cache, of each kind what was used longest ago first. `counts`: those of values."""

    sets: tuple[CacheEntry, ...] = ()
    marginals: tuple[MarginalsEntry, ...] = ()
    twins: tuple[SharedFile, ...] = ()
    counts: tuple[CountsEntry, ...] = ()

    @property
    def version_ids(self) -> frozenset[int]:
        """The dataset versions of which something is stored."""
        of_versions: list[CacheEntry | MarginalsEntry | CountsEntry] = [*self.sets, *self.marginals, *self.counts]
        return frozenset(each.dataset_version_id for each in of_versions)

    def without_marginals_of(self, version_id: int) -> Contents:
        """All but the marginals of this dataset version."""
        return replace(self, marginals=tuple(each for each in self.marginals if each.dataset_version_id != version_id))

    def without_counts(self, others: Collection[CountsEntry]) -> Contents:
        """All but these counts of values."""
        return replace(self, counts=tuple(each for each in self.counts if each not in others))

    def of_versions(self, version_ids: Collection[int] | None) -> Contents:
        """The content of these dataset versions; everything if None."""
        if version_ids is None:
            return self
        return Contents(
            tuple(each for each in self.sets if each.dataset_version_id in version_ids),
            tuple(each for each in self.marginals if each.dataset_version_id in version_ids),
            counts=tuple(each for each in self.counts if each.dataset_version_id in version_ids),
        )

    @property
    def dropped(self) -> Dropped:
        """Its amount, as if all were dropped."""
        levels = sum(each.levels for each in self.marginals)
        return Dropped(len(self.sets), levels, len(self.twins), len(self.counts))


@dataclass(frozen=True, slots=True)
class Dropped:
    """The amount that was dropped from the cache."""

    frequency_sets: int = 0
    """Frequency sets."""
    marginals: int = 0
    """Levels with marginals."""
    twins: int = 0
    """CSV sources whose rows were kept."""
    counts: int = 0
    """Columns with counts of values."""


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
    present: list[Entry] = [*contents.sets, *contents.marginals, *contents.twins, *contents.counts]
    oldest_first = sorted(present, key=lambda each: each.last_used_at)
    taken = sum(each.bytes for each in oldest_first) + new_bytes
    evicted: list[Entry] = []
    for each in oldest_first:
        if taken <= cap:
            break
        evicted.append(each)
        taken -= each.bytes
    return Contents(
        tuple(each for each in evicted if isinstance(each, CacheEntry)),
        tuple(each for each in evicted if isinstance(each, MarginalsEntry)),
        tuple(each for each in evicted if isinstance(each, SharedFile)),
        tuple(each for each in evicted if isinstance(each, CountsEntry)),
    )


def column_names(columns: Sequence[GroundedColumn]) -> tuple[str, ...]:
    """The columns of a set's table: c1, c2, … for its own columns in order, the entity column, and n."""
    of_persons = bool(columns) and columns[-1].hierarchy_hash == PERSONS
    cells = range(1, len(columns) + (not of_persons))
    return (*(f"c{position}" for position in cells), *(OF_PERSONS if of_persons else ()), "n")


def besides(sensitive: Sequence[str], entity: str | None) -> tuple[GroundedColumn, ...]:
    """The columns that a cached frequency set must have beyond the quasi-identifiers: sensitive columns, persons."""
    columns = tuple(GroundedColumn(column, SENSITIVE, 0) for column in sensitive)
    return columns if entity is None else (*columns, GroundedColumn(entity, PERSONS, 0))


def counted_column(column: str, hierarchy: Hierarchy, base: int) -> GroundedColumn:
    """The counts of a column's values as the cache knows them: of one that lists values, they serve any such."""
    if hierarchy.enumerated:
        return GroundedColumn(column, LISTED, 0)
    return GroundedColumn(column, hierarchy.content_hash, base)


@dataclass(frozen=True, slots=True)
class CountedColumn:
    """A column whose values are counted: under which hierarchy (or `LISTED`) and base, and the statement's SHA-256."""

    column: GroundedColumn
    statement_hash: str


@dataclass(frozen=True, slots=True)
class MeasuredValues:
    """A table of counted values: its rows of the dataset, its fingerprint, and the bytes it takes."""

    source_rows: int
    fingerprint: str
    bytes: int

    def proves(self, entry: CountsEntry, source_rows: int) -> bool:
        """True if the table is what the entry was stored as, and counts so many rows."""
        return self.fingerprint == entry.fingerprint and self.source_rows == source_rows


def serving(
    entries: Iterable[CountsEntry], version_id: int, wanted: Mapping[str, CountedColumn]
) -> dict[str, CountsEntry]:
    """The entry of this version for each table that is wanted, where there is one."""
    known = {
        CountedColumn(each.column, each.statement_hash): each
        for each in entries
        if each.dataset_version_id == version_id
    }
    return {table: known[column] for table, column in wanted.items() if column in known}


def replaced_values(
    entries: Iterable[CountsEntry], version_id: int, counted: Collection[CountedColumn]
) -> tuple[CountsEntry, ...]:
    """The entries of this version that are about these columns under these hierarchies, however they were counted."""
    columns = {each.column for each in counted}
    return tuple(each for each in entries if each.dataset_version_id == version_id and each.column in columns)


def new_counts(version_id: int, column: CountedColumn, measured: MeasuredValues, at: datetime) -> CountsEntry:
    """The entry of a table that is to be stored."""
    number = secrets.randbits(60)
    fingerprint, size = measured.fingerprint, measured.bytes
    return CountsEntry(number, version_id, column.column, column.statement_hash, fingerprint, size, at, at)


LevelSizes: TypeAlias = Mapping[tuple[str, str], Sizes]
"""Class sizes by (column, content hash of the level)."""


def size_of_marginals(marginals: LevelSizes) -> int:
    """The bytes that marginals take, before compression."""
    return sum(
        len(column.encode()) + len(level_hash.encode()) + 16 * len(sizes)
        for (column, level_hash), sizes in marginals.items()
    )


def require_histograms(marginals: LevelSizes) -> None:
    """Raise ValueError unless all are whole numbers, sizes ascending: nothing else may get into the cache."""
    for (column, _), sizes in marginals.items():
        previous = 0
        for size, classes in sizes:
            if type(size) is not int or type(classes) is not int or size <= previous or classes < 1:
                raise ValueError(f"the class sizes of {quoted(column)} must be whole numbers, ascending from 1")
            previous = size
