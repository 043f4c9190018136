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

    `spread` is the standard deviation of ln k; 0 where k is proved. `centre`: the mean of ln k, where it is not ln of
    `k`: below 0 where k = 1 and many classes of one row are expected (see `cells.Expected`). `least`, `most`: what k is
    proved to be at least and at most.
    """

    k: float
    low: float
    high: float
    spread: float
    centre: float | None = None
    least: float = 0.0
    most: float = math.inf

    def chance(self, k: int) -> float:
        """The probability that the node passes for `k` (at least 1): 1 or 0 where that is proved."""
        if k <= self.least:
            return 1.0
        if k > self.most:
            return 0.0
        if self.spread == 0:
            return float(k <= self.k)
        above = self._above(k - 0.5)
        # The proved bounds cut the normal distribution of ln k to either side.
        room_above = self._above(self.most + 0.5)
        room = (self._above(self.least - 0.5) if self.least > 1 else 1.0) - room_above
        return min(max((above - room_above) / room, 0.0), 1.0) if room > 1e-9 else above

    def _above(self, k: float) -> float:
        """The probability that k is above a figure, whatever is proved."""
        if math.isinf(k):
            return 0.0
        centre = math.log(max(self.k, 0.5)) if self.centre is None else self.centre
        return 1 - NormalDist(centre, self.spread).cdf(math.log(max(k, 1e-9)))


class Predictor(Protocol):
    """Predicts k of any node of one lattice from one `Evidence`."""

    name: str

    def predict(self, nodes: Sequence[Node]) -> list[Prediction]:
        """Predict each node, in order, within its proved bounds."""
        ...
