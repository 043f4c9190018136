"""What a request for microaggregation gives back: how its groups came about, and what they changed."""

from __future__ import annotations

from dataclasses import dataclass

from ordermade.answering.result import Result


@dataclass(frozen=True, slots=True)
class AggregatedAttribute:
    """What became of one microaggregated attribute.

    `aggregate` is what each group has in common: `mean`, `median`, `mode` or `ancestor`, of a numeric attribute
    `rounded` or not. `loss`: SSE / SST. Of a numeric attribute, in its own unit: its mean before and after, the ratio
    of its variance after to before (None for an attribute with one value), and what rounding adds to its SSE.
    """

    column: str
    aggregate: str
    weight: float
    loss: float
    rounded: bool = False
    mean_before: float | None = None
    mean_after: float | None = None
    variance_ratio: float | None = None
    rounding_sse: float | None = None


@dataclass(frozen=True, slots=True)
class CorrelationReport:
    """Pearson's correlation of two numeric attributes before and after; None where one of them has a single value."""

    columns: tuple[str, str]
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True)
class TriedMethod:
    """A method that was tried: its loss (SSE / SST of the columns that distances were taken in), and its seconds."""

    algorithm: str
    loss: float
    seconds: float


@dataclass(frozen=True, slots=True)
class MicroaggregationReport:
    """How the groups of a release came about.

    `algorithm` made them, of those `tried`; `improved`: whether they were improved after that, in so many `rounds`.
    `groups` of `smallest` to `largest` rows, made inside each of the `classes` of the columns of `within` (1 without)
    and `blocks` (1: the whole at once). `source_queries` read the columns, `seconds` are those of the whole request.
    """

    algorithm: str
    improved: bool
    groups: int
    smallest: int
    largest: int
    classes: int
    blocks: int
    rounds: int
    tried: tuple[TriedMethod, ...]
    attributes: tuple[AggregatedAttribute, ...]
    correlations: tuple[CorrelationReport, ...]
    source_queries: int
    version_queries: int
    coverage_queries: int
    release_queries: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MicroaggregationResult(Result):
    """The answer to one request for microaggregation; `microaggregation` is None where it was refused."""

    microaggregation: MicroaggregationReport | None = None
