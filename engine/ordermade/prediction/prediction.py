"""A predicted k with its interval, and the interface of what predicts it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Protocol

from ordermade.lattice.node import Node

INTERVAL = 0.90
"""The share of nodes whose k is meant to lie within the predicted interval."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """The k expected of a node: `k`, and an interval from `low` to `high` that is meant to hold `INTERVAL` of them.

    `spread` is the standard deviation of ln k; 0 where k is proved.
    """

    k: float
    low: float
    high: float
    spread: float

    def chance(self, k: int) -> float:
        """The probability that the node passes for `k`: 1 or 0 where the interval's ends were proved."""
        if self.low >= k and self.spread == 0:
            return 1.0
        if self.spread == 0:
            return 0.0
        return 1 - NormalDist().cdf((math.log(k - 0.5) - math.log(max(self.k, 0.5))) / self.spread)


class Predictor(Protocol):
    """Predicts k of any node of one lattice from one `Evidence`."""

    name: str

    def predict(self, nodes: Sequence[Node]) -> list[Prediction]:
        """What is expected of each node, in order, within what is proved of it."""
        ...
