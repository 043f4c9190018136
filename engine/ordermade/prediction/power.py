"""The power approximation of k: k = a x^b + 1 for x divisions.

Oguri et al.: "An Efficient k-anonymization Algorithm by Predictive Model of the Power Approximation", equations (1)
and (2). As printed the equations are garbled (the LN outside beta, alpha without its EXP); what is meant, and what
gives the published figures, is ordinary least squares of ln(k - 1) on ln x.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean, linear_regression

from ordermade.errors import TooLittleKnown
from ordermade.prediction.scores import Scores, scores

FEWEST_POINTS = 3
"""Different numbers of divisions below which no law is fitted."""


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """k = `alpha` x^`beta`, and 1 more where the law was fitted with `plus_one`. `alpha` > 0, `beta` < 0."""

    alpha: float
    beta: float
    plus_one: bool = True

    def k(self, divisions: float) -> float:
        """Equation (1): the k expected of a node with that many divisions (above 0; ValueError otherwise)."""
        if not divisions > 0:
            raise ValueError(f"divisions must be above 0, not {divisions}")
        return _exp(math.log(self.alpha) + self.beta * math.log(divisions)) + self.plus_one

    def divisions(self, k: int) -> float:
        """Equation (2): the divisions x* at which the law meets `k`; infinite where k is at or below its limit."""
        above_limit = k - self.plus_one
        if above_limit <= 0:
            return math.inf
        return _exp((math.log(above_limit) - math.log(self.alpha)) / self.beta)


def fit(points: Iterable[tuple[int, float]], *, plus_one: bool = True) -> PowerLaw:
    """Fit the law to measured nodes by ordinary least squares of ln(k - 1) (ln k without `plus_one`) on ln x.

    Args:
        points: (divisions, k) of measured nodes. The nodes that share their divisions count as one point with their
            mean k. As in the paper, nodes of one division are left out: they give the number of rows and no more.
        plus_one: whether the law tends to k = 1 (the paper's equation 1) or to 0.

    Returns:
        The law. Points at its very limit (k = 1 with `plus_one`) have no logarithm and are left out.

    Raises:
        TooLittleKnown: fewer than three different numbers of divisions remain, or k does not fall with them.
        ValueError: a figure is not a finite number, or a k is negative.
    """
    k_of = {x: k for x, k in mean_k(points).items() if x > 1}
    usable = {x: k - plus_one for x, k in k_of.items() if k - plus_one > 0}
    if len(usable) < FEWEST_POINTS:
        raise TooLittleKnown(_why_no_law(k_of, plus_one), next_step=_MEASURE_MORE)
    line = linear_regression([math.log(x) for x in usable], [math.log(k) for k in usable.values()])
    if not line.slope < 0:
        raise TooLittleKnown(
            f"no power law fits: over {len(usable)} different numbers of divisions k does not fall",
            next_step=_MEASURE_MORE,
        )
    return PowerLaw(_exp(line.intercept), line.slope, plus_one)


def mean_k(points: Iterable[tuple[int, float]]) -> dict[int, float]:
    """The mean k of the nodes of each number of divisions, by ascending divisions: the paper's regression points.

    Raises ValueError for a figure that is not finite, for divisions below 0 and for a negative k.
    """
    found: dict[int, list[float]] = {}
    for x, k in points:
        if not (math.isfinite(x) and math.isfinite(k)) or x < 0 or k < 0:
            raise ValueError(f"a measured node cannot have {x} divisions and k = {k}")
        found.setdefault(x, []).append(k)
    return {x: fmean(found[x]) for x in sorted(found)}


def fit_scores(law: PowerLaw, points: Iterable[tuple[int, float]]) -> Scores:
    """The fit of a law to its points, one a number of divisions above 1, as in the paper's Table 5.

    Raises TooLittleKnown without any such point.
    """
    return scores((k, law.k(x)) for x, k in mean_k(points).items() if x > 1 and k > 0)


_MEASURE_MORE = "Run a request on the dataset: every node it measures is kept in table C and can be learnt from."


def _why_no_law(k_of: Mapping[int, float], plus_one: bool) -> str:
    if len(k_of) < FEWEST_POINTS:
        return (
            f"a power law needs nodes of {FEWEST_POINTS} different numbers of divisions above 1, {len(k_of)} are known"
        )
    limit = 1 if plus_one else 0
    return f"no power law fits: fewer than {FEWEST_POINTS} of {len(k_of)} measured points have a k above {limit}"


def _exp(exponent: float) -> float:
    """Raise e to that power; infinite where a float cannot hold it."""
    return math.exp(exponent) if exponent < 709 else math.inf
