"""The result of a microaggregation request: groups, loss, changes of means, variances and correlations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ordermade.counting.dataset import Version
from ordermade.loss.shapes import MicroaggregationLoss, NoLoss
from ordermade.loss.shares import LossValues
from ordermade.methods.microaggregation.algorithm.aggregates import Released, ReleasedLoss, ReleasedNumbers
from ordermade.methods.microaggregation.algorithm.columns import Numeric
from ordermade.methods.microaggregation.algorithm.figures import Changes, changes, distribution
from ordermade.methods.microaggregation.algorithm.groups import Groups
from ordermade.methods.microaggregation.open_request import OpenMicroaggregation
from ordermade.methods.microaggregation.records import PulledRecords
from ordermade.methods.shared.open_request import Costs
from ordermade.methods.shared.release_record import MethodSummary, level_in_manifest, level_noted
from ordermade.methods.shared.result import Result, cost
from ordermade.records.cards import Grid
from ordermade.records.printed import json_of
from ordermade.state.releases import ReleaseColumn

if TYPE_CHECKING:
    from ordermade.methods.microaggregation.algorithm.grouping import Grouped


@dataclass(frozen=True, slots=True)
class AggregatedAttribute:
    """A microaggregated attribute before and after."""

    column: str
    """Its name."""
    aggregate: str
    """The released value of a group: `mean`, `median`, `mode` or `ancestor`."""
    weight: float
    """Its weight."""
    loss: float
    """Its SSE / SST."""
    mean_before: float | None = None
    """The mean before; null unless numeric."""
    mean_after: float | None = None
    """The mean after."""
    variance_ratio: float | None = None
    """The variance after, of that before."""
    rounding_sse: float | None = None
    """The part of its SSE that rounding adds."""


@dataclass(frozen=True, slots=True)
class CorrelationReport:
    """The correlation of two numeric attributes before and after."""

    columns: tuple[str, str]
    """The attributes."""
    before: float | None
    """Pearson's correlation before; null where one has a single value."""
    after: float | None
    """The same after."""


@dataclass(frozen=True, slots=True)
class TriedMethod:
    """A method of making groups that was tried."""

    algorithm: str
    """Its name."""
    records: int
    """The records whose groups it gave in the end."""
    seconds: float
    """Its seconds."""


@dataclass(frozen=True, slots=True)
class MicroaggregationReport:
    """The groups of a microaggregated release."""

    algorithm: str
    """The method whose groups were taken."""
    groups: int
    """Their number."""
    smallest: int
    """The rows of the smallest."""
    largest: int
    """The rows of the largest."""
    classes: int
    """The classes of the columns that groups stay within; 1 without."""
    blocks: int
    """The blocks that were grouped by themselves."""
    rounds: int
    """The rounds of improving."""
    rounding_over_sst: float
    """The part of the loss that rounding adds."""
    tried: tuple[TriedMethod, ...]
    """The methods that were tried."""
    attributes: tuple[AggregatedAttribute, ...]
    """The attributes."""
    correlations: tuple[CorrelationReport, ...]
    """The correlations of numeric attributes."""


@dataclass(frozen=True, slots=True)
class DistributionReport:
    """The rows in each bin of a numeric attribute."""

    column: str
    """Its name."""
    edges: tuple[float, ...]
    """The edges between bins, one fewer than bins."""
    before: tuple[int, ...]
    """The rows of each bin before: k or more."""
    after: tuple[int, ...]
    """The rows of each bin after."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MicroaggregationResult(Result):
    """The answer to one request for microaggregation."""

    loss: Annotated[LossValues, MicroaggregationLoss | NoLoss] = field(default_factory=dict)
    """The losses by metric; none of a refusal."""
    method: Annotated[str, Literal["microaggregation"]] = ""
    """`microaggregation`."""

    microaggregation: MicroaggregationReport | None = None
    """The groups of the release; null of a refusal."""
    distributions: tuple[DistributionReport, ...] = ()
    """The distribution of each numeric attribute, with `--plot`."""
    cost: Costs
    """The statements that ran in the source."""

    def _own_facts(self) -> Iterator[tuple[str, Any]]:
        report = self.microaggregation
        if report is not None:
            yield "algorithm", report.algorithm
            yield "groups", f"{report.groups:,} of {report.smallest:,} to {report.largest:,} rows"
        yield "cost", cost(self.cost.source_queries, self.cost.seconds)

    def _grids(self) -> Iterator[Grid]:
        attributes = () if self.microaggregation is None else self.microaggregation.attributes
        rows = [(each.column, each.aggregate, each.loss, each.variance_ratio) for each in attributes]
        yield Grid(("attribute", "aggregate", "loss", "variance ratio"), rows)


DIGITS = 6
"""Significant digits of a figure over all records. The exact sums would reveal suppressed records: where only one group
has different values, its means and its loss determine them."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupedRecords:
    """The records, their groups, the released values of each, and the loss."""

    records: PulledRecords
    found: Grouped
    groups: Groups
    released: Sequence[Released]
    lost: ReleasedLoss

    @property
    def losses(self) -> LossValues:
        """SSE / SST of all attributes together and of each."""
        columns = [each.column for each in self.records.aggregated]
        by_attribute = dict(zip(columns, map(_rounded, self.lost.by_attribute), strict=True))
        return {"sse_over_sst": self.loss, "by_attribute": by_attribute}

    @property
    def loss(self) -> float:
        """SSE / SST of all attributes together."""
        return _rounded(self.lost.sse_over_sst)


