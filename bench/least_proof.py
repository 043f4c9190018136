"""The least work of any proof: the node tests that perfect foresight would choose, as a minimum-weight set cover."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from ordermade.lattice.lattice import Lattice, Node
from ordermade.lattice.observation import Observation


@dataclass(frozen=True)
class LeastProof:
    """The tests of least total `divisions` that prove which node has the most divisions of those that pass."""

    tests: tuple[Node, ...]
    divisions: int


def most_detailed(measured: Mapping[Node, Observation], k: int) -> Node | None:
    """The passing node with the most divisions, the paper's Globally Optimal Dataset; None where no node passes."""
    passing = [node for node, each in measured.items() if each.k >= k]
    return max(passing, key=lambda node: measured[node].divisions, default=None)


def least_proof(lattice: Lattice, measured: Mapping[Node, Observation], k: int) -> LeastProof:
    """The cheapest proof of the optimum, given what every node measures; the root is free.

    The optimum itself has to be tested. Every node with more divisions has to be ruled out: by a failing node that
    it refines, or that is the node itself.
    """
    best = most_detailed(measured, k)
    if best is None:  # there are fewer than k rows
        return LeastProof((), 0)
    proved = () if best == lattice.top else (best,)
    least = measured[best].divisions
    better = [node for node, each in measured.items() if each.divisions > least]
    failing = [node for node in failing_nodes(measured, k) if node != lattice.top]
    if not better:
        return LeastProof(proved, sum(measured[node].divisions for node in proved))
    weights = np.array([measured[node].divisions for node in failing], dtype=float)
    rules_out = np.array([[lattice.refines(fine, coarse) for coarse in failing] for fine in better], dtype=float)
    found = milp(
        weights,
        constraints=LinearConstraint(rules_out, lb=1),
        integrality=np.ones(len(failing), dtype=np.int64),
        bounds=Bounds(0, 1),
    )
    if not found.success:
        raise ArithmeticError(f"no proof for k = {k}: {found.message}")
    tests = (*proved, *(node for node, chosen in zip(failing, found.x, strict=True) if chosen > 0.5))
    return LeastProof(tests, sum(measured[node].divisions for node in tests))


def failing_nodes(measured: Mapping[Node, Observation], k: int) -> list[Node]:
    """The nodes that fail: each rules out itself and what is finer."""
    return [node for node, each in measured.items() if each.k < k]
