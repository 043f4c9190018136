"""The accuracy of predictions against later measurements: the paper's Tables 5 and 6 and its equation (3)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from statistics import correlation, fmean, pvariance

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
    both = [(float(measured), float(predicted)) for measured, predicted in pairs]
    if not both:
        raise TooLittleKnown(
            "no node was measured that could judge a prediction", next_step="Run a request on the dataset first."
        )
    if not all(math.isfinite(k) and k > 0 for pair in both for k in pair):
        raise ValueError("a measured and a predicted k are finite numbers above 0")
    measured, predicted = zip(*both, strict=True)
    nodes = len(both)
    ratio = fmean(max(a / b, b / a) for a, b in both)
    if nodes < 3 or len(set(measured)) == 1 or len(set(predicted)) == 1:
        return Scores(None, None, None, None, ratio, nodes)
    r = min(1.0, max(-1.0, correlation(measured, predicted)))
    unexplained = 1 - r * r
    return Scores(
        r=r,
        r2=r * r,
        adjusted_r2=1 - unexplained * (nodes - 1) / (nodes - 2),
        standard_error=math.sqrt(unexplained * pvariance(measured) * nodes / (nodes - 2)),
        mean_ratio_error=ratio,
        nodes=nodes,
    )
