"""The figures of a report: codes, counts and released labels, no words. A page puts them into a language.

Every count of rows or persons is a `Count`: a number of at least the floor, 0, or "fewer than the floor". No record has
a value of the original that was not released.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

Audience: TypeAlias = Literal["provider", "user"]
Unit: TypeAlias = Literal["rows", "persons"]


@dataclass(frozen=True, slots=True)
class Count:
    """A count of rows or persons: `number`, or None where it is less than `below` and only that is shown."""

    number: int | None
    below: int | None = None

    @classmethod
    def of(cls, number: int, floor: int) -> Count:
        """The count, as "fewer than the floor" where it is neither 0 nor at least the floor."""
        return cls(number) if number == 0 or number >= floor else cls(None, floor)

    @classmethod
    def none_or(cls, number: int | None, floor: int) -> Count:
        """The count, as "fewer than the floor", none included, where it is None."""
        return cls(None, floor) if number is None else cls(number)


@dataclass(frozen=True, slots=True)
class ModelAsked:
    """A model that a sensitive column had to satisfy: its name and parameters, and the figure of the worst class.

    `worst` is None where the release alone does not show it.
    """

    column: str
    name: str
    parameters: tuple[tuple[str, str], ...]
    worst: float | None


@dataclass(frozen=True, slots=True)
class Asked:
    """The request: k, the unit that k counts, limits, bounds and models. Shares run from 0 to 1.

    `filter` is the row filter as written; None where there was none, or it is not for this audience. `risk_bounds`: by
    name (`highest`, `average`).
    """

    k: int
    unit: Unit
    suppression_limit: float
    models: tuple[ModelAsked, ...] = ()
    risk_bounds: tuple[tuple[str, float], ...] = ()
    filter: str | None = None
    objective: str | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """The release: its measured k, classes and rows, and the rows that are missing from it.

    `rows`: of a statistical table the units (rows, or persons of each class) that its counts add up to.
    For a user they are as `release.entitled` says: `suppressed_rows` "fewer than k", none included, and the dataset's
    rows None; `is_measured`: False where k is the requested one, since the release does not show its persons.
    `persons` and `suppressed_persons` are None where a row is a person, or the release does not show them.
    """

    k: int
    classes: int
    rows: int
    rows_of_dataset: int | None
    suppressed_rows: Count
    persons: int | None = None
    suppressed_persons: Count | None = None
    star_rows: Count | None = None
    is_measured: bool = True


@dataclass(frozen=True, slots=True)
class CodebookColumn:
    """A column of the release.

    `role`: quasi-identifier, sensitive, keep, pseudonym, count, attribute. `kind`: numbers, dates, intervals, labels,
    texts, sets, truth values. `level_name`: of its hierarchy, `mixed` where rows are at several; None without one.
    `distinct`: the number of released labels; `labels`: the most frequent of them that hold the floor each, at most
    `MOST_LABELS`. `missing`: rows without a value. `loss`: the share of its detail given up, 0 to 1, None if it was
    released as it is or no such figure is known.
    """

    name: str
    role: str
    kind: str
    hierarchy: str | None
    level: int | None
    level_name: str | None
    distinct: int
    labels: tuple[tuple[str, Count], ...]
    missing: Count
    loss: float | None = None


@dataclass(frozen=True, slots=True)
class LevelShown:
    """A level of a hierarchy: its name, its number of labels, and whether it is released.

    `labels` is None where a level has no number of them, and for users, who have those of the release. `label`: one
    label of it that was released, None where none was.
    """

    name: str
    labels: int | None
    released: bool
    label: str | None = None


@dataclass(frozen=True, slots=True)
class ReportedHierarchy:
    """A hierarchy of a column, from its finest level to its coarsest; `kind`: explicit, interval, date, prefix."""

    column: str
    name: str
    kind: str
    levels: tuple[LevelShown, ...]


@dataclass(frozen=True, slots=True)
class SizeBin:
    """Equivalence classes of `first` to `last` units: how many, and the rows or persons in them."""

    first: int
    last: int
    classes: int
    units: int


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of the equivalence classes of the release: the histogram, and its least, median, mean and greatest.

    `unit`: rows where the release does not say which of them are of one person, though k counts persons.
    """

    bins: tuple[SizeBin, ...]
    least: int
    median: float
    mean: float
    greatest: int
    unit: Unit = "rows"


