"""Requests as the state keeps them: their columns and requirements, their times and their ends."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ordermade.display.cards import Carded

if TYPE_CHECKING:
    from ordermade.state.records.request_columns import (
        HistoryColumn,
        MicroaggregatedAttribute,
        RequestedAttribute,
        RequestedModels,
        SplitColumn,
    )


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
