"""The documents of `ordermade dataset`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from typing_extensions import TypedDict

from ordermade.cli.documents.opening import FORMAT, Opening, TypedColumn, printed

if TYPE_CHECKING:
    from ordermade.catalogue.datasets import DatasetDescription
    from ordermade.state.records import Dataset


class RegisteredDataset(TypedDict):
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
    least_k: int
    """The least k of a request; no count below it is shown."""
    where_columns: list[str] | None
    """The columns that row filters may use; null: every column."""
    version_query: str | None
    """The SELECT whose one row stands for its content; null: every row is hashed."""


class DatasetAdded(Opening):
    """A dataset was registered."""

    command: Literal["dataset add"]
    """`dataset add`."""
    dataset: RegisteredDataset
    """The dataset."""


class DatasetList(Opening):
    """The registered datasets."""

    command: Literal["dataset list"]
    """`dataset list`."""
    datasets: list[RegisteredDataset]
    """The datasets, by name."""


class DatasetShown(Opening):
    """A dataset, its columns and rows."""

    command: Literal["dataset show"]
    """`dataset show`."""
    dataset: RegisteredDataset
    """The dataset."""
    columns: list[TypedColumn]
    """Its columns."""
    rows: int
    """The number of its rows."""


class DatasetRemoved(Opening):
    """A dataset was taken out of use."""

    command: Literal["dataset remove"]
    """`dataset remove`."""
    dataset: RegisteredDataset
    """The dataset."""


def added(dataset: Dataset) -> DatasetAdded:
    """The document of `dataset add`."""
    return {"format": FORMAT, "command": "dataset add", "dataset": printed(dataset, RegisteredDataset)}


def listed(datasets: Sequence[Dataset]) -> DatasetList:
    """The document of `dataset list`."""
    return {
        "format": FORMAT,
        "command": "dataset list",
        "datasets": [printed(each, RegisteredDataset) for each in datasets],
    }


def shown(found: DatasetDescription) -> DatasetShown:
    """The document of `dataset show`."""
    return {
        "format": FORMAT,
        "command": "dataset show",
        "dataset": printed(found.dataset, RegisteredDataset),
        "columns": [printed(each, TypedColumn) for each in found.columns],
        "rows": found.rows,
    }


def removed(dataset: Dataset) -> DatasetRemoved:
    """The document of `dataset remove`."""
    return {"format": FORMAT, "command": "dataset remove", "dataset": printed(dataset, RegisteredDataset)}
