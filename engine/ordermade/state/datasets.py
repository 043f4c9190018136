"""Datasets in the state, by name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ordermade.errors import InputError, UnknownName, UnverifiedHeader
from ordermade.hierarchies.column_types import without_labels
from ordermade.privacy.least_k import DEFAULT_LEAST_K, DatasetTerms
from ordermade.records.cards import HasSummary
from ordermade.state import sources
from ordermade.state.statements import checked_name, find, require_free, rows, utc_now
from ordermade.state.table import Table

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection


@dataclass(frozen=True, slots=True)
class DatasetRow:
    """The row of a dataset. `filters`: `any`, `none`, or the `columns` of `FilterColumn`; `columns`: JSON."""

    id: int
    name: str
    source_id: int
    table_name: str | None
    query_text: str | None
    query_hash: str | None
    entity_column: str | None
    added_at: datetime
    removed_at: datetime | None
    least_k: int
    filters: str
    version_query: str | None
    parts_column: str | None
    file_parts: bool
    fingerprint: bool
    columns: str | None


@dataclass(frozen=True, slots=True)
class FilterColumn:
    """A column that requests may filter a dataset by, where not all of them; `position` from 0."""

    dataset_id: int
    position: int
    column_name: str


DATASETS = Table("datasets", DatasetRow)
FILTER_COLUMNS = Table("dataset_filter_columns", FilterColumn, key=("dataset_id", "position"))


@dataclass(frozen=True, slots=True)
class Division:
    """The way a dataset is divided: by the values of a `column`, or by files or partitions where that is None.

    `fingerprint`: whether the path, size, time of change and footer of each file stand for its rows.
    """

    column: str | None = None
    fingerprint: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class RegisteredDataset(HasSummary):
    """A registered dataset: a table or a query of a source."""

    id: int
    """Its number."""
    name: str
    """Its name."""
    source_id: int
    """The number of its source."""
    source_name: str
    """The name of its source."""
    table_name: str | None
    """Its table; null of a query."""
    query_text: str | None
    """Its query; null of a table."""
    query_hash: str | None
    """The hash of its query."""
    entity_column: str | None
    """The column that identifies a person, where k counts persons; null: k counts rows."""
    added_at: datetime
    """The time it was registered."""
    removed_at: datetime | None
    """The time it was taken out of use."""
    least_k: int = DEFAULT_LEAST_K
    """The least k of a request; no count below it is shown."""
    where_columns: tuple[str, ...] | None = None
    """The columns that row filters may use; null: every column."""
    version_query: str | None = None
    """The SELECT whose one row stands for its content; null: every row is hashed."""
    parts_column: str | None = None
    """The column of which each value is a part; null: it is whole, or each file or partition is."""
    file_parts: bool = False
    """Whether each file of its source, or each partition of its table, is a part."""
    fingerprint: bool = False
    """Whether path, size, time of change and footer of a file stand for its rows, which are hashed otherwise."""
    policy: str | None = None
    """Its policy in force, as canonical JSON; null: none."""

    @property
    def in_parts(self) -> bool:
        """True if it is counted part by part."""
        return self.file_parts or self.parts_column is not None

    @property
    def division(self) -> Division | None:
        """The way it is divided; None where it is counted whole."""
        return Division(self.parts_column, self.fingerprint) if self.in_parts else None

    @property
    def terms(self) -> DatasetTerms:
        """The terms that requests on it must keep: of its options and its policy the stricter ones."""
        if self.policy is None:
            return DatasetTerms(self.least_k, self.where_columns)
        from ordermade.policies.policy import stored_policy  # most datasets have none

        policy = stored_policy(self.policy).with_least_k(self.least_k)
        return DatasetTerms(policy.k or self.least_k, self.where_columns, policy.never_filtered, policy)


def add(
    connection: StateConnection,
    name: str,
    source_name: str,
    *,
    table_name: str | None = None,
    query_text: str | None = None,
    entity_column: str | None = None,
    least_k: int = DEFAULT_LEAST_K,
    where_columns: Sequence[str] | None = None,
    version_query: str | None = None,
    parts_column: str | None = None,
    file_parts: bool = False,
    fingerprint: bool = False,
    columns: Mapping[str, str] | None = None,
) -> RegisteredDataset:
    """Register one table or one query of a source, with the terms that requests on it must keep.

    `where_columns`: the columns that they may filter by; None: every column. `version_query`: the text of the query
    that vouches for its versions. `parts_column`, `file_parts`, `fingerprint`: its parts and their versions.
    `columns`: name as stored, and type. Raises InputError for a taken name or not exactly one of the two, UnknownName
    for the source.
    """
    checked_name("dataset", name)
    if (table_name is None) == (query_text is None):
        raise InputError("a dataset is one table or one query", next_step="Give either --table or --query.")
    source = sources.get(connection, source_name)
    require_free("dataset", name, listed(connection))
    query_hash = None if query_text is None else hashlib.sha256(query_text.encode("utf-8")).hexdigest()
    added = DATASETS.insert(
        connection,
        name=name,
        source_id=source.id,
        table_name=table_name,
        query_text=query_text,
        query_hash=query_hash,
        entity_column=entity_column,
        added_at=utc_now(),
        least_k=least_k,
        filters=_filters(where_columns),
        version_query=version_query,
        parts_column=parts_column,
        file_parts=file_parts,
        fingerprint=fingerprint,
        columns=None if columns is None else _noted(columns),
    )
    open_to_filters(connection, added.id, where_columns or ())
    return RegisteredDataset(
        added.id,
        name,
        source.id,
        source.name,
        table_name,
        query_text,
        query_hash,
        entity_column,
        added.added_at,
        None,
        least_k,
        None if where_columns is None else tuple(where_columns),
        version_query,
        parts_column,
        file_parts,
        fingerprint,
    )


def open_to_filters(connection: StateConnection, number: int, columns: Sequence[str]) -> None:
    """Notes the columns that requests may filter a dataset by."""
    FILTER_COLUMNS.add_all(connection, (FilterColumn(number, place, each) for place, each in enumerate(columns)))


def columns_of(connection: StateConnection, number: int) -> dict[str, str] | None:
    """The columns of a dataset with their types, as they were noted last; None where they never were."""
    ((noted,),) = DATASETS.read(connection, ("columns",), id=number)
    if noted is None:
        return None
    return {name if shown else UnverifiedHeader(name): kind for name, kind, shown in json.loads(noted)}


def note_columns(connection: StateConnection, number: int, columns: Mapping[str, str]) -> None:
    """Notes the columns of a dataset, with their types, as they are now."""
    DATASETS.update(connection, {"id": number}, columns=_noted(columns))


def note_version_query(connection: StateConnection, dataset: RegisteredDataset, text: str) -> RegisteredDataset:
    """Notes the query that vouches for the versions of a dataset from now on; the dataset with it."""
    DATASETS.update(connection, {"id": dataset.id}, version_query=text)
    return replace(dataset, version_query=text)


def _noted(columns: Mapping[str, str]) -> str:
    listed = [(name, without_labels(kind), not isinstance(name, UnverifiedHeader)) for name, kind in columns.items()]
    return json.dumps(listed, ensure_ascii=False)


def listed(connection: StateConnection) -> tuple[RegisteredDataset, ...]:
    """The registered datasets, by name."""
    return tuple(_record(row) for row in rows(connection, "state/datasets", name=None))


_SOURCE_AT = 18
"""The column of a dataset's row that its source begins at."""


