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
from dataclasses import dataclass, field
from typing import TypeAlias

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
USUAL_OF_THE_REACHED = 0.06
"""The same as predictors found it over many nodes, on Adult and on made services; searches are surer with more."""
TRIPLE_SHARE = 0.3
"""The standard deviation of what one triple of attributes adds, as a share of a pair's."""
OF_TRIPLES = TRIPLE_SHARE**2
"""The same of variances."""
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
    other_levels: float = OTHER_LEVELS
    levels_apart: float = LEVELS_APART
    between: tuple[Reals, ...] = field(init=False, repr=False, compare=False)
    """The nearness of any two levels of each attribute, 0 to 1."""

    def __post_init__(self) -> None:
        near = tuple(_near(each, self.other_levels, self.levels_apart) for each in self.places)
        object.__setattr__(self, "between", near)

    @classmethod
    def of(
        cls,
        classes: Sequence[dict[int, int]],
        levels: Sequence[int],
        other_levels: float = OTHER_LEVELS,
        levels_apart: float = LEVELS_APART,
    ) -> Nearness:
        """From the number of classes of each known level; `levels` of each attribute. Unknown levels add nothing."""
        places = tuple(
            np.array([math.log(max(known.get(level, 1), 1)) for level in range(count)])
            for known, count in zip(classes, levels, strict=True)
        )
        return cls(places, other_levels, levels_apart)

    def covariance(self, some: Levels, others: Levels) -> Reals:
        """The covariance of the residuals of nodes, for a pair's standard deviation of 1: some by others."""
        sides = [near[some[:, i]][:, others[:, i]] for i, near in enumerate(self.between)]
        return _pairs_and_triples(sides)

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


def _near(places: Reals, other_levels: float, levels_apart: float) -> Reals:
    near: Reals = other_levels * np.exp(-np.abs(places[:, None] - places) / levels_apart)
    np.fill_diagonal(near, 1.0)
    return np.where((places[:, None] > 0) & (places > 0), near, 0.0)


Sum: TypeAlias = Reals | float


def _pairs_and_triples(near: Sequence[Reals]) -> Reals:
    """The sum over the pairs of attributes of their product, and a share of that over the triples."""
    _, two, three = _sums(near)
    total: Reals = np.asarray(two + OF_TRIPLES * three)
    return total


def _sums(near: Sequence[Reals]) -> tuple[Sum, Sum, Sum]:
    """The sums over the single attributes, over the pairs and over the triples of their product."""
    one: Sum = 0.0
    two: Sum = 0.0
    three: Sum = 0.0
    for each in near:
        three = three + each * two
        two = two + each * one
        one = one + each
    return one, two, three


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


class LearntResiduals:
    """The correction that residuals give of any node."""

    def __init__(self, nearness: Nearness, residuals: Residuals) -> None:
        self._nearness = nearness
        self._points = residuals.nodes
        self.scale = interaction(nearness, residuals)
        covariance = self.scale**2 * nearness.covariance(residuals.nodes, residuals.nodes)
        # By numpy: importing scipy's takes longer than all of this.
        self._inverse: Reals = np.linalg.inv(np.linalg.cholesky(covariance + np.diag(residuals.noise)))
        self._weights: Reals = self._inverse.T @ (self._inverse @ residuals.values)

    def at(self, nodes: Levels) -> tuple[Reals, Reals]:
        """The mean and the variance of the residual of each node."""
        near = self.scale**2 * self._nearness.covariance(nodes, self._points)
        explained = self._inverse @ near.T
        own = self.scale**2 * self._nearness.own_of(nodes)
        return near @ self._weights, np.maximum(own - (explained**2).sum(axis=0), 0.0)


_SCALES = np.exp(np.linspace(math.log(0.02), math.log(2.0), 12))
_PRIOR_NODES = 3.0
"""The weight of the usual interaction against measured nodes, in nodes."""