def report_of(open_request: OpenMicroaggregation, grouping: GroupedRecords) -> MicroaggregationReport:
    """The report on how the groups were made, and what they changed."""
    found = grouping.found
    numeric, changed = _changes(grouping)
    columns = [grouping.records.aggregated[place].column for place in numeric]
    return MicroaggregationReport(
        algorithm=found.algorithm,
        groups=found.report.groups,
        smallest=found.report.smallest,
        largest=found.report.largest,
        classes=len(grouping.records.sizes),
        blocks=found.blocks,
        rounds=found.rounds,
        rounding_over_sst=_rounded(grouping.lost.rounding_over_sst),
        tried=tuple(TriedMethod(each.algorithm, each.records, each.seconds) for each in found.tried),
        attributes=tuple(_attributes(open_request, grouping, numeric, changed)),
        correlations=tuple(
            CorrelationReport((columns[each.one], columns[each.other]), _if_known(each.before), _if_known(each.after))
            for each in changed.correlations
        ),
    )


def _changes(grouping: GroupedRecords) -> tuple[list[int], Changes]:
    """The places of the numeric attributes, and the changes of their means, variances and correlations."""
    numeric, before, after = [], [], []
    for place, (given, released) in enumerate(zip(grouping.records.attributes, grouping.released, strict=True)):
        if isinstance(given, Numeric) and isinstance(released, ReleasedNumbers):
            numeric.append(place)
            before.append(given.values)
            after.append(released.values)
    return numeric, changes(before, after, grouping.groups)


def _attributes(
    open_request: OpenMicroaggregation, grouping: GroupedRecords, numeric: Sequence[int], changed: Changes
) -> Iterator[AggregatedAttribute]:
    for place, (column, resolved) in enumerate(
        zip(grouping.records.aggregated, open_request.resolved.attributes, strict=True)
    ):
        attribute = AggregatedAttribute(
            column.column, resolved.aggregate, float(resolved.weight), _rounded(grouping.lost.by_attribute[place])
        )
        if place not in numeric:
            yield attribute
            continue
        change = changed.attributes[numeric.index(place)]
        yield AggregatedAttribute(
            attribute.column,
            attribute.aggregate,
            attribute.weight,
            attribute.loss,
            mean_before=_rounded(change.mean_before / column.units),
            mean_after=_rounded(change.mean_after / column.units),
            variance_ratio=_if_known(change.variance_ratio),
            rounding_sse=_rounded(grouping.lost.rounding_sse[place] / column.units**2),
        )


def _rounded(figure: float) -> float:
    """A figure over all records, rounded to `DIGITS` significant digits."""
    return float(f"{figure:.{DIGITS}g}")


def _if_known(figure: float | None) -> float | None:
    return None if figure is None else _rounded(figure)


def distributions_of(open_request: OpenMicroaggregation, grouping: GroupedRecords) -> tuple[DistributionReport, ...]:
    """The distribution of each numeric attribute before and after, k rows or more in every bin."""
    k, found = open_request.request.k, []
    for column, given, released in zip(
        grouping.records.aggregated, grouping.records.attributes, grouping.released, strict=True
    ):
        if isinstance(given, Numeric) and isinstance(released, ReleasedNumbers):
            counts = distribution(given.values / column.units, released.values / column.units, grouping.groups, k)
            found.append(DistributionReport(column.column, counts.edges, counts.before, counts.after))
    return tuple(found)


def method_summary(
    open_request: OpenMicroaggregation,
    grouping: GroupedRecords,
    report: MicroaggregationReport,
    request_id: int,
    version: Version,
) -> MethodSummary:
    """The record of the release in the state and the manifest."""
    return MethodSummary(
        request_id=request_id,
        version=version,
        losses=grouping.losses,
        columns=tuple(_columns(open_request)),
        manifest={
            "within": [
                level_in_manifest(each.column, each.hierarchy, each.level) for each in open_request.resolved.within
            ],
            "microaggregation": json_of(report),
        },
        hierarchies={
            **{each.column: each.hierarchy for each in open_request.resolved.within},
            **{each.column: each.hierarchy for each in open_request.resolved.attributes if each.hierarchy is not None},
        },
        shares={each.column: each.loss for each in report.attributes},
    )


def _columns(open_request: OpenMicroaggregation) -> Iterator[ReleaseColumn]:
    for each in open_request.resolved.within:
        yield level_noted(each.column, each.hierarchy, each.level)
    for attribute in open_request.resolved.attributes:
        yield ReleaseColumn(attribute.column, "quasi-identifier", None, attribute.aggregate)
