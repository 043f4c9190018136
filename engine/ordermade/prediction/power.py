"""The power law k = a x^b + 1 of the PAK paper, and the predictor `power` on it.

Oguri et al.: "An Efficient k-anonymization Algorithm by Predictive Model of the Power Approximation", equations (1)
and (2). As printed the equations are garbled (the LN outside beta, alpha without its EXP); what is meant, and what
gives the published figures, is ordinary least squares of ln(k - 1) on ln x.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, linear_regression

import numpy as np

from ordermade.errors import TooLittleKnown
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation
from ordermade.prediction.cells import Reals
from ordermade.prediction.independence import margins_of
from ordermade.prediction.prediction import LARGEST_LN, Evidence, Prediction, Scores, predictions, quantile, scores


def expected_divisions(evidence: Evidence, node: Node) -> float:
    """The expected classes of one node: see `expected_divisions_of`, which is much faster for many."""
    return expected_divisions_of(evidence, [node])[0]


def expected_divisions_of(evidence: Evidence, nodes: Sequence[Node]) -> list[float]:
    """The classes of each node, in order: exact where it was measured, else expected, within the proved bounds.

    With the class sizes of every attribute: the cells that hold a row if the attributes are independent. Without them:
    the product of the classes of each attribute, from nodes of one attribute that were measured on this version or an
    earlier one.

    Raises TooLittleKnown where the classes of an attribute are not known and the node itself was not measured.
    """
    exact = [evidence.observed.get(node) or evidence.proofs.exact(node) for node in nodes]
    unknown = [node for node, observation in zip(nodes, exact, strict=True) if observation is None]
    expected = iter(_expected(evidence, unknown))
    return [
        float(observation.divisions) if observation is not None else _within(evidence, node, next(expected))
        for node, observation in zip(nodes, exact, strict=True)
    ]


def _expected(evidence: Evidence, nodes: Sequence[Node]) -> list[float]:
    if not nodes:
        return []
    try:
        return [float(each) for each in margins_of(evidence).expected(nodes).divisions]
    except TooLittleKnown:
        classes = _classes(evidence)
        return [_product(evidence, classes, node) for node in nodes]


def _product(evidence: Evidence, classes: Sequence[Mapping[int, int]], node: Node) -> float:
    for axis, known, level in zip(evidence.lattice.axes, classes, node, strict=True):
        if level not in known:
            raise TooLittleKnown(
                f"how many classes {axis.column!r} has at level {level} is not known",
                next_step="Run a request that uses this level: its class sizes are kept in the cache.",
            )
    return float(min(math.prod(known[level] for known, level in zip(classes, node, strict=True)), evidence.rows))


def _classes(evidence: Evidence) -> list[dict[int, int]]:
    """The number of classes of each attribute at each level that is known."""
    top = evidence.lattice.top
    found: list[dict[int, int]] = [{level: 1} for level in top]
    for seen in (evidence.earlier, evidence.observed):
        for node, observation in seen.items():
            _note(found, top, node, observation)
    for known, marginal in zip(found, evidence.marginals, strict=False):
        known.update({level: sum(classes for _, classes in sizes) for level, sizes in marginal.items()})
    return found


def _note(found: Sequence[dict[int, int]], top: Node, node: Node, observation: Observation) -> None:
    grouped = [position for position, level in enumerate(node) if level != top[position]]
    if len(grouped) == 1:
        found[grouped[0]][node[grouped[0]]] = observation.divisions


def _within(evidence: Evidence, node: Node, expected: float) -> float:
    bounds = evidence.proofs.bounds(node)
    return float(min(max(expected, bounds.least_divisions), bounds.most_divisions))


MIN_POINTS = 3
"""Different numbers of divisions below which no law is fitted."""


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """k = `alpha` x^`beta`, and 1 more where the law was fitted with `plus_one`. `alpha` > 0, `beta` < 0."""

    alpha: float
    """Its factor."""
    beta: float
    """Its exponent."""
    plus_one: bool = True
    """Whether 1 is added to it."""

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

    def in_words(self) -> str:
        """`k = 114,831 x^-1.425 + 1`."""
        amount = f"{self.alpha:,.0f}" if self.alpha >= 100 else f"{self.alpha:.4g}"
        return f"k = {amount} x^{self.beta:.4g}{' + 1' if self.plus_one else ''}"


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
    if len(usable) < MIN_POINTS:
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
    if len(k_of) < MIN_POINTS:
        return f"a power law needs nodes of {MIN_POINTS} different numbers of divisions above 1, {len(k_of)} are known"
    limit = 1 if plus_one else 0
    return f"no power law fits: fewer than {MIN_POINTS} of {len(k_of)} measured points have a k above {limit}"


def _exp(exponent: float) -> float:
    """Raise e to that power; infinite where a float cannot hold it."""
    return math.exp(exponent) if exponent < 709 else math.inf


USUAL_ERROR = 1.0
"""The standard deviation of ln k about a power law before any node is measured, and its weight in nodes."""
USUAL_NODES = 3


class Power:
    """k = a x^b + 1 over the expected classes x of a node; the interval from the spread of the fitted nodes."""

    name = "power"

    def __init__(self, evidence: Evidence) -> None:
        """Raises TooLittleKnown if no law can be fitted (see `power.fit`)."""
        self._evidence = evidence
        self.law, self.points = fitted(evidence)
        off = [math.log(max(k, 1)) - math.log(self.law.k(x)) for x, k in self.points]
        squares = sum(each**2 for each in off) + USUAL_NODES * USUAL_ERROR**2
        self._freedom = len(off) + USUAL_NODES - 2
        self._spread = math.sqrt(squares / self._freedom)
        places = [math.log(x) for x, _ in self.points]
        self._centre = sum(places) / len(places)
        self._width = sum((place - self._centre) ** 2 for place in places)
        self._nodes = len(places)

    def predict(self, nodes: Sequence[Node]) -> list[Prediction]:
        """Predict each node, in order, within its proved bounds."""
        ln_k, spread = self._expected(expected_divisions_of(self._evidence, nodes))
        return predictions(self._evidence.proofs, nodes, ln_k, spread, freedom=self._freedom)

    def band(self, divisions: Sequence[float]) -> tuple[Reals, Reals, Reals]:
        """For each number of classes (1 or more) k and the ends of its interval, from 1 up, without other proofs."""
        ln_k, spread = self._expected(divisions)
        reach = quantile(self._freedom) * spread
        k, low, high = (np.exp(np.clip(each, 0.0, LARGEST_LN)) for each in (ln_k, ln_k - reach, ln_k + reach))
        return k, low, high

    def _expected(self, divisions: Sequence[float]) -> tuple[Reals, Reals]:
        """Ln k and its standard deviation for each number of classes."""
        x = np.maximum(np.array(divisions, dtype=np.float64), 1.0)
        ln_k = np.log([self.law.k(each) for each in x])
        # The further from the nodes it was fitted to, the less the line is to be trusted.
        away = (np.log(x) - self._centre) ** 2 / self._width
        return ln_k, self._spread * np.sqrt(1 + 1 / self._nodes + away)


def fitted(evidence: Evidence) -> tuple[PowerLaw, list[tuple[int, int]]]:
    """The law and the points (number of classes, k) it was fitted to.

    Points are the nodes measured on this version; if they carry no law, the nodes of one attribute that the class
    sizes give as well; if these do not either, the nodes of the earlier version.

    Raises TooLittleKnown if none of them carries a law.
    """
    within = evidence.most_suppressed
    own = points_of(evidence.observed, within)
    refused: TooLittleKnown | None = None
    for points in (own, [*own, *_marginal_points(evidence)], points_of(evidence.earlier, within)):
        try:
            return fit(points), [(x, k) for x, k in points if x > 1]
        except TooLittleKnown as error:
            refused = refused or error
    assert refused is not None
    raise refused


def points_of(observed: Mapping[Node, Observation], most_suppressed: int = 0) -> list[tuple[int, int]]:
    """(Number of classes, k) of measured nodes: the k reached within the limit, where they determine it."""
    return [
        (each.divisions, each.k_within(most_suppressed))
        for each in observed.values()
        if each.determines_within(most_suppressed)
    ]


def _marginal_points(evidence: Evidence) -> list[tuple[int, int]]:
    return [
        (each.divisions, each.k_within(evidence.most_suppressed))
        for marginal in evidence.marginals
        for each in map(Observation.from_histogram, marginal.values())
        if each.divisions
    ]
