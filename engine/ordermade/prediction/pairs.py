"""The predictor `pairs`: independence, corrected by the measured nodes of two attributes (and of more)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ordermade.errors import TooLittleKnown
from ordermade.lattice.node import Node
from ordermade.prediction.evidence import Evidence
from ordermade.prediction.independence import Margins
from ordermade.prediction.interactions import Learnt, Nearness, Residuals
from ordermade.prediction.intervals import predictions
from ordermade.prediction.prediction import Prediction
from ordermade.prediction.telling import TrainingNode, training_nodes

MOST_NODES = 400
"""Measured nodes that are learnt from; those of few attributes first."""


class Pairs:
    """Ln k of independence, plus the attributes' dependence as the residuals of measured nodes show it.

    Where every pair of a node's attributes was measured at the node's levels and nothing else was, that is the sum of
    the pairs' residuals: the product of measured k over expected k. Where a pair was not, near levels stand in;
    and measured nodes of three attributes correct the remaining error of the pairs.
    """

    name = "pairs"

    def __init__(self, evidence: Evidence) -> None:
        """Raises TooLittleKnown without class sizes of every attribute, or without a measured node of two."""
        self._evidence = evidence
        self._margins = Margins(evidence)
        residuals = self._residuals(
            [each for each in training_nodes(evidence, MOST_NODES) if self._margins.knows(each.node)]
        )
        nearness = Nearness.of(self._margins.classes, [axis.top + 1 for axis in evidence.lattice.axes])
        if not len(residuals):
            raise TooLittleKnown(
                "no node of two attributes was measured",
                next_step="Run a request on two columns, or one that measures such nodes on its way.",
            )
        self._learnt = Learnt(nearness, residuals)

    def predict(self, nodes: Sequence[Node]) -> list[Prediction]:
        """Predict each node, in order, within its proved bounds."""
        expected = self._margins.expected(nodes)
        correction, variance = self._learnt.at(np.array(nodes, dtype=np.int64).reshape(len(nodes), -1))
        spread = np.where(expected.attributes > 1, np.sqrt(expected.spread**2 + variance), expected.spread)
        return predictions(self._evidence.proofs, nodes, expected.ln_k + correction, spread)

    def _residuals(self, measured: Sequence[TrainingNode]) -> Residuals:
        if not measured:
            return Residuals.of((), len(self._evidence.lattice.axes))
        expected = self._margins.expected([each.node for each in measured])
        found = [
            (each.node, *each.residual(ln_k, spread, attributes))
            for each, ln_k, spread, attributes in zip(
                measured,
                expected.ln_k.tolist(),
                expected.spread.tolist(),
                expected.attributes.tolist(),
                strict=True,
            )
            if attributes > 1
        ]
        return Residuals.of(found, len(self._evidence.lattice.axes))
