"""The result of a request for microaggregation: how its groups were made, and what they changed."""

from __future__ import annotations

from dataclasses import dataclass

from ordermade.answering.costs import Costs
from ordermade.answering.result import Result


@dataclass(frozen=True, slots=True)
class AggregatedAttribute:
    """One microaggregated attribute before and after.

    `aggregate` is the released value of a group: `mean`, `median`, `mode` or `ancestor`. `loss`: SSE / SST. Of a
    numeric attribute, in its own unit: its mean before and after, the ratio of its variance after to before (None for
    an attribute with one value), and the increase of its SSE by rounding.
    """

    column: str
    aggregate: str
    weight: float
    loss: float
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
    """A method that was tried, the records whose groups it gave in the end, and its seconds."""

    algorithm: str
    records: int
    seconds: float


@dataclass(frozen=True, slots=True)
class MicroaggregationReport:
    """The report on how the groups of a release were made.

    The groups of `algorithm` were taken, of those `tried`; `rounds` of improving followed. `groups` of `smallest`
    to `largest` rows lie inside the `classes` of the columns of `within` (1 without), grouped in so many `blocks` (more
    than classes where a class was cut, because it has too many rows to compare them all). `rounding_over_sst`: the part
    of the loss that rounding adds.
    """

    algorithm: str
    groups: int
    smallest: int
    largest: int
    classes: int
    blocks: int
    rounds: int
    rounding_over_sst: float
    tried: tuple[TriedMethod, ...]
    attributes: tuple[AggregatedAttribute, ...]
    correlations: tuple[CorrelationReport, ...]


@dataclass(frozen=True, slots=True)
class DistributionReport:
    """The rows in each bin of a numeric attribute, before and after; before, every bin has k rows or more.

    Between the bins are the `edges`, one fewer, which are round numbers; an edge belongs to the bin above it.
    """

    column: str
    edges: tuple[float, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MicroaggregationResult(Result):
    """The answer to one request for microaggregation; `microaggregation` is None where it was refused.

    `distributions`: of each numeric attribute, if requested.
    """

    microaggregation: MicroaggregationReport | None = None
    distributions: tuple[DistributionReport, ...] = ()
    cost: Costs
