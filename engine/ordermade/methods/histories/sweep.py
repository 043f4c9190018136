"""A request for histories at one k after another: purchases are pulled once, and clustered anew for each k."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from ordermade.methods.histories.open_request import CUSTOMERS, OpenHistory, customers_of, open_request
from ordermade.methods.histories.recorder import HistoryRecorder
from ordermade.methods.histories.records import Purchases
from ordermade.methods.histories.release import kept, none_is_left, slot_classes
from ordermade.methods.histories.result import losses_of
from ordermade.methods.histories.slots import Alike, losses
from ordermade.methods.shared.open_request import Costs, RunContext, require_unchanged
from ordermade.methods.shared.sweep import Point, Sweep, admitted, each_point, in_order, none_remain
from ordermade.privacy.least_k import shown, too_few
from ordermade.requests.history import HistoryRequest
from ordermade.requests.read import ReadRequest


def histories_swept(read: ReadRequest[HistoryRequest], ks: Sequence[int], setting: RunContext) -> Sweep:
    """The loss of histories that k customers share, for each k: U of the PWSCUP contest.

    No node of a lattice is measured, so the state learns nothing. Raises InputError (malformed, or rows without a
    value), SourceFault, StateFault.
    """
    started, progress = time.perf_counter(), setting.progress
    with open_request(setting.state, setting.limits, read, progress.statement) as question:
        ks, below = admitted(ks, question.opened.terms, question.opened.name)
        progress.step("purchases")
        counted = customers_of(question)
        points = none_remain(ks, counted.number, CUSTOMERS)
        few = points is not None
        if points is None:
            points = _points(question, ks, setting)
        require_unchanged(question)
        return Sweep(
            title=read.request.title,
            dataset=question.opened.name,
            method=read.request.method,
            metric="utility",
            meaning="U of the PWSCUP contest: the mean error of a cell over all purchases, a deleted one counting 1",
            rows=None if few else counted.rows,
            persons=None if few else counted.persons,
            points=in_order((*below, *points)),
            cost=Costs.so_far(question.opened.backend.executor, HistoryRecorder.ASKS, started),
        )


def _points(question: OpenHistory, ks: Sequence[int], setting: RunContext) -> tuple[Point, ...]:
    """The outcome of the request at each k."""
    alike = Alike.of(Purchases.stored(question.plan, question.resolved), setting)
    return each_point(ks, setting.progress, lambda k: _point(alike, k))


def _point(alike: Alike, k: int) -> Point:
    purchases = alike.purchases
    refusal = too_few(k, purchases.customers, CUSTOMERS)
    if refusal:
        return Point(k=k, reason=refusal)
    alike.fill(k)
    lost, figures = losses(purchases), kept(purchases.plan)
    refusal = none_is_left(figures)
    if refusal:
        return Point(k=k, reason=refusal)
    least_k = purchases.plan.dataset.least_k
    classes = slot_classes(replace(purchases.plan, k=k))
    return Point(
        k=k,
        loss=lost.utility,
        losses=losses_of(lost, k),
        measured_k=classes.k,
        divisions=classes.divisions,
        suppressed_rows=shown(figures.deleted, least_k),
        suppressed_persons=shown(figures.incomplete, least_k),
    )
