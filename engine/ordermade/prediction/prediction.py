"""Predictions of k: evidence, interval, the interface of predictors, and their accuracy against later measurements.

Accuracy is that of the paper's Tables 5 and 6 and of its equation (3).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import NormalDist, correlation, fmean, pvariance
from typing import Literal, Protocol, TypeAlias

from ordermade.errors import TooLittleKnown
from ordermade.lattice.lattice import Axis, Lattice, Node
from ordermade.lattice.observation import Observation, Sizes
from ordermade.lattice.proofs import ClassBounds, Proofs
from ordermade.prediction.cells import Reals

INTERVAL = 0.90
"""The share of nodes whose k is meant to lie within the predicted interval."""
Z = NormalDist().inv_cdf((1 + INTERVAL) / 2)
"""The standard deviations that hold that share of a normal distribution, to either side."""

End: TypeAlias = Literal["low", "high"]
"""An end of the interval of a predicted k."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """The k expected of a node: `k`, and an interval from `low` to `high` that is meant to hold `INTERVAL` of them.

    `spread` is the standard deviation of ln k; 0 where k is proved. `centre`: the mean of ln k, where it is not ln of
    `k`: below 0 where k = 1 and many classes of one row are expected (see `cells.Expected`). `least`, `most`: what k is
    proved to be at least and at most. `bounded`: the ends of the interval that were expected beyond these and are cut
    to them, as `k` then may be. That no k is below 1 cuts an end only where nothing else is left of the interval.
    """

    k: float
    low: float
    high: float
    spread: float
    centre: float | None = None
    least: float = 0.0
    most: float = math.inf
    bounded: tuple[End, ...] = ()

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


def in_whole_numbers(found: Iterable[Prediction]) -> list[Prediction]:
    """Predictions with the whole k that is expected: its ln lies between that of k - 1/2 and of k + 1/2."""
    return [replace(each, k=max(float(round(each.k)), each.least)) for each in found]


def within(bounds: ClassBounds, ln_k: float, spread: float, reach: float) -> Prediction:
    """One prediction from ln k, its standard deviation and how many of them the interval reaches to either side."""
    least, most = float(bounds.least_k), float(max(bounds.most_k, bounds.least_k))

    def cut(k: float) -> float:
        return min(max(k, least), most)

    centre, low_end, high_end = (
        math.exp(min(ln, LARGEST_LN)) for ln in (ln_k, ln_k - reach * spread, ln_k + reach * spread)
    )
    if least == most or spread == 0:
        known = float(round(cut(centre)))
        return Prediction(known, known, known, 0.0, least=known, most=known)
    # k is a whole number: the interval reaches to the ones just outside.
    low, high = max(float(math.floor(cut(low_end))), least), float(math.ceil(cut(high_end)))
    bounded: list[End] = []
    if low_end < least and (least > 1 or high == least):
        bounded.append("low")
    if high_end > most:
        bounded.append("high")
    return Prediction(cut(centre), low, high, spread, ln_k, least, most, tuple(bounded))


def quantile(freedom: float | None) -> float:
    """The standard deviations that the interval reaches to either side: normal, or Student's t (right to .003 from 3).

    After Fisher and Cornish, as to import scipy takes longer than a prediction.
    """
    if freedom is None:
        return Z
    n = max(freedom, 3.0)
    terms = (
        (Z**3 + Z) / 4,
        (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96,
        (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384,
        (79 * Z**9 + 776 * Z**7 + 1482 * Z**5 - 1920 * Z**3 - 945 * Z) / 92160,
    )
    return Z + math.fsum(term / n**power for power, term in enumerate(terms, start=1))


Marginal: TypeAlias = Mapping[int, Sizes]
"""The class sizes of one attribute alone, by level number; levels that were not counted are left out."""


@dataclass(frozen=True, slots=True)
class WiderNodes:
    """Nodes measured on this version that group by other columns than the request's, too.

    `axes` of these columns: the levels that were measured, in any order, and `*`, which alone is accepted. `observed`:
    levels of the request's columns first. `marginals`: one for each of these columns. It proves nothing here (`Proofs`
    has what these nodes prove): it shows how attributes depend on one another.
    """

    axes: tuple[Axis, ...] = ()
    observed: Mapping[Node, Observation] = field(default_factory=dict)
    marginals: tuple[Marginal, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """Table C and the column marginals of one dataset version, in terms of one request's lattice.

    `rows` of the dataset. `proofs`: what observations of this very version prove by refinement. `observed`: nodes of
    the lattice (attributes may be at `*`, accepted or not) that were measured on this version. `marginals`: one for
    each attribute, in order; empty where they are not known. `earlier`: nodes measured on an older version of the same
    dataset: never a proof, only a hint. `beyond`: what was measured on this version of
    other columns, where that was read.
    """

    lattice: Lattice
    rows: int
    proofs: Proofs
    observed: Mapping[Node, Observation] = field(default_factory=dict)
    marginals: tuple[Marginal, ...] = ()
    earlier: Mapping[Node, Observation] = field(default_factory=dict)
    beyond: WiderNodes | None = None

    def over_all_columns(self) -> Evidence:
        """Everything measured of any columns: a lattice of them all, in which those of other requests are at `*` alone.

        It proves nothing: predictions are kept within proofs where they are made.
        """
        others = WiderNodes() if self.beyond is None else self.beyond
        lattice = Lattice((*self.lattice.axes, *others.axes))
        tops = tuple(axis.top for axis in others.axes)
        given = self.marginals or ({},) * len(self.lattice.axes)
        return Evidence(
            lattice,
            self.rows,
            Proofs(lattice, self.rows, most_suppressed=self.most_suppressed),
            {(*node, *tops): each for node, each in self.observed.items()} | dict(others.observed),
            (*given, *others.marginals),
            {(*node, *tops): each for node, each in self.earlier.items()},
        )

    @classmethod
    def nothing(cls, lattice: Lattice, rows: int, most_suppressed: int = 0) -> Evidence:
        """No evidence but the number of rows (or persons), of which some may be suppressed."""
        return cls(lattice, rows, Proofs(lattice, rows, most_suppressed=most_suppressed))

    @property
    def most_suppressed(self) -> int:
        """The rows (or persons) that may be suppressed: all that is known of k is known of the k reached then."""
        return self.proofs.most_suppressed

    def within(self, most_suppressed: int) -> Evidence:
        """The same under another limit. Figures that the limit so far left unknown stay unknown."""
        if most_suppressed == self.most_suppressed:
            return self
        proofs = Proofs(self.lattice, self.proofs.rows, self.proofs.every, most_suppressed)
        return replace(self, proofs=proofs)

    def widened(self) -> Evidence:
        """The same of the widened lattice (`Lattice.widened`)."""
        wider = self.lattice.widened()
        return replace(
            self, lattice=wider, proofs=Proofs(wider, self.proofs.rows, self.proofs.every, self.proofs.most_suppressed)
        )


@dataclass(frozen=True, slots=True)
class Scores:
    """Predicted k against measured k."""

    r: float | None
    """The correlation."""
    r2: float | None
    """Its square."""
    adjusted_r2: float | None
    """The same, for the degrees of freedom."""
    standard_error: float | None
    """The standard error of the regression, in rows."""
    mean_ratio_error: float
    """The mean of max(measured / predicted, predicted / measured); 1 is perfect."""
    nodes: int
    """The number of nodes."""


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
