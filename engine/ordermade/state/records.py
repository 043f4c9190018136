"""The rows of the state as frozen records. Times are in UTC, with their zone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ordermade.display.cards import Carded
from ordermade.lattice.observation import Observation
from ordermade.least_k import DEFAULT_LEAST_K, Terms


@dataclass(frozen=True, slots=True)
class RequestedAttribute:
    """A quasi-identifier of a request, with the level released (None until one is)."""

    column: str
    hierarchy: str
    hierarchy_hash: str
    from_level: int
    to_level: int
    chosen_level: int | None = None
    chosen_level_name: str | None = None


@dataclass(frozen=True, slots=True)
class RequestedModels:
    """A sensitive column of a request and its models in words, with their parameters."""

    column: str
    models: str


@dataclass(frozen=True, slots=True)
class MicroaggregatedAttribute:
    """An attribute of a request for microaggregation: its weight is an exact decimal; no hierarchy if it is numeric.

    `aggregate` is what a group is released with: mean, median, mode or ancestor.
    """

    column: str
    weight: str
    hierarchy: str | None
    hierarchy_hash: str | None
    aggregate: str


@dataclass(frozen=True, slots=True)
class SplitColumn:
    """A quasi-identifier of a request for Mondrian: how it is split (`kind`), its hierarchy if it has one.

    `kind`: nested, ordered, tree or unordered. `finest`: the finest level accepted of a nested one, else None.
    """

    column: str
    kind: str
    hierarchy: str | None
    hierarchy_hash: str | None
    finest: int | None


@dataclass(frozen=True, slots=True)
class HistoryColumn:
    """A column of a request for histories: its `role` is customer, when, item or number.

    `unit` is an exact decimal; `sort_place` is the number's among those that purchases are in order by, from 0.
    `taxonomy` is the file of the item's, with the hash of what it said and the level released.
    """

    column: str
    role: str
    unit: str | None = None
    sort_place: int | None = None
    taxonomy: str | None = None
    taxonomy_hash: str | None = None
    level: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Source(Carded):
    """A registered source; `location` keeps its ${ENV} references, `removed_at` is None while in use.

    Of CSV files: `header` says that their first line holds names, whatever it looks like. `allow_inline`: requests may
    describe datasets of it themselves. Where the source was opened, `read_in` has the encodings that its files were
    read in, and `names_shown` says whether the lines below the first show that it holds names; neither is kept.
    """

    id: int
    name: str
    kind: str
    location: str
    writable: bool
    encoding: str | None
    added_at: datetime
    removed_at: datetime | None
    header: bool = False
    allow_inline: bool = False
    read_in: tuple[str, ...] = field(default=(), compare=False)
    names_shown: bool | None = field(default=None, compare=False)


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


@dataclass(frozen=True, slots=True, repr=False)
class HierarchyRecord(Carded):
    """A registered hierarchy in a list: `levels` counts its levels, `leaves` the values it lists."""

    id: int
    name: str
    kind: str
    content_hash: str
    levels: int
    leaves: int
    added_at: datetime
    removed_at: datetime | None


@dataclass(frozen=True, slots=True)
class StartedRequest:
    """The record of a request when it starts. At most one of the two targets is given.

    `suppression_limit` is an exact decimal; `risk`, `weights` and `options` (of the algorithm) are words;
    `entity_column` identifies persons. Columns that groups are within are quasi-identifiers of one level; those that
    Mondrian splits are `splits` alone, those of a history `history`.
    """

    title: str
    request_hash: str
    engine_version: str
    dataset_name: str
    filter: str | None
    k: int
    algorithm: str
    objective: str
    shape: str
    target_path: str | None
    target_table: str | None
    quasi_identifiers: tuple[RequestedAttribute, ...]
    identifiers: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    dataset_version_id: int | None = None
    suppression_limit: str | None = "0"
    suppressed: str | None = None
    recoding: str | None = "full-domain"
    risk: str | None = None
    weights: str | None = None
    entity_column: str | None = None
    sensitive: tuple[RequestedModels, ...] = ()
    method: str = "generalization"
    options: str | None = None
    attributes: tuple[MicroaggregatedAttribute, ...] = ()
    splits: tuple[SplitColumn, ...] = ()
    history: tuple[HistoryColumn, ...] = ()
    run: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class FinishedRequest:
    """The end of a request: `status` is released, refused or failed; figures that were not reached are None.

    `chosen` maps each quasi-identifier's column to the number and name of the level released; empty if none
    was.
    """

    status: str
    reason: str | None = None
    dataset_version_id: int | None = None
    nodes_in_lattice: int | None = None
    nodes_measured: int | None = None
    divisions_measured: int | None = None
    source_queries: int | None = None
    version_queries: int | None = None
    coverage_queries: int | None = None
    release_queries: int | None = None
    seconds: float | None = None
    chosen: Mapping[str, tuple[int, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, repr=False)
class RequestRecord(Carded):
    """A request as the state keeps it; `status` is running, released, refused, failed or interrupted."""

    id: int
    title: str
    request_hash: str
    engine_version: str
    dataset_name: str
    dataset_version_id: int | None
    filter: str | None
    k: int
    algorithm: str
    objective: str
    shape: str
    target_path: str | None
    target_table: str | None
    started_at: datetime
    status: str
    reason: str | None
    finished_at: datetime | None
    nodes_in_lattice: int | None
    nodes_measured: int | None
    divisions_measured: int | None
    source_queries: int | None
    version_queries: int | None
    coverage_queries: int | None
    release_queries: int | None
    seconds: float | None
    suppression_limit: str | None = None
    suppressed: str | None = None
    recoding: str | None = None
    risk: str | None = None
    weights: str | None = None
    entity_column: str | None = None
    method: str | None = None
    options: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class RequestDetails(Carded):
    """A request with its columns."""

    request: RequestRecord
    quasi_identifiers: tuple[RequestedAttribute, ...]
    identifiers: tuple[str, ...]
    keep: tuple[str, ...]
    sensitive: tuple[RequestedModels, ...] = ()
    attributes: tuple[MicroaggregatedAttribute, ...] = ()
    splits: tuple[SplitColumn, ...] = ()
    history: tuple[HistoryColumn, ...] = ()


@dataclass(frozen=True, slots=True)
class MeasuredLevel:
    """One attribute of a measured node, below `*`: `level_hash` identifies it, the rest is for readers."""

    column: str
    level: int
    level_name: str
    level_hash: str


@dataclass(frozen=True, slots=True)
class MeasuredNode:
    """A node by its levels (attributes at `*` left out) with what was measured there."""

    levels: tuple[MeasuredLevel, ...]
    observation: Observation


@dataclass(frozen=True, slots=True, repr=False)
class ListedObservation(Carded):
    """A node of table C in a list.

    `dataset` is what its dataset is called (several names where several were registered, None where nothing is known
    of it), `filter` the row filter, `is_latest` whether the dataset was seen with this version last. `levels` are by
    column, attributes at `*` left out; `request_id` is the request that measured it (None: none did).
    """

    id: int
    dataset: str | None
    filter: str | None
    dataset_version_id: int
    is_latest: bool
    levels: tuple[MeasuredLevel, ...]
    rows: int
    divisions: int
    k: int
    sum_of_squares: int
    request_id: int | None
    measured_at: datetime

    @property
    def node(self) -> str:
        """The node in words: each column with its level name; `*` for the root."""
        return ", ".join(f"{each.column}: {each.level_name}" for each in self.levels) or "*"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """An action on an object of the state: by whom, and when; `data`: the rows that a step wrote, as JSON.

    `hash` is the SHA-256 of the entry and the hash of the one before; empty while it is not in the chain.
    """

    id: int
    happened_at: datetime
    actor: str
    action: str
    subject: str
    detail: str | None
    data: str | None = None
    hash: str = ""

    @property
    def content(self) -> dict[str, Any]:
        """What the hash is about, by name."""
        return {
            "number": self.id,
            "happened_at": f"{self.happened_at:%Y-%m-%dT%H:%M:%S.%f}Z",
            "actor": self.actor,
            "action": self.action,
            "subject": self.subject,
            "detail": self.detail,
            "data": self.data,
        }
