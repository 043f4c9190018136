"""Residuals of measured nodes: training nodes, their spread over a grid, interactions of attributes.

The residual of a node is its measured ln k less what independence expects. Dependence between attributes makes it, and
dependence is between pairs of attributes (and, less, triples) at levels of theirs. So residuals are a Gaussian process
whose covariance of two nodes is a sum over the pairs and triples of attributes that both group by, each the product of
how near their levels are in every one of these attributes. Two consequences: nodes of one attribute have no residual,
and where every pair of a node's attributes was measured at its levels, its residual is the sum of theirs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation
from ordermade.prediction.cells import Reals, ln_reached
from ordermade.prediction.prediction import Evidence

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


def training_node(node: Node, observation: Observation, most_suppressed: int) -> TrainingNode | None:
    """Make a training node of one measured on this version; None where it does not determine k under the limit."""
    if not observation.determines_within(most_suppressed):
        return None
    return TrainingNode(node, ln_reached(observation, most_suppressed), cut_off=most_suppressed == 0)


def _earlier_node(node: Node, observation: Observation, rows: int, most_suppressed: int) -> TrainingNode | None:
    """Make a training node of one of an earlier version: with the k for rows that grew in proportion."""
    grown = rows / observation.rows if observation.rows else 0.0
    then = training_node(node, observation, round(most_suppressed / grown)) if grown else None
    if then is None:
        return None
    ln_k = then.ln_k + math.log(grown)
    return TrainingNode(node, max(ln_k, 0.0) if then.cut_off else ln_k, EARLIER, then.cut_off)


def training_nodes(evidence: Evidence, most: int, k: int | None = None) -> list[TrainingNode]:
    """Return up to `most` measured nodes to learn from: of this version first, then of a k next to the requested one.

    Of equally near ones those of few attributes: they show single pairs.
    """
    top = evidence.lattice.top
    of_version = (training_node(node, seen, evidence.most_suppressed) for node, seen in evidence.observed.items())
    before = (
        _earlier_node(node, evidence.earlier[node], evidence.rows, evidence.most_suppressed)
        for node in evidence.earlier.keys() - evidence.observed.keys()
    )

    def place(each: TrainingNode) -> tuple[int, int, Node]:
        away = 0 if k is None else round(abs(each.ln_k - math.log(max(k, 1))))
        return away, sum(map(int.__ne__, each.node, top)), each.node

    return [each for some in (of_version, before) for each in sorted(filter(None, some), key=place)][:most]


Levels = npt.NDArray[np.int64]

USUAL_INTERACTION = 0.35
"""The standard deviation of ln k that one pair of attributes adds, before any node is measured."""
USUAL_WITHIN_A_LIMIT = 0.12
"""The same where rows may be suppressed: k then follows from many classes, which vary less in all than the least."""
TRIPLE_SHARE = 0.3
"""The standard deviation of what one triple of attributes adds, as a share of a pair's."""
OTHER_LEVELS = 0.7
"""The correlation of two levels, however near: the least class of each is its own chance."""
LEVELS_APART = 2.0
"""The difference in ln of the number of classes over which the correlation of two levels falls to 1/e."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """The correlation of two nodes' residuals. `places[i][l]`: ln of the classes of attribute i at level l.

    A level of one class (place 0) groups by nothing: it is as far from every other as can be, and from itself too.
    """

    places: tuple[Reals, ...]

    @classmethod
    def of(cls, classes: Sequence[dict[int, int]], levels: Sequence[int]) -> Nearness:
        """From the number of classes of each known level; `levels` of each attribute. Unknown levels add nothing."""
        return cls(
            tuple(
                np.array([math.log(max(known.get(level, 1), 1)) for level in range(count)])
                for known, count in zip(classes, levels, strict=True)
            )
        )

    def between(self, position: int, some: Levels, others: Levels) -> Reals:
        """The nearness of the levels of one attribute, 0 to 1: some by others."""
        a, b = self.places[position][some][:, None], self.places[position][others][None, :]
        same = some[:, None] == others[None, :]
        near: Reals = np.where(same, 1.0, OTHER_LEVELS * np.exp(-np.abs(a - b) / LEVELS_APART))
        return np.where((a > 0) & (b > 0), near, 0.0)

    def covariance(self, some: Levels, others: Levels) -> Reals:
        """The covariance of the residuals of nodes, for a pair's standard deviation of 1: some by others."""
        return _pairs_and_triples(
            [self.between(i, some[:, i], others[:, i]) for i in range(len(self.places))],
        )

    def own_of(self, nodes: Levels) -> Reals:
        """The variance of the residual of each node, for a pair's standard deviation of 1."""
        several = [(places[nodes[:, i]] > 0).astype(np.float64) for i, places in enumerate(self.places)]
        return np.broadcast_to(_pairs_and_triples(several), (len(nodes),))

    def own(self, axes: Sequence[Levels]) -> Reals:
        """The variance of the residual of every node of a product of levels, for a pair's standard deviation of 1."""
        shape = tuple(len(levels) for levels in axes)
        sides = [
            (self.places[i][levels] > 0).astype(np.float64).reshape([-1 if i == j else 1 for j in range(len(shape))])
            for i, levels in enumerate(axes)
        ]
        return np.broadcast_to(_pairs_and_triples(sides), shape).copy()

    def to_all(self, node: Node, axes: Sequence[Levels]) -> Reals:
        """The covariance of one node with every node of a product of levels, as an array of that shape."""
        shape = tuple(len(levels) for levels in axes)
        sides = []
        for i, levels in enumerate(axes):
            near = self.between(i, np.array([node[i]]), levels)[0]
            sides.append(near.reshape([-1 if i == j else 1 for j in range(len(shape))]))
        return np.broadcast_to(_pairs_and_triples(sides), shape)


