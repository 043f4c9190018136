"""The marginals of an attached cache: the class sizes of single columns, by dataset version and level."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from ordermade.errors import quoted
from ordermade.lattice.observation import Sizes
from ordermade.state.cached_set import MarginalsEntry
from ordermade.state.statements import rows, run, statement, without_zone

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

LevelSizes: TypeAlias = Mapping[tuple[str, str], Sizes]
"""Class sizes by (column, content hash of the level)."""


def entries(connection: DuckDBPyConnection) -> tuple[MarginalsEntry, ...]:
    """List the marginals of each dataset version, the one used longest ago first."""
    if not _has_any(connection):
        return ()
    return tuple(
        MarginalsEntry(version, tuple(columns), levels, int(size), created, used)
        for version, columns, levels, size, created, used in rows(connection, "cache/marginal_versions")
    )


def stored(connection: DuckDBPyConnection, version_id: int) -> dict[tuple[str, str], Sizes]:
    """The marginals of a dataset version."""
    if not _has_any(connection):
        return {}
    # Read as plain tuples, without `rows`: none holds a time.
    found = connection.execute(statement("cache/marginals"), {"dataset_version_id": version_id}).fetchall()
    return {(column, level_hash): tuple(zip(sizes, counts, strict=True)) for column, level_hash, sizes, counts in found}


def add(connection: DuckDBPyConnection, version_id: int, marginals: LevelSizes, at: datetime) -> None:
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


def forget(connection: DuckDBPyConnection, version_ids: Iterable[int]) -> None:
    """Drop the marginals of dataset versions."""
    for version_id in version_ids:
        run(connection, "cache/marginals_delete", dataset_version_id=version_id)


def note_use(connection: DuckDBPyConnection, version_id: int, at: datetime) -> None:
    """Note that the marginals of a dataset version were used."""
    run(connection, "cache/marginals_used", dataset_version_id=version_id, at=without_zone(at))


def size_of(marginals: LevelSizes) -> int:
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
