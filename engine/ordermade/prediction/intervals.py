"""Intervals of predicted k, and how they are cut to what is proved."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ordermade.lattice.node import Node
from ordermade.lattice.proofs import Bounds, Proofs
from ordermade.prediction.cells import Reals
from ordermade.prediction.prediction import INTERVAL, Prediction

LARGEST_LN = 600.0


def predictions(
    proofs: Proofs, nodes: Sequence[Node], ln_k: Reals, spread: Reals, *, freedom: float | None = None
) -> list[Prediction]:
    """Predictions of nodes from ln k and its standard deviation, one figure a node, within what is proved of each.

    `freedom`: the degrees of freedom of the standard deviation; None where it is not estimated from a few nodes.
    """
    reach = quantile(freedom)
    return [
        within(proofs.bounds(node), float(centre), float(width), reach)
        for node, centre, width in zip(nodes, ln_k, spread, strict=True)
    ]


def within(bounds: Bounds, ln_k: float, spread: float, reach: float) -> Prediction:
    """One prediction from ln k, its standard deviation and how many of them the interval reaches to either side."""
    least, most = float(bounds.least_k), float(max(bounds.most_k, bounds.least_k))

    def cut(ln: float) -> float:
        return min(max(math.exp(min(ln, LARGEST_LN)), least), most)

    if least == most or spread == 0:
        known = float(round(cut(ln_k)))
        return Prediction(known, known, known, 0.0, least=known, most=known)
    # k is a whole number: the interval reaches to the ones just outside.
    low, high = math.floor(cut(ln_k - reach * spread)), math.ceil(cut(ln_k + reach * spread))
    return Prediction(cut(ln_k), max(float(low), least), float(high), spread, ln_k, least, most)


def quantile(freedom: float | None) -> float:
    """The standard deviations that the interval reaches to either side: normal, or Student's t."""
    # Not scipy.stats, which takes a second to import.
    from scipy.special import ndtri, stdtrit

    tail = (1 + INTERVAL) / 2
    return float(ndtri(tail) if freedom is None else stdtrit(max(freedom, 1.0), tail))
