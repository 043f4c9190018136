"""The cells of a node under independence: how many rows each is expected to hold, and the least non-empty one.

Were the attributes independent, a cell (one class of every attribute) would hold about a Poisson number of rows with
mean lambda = N x the product of its classes' shares. The size of the least cell (see
`least_cells`) and the number of non-empty ones depend on the lambdas alone. So a node is kept as its number of cells
along ln lambda, in bins of one width; one attribute more shifts and adds. Cost does not grow with the number of cells.

A bin's cells are split between its two ends such that ln lambda keeps its mean. The least class is met within about
one bin width (in ln k) of the exact calculation, which `tests/unit/test_prediction_cells.py` checks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ordermade.lattice.node import Node
from ordermade.lattice.observation import Sizes
from ordermade.prediction.least_cells import Reals, least_cells

__all__ = ["Cells", "Expected", "Reals", "bin_width"]

FINEST_BIN = 0.01
WITHIN_BIN = 0.03
COARSEST_BIN = 0.2
NODES_AT_ONCE = 512
LEAST_EXPECTED = 1e-4
"""Cells that expect fewer rows are counted as fewer cells of this many: only the sum of their lambdas matters."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The expectation under independence, one figure a node.

    `ln_k`: ln of the median of the least non-empty cell. Where that is 1 it goes on below 0, as far as the cells of one
    row outnumber those that would make 1 the median: nodes of k = 1 differ. Where rows may be suppressed, it is the k
    reached then. `spread`: the standard deviation of ln k that lies in the Poisson counts. `divisions`: the
    non-empty cells.
    """

    ln_k: Reals
    spread: Reals
    divisions: Reals


class Cells:
    """The cells of any node of one dataset version, from the class sizes of each attribute alone."""

    def __init__(
        self,
        rows: int,
        sizes: Sequence[dict[int, Sizes]],
        *,
        bin_width: float = FINEST_BIN,
        most_withheld: int = 0,
    ) -> None:
        """`sizes`: for each attribute, the class sizes of its levels by level number. `rows` is at least 1.

        `most_withheld`: rows of the smallest cells that may be suppressed; one row is always left.
        """
        self._width = bin_width
        first = math.floor(math.log(LEAST_EXPECTED) / bin_width)
        self._first = first
        self._bins = max(math.ceil(math.log(rows) / bin_width), 0) - first + 1
        self._rows = rows
        self._shifts = [{level: self._shift(each) for level, each in levels.items()} for levels in sizes]
        # Attributes of many class sizes come first: nodes share their beginnings, which are counted once.
        work = [sum(map(len, levels.values())) for levels in self._shifts]
        self._costly_first = sorted(range(len(work)), key=lambda position: -work[position])
        self._least = least_cells(rows, bin_width, first, self._bins, min(most_withheld, rows - 1))

    def expected(self, nodes: Sequence[Node]) -> Expected:
        """The expectation of each node, in order. Raises KeyError for a level without class sizes."""
        levels = np.array(nodes, dtype=np.int64).reshape(len(nodes), len(self._shifts))
        order = np.lexsort(levels[:, self._costly_first[::-1]].T)
        figures = np.empty((3, len(nodes)))
        for start in range(0, len(order), NODES_AT_ONCE):
            chosen = order[start : start + NODES_AT_ONCE]
            figures[:, chosen] = self._least.figures(self._counts(levels[chosen]))
        return Expected(*figures)

    def _counts(self, nodes: npt.NDArray[np.int64]) -> Reals:
        """The number of cells of each bin, a row a node; nodes are sorted, so that they share their beginnings."""
        counts = np.zeros((1, self._bins))
        self._add(counts[0], math.log(self._rows), 1.0)
        parents = np.zeros(len(nodes), dtype=np.int64)
        for position in self._costly_first:
            shifts, levels = self._shifts[position], nodes[:, position]
            begins = np.ones(len(nodes), dtype=np.bool_)
            begins[1:] = (np.diff(parents) != 0) | (np.diff(levels) != 0)
            first = np.flatnonzero(begins)
            grown = np.empty((len(first), self._bins))
            for level in np.unique(levels).tolist():
                at = np.flatnonzero(levels[first] == level)
                grown[at] = self._shifted(counts[parents[first[at]]], shifts[level])
            counts, parents = grown, np.cumsum(begins) - 1
        return counts[parents]

    def _shift(self, sizes: Sizes) -> list[tuple[int, float]]:
        """By how many bins each class of a level lowers ln lambda, and how many classes do: (bins, classes)."""
        shifts: dict[int, float] = {}
        for size, classes in sizes:
            # Persons of several values do not add up to those of a class, which is everybody at most.
            exact = (math.log(self._rows) - math.log(min(size, self._rows))) / self._width
            whole = math.floor(exact)
            shifts[whole] = shifts.get(whole, 0.0) + classes * (1 - (exact - whole))
            shifts[whole + 1] = shifts.get(whole + 1, 0.0) + classes * (exact - whole)
        return [(bins, classes) for bins, classes in sorted(shifts.items()) if classes > 0]

    def _shifted(self, counts: Reals, shifts: list[tuple[int, float]]) -> Reals:
        grown = np.zeros_like(counts)
        scale = np.exp(self._width * np.arange(self._bins))
        for bins, classes in shifts:
            kept = max(self._bins - bins, 0)
            if kept:
                grown[:, :kept] += classes * counts[:, bins:]
            below = min(bins, self._bins)
            # Cells that fall below the first bin keep the sum of their lambdas there.
            grown[:, 0] += counts[:, :below] @ scale[:below] * (classes * math.exp(-self._width * bins))
        return grown

    def _add(self, counts: Reals, ln_expected: float, cells: float) -> None:
        place = ln_expected / self._width - self._first
        whole = min(int(place), self._bins - 2)
        counts[whole] += cells * (1 - (place - whole))
        counts[whole + 1] += cells * (place - whole)


def bin_width(nodes: int, *, between_sizes: bool = False) -> float:
    """The bin width that keeps the cost of that many nodes in bounds: finest up to 10,000 nodes.

    `between_sizes`: the sought size is found between the sizes that are tested, so bins may be wider.
    """
    finest = WITHIN_BIN if between_sizes else FINEST_BIN
    return min(max(finest * nodes / 10_000, finest), COARSEST_BIN)
