"""The types of the documents of `ordermade dataset`."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from typing_extensions import TypedDict

from ordermade.cli.documents.types.opening import Opening, TypedColumn


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
    parts_column: str | None
    """The column of which each value is a part; null: it is whole, or each file is a part."""
    file_parts: bool
    """Whether each file of its source is a part."""
    fingerprint: bool
    """Whether path, size, time of change and footer of a file stand for its rows, which are hashed otherwise."""
    policy: str | None
    """Its policy in force, as canonical JSON; null: none."""


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
