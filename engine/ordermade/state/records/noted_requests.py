"""A request as it is noted: when it starts, and when it ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ordermade.state.records.request_columns import (
        HistoryColumn,
        MicroaggregatedAttribute,
        RequestedAttribute,
        RequestedModels,
        SplitColumn,
    )


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
