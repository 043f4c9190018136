"""The content of the cache: the sets and marginals in it, the set that serves a request, and the content to evict.

Pure decisions first (`Contents`), then the tables of an attached cache: one table `fs_<id>` of cells for each frequency
set, one table `vc_<id>` for the values of a column as the source counted them, and the class sizes of single columns by
dataset version and level.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlglot import exp

from ordermade import sql
from ordermade.errors import quoted
from ordermade.lattice.observation import Sizes
from ordermade.private_files import KeptFile
from ordermade.state.statements import rows, run, statement, without_zone

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


SENSITIVE = "sensitive"
"""Instead of a hierarchy's hash: the column is sensitive, its cells are the places of its values in their order."""

PERSONS = "persons"
"""Instead of a hierarchy's hash: the column identifies persons, whose combinations the set keeps. The last column."""

LISTED = "listed"
"""Instead of a hierarchy's hash: the values are counted as they are, which serves every hierarchy that lists them."""

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
class CountsEntry:
    """The stored counts of one column's values, of a dataset version, as a statement counted them.

    `fingerprint`: the length, rows and hash of the content; `bytes` is what they take before compression, times are in
    UTC.
    """

    id: int
    dataset_version_id: int
    column: GroundedColumn
    statement_hash: str
    fingerprint: str
    bytes: int
    created_at: datetime
    last_used_at: datetime


Entry: TypeAlias = CacheEntry | MarginalsEntry | CountsEntry | KeptFile


@dataclass(frozen=True, slots=True)
class Contents:
    """The content of a cache, of each kind what was used longest ago first. `counts`: those of values."""

    sets: tuple[CacheEntry, ...] = ()
    marginals: tuple[MarginalsEntry, ...] = ()
    twins: tuple[KeptFile, ...] = ()
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
    """The amount dropped: frequency sets, levels with marginals, twins of CSV files, columns with counts of values."""

    frequency_sets: int = 0
    marginals: int = 0
    twins: int = 0
    counts: int = 0


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
        tuple(each for each in evicted if isinstance(each, KeptFile)),
        tuple(each for each in evicted if isinstance(each, CountsEntry)),
    )


_BYTES = {
    "UTINYINT": 1,
    "USMALLINT": 2,
    "UINTEGER": 4,
    "UBIGINT": 8,
    "TINYINT": 1,
    "SMALLINT": 2,
    "INTEGER": 4,
    "BIGINT": 8,
    "HUGEINT": 16,
}
"""Whole numbers, the only types that the cache keeps of a frequency set, with the bytes each takes."""


def entries_of_sets(connection: DuckDBPyConnection) -> tuple[CacheEntry, ...]:
    """The sets of the attached cache, the one used longest ago first."""
    columns: dict[int, list[GroundedColumn]] = {}
    for set_id, name, hierarchy_hash, base in rows(connection, "cache/frequency_set_columns"):
        columns.setdefault(int(set_id), []).append(GroundedColumn(name, hierarchy_hash, int(base)))
    return tuple(
        CacheEntry(number, version, tuple(columns.get(number, ())), source_rows, length, size, created, used)
        for number, version, source_rows, length, size, created, used in rows(connection, "cache/frequency_sets")
    )


def measured_set(connection: DuckDBPyConnection, table: str, columns: Sequence[GroundedColumn]) -> tuple[int, int]:
    """Length and bytes of a frequency set of the workspace.

    Raises ValueError unless its columns are c1, c2, … and n (and where persons are kept, their numbers), all of them
    whole numbers: nothing else may get into the cache.
    """
    shape = connection.execute(sql.text(_named("cache/columns", frequency_set=table))).description
    types = {str(each[0]): str(each[1]) for each in shape}
    wanted = column_names(columns)
    if set(types) != set(wanted) or not set(types.values()) <= set(_BYTES):
        raise ValueError(f"a frequency set has whole numbers {', '.join(wanted)}, not {sorted(types)}")
    found: Any = connection.execute(sql.text(_named("cache/length", frequency_set=table))).fetchone()
    return int(found[0]), int(found[0]) * sum(_BYTES[kind] for kind in types.values())


