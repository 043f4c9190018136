"""A request for Mondrian at one k after another: records are pulled once, and split anew for each k."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ordermade.counting.counts import Units, ground_sensitive, remaining
from ordermade.counting.coverage import ground
from ordermade.methods.mondrian.algorithm.partition import coverage
from ordermade.methods.mondrian.answer import decide, fail_together, none_can_be, split, too_long
from ordermade.methods.mondrian.counted import records_of
from ordermade.methods.mondrian.labels import released
from ordermade.methods.mondrian.open_request import OpenMondrian, open_request
from ordermade.methods.mondrian.records import Records
from ordermade.methods.mondrian.result import SplitRecorder, SplitRecords
from ordermade.methods.mondrian.rules import guide_of
from ordermade.methods.shared.open_request import Costs, RunContext, require_unchanged, with_k
from ordermade.methods.shared.sweep import Point, Sweep, admitted, each_point, in_order, none_remain
from ordermade.privacy.least_k import too_few
from ordermade.release.rows import released_classes
from ordermade.requests.mondrian import MondrianRequest
from ordermade.requests.read import ReadRequest

if TYPE_CHECKING:
    from ordermade.methods.mondrian.algorithm.rules import Guide


def mondrian_swept(read: ReadRequest[MondrianRequest], ks: Sequence[int], setting: RunContext) -> Sweep:
    """The loss of the classes for each k: the mean share of their domains that labels cover.

    No node of a lattice is measured, so the state learns nothing. Raises InputError (malformed, or rows without a
    value), SourceFault, StateFault.
    """
    started, progress = time.perf_counter(), setting.progress
    with open_request(setting.state, setting.limits, read, progress.statement) as question:
        ks, below = admitted(ks, question.opened.terms, question.opened.name)
        progress.step("records")
        counted = remaining(question.dataset, ks[0])
        points = none_remain(ks, counted.number, counted.called)
        few = points is not None
        if points is None:
            points = _points(question, counted, ks, setting)
        require_unchanged(question)
        return Sweep(
            title=read.request.title,
            dataset=question.opened.name,
            method=read.request.method,
            metric="loss",
            meaning="the mean share of their domains that labels cover",
            rows=None if few else counted.rows,
            persons=None if few else counted.persons,
            points=in_order((*below, *points)),
            cost=Costs.so_far(question.opened.backend.executor, SplitRecorder.ASKS, started),
        )


def _points(question: OpenMondrian, counted: Units, ks: Sequence[int], setting: RunContext) -> tuple[Point, ...]:
    """The outcome of the request at each k."""
    resolved, plan = question.resolved, question.plan(ground_sensitive)
    if resolved.strict:  # else records that are equal but for them stand in their order
        plan = replace(plan, kept=())
    records = records_of(plan, question.wanted(ground), strict=resolved.strict, target=resolved.target)
    guide = None if resolved.rules is None or not records.rows else guide_of(resolved.rules, records.columns)

    def point(k: int) -> Point:
        return _point(with_k(question, k), counted, _with_k(records, k), guide, setting)

    return each_point(ks, setting.progress, point)


def _with_k(records: Records, k: int) -> Records:
    """The same records for another k, without released columns that do not affect the classes."""
    plan = records.plan
    return replace(records, plan=replace(plan, k=k, kept=(), sensitive=() if plan.entity is None else plan.sensitive))


def _point(question: OpenMondrian, counted: Units, records: Records, guide: Guide | None, setting: RunContext) -> Point:
    k = question.request.k
    few = too_few(k, counted.number, counted.called)
    refusal = few or none_can_be(records)
    if refusal:
        return Point(k=k, reason=refusal)
    partition = split(question, records, guide, setting)
    given = released(records, partition, question.resolved.labels)
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
        losses=found.losses(question),
        measured_k=classes.k,
        divisions=classes.divisions,
    )
