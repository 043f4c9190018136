"""The start of a search at the node that the power law predicts.

Oguri et al.: "An Efficient k-anonymization Algorithm by Predictive Model of the Power Approximation", 2016: the paper
fits k = a x^b + 1 to nodes of few divisions x, and starts at the node nearest to the x at which the law meets k.
"""

from __future__ import annotations

import heapq
from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ordermade.errors import TooLittleKnown
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.proofs import UNKNOWN
from ordermade.prediction.cells import Reals
from ordermade.prediction.power import PowerLaw, expected_divisions, fit_scores, fitted
from ordermade.prediction.prediction import Evidence
from ordermade.search import grid
from ordermade.search.problem import Batch, Start

if TYPE_CHECKING:
    from ordermade.search.guided import GuidedSearch

Law = tuple[PowerLaw, list[tuple[int, int]]]
"""The law and the points (number of classes, k) it was fitted to."""


def started(search: GuidedSearch) -> Generator[Batch, Sequence[Observation], Start | None]:
    """Measure the open node that the law predicts and return it; None where the sample settled every node."""
    law, sample = yield from law_of(search)
    problem, state = search.problem, search.state
    target = None if law is None else law[0].divisions(problem.k)
    candidates = state.open & (state.tags == UNKNOWN)
    place = nearest(search.divisions, candidates, target, overshoot=problem.settings.overshoot == "include")
    if place is None:
        return None
    node = grid.node_at(problem.lattice, place)
    yield from search.ask([node])
    return start_of(node, law, problem.k, sample)


def law_of(
    search: GuidedSearch,
) -> Generator[Batch, Sequence[Observation], tuple[Law | None, tuple[Observation, ...]]]:
    """The power law, None where none can be fitted, and what was measured to fit it.

    Table C and the class sizes of the columns are enough in most cases; else the `sample` coarsest nodes are measured.
    """
    try:
        return fitted(search.evidence), ()
    except TooLittleKnown:
        pass
    before = set(search.state.measured)
    yield from search.ask(coarsest(search.evidence, search.problem.settings.sample))
    sample = tuple(each for node, each in search.state.measured.items() if node not in before)
    search.expect_anew()
    try:
        return fitted(search.evidence), sample
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
