"""The correction of expectations by measured nodes: how attributes depend on one another, learnt from residuals.

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

from ordermade.lattice.node import Node
from ordermade.prediction.cells import Reals

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
