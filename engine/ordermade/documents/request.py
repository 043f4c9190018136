"""The documents of `ordermade request`, but for its answers, offers and predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ordermade.records.printed import printed_as

if TYPE_CHECKING:
    from ordermade.anonymization.drafted_files import DraftedFiles
    from ordermade.methods.shared.explain import Step
    from ordermade.methods.shared.open_request import CheckedData
    from ordermade.requests.resolve_generalization import Resolved
    from ordermade.requests.resolve_history import ResolvedHistory, ResolvedTaxonomy
    from ordermade.requests.resolve_microaggregation import ResolvedMicroaggregation
    from ordermade.requests.resolve_mondrian import ResolvedMondrian
    from ordermade.requests.resolve_table import ResolvedTables
    from ordermade.requests.resolving import ResolvedSensitive
    from ordermade.state.records.requests import RequestRecord
    from ordermade.state.records.submissions import Submission


DATA_PARTS = ("dataset version", "coverage of the hierarchies", "identifying columns")
"""The parts of the data that a request is checked against."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """A request with mistakes; the exit status is that of the first of them."""

    request: str
    """The request file."""
    problems: Sequence[str]
    """Every mistake that was found."""
    sound: Literal[False] = False
    """False."""


@dataclass(frozen=True, slots=True)
class DataLookedAt:
    """The data that a request was checked against."""

    rows: int
    """The rows of the dataset."""
    persons: int | None
    """Its persons; null where a row is a person."""
    version: str | None
    """The sum of a hash a row, in hexadecimal; null where a query vouches for it."""

    @classmethod
    def of(cls, found: CheckedData) -> DataLookedAt:
        """The data that a check read."""
        return cls(found.rows, found.persons, None if found.hash_sum is None else f"{found.hash_sum:x}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sound:
    """The keys of a check without mistakes."""

    request: str
    """The request file."""
    data: DataLookedAt | None
    """With `--data`: the data that it was checked against."""
    sound: Literal[True] = True
    """True."""
    problems: Sequence[str] = ()
    """None."""

    @property
    @printed_as("not_looked_at")
    def not_looked_at(self) -> Sequence[str]:
        """The parts of the data that it was not checked against."""
        return DATA_PARTS if self.data is None else ()


@dataclass(frozen=True, slots=True)
class ColumnModels:
    """A sensitive column, and the models that every class of the release satisfies."""

    column: str
    """Its name."""
    models: Sequence[Mapping[str, str | int | float | None]]
    """The models, as a request writes them."""

    @classmethod
    def all_of(cls, sensitive: Sequence[ResolvedSensitive]) -> tuple[ColumnModels, ...]:
        """The sensitive columns of a request."""
        return tuple(
            cls(
                each.column,
                [{"model": part.model, **part.model_dump(mode="json", exclude_defaults=True)} for part in each.models],
            )
            for each in sensitive
        )


@dataclass(frozen=True, slots=True)
class AcceptedLevels:
    """A quasi-identifier that is generalised."""

    column: str
    """Its name."""
    hierarchy: str
    """Its hierarchy."""
    accepted: Sequence[int]
    """The numbers of the accepted levels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SoundGeneralization(Sound):
    """A sound request with `method: generalization`."""

    nodes_in_lattice: int
    """The accepted combinations of levels."""
    quasi_identifiers: Sequence[AcceptedLevels]
    """The quasi-identifiers."""
    suppression_limit: float
    """The share of rows that may be suppressed."""
    entity: str | None
    """The column that identifies a person."""
    sensitive: Sequence[ColumnModels]
    """The sensitive columns."""

    @classmethod
    def of(cls, file: str, resolved: Resolved, data: DataLookedAt | None) -> SoundGeneralization:
        """The request as it was understood."""
        return cls(
            request=file,
            data=data,
            nodes_in_lattice=resolved.lattice.size,
            quasi_identifiers=tuple(
                AcceptedLevels(each.column, each.hierarchy.name, each.accepted) for each in resolved.qis
            ),
            suppression_limit=float(resolved.limit),
            entity=resolved.entity,
            sensitive=ColumnModels.all_of(resolved.sensitive),
        )


