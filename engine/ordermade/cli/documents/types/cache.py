"""The types of the documents of `ordermade cache`."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from typing_extensions import TypedDict

from ordermade.cli.documents.types.opening import Opening


class CountedColumn(TypedDict):
    """A column as it is counted in a frequency set."""

    column: str
    """Its name."""
    hierarchy_hash: str
    """The hash of its hierarchy, or `sensitive`, `persons` or `listed` in the place of one."""
    base: int
    """The finest level that the counts serve."""
    exact_base: bool
    """Whether they serve this level alone."""


class StoredSet(TypedDict):
    """A stored frequency set."""

    kind: Literal["frequency set"]
    """`frequency set`."""
    id: int
    """Its number."""
    dataset_version_id: int
    """The number of the dataset version."""
    columns: list[CountedColumn]
    """Its columns."""
    source_rows: int
    """The rows that it counts."""
    length: int
    """The number of its cells: combinations that occur."""
    bytes: int
    """Their size before compression."""
    created_at: datetime
    """The time it was stored."""
    last_used_at: datetime
    """The time it was last used."""


class StoredMarginals(TypedDict):
    """The stored class sizes of single columns of a dataset version."""

    kind: Literal["marginals"]
    """`marginals`."""
    dataset_version_id: int
    """The number of the dataset version."""
    columns: list[str]
    """The columns."""
    levels: int
    """The number of their levels."""
    bytes: int
    """The size before compression."""
    created_at: datetime
    """The time they were stored."""
    last_used_at: datetime
    """The time they were last used."""


class StoredCounts(TypedDict):
    """The stored counts of one column's values."""

    kind: Literal["counts of values"]
    """`counts of values`."""
    id: int
    """Their number."""
    dataset_version_id: int
    """The number of the dataset version."""
    column: CountedColumn
    """The column."""
    statement_hash: str
    """The hash of the statement that counted them."""
    fingerprint: str
    """The length, rows and hash of the content."""
    bytes: int
    """The size before compression."""
    created_at: datetime
    """The time they were stored."""
    last_used_at: datetime
    """The time they were last used."""


class StoredTwin(TypedDict):
    """The rows of a CSV source, kept as Parquet."""

    kind: Literal["twin"]
    """`twin`."""
    bytes: int
    """The size of the file."""
    last_used_at: datetime
    """The time it was last used."""


class CacheList(Opening):
    """The content of the cache."""

    command: Literal["cache list"]
    """`cache list`."""
    entries: list[StoredSet | StoredMarginals | StoredCounts | StoredTwin]
    """Frequency sets, marginals, counts of values, twins of CSV sources; of each the one used longest ago first."""


class CachePurged(Opening):
    """The amount that was dropped from the cache."""

    command: Literal["cache purge"]
    """`cache purge`."""
    dataset: str | None
    """The dataset of which it was dropped; null: everything."""
    frequency_sets: int
    """Frequency sets."""
    marginals: int
    """Levels with marginals."""
    twins: int
    """CSV sources whose rows were kept."""
    counts: int
    """Columns with counts of values."""
