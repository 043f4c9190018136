"""The frequency sets of an attached cache: their list, and one table `fs_<id>` of cells for each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from ordermade import sql
from ordermade.state.cached_set import OF_PERSONS, PERSONS, CachedSet, CacheEntry, GroundedColumn
from ordermade.state.statements import rows, run, without_zone

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
"""Whole numbers, the only types the cache keeps, with the bytes each takes."""


def entries(connection: DuckDBPyConnection) -> tuple[CacheEntry, ...]:
    """The sets of the attached cache, the one used longest ago first."""
    columns: dict[int, list[GroundedColumn]] = {}
    for set_id, name, hierarchy_hash, base in rows(connection, "cache/frequency_set_columns"):
        columns.setdefault(int(set_id), []).append(GroundedColumn(name, hierarchy_hash, int(base)))
    return tuple(
        CacheEntry(number, version, tuple(columns.get(number, ())), source_rows, length, size, created, used)
        for number, version, source_rows, length, size, created, used in rows(connection, "cache/frequency_sets")
    )


def measured(connection: DuckDBPyConnection, table: str, columns: Sequence[GroundedColumn]) -> tuple[int, int]:
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


def forget(connection: DuckDBPyConnection, set_ids: Iterable[int]) -> None:
    """Drop sets with everything noted of them."""
    for set_id in set_ids:
        connection.execute(sql.text(_named("cache/drop", fs_1=_table_of(set_id))))
        run(connection, "cache/frequency_set_columns_delete", id=set_id)
        run(connection, "cache/frequency_set_delete", id=set_id)


def note_use(connection: DuckDBPyConnection, set_id: int, at: datetime) -> None:
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
