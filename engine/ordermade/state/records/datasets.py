"""Datasets, the ways they are divided, and the versions they were seen in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ordermade.display.cards import Carded
from ordermade.least_k import DEFAULT_LEAST_K, Terms


@dataclass(frozen=True, slots=True)
class Division:
    """The way a dataset is divided: by the values of a `column`, or by files where that is None.

    `fingerprint`: whether the path, size, time of change and footer of each file stand for its rows.
    """

    column: str | None = None
    fingerprint: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Dataset(Carded):
    """A registered dataset: a table (`table_name`) or a query (`query_text`, `query_hash`) of a source.

    No request may have a k below `least_k`. `where_columns`: those that a row filter may use, None where every
    column is one of them. `version_query`: the SELECT whose one row stands for its content, None where every row is
    hashed. Its parts are the rows of each value of `parts_column`, or with `file_parts` the files of its source, whose
    `fingerprint` may stand for their rows. `policy`: the one in force, as canonical JSON; None where there is none.
    """

    id: int
    name: str
    source_id: int
    source_name: str
    table_name: str | None
    query_text: str | None
    query_hash: str | None
    entity_column: str | None
    added_at: datetime
    removed_at: datetime | None
    least_k: int = DEFAULT_LEAST_K
    where_columns: tuple[str, ...] | None = None
    version_query: str | None = None
    parts_column: str | None = None
    file_parts: bool = False
    fingerprint: bool = False
    policy: str | None = None

    @property
    def in_parts(self) -> bool:
        """True if it is counted part by part."""
        return self.file_parts or self.parts_column is not None

    @property
    def division(self) -> Division | None:
        """The way it is divided; None where it is counted whole."""
        return Division(self.parts_column, self.fingerprint) if self.in_parts else None

    @property
    def terms(self) -> Terms:
        """The terms that requests on it must keep: of its options and its policy the stricter ones."""
        if self.policy is None:
            return Terms(self.least_k, self.where_columns)
        from ordermade.policies.policy import stored_policy  # most datasets have none

        policy = stored_policy(self.policy).with_least_k(self.least_k)
        return Terms(policy.k or self.least_k, self.where_columns, policy.never_filtered, policy)


@dataclass(frozen=True, slots=True)
class DatasetVersion:
    """A dataset (by the hash of source, relation and filter) with the content it was seen with.

    `persons` is their number where the dataset has an entity column, else None. `vouched_by`: the SHA-256 of the
    provider's query that vouches for it; None where every row was hashed.
    """

    id: int
    dataset_hash: str
    dataset_id: int | None
    filter: str | None
    rows: int
    hash_sum: int
    columns_hash: str
    first_seen_at: datetime
    last_seen_at: datetime
    persons: int | None = None
    vouched_by: str | None = None

    @property
    def units(self) -> int:
        """The number of units that classes count: persons where the dataset has an entity column, else rows."""
        return self.rows if self.persons is None else self.persons
