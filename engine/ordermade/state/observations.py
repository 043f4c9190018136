"""Table C: every node ever measured, known by dataset version and by the content of its levels."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ordermade.lattice.node import NodeKey
from ordermade.lattice.observation import Observation
from ordermade.state.records import MeasuredNode
from ordermade.state.statements import rows, run, statement, utc_now

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def known(connection: DuckDBPyConnection, version_id: int) -> dict[NodeKey, Observation]:
    """Every node measured on this dataset version, by its columns and level hashes."""
    of_version = {"dataset_version_id": version_id}
    # Read as plain tuples, without `rows`: there may be tens of thousands of them and none holds a time.
    figures = connection.execute(statement("state/observations"), of_version).fetchall()
    nodes = connection.execute(statement("state/observation_levels"), of_version).fetchall()
    pairs = [(str(column), str(level)) for column, level in rows(connection, "state/observation_pairs", **of_version)]
    keys = {number: frozenset([pairs[place - 1] for place in places]) for number, places in nodes}
    top: NodeKey = frozenset()
    return {
        keys.get(number, top): Observation(
            rows=of_rows,
            divisions=divisions,
            k=k,
            sum_of_squares=squares,
            sizes=tuple(zip(sizes, counts, strict=True)),
        )
        for number, of_rows, divisions, k, squares, sizes, counts in figures
    }


def record(
    connection: DuckDBPyConnection, version_id: int, request_id: int | None, measured: Sequence[MeasuredNode]
) -> int:
    """Add measured nodes to table C, leaving out those it has; the number added.

    An observation is exact for its version and levels, so what is there already is never changed.
    """
    stored = {str(row[0]) for row in rows(connection, "state/observation_hashes", dataset_version_id=version_id)}
    new: dict[str, MeasuredNode] = {}
    for node in measured:
        hashed = node_hash((level.column, level.level_hash) for level in node.levels)
        if hashed not in stored:
            new.setdefault(hashed, node)
    if not new:
        return 0
    observations = [node.observation for node in new.values()]
    numbers = rows(
        connection,
        "state/observations_insert",
        dataset_version_id=version_id,
        request_id=request_id,
        measured_at=utc_now(),
        node_hash=list(new),
        rows=[each.rows for each in observations],
        divisions=[each.divisions for each in observations],
        k=[each.k for each in observations],
        sum_of_squares=[each.sum_of_squares for each in observations],
        class_sizes=[str([size for size, _ in each.sizes]) for each in observations],
        class_counts=[str([classes for _, classes in each.sizes]) for each in observations],
    )
    levels = [(number, level) for number, hashed in numbers for level in new[hashed].levels]
    if levels:
        run(
            connection,
            "state/observation_levels_insert",
            observation_id=[number for number, _ in levels],
            column_name=[level.column for _, level in levels],
            level=[level.level for _, level in levels],
            level_name=[level.level_name for _, level in levels],
            level_hash=[level.level_hash for _, level in levels],
        )
    return len(new)


def forget(connection: DuckDBPyConnection, version_id: int) -> None:
    """Forgets all nodes of a version."""
    run(connection, "state/observations_forget_levels", dataset_version_id=version_id)
    run(connection, "state/observations_forget", dataset_version_id=version_id)


def node_hash(levels: Iterable[tuple[str, str]]) -> str:
    """SHA-256 of a node's pairs (column, level hash), in whatever order they are given."""
    digest = hashlib.sha256()
    for column, level_hash in sorted(levels):
        # The length before the name keeps ("a", "bc") and ("ab", "c") apart, whatever the names hold.
        digest.update(f"{len(column)}:{column}={level_hash}\n".encode())
    return digest.hexdigest()


def counts(connection: DuckDBPyConnection) -> dict[int, int]:
    """How many nodes table C has of each dataset version."""
    return {int(version): int(number) for version, number in rows(connection, "state/observation_counts")}
