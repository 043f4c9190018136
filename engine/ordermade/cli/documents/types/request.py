"""The types of the documents of `ordermade request`, but for its answers, offers and predictions."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from typing_extensions import TypedDict

from ordermade.cli.documents.types.opening import Opening
from ordermade.cli.documents.types.service import Submission


class Malformed(Opening):
    """A request with mistakes; the exit status is that of the first of them."""

    command: Literal["request check"]
    """`request check`."""
    request: str
    """The request file."""
    sound: Literal[False]
    """False."""
    problems: list[str]
    """Every mistake that was found."""


class DataLookedAt(TypedDict):
    """The data that a request was checked against."""

    rows: int
    """The rows of the dataset."""
    persons: int | None
    """Its persons; null where a row is a person."""
    version: str | None
    """The sum of a hash a row, in hexadecimal; null where a query vouches for it."""


class Sound(Opening):
    """The keys of a check without mistakes."""

    command: Literal["request check"]
    """`request check`."""
    request: str
    """The request file."""
    sound: Literal[True]
    """True."""
    problems: list[str]
    """None."""
    data: DataLookedAt | None
    """With `--data`: the data that it was checked against."""
    not_looked_at: list[str]
    """The parts of the data that it was not checked against."""


class SensitiveColumn(TypedDict):
    """A sensitive column, and the models that every class of the release satisfies."""

    column: str
    """Its name."""
    models: list[dict[str, str | int | float | None]]
    """The models, as a request writes them."""


class AcceptedLevels(TypedDict):
    """A quasi-identifier that is generalised."""

    column: str
    """Its name."""
    hierarchy: str
    """Its hierarchy."""
    accepted: list[int]
    """The numbers of the accepted levels."""


class SoundGeneralization(Sound):
    """A sound request with `method: generalization`."""

    nodes_in_lattice: int
    """The accepted combinations of levels."""
    quasi_identifiers: list[AcceptedLevels]
    """The quasi-identifiers."""
    suppression_limit: float
    """The share of rows that may be suppressed."""
    entity: str | None
    """The column that identifies a person."""
    sensitive: list[SensitiveColumn]
    """The sensitive columns."""


class WeightedAttribute(TypedDict):
    """An attribute that is microaggregated."""

    column: str
    """Its name."""
    weight: float
    """Its weight."""
    hierarchy: str | None
    """Its hierarchy; null if it is numeric."""
    aggregate: str
    """The released value of a group."""


class WithinLevel(TypedDict):
    """A column that groups stay within."""

    column: str
    """Its name."""
    hierarchy: str
    """Its hierarchy."""
    level: int
    """The level that is released."""
    level_name: str
    """The same by name."""


class SoundMicroaggregation(Sound):
    """A sound request with `method: microaggregation`."""

    method: Literal["microaggregation"]
    """`microaggregation`."""
    algorithm: str
    """The method of making groups."""
    options: str
    """Its options, in words."""
    attributes: list[WeightedAttribute]
    """The attributes."""
    within: list[WithinLevel]
    """The columns that groups stay within."""


class SplitColumn(TypedDict):
    """A quasi-identifier that is split."""

    column: str
    """Its name."""
    hierarchy: str | None
    """Its hierarchy."""
    split_as: Literal["nested", "ordered", "tree", "unordered"]
    """The kind of splits."""
    finest: int | None
    """The finest accepted level of a nested one."""


class SoundMondrian(Sound):
    """A sound request with `method: mondrian`."""

    method: Literal["mondrian"]
    """`mondrian`."""
    variant: str
    """The variant of the algorithm."""
    split: str
    """The score that splits go by."""
    quasi_identifiers: list[SplitColumn]
    """The quasi-identifiers."""
    rules: int
    """The number of recommendation rules."""
    entity: str | None
    """The column that identifies a person."""
    sensitive: list[SensitiveColumn]
    """The sensitive columns."""


class NumberColumn(TypedDict):
    """A column of numbers in purchase histories."""

    column: str
    """Its name."""
    unit: float | None
    """Its unit; null: the finest decimal that all have."""


class ReleasedTaxonomy(TypedDict):
    """The categories that are released instead of items."""

    file: str
    """The file of the taxonomy."""
    level: int
    """The level that is released."""
    level_name: str
    """The same by name."""
    sha256: str
    """The hash of its content."""


class SoundHistory(Sound):
    """A sound request with `method: history`."""

    method: Literal["history"]
    """`history`."""
    customer: str
    """The column of the customer."""
    when: str
    """The column of days or time stamps."""
    item: str
    """The column of the item."""
    numbers: list[NumberColumn]
    """The columns of numbers."""
    sort: list[str]
    """The columns that purchases are in order by."""
    match: str
    """The way purchases are put together."""
    cluster: str
    """The way customers are put together."""
    window: int | None
    """The number of customers that are compared at a time."""
    delete_costly: bool
    """Whether purchases that cost most are deleted."""
    taxonomy: ReleasedTaxonomy | None
    """The categories that are released instead of items."""
    map: str | None
    """The file of the truth."""
    pseudonym: str | None
    """The column of pseudonyms."""
    entity: str | None
    """The column that identifies a person."""


class Drafted(Opening):
    """A request was drafted."""

    command: Literal["request draft"]
    """`request draft`."""
    dataset: str
    """The dataset."""
    file: str | None
    """The file that it was written to; null where it was not written."""
    text: str | None
    """The request as YAML, where it was not written to a file."""
    folder: str | None
    """The folder of its hierarchies; null where there are no files."""
    files: list[str]
    """The names of these files; of mappings they list values of the data."""
    commands: list[str]
    """The commands that register what the request needs, and run it."""


class ExplainedStep(TypedDict):
    """One step of a request."""

    title: str
    """Its purpose."""
    runs_in: str
    """`source` or `workspace`."""
    sql: str
    """Its statement."""
    not_listed: list[str]
    """Its tables and parameters that a run fills with values of the data, or too many to print; they are not shown."""


class Explained(Opening):
    """The statements of every step of a request; nothing was run."""

    command: Literal["request explain"]
    """`request explain`."""
    steps: list[ExplainedStep]
    """The steps, in their order."""


class RunExplained(Opening):
    """The same of `request run --explain`."""

    command: Literal["request run"]
    """`request run`."""
    steps: list[ExplainedStep]
    """The steps, in their order."""


class RecordedRequest(TypedDict):
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
    classes_measured: int | None
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
    suppression_limit: str | None
    """The share of rows that may be suppressed, as an exact decimal."""
    suppressed: str | None
    """`star` or `drop`: the form of suppressed rows."""
    recoding: str | None
    """`full-domain`, or the kind of local recoding."""
    risk: str | None
    """The bounds on risks, in words."""
    weights: str | None
    """The weights of attributes, in words."""
    entity_column: str | None
    """The column that identifies a person."""
    method: str | None
    """The method."""
    options: str | None
    """The options of the algorithm, in words."""


class RequestedAttribute(TypedDict):
    """A quasi-identifier of a request on record."""

    column: str
    """Its name."""
    hierarchy: str
    """Its hierarchy."""
    hierarchy_hash: str
    """The hash of its hierarchy."""
    from_level: int
    """The finest accepted level."""
    to_level: int
    """The coarsest accepted level."""
    chosen_level: int | None
    """The released level."""
    chosen_level_name: str | None
    """The same by name."""


class RequestedModels(TypedDict):
    """A sensitive column of a request on record."""

    column: str
    """Its name."""
    models: str
    """Its models, in words."""


class MicroaggregatedAttribute(TypedDict):
    """An attribute of a request for microaggregation on record."""

    column: str
    """Its name."""
    weight: str
    """Its weight, as an exact decimal."""
    hierarchy: str | None
    """Its hierarchy; null if it is numeric."""
    hierarchy_hash: str | None
    """The hash of its hierarchy."""
    aggregate: str
    """The released value of a group."""


class RecordedSplit(TypedDict):
    """A quasi-identifier of a request for Mondrian on record."""

    column: str
    """Its name."""
    kind: str
    """`nested`, `ordered`, `tree` or `unordered`."""
    hierarchy: str | None
    """Its hierarchy."""
    hierarchy_hash: str | None
    """The hash of its hierarchy."""
    finest: int | None
    """The finest accepted level of a nested one."""


class HistoryColumn(TypedDict):
    """A column of a request for histories on record."""

    column: str
    """Its name."""
    role: str
    """`customer`, `when`, `item` or `number`."""
    unit: str | None
    """Its unit, as an exact decimal."""
    sort_place: int | None
    """Its place among the columns that purchases are in order by."""
    taxonomy: str | None
    """The file of the item's taxonomy."""
    taxonomy_hash: str | None
    """The hash of its content."""
    level: int | None
    """The level of it that is released."""


class RequestList(Opening):
    """The requests that were run, and those that were submitted."""

    command: Literal["request list"]
    """`request list`."""
    requests: list[RecordedRequest]
    """The requests that were run, the latest first; none for a data user."""
    submissions: list[Submission]
    """The submitted requests, the latest first; for a data user the own ones."""


class RequestShown(Opening):
    """A request with its outcome and its cost."""

    command: Literal["request show"]
    """`request show`."""
    request: RecordedRequest
    """The request."""
    quasi_identifiers: list[RequestedAttribute]
    """The quasi-identifiers that are generalised."""
    identifiers: list[str]
    """The columns that are left out."""
    keep: list[str]
    """The columns that are released as they are."""
    sensitive: list[RequestedModels]
    """The sensitive columns."""
    attributes: list[MicroaggregatedAttribute]
    """The attributes that are microaggregated."""
    splits: list[RecordedSplit]
    """The quasi-identifiers that Mondrian splits."""
    history: list[HistoryColumn]
    """The columns of histories."""
