"""Dataset versions: the contents a dataset was seen with."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ordermade.errors import StateDamaged
from ordermade.hierarchies.column_types import without_labels
from ordermade.state import statements
from ordermade.state.statements import utc_now
from ordermade.state.table import Table

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection


@dataclass(frozen=True, slots=True)
class DatasetVersion:
    """A version of a dataset."""

    id: int
    """Its number."""
    dataset_hash: str
    """The hash of source, relation and row filter."""
    dataset_id: int | None
    """The number of the registered dataset."""
    filter: str | None
    """The row filter."""
    rows: int
    """The number of rows."""
    hash_sum: int
    """The sum of a hash a row."""
    columns_hash: str
    """The hash of the columns."""
    first_seen_at: datetime
    """The time it was first seen."""
    last_seen_at: datetime
    """The time it was last seen."""
    persons: int | None = None
    """The number of persons; null where a row is a person."""
    vouched_by: str | None = None
    """The SHA-256 of the provider's query that vouches for it, or `fingerprint`."""

    @property
    def units(self) -> int:
        """The number of units that classes count: persons where the dataset has an entity column, else rows."""
        return self.rows if self.persons is None else self.persons


@dataclass(frozen=True, slots=True)
class VersionColumn:
    """A column of a version, `position` from 0.

    `evaluated_over`: the hash of the dataset without row filter in whose every row it was evaluated first, or None.
    """

    dataset_version_id: int
    position: int
    column_name: str
    column_type: str
    evaluated_over: str | None


@dataclass(frozen=True, slots=True)
class DatasetIdentity:
    """What a registered dataset is under a row filter of a request: `dataset_hash`, as versions have it."""

    dataset_id: int
    dataset_hash: str
    filter: str | None


VERSIONS = Table("dataset_versions", DatasetVersion)
VERSION_COLUMNS = Table("dataset_version_columns", VersionColumn, key=("dataset_version_id", "position"))
IDENTITIES = Table("dataset_identities", DatasetIdentity, key=("dataset_id", "dataset_hash"))

ERASED = "erased by policy"
"""The row filter of a dataset whose row filter was erased, and the title of a request that was."""


def register(
    connection: StateConnection,
    dataset_hash: str,
    dataset_id: int | None,
    filter: str | None,
    rows: int,
    hash_sum: int,
    columns_hash: str,
    columns: Mapping[str, str],
    persons: int | None = None,
    vouched_by: str | None = None,
    evaluated_over: str | None = None,
) -> DatasetVersion:
    """The version with this content, noted as seen now; made if it is new.

    `rows` counts rows, `persons` persons where the dataset has an entity column; `hash_sum` may be any signed 128-bit
    number; `columns` are the dataset's in order, with their SQL types, of which the labels of an ENUM are not kept:
    they are values. `vouched_by`: the SHA-256 of the query that vouches for the version. A registered dataset
    (`dataset_id`) is noted to be this one under this row filter. `evaluated_over`: the hash of the dataset without a
    filter in whose every row the columns were evaluated; None where they were not. Raises StateDamaged.
    """
    number, now = version_id(dataset_hash, rows, hash_sum, columns_hash), utc_now()
    noted = statements.rows(connection, "state/version_noted", id=number, evaluated_over=evaluated_over)
    known, of_columns, elsewhere = (DatasetVersion(*noted[0][:-2]), *noted[0][-2:]) if noted else (None, 0, 0)
    content = (dataset_hash, rows, hash_sum, columns_hash)
    if known is None:
        version = VERSIONS.insert(
            connection,
            id=number,
            dataset_hash=dataset_hash,
            dataset_id=dataset_id,
            filter=filter,
            rows=rows,
            hash_sum=hash_sum,
            columns_hash=columns_hash,
            first_seen_at=now,
            last_seen_at=now,
            persons=persons,
            vouched_by=vouched_by,
        )
    elif (known.dataset_hash, known.rows, known.hash_sum, known.columns_hash) == content:
        (version,) = VERSIONS.update(
            connection,
            {"id": number},
            last_seen_at=now,
            persons=persons if known.persons is None else known.persons,
            filter=filter if known.filter == ERASED else known.filter,
        )
    else:
        raise StateDamaged(
            "a dataset version does not have the content its number was made from",
            where="dataset_versions",
            next_step="Run `ordermade state verify` and put back a copy made by `ordermade state backup`.",
        )
    if not of_columns:
        VERSION_COLUMNS.add_all(
            connection,
            (
                VersionColumn(number, position, name, without_labels(kind), evaluated_over)
                for position, (name, kind) in enumerate(columns.items())
            ),
        )
    elif columns and evaluated_over is not None and elsewhere:
        VERSION_COLUMNS.update(connection, {"dataset_version_id": number}, evaluated_over=evaluated_over)
    if dataset_id is not None:
        _note_identity(connection, dataset_id, version)
    return version


