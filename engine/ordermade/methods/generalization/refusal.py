"""The reason for a refusal: in words, with the column that breaks it and the nearest node that passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from ordermade.errors import RequestError, quoted
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.requirement import Requirement
from ordermade.least_k import in_words, shown, too_few
from ordermade.loss.objectives import distance_beyond
from ordermade.measuring.counting import Units
from ordermade.measuring.oracle import Oracle
from ordermade.methods.generalization.open_request import Question
from ordermade.methods.generalization.oracle_setup import Measurement
from ordermade.methods.generalization.result import Nearest
from ordermade.methods.generalization.search_problem import Goal, certain_observations, required
from ordermade.prediction.prediction import Evidence
from ordermade.requests.model import LARGEST_K
from ordermade.search import Problem, choose, drive


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why no accepted node passes.

    `reason` in words; `column`: the quasi-identifier that breaks it (None where no single one does); `nearest`: the
    node that passes with the fewest steps beyond the accepted levels, with its k and suppressed units (None where
    nothing passes).
    """

    reason: str
    column: str | None = None
    nearest: Node | None = None
    nearest_k: int | None = None
    nearest_withheld: int | None = None

    def nearest_by_column(self, question: Question) -> Nearest | None:
        """The nearest node by column, as it stands in a result."""
        if self.nearest is None:
            return None
        levels = dict(zip(question.columns, self.nearest, strict=True))
        return Nearest(levels, question.level_names(self.nearest), self.nearest_k, self.nearest_withheld)

    def message(self, question: Question) -> str:
        """The reason in words, with the nearest node where there is one."""
        nearest = self.nearest_by_column(question)
        if nearest is None:
            return self.reason
        levels = ", ".join(f"{column}: {name}" for column, name in nearest.level_names.items())
        least_k = question.dataset.least_k
        k = in_words(0 if nearest.k is None else nearest.k, least_k)
        withheld = in_words(0 if nearest.withheld is None else nearest.withheld, least_k)
        also = "" if nearest.withheld == 0 else f", {withheld} suppressed"
        return f"{self.reason}. Nearest node that passes: {levels} (k = {k}{also})"


def least_units(question: Question) -> int:
    """So many rows (or persons) a dataset must have for the request to be looked into: its k, by its risk too."""
    return required(question.resolved, LARGEST_K).k


def refused_at_once(question: Question, counted: Units) -> Refusal | None:
    """The refusal of a dataset with fewer rows (or persons) than k, or with none; None if there are enough."""
    reason = too_few(least_units(question), counted.number, counted.called)
    return None if reason is None else Refusal(reason)


def why_refused(question: Question, goal: Goal, found: Measurement) -> Refusal:
    """The reason after every accepted node has failed: the column that breaks it, and the nearest node that passes.

    No count in it is below the least k of the dataset.
    """
    least_k = question.dataset.least_k
    lattice, requirement = goal.lattice, goal.requirement
    evidence, oracle = found.evidence, found.oracle
    coarsest = tuple(axis.accepted[-1] for axis in lattice.axes)
    below_top = [index for index, axis in enumerate(lattice.axes) if coarsest[index] != axis.top]
    without = [_suppressed(coarsest, lattice.top, index) for index in below_top]
    as_requested, *each_left_out = certain_observations(goal, oracle, evidence, [coarsest, *without])
    place = _breaking(requirement, each_left_out, as_requested)
    column = None if place is None else lattice.axes[below_top[place]].column
    reason = f"{_nothing_passes(requirement, least_k)}: the coarsest has {_figures(requirement, as_requested, least_k)}"
    failing = found.failing(coarsest) if requirement.models else {}
    if failing:
        listed = (
            f"{model.written} of column {quoted(name)} in {in_words(n, least_k)}"
            for (name, model), n in failing.items()
        )
        reason += f"; classes that fail there, of any size: {', '.join(listed)}"
    if place is not None:
        there = _figures(requirement, each_left_out[place], least_k, would_be=True)
        reason += f"; column {quoted(column or '')} breaks it (suppressed to `*`, {there})"
    nearest = _nearest(goal, evidence, oracle)
    if nearest is None:
        return Refusal(reason, column)
    (observation,) = certain_observations(goal, oracle, evidence.widened(), [nearest])
    k, withheld = requirement.released_k(observation), requirement.withheld(observation)
    # Without a limit nothing is ever suppressed, so its count reveals nothing.
    suppressed = shown(withheld, least_k) if requirement.most_withheld else withheld
    return Refusal(reason, column, nearest, shown(k, least_k), suppressed)


def _nothing_passes(requirement: Requirement, least_k: int) -> str:
    units = "persons" if requirement.persons else "rows"
    reason = f"no accepted combination of levels has {requirement.k} {units} in every class"
    if requirement.models:
        reason += " and satisfies the models of the sensitive columns in each"
    if requirement.most_withheld:
        reason += f" once {in_words(requirement.most_withheld, least_k)} {units} at most are suppressed"
    if requirement.average_risk is not None:
        reason += ", at the average risk allowed"
    return reason


def _figures(requirement: Requirement, observation: Observation, least_k: int, *, would_be: bool = False) -> str:
    """Describe a node's figures for the requirement, actual or hypothetical."""
    if requirement.k_alone and not requirement.most_withheld:
        k = in_words(observation.k, least_k)
        return f"k would be {k}" if would_be else f"k = {k}" if observation.k >= least_k else f"a k of {k}"
    words = partial(in_words, least_k=least_k)
    small = sum(classes for size, classes in observation.sizes if size < requirement.k)
    failing = sum(classes for _, classes in requirement.withheld_sizes(observation)) - small
    figures = f"{words(observation.divisions)} classes, {words(small)} of them smaller than {requirement.k}"
    if requirement.models:
        figures += f" and {words(failing)} more that fail a model"
    if requirement.most_withheld:
        units = "persons" if requirement.persons else "rows"
        figures += f", {words(requirement.withheld(observation))} {units} to suppress"
    if requirement.average_risk is not None:
        released = requirement.released(observation)
        figures += f", {words(released.classes)} classes of {words(released.units)} released"
    return figures


def _breaking(requirement: Requirement, left_out: Sequence[Observation], as_requested: Observation) -> int | None:
    """The place of the column whose suppression alone helps most; None if none helps."""

    def reached(observation: Observation) -> int:
        if requirement.k_alone and not requirement.most_withheld:
            return observation.k
        return -requirement.withheld(observation)

    best = max(range(len(left_out)), key=lambda place: (reached(left_out[place]), -place), default=None)
    return best if best is not None and reached(left_out[best]) > reached(as_requested) else None


def _suppressed(node: Node, top: Node, index: int) -> Node:
    return (*node[:index], top[index], *node[index + 1 :])


def _nearest(goal: Goal, evidence: Evidence, oracle: Oracle) -> Node | None:
    widened = evidence.widened()
    problem = Problem(widened.lattice, goal.requirement, distance_beyond(goal.lattice), widened)
    try:
        algorithm = choose(None, widened.lattice, goal.requirement)
    except RequestError:  # the whole lattice is too large to search: its top passes if the requirement is monotone
        (observation,) = certain_observations(goal, oracle, widened, [goal.lattice.top])
        return goal.lattice.top if goal.requirement.passes(observation) else None
    return drive(algorithm.start(problem), oracle).best
