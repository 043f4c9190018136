"""The PAK paper's three searches, which count their work as the paper does: one node at a time, nothing known before.

Work is the sum of the divisions of the measured nodes; the root is free (its class is the dataset). As in the paper's
comparison, its OLA goes from the most divisions down to the first pass, its Incognito from the fewest up and leaves out
nodes that refine a failing one, and PAK starts at the prediction. They find the node with the most divisions or stop
before it, and prove nothing; for releases use `guided`, `ola` or `incognito`.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np

from ordermade.errors import RequestError, TooLittleKnown
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.proofs import FAILS
from ordermade.prediction.cells import Reals
from ordermade.prediction.power import fit
from ordermade.search import grid
from ordermade.search.guided import Law, divisions_of_nodes, nearest, start_of
from ordermade.search.pak import Answer, Places, walk
from ordermade.search.problem import Batch, Outcome, Search, SearchProblem, SearchStart
from ordermade.search.search_state import search_state

SAMPLE_DIVISIONS = 9
"""The paper fits its law to the nodes of at most this many divisions."""


def paper_ola(problem: SearchProblem) -> Search:
    """From the most divisions down, till the first node that passes."""
    count = _Count(problem)
    for place in count.ascending[::-1]:
        if (yield from count.passes(int(place))):
            break
    return count.outcome(None)


def paper_incognito(problem: SearchProblem) -> Search:
    """From the fewest divisions up; a failing node removes every node that refines it."""
    count = _Count(problem)
    for place in count.ascending:
        if not count.removed(int(place)):
            yield from count.passes(int(place))
    return count.outcome(None)


def paper_pak(problem: SearchProblem) -> Search:
    """Sample the nodes of at most 9 divisions, fit, start at the nearest node, and walk; report the sample apart."""
    count = _Count(problem)
    sampled: list[Observation] = []
    for place in np.flatnonzero(count.divisions <= SAMPLE_DIVISIONS).tolist():
        if not count.is_root(place):
            yield from count.passes(place)
            sampled.append(count.measured[place])
    law: Law | None = None
    points = [(each.divisions, each.k) for each in sampled]
    with suppress(TooLittleKnown):
        law = fit(points), points
    overshoot = problem.settings.overshoot == "include"
    target = None if law is None else law[0].divisions(problem.k)
    every = np.ones(problem.lattice.shape, dtype=np.bool_)
    first = nearest(count.divisions, every, target, overshoot=overshoot)
    assert first is not None, "a lattice has a node"
    start = start_of(count.node(first), law, problem.k, sampled)
    yield from walk(count.ascending, first, count.passes)
    return count.outcome(start)


class _Count:
    """The measured nodes, by place in the lattice, with the conclusions from them."""

    def __init__(self, problem: SearchProblem) -> None:
        """Raises RequestError for an objective that the paper does not have."""
        if problem.objective.name != "classes":
            raise RequestError(
                f"the paper's searches look for the most divisions, not for the least {problem.objective.name}",
                where="search.objective",
                next_step="Write `objective: classes`, or `algorithm: guided`.",
            )
        self._problem = replace(problem, evidence=None)
        self._state = search_state(self._problem)
        self._rows = problem.proofs.rows
        self.divisions: Reals = divisions_of_nodes(problem.lattice, problem.evidence)
        self.ascending: Places = np.argsort(self.divisions, axis=None, kind="stable")
        self.measured: dict[int, Observation] = {}

    def node(self, place: int) -> Node:
        """The node at a place."""
        return grid.node_at(self._problem.lattice, place)

    def is_root(self, place: int) -> bool:
        """True if every attribute is at `*` there."""
        return self.node(place) == self._problem.lattice.top

    def removed(self, place: int) -> bool:
        """True if the node refines one that failed."""
        return bool(self._state.tags.flat[place] == FAILS)

    def passes(self, place: int) -> Answer:
        """Answer whether the node at a place passes; measured once, the root not at all where the rows are known."""
        if place not in self.measured:
            if self.is_root(place) and self._rows is not None:
                observation = Observation.from_histogram([(self._rows, 1)] if self._rows else [])
            else:
                (observation,) = yield Batch.of([self.node(place)], left=self.divisions.size - len(self.measured))
            self.measured[place] = observation
            self._state.learn(self.node(place), observation)
        return self._problem.requirement.passes(self.measured[place])

    def outcome(self, start: SearchStart | None) -> Outcome:
        """The best node measured; the paper proves nothing."""
        best, observation, minimal, _ = self._state.outcome_parts()
        return Outcome(best, observation, minimal, certified=False, start=start)
