"""The search problem of a request: its goal, and the best node that solves it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from ordermade.lattice.lattice import Lattice, Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.requirement import Requirement
from ordermade.loss.objectives import Objective
from ordermade.measuring.oracle import Oracle
from ordermade.methods.generalization.local_rounds import check_size
from ordermade.prediction.prediction import Evidence
from ordermade.privacy.models import required_models
from ordermade.privacy.requirement import models_hash, requirement_of, risk_of
from ordermade.requests.resolve import Resolved
from ordermade.search import Algorithm, Outcome, Problem, choose, drive
from ordermade.search.problem import PakSettings


@dataclass(frozen=True, slots=True)
class Goal:
    """The goal of a search: the accepted lattice, the requirement, the name of the objective, and the algorithm.

    Without an algorithm it is the default; `settings` are those of the search `pak`. `weights`: how much each column
    counts in the objective, empty where all count the same.
    """

    lattice: Lattice
    requirement: Requirement
    objective: str
    algorithm: str | None = None
    settings: PakSettings = field(default_factory=PakSettings)
    weights: Mapping[str, Fraction] = field(default_factory=dict)

    @property
    def k(self) -> int:
        """The least size of a released class."""
        return self.requirement.k


def goal_of(resolved: Resolved, units: int) -> Goal:
    """Return the goal of the request's search in a dataset of `units` rows (persons if it has an entity column).

    Raises InputError for the parameters of a model that cannot be, RequestError for local recoding of a lattice that
    has too many nodes for it.
    """
    search = resolved.request.search
    if resolved.request.recoding == "local":
        check_size(resolved.lattice)
    return Goal(
        lattice=resolved.lattice,
        requirement=required(resolved, units),
        objective=search.objective,
        algorithm=search.algorithm,
        settings=PakSettings(search.then_certify, search.overshoot, search.sample),
        weights=resolved.weights,
    )


def required(resolved: Resolved, units: int) -> Requirement:
    """Return the requirement that a released node must meet, in a dataset of so many units."""
    return requirement_of(
        resolved.request.k,
        limit=resolved.limit,
        units=units,
        models=[model for models in required_models(resolved.sensitive).values() for model in models],
        risk=risk_of(resolved.risk),
        persons=resolved.entity is not None,
    )


def models_hash_of(resolved: Resolved) -> str:
    """Return the hash that identifies the request's models in table C; empty where it has none."""
    return models_hash(required_models(resolved.sensitive))


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
