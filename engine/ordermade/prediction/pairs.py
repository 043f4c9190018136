"""The predictor `pairs`: independence, corrected by the measured nodes of two attributes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from ordermade.errors import TooLittleKnown
from ordermade.lattice.node import Node
from ordermade.prediction.evidence import Evidence
from ordermade.prediction.independence import Margins
from ordermade.prediction.interactions import USUAL_INTERACTION
from ordermade.prediction.intervals import predictions
from ordermade.prediction.prediction import Prediction


class Pairs:
    """ln k of independence, plus for each pair of attributes how far their own measured node was from independence.

    A pair that was not measured at the node's levels adds nothing but doubt.
    """

    name = "pairs"

    def __init__(self, evidence: Evidence) -> None:
        """Raises TooLittleKnown without class sizes of every attribute or without a measured node of two."""
        self._evidence = evidence
        self._margins = Margins(evidence)
        self._top = evidence.lattice.top
        measured = [node for node in evidence.observed if self._attributes(node) == 2]
        if not measured:
            raise TooLittleKnown(
                "no node of two attributes was measured",
                next_step="Run a request on two columns, or one that measures such nodes on its way.",
            )
        expected = np.maximum(self._margins.expected(measured).ln_k, 0.0)
        self._factors = {
            node: math.log(max(evidence.observed[node].k, 1)) - float(ln_k)
            for node, ln_k in zip(measured, expected, strict=True)
        }

    def predict(self, nodes: Sequence[Node]) -> list[Prediction]:
        """What is expected of each node, in order, within what is proved of it."""
        expected = self._margins.expected(nodes)
        corrections = [[self._factors.get(pair) for pair in self._pairs(node)] for node in nodes]
        ln_k = np.maximum(expected.ln_k, 0.0) + np.array([sum(f or 0.0 for f in each) for each in corrections])
        unknown = np.array([sum(factor is None for factor in each) for each in corrections], dtype=np.float64)
        spread = np.hypot(expected.spread, USUAL_INTERACTION * np.sqrt(unknown + 0.1 * (expected.pairs - unknown)))
        return predictions(self._evidence.proofs, nodes, ln_k, spread)

    def _attributes(self, node: Node) -> int:
        return sum(level != top for level, top in zip(node, self._top, strict=True))

    def _pairs(self, node: Node) -> list[Node]:
        grouped = [i for i, level in enumerate(node) if level != self._top[i]]
        return [
            tuple(level if i in pair else self._top[i] for i, level in enumerate(node))
            for pair in combinations(grouped, 2)
        ]
