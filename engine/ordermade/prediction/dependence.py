"""The predictor `dependence`: independence, corrected by every node that was measured of the dataset.

Nodes of other columns count as well, for the pairs of attributes that they share with a node. A correction holds for
nodes of about the same k: dependence bends the least class of a coarse node and of a fine one differently, and the
nodes that searches measure lie where k is reached, so that what they show of others fades with the distance of ln k.
The size of interactions, the reach of a correction and what remains to each node alone are those that explain the
measured nodes best, drawn to what is usual while they are few.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ordermade.errors import TooLittleKnown
from ordermade.lattice.lattice import Node
from ordermade.prediction.cells import Reals
from ordermade.prediction.independence import margins_of
from ordermade.prediction.prediction import Evidence, Prediction, in_whole_numbers, predictions
from ordermade.prediction.residuals import USUAL_OF_THE_REACHED, Levels, Nearness, TrainingNode, training_nodes

USUAL_PAIR = 0.25
"""The standard deviation of ln k that one pair of attributes adds, before any node is measured and without a limit."""
USUAL_REACH = 0.8
"""The distance of ln k over which a correction falls to 1/e."""
USUAL_OWN = 0.03
"""The standard deviation of ln k that no other node shows."""
PRIOR_NODES = 4.0
"""The weight of what is usual against measured nodes, in nodes."""
OTHER_LEVELS, LEVELS_APART = 0.5, 1.0
"""See `residuals`: less is carried over between levels than searches do, whose next answer mends what was wrong."""
MOST_NODES = 400
"""Measured nodes that are learnt from; those of the request's own columns first."""
MOST_WEIGHED = 100
"""Those that the strength is found from, evenly spaced."""

_PAIRS = (0.1, 0.2, 0.4, 0.7, 1.0, 1.6, 2.7)
_REACHES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
_OWN = (1 / 3, 1.0, 3.0, 6.0)
"""The strengths that are weighed, in times of the usual ones."""


@dataclass(frozen=True, slots=True)
class Strength:
    """How much attributes depend on one another: what a `pair` adds, its `reach` in ln k, and each node's `own`."""

    pair: float
    reach: float
    own: float


@dataclass(frozen=True, slots=True)
class Points:
    """Measured nodes: their levels, the ln k expected of each, how far the measured one lies off, and its noise."""

    nodes: Levels
    expected: Reals
    values: Reals
    noise: Reals

    def at(self, places: slice | npt.NDArray[np.intp]) -> Points:
        """Some of them."""
        return Points(self.nodes[places], self.expected[places], self.values[places], self.noise[places])

    def __len__(self) -> int:
        return len(self.values)


def strength(nearness: Nearness, points: Points, usual: Strength) -> Strength:
    """The strength that explains the measured nodes best, drawn to the usual one while they are few."""
    if len(points) < 2:
        return usual
    some = points.at(slice(None, None, math.ceil(len(points) / MOST_WEIGHED)))
    alike = nearness.covariance(some.nodes, some.nodes)
    apart = np.abs(some.expected[:, None] - some.expected)
    best = (-math.inf, usual)
    for reach in (usual.reach * times for times in _REACHES):
        shared = alike * np.exp(-apart / reach)
        for own in (usual.own * times for times in _OWN):
            best = max(best, _weighed(shared, some, usual, reach, own), key=lambda each: each[0])
    return best[1]


def _weighed(shared: Reals, points: Points, usual: Strength, reach: float, own: float) -> tuple[float, Strength]:
    """The best strength of this reach and own, and the logarithm of its posterior density but for a constant."""
    noise = np.sqrt(points.noise + own**2)
    # Of the covariance per noise, one decomposition serves every size of the pairs.
    along, directions = np.linalg.eigh(shared / np.outer(noise, noise))
    squares = (directions.T @ (points.values / noise)) ** 2
    times = np.array(_PAIRS)
    variances = 1 + (usual.pair * times[:, None]) ** 2 * np.maximum(along, 0.0)
    likelihood = -0.5 * (squares / variances + np.log(variances)).sum(axis=1) - np.log(noise).sum()
    off = np.log(times) ** 2 + 0.5 * math.log(reach / usual.reach) ** 2 + math.log(own / usual.own) ** 2
    found = likelihood - PRIOR_NODES * off
    at = int(np.argmax(found))
    return float(found[at]), Strength(usual.pair * float(times[at]), reach, own)


