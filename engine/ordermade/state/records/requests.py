"""Requests as the state keeps them: their columns and requirements, their times and their ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from ordermade.records.cards import HasSummary
from ordermade.records.printed import CLASSES_MEASURED, NOT_PRINTED
from ordermade.state.records.request_columns import (
    HistoryColumn,
    MicroaggregatedAttribute,
    RequestedAttribute,
    RequestedModels,
    SplitColumn,
    TabulatedCells,
)

UNNUMBERED = 0
"""The number of what is not on record yet."""


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class RequestRecord(HasSummary):
    """A request on record with its columns, its outcome and its cost; at most one of the two targets is given.

    Columns that groups are within are quasi-identifiers of one level; those that Mondrian splits are `splits` alone,
    those of a history `history`.
    """

    id: int = UNNUMBERED
    """Its number."""
    title: str
    """Its title."""
    request_hash: str
    """The hash of its content."""
    engine_version: str
    """The version of the program that ran it."""
    dataset_name: str
    """The dataset."""
    dataset_version_id: int | None = None
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
    run: str | None = field(default=None, metadata=NOT_PRINTED)
    """The random name of its run."""
    started_at: datetime
    """The time it started."""
    status: str = "running"
    """`running`, `released`, `refused`, `failed` or `interrupted`."""
    reason: str | None = None
    """The reason where it was not released."""
    finished_at: datetime | None = None
    """The time it ended."""
    interrupted_at: datetime | None = field(default=None, metadata=NOT_PRINTED)
    """The time at which its process was found to be gone, which makes a running one `interrupted`."""
    erased_at: datetime | None = field(default=None, metadata=NOT_PRINTED)
    """The time at which its title, text and columns were erased by policy."""
    nodes_in_lattice: int | None = None
    """The accepted nodes."""
    nodes_measured: int | None = None
    """The nodes measured."""
    divisions_measured: int | None = field(default=None, metadata=CLASSES_MEASURED)
    """Their classes."""
    source_queries: int | None = None
    """The statements in the source that counted, or read records."""
    version_queries: int | None = None
    """Those for the dataset version."""
    coverage_queries: int | None = None
    """Those for the values of quasi-identifiers."""
    release_queries: int | None = None
    """Those that made or measured the release."""
    seconds: float | None = None
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
    quasi_identifiers: tuple[RequestedAttribute, ...] = ()
    """The quasi-identifiers that are generalised."""
    identifiers: tuple[str, ...] = ()
    """The columns that are left out."""
    keep: tuple[str, ...] = ()
    """The columns that are released as they are."""
    sensitive: tuple[RequestedModels, ...] = ()
    """The sensitive columns."""
    attributes: tuple[MicroaggregatedAttribute, ...] = ()
    """The attributes that are microaggregated."""
    splits: tuple[SplitColumn, ...] = ()
    """The quasi-identifiers that Mondrian splits."""
    history: tuple[HistoryColumn, ...] = ()
    """The columns of histories."""
    tabulated: TabulatedCells | None = field(default=None, metadata=NOT_PRINTED)
    """The cells of its tables with totals, by number."""
    chosen: Mapping[str, tuple[int, str]] = field(default_factory=dict, metadata=NOT_PRINTED)
    """The number and the name of the level that each quasi-identifier was released at, by column."""
    request: str | None = field(default=None, metadata=NOT_PRINTED)
    """The request as canonical JSON; None where it was noted before requests were kept whole."""
