"""PAK: predict the classes that k allows by the power law, start there, and walk.

Oguri et al.: "An Efficient k-anonymization Algorithm by Predictive Model of the Power Approximation", 2016. The paper
starts at the node that the law predicts (`law_start`), and walks from there: to finer nodes till one fails, or to
coarser ones till one passes. That stops before the optimum; the search `guided` goes on with the questions that prove
most instead, until the optimum is certain.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ordermade.lattice.observation import Observation
from ordermade.lattice.proofs import FAILS, PASSES, UNKNOWN
from ordermade.search import grid
from ordermade.search.guided import Asking, GuidedSearch, begun_search, started
from ordermade.search.problem import Batch, Search, SearchProblem

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


def pak(problem: SearchProblem) -> Search:
    """Fit, start at the predicted node, then walk as the paper does: nothing is proved to be the optimum.

    Levels need not nest. Where no law can be fitted the start is the coarsest node. No request is refused before every
    coarsest accepted node has failed.
    """
    search = yield from begun_search(problem)
    if not search.state.open.any():
        return search.outcome(None)
    start = yield from started(search)
    if start is not None:
        place = int(np.ravel_multi_index(grid.cell_of(problem.lattice, start.node), problem.lattice.shape))
        yield from walk(np.argsort(search.divisions, axis=None, kind="stable"), place, _Settled(search).passes)
    yield from _find_any(search)
    return search.outcome(start)


class _Settled:
    """Answers of a walk: a node that is settled is not measured; one that is proved to fail is passed over."""

    def __init__(self, search: GuidedSearch) -> None:
        self._search = search

    def passes(self, place: int) -> Answer:
        """Answer whether the node at a place passes, measuring it if it is open; None where it is settled to fail."""
        state = self._search.state
        node = grid.node_at(state.problem.lattice, place)
        if state.tags.flat[place] == UNKNOWN:
            yield from self._search.ask([node])
        elif state.tags.flat[place] == FAILS and node not in state.measured:
            return None
        return bool(state.tags.flat[place] == PASSES)


def _find_any(search: GuidedSearch) -> Asking:
    """A passing node, if there is one; and its classes, if the objective needs them.

    The coarsest nodes decide; where a finer one may pass though they fail, the search goes on till one does.
    """
    state = search.state
    lattice = state.problem.lattice
    if not (state.tags == PASSES).any():
        undecided = [node for node in lattice.coarsest() if state.tags[grid.cell_of(lattice, node)] == UNKNOWN]
        yield from search.ask(undecided)
    while not state.problem.requirement.monotone and state.open.any() and not (state.tags == PASSES).any():
        yield from search.ask(search.most_decisive())
    passing = state.open & (state.tags == PASSES)
    if state.best is None and passing.any():
        finest = int(np.argmax(np.where(passing, search.divisions, -1.0)))
        yield from search.ask([grid.node_at(lattice, finest)])
