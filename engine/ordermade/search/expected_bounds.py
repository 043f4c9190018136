"""The nodes whose classes are expected to bound them to a score no better than the best: chooses questions only.

The bound of a node's score by its classes follows their expected number closely (in logarithms nearly a line), so a few
measured nodes give the expectation of the others.
"""

from __future__ import annotations

import math

import numpy as np

from ordermade.loss.objectives import Score
from ordermade.prediction.cells import Reals

LEAST_SPREAD = 0.05
"""The least spread of a bound about its expectation, in logarithms: two nodes would be on a line of their own."""
FEWEST = 4
"""Measured nodes from which a line is drawn; of fewer, bounds are expected to fall with the expected classes."""


class ExpectedBounds:
    """The line of ln bound by ln expected classes, through the nodes measured so far."""

    def __init__(self) -> None:
        self._points: list[tuple[tuple[int, ...], float]] = []

    def learn(self, cell: tuple[int, ...], bound: Score) -> None:
        """Take in what bounds a measured node."""
        self._points.append((cell, _logarithm(bound)))

    def no_better_than(self, score: Score, divisions: Reals) -> Reals | None:
        """The probability that the bound of each cell is no better than a score; None where too little is known."""
        if len(self._points) < FEWEST:
            return None
        from scipy.special import ndtr

        ln_divisions = np.log(np.maximum(divisions, 1.0))
        x = np.array([ln_divisions[cell] for cell, _ in self._points])
        y = np.array([bound for _, bound in self._points])
        slope, start = _line(x, y)
        spread = max(float(np.std(y - start - slope * x)), LEAST_SPREAD)
        chance: Reals = ndtr((start + slope * ln_divisions - _logarithm(score)) / spread)
        return chance


def _line(x: Reals, y: Reals) -> tuple[float, float]:
    centred = x - x.mean()
    width = float(centred @ centred)
    slope = float(centred @ (y - y.mean())) / width if width > 1e-9 else 0.0
    return slope, float(y.mean() - slope * x.mean())


def _logarithm(score: Score) -> float:
    """Rises with the score: of what is maximised (below 0) less the logarithm of what it is without its sign."""
    value = float(score)  # type: ignore[arg-type]
    return math.log(max(value, 1e-9)) if value >= 0 else -math.log(-value)