def interaction(nearness: Nearness, residuals: Residuals, usual: float = USUAL_INTERACTION) -> float:
    """The standard deviation of a pair that explains the residuals best, drawn to the usual one while they are few."""
    if not len(residuals):
        return usual
    noise = np.sqrt(residuals.noise)
    covariance = nearness.covariance(residuals.nodes, residuals.nodes) / np.outer(noise, noise)
    # Of the covariance per noise, one decomposition serves every scale.
    along, directions = np.linalg.eigh(covariance)
    variances = 1 + _SCALES[:, None] ** 2 * np.maximum(along, 0.0)
    explained = (directions.T @ (residuals.values / noise)) ** 2 / variances
    off = np.log(_SCALES / usual)
    likelihood = -0.5 * (explained + np.log(variances)).sum(axis=1) - _PRIOR_NODES * off**2
    return float(_SCALES[np.argmax(likelihood)])


class Conditioning:
    """Mean and variance of the residual of every node of a product of levels, given those that were measured.

    As flat arrays, in the order of the product; of fewer nodes once they were narrowed down (`narrow`).
    """

    def __init__(self, nearness: Nearness, axes: Sequence[Levels], scale: float, found: Residuals) -> None:
        """`axes`: the levels of each attribute; `scale`: the standard deviation of ln k that a pair adds."""
        self._nearness = nearness
        self._scale2 = scale**2
        self._places: npt.NDArray[np.intp] | None = None
        self._points: Levels = np.empty((0, len(axes)), dtype=np.int64)
        # Of the triangular root of the covariance of measured nodes only its inverse is needed.
        self._inverse: Reals = np.empty((0, 0))
        self._innovations: Reals = np.empty(0)
        self._covariances = _Covariances(nearness, axes)
        self.variance: Reals = self._scale2 * nearness.own(axes).ravel()
        self.mean: Reals = np.zeros(len(self.variance))
        self.add(found)

    def __len__(self) -> int:
        return len(self._points)

    def narrow(self, kept: npt.NDArray[np.intp]) -> None:
        """Go on with some of the nodes alone; `kept`: their places among those that were kept so far."""
        self._places = kept if self._places is None else self._places[kept]
        self.mean, self.variance = self.mean[kept], self.variance[kept]

    def add(self, found: Residuals) -> None:
        """Take in the residuals of further nodes, in the product or not, whose noise has those variances (above 0)."""
        varies = self._scale2 * self._nearness.own_of(found.nodes) > 0
        nodes, values, noise = found.nodes[varies], found.values[varies], found.noise[varies]
        if not len(nodes):
            return
        # The rows that the triangular root of all of them has below that of those before.
        past = self._inverse @ (self._scale2 * self._nearness.covariance(self._points, nodes))
        left = self._scale2 * self._nearness.covariance(nodes, nodes) - past.T @ past
        np.fill_diagonal(left, np.maximum(np.diag(left), 0.0) + noise)
        own = np.linalg.inv(np.linalg.cholesky(left))
        rows = np.hstack((-own @ past.T @ self._inverse, own))
        innovations = own @ (values - past.T @ self._innovations)
        self._covariances.add(nodes)
        self.mean += self._scale2 * self._kept(self._covariances.summed(innovations @ rows))
        self._explain(rows)
        before = len(self._points)
        inverse = np.zeros((before + len(nodes),) * 2)
        inverse[:before, :before], inverse[before:] = self._inverse, rows
        self._inverse = inverse
        self._innovations = np.concatenate((self._innovations, innovations))
        self._points = np.concatenate((self._points, nodes))

    def _explain(self, rows: Reals) -> None:
        """Take off the variance what nodes explain of it, each by a row of the inverse of the covariances' root."""
        for weights in rows:
            gain = self._kept(self._covariances.summed(weights))
            gain *= gain
            gain *= self._scale2**2
            self.variance -= gain
        np.maximum(self.variance, 0.0, out=self.variance)

    def _kept(self, figures: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        return figures if self._places is None else figures[self._places]


class _Covariances:
    """Weighted sums of the covariances of some nodes with every node of a product of levels.

    The attributes are dealt into two halves. A pair or a triple that lies in both has one attribute in the first or one
    in the second: at a node of the product it adds a figure of that attribute's level times one of the other half.
    So the figures of the measured nodes are added up level by level, and what is as long as the product is made once,
    however many nodes were measured.
    """

    def __init__(self, nearness: Nearness, axes: Sequence[Levels]) -> None:
        self._middle = _middle([len(each) for each in axes])
        self._first = _Half(nearness.between[: self._middle], axes[: self._middle])
        self._second = _Half(nearness.between[self._middle :], axes[self._middle :])
        # Beside what is made of weights: the levels of each half's nodes, and 1 for what is in the other half alone.
        levels, of_second = self._first.marks.shape[1], self._second.marks.shape[1]
        self._left = np.ones((self._first.size, levels + of_second + 2), dtype=np.float32)
        self._right = np.ones((levels + of_second + 2, self._second.size), dtype=np.float32)
        self._left[:, :levels] = self._first.marks
        self._right[levels:-2] = self._second.marks.T

    def add(self, nodes: Levels) -> None:
        """Take in further nodes."""
        self._first.add(nodes[:, : self._middle])
        self._second.add(nodes[:, self._middle :])

    def summed(self, weights: Reals) -> npt.NDArray[np.float32]:
        """The sum over the nodes for a pair's standard deviation of 1: flat, a figure a node of the product.

        In single precision: it is most of the work of a forecast.
        """
        first, second, left, right = self._first, self._second, self._left, self._right
        levels = first.near.shape[1]
        left[:, levels:-2] = (first.twos * (OF_TRIPLES * weights)[:, None]).T @ second.near
        left[:, -2] = weights @ first.within
        right[:levels] = (first.near * weights[:, None]).T @ second.across
        right[-1] = weights @ second.within
        return (left @ right).ravel()


class _Half:
    """Some of the attributes: the nearness of measured nodes to their levels, and to each node of their product.

    `marks`: 1 where a node of the product is at a level. Of these a row a measured node: `near`, to each level; `twos`,
    the sum over the pairs; `within`, over pairs and triples, as they count; `across`, over single attributes and pairs,
    as they count with one attribute of the other half.
    """

    def __init__(self, between: Sequence[Reals], axes: Sequence[Levels]) -> None:
        self._between = [near[:, levels] for near, levels in zip(between, axes, strict=True)]
        self._shape = tuple(len(levels) for levels in axes)
        self.size = math.prod(self._shape)
        places = np.indices(self._shape).reshape(len(axes), self.size)
        marks = [np.eye(length)[at] for length, at in zip(self._shape, places, strict=True)]
        self.marks: Reals = np.hstack([np.empty((self.size, 0)), *marks])
        self._marked = np.ascontiguousarray(self.marks.T)
        self._ends = np.cumsum([sum(self._shape), self.size, self.size]).tolist()
        self._rows: Reals = np.empty((0, self._ends[-1] + self.size))
        self._count = 0

    def add(self, nodes: Levels) -> None:
        """Take in further nodes, of these attributes."""
        count = len(nodes)
        near = np.hstack([np.empty((count, 0)), *(each[nodes[:, i]] for i, each in enumerate(self._between))])
        # Sums over pairs and triples follow from those of the powers.
        one, squares, cubes = (each @ self._marked for each in (near, near**2, near**3))
        two = (one**2 - squares) / 2
        three = (one * (one**2 - 3 * squares) + 2 * cubes) / 6
        rows = np.hstack([near, two, two + OF_TRIPLES * three, one + OF_TRIPLES * two])
        if self._count + count > len(self._rows):
            grown = np.empty((2 * (self._count + count), self._rows.shape[1]))
            grown[: self._count] = self._rows[: self._count]
            self._rows = grown
        self._rows[self._count : self._count + count] = rows
        self._count += count

    @property
    def near(self) -> Reals:
        """To each level."""
        return self._rows[: self._count, : self._ends[0]]

    @property
    def twos(self) -> Reals:
        """The sums over the pairs."""
        return self._rows[: self._count, self._ends[0] : self._ends[1]]

    @property
    def within(self) -> Reals:
        """The sums over pairs and triples."""
        return self._rows[: self._count, self._ends[1] : self._ends[2]]

    @property
    def across(self) -> Reals:
        """The sums over single attributes and pairs."""
        return self._rows[: self._count, self._ends[2] :]


def _middle(lengths: Sequence[int]) -> int:
    """The number of attributes in the first half, so that the halves have about as many nodes."""
    return min(range(len(lengths) + 1), key=lambda i: math.prod(lengths[:i]) + math.prod(lengths[i:]))
