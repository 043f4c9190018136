"""Training nodes: the measured nodes to learn from, each with its residual and the doubt about it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.prediction.evidence import Evidence
from ordermade.prediction.reached import ln_reached

EXACT = 1e-4
"""The variance of ln k that is left to a measured node for its calculation."""
EARLIER = 0.15**2
"""The growth of ln k's variance where the node was measured on an earlier version of the dataset."""
AWAY = 0.1
"""The standard deviation of ln k that a node whose own ln k is 1 from the requested k leaves to nodes of that k.

The dependence of attributes differs: among nodes of large classes their association makes
the least class smaller than expected, among nodes of small ones fewer rows are in the smallest. Without this doubt the
many nodes that requests of other k and other limits left make a forecast sure and wrong.
"""


@dataclass(frozen=True, slots=True)
class TrainingNode:
    """A measured node: its `ln_k` (of an earlier version: for as many rows as now) and added `doubt`.

    `cut_off`: whether ln k stops at 0 where k is 1, however many classes of one row there are.
    """

    node: Node
    ln_k: float
    doubt: float = 0.0
    cut_off: bool = True

    def away_from(self, k: int) -> float:
        """The variance that its distance from the requested k leaves to nodes that have about that k."""
        return (AWAY * (self.ln_k - math.log(max(k, 1)))) ** 2

    def residual(self, ln_k: float, spread: float, attributes: float) -> tuple[float, float]:
        """Ln of the measured k less the expected `ln_k`, and the variance of its noise.

        `spread` is the standard deviation that lies in the Poisson counts of a node of so many `attributes`. Of two
        attributes it is no noise for the finer nodes: they split the very same classes.
        """
        if self.cut_off and self.ln_k == 0 and ln_k < 0:  # k = 1, as expected: how far below is not seen
            return 0.0, 1.0 + spread**2
        return self.ln_k - ln_k, EXACT + self.doubt + (0.0 if attributes <= 2 else spread**2)


def training_node(node: Node, observation: Observation, most_withheld: int) -> TrainingNode | None:
    """Make a training node of one measured on this version; None where it does not determine k under the limit."""
    if not observation.determines_within(most_withheld):
        return None
    return TrainingNode(node, ln_reached(observation, most_withheld), cut_off=most_withheld == 0)


def _earlier_node(node: Node, observation: Observation, rows: int, most_withheld: int) -> TrainingNode | None:
    """Make a training node of one of an earlier version: with the k for rows that grew in proportion."""
    grown = rows / observation.rows if observation.rows else 0.0
    then = training_node(node, observation, round(most_withheld / grown)) if grown else None
    if then is None:
        return None
    ln_k = then.ln_k + math.log(grown)
    return TrainingNode(node, max(ln_k, 0.0) if then.cut_off else ln_k, EARLIER, then.cut_off)


def training_nodes(evidence: Evidence, most: int, k: int | None = None) -> list[TrainingNode]:
    """Return up to `most` measured nodes to learn from: of this version first, then of a k next to the requested one.

    Of equally near ones those of few attributes: they show single pairs.
    """
    top = evidence.lattice.top
    of_version = (training_node(node, seen, evidence.most_withheld) for node, seen in evidence.observed.items())
    before = (
        _earlier_node(node, evidence.earlier[node], evidence.rows, evidence.most_withheld)
        for node in evidence.earlier.keys() - evidence.observed.keys()
    )

    def place(each: TrainingNode) -> tuple[int, int, Node]:
        away = 0 if k is None else round(abs(each.ln_k - math.log(max(k, 1))))
        return away, sum(map(int.__ne__, each.node, top)), each.node

    return [each for some in (of_version, before) for each in sorted(filter(None, some), key=place)][:most]
