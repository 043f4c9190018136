"""A request for generalisation at one k after another: nodes measured for one k answer the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ordermade.counting.counts import Units, units_of
from ordermade.counting.dataset import Version, version
from ordermade.lattice.lattice import Node
from ordermade.loss.metrics import METRICS
from ordermade.methods.generalization.local_recoding import recoded
from ordermade.methods.generalization.measurement import (
    Countable,
    Measurement,
    Memory,
    best_node,
    countable,
    memory_of,
)
from ordermade.methods.generalization.open_request import OpenGeneralization
from ordermade.methods.generalization.publish import figures_of
from ordermade.methods.generalization.result import Refusal, refused_at_once, why_refused
from ordermade.methods.generalization.search_problem import SearchSpec, search_of, search_spec
from ordermade.methods.shared.open_request import RunContext
from ordermade.methods.shared.sweep import Curve, Point
from ordermade.privacy.least_k import shown


def _shared(objective: str) -> str:
    """The name of the loss that stands for an objective, if that much is known: 1 / k can be added to a share."""
    return objective if METRICS[objective].share else "loss"


class NodeCurve(Curve[OpenGeneralization]):
    """The loss of the most detailed acceptable release, by the request's own objective.

    An objective that is no share of 1 (bits, class sizes, levels) says which release is meant, and `loss` (NCP) what it
    loses; where a hierarchy does not know its number of leaves, `prec_suppressed_as_1` does. A loss is unweighted,
    as in releases.

    Answers are those of `request run` in the same order of ks, whose searches use table C too: a search that ends in a
    proof finds the same node whatever is known; one that does not (`pak`, `paper-…`) may not. Measured nodes are kept
    in table C.
    """

    counted: Units
    version: Version
    memory: Memory

    def __init__(self, open_request: OpenGeneralization, context: RunContext) -> None:
        # Columns kept unchanged affect no figure.
        super().__init__(replace(open_request, resolved=replace(open_request.resolved, keep=())), context)
        self.countable: Countable | None = None
        self.recoded = False
        self._go_by(_shared(open_request.resolved.request.search.objective))

    def _go_by(self, metric: str) -> None:
        self.metric, self.meaning = metric, METRICS[metric].meaning

    def count(self, least: int) -> Units:
        """Count the rows, and the persons where the dataset has an entity column."""
        self.open_request.tell_of_parts(self.context.progress.step)
        self.context.progress.step("dataset version")
        self.version = version(self.open_request.dataset)
        self.counted = units_of(self.open_request.counts, self.version.rows, least)
        return self.counted

    def prepare(self) -> None:
        """Read what table C knows of the dataset version."""
        self.memory = memory_of(self.open_request, self.version, self.counted.persons, self.context)

    def points(self, ks: Sequence[int]) -> tuple[Point, ...]:
        """The point of each k; measured nodes are kept in table C, also where it raises."""
        with self.memory.kept():
            return super().points(ks)

    def point(self, open_request: OpenGeneralization) -> Point:
        """Search the lattice anew, and return what the best node loses."""
        found = refused_at_once(open_request, self.counted) or self._searched(open_request)
        if isinstance(found, Refusal):
            return Point(k=open_request.resolved.request.k, reason=found.message(open_request))
        return found

    def _searched(self, open_request: OpenGeneralization) -> Point | Refusal:
        goal = search_spec(open_request.resolved, self.counted.number)
        algorithm, progress = search_of(goal), self.context.progress.nodes_left
        if self.countable is None:
            known, cache, roll_up = self.memory.known, self.memory.cache, self.context.roll_up
            self.countable = countable(open_request, goal, self.counted, known, cache, roll_up=roll_up)
            self._go_by(_metric(goal, self.countable))
        found = self.countable.measurement(open_request, goal, self.memory.known, progress)
        try:
            best = best_node(goal, algorithm, found).best
            if open_request.resolved.request.is_local:
                return self._local(open_request, goal, found, best)
            return (
                why_refused(open_request, goal, found)
                if best is None
                else self._full_domain(open_request, goal, found, best)
            )
        finally:
            self.memory.learn(found.oracle.measured)

    def _full_domain(self, open_request: OpenGeneralization, goal: SearchSpec, found: Measurement, best: Node) -> Point:
        observation, lost = figures_of(goal, best, found)
        released = goal.requirement.released(observation)
        suppressed = goal.requirement.suppressed_figures(observation, len(best))
        return Point(
            k=open_request.resolved.request.k,
            loss=lost[self.metric],
            losses=lost,
            measured_k=goal.requirement.released_k(observation),
            divisions=released.classes,
            suppressed_rows=self._suppressed(open_request, 0 if suppressed is None else suppressed.rows),
            suppressed_persons=None
            if self.counted.persons is None
            else self._suppressed(open_request, released.suppressed),
        )

    def _local(
        self, open_request: OpenGeneralization, goal: SearchSpec, found: Measurement, best: Node | None
    ) -> Point | Refusal:
        rounds = recoded(
            open_request, goal, found, best, self.context.progress.nodes_left, counted=self.recoded, judges=False
        )
        self.recoded = True
        if rounds.refusal:
            return Refusal(rounds.refusal)
        return Point(
            k=open_request.resolved.request.k,
            loss=rounds.losses[self.metric],
            losses=rounds.losses,
            measured_k=rounds.k,
            divisions=rounds.classes.divisions,
            suppressed_rows=self._suppressed(open_request, rounds.suppressed_rows),
            suppressed_persons=None
            if self.counted.persons is None
            else self._suppressed(open_request, rounds.suppressed_units),
        )

    def _suppressed(self, open_request: OpenGeneralization, number: int) -> int | None:
        """The number of suppressed units; None below the least k, unless nothing may be suppressed."""
        return shown(number, open_request.dataset.least_k) if open_request.resolved.limit else number


def _metric(goal: SearchSpec, found: Countable) -> str:
    """The name of the loss that every k is compared by."""
    known = all(
        each.costs.loss[level] is not None
        for axis, each in zip(goal.lattice.axes, found.attributes, strict=True)
        for level in axis.accepted
    )
    name = _shared(goal.objective)
    return name if name != "loss" or known else "prec_suppressed_as_1"
