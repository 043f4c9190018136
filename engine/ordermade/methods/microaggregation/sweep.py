"""A request for microaggregation at one k after another: records are pulled once, and grouped for each k."""

from __future__ import annotations

from dataclasses import replace

from ordermade.counting.counts import Units, remaining
from ordermade.counting.coverage import encode_counted
from ordermade.methods.microaggregation.groups import decide, grouped_records, none_can_be
from ordermade.methods.microaggregation.open_request import OpenMicroaggregation
from ordermade.methods.microaggregation.records import PulledRecords
from ordermade.methods.shared.sweep import Curve, Point
from ordermade.release.rows import released_classes


class GroupCurve(Curve[OpenMicroaggregation]):
    """The loss of groups of k records. No node of a lattice is measured, so the state learns nothing.

    Each k takes the time that the request gives to looking for better groups.
    """

    metric = "sse_over_sst"
    meaning = "the share of the squared differences from the mean that lies inside groups"
    records: PulledRecords

    def count(self, least: int) -> Units:
        """Count the records."""
        self.context.progress.step("records")
        return remaining(self.open_request.dataset, least)

    def prepare(self) -> None:
        """Pull the records, without other released columns, which do not affect the groups."""
        wants = self.open_request.request.microaggregation
        plan, columns = (
            replace(self.open_request.plan(encode_counted), kept=()),
            self.open_request.aggregated(encode_counted),
        )
        self.records = PulledRecords.stored(plan, columns, standardise=wants.standardise)

    def point(self, open_request: OpenMicroaggregation) -> Point:
        """Group the records anew, and return what their groups lose."""
        k, records = open_request.request.k, self.records
        refusal = none_can_be(open_request, records)
        if refusal:
            return Point(k=k, reason=refusal)
        grouping = grouped_records(open_request, records, self.context)
        decide(records, grouping.groups, grouping.released, open_request.request.microaggregation.round)
        classes = released_classes(records.plan, None)
        return Point(
            k=k,
            loss=grouping.loss,
            losses=grouping.losses,
            measured_k=classes.k,
            divisions=classes.divisions,
        )