def _record(row: Sequence[Any]) -> RegisteredDataset:
    *described, version_query, parts_column, file_parts, fingerprint, filters, columns, policy = row[:_SOURCE_AT]
    allowed = None if filters == "any" else tuple(columns or ())
    parted = (parts_column, bool(file_parts), bool(fingerprint))
    return RegisteredDataset(*described, allowed, version_query, *parted, policy)  # type: ignore[call-arg]


def _filters(where_columns: Sequence[str] | None) -> str:
    """The word for what requests may filter by."""
    if where_columns is None:
        return "any"
    return "columns" if where_columns else "none"


def get(connection: StateConnection, name: str) -> RegisteredDataset:
    """The registered dataset of that name. Raises UnknownName."""
    return with_source(connection, name)[0]


def with_source(connection: StateConnection, name: str) -> tuple[RegisteredDataset, sources.Source]:
    """The registered dataset of that name, and its source. Raises UnknownName."""
    found = rows(connection, "state/datasets", name=name)
    if not found:
        find("dataset", name, listed(connection))
    return _record(found[0]), sources.of_row(found[0][_SOURCE_AT:])


def ever_named(connection: StateConnection, name: str) -> tuple[int, ...]:
    """The numbers of the datasets that have this name, or had it until they were removed. Raises UnknownName."""
    names = [(int(number), str(each)) for number, each in DATASETS.read(connection, ("id", "name"), order_by=("id",))]
    found = tuple(number for number, each in names if each == name)
    if not found:
        raise UnknownName("dataset", name, (each for _, each in names))
    return found


def locations(connection: StateConnection, name: str) -> tuple[str, ...]:
    """The locations of the sources of the datasets that have this name, or had it until they were removed."""
    found = [int(source) for (source,) in DATASETS.read(connection, ("source_id",), order_by=("id",), name=name)]
    return tuple(sources.by_id(connection, number).location for number in dict.fromkeys(found))


def name_of(connection: StateConnection, number: int) -> str | None:
    """The name of a dataset in use or removed, by its number; None if there is none."""
    return next((str(name) for (name,) in DATASETS.read(connection, ("name",), id=number)), None)


def remove(connection: StateConnection, name: str) -> RegisteredDataset:
    """Take a dataset out of use; its versions, table C and releases stay. Raises UnknownName."""
    dataset = get(connection, name)
    (removed,) = DATASETS.update(connection, {"id": dataset.id}, removed_at=utc_now())
    return replace(dataset, removed_at=removed.removed_at)
