"""What microaggregation tells of its release: its loss, its groups, how means, variances and correlations changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ordermade.answering.released import OfMethod, level_in_manifest, level_noted
from ordermade.answering.result import Losses, plain
from ordermade.measuring.dataset import Version
from ordermade.microaggregation.aggregates import Released, ReleasedLoss, ReleasedNumbers
from ordermade.microaggregation.columns import Numeric
from ordermade.microaggregation.distribution import distribution
from ordermade.microaggregation.figures import Changes, changes
from ordermade.microaggregation.grouping import Grouped
from ordermade.microaggregation.groups import Groups
from ordermade.microdata.question import Question
from ordermade.microdata.records import Records
from ordermade.microdata.result import (
    AggregatedAttribute,
    CorrelationReport,
    DistributionReport,
    MicroaggregationReport,
    TriedMethod,
)
from ordermade.state.release_records import ReleaseColumn

DIGITS = 6
"""Of what is told of all records together. With all the digits that a sum of them has, whoever knows all that is
released could reckon what it lacks: where one group alone has different values, its means and its loss tell them."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupedRecords:
    """The records, their groups, what is released for each, and what that loses."""

    records: Records
    found: Grouped
    groups: Groups
    released: Sequence[Released]
    lost: ReleasedLoss

    @property
    def losses(self) -> Losses:
        """SSE / SST of all attributes together and of each."""
        columns = [each.column for each in self.records.aggregated]
        by_attribute = dict(zip(columns, map(_told, self.lost.by_attribute), strict=True))
        return {"sse_over_sst": self.loss, "by_attribute": by_attribute}

    @property
    def loss(self) -> float:
        """SSE / SST of all attributes together."""
        return _told(self.lost.sse_over_sst)


def report_of(question: Question, grouping: GroupedRecords) -> MicroaggregationReport:
    """How the groups came about, and what they changed."""
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
        rounding_over_sst=_told(grouping.lost.rounding_over_sst),
        tried=tuple(TriedMethod(each.algorithm, each.records, each.seconds) for each in found.tried),
        attributes=tuple(_attributes(question, grouping, numeric, changed)),
        correlations=tuple(
            CorrelationReport((columns[each.one], columns[each.other]), _if_known(each.before), _if_known(each.after))
            for each in changed.correlations
        ),
    )


def _changes(grouping: GroupedRecords) -> tuple[list[int], Changes]:
    """The places of the numeric attributes, and how their means, variances and correlations changed."""
    numeric, before, after = [], [], []
    for place, (given, released) in enumerate(zip(grouping.records.attributes, grouping.released, strict=True)):
        if isinstance(given, Numeric) and isinstance(released, ReleasedNumbers):
            numeric.append(place)
            before.append(given.values)
            after.append(released.values)
    return numeric, changes(before, after, grouping.groups)


def _attributes(
    question: Question, grouping: GroupedRecords, numeric: Sequence[int], changed: Changes
) -> Iterator[AggregatedAttribute]:
    for place, (asked, resolved) in enumerate(
        zip(grouping.records.aggregated, question.resolved.attributes, strict=True)
    ):
        told = AggregatedAttribute(
            asked.column, resolved.aggregate, float(resolved.weight), _told(grouping.lost.by_attribute[place])
        )
        if place not in numeric:
            yield told
            continue
        change = changed.attributes[numeric.index(place)]
        yield AggregatedAttribute(
            told.column,
            told.aggregate,
            told.weight,
            told.loss,
            mean_before=_told(change.mean_before / asked.units),
            mean_after=_told(change.mean_after / asked.units),
            variance_ratio=_if_known(change.variance_ratio),
            rounding_sse=_told(grouping.lost.rounding_sse[place] / asked.units**2),
        )


def _told(figure: float) -> float:
    """A figure of all records together, with as many digits as are told of one."""
    return float(f"{figure:.{DIGITS}g}")


def _if_known(figure: float | None) -> float | None:
    return None if figure is None else _told(figure)


def distributions_of(question: Question, grouping: GroupedRecords) -> tuple[DistributionReport, ...]:
    """How the values of each numeric attribute are distributed before and after, k rows or more in every bin."""
    k, found = question.request.k, []
    for asked, given, released in zip(
        grouping.records.aggregated, grouping.records.attributes, grouping.released, strict=True
    ):
        if isinstance(given, Numeric) and isinstance(released, ReleasedNumbers):
            told = distribution(given.values / asked.units, released.values / asked.units, grouping.groups, k)
            found.append(DistributionReport(asked.column, told.edges, told.before, told.after))
    return tuple(found)


def of_method(
    question: Question, grouping: GroupedRecords, report: MicroaggregationReport, request_id: int, version: Version
) -> OfMethod:
    """What the state and the manifest are told of the release."""
    return OfMethod(
        request_id=request_id,
        version=version,
        losses=grouping.losses,
        columns=tuple(_columns(question)),
        manifest={
            "within": [level_in_manifest(each.column, each.hierarchy, each.level) for each in question.resolved.within],
            "microaggregation": plain(report),
        },
    )


def _columns(question: Question) -> Iterator[ReleaseColumn]:
    for each in question.resolved.within:
        yield level_noted(each.column, each.hierarchy, each.level)
    for asked in question.resolved.attributes:
        yield ReleaseColumn(asked.column, "quasi-identifier", None, asked.aggregate)
