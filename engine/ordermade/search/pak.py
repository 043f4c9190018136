"""PAK: predict how many classes k allows, start there, and go on to a proof.

Oguri et al.: "An Efficient k-anonymization Algorithm by Predictive Model of the Power Approximation", 2016. The paper
fits k = a x^b + 1 to nodes of few divisions x, starts at the node nearest to the x at which the law meets k, and walks
from there: to finer nodes till one fails, or to coarser ones till one passes. That stops before the optimum. With
`then_certify` the start's answer is followed by the questions that prove most instead, until the optimum is certain.
"""

from __future__ import annotations

import numpy as np

from ordermade.lattice.proofs import FAILS, PASSES, UNKNOWN
from ordermade.search import grid
from ordermade.search.certify import Asking, Inquiry, certify, inquiry_of
from ordermade.search.law import law_of, nearest, start_of
from ordermade.search.problem import Problem, Search, Start
from ordermade.search.walk import Answer, walk


def pak(problem: Problem) -> Search:
    """Fit, start at the predicted node, then prove the optimum, or without `then_certify` walk as the paper does.

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
        if not problem.settings.then_certify:
            yield from walk(np.argsort(inquiry.divisions, axis=None, kind="stable"), place, _Settled(inquiry).passes)
    if problem.settings.then_certify:
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
