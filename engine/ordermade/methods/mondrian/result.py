"""The result of a Mondrian request (classes, losses, quasi-identifiers, service of rules), and its recorder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from ordermade.counting.dataset import Version
from ordermade.lattice.observation import Observation, Requirement
from ordermade.loss.extremes import Extremes
from ordermade.loss.metrics import average_class_size, average_class_size_in_k, discernibility
from ordermade.loss.shapes import MondrianLoss, NoLoss
from ordermade.loss.shares import LossValues
from ordermade.methods.mondrian.algorithm.check import counted as counts_of
from ordermade.methods.mondrian.algorithm.mining import in_units
from ordermade.methods.mondrian.algorithm.partition import Coverage, Partition
from ordermade.methods.mondrian.algorithm.rule_coverage import (
    Reached,
    cells_of,
    quality,
)
from ordermade.methods.mondrian.algorithm.rules import Guide
from ordermade.methods.mondrian.labels import ReleasedLabels
from ordermade.methods.mondrian.open_request import OpenMondrian
from ordermade.methods.mondrian.records import MondrianRecords
from ordermade.methods.shared.open_request import Costs
from ordermade.methods.shared.recorder import RecordsRecorder, as_started, requested_models
from ordermade.methods.shared.release_record import MethodSummary
from ordermade.methods.shared.released_columns import MIXED
from ordermade.methods.shared.result import Result, cost
from ordermade.records.cards import Grid
from ordermade.records.printed import json_of
from ordermade.requests.mondrian import Labels
from ordermade.requests.resolve_mondrian import ResolvedSplit
from ordermade.requests.resolve_rules import ResolvedRule
from ordermade.state.records.request_columns import SplitColumn
from ordermade.state.releases import ReleaseColumn

if TYPE_CHECKING:
    from ordermade.state.records.requests import RequestRecord


@dataclass(frozen=True, slots=True)
class SplitAttribute:
    """One quasi-identifier of a release by Mondrian."""

    column: str
    """Its name."""
    hierarchy: str | None
    """Its hierarchy."""
    loss: float
    """The mean share of its domain that a released label covers."""
    kept: int
    """The rows whose label is below `*`."""
    rows: Mapping[str, int]
    """The rows at each level of its hierarchy, by name, finest first; none where it is not split along one."""


@dataclass(frozen=True, slots=True)
class MondrianReport:
    """The classes of a release by Mondrian."""

    variant: str
    """The variant of the algorithm."""
    split: str
    """The score that splits go by."""
    strict: bool
    """Whether equal values stay together."""
    labels: str | None
    """The released form of numbers and dates; null where there are none."""
    groups: int
    """The number of classes as they were split."""
    smallest: int
    """The rows of the smallest."""
    largest: int
    """The rows of the largest."""
    made: int
    """The splits made."""
    tried: int
    """The splits tried."""
    prec: float
    """Sweeney's Prec: higher is better."""
    attributes: tuple[SplitAttribute, ...]
    """The quasi-identifiers."""


@dataclass(frozen=True, slots=True)
class Service:
    """The service of a table by one rule."""

    served: int
    """The rows (or persons) in classes that lie in the rule by half or more."""
    recall: float | None
    """Of those whom the rule means, the share that is served."""
    precision: float | None
    """Of those served, the share that it means."""


