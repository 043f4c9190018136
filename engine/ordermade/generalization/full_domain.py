"""The best node of a request, or why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ordermade.errors import RequestError, quoted
from ordermade.lattice.lattice import Lattice
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.requirement import Requirement
from ordermade.loss.costs import AttributeCosts
from ordermade.loss.objectives import distance_beyond, objective
from ordermade.measuring.oracle import Oracle
from ordermade.prediction.evidence import Evidence
from ordermade.search import Outcome, Problem, choose, drive
from ordermade.search.settings import PakSettings


@dataclass(frozen=True, slots=True)
class Goal:
    """What is looked for: the accepted lattice, what is required, the name of the objective, and the algorithm.

    Without an algorithm it is the default.

    `settings` are those of the search `pak`.
    """

    lattice: Lattice
    requirement: Requirement
    objective: str
    algorithm: str | None
    settings: PakSettings = field(default_factory=PakSettings)

    @property
    def k(self) -> int:
        """The least size of a released class."""
        return self.requirement.k


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why no accepted node passes.

    `reason` in words; `column`: the quasi-identifier that breaks k (None where no single one does); `nearest`: the node
    that passes with the fewest steps beyond what was accepted, and its k (None where nothing passes).
    """

    reason: str
    column: str | None = None
    nearest: Node | None = None
    nearest_k: int | None = None


def best_node(goal: Goal, costs: Sequence[AttributeCosts], evidence: Evidence, oracle: Oracle) -> Outcome:
    """The accepted node that passes and loses least, found by the goal's search with the oracle's answers."""
    algorithm = choose(goal.algorithm, goal.lattice)
    scored = objective(goal.objective, goal.lattice, costs, goal.requirement)
    problem = Problem(goal.lattice, goal.requirement, scored, evidence, goal.settings)
    return drive(algorithm.start(problem), oracle)


def nodes_proven(goal: Goal, evidence: Evidence) -> int:
    """How many accepted nodes are proved to pass or to fail before anything is counted."""
    return int(np.count_nonzero(evidence.proofs.tags(goal.requirement)))


def certain_observations(oracle: Oracle, evidence: Evidence, nodes: Sequence[Node]) -> list[Observation]:
    """The observation of each node: what the evidence proves exactly, else the oracle's answer."""
    exact = {node: found for node in nodes if (found := evidence.proofs.exact(node)) is not None}
    asked = [node for node in nodes if node not in exact]
    answers = dict(zip(asked, oracle(asked), strict=True)) if asked else {}
    return [exact.get(node) or answers[node] for node in nodes]


def too_few_rows(goal: Goal, rows: int) -> Refusal | None:
    """The refusal of an empty dataset, or of one with fewer rows than k; None if there are enough."""
    if rows == 0:
        return Refusal("the dataset has no rows")
    if rows < goal.k:
        return Refusal(f"k of {goal.k} is greater than the {rows} row(s) of the dataset: nothing can pass")
    return None


def why_refused(goal: Goal, evidence: Evidence, oracle: Oracle) -> Refusal:
    """The reason after every accepted node has failed: the column that breaks k, and the nearest node that passes."""
    lattice = goal.lattice
    coarsest = tuple(axis.accepted[-1] for axis in lattice.axes)
    below_top = [index for index, axis in enumerate(lattice.axes) if coarsest[index] != axis.top]
    without = [_suppressed(coarsest, lattice.top, index) for index in below_top]
    as_asked, *each_left_out = certain_observations(oracle, evidence, [coarsest, *without])
    column = _breaking(below_top, each_left_out, as_asked)
    nearest, nearest_k = _nearest(goal, evidence, oracle)
    name = None if column is None else lattice.axes[below_top[column]].column
    reason = f"no accepted combination of levels has {goal.k} rows in every class: the coarsest has k = {as_asked.k}"
    if column is not None:
        reason += f"; column {quoted(name or '')} breaks it (suppressed to `*`, k would be {each_left_out[column].k})"
    return Refusal(reason, name, nearest, nearest_k)


def _suppressed(node: Node, top: Node, index: int) -> Node:
    return (*node[:index], top[index], *node[index + 1 :])


def _breaking(columns: Sequence[int], left_out: Sequence[Observation], as_asked: Observation) -> int | None:
    """The place of the column whose suppression alone raises k most; None if none raises it."""
    best = max(range(len(columns)), key=lambda place: (left_out[place].k, -place), default=None)
    return best if best is not None and left_out[best].k > as_asked.k else None


def _nearest(goal: Goal, evidence: Evidence, oracle: Oracle) -> tuple[Node | None, int | None]:
    widened = evidence.widened()
    problem = Problem(widened.lattice, goal.requirement, distance_beyond(goal.lattice), widened)
    try:
        algorithm = choose(None, widened.lattice)
    except RequestError:  # the whole lattice is too large to search: its top passes, if anything does
        best: Node | None = goal.lattice.top
    else:
        best = drive(algorithm.start(problem), oracle).best
    return best, None if best is None else certain_observations(oracle, widened, [best])[0].k