@dataclass(frozen=True, slots=True)
class WeightedAttribute:
    """An attribute that is microaggregated."""

    column: str
    """Its name."""
    weight: float
    """Its weight."""
    hierarchy: str | None
    """Its hierarchy; null if it is numeric."""
    aggregate: str
    """The released value of a group."""


@dataclass(frozen=True, slots=True)
class WithinLevel:
    """A column that groups stay within."""

    column: str
    """Its name."""
    hierarchy: str
    """Its hierarchy."""
    level: int
    """The level that is released."""
    level_name: str
    """The same by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SoundMicroaggregation(Sound):
    """A sound request with `method: microaggregation`."""

    method: Literal["microaggregation"]
    """`microaggregation`."""
    algorithm: str
    """The method of making groups."""
    options: str
    """Its options, in words."""
    attributes: Sequence[WeightedAttribute]
    """The attributes."""
    within: Sequence[WithinLevel]
    """The columns that groups stay within."""

    @classmethod
    def of(cls, file: str, resolved: ResolvedMicroaggregation, data: DataLookedAt | None) -> SoundMicroaggregation:
        """The request as it was understood."""
        terms = resolved.request.microaggregation
        return cls(
            request=file,
            data=data,
            method=resolved.request.method,
            algorithm=terms.algorithm,
            options=terms.in_words,
            attributes=tuple(
                WeightedAttribute(
                    each.column,
                    float(each.weight),
                    None if each.hierarchy is None else each.hierarchy.name,
                    each.aggregate,
                )
                for each in resolved.attributes
            ),
            within=tuple(
                WithinLevel(each.column, each.hierarchy.name, each.level, each.hierarchy.levels[each.level].name)
                for each in resolved.within
            ),
        )


@dataclass(frozen=True, slots=True)
class SplitAs:
    """A quasi-identifier that is split."""

    column: str
    """Its name."""
    hierarchy: str | None
    """Its hierarchy."""
    split_as: Literal["nested", "ordered", "tree", "unordered"]
    """The kind of splits."""
    finest: int | None
    """The finest accepted level of a nested one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SoundMondrian(Sound):
    """A sound request with `method: mondrian`."""

    method: Literal["mondrian"]
    """`mondrian`."""
    variant: str
    """The variant of the algorithm."""
    split: str
    """The score that splits go by."""
    quasi_identifiers: Sequence[SplitAs]
    """The quasi-identifiers."""
    rules: int
    """The number of recommendation rules."""
    entity: str | None
    """The column that identifies a person."""
    sensitive: Sequence[ColumnModels]
    """The sensitive columns."""

    @classmethod
    def of(cls, file: str, resolved: ResolvedMondrian, data: DataLookedAt | None) -> SoundMondrian:
        """The request as it was understood."""
        return cls(
            request=file,
            data=data,
            method=resolved.request.method,
            variant=resolved.variant,
            split=resolved.split,
            quasi_identifiers=tuple(
                SplitAs(each.column, None if each.hierarchy is None else each.hierarchy.name, each.kind, each.finest)
                for each in resolved.qis
            ),
            rules=0 if resolved.rules is None else len(resolved.rules.rules),
            entity=resolved.entity,
            sensitive=ColumnModels.all_of(resolved.sensitive),
        )


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """A column of numbers in purchase histories."""

    column: str
    """Its name."""
    unit: float | None
    """Its unit; null: the finest decimal that all have."""


@dataclass(frozen=True, slots=True)
class ReleasedTaxonomy:
    """The categories that are released instead of items."""

    file: str
    """The file of the taxonomy."""
    level: int
    """The level that is released."""
    level_name: str
    """The same by name."""
    sha256: str
    """The hash of its content."""

    @classmethod
    def of(cls, taxonomy: ResolvedTaxonomy) -> ReleasedTaxonomy:
        """The taxonomy that a request names."""
        return cls(taxonomy.file, taxonomy.level, taxonomy.level_name, taxonomy.content_hash)


