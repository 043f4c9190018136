"""The predictor `power`: the paper's power law, on the measured nodes of this version or of an earlier one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ordermade.errors import TooLittleKnown
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.prediction.cells import Reals
from ordermade.prediction.divisions import expected_divisions_of
from ordermade.prediction.evidence import Evidence
from ordermade.prediction.intervals import LARGEST_LN, predictions, quantile
from ordermade.prediction.power import PowerLaw, fit
from ordermade.prediction.prediction import Prediction

USUAL_ERROR = 1.0
"""The standard deviation of ln k about a power law before any node is measured, and its weight in nodes."""
USUAL_NODES = 3


class Power:
    """k = a x^b + 1 over the expected classes x of a node; the interval from the spread of the fitted nodes."""

    name = "power"

    def __init__(self, evidence: Evidence) -> None:
        """Raises TooLittleKnown if no law can be fitted (see `power.fit`)."""
        self._evidence = evidence
        self.law, self.points = fitted(evidence)
        off = [math.log(max(k, 1)) - math.log(self.law.k(x)) for x, k in self.points]
        squares = sum(each**2 for each in off) + USUAL_NODES * USUAL_ERROR**2
        self._freedom = len(off) + USUAL_NODES - 2
        self._spread = math.sqrt(squares / self._freedom)
        places = [math.log(x) for x, _ in self.points]
        self._centre = sum(places) / len(places)
        self._width = sum((place - self._centre) ** 2 for place in places)
        self._nodes = len(places)

    def predict(self, nodes: Sequence[Node]) -> list[Prediction]:
        """Predict each node, in order, within its proved bounds."""
        ln_k, spread = self._expected(expected_divisions_of(self._evidence, nodes))
        return predictions(self._evidence.proofs, nodes, ln_k, spread, freedom=self._freedom)

    def band(self, divisions: Sequence[float]) -> tuple[Reals, Reals, Reals]:
        """For each number of classes (1 or more) k and the ends of its interval, from 1 up, without other proofs."""
        ln_k, spread = self._expected(divisions)
        reach = quantile(self._freedom) * spread
        k, low, high = (np.exp(np.clip(each, 0.0, LARGEST_LN)) for each in (ln_k, ln_k - reach, ln_k + reach))
        return k, low, high

    def _expected(self, divisions: Sequence[float]) -> tuple[Reals, Reals]:
        """Ln k and its standard deviation for each number of classes."""
        x = np.maximum(np.array(divisions, dtype=np.float64), 1.0)
        ln_k = np.log([self.law.k(each) for each in x])
        # The further from the nodes it was fitted to, the less the line is to be trusted.
        away = (np.log(x) - self._centre) ** 2 / self._width
        return ln_k, self._spread * np.sqrt(1 + 1 / self._nodes + away)


def fitted(evidence: Evidence) -> tuple[PowerLaw, list[tuple[int, int]]]:
    """The law and the points (number of classes, k) it was fitted to.

    Points are the nodes measured on this version; if they carry no law, the nodes of one attribute that the class
    sizes give as well; if these do not either, the nodes of the earlier version.

    Raises TooLittleKnown if none of them carries a law.
    """
    within = evidence.most_withheld
    own = points_of(evidence.observed, within)
    refused: TooLittleKnown | None = None
    for points in (own, [*own, *_marginal_points(evidence)], points_of(evidence.earlier, within)):
        try:
            return fit(points), [(x, k) for x, k in points if x > 1]
        except TooLittleKnown as error:
            refused = refused or error
    assert refused is not None
    raise refused


def points_of(observed: Mapping[Node, Observation], most_withheld: int = 0) -> list[tuple[int, int]]:
    """(Number of classes, k) of measured nodes: the k reached within the limit, where they determine it."""
    return [
        (each.divisions, each.k_within(most_withheld))
        for each in observed.values()
        if each.determines_within(most_withheld)
    ]


def _marginal_points(evidence: Evidence) -> list[tuple[int, int]]:
    return [
        (each.divisions, each.k_within(evidence.most_withheld))
        for marginal in evidence.marginals
        for each in map(Observation.from_histogram, marginal.values())
        if each.divisions
    ]
