"""A request for generalisation with one k after another: counted once, searched for each k.

Every k uses the nodes measured for the others: a node's class sizes answer every k.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ordermade.errors import RequestError
from ordermade.lattice.lattice import Node
from ordermade.least_k import shown
from ordermade.loss.metrics import METRICS
from ordermade.measuring.counting import Units, units_of
from ordermade.measuring.dataset import Version, version
from ordermade.methods.generalization.answer import SearchRecorder
from ordermade.methods.generalization.local_recoding import recoded
from ordermade.methods.generalization.measurement import (
    Countable,
    Measurement,
    Memory,
    best_node,
    countable,
    memory_of,
)
from ordermade.methods.generalization.open_request import OpenGeneralization, open_request
from ordermade.methods.generalization.publish import figures_of
from ordermade.methods.generalization.result import Refusal, refused_at_once, why_refused
from ordermade.methods.generalization.search_problem import Goal, goal_of, search_of
from ordermade.methods.shared.open_request import Costs, RunContext, require_unchanged, with_k
from ordermade.methods.shared.sweep import Point, Sweep, admitted, each_point, in_order, none_remain
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.read import ReadRequest

SHARES = ("prec", "prec_suppressed_as_1", "loss")
"""The losses that lie between 0, nothing lost, and 1, everything: those that 1 / k can be added to."""


def generalization_swept(read: ReadRequest[GeneralizationRequest], ks: Sequence[int], setting: RunContext) -> Sweep:
    """Find for each k the loss of the most detailed acceptable release, by the request's own objective.

    An objective that is no share of 1 (bits, class sizes, levels) says which release is meant, and `loss` (NCP) what it
    loses; where a hierarchy does not know its number of leaves, `prec_suppressed_as_1` does. A loss is unweighted,
    as in releases.

    Answers are those of `request run` in the same order of ks, whose searches use table C too: a search that ends in a
    proof finds the same node whatever is known; one that does not (`pak`, `paper-…`) may not. Measured
    nodes are kept in table C. Raises InputError (malformed), SourceFault, StateFault.
    """
    if read.request.search.budget is not None:
        raise RequestError(
            "a sweep compares optima, and a budget may end a search before its optimum is proved",
            where="search.budget",
            next_step="Leave the budget out.",
        )
    started, tell = time.perf_counter(), setting.progress
    with open_request(setting.state, setting.limits, read, tell.statement) as opened:
        # Columns kept unchanged affect no figure.
        question = replace(opened, resolved=replace(opened.resolved, keep=()))
        ks, below = admitted(ks, opened.opened.terms, opened.opened.name)
        question.tell_of_parts(tell.step)
        tell.step("dataset version")
        seen = version(question.dataset)
        counted = units_of(question.counts, seen.rows, ks[0])
        metric = _shared(read.request.search.objective)
        points = none_remain(ks, counted.number, counted.called)
        few = points is not None
        if points is None:
            points, metric = _points(question, seen, counted, ks, setting)
        require_unchanged(question)
        return Sweep(
            title=read.request.title,
            dataset=question.opened.name,
            method=read.request.method,
            metric=metric,
            meaning=METRICS[metric].meaning,
            rows=None if few else seen.rows,
            persons=None if few else counted.persons,
            points=in_order((*below, *points)),
            cost=Costs.so_far(question.opened.backend.executor, SearchRecorder.ASKS, started),
        )


def _points(
    question: OpenGeneralization, seen: Version, counted: Units, ks: Sequence[int], setting: RunContext
) -> tuple[tuple[Point, ...], str]:
    """Return the point of each k, and the name of the loss that they are compared by."""
    memory = memory_of(question, seen, counted.persons, setting)
    sweep = _Sweep(counted, memory, setting)
    with memory.kept():
        points = each_point(ks, setting.progress, lambda k: sweep.point(with_k(question, k)))
    return points, sweep.metric or _shared(question.resolved.request.search.objective)


def _shared(objective: str) -> str:
    """The name of the loss that stands for an objective, if that much is known."""
    return objective if objective in SHARES else "loss"


@dataclass(slots=True)
class _Sweep:
    """The inputs that all ks share: the attributes made countable and, once it is needed, their counts."""

    counted: Units
    memory: Memory
    setting: RunContext
    countable: Countable | None = None
    metric: str | None = field(default=None)
    recoded: bool = False

    def point(self, question: OpenGeneralization) -> Point:
        """Answer the request with this k, without releasing anything."""
        found = refused_at_once(question, self.counted) or self._searched(question)
        if isinstance(found, Refusal):
            return Point(k=question.resolved.request.k, reason=found.message(question))
        return found

    def _searched(self, question: OpenGeneralization) -> Point | Refusal:
        goal = goal_of(question.resolved, self.counted.number)
        algorithm, progress = search_of(goal), self.setting.progress.nodes_left
        if self.countable is None:
            known, cache, roll_up = self.memory.known, self.memory.cache, self.setting.roll_up
            self.countable = countable(question, goal, self.counted, known, cache, roll_up=roll_up)
            self.metric = _metric(goal, self.countable)
        found = self.countable.measurement(question, goal, self.memory.known, progress)
        try:
            best = best_node(goal, algorithm, found).best
            if question.resolved.request.is_local:
                return self._local(question, goal, found, best)
            return (
                why_refused(question, goal, found) if best is None else self._full_domain(question, goal, found, best)
            )
        finally:
            self.memory.learn(found.oracle.measured)

    def _full_domain(self, question: OpenGeneralization, goal: Goal, found: Measurement, best: Node) -> Point:
        observation, lost = figures_of(goal, best, found)
        released = goal.requirement.released(observation)
        suppressed = goal.requirement.suppressed_figures(observation, len(best))
        return Point(
            k=question.resolved.request.k,
            loss=lost[self.metric or ""],
            losses=lost,
            measured_k=goal.requirement.released_k(observation),
            divisions=released.classes,
            suppressed_rows=self._suppressed(question, 0 if suppressed is None else suppressed.rows),
            suppressed_persons=None
            if self.counted.persons is None
            else self._suppressed(question, released.suppressed),
        )

    def _local(
        self, question: OpenGeneralization, goal: Goal, found: Measurement, best: Node | None
    ) -> Point | Refusal:
        rounds = recoded(
            question, goal, found, best, self.setting.progress.nodes_left, counted=self.recoded, judges=False
        )
        self.recoded = True
        if rounds.refusal:
            return Refusal(rounds.refusal)
        return Point(
            k=question.resolved.request.k,
            loss=rounds.losses[self.metric or ""],
            losses=rounds.losses,
            measured_k=rounds.k,
            divisions=rounds.classes.divisions,
            suppressed_rows=self._suppressed(question, rounds.suppressed_rows),
            suppressed_persons=None
            if self.counted.persons is None
            else self._suppressed(question, rounds.suppressed_units),
        )

    def _suppressed(self, question: OpenGeneralization, number: int) -> int | None:
        """The number of suppressed units; None below the least k, unless nothing may be suppressed."""
        return shown(number, question.dataset.least_k) if question.resolved.limit else number


def _metric(goal: Goal, found: Countable) -> str:
    """The name of the loss that every k is compared by."""
    known = all(
        each.costs.loss[level] is not None
        for axis, each in zip(goal.lattice.axes, found.attributes, strict=True)
        for level in axis.accepted
    )
    name = _shared(goal.objective)
    return name if name != "loss" or known else "prec_suppressed_as_1"
