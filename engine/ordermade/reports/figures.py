"""The figures of a report: codes, counts and released labels, no words. A page puts them into a language.

Every count of rows or persons is a `Count`: a number of at least the floor, 0, or "fewer than the floor". No record has
a value of the original that was not released.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias

from ordermade.records.printed import Printed

Audience: TypeAlias = Literal["provider", "user"]
Unit: TypeAlias = Literal["rows", "persons"]


@dataclass(frozen=True, slots=True)
class Count:
    """A count of rows or persons: `number`, or None where it is less than `below` and only that is shown."""

    number: int | None
    """The count; null where it is small."""
    below: int | None = None
    """Of a small one: it is fewer than so many; else null."""

    @classmethod
    def of(cls, number: int, floor: int) -> Count:
        """The count, as "fewer than the floor" where it is neither 0 nor at least the floor."""
        return cls(number) if number == 0 or number >= floor else cls(None, floor)

    @classmethod
    def none_or(cls, number: int | None, floor: int) -> Count:
        """The count, as "fewer than the floor", none included, where it is None."""
        return cls(None, floor) if number is None else cls(number)


@dataclass(frozen=True, slots=True)
class RequestedModel:
    """A model that a sensitive column had to satisfy."""

    column: str
    """The sensitive column."""
    name: str
    """The name of the model."""
    parameters: tuple[tuple[str, str], ...]
    """Its parameters, by name."""
    worst: float | None
    """The figure of the worst class; null where the release alone does not show it."""


@dataclass(frozen=True, slots=True)
class RequestSummary:
    """The request. Shares run from 0 to 1."""

    k: int
    """The requested k."""
    unit: Unit
    """The unit that k counts."""
    suppression_limit: float
    """The share that may be suppressed."""
    models: tuple[RequestedModel, ...] = ()
    """The models of sensitive columns."""
    risk_bounds: tuple[tuple[str, float], ...] = ()
    """The greatest risks, by name: `highest`, `average`."""
    filter: str | None = None
    """The row filter, as it was written; null where there was none, or it is not for this audience."""
    objective: str | None = None
    """The objective of the search."""
    missing_as_star: tuple[str, ...] = ()
    """The quasi-identifiers whose missing values are released as `*`."""


@dataclass(frozen=True, slots=True)
class ReleaseSummary:
    """The release, measured, and the rows that are missing from it."""

    k: int
    """Its k."""
    classes: int
    """Its equivalence classes."""
    rows: int
    """Its rows; of a statistical table the units that its counts add up to."""
    rows_of_dataset: int | None
    """The rows of the dataset; null for a user."""
    suppressed_rows: Count
    """The suppressed rows; for a user "fewer than k" where they are few, or none."""
    persons: int | None = None
    """Its persons; null where a row is a person, or the release does not show them."""
    persons_of_dataset: int | None = None
    """The persons of the dataset; null for a user, and where a row is a person."""
    suppressed_persons: Count | None = None
    """The persons with a suppressed row; null likewise."""
    star_rows: Count | None = None
    """The suppressed rows that stay as `*`."""
    is_measured: bool = True
    """False where k is the requested one, since the release does not show its persons."""


@dataclass(frozen=True, slots=True)
class CodebookColumn:
    """A column of the release."""

    name: str
    """Its name."""
    role: str
    """`quasi-identifier`, `sensitive`, `keep`, `pseudonym`, `count` or `attribute`."""
    kind: str
    """`numbers`, `dates`, `intervals`, `labels`, `texts`, `sets` or `truth values`."""
    hierarchy: str | None
    """Its hierarchy."""
    level: int | None
    """Its level; null where rows are at several, or it has none."""
    level_name: str | None
    """The same by name; `mixed` where rows are at several."""
    distinct: int
    """The number of its released labels."""
    labels: tuple[tuple[str, Count], ...]
    """The most frequent labels that hold the floor each, with their counts."""
    missing: Count
    """The rows without a value."""
    loss: float | None = None
    """The share of its detail given up, from 0 to 1; null where no such figure is known."""


@dataclass(frozen=True, slots=True)
class LevelShown:
    """A level of a hierarchy."""

    name: str
    """Its name."""
    labels: int | None
    """The number of its labels; null for a user, or where it has no number of them."""
    released: bool
    """Whether it is released."""
    label: str | None = None
    """One label of it that was released; null where none was."""


@dataclass(frozen=True, slots=True)
class ReportedHierarchy:
    """A hierarchy of a column."""

    column: str
    """The column."""
    name: str
    """Its name."""
    kind: str
    """`explicit`, `interval`, `date` or `prefix`."""
    levels: tuple[LevelShown, ...]
    """Its levels, from finest to coarsest."""


@dataclass(frozen=True, slots=True)
class SizeBin:
    """Equivalence classes of about one size."""

    first: int
    """The least size of one."""
    last: int
    """The greatest."""
    classes: int
    """The number of these classes."""
    units: int
    """The rows (or persons) in them."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of the equivalence classes of the release."""

    bins: tuple[SizeBin, ...]
    """The histogram."""
    least: int
    """The least size."""
    median: float
    """The median."""
    mean: float
    """The mean."""
    greatest: int
    """The greatest."""
    unit: Unit = "rows"
    """`persons`, or `rows` where the release does not say which of them are of one person."""