class Corrections:
    """The correction that measured nodes give of any node: a Gaussian process, as `residuals` has it, that fades."""

    def __init__(self, nearness: Nearness, points: Points, usual: Strength) -> None:
        self._nearness = nearness
        self._points = points
        self.strength = strength(nearness, points, usual)
        covariance = self._covariance(points.nodes, points.expected)
        # By numpy: importing scipy's takes longer than all of this.
        root = np.linalg.cholesky(covariance + np.diag(points.noise + self.strength.own**2))
        self._inverse: Reals = np.linalg.inv(root)
        self._weights: Reals = self._inverse.T @ (self._inverse @ points.values)

    def at(self, nodes: Levels, expected: Reals) -> tuple[Reals, Reals]:
        """The mean and the variance of how far each node lies off what is expected of it."""
        near = self._covariance(nodes, expected)
        explained = self._inverse @ near.T
        own = self.strength.pair**2 * self._nearness.own_of(nodes)
        left = np.maximum(own - (explained**2).sum(axis=0), 0.0)
        return near @ self._weights, left + self.strength.own**2

    def _covariance(self, nodes: Levels, expected: Reals) -> Reals:
        """The covariance of nodes, a row each, with the measured ones."""
        fades = np.exp(-np.abs(expected[:, None] - self._points.expected) / self.strength.reach)
        shared: Reals = self.strength.pair**2 * self._nearness.covariance(nodes, self._points.nodes) * fades
        return shared


class Dependence:
    """Ln k of independence, corrected by the measured nodes of the whole dataset."""

    name = "dependence"

    def __init__(self, evidence: Evidence) -> None:
        """Raises TooLittleKnown without class sizes of every attribute, or without a measured node of two."""
        self._evidence = evidence
        everything = evidence.over_all_columns()
        axes = everything.lattice.axes
        self._others = tuple(axis.top for axis in axes[len(evidence.lattice.axes) :])
        self._attributes = len(axes)
        self._margins = margins_of(everything)
        points = self._points(self._nearest(everything))
        if not len(points):
            raise TooLittleKnown(
                "no node of two attributes was measured",
                next_step="Run a request on two columns, or one that measures such nodes on its way.",
            )
        nearness = Nearness.of(self._margins.classes, [axis.top + 1 for axis in axes], OTHER_LEVELS, LEVELS_APART)
        pair = USUAL_OF_THE_REACHED if evidence.most_suppressed else USUAL_PAIR
        self._corrections = Corrections(nearness, points, Strength(pair, USUAL_REACH, USUAL_OWN))

    def predict(self, nodes: Sequence[Node]) -> list[Prediction]:
        """Predict each node, in order, within its proved bounds."""
        wide = [(*node, *self._others) for node in nodes]
        expected = self._margins.expected(wide)
        levels = np.array(wide, dtype=np.int64).reshape(len(wide), self._attributes)
        correction, variance = self._corrections.at(levels, expected.ln_k)
        several = expected.attributes > 1
        ln_k = expected.ln_k + np.where(several, correction, 0.0)
        spread = np.where(several, np.sqrt(expected.spread**2 + variance), expected.spread)
        return in_whole_numbers(predictions(self._evidence.proofs, nodes, ln_k, spread))

    def _nearest(self, everything: Evidence) -> list[TrainingNode]:
        """The measured nodes to learn from: of few other columns first."""
        own = self._attributes - len(self._others)
        known = [each for each in training_nodes(everything, MOST_READ) if self._margins.knows(each.node)]
        known.sort(key=lambda each: sum(map(int.__ne__, each.node[own:], self._others)))
        return known[:MOST_NODES]

    def _points(self, measured: Sequence[TrainingNode]) -> Points:
        expected = self._margins.expected([each.node for each in measured])
        several = np.flatnonzero(expected.attributes > 1)
        # The chance of small counts is noise even at nodes of two attributes: nodes of another size do not share it.
        found = [
            each.residual(ln_k, spread, math.inf)
            for each, ln_k, spread in zip(measured, expected.ln_k.tolist(), expected.spread.tolist(), strict=True)
        ]
        nodes = np.array([each.node for each in measured], dtype=np.int64).reshape(len(measured), self._attributes)
        values, noise = np.array(found, dtype=np.float64).reshape(len(measured), 2).T
        return Points(nodes, expected.ln_k, values, noise).at(several)


MOST_READ = 5_000
"""Measured nodes that are looked at: of more, those of few attributes."""
