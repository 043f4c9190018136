"""Every accepted node: the ground truth that the other searches are tested against."""

from __future__ import annotations

from itertools import islice

import numpy as np

from ordermade.search import grid
from ordermade.search.problem import Batch, Incumbent, Search, SearchProblem

BATCH = 64


def exhaustive(problem: SearchProblem) -> Search:
    """Measure every accepted node; conclude nothing from one node about another.

    The order is the lexicographic order of the levels: the nodes of a batch agree on the first attributes and
    differ in the last ones, so that one frequency set, grouped at the first attributes' levels, can serve the
    whole batch.
    """
    lattice = problem.lattice
    best = Incumbent(problem)
    passing = np.zeros(lattice.size, dtype=np.bool_)
    nodes = lattice.nodes()
    measured = 0
    while batch := Batch.of(islice(nodes, BATCH), left=lattice.size - measured):
        for node, observation in zip(batch, (yield batch), strict=True):
            passing[measured] = best.offer(node, observation)
            measured += 1
    return best.outcome(grid.minimal(lattice, passing.reshape(lattice.shape)))