@dataclass(frozen=True, slots=True)
class ReportedRisks:
    """Risks of re-identification, as probabilities from 0 to 1."""

    prosecutor: float
    """The highest risk: 1 / the smallest class."""
    journalist: float
    """The highest, the release being a sample of the population."""
    marketer: float
    """The mean share of rows that a reader of all could identify."""
    average: float
    """The average of the prosecutor."""
    above: tuple[tuple[float, float], ...]
    """Thresholds, with the share of rows at a higher risk."""
    uniques: Count
    """The rows alone in their class."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a distribution."""

    label: str
    """Its label; empty: all others together."""
    low: float | None
    """The lower bound of its numbers; null: open."""
    high: float | None
    """The upper bound; null: open."""
    before: Count | None
    """Its count in the original; null for a user, and where the original is gone."""
    after: Count
    """Its count in the release."""


@dataclass(frozen=True, slots=True)
class ReportedDistribution:
    """A released column before and after. Every bar holds the floor, or none."""

    column: str
    """The column."""
    kind: Literal["labels", "numbers"]
    """`labels`, or `numbers` in ascending order."""
    bars: tuple[Bar, ...]
    """The bars."""
    unit: str = ""
    """The unit of the numbers: `days` of dates, that of Japanese labels such as 歳, else empty."""


@dataclass(frozen=True, slots=True)
class Association:
    """The association of two released columns, from 0 to 1."""

    first: str
    """The first column."""
    second: str
    """The second."""
    measure: str
    """`cramers_v`, `correlation` or `eta`."""
    before: float | None
    """That of the original; null for a user, and where the original is gone."""
    after: float
    """That of the release."""


@dataclass(frozen=True, slots=True)
class Caution:
    """Something that k does not protect against, in this release."""

    code: str
    """Its code in the catalogue of the page."""
    figures: tuple[tuple[str, Any], ...] = ()
    """Its figures, by name."""


@dataclass(frozen=True, slots=True)
class ValuesLeft:
    """The values of a sensitive or kept column that an elimination leaves a person of a locally recoded release."""

    column: str
    """The column."""
    fewest: int
    """The fewest different values in a class, which is what is left."""
    share_narrowed: float | None
    """At least this share of the rows has fewer values left than the labels allow; null for a user, or not known."""


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss of the release."""

    metric: str
    """The metric."""
    share: float | None
    """From 0 (as it was) to 1 (all gone); null where it has none."""
    raw: float
    """The loss as the metric has it."""


@dataclass(frozen=True, slots=True)
class Proof:
    """The proof that the answer is the best."""

    certified: bool | None
    """Whether it is proved by `objective`; null where the method proves nothing."""
    algorithm: str
    """The search."""
    objective: str | None
    """The objective."""
    nodes: int | None
    """The accepted combinations of levels."""
    measured: int | None
    """Those counted for this answer; null for a user."""
    stopped: str | None = None
    """The reason why the search ended early."""


@dataclass(frozen=True, slots=True)
class DescribedRelease(Printed):
    """A release by its number, its request and its file, for a provider or for a user."""

    audience: Audience
    """`provider` or `user`."""
    floor: int
    """The requested k."""
    release: int
    """The number of the release."""
    request: int
    """The number of its request: of the submitted one, where it came out of one."""
    title: str
    """The title of the request."""
    dataset: str
    """The dataset."""
    method: str
    """The method."""
    file: str
    """The file or table of the release."""
    sha256: str | None
    """The hash of the file."""
    released_at: datetime
    """The time it was released."""
    engine_version: str
    """The version of the engine."""
    standing: str
    """Whether it stands under its name, in words."""


@dataclass(frozen=True, slots=True)
class CitedColumn:
    """A column of a release."""

    name: str
    """Its name."""
    role: str
    """`quasi-identifier`, `sensitive`, `keep` or `count`."""
    hierarchy: str | None
    """The name of its hierarchy."""
    level: int | None
    """The level; null where rows are at several."""
    level_name: str | None
    """The name of the level, `mixed`, or the aggregate of groups."""


@dataclass(frozen=True, slots=True)
class CitedRelease(DescribedRelease):
    """A release as it is cited."""

    k: int
    """The k that is stated."""
    columns: tuple[CitedColumn, ...]
    """Its columns."""


@dataclass(frozen=True, slots=True)
class ReportFigures(DescribedRelease):
    """A release, for a provider or for a user: nothing below the floor, and nothing that was not released."""

    asked: RequestSummary
    """The request."""
    given: ReleaseSummary
    """The release, measured."""
    proof: Proof
    """The proof that it is the best."""
    columns: tuple[CodebookColumn, ...]
    """Its columns."""
    hierarchies: tuple[ReportedHierarchy, ...]
    """The hierarchies of its columns."""
    sizes: Sizes
    """The sizes of its classes."""
    risks_after: ReportedRisks
    """Its risks."""
    risks_before: ReportedRisks | None = None
    """The risks of the original; null for a user, and where the original is gone."""
    losses: tuple[Loss, ...] = ()
    """Its losses, the objective of the request first."""
    distributions: tuple[ReportedDistribution, ...] = ()
    """Released columns before and after."""
    associations: tuple[Association, ...] = ()
    """Pairs of released columns before and after."""
    cautions: tuple[Caution, ...] = ()
    """What k does not protect against."""
    values_left: tuple[ValuesLeft, ...] = ()
    """Of local recoding and Mondrian, the sensitive values that an elimination leaves possible."""
    classes_overlap: bool = False
    """Whether classes of such a release have combinations of values in common."""
    left_out: tuple[str, ...] = field(default=())
    """The columns that were left out."""
    original: str | None = None
    """Why the original was not read again: `changed`, `gone`, `user`; null where it was."""
    shape: Literal["rows", "table"] = "rows"
    """`rows`, or `table` of counts."""
    counts: Unit = "rows"
    """The unit of the counts of labels and bars."""
    headline: str | None = None
    """The loss that is the detail given up, as on the screen, whether or not its figure is here; null where none is."""


MAX_LABELS = 20
"""Labels of a column that the codebook lists."""
