"""PAK: predict the classes that k allows by the power law, start there, and go on to a proof.

Oguri et al.: "An Efficient k-anonymization Algorithm by Predictive Model of the Power Approximation", 2016. The paper
fits k = a x^b + 1 to nodes of few divisions x, starts at the node nearest to the x at which the law meets k, and walks
from there: to finer nodes till one fails, or to coarser ones till one passes. That stops before the optimum (`pak`).
In the search `guided` the start's answer is followed by the questions that prove most instead, until the optimum is
certain.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ordermade.errors import TooLittleKnown
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.proofs import FAILS, PASSES, UNKNOWN
from ordermade.prediction.cells import Reals
from ordermade.prediction.power import PowerLaw, expected_divisions, fit_scores, fitted
from ordermade.prediction.prediction import Evidence
from ordermade.search import grid
from ordermade.search.guided import Asking, Inquiry, certify, inquiry_of
from ordermade.search.problem import Batch, Problem, Search, Start

Answer: TypeAlias = Generator[Batch, Sequence[Observation], bool | None]
Places: TypeAlias = npt.NDArray[np.intp]


def walk(ascending: Places, start: int, passes: Callable[[int], Answer]) -> Generator[Batch, Sequence[Observation]]:
    """From the start node towards the finer ones till the first failure if it passes, else the coarser till a pass.

    `ascending`: places of nodes from the coarse to the fine; `start` is one of them. `passes` measures a node; None
    from it means that the node was passed over.
    """
    position = int(np.flatnonzero(ascending == start)[0])
    if (yield from passes(start)):
        for place in ascending[position + 1 :]:
            if (yield from passes(int(place))) is False:
                return
    else:
        for place in ascending[:position][::-1]:
            if (yield from passes(int(place))):
                return


Law = tuple[PowerLaw, list[tuple[int, int]]]
"""The law and the points (number of classes, k) it was fitted to."""


def law_of(inquiry: Inquiry) -> Generator[Batch, Sequence[Observation], tuple[Law | None, tuple[Observation, ...]]]:
    """The power law, None where none can be fitted, and what was measured to fit it.

    Table C and the class sizes of the columns are enough in most cases; else the `sample` coarsest nodes are measured.
    """
    try:
        return fitted(inquiry.evidence), ()
    except TooLittleKnown:
        pass
    before = set(inquiry.standing.measured)
    yield from inquiry.ask(coarsest(inquiry.evidence, inquiry.problem.settings.sample))
    sample = tuple(each for node, each in inquiry.standing.measured.items() if node not in before)
    inquiry.expect_anew()
    try:
        return fitted(inquiry.evidence), sample
    except TooLittleKnown:
        return None, sample


def start_of(node: Node, law: Law | None, k: int, sample: Sequence[Observation]) -> Start:
    """The start of the search, for its report."""
    start = Start(node, sampled=len(sample), sampled_divisions=sum(each.divisions for each in sample))
    if law is None:
        return start
    power, points = law
    r = fit_scores(power, points).r
    return Start(node, power.divisions(k), power.alpha, power.beta, r, start.sampled, start.sampled_divisions)


def nearest(divisions: Reals, candidates: grid.Flags, target: float | None, *, overshoot: bool) -> int | None:
    """The candidate (a flat index) whose number of classes is nearest to the target; None without a candidate.

    Of equally near ones the first: the first listed attribute keeps its detail. Without a target (no law) the
    coarsest. Without `overshoot` nodes above the target are left out; if that leaves none, the coarsest.
    """
    x = np.rint(divisions.ravel())  # numbers of classes are whole: their expectations tie where they do
    places = np.flatnonzero(candidates)
    if not places.size:
        return None
    if target is not None and not overshoot:
        below = places[x[places] <= target]
        places, target = (below, target) if below.size else (places, None)
    if target is None:
        return int(places[::-1][np.argmin(x[places][::-1])])
    # A target beyond all nodes, be it infinite, is as near as the last of them.
    aim = min(max(target, float(x[places].min())), float(x[places].max()))
    return int(places[np.argmin(np.abs(x[places] - aim))])


def coarsest(evidence: Evidence, count: int) -> list[Node]:
    """The nodes with the fewest expected classes, in that order; attributes may be at `*`, but not all of them.

    The product of the attributes' classes stands for the node's; where they are not known, a level counts for more
    classes the further it is from `*`.
    """
    lattice = evidence.lattice
    levels = [
        sorted((_classes(evidence, position, level), level) for level in axis.accepted if level != axis.top)
        for position, axis in enumerate(lattice.axes)
    ]
    return [node for node, _ in zip(_by_product(lattice.top, levels), range(count), strict=False)]


def _by_product(top: Node, levels: Sequence[Sequence[tuple[float, int]]]) -> Iterator[Node]:
    """Nodes by ascending product of classes: each is reached once, by adding attributes in their order."""
    waiting: list[tuple[float, Node, int]] = [(1.0, top, 0)]
    while waiting:
        product, node, first = heapq.heappop(waiting)
        if node != top:
            yield node
        for position in range(first, len(top)):
            for classes, level in levels[position]:
                finer = (*node[:position], level, *node[position + 1 :])
                heapq.heappush(waiting, (product * classes, finer, position + 1))


def _classes(evidence: Evidence, position: int, level: int) -> float:
    top = evidence.lattice.top
    try:
        return max(1.0, expected_divisions(evidence, (*top[:position], level, *top[position + 1 :])))
    except TooLittleKnown:
        return 2.0 + top[position] - level


def guided(problem: Problem) -> Search:
    """Fit, start at the predicted node, then prove the optimum."""
    return _from_prediction(problem, certifies=True)


def pak(problem: Problem) -> Search:
    """Fit, start at the predicted node, then walk as the paper does: nothing is proved to be the optimum."""
    return _from_prediction(problem, certifies=False)


def _from_prediction(problem: Problem, *, certifies: bool) -> Search:
    """Fit, start at the predicted node, then prove the optimum, or walk from there.

    Levels need not nest. Where no law can be fitted the start is the coarsest node. No request is refused before every
    coarsest accepted node has failed.
    """
    inquiry = yield from inquiry_of(problem)
    if not inquiry.standing.open.any():
        return inquiry.outcome(None)
    law, sample = yield from law_of(inquiry)
    target = None if law is None else law[0].divisions(problem.k)
    candidates = inquiry.standing.open & (inquiry.standing.tags == UNKNOWN)
    place = nearest(inquiry.divisions, candidates, target, overshoot=problem.settings.overshoot == "include")
    start: Start | None = None
    if place is not None:
        node = grid.node_at(problem.lattice, place)
        start = start_of(node, law, problem.k, sample)
        yield from inquiry.ask([node])
        if not certifies:
            yield from walk(np.argsort(inquiry.divisions, axis=None, kind="stable"), place, _Settled(inquiry).passes)
    if certifies:
        yield from certify(inquiry)
    else:
        yield from _find_any(inquiry)
    return inquiry.outcome(start)


class _Settled:
    """Answers of a walk: a node that is settled is not measured; one that is proved to fail is passed over."""

    def __init__(self, inquiry: Inquiry) -> None:
        self._inquiry = inquiry

    def passes(self, place: int) -> Answer:
        """Answer whether the node at a place passes, measuring it if it is open; None where it is settled to fail."""
        standing = self._inquiry.standing
        node = grid.node_at(standing.problem.lattice, place)
        if standing.tags.flat[place] == UNKNOWN:
            yield from self._inquiry.ask([node])
        elif standing.tags.flat[place] == FAILS and node not in standing.measured:
            return None
        return bool(standing.tags.flat[place] == PASSES)


def _find_any(inquiry: Inquiry) -> Asking:
    """A passing node, if there is one; and its classes, if the objective needs them.

    The coarsest nodes decide; where a finer one may pass though they fail, the search goes on till one does.
    """
    standing = inquiry.standing
    lattice = standing.problem.lattice
    if not (standing.tags == PASSES).any():
        undecided = [node for node in lattice.coarsest() if standing.tags[grid.cell_of(lattice, node)] == UNKNOWN]
        yield from inquiry.ask(undecided)
    while not standing.problem.requirement.monotone and standing.open.any() and not (standing.tags == PASSES).any():
        yield from inquiry.ask([inquiry.most_decisive()])
    passing = standing.open & (standing.tags == PASSES)
    if standing.best is None and passing.any():
        finest = int(np.argmax(np.where(passing, inquiry.divisions, -1.0)))
        yield from inquiry.ask([grid.node_at(lattice, finest)])