def _pairs_and_triples(near: Sequence[Reals]) -> Reals:
    """The sum over the pairs of attributes of their product, and a share of that over the triples."""
    one: Reals | float = 0.0
    two: Reals | float = 0.0
    three: Reals | float = 0.0
    for each in near:
        three = three + each * two
        two = two + each * one
        one = one + each
    total: Reals = np.asarray(two + TRIPLE_SHARE**2 * three)
    return total


@dataclass(frozen=True, slots=True)
class Residuals:
    """Residuals of measured nodes: `nodes` (nodes by attributes), `values`, and the variance of each one's `noise`."""

    nodes: Levels
    values: Reals
    noise: Reals

    @classmethod
    def of(cls, found: Sequence[tuple[Node, float, float]], attributes: int) -> Residuals:
        """From (node, value, variance of its noise) of nodes of so many attributes."""
        return cls(
            np.array([node for node, _, _ in found], dtype=np.int64).reshape(len(found), attributes),
            np.array([value for _, value, _ in found]),
            np.array([noise for _, _, noise in found]),
        )

    def __len__(self) -> int:
        return len(self.values)


class Learnt:
    """The correction that residuals give of any node."""

    def __init__(self, nearness: Nearness, residuals: Residuals) -> None:
        from scipy.linalg import cho_factor, cho_solve

        self._nearness = nearness
        self._points = residuals.nodes
        self.scale = interaction(nearness, residuals)
        covariance = self.scale**2 * nearness.covariance(residuals.nodes, residuals.nodes)
        self._root = cho_factor(covariance + np.diag(residuals.noise), lower=True)
        self._weights: Reals = cho_solve(self._root, residuals.values)

    def at(self, nodes: Levels) -> tuple[Reals, Reals]:
        """The mean and the variance of the residual of each node."""
        from scipy.linalg import solve_triangular

        near = self.scale**2 * self._nearness.covariance(nodes, self._points)
        explained = solve_triangular(self._root[0], near.T, lower=True)
        own = self.scale**2 * self._nearness.own_of(nodes)
        return near @ self._weights, np.maximum(own - (explained**2).sum(axis=0), 0.0)


