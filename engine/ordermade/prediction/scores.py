"""How well predictions met what was measured afterwards: the paper's Tables 5 and 6 and its equation (3)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass

import numpy as np

from ordermade.errors import TooLittleKnown


@dataclass(frozen=True, slots=True)
class Scores:
    """Measured k against predicted k over `nodes` nodes.

    `r`: the multiple correlation of the regression of measured on predicted (with one regressor: Pearson's), `r2` its
    square, `adjusted_r2` for the degrees of freedom, `standard_error` of that regression in rows. They are None below
    three nodes or where all measured or all predicted k are the same. `mean_ratio_error`: equation (3), the mean of
    max(a / a', a' / a); 1 is perfect.
    """

    r: float | None
    r2: float | None
    adjusted_r2: float | None
    standard_error: float | None
    mean_ratio_error: float
    nodes: int

    def as_dict(self) -> dict[str, float | None]:
        """The figures by name, for `--json`."""
        return asdict(self)


def scores(pairs: Iterable[tuple[float, float]]) -> Scores:
    """Score (measured k, predicted k) pairs; measured k is at least 1.

    Raises TooLittleKnown without any pair, ValueError for a figure that is not finite or not above 0.
    """
    both = np.array([(float(measured), float(predicted)) for measured, predicted in pairs], dtype=np.float64)
    if not both.size:
        raise TooLittleKnown(
            "no node was measured that could judge a prediction", next_step="Run a request on the dataset first."
        )
    if not (np.isfinite(both).all() and (both > 0).all()):
        raise ValueError("a measured and a predicted k are finite numbers above 0")
    measured, predicted = both.T
    nodes = len(both)
    ratio = float(np.maximum(measured / predicted, predicted / measured).mean())
    if nodes < 3 or np.ptp(measured) == 0 or np.ptp(predicted) == 0:
        return Scores(None, None, None, None, ratio, nodes)
    r = min(1.0, max(-1.0, float(np.corrcoef(measured, predicted)[0, 1])))
    unexplained = 1 - r * r
    return Scores(
        r=r,
        r2=r * r,
        adjusted_r2=1 - unexplained * (nodes - 1) / (nodes - 2),
        standard_error=math.sqrt(unexplained * float(((measured - measured.mean()) ** 2).sum()) / (nodes - 2)),
        mean_ratio_error=ratio,
        nodes=nodes,
    )
