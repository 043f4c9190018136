"""Dataset versions: the contents a dataset was seen with."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from ordermade.errors import StateDamaged
from ordermade.state.records import DatasetVersion
from ordermade.state.statements import rows, run, utc_now

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def register(
    connection: DuckDBPyConnection,
    dataset_hash: str,
    dataset_id: int | None,
    filter: str | None,
    rows: int,
    hash_sum: int,
    columns_hash: str,
) -> DatasetVersion:
    """The version with this content, noted as seen now; made if it is new.

    `rows` counts rows; `hash_sum` may be any signed 128-bit number.
    """
    number = version_id(dataset_hash, rows, hash_sum, columns_hash)
    known = find(connection, number)
    if known is None:
        run(
            connection,
            "state/version_insert",
            id=number,
            dataset_hash=dataset_hash,
            dataset_id=dataset_id,
            filter=filter,
            rows=rows,
            hash_sum=hash_sum,
            columns_hash=columns_hash,
            seen_at=utc_now(),
        )
    elif (known.dataset_hash, known.rows, known.hash_sum, known.columns_hash) == (
        dataset_hash,
        rows,
        hash_sum,
        columns_hash,
    ):
        run(connection, "state/version_seen", id=number, seen_at=utc_now())
    else:
        raise StateDamaged(
            "a dataset version does not have the content its number was made from",
            where="dataset_versions",
            next_step="Run `ordermade state verify` and put back a copy made by `ordermade state backup`.",
        )
    return get(connection, number)


def version_id(dataset_hash: str, rows: int, hash_sum: int, columns_hash: str) -> int:
    """The number of a version, made from its content (60 bits of a SHA-256).

    So a cache never takes one version for another, even where a state was made anew or put back from a
    backup, which would give the numbers of a counter out a second time.
    """
    content = "\n".join((dataset_hash, str(rows), str(hash_sum), columns_hash))
    return int(hashlib.sha256(content.encode("utf-8")).hexdigest()[:15], 16)


def find(connection: DuckDBPyConnection, number: int) -> DatasetVersion | None:
    """The version of that number, or None."""
    found = rows(connection, "state/version_by_id", id=number)
    return DatasetVersion(*found[0]) if found else None


def get(connection: DuckDBPyConnection, number: int) -> DatasetVersion:
    """The version of that number. Raises KeyError."""
    found = find(connection, number)
    if found is None:
        raise KeyError(number)
    return found


def listed(connection: DuckDBPyConnection) -> tuple[DatasetVersion, ...]:
    """Every version seen, the last seen first."""
    return tuple(DatasetVersion(*row) for row in rows(connection, "state/versions"))


def current(connection: DuckDBPyConnection) -> frozenset[int]:
    """The version seen last of each dataset and filter: those whose cached sets are still of use."""
    return frozenset(int(row[0]) for row in rows(connection, "state/versions_current"))