_SCALES = np.exp(np.linspace(math.log(0.02), math.log(2.0), 12))
_PRIOR_NODES = 3.0
"""The weight of the usual interaction against measured nodes, in nodes."""


def interaction(nearness: Nearness, residuals: Residuals, usual: float = USUAL_INTERACTION) -> float:
    """The standard deviation of a pair that explains the residuals best, drawn to the usual one while they are few."""
    if not len(residuals):
        return usual
    covariance = nearness.covariance(residuals.nodes, residuals.nodes)
    best, best_at = -math.inf, usual
    for scale in _SCALES:
        lower = np.linalg.cholesky(scale**2 * covariance + np.diag(residuals.noise))
        explained = np.linalg.solve(lower, residuals.values)
        off = math.log(scale / usual)
        likelihood = -0.5 * float(explained @ explained) - float(np.log(np.diag(lower)).sum()) - _PRIOR_NODES * off**2
        if likelihood > best:
            best, best_at = likelihood, float(scale)
    return best_at


class Conditioning:
    """Mean and variance of the residual of every node of a product of levels, given those that were measured.

    The cost of one more node is one pass over (nodes so far) x (nodes of the grid) figures.
    """

    def __init__(self, nearness: Nearness, axes: Sequence[Levels], scale: float) -> None:
        """`axes`: the levels of each attribute; `scale`: the standard deviation of ln k that a pair adds."""
        self._nearness = nearness
        self._axes = axes
        self._scale2 = scale**2
        self._points: list[Node] = []
        self._root = np.zeros((0, 0))
        self._innovations: list[float] = []
        self._gains = np.zeros((0, math.prod(len(each) for each in axes)), dtype=np.float32)
        self._shape = tuple(len(each) for each in axes)
        self.mean: Reals = np.zeros(self._shape)
        self.variance: Reals = self._scale2 * nearness.own(axes)

    def __len__(self) -> int:
        return len(self._points)

    def add(self, node: Node, value: float, noise: float) -> None:
        """Take in the residual of a node, in the grid or not, whose noise has that variance (above 0)."""
        at = np.array([node], dtype=np.int64)
        own = self._scale2 * float(self._nearness.own_of(at)[0])
        if own == 0:
            return
        covariance = self._scale2 * self._nearness.to_all(node, self._axes).reshape(-1)
        past = self._past(at)
        count = len(past)
        covariance = covariance - past.astype(np.float32) @ self._gains[:count]
        pivot = math.sqrt(max(own - float(past @ past), 0.0) + noise)
        gain = covariance / pivot
        innovation = (value - float(past @ np.array(self._innovations))) / pivot
        self.mean = self.mean + (innovation * gain).reshape(self._shape)
        self.variance = np.maximum(self.variance - (gain**2).reshape(self._shape), 0.0)
        self._grow(count)
        self._gains[count] = gain
        self._root[count, :count] = past
        self._root[count, count] = pivot
        self._innovations.append(innovation)
        self._points.append(node)

    def _past(self, at: Levels) -> Reals:
        """Condition one more node on the nodes so far: its row of the covariance's triangular root."""
        from scipy.linalg import solve_triangular

        count = len(self._points)
        if not count:
            return np.zeros(0)
        near = self._scale2 * self._nearness.covariance(np.array(self._points, dtype=np.int64), at)[:, 0]
        past: Reals = solve_triangular(self._root[:count, :count], near, lower=True, check_finite=False)
        return past

    def _grow(self, count: int) -> None:
        if count < len(self._gains):
            return
        room = max(16, 2 * count)
        gains, root = np.zeros((room, self._gains.shape[1]), dtype=np.float32), np.zeros((room, room))
        gains[:count], root[:count, :count] = self._gains[:count], self._root[:count, :count]
        self._gains, self._root = gains, root