@dataclass(frozen=True, slots=True)
class ReportedRisks:
    """Risks of re-identification, as probabilities from 0 to 1, of the original or of the release.

    `prosecutor`: the highest (1 / smallest class); `journalist`: the highest, the sample being so large a share of the
    population; `marketer`: the mean share of rows that a reader of all could identify. `average`: of the prosecutor.
    `above`: thresholds with the share of rows at a higher risk. `uniques`: rows alone in their class.
    """

    prosecutor: float
    journalist: float
    marketer: float
    average: float
    above: tuple[tuple[float, float], ...]
    uniques: Count


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a distribution: its label, or the bounds of its numbers (None: open), and its counts.

    `before` is None for a user, and where the original is not there any more. `label` "" is for all others together.
    """

    label: str
    low: float | None
    high: float | None
    before: Count | None
    after: Count


@dataclass(frozen=True, slots=True)
class Distribution:
    """A released column before and after. `kind`: `labels`, or `numbers` (bars with bounds, in ascending order).

    `unit` of the numbers: days of dates, else empty. Every bar holds the floor, or none.
    """

    column: str
    kind: Literal["labels", "numbers"]
    bars: tuple[Bar, ...]
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Association:
    """The association of two released columns before and after, 0 to 1. `measure`: cramers_v, correlation, eta.

    `before` is None for a user, and where the original is not there any more.
    """

    first: str
    second: str
    measure: str
    before: float | None
    after: float


@dataclass(frozen=True, slots=True)
class Caution:
    """Something that k does not protect against, in this release: a code of the page's catalogue, and its figures."""

    code: str
    figures: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss of the release: its metric, its share from 0 (as it was) to 1 (all gone), None where it has none; raw."""

    metric: str
    share: float | None
    raw: float


@dataclass(frozen=True, slots=True)
class Proof:
    """How sure the answer is. `certified`: proved to be the best by `objective`; None where the method proves nothing.

    `nodes`: combinations of levels that were accepted; `measured`: of them, counted for this answer, None for a user.
    """

    certified: bool | None
    algorithm: str
    objective: str | None
    nodes: int | None
    measured: int | None
    stopped: str | None = None


@dataclass(frozen=True, slots=True)
class ReportFigures:
    """A release, for a provider or for a user (nothing below the floor, nothing that was not released).

    `floor`: the requested k. `losses`: the request's objective first. `risks_before`, the filter and what is of
    the original are None or empty for a user, and where `original` says why the original was not read again:
    `changed`, `gone`, `user`; None where it was. `counts`: the unit of the counts of labels and bars, persons only in
    a statistical table that counts persons.
    """

    audience: Audience
    floor: int
    release: int
    request: int
    title: str
    dataset: str
    method: str
    file: str
    sha256: str | None
    released_at: datetime
    engine_version: str
    standing: str
    asked: Asked
    given: Given
    proof: Proof
    columns: tuple[CodebookColumn, ...]
    hierarchies: tuple[ReportedHierarchy, ...]
    sizes: Sizes
    risks_after: ReportedRisks
    risks_before: ReportedRisks | None = None
    losses: tuple[Loss, ...] = ()
    distributions: tuple[Distribution, ...] = ()
    associations: tuple[Association, ...] = ()
    cautions: tuple[Caution, ...] = ()
    left_out: tuple[str, ...] = field(default=())
    original: str | None = None
    shape: Literal["rows", "table"] = "rows"
    counts: Unit = "rows"

    def as_dict(self) -> dict[str, Any]:
        """The report as plain JSON: records as objects, times in ISO 8601."""
        found: dict[str, Any] = _plain(self)
        return found


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    return value.isoformat() if isinstance(value, datetime) else value


MOST_LABELS = 20
"""Labels of a column that the codebook lists."""
