"""A request for microaggregation at one k after another: records are pulled once, and grouped for each k."""

from __future__ import annotations

from dataclasses import replace

from ordermade.counting.counts import Units, remaining
from ordermade.counting.coverage import ground
from ordermade.methods.microaggregation.groups import decide, grouped_records, none_can_be
from ordermade.methods.microaggregation.open_request import OpenMicroaggregation
from ordermade.methods.microaggregation.records import Records
from ordermade.methods.shared.sweep import Curve, Point
from ordermade.release.rows import released_classes


class GroupCurve(Curve[OpenMicroaggregation]):
    """The loss of groups of k records. No node of a lattice is measured, so the state learns nothing.

    Each k takes the time that the request gives to looking for better groups.
    """

    metric = "sse_over_sst"
    meaning = "the share of the squared differences from the mean that lies inside groups"
    records: Records

    def count(self, least: int) -> Units:
        """Count the records."""
        self.setting.progress.step("records")
        return remaining(self.question.dataset, least)

    def prepare(self) -> None:
        """Pull the records, without other released columns, which do not affect the groups."""
        wants = self.question.request.microaggregation
        plan, columns = replace(self.question.plan(ground), kept=()), self.question.aggregated(ground)
        self.records = Records.stored(plan, columns, standardise=wants.standardise)

    def point(self, question: OpenMicroaggregation) -> Point:
        """Group the records anew, and return what their groups lose."""
        k, records = question.request.k, self.records
        refusal = none_can_be(question, records)
        if refusal:
            return Point(k=k, reason=refusal)
        grouping = grouped_records(question, records, self.setting)
        decide(records, grouping.groups, grouping.released, question.request.microaggregation.round)
        classes = released_classes(records.plan, None)
        return Point(
            k=k,
            loss=grouping.loss,
            losses=grouping.losses,
            measured_k=classes.k,
            divisions=classes.divisions,
        )