def _note_identity(connection: StateConnection, dataset_id: int, version: DatasetVersion) -> None:
    key = {"dataset_id": dataset_id, "dataset_hash": version.dataset_hash}
    noted = IDENTITIES.find(connection, **key)
    if noted is None:
        IDENTITIES.insert(connection, **key, filter=version.filter)
    elif noted.filter != version.filter:  # it was erased by policy
        IDENTITIES.update(connection, key, filter=version.filter)


def identities(connection: StateConnection, dataset_id: int) -> dict[str, str | None]:
    """The row filters of the requests on a registered dataset, each by the hash of the dataset under it."""
    found = IDENTITIES.select(connection, dataset_id=dataset_id, order_by=("dataset_hash",))
    return {each.dataset_hash: each.filter for each in found}


def version_id(dataset_hash: str, rows: int, hash_sum: int, columns_hash: str) -> int:
    """The number of a version, made from its content (60 bits of a SHA-256).

    So a cache never takes one version for another, even where a state was made anew or put back from a
    backup, which would give the numbers of a counter out a second time.
    """
    content = "\n".join((dataset_hash, str(rows), str(hash_sum), columns_hash))
    return int(hashlib.sha256(content.encode("utf-8")).hexdigest()[:15], 16)


def find(connection: StateConnection, number: int) -> DatasetVersion | None:
    """The version of that number, or None."""
    return VERSIONS.find(connection, id=number)


def get(connection: StateConnection, number: int) -> DatasetVersion:
    """The version of that number. Raises KeyError."""
    found = find(connection, number)
    if found is None:
        raise KeyError(number)
    return found


def listed(connection: StateConnection) -> tuple[DatasetVersion, ...]:
    """Every version seen, the last seen first."""
    return tuple(VERSIONS.select(connection, order_by=("-last_seen_at", "id")))


def last_seen(connection: StateConnection, dataset_id: int, filter_text: str | None) -> int | None:
    """The number of the version that a registered dataset was last seen with under a row filter; None where never."""
    found = statements.rows(connection, "state/version_last_seen", dataset_id=dataset_id, filter=filter_text)
    return int(found[0][0]) if found else None


def under_any_filter(
    connection: StateConnection, dataset_id: int, most: int | None = None
) -> tuple[DatasetVersion, ...]:
    """The versions that a registered dataset was seen with, whatever the row filter, the last seen first: `most`."""
    found = statements.rows(connection, "state/versions_of_dataset", dataset_id=dataset_id, most=most)
    return tuple(DatasetVersion(*row) for row in found)


def columns(connection: StateConnection, number: int) -> dict[str, str]:
    """The columns of a version in order, with their SQL types; empty if they were never noted (an older engine)."""
    found = VERSION_COLUMNS.select(connection, dataset_version_id=number, order_by=("position",))
    return {each.column_name: each.column_type for each in found}


def evaluated(connection: StateConnection, evaluated_over: str, vouched_by: str, columns_hash: str) -> frozenset[int]:
    """What a query vouched for when every column was evaluated in every row of that dataset without a row filter."""
    over = {"evaluated_over": evaluated_over, "vouched_by": vouched_by, "columns_hash": columns_hash}
    return frozenset(int(row[0]) for row in statements.rows(connection, "state/vouched_evaluated", **over))


def is_evaluated(connection: StateConnection, number: int) -> bool:
    """Whether every column was evaluated in every row of the dataset, row filter aside, when a version was noted."""
    found = VERSION_COLUMNS.read(connection, ("evaluated_over",), dataset_version_id=number)
    return any(over is not None for (over,) in found)


def any_columns(connection: StateConnection, seen: Iterable[DatasetVersion]) -> dict[str, str]:
    """The columns of the first of these versions of which they were noted; else empty."""
    for version in seen:
        found = columns(connection, version.id)
        if found:
            return found
    return {}


def seen_before(connection: StateConnection, number: int) -> int | None:
    """The other version of the same dataset and row filter that was seen last and has nodes in table C, or None."""
    found = statements.rows(connection, "state/version_seen_before", dataset_version_id=number)
    return int(found[0][0]) if found else None


def current(connection: StateConnection) -> frozenset[int]:
    """The version seen last of each dataset and filter: those whose cached sets are still of use."""
    return frozenset(int(row[0]) for row in statements.rows(connection, "state/versions_current"))
