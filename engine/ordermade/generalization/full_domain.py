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
    """Return the search for the goal. Raises RequestError, UnknownName where the named algorithm cannot run."""
    return choose(goal.algorithm, goal.lattice, goal.requirement, goal.objective)


def best_node(goal: Goal, algorithm: Algorithm, minimised: Objective, evidence: Evidence, oracle: Oracle) -> Outcome:
    """The accepted node that passes and loses least, found by the search with the oracle's answers."""
    problem = Problem(goal.lattice, goal.requirement, minimised, evidence, goal.settings)
    return drive(algorithm.start(problem), oracle)


def nodes_proven(goal: Goal, evidence: Evidence) -> int:
    """Count the accepted nodes that are proved to pass or to fail before anything is counted."""
    return int(np.count_nonzero(evidence.proofs.tags(goal.requirement)))


def certain_observations(goal: Goal, oracle: Oracle, evidence: Evidence, nodes: Sequence[Node]) -> list[Observation]:
    """The observation of each node: the one that the evidence proves exactly, else the oracle's answer."""
    proved = {node: evidence.proofs.exact(node, goal.requirement) for node in nodes}
    open_nodes = [node for node, found in proved.items() if found is None]
    answers = dict(zip(open_nodes, oracle(open_nodes), strict=True)) if open_nodes else {}
    return [proved[node] or answers[node] for node in nodes]
