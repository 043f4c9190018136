"""Requests as the state keeps them: their columns and requirements, their times and their ends."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from ordermade.display.cards import Carded
from ordermade.records import CLASSES_MEASURED

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
    """A request on record."""

    id: int
    """Its number."""
    title: str
    """Its title."""
    request_hash: str
    """The hash of its content."""
    engine_version: str
    """The version of the program that ran it."""
    dataset_name: str
    """The dataset."""
    dataset_version_id: int | None
    """The number of the dataset version."""
    filter: str | None
    """The row filter."""
    k: int
    """The requested k."""
    algorithm: str
    """The search, or the algorithm of the method."""
    objective: str
    """The objective."""
    shape: str
    """`rows` or `classes`."""
    target_path: str | None
    """The file of the release."""
    target_table: str | None
    """The table of the release."""
    started_at: datetime
    """The time it started."""
    status: str
    """`running`, `released`, `refused`, `failed` or `interrupted`."""
    reason: str | None
    """The reason where it was not released."""
    finished_at: datetime | None
    """The time it ended."""
    nodes_in_lattice: int | None
    """The accepted nodes."""
    nodes_measured: int | None
    """The nodes measured."""
    divisions_measured: int | None = field(metadata=CLASSES_MEASURED)
    """Their classes."""
    source_queries: int | None
    """The statements in the source that counted, or read records."""
    version_queries: int | None
    """Those for the dataset version."""
    coverage_queries: int | None
    """Those for the values of quasi-identifiers."""
    release_queries: int | None
    """Those that made or measured the release."""
    seconds: float | None
    """The seconds that it took."""
    suppression_limit: str | None = None
    """The share of rows that may be suppressed, as an exact decimal."""
    suppressed: str | None = None
    """`star` or `drop`: the form of suppressed rows."""
    recoding: str | None = None
    """`full-domain`, or the kind of local recoding."""
    risk: str | None = None
    """The bounds on risks, in words."""
    weights: str | None = None
    """The weights of attributes, in words."""
    entity_column: str | None = None
    """The column that identifies a person."""
    method: str | None = None
    """The method."""
    options: str | None = None
    """The options of the algorithm, in words."""


@dataclass(frozen=True, slots=True, repr=False)
class RequestDetails(Carded):
    """A request with its outcome and its cost."""

    request: RequestRecord
    """The request."""
    quasi_identifiers: tuple[RequestedAttribute, ...]
    """The quasi-identifiers that are generalised."""
    identifiers: tuple[str, ...]
    """The columns that are left out."""
    keep: tuple[str, ...]
    """The columns that are released as they are."""
    sensitive: tuple[RequestedModels, ...] = ()
    """The sensitive columns."""
    attributes: tuple[MicroaggregatedAttribute, ...] = ()
    """The attributes that are microaggregated."""
    splits: tuple[SplitColumn, ...] = ()
    """The quasi-identifiers that Mondrian splits."""
    history: tuple[HistoryColumn, ...] = ()
    """The columns of histories."""
