"""A request for microaggregation at one k after another: records are pulled once, and grouped for each k."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from ordermade.counting.counts import remaining
from ordermade.counting.coverage import ground
from ordermade.methods.microaggregation.groups import decide, grouped_records, none_can_be
from ordermade.methods.microaggregation.open_request import OpenMicroaggregation, open_request
from ordermade.methods.microaggregation.recorder import GroupingRecorder
from ordermade.methods.microaggregation.records import Records
from ordermade.methods.shared.open_request import Costs, RunContext, require_unchanged, with_k
from ordermade.methods.shared.sweep import Point, Sweep, admitted, each_point, in_order, none_remain
from ordermade.release.rows import released_classes
from ordermade.requests.microaggregation import MicroaggregationRequest
from ordermade.requests.read import ReadRequest

METRIC = "sse_over_sst"


def microaggregation_swept(read: ReadRequest[MicroaggregationRequest], ks: Sequence[int], setting: RunContext) -> Sweep:
    """The loss of the groups for each k, SSE / SST.

    Each k takes the time that the request gives to looking for better groups. No node of a lattice is measured, so the
    state learns nothing. Raises InputError (malformed, or values that are no numbers), SourceFault, StateFault.
    """
    started, progress = time.perf_counter(), setting.progress
    with open_request(setting.state, setting.limits, read, progress.statement) as question:
        ks, below = admitted(ks, question.opened.terms, question.opened.name)
        progress.step("records")
        counted = remaining(question.dataset, ks[0])
        points = none_remain(ks, counted.number, counted.called)
        few = points is not None
        if points is None:
            points = _points(question, ks, setting)
        require_unchanged(question)
        return Sweep(
            title=read.request.title,
            dataset=question.opened.name,
            method=read.request.method,
            metric=METRIC,
            meaning="the share of the squared differences from the mean that lies inside groups",
            rows=None if few else counted.rows,
            persons=None,
            points=in_order((*below, *points)),
            cost=Costs.so_far(question.opened.backend.executor, GroupingRecorder.ASKS, started),
        )


def _points(question: OpenMicroaggregation, ks: Sequence[int], setting: RunContext) -> tuple[Point, ...]:
    """The outcome of the request at each k."""
    wants = question.request.microaggregation
    # Other released columns do not affect the groups.
    plan, columns = replace(question.plan(ground), kept=()), question.aggregated(ground)
    records = Records.stored(plan, columns, standardise=wants.standardise)
    return each_point(ks, setting.progress, lambda k: _point(with_k(question, k), records, setting))


def _point(question: OpenMicroaggregation, records: Records, setting: RunContext) -> Point:
    k = question.request.k
    refusal = none_can_be(question, records)
    if refusal:
        return Point(k=k, reason=refusal)
    grouping = grouped_records(question, records, setting)
    decide(records, grouping.groups, grouping.released, question.request.microaggregation.round)
    classes = released_classes(records.plan, None)
    return Point(
        k=k,
        loss=grouping.loss,
        losses=grouping.losses,
        measured_k=classes.k,
        divisions=classes.divisions,
    )
