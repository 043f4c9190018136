"""Which measured nodes are learnt from, and what each tells: its residual and how much that is to be trusted."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ordermade.lattice.node import Node
from ordermade.prediction.evidence import Evidence

EXACT = 1e-4
"""The variance of ln k that is left to a measured node for its calculation."""
EARLIER = 0.15**2
"""What the variance of ln k grows by where the node was measured on an earlier version of the dataset."""


@dataclass(frozen=True, slots=True)
class Told:
    """A measured node: its `k` (1 or more; of an earlier version: for as many rows as now) and added `doubt`."""

    node: Node
    k: float
    doubt: float = 0.0

    def residual(self, ln_k: float, spread: float, attributes: float) -> tuple[float, float]:
        """Ln of the measured k less the expected `ln_k`, and the variance of its noise.

        `spread` is the standard deviation that lies in the Poisson counts of a node of so many `attributes`. Of two
        attributes it is no noise for the finer nodes: they split the very same classes.
        """
        measured = math.log(self.k)
        if measured == 0 and ln_k < 0:  # k = 1, as expected: how far below is not seen
            return 0.0, 1.0 + spread**2
        return measured - ln_k, EXACT + self.doubt + (0.0 if attributes <= 2 else spread**2)


def most_telling(evidence: Evidence, most: int) -> list[Told]:
    """Up to `most` measured nodes to learn from: of this version first, of few attributes first.

    Nodes of few attributes tell of single pairs.
    """
    top = evidence.lattice.top

    def attributes(node: Node) -> tuple[int, Node]:
        return sum(map(int.__ne__, node, top)), node

    found = [
        Told(node, max(float(evidence.observed[node].k), 1.0)) for node in sorted(evidence.observed, key=attributes)
    ]
    for node in sorted(evidence.earlier.keys() - evidence.observed.keys(), key=attributes):
        then = evidence.earlier[node]
        if then.rows:
            found.append(Told(node, max(then.k * evidence.rows / then.rows, 1.0), EARLIER))
    return found[:most]