def copy_in(connection: DuckDBPyConnection, entry: CacheEntry, table: str) -> None:
    """Store a frequency set of the workspace under the entry's number."""
    connection.execute(_copy("cache/store", entry.id, entry.columns, frequency_set=table))
    run(
        connection,
        "cache/frequency_set_insert",
        id=entry.id,
        dataset_version_id=entry.dataset_version_id,
        source_rows=entry.source_rows,
        length=entry.length,
        bytes=entry.bytes,
        at=without_zone(entry.created_at),
    )
    if entry.columns:
        run(
            connection,
            "cache/frequency_set_columns_insert",
            set_id=entry.id,
            position=list(range(len(entry.columns))),
            column_name=[each.column for each in entry.columns],
            hierarchy_hash=[each.hierarchy_hash for each in entry.columns],
            base_level=[each.base for each in entry.columns],
        )


def copy_out(connection: DuckDBPyConnection, cached: CachedSet, table: str) -> None:
    """Copy a stored set into a new temporary table of the workspace."""
    connection.execute(_copy("cache/load", cached.id, cached.columns, loaded=table))


def forget_sets(connection: DuckDBPyConnection, set_ids: Iterable[int]) -> None:
    """Drop sets with everything noted of them."""
    for set_id in set_ids:
        connection.execute(sql.text(_named("cache/drop", fs_1=_table_of(set_id))))
        run(connection, "cache/frequency_set_columns_delete", id=set_id)
        run(connection, "cache/frequency_set_delete", id=set_id)


def note_use_of_set(connection: DuckDBPyConnection, set_id: int, at: datetime) -> None:
    """Note that a set was used."""
    run(connection, "cache/frequency_set_used", id=set_id, at=without_zone(at))


def _copy(name: str, set_id: int, columns: Sequence[GroundedColumn], **stand_ins: str) -> str:
    """The statement of a copy between a set of the cache and a table of the workspace, column by column."""
    tree = _named(name, fs_1=_table_of(set_id), **stand_ins)
    selected = tree.find(exp.Select)
    if selected is None:
        raise TypeError(f"sql/{name}.sql selects nothing")
    selected.set("expressions", [sql.column(column) for column in column_names(columns)])
    return sql.text(tree)


def _named(name: str, **stand_ins: str) -> exp.Expr:
    """The tree of a statement with its stand-in tables given their names, wherever they are."""
    tree = sql.template(name)
    for table in tree.find_all(exp.Table):
        if table.name in stand_ins:
            table.set("this", sql.identifier(stand_ins[table.name]))
    return tree


def _table_of(set_id: int) -> str:
    return f"fs_{set_id}"


def column_names(columns: Sequence[GroundedColumn]) -> tuple[str, ...]:
    """The columns of a set's table: c1, c2, … for its own columns in order, the entity column, and n."""
    of_persons = bool(columns) and columns[-1].hierarchy_hash == PERSONS
    cells = range(1, len(columns) + (not of_persons))
    return (*(f"c{position}" for position in cells), *(OF_PERSONS if of_persons else ()), "n")


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


def entries_of_values(connection: DuckDBPyConnection) -> tuple[CountsEntry, ...]:
    """The counts of values in the attached cache, what was used longest ago first."""
    if not rows(connection, "cache/has_value_counts"):  # a file of an older engine, until some are stored
        return ()
    return tuple(
        CountsEntry(number, version, GroundedColumn(name, hierarchy_hash, int(base)), *rest)
        for number, version, name, hierarchy_hash, base, *rest in rows(connection, "cache/value_counts")
    )


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


def measured_values(connection: DuckDBPyConnection, tables: Sequence[str]) -> dict[str, MeasuredValues]:
    """The measures of tables of counted values in the workspace, in one statement."""
    if not tables:
        return {}
    queries: list[exp.Query] = []
    for number, table in enumerate(tables):
        tree = sql.with_relations(sql.select("cache/measured_values"), {"marginal": sql.table(table)})
        tree.expressions[0].set("this", exp.Literal.number(number))
        queries.append(tree)
    found = connection.execute(sql.text(sql.union_all(queries))).fetchall()
    return {
        tables[number]: MeasuredValues(int(counted), f"{length} {counted} {content}", int(size))
        for number, length, counted, content, size in found
    }


