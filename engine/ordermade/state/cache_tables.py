"""The tables of an attached cache: the cells of frequency sets, the counts of values, the class sizes of levels.

One table `fs_<id>` of cells for each frequency set, one table `vc_<id>` for the values of a column as the source
counted them, and the class sizes of single columns by dataset version and level.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ordermade.files.resources import statement
from ordermade.lattice.observation import Sizes
from ordermade.state.cache_contents import (
    CachedSet,
    CacheEntry,
    CountsEntry,
    GroundedColumn,
    LevelSizes,
    MarginalsEntry,
    MeasuredValues,
    column_names,
)
from ordermade.state.cache_database import rows, run
from ordermade.state.statements import without_zone

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


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
    shape = connection.execute(_statement("cache/columns", frequency_set=table)).description
    types = {str(each[0]): str(each[1]) for each in shape}
    wanted = column_names(columns)
    if set(types) != set(wanted) or not set(types.values()) <= set(_BYTES):
        raise ValueError(f"a frequency set has whole numbers {', '.join(wanted)}, not {sorted(types)}")
    found: Any = connection.execute(_statement("cache/length", frequency_set=table)).fetchone()
    return int(found[0]), int(found[0]) * sum(_BYTES[kind] for kind in types.values())


def leave(connection: DuckDBPyConnection, entry: CacheEntry, table: str) -> None:
    """Copy a frequency set of the workspace to where it crosses."""
    connection.execute(_statement("cache/leave", entry.columns, frequency_set=table))


def arrive(connection: DuckDBPyConnection, table: str) -> None:
    """Copy a table that has crossed into a temporary one of the workspace."""
    connection.execute(_statement("cache/arrived", loaded=table))


def copy_in(connection: DuckDBPyConnection, entry: CacheEntry, table: str) -> None:
    """Store a frequency set that has crossed under the entry's number."""
    connection.execute(_statement("cache/store", entry.columns, fs_1=_table_of(entry.id), frequency_set=table))
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
    """Copy a stored set to where it crosses to the workspace."""
    connection.execute(_statement("cache/load", cached.columns, fs_1=_table_of(cached.id), loaded=table))


def forget_sets(connection: DuckDBPyConnection, set_ids: Iterable[int]) -> None:
    """Drop sets with everything noted of them."""
    for set_id in set_ids:
        connection.execute(_statement("cache/drop", fs_1=_table_of(set_id)))
        run(connection, "cache/frequency_set_columns_delete", id=set_id)
        run(connection, "cache/frequency_set_delete", id=set_id)


def note_use_of_set(connection: DuckDBPyConnection, set_id: int, at: datetime) -> None:
    """Note that a set was used."""
    run(connection, "cache/frequency_set_used", id=set_id, at=without_zone(at))


def _statement(name: str, columns: Sequence[GroundedColumn] | None = None, **stand_ins: str) -> str:
    """The text of a statement with its stand-in tables given their names, wherever they are.

    `columns`: those of the set that it copies to or from a table of the workspace, column by column.
    """
    from ordermade.state.cache_statements import filled  # most of what is read of a cache needs no tree

    return filled(name, None if columns is None else column_names(columns), stand_ins)


def _table_of(set_id: int) -> str:
    return f"fs_{set_id}"


def entries_of_values(connection: DuckDBPyConnection) -> tuple[CountsEntry, ...]:
    """The counts of values in the attached cache, what was used longest ago first."""
    if not rows(connection, "cache/has_value_counts"):  # a file of an older engine, until some are stored
        return ()
    return tuple(
        CountsEntry(number, version, GroundedColumn(name, hierarchy_hash, int(base)), *rest)
        for number, version, name, hierarchy_hash, base, *rest in rows(connection, "cache/value_counts")
    )


def measured_values(connection: DuckDBPyConnection, tables: Sequence[str]) -> dict[str, MeasuredValues]:
    """The measures of tables of counted values in the workspace, in one statement."""
    if not tables:
        return {}
    from ordermade.state.cache_statements import measuring

    found = connection.execute(measuring(tuple(tables))).fetchall()
    return {
        tables[number]: MeasuredValues(int(counted), f"{length} {counted} {content}", int(size))
        for number, length, counted, content, size in found
    }


def leave_values(connection: DuckDBPyConnection, table: str) -> None:
    """Copy a table of counted values of the workspace to where it crosses."""
    connection.execute(_statement("cache/leave_values", marginal=table))


def copy_values_in(connection: DuckDBPyConnection, entry: CountsEntry, table: str) -> None:
    """Store a table of counted values that has crossed under the entry's number."""
    connection.execute(_statement("cache/store_values", vc_1=_values_of(entry.id), marginal=table))
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
    """Copy stored counts to where they cross to the workspace."""
    connection.execute(_statement("cache/load_values", vc_1=_values_of(entry.id), loaded=table))


def forget_values(connection: DuckDBPyConnection, numbers: Iterable[int]) -> None:
    """Drop counts with everything noted of them."""
    for number in numbers:
        connection.execute(_statement("cache/drop_values", vc_1=_values_of(number)))
        run(connection, "cache/value_counts_delete", id=number)


def note_use_of_values(connection: DuckDBPyConnection, numbers: Sequence[int], at: datetime) -> None:
    """Note that counts were used."""
    run(connection, "cache/value_counts_used", id=list(numbers), at=without_zone(at))


def _values_of(number: int) -> str:
    return f"vc_{number}"


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


def _has_any(connection: DuckDBPyConnection) -> bool:
    """True if the cache can hold marginals: a file of an older engine cannot, until some are stored."""
    return bool(rows(connection, "cache/has_marginals"))
