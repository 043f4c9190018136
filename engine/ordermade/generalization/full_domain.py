"""The best node of a request, and what is certain of nodes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ordermade.generalization.goal import Goal
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.loss.objectives import Objective
from ordermade.measuring.oracle import Oracle
from ordermade.prediction.evidence import Evidence
from ordermade.search import Algorithm, Outcome, Problem, choose, drive


def search_of(goal: Goal) -> Algorithm:
    """The search that finds it. Raises RequestError, UnknownName where the one asked for cannot."""
    return choose(goal.algorithm, goal.lattice, goal.requirement, goal.objective)


def best_node(goal: Goal, algorithm: Algorithm, minimised: Objective, evidence: Evidence, oracle: Oracle) -> Outcome:
    """The accepted node that passes and loses least, found by the search with the oracle's answers."""
    problem = Problem(goal.lattice, goal.requirement, minimised, evidence, goal.settings)
    return drive(algorithm.start(problem), oracle)


def nodes_proven(goal: Goal, evidence: Evidence) -> int:
    """How many accepted nodes are proved to pass or to fail before anything is counted."""
    return int(np.count_nonzero(evidence.proofs.tags(goal.requirement)))


def certain_observations(goal: Goal, oracle: Oracle, evidence: Evidence, nodes: Sequence[Node]) -> list[Observation]:
    """The observation of each node: what the evidence proves exactly, else the oracle's answer."""
    told = {node: evidence.proofs.exact(node, goal.requirement) for node in nodes}
    asked = [node for node, found in told.items() if found is None]
    answers = dict(zip(asked, oracle(asked), strict=True)) if asked else {}
    return [told[node] or answers[node] for node in nodes]
