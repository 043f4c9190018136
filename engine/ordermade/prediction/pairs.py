"""The predictor `pairs`: independence, corrected by the measured nodes of two attributes (and of more)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ordermade.errors import TooLittleKnown
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.prediction.evidence import Evidence
from ordermade.prediction.independence import Margins
from ordermade.prediction.interactions import Learnt, Nearness, Residuals
from ordermade.prediction.intervals import predictions
from ordermade.prediction.prediction import Prediction

MOST_NODES = 400
"""Measured nodes that are learnt from; those of few attributes first."""


class Pairs:
    """Ln k of independence, plus what the residuals of measured nodes tell of the attributes' dependence.

    Where every pair of a node's attributes was measured at the node's levels and nothing else was, that is the sum of
    the pairs' residuals: the product of measured k over expected k. Where a pair was not, nodes of near levels tell;
    and measured nodes of three attributes correct what pairs alone leave.
    """

    name = "pairs"

    def __init__(self, evidence: Evidence) -> None:
        """Raises TooLittleKnown without class sizes of every attribute, or without a measured node of two."""
        self._evidence = evidence
        self._margins = Margins(evidence)
        measured = most_telling(evidence, MOST_NODES)
        residuals = self._residuals(measured)
        nearness = Nearness.of(self._margins.classes, [axis.top + 1 for axis in evidence.lattice.axes])
        if not len(residuals):
            raise TooLittleKnown(
                "no node of two attributes was measured",
                next_step="Run a request on two columns, or one that measures such nodes on its way.",
            )
        self._learnt = Learnt(nearness, residuals)

    def predict(self, nodes: Sequence[Node]) -> list[Prediction]:
        """What is expected of each node, in order, within what is proved of it."""
        expected = self._margins.expected(nodes)
        correction, variance = self._learnt.at(np.array(nodes, dtype=np.int64).reshape(len(nodes), -1))
        spread = np.where(expected.attributes > 1, np.sqrt(expected.spread**2 + variance), 0.0)
        return predictions(self._evidence.proofs, nodes, expected.ln_k + correction, spread)

    def _residuals(self, measured: Sequence[tuple[Node, Observation]]) -> Residuals:
        nodes = [node for node, _ in measured]
        if not nodes:
            return Residuals.none(len(self._evidence.lattice.axes))
        expected = self._margins.expected(nodes)
        found = [
            residual(observation, float(ln_k), float(spread), int(attributes))
            for (_, observation), ln_k, spread, attributes in zip(
                measured, expected.ln_k, expected.spread, expected.attributes, strict=True
            )
        ]
        several = expected.attributes > 1
        return Residuals(
            np.array(nodes, dtype=np.int64)[several],
            np.array([value for value, _ in found])[several],
            np.array([noise for _, noise in found])[several],
        )


def residual(observation: Observation, ln_k: float, spread: float, attributes: int) -> tuple[float, float]:
    """Ln of the measured k less the expected, and the variance of its noise.

    The Poisson noise of a node of two attributes is no noise for its finer nodes: they split the very same classes.
    """
    measured = math.log(max(observation.k, 1))
    if measured == 0 and ln_k < 0:  # k = 1, as expected: how far below is not seen
        return 0.0, 1.0 + spread**2
    return measured - ln_k, 1e-4 if attributes <= 2 else spread**2 + 1e-4


def most_telling(evidence: Evidence, most: int) -> list[tuple[Node, Observation]]:
    """Measured nodes to learn from: those of few attributes first, which tell of single pairs."""
    top = evidence.lattice.top
    order = sorted(evidence.observed, key=lambda node: (sum(map(int.__ne__, node, top)), node))
    return [(node, evidence.observed[node]) for node in order[:most]]