@dataclass(frozen=True, slots=True, kw_only=True)
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
    numbers: Sequence[NumberColumn]
    """The columns of numbers."""
    sort: Sequence[str]
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

    @classmethod
    def of(cls, file: str, resolved: ResolvedHistory, data: DataLookedAt | None) -> SoundHistory:
        """The request as it was understood."""
        return cls(
            request=file,
            data=data,
            method=resolved.request.method,
            customer=resolved.customer.column,
            when=resolved.when.column,
            item=resolved.item.column,
            numbers=tuple(
                NumberColumn(each.column, None if each.unit is None else float(each.unit)) for each in resolved.numbers
            ),
            sort=resolved.sort,
            match=resolved.match,
            cluster=resolved.cluster,
            window=resolved.window,
            delete_costly=resolved.delete_costly,
            taxonomy=None if resolved.taxonomy is None else ReleasedTaxonomy.of(resolved.taxonomy),
            map=None if resolved.map is None else str(resolved.map),
            pseudonym=resolved.pseudonym,
            entity=resolved.entity,
        )


@dataclass(frozen=True, slots=True)
class TabulatedColumn:
    """A column of tables with totals."""

    column: str
    """Its name."""
    hierarchy: str
    """Its hierarchy."""
    levels: Sequence[int]
    """The numbers of the levels that are shown, the finest first."""


@dataclass(frozen=True, slots=True)
class SoundTable:
    """One of the requested tables."""

    name: str
    """Its name; may be empty."""
    rows: Sequence[str]
    """The columns down its side."""
    columns: Sequence[str]
    """The columns across its top."""
    totals: Sequence[str]
    """The columns with a grand total."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SoundTables(Sound):
    """A sound request with `method: table`."""

    method: Literal["table"]
    """`table`."""
    dimensions: Sequence[TabulatedColumn]
    """The columns of all tables."""
    tables: Sequence[SoundTable]
    """The tables."""
    cells: Sequence[str]
    """The figures of a cell."""
    zeros: Literal["shown", "hidden"]
    """Whether empty cells are shown."""
    entity: str | None
    """The column that identifies a person."""

    @classmethod
    def of(cls, file: str, resolved: ResolvedTables, data: DataLookedAt | None) -> SoundTables:
        """The request as it was understood."""
        return cls(
            request=file,
            data=data,
            method=resolved.request.method,
            dimensions=tuple(
                TabulatedColumn(each.column, each.hierarchy.name, each.levels) for each in resolved.dimensions
            ),
            tables=tuple(
                SoundTable(each.name, each.rows, each.columns, tuple(c for c in each.every if c in each.totals))
                for each in resolved.tables
            ),
            cells=resolved.request.cells,
            zeros=resolved.request.zeros,
            entity=resolved.entity,
        )


@dataclass(frozen=True, slots=True)
class Drafted:
    """A request was drafted."""

    dataset: str
    """The dataset."""
    file: Path | None
    """The file that it was written to; null where it was not written."""
    text: str | None
    """The request as YAML, where it was not written to a file."""
    folder: Path | None
    """The folder of its hierarchies; null where there are no files."""
    files: Sequence[str]
    """The names of these files; of mappings they list values of the data."""
    commands: Sequence[str]
    """The commands that register what the request needs, and run it."""

    @classmethod
    def printed(cls, dataset: str, found: DraftedFiles) -> Drafted:
        """A draft that is printed."""
        return cls(dataset, None, found.text, None, _names(found), ())

    @classmethod
    def written(
        cls, dataset: str, found: DraftedFiles, commands: Sequence[str], to: Path, folder: Path | None
    ) -> Drafted:
        """A draft that was written to a file, with its hierarchies in a `folder`."""
        return cls(dataset, to, None, folder, _names(found), commands)


def _names(found: DraftedFiles) -> tuple[str, ...]:
    return tuple(name.partition("/")[2] for name in found.files)


@dataclass(frozen=True, slots=True)
class Explained:
    """The statements of every step of a request; nothing was run."""

    steps: Sequence[Step]
    """The steps, in their order."""


@dataclass(frozen=True, slots=True)
class RequestList:
    """The requests that were run, and those that were submitted."""

    requests: Sequence[RequestRecord]
    """The requests that were run, the latest first; none for a data user."""
    submissions: Sequence[Submission]
    """The submitted requests, the latest first; for a data user the own ones."""
