"""A request for Mondrian at one k after another: records are pulled once, and split anew for each k."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ordermade.counting.counts import Units, ground_sensitive, remaining
from ordermade.counting.coverage import encode_counted
from ordermade.methods.mondrian.algorithm.partition import coverage
from ordermade.methods.mondrian.answer import decide, fail_together, none_can_be, split, too_long
from ordermade.methods.mondrian.counted_combinations import records_of
from ordermade.methods.mondrian.labels import released
from ordermade.methods.mondrian.open_request import OpenMondrian
from ordermade.methods.mondrian.records import MondrianRecords
from ordermade.methods.mondrian.result import SplitRecords
from ordermade.methods.mondrian.rules import guide_of
from ordermade.methods.shared.sweep import Curve, Point
from ordermade.privacy.least_k import too_few
from ordermade.release.rows import released_classes

if TYPE_CHECKING:
    from ordermade.methods.mondrian.algorithm.rules import Guide


class SplitCurve(Curve[OpenMondrian]):
    """The mean share of their domains that labels cover. No node is measured, so the state learns nothing."""

    metric = "loss"
    meaning = "the mean share of their domains that labels cover"
    counted: Units
    records: MondrianRecords
    guide: Guide | None

    def count(self, least: int) -> Units:
        """Count the rows, and the persons where the dataset has an entity column."""
        self.context.progress.step("records")
        self.counted = remaining(self.open_request.dataset, least)
        return self.counted

    def prepare(self) -> None:
        """Pull the records, and read the rules that guide the splits."""
        resolved, plan = self.open_request.resolved, self.open_request.plan(ground_sensitive)
        if resolved.strict:  # else records that are equal but for them stand in their order
            plan = replace(plan, kept=())
        wanted = self.open_request.wanted(encode_counted)
        self.records = records_of(plan, wanted, strict=resolved.strict, target=resolved.target)
        rules = resolved.rules if self.records.rows else None
        self.guide = None if rules is None else guide_of(rules, self.records.columns)

    def point(self, open_request: OpenMondrian) -> Point:
        """Split the records anew, and return what the labels of their classes lose."""
        k, counted, records = open_request.request.k, self.counted, self._records(open_request.request.k)
        few = too_few(k, counted.number, counted.called)
        refusal = few or none_can_be(records)
        if refusal:
            return Point(k=k, reason=refusal)
        partition = split(open_request, records, self.guide, self.context)
        given = released(records, partition, open_request.resolved.labels)
        refusal = too_long(records.plan, partition, given)
        if refusal:
            return Point(k=k, reason=refusal)
        decide(records, partition, given)
        refusal = fail_together(records.plan, partition)
        if refusal:
            return Point(k=k, reason=refusal)
        classes = released_classes(records.plan, counted.persons)
        found = SplitRecords(partition, coverage(records.domains, records.codes, partition), classes)
        return Point(
            k=k,
            loss=found.loss,
            losses=found.losses(open_request),
            measured_k=classes.k,
            divisions=classes.divisions,
        )

    def _records(self, k: int) -> MondrianRecords:
        """The records for another k, without released columns that do not affect the classes."""
        plan = self.records.plan
        plan = replace(plan, k=k, kept=(), sensitive=() if plan.entity is None else plan.sensitive)
        return replace(self.records, plan=plan)
