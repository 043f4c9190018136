"""The guided search: which node to measure next, until nothing better than the best node found is left unproved.

Prediction chooses the questions, their answers prove: a wrong prediction costs questions, never the optimum.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from ordermade.lattice.lattice import Lattice, Node
from ordermade.lattice.observation import Observation
from ordermade.prediction.cells import Reals
from ordermade.prediction.forecast import Forecast
from ordermade.prediction.prediction import Evidence
from ordermade.search import grid
from ordermade.search.problem import Batch, Outcome, Problem, Start
from ordermade.search.search_state import standing

Asking: TypeAlias = Generator[Batch, Sequence[Observation], None]

FAR_LESS = 0.8
"""The share of the most units that a better node may suppress at which the forecast is made anew."""
LEAST_DOUBT = 0.005
"""No forecast is taken to be surer than this, so that no question is thought to be without information."""


class Inquiry:
    """A search under way: the settled nodes, the forecast of the rest, and the measurement of nodes."""

    def __init__(self, problem: Problem, evidence: Evidence) -> None:
        """`evidence` is the problem's, or the rows alone where the problem has none."""
        self.problem = problem
        self.evidence = evidence
        self.standing = standing(problem)
        self._wanted = problem.requirement

    @cached_property
    def forecast(self) -> Forecast:
        """The forecast of every node; made when the first node is to be chosen, if one is."""
        return Forecast(self.evidence, self._wanted)

    @property
    def divisions(self) -> Reals:
        """The expected number of classes of every accepted node."""
        return _forecast_divisions(self.problem.lattice, self.forecast)

    def ask(self, nodes: Iterable[Node]) -> Asking:
        """Measure nodes, accepted or not, that were not measured yet, and learn from them.

        A node whose observation is proved is not measured.
        """
        new = [node for node in dict.fromkeys(nodes) if node not in self.standing.measured]
        known = {node: found for node in new if (found := self.problem.exact(node)) is not None}
        unknown = [node for node in new if node not in known]
        answers: Sequence[Observation] = ()
        if unknown:
            answers = yield Batch.of(unknown, left=max(len(unknown), int(np.count_nonzero(self.standing.open))))
        for node, observation in [*known.items(), *zip(unknown, answers, strict=True)]:
            self.standing.learn(node, observation)
            self.forecast.learn(node, observation)

    def expect_anew(self) -> None:
        """Make the forecast again: measured nodes may show how many classes the attributes have."""
        self.evidence = replace(self.evidence, observed={**self.evidence.observed, **self.standing.measured})
        self.forecast = Forecast(self.evidence, self._wanted)

    def _want_better(self) -> None:
        """Forecast under the most units that a better node can suppress, once that is far less than before."""
        most = self.standing.most_suppressed
        if most < FAR_LESS * self._wanted.most_suppressed:
            self._wanted = replace(self._wanted, most_suppressed=most)
            self.expect_anew()

    def most_decisive(self) -> Node:
        """The node whose measuring is expected to rule out most of what is open."""
        self._want_better()
        passes = _doubted(self.forecast.chance_to_pass(self.problem.k))
        # Where the rest of the requirement is not monotone, only a node that fails for k alone decides finer ones.
        alone = passes if self.problem.requirement.monotone else _doubted(self.forecast.chance_of_k(self.problem.k))
        worth = self.standing.yields(passes, 1 - alone, self.divisions)
        return grid.node_at(self.problem.lattice, int(np.argmax(worth)))

    def outcome(self, start: Start | None) -> Outcome:
        """The outcome as far as it is known by now."""
        best, observation, minimal, certified = self.standing.outcome_parts()
        return Outcome(best, observation, minimal, certified, start)


def _doubted(chance: Reals) -> Reals:
    """A chance that is never sure, nor unknown."""
    doubted: Reals = np.clip(np.nan_to_num(chance, nan=0.5), LEAST_DOUBT, 1 - LEAST_DOUBT)
    return doubted


def certify(inquiry: Inquiry) -> Asking:
    """Measure nodes until the best is proved to be the optimum, or every accepted node to fail.

    Each measured node is the one expected to rule out most others. A node that is worse than the best
    may be the one to measure: where a coarse node fails for k, all finer ones fail with it.
    """
    while inquiry.standing.open.any():
        yield from inquiry.ask([inquiry.most_decisive()])


def inquiry_of(problem: Problem) -> Generator[Batch, Sequence[Observation], Inquiry]:
    """The inquiry of a problem. Where nothing is known, not even the rows, the last accepted node is measured first."""
    if problem.evidence is not None:
        return Inquiry(problem, problem.evidence)
    last = tuple(axis.accepted[-1] for axis in problem.lattice.axes)
    (observation,) = yield Batch.of([last], left=problem.lattice.size)
    most_suppressed = problem.requirement.most_suppressed
    inquiry = Inquiry(problem, Evidence.nothing(problem.lattice, observation.rows, most_suppressed))
    inquiry.standing.learn(last, observation)
    inquiry.forecast.learn(last, observation)
    return inquiry


def expected_divisions(lattice: Lattice, evidence: Evidence | None) -> Reals:
    """The expected number of classes of every accepted node, as an array over its accepted levels."""
    return _estimated(lattice) if evidence is None else _forecast_divisions(lattice, Forecast(evidence))


def _forecast_divisions(lattice: Lattice, forecast: Forecast) -> Reals:
    """Return the forecast number of classes, or an estimate if the forecast is the same for all nodes."""
    divisions = forecast.divisions
    return divisions if np.ptp(divisions) > 0 else _estimated(lattice)


def _estimated(lattice: Lattice) -> Reals:
    """Estimate where no class was ever counted: each level below `*` has one class more than the one above it."""
    estimated: Reals = np.ones(lattice.shape)
    for position, axis in enumerate(lattice.axes):
        classes = np.array([1.0 + axis.top - level for level in axis.accepted])
        estimated *= classes.reshape(grid.along(position, estimated.ndim))
    return estimated