@dataclass(frozen=True, slots=True)
class RuleReport:
    """A recommendation rule before and after.

    Counts in the original are rounded to multiples of k (so are persons served, unless the release has pseudonyms), and
    shares are those of rounded counts: exact counts of two rules that hardly differ could reveal fewer than k.
    """

    item: str
    """Its item."""
    weight: float
    """Its weight."""
    meant: int | None
    """The rows (or persons) that it means, in multiples of k; null where fewer than k."""
    before: Service | None
    """The service of the original."""
    after: Service | None
    """The service of the release."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MondrianResult(Result):
    """The answer to one request for Mondrian."""

    loss: Annotated[LossValues, MondrianLoss | NoLoss] = field(default_factory=dict)
    """The losses by metric; none of a refusal."""
    method: Annotated[str, Literal["mondrian"]] = ""
    """`mondrian`."""

    mondrian: MondrianReport | None = None
    """The classes of the release; null of a refusal."""
    recommendation: tuple[RuleReport, ...] = ()
    """A report for each rule of the rules file, in its order."""
    cost: Costs
    """The statements that ran in the source."""

    def _own_facts(self) -> Iterator[tuple[str, Any]]:
        report = self.mondrian
        if report is not None:
            strict = "" if report.strict else ", relaxed"
            yield "method", f"{report.variant} Mondrian{strict}, split by {report.split}"
        yield "rules", len(self.recommendation) or None
        yield "cost", cost(self.cost.source_queries, self.cost.seconds)

    def _grids(self) -> Iterator[Grid]:
        attributes = () if self.mondrian is None else self.mondrian.attributes
        rows = [(each.column, each.loss, f"{each.kept:,} rows") for each in attributes]
        yield Grid(("quasi-identifier", "loss", "kept below *"), rows)


def rules_served(
    open_request: OpenMondrian,
    records: MondrianRecords,
    guide: Guide,
    partition: Partition,
    given: Sequence[ReleasedLabels],
) -> tuple[RuleReport, ...]:
    """One report a rule, in the order of the rules file. `given`: the released values of each group, by column."""
    rules = open_request.resolved.rules
    if rules is None:
        return ()
    cells = cells_of(
        guide,
        records.codes,
        partition,
        [each.classes for each in records.columns],
        sets=open_request.resolved.labels == "set",
        numbers={place: each.numbers for place, each in enumerate(given) if each.numbers is not None},
    )
    found = quality(guide, records.codes, partition, cells, records.persons)
    seen = records.persons is None or open_request.request.release.pseudonym is not None
    pairs = zip(rules.rules, found, strict=True)
    return tuple(_report(rule, reached, open_request.request.k, seen=seen) for rule, reached in pairs)


def _report(rule: ResolvedRule, reached: Reached, k: int, *, seen: bool) -> RuleReport:
    """The number that a rule means, and the service before (each record a cell of its own) and after.

    `seen`: whether those who are served can be counted in the release; if not they are rounded too.
    """
    weight = float(rule.weight)
    if reached.meant < k:
        return RuleReport(rule.item, weight, None, None, None)
    meant = k * in_units(reached.meant, k)
    both = k * in_units(reached.both, k)
    serves = reached.served if seen else k * in_units(reached.served, k)
    before, after = Reached(meant, meant, meant), Reached(meant, serves, both)
    return RuleReport(rule.item, weight, meant, _service(before), _service(after))


def _service(reached: Reached) -> Service:
    precision = reached.precision
    # Those who are served may be counted as they are, those among them whom the rule means are rounded, maybe up.
    return Service(reached.served, reached.recall, None if precision is None else min(precision, 1.0))


@dataclass(frozen=True, slots=True, eq=False)
class SplitRecords:
    """The classes of a release: as they were split, their coverage, and as they are released."""

    partition: Partition
    covered: Coverage
    classes: Observation

    def losses(self, open_request: OpenMondrian) -> LossValues:
        """Information loss by metric, as `loss.metrics` defines them; `loss` also by attribute."""
        classes, requirement = self.classes, Requirement(open_request.request.k)
        lost = self.covered.loss
        columns = [each.column for each in open_request.resolved.qis]
        return {
            "loss": self.loss,
            "prec": 1 - self.covered.prec,
            "classes": classes.divisions,
            "dm": discernibility(classes, requirement),
            "c_avg": float(average_class_size_in_k(classes, requirement)),
            "aecs": float(average_class_size(classes, requirement)),
            "by_attribute": {column: float(each) for column, each in zip(columns, lost, strict=True)},
        }

    @property
    def loss(self) -> float:
        """The mean share of their domains that labels cover, over all records and quasi-identifiers."""
        return float(self.covered.loss.mean())


MAX_COMBINATIONS = 2**62
"""Combinations of codes that one whole number of 64 bits tells apart."""


def original_extremes(records: MondrianRecords, k: int) -> Extremes:
    """The extremes of the table: its classes as they were. Of persons, who may be in several, they are not known."""
    if records.persons is not None:
        return Extremes(k=k)
    classes, known = np.zeros(records.records, dtype=np.int64), 1
    for codes in records.codes.T:
        values = int(codes.max(initial=0)) + 1
        if known * values > MAX_COMBINATIONS:
            _, classes = np.unique(classes, return_inverse=True)
            known = records.records
        classes, known = classes * values + codes, known * values
    different, number = np.unique(classes, return_inverse=True)
    sizes = counts_of(number.reshape(-1), different.size, records.weights)
    return Extremes(units=records.rows, k=k, classes=int(sizes.size), squares=int((sizes * sizes).sum()))


def report_of(open_request: OpenMondrian, split: SplitRecords) -> MondrianReport:
    """The report on how the classes were made, and what they keep."""
    resolved, partition = open_request.resolved, split.partition
    return MondrianReport(
        variant=resolved.variant,
        split=resolved.split,
        strict=resolved.strict,
        labels=resolved.labels if any(each.kind == "ordered" for each in resolved.qis) else None,
        groups=partition.groups,
        smallest=int(partition.sizes.min()),
        largest=int(partition.sizes.max()),
        made=partition.made,
        tried=partition.tried,
        prec=split.covered.prec,
        attributes=tuple(_attributes(open_request, split)),
    )


def _attributes(open_request: OpenMondrian, split: SplitRecords) -> Iterator[SplitAttribute]:
    covered, partition = split.covered, split.partition
    for place, each in enumerate(open_request.resolved.qis):
        rows: dict[str, int] = {}
        if each.hierarchy is not None and each.kind == "nested":
            for level, named in enumerate(each.hierarchy.levels):
                rows[named.name] = int(partition.sizes[partition.levels[:, place] == level].sum())
        name = None if each.hierarchy is None else each.hierarchy.name
        yield SplitAttribute(each.column, name, float(covered.loss[place]), int(covered.kept[place]), rows)


def method_summary(
    open_request: OpenMondrian,
    report: MondrianReport,
    losses: LossValues,
    request_id: int,
    version: Version,
    extremes: Callable[[], Extremes] = Extremes,
) -> MethodSummary:
    """The record of the release in the state and the manifest."""
    resolved = open_request.resolved
    return MethodSummary(
        request_id=request_id,
        version=version,
        losses=losses,
        columns=tuple(
            ReleaseColumn(each.column, "quasi-identifier", None, _released_as(each, resolved.labels))
            for each in resolved.qis
        ),
        manifest={
            "quasi_identifiers": list(_columns(open_request)),
            "mondrian": json_of(report),
            "rules_sha256": resolved.rules_hash,
        },
        hierarchies={each.column: each.hierarchy for each in resolved.qis if each.hierarchy is not None},
        shares={each.column: each.loss for each in report.attributes},
        extremes=extremes,
    )


def _released_as(column: ResolvedSplit, labels: Labels) -> str:
    """The kind of label that a class has for a column: a class of a hierarchy, a set of values, or an aggregate."""
    if column.kind == "nested":
        return MIXED
    return labels if column.kind == "ordered" else "set"


def _columns(open_request: OpenMondrian) -> Iterator[Mapping[str, Any]]:
    for each in open_request.resolved.qis:
        hierarchy = each.hierarchy
        yield {
            "column": each.column,
            "split_as": each.kind,
            "hierarchy": None if hierarchy is None else hierarchy.name,
            "hierarchy_hash": None if hierarchy is None else hierarchy.content_hash,
        }


class SplitRecorder(RecordsRecorder[OpenMondrian, MondrianResult]):
    """The recorder of a request whose records are split."""

    ANSWER = MondrianResult

    def _advice(self) -> str:
        if self._question.request.sensitive:
            return "Ask for a smaller k, weaker models, or more rows."
        return "Ask for a smaller k, or for more rows."

    def _started(self) -> RequestRecord:
        resolved = self._question.resolved
        started = as_started(
            self._question,
            self.version_id,
            algorithm=resolved.variant,
            objective=resolved.split,
            quasi_identifiers=(),
        )
        return replace(
            started,
            options=resolved.in_words,
            splits=tuple(
                SplitColumn(
                    each.column,
                    each.kind,
                    None if each.hierarchy is None else each.hierarchy.name,
                    None if each.hierarchy is None else each.hierarchy.content_hash,
                    each.finest if each.kind == "nested" else None,
                )
                for each in resolved.qis
            ),
            sensitive=requested_models(resolved.sensitive),
        )
