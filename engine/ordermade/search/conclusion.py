"""The end of a search whose minimal passing nodes were not all measured: some of them were proved beforehand."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.search.problem import Batch, Incumbent, Outcome, Problem


def conclusion(
    problem: Problem, best: Incumbent, passing_minimal: tuple[Node, ...], proved: Sequence[Node]
) -> Generator[Batch, Sequence[Observation], Outcome]:
    """The outcome, given every minimal passing node; `best` is that of those measured, `proved` are the others.

    An objective of the levels alone follows from the levels: a best node that was not measured has no observation. Any
    other needs the observations of the proved nodes, which are measured unless the proofs hold them.
    """
    if proved and problem.objective.needs_observation:
        exact = {node: found for node in proved if (found := problem.exact(node)) is not None}
        for node, observation in exact.items():
            best.offer(node, observation)
        left = [node for node in proved if node not in exact]
        if left:
            for node, observation in zip(left, (yield Batch.of(left, left=len(left))), strict=True):
                best.offer(node, observation)
    measured = best.outcome(passing_minimal)
    if not proved or problem.objective.needs_observation:
        return measured
    optimum = min(passing_minimal, key=lambda node: problem.key(node, None))
    return measured if measured.best == optimum else Outcome(optimum, None, passing_minimal)