def copy_values_in(connection: DuckDBPyConnection, entry: CountsEntry, table: str) -> None:
    """Store a table of counted values of the workspace under the entry's number."""
    connection.execute(sql.text(_named("cache/store_values", vc_1=_values_of(entry.id), marginal=table)))
    run(
        connection,
        "cache/value_counts_insert",
        id=entry.id,
        dataset_version_id=entry.dataset_version_id,
        column_name=entry.column.column,
        hierarchy_hash=entry.column.hierarchy_hash,
        base_level=entry.column.base,
        statement_hash=entry.statement_hash,
        fingerprint=entry.fingerprint,
        bytes=entry.bytes,
        at=without_zone(entry.created_at),
    )


def copy_values_out(connection: DuckDBPyConnection, entry: CountsEntry, table: str) -> None:
    """Copy stored counts into a temporary table of the workspace."""
    connection.execute(sql.text(_named("cache/load_values", vc_1=_values_of(entry.id), loaded=table)))


def forget_values(connection: DuckDBPyConnection, numbers: Iterable[int]) -> None:
    """Drop counts with everything noted of them."""
    for number in numbers:
        connection.execute(sql.text(_named("cache/drop_values", vc_1=_values_of(number))))
        run(connection, "cache/value_counts_delete", id=number)


def note_use_of_values(connection: DuckDBPyConnection, numbers: Sequence[int], at: datetime) -> None:
    """Note that counts were used."""
    run(connection, "cache/value_counts_used", id=list(numbers), at=without_zone(at))


def _values_of(number: int) -> str:
    return f"vc_{number}"


LevelSizes: TypeAlias = Mapping[tuple[str, str], Sizes]
"""Class sizes by (column, content hash of the level)."""


def entries_of_marginals(connection: DuckDBPyConnection) -> tuple[MarginalsEntry, ...]:
    """List the marginals of each dataset version, the one used longest ago first."""
    if not _has_any(connection):
        return ()
    return tuple(
        MarginalsEntry(version, tuple(columns), levels, int(size), created, used)
        for version, columns, levels, size, created, used in rows(connection, "cache/marginal_versions")
    )


def stored_marginals(connection: DuckDBPyConnection, version_id: int) -> dict[tuple[str, str], Sizes]:
    """The marginals of a dataset version."""
    if not _has_any(connection):
        return {}
    # Read as plain tuples, without `rows`: none holds a time.
    found = connection.execute(statement("cache/marginals"), {"dataset_version_id": version_id}).fetchall()
    return {(column, level_hash): tuple(zip(sizes, counts, strict=True)) for column, level_hash, sizes, counts in found}


def add_marginals(connection: DuckDBPyConnection, version_id: int, marginals: LevelSizes, at: datetime) -> None:
    """Store marginals that the cache does not have."""
    run(connection, "cache/create_marginals")
    run(
        connection,
        "cache/marginals_insert",
        dataset_version_id=version_id,
        column_name=[column for column, _ in marginals],
        level_hash=[level_hash for _, level_hash in marginals],
        class_sizes=[str([size for size, _ in sizes]) for sizes in marginals.values()],
        class_counts=[str([classes for _, classes in sizes]) for sizes in marginals.values()],
        at=without_zone(at),
    )


def forget_marginals(connection: DuckDBPyConnection, version_ids: Iterable[int]) -> None:
    """Drop the marginals of dataset versions."""
    for version_id in version_ids:
        run(connection, "cache/marginals_delete", dataset_version_id=version_id)


def note_use_of_marginals(connection: DuckDBPyConnection, version_id: int, at: datetime) -> None:
    """Note that the marginals of a dataset version were used."""
    run(connection, "cache/marginals_used", dataset_version_id=version_id, at=without_zone(at))


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


def _has_any(connection: DuckDBPyConnection) -> bool:
    """True if the cache can hold marginals: a file of an older engine cannot, until some are stored."""
    return bool(rows(connection, "cache/has_marginals"))
