"""Why a request is refused: in words, with the column that breaks it and the nearest node that passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ordermade.answering.refusal import too_few
from ordermade.errors import RequestError, quoted
from ordermade.generalization.full_domain import certain_observations
from ordermade.generalization.goal import Goal
from ordermade.generalization.measurement import Measurement
from ordermade.generalization.question import Question
from ordermade.generalization.result import Nearest
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.requirement import Requirement
from ordermade.loss.objectives import distance_beyond
from ordermade.measuring.oracle import Oracle
from ordermade.prediction.evidence import Evidence
from ordermade.search import Problem, choose, drive


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why no accepted node passes.

    `reason` in words; `column`: the quasi-identifier that breaks it (None where no single one does); `nearest`: the
    node that passes with the fewest steps beyond what was accepted, with its k and the units it withholds (None where
    nothing passes).
    """

    reason: str
    column: str | None = None
    nearest: Node | None = None
    nearest_k: int | None = None
    nearest_withheld: int | None = None

    def nearest_told(self, question: Question) -> Nearest | None:
        """The nearest node by column, as a result tells it."""
        if self.nearest is None or self.nearest_k is None:
            return None
        levels = dict(zip(question.columns, self.nearest, strict=True))
        return Nearest(levels, question.level_names(self.nearest), self.nearest_k, self.nearest_withheld or 0)

    def told(self, question: Question) -> str:
        """The reason in words, with the nearest node where there is one."""
        nearest = self.nearest_told(question)
        if nearest is None:
            return self.reason
        levels = ", ".join(f"{column}: {name}" for column, name in nearest.level_names.items())
        withheld = f", {nearest.withheld:,} withheld" if nearest.withheld else ""
        return f"{self.reason}. Nearest node that passes: {levels} (k = {nearest.k}{withheld})"


def refused_at_once(goal: Goal, units: int) -> Refusal | None:
    """The refusal of an empty dataset, or of one with fewer rows (or persons) than k; None if there are enough."""
    reason = too_few(goal.k, units, "person(s)" if goal.requirement.persons else "row(s)")
    return None if reason is None else Refusal(reason)


def why_refused(goal: Goal, found: Measurement) -> Refusal:
    """The reason after every accepted node has failed: the column that breaks it, and the nearest node that passes."""
    lattice, requirement = goal.lattice, goal.requirement
    evidence, oracle = found.evidence, found.oracle
    coarsest = tuple(axis.accepted[-1] for axis in lattice.axes)
    below_top = [index for index, axis in enumerate(lattice.axes) if coarsest[index] != axis.top]
    without = [_suppressed(coarsest, lattice.top, index) for index in below_top]
    as_asked, *each_left_out = certain_observations(goal, oracle, evidence, [coarsest, *without])
    place = _breaking(requirement, each_left_out, as_asked)
    column = None if place is None else lattice.axes[below_top[place]].column
    reason = f"{_nothing_passes(requirement)}: the coarsest has {_figures(requirement, as_asked)}"
    failing = found.failing(coarsest) if requirement.models else {}
    if failing:
        listed = (f"{model.written} of column {quoted(name)} in {n:,}" for (name, model), n in failing.items())
        reason += f"; classes that fail there, of any size: {', '.join(listed)}"
    if place is not None:
        there = _figures(requirement, each_left_out[place], would_be=True)
        reason += f"; column {quoted(column or '')} breaks it (suppressed to `*`, {there})"
    nearest = _nearest(goal, evidence, oracle)
    if nearest is None:
        return Refusal(reason, column)
    (observation,) = certain_observations(goal, oracle, evidence.widened(), [nearest])
    k, withheld = requirement.released_k(observation), requirement.withheld(observation)
    return Refusal(reason, column, nearest, k, withheld)


def _nothing_passes(requirement: Requirement) -> str:
    units = "persons" if requirement.persons else "rows"
    told = f"no accepted combination of levels has {requirement.k} {units} in every class"
    if requirement.models:
        told += " and satisfies the models of the sensitive columns in each"
    if requirement.most_withheld:
        told += f" once {requirement.most_withheld:,} {units} at most are withheld"
    if requirement.average_risk is not None:
        told += ", at the average risk allowed"
    return told


def _figures(requirement: Requirement, observation: Observation, *, would_be: bool = False) -> str:
    """What a node has, or would have, of what is required."""
    if requirement.k_alone and not requirement.most_withheld:
        return f"k would be {observation.k}" if would_be else f"k = {observation.k}"
    small = sum(classes for size, classes in observation.sizes if size < requirement.k)
    failing = sum(classes for _, classes in requirement.withheld_sizes(observation)) - small
    told = f"{observation.divisions:,} classes, {small:,} of them smaller than {requirement.k}"
    if requirement.models:
        told += f" and {failing:,} more that fail a model"
    if requirement.most_withheld:
        units = "persons" if requirement.persons else "rows"
        told += f", {requirement.withheld(observation):,} {units} to withhold"
    if requirement.average_risk is not None:
        released = requirement.released(observation)
        told += f", {released.classes:,} classes of {released.units:,} released"
    return told


def _breaking(requirement: Requirement, left_out: Sequence[Observation], as_asked: Observation) -> int | None:
    """The place of the column whose suppression alone helps most; None if none helps."""

    def reached(observation: Observation) -> int:
        if requirement.k_alone and not requirement.most_withheld:
            return observation.k
        return -requirement.withheld(observation)

    best = max(range(len(left_out)), key=lambda place: (reached(left_out[place]), -place), default=None)
    return best if best is not None and reached(left_out[best]) > reached(as_asked) else None


def _suppressed(node: Node, top: Node, index: int) -> Node:
    return (*node[:index], top[index], *node[index + 1 :])


def _nearest(goal: Goal, evidence: Evidence, oracle: Oracle) -> Node | None:
    widened = evidence.widened()
    problem = Problem(widened.lattice, goal.requirement, distance_beyond(goal.lattice), widened)
    try:
        algorithm = choose(None, widened.lattice, goal.requirement)
    except RequestError:  # the whole lattice is too large to search: its top passes wherever what is asked is monotone
        (observation,) = certain_observations(goal, oracle, widened, [goal.lattice.top])
        return goal.lattice.top if goal.requirement.passes(observation) else None
    return drive(algorithm.start(problem), oracle).best
