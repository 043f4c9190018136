"""The forecast of what is required besides k: of models, and of the units that they leave no choice but to suppress.

Independence of columns says nothing about a sensitive attribute within classes; but models fail where classes are
small, so the chance that they are satisfied rises with every attribute's coarseness. A logistic regression on the
coarseness of the attributes, drawn to a usual one while few nodes are known, learns how much with which. Besides,
models are nearly monotone even where they are not quite: nodes that refine a failing one hardly pass, nodes coarser
than a passing one nearly surely do.

Where models are not monotone under a limit, a node rules out the finer ones if even the largest parts of its failing
classes that could satisfy the models leave too many units (`Requirement.least_suppressed`). The share of these grows
with every attribute's detail; its log odds are nearly linear in the attributes' coarseness, and a regression learns
them as well. Nothing of a proof rests on either.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ordermade.lattice.lattice import Axis, Lattice, Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.prediction.cells import Reals, normal_above
from ordermade.prediction.prediction import Evidence

SATISFIED_AT_FINEST, SATISFIED_AT_TOP = -3.0, 3.0
"""The log odds that models are satisfied, at the finest node and at `*`, before any node is measured."""
SUPPRESSED_AT_FINEST, SUPPRESSED_AT_TOP = 3.0, -6.0
"""The log odds of a unit that is suppressed, likewise."""
USUAL_SPREAD = 3.0
"""The standard deviation of what each attribute, and the whole, may lie off the usual one."""
NEARLY = 0.05
"""The share that is left to the exceptions of what is nearly monotone."""
STEPS = 4
EVERY_ONE = 64
"""Measured nodes up to which the regression is done anew with each; beyond, with every tenth more."""


def models_of(evidence: Evidence, requirement: Requirement | None) -> Models | None:
    """Train the models on the evidence for all requirements besides k; None where there are none."""
    if requirement is None or requirement.k_alone:
        return None
    found = Models(evidence.lattice, requirement)
    for node, observation in evidence.observed.items():
        found.learn(node, observation)
    return found


class Models:
    """The chance that nodes satisfy all that is required besides k."""

    def __init__(self, lattice: Lattice, requirement: Requirement) -> None:
        self._lattice = lattice
        self._requirement = requirement
        self._coarseness = [coarseness(axis) for axis in lattice.axes]
        self._known: dict[Node, bool] = {}
        count = len(lattice.axes)
        self._usual = np.array(
            [SATISFIED_AT_FINEST, *[(SATISFIED_AT_TOP - SATISFIED_AT_FINEST) / max(count, 1)] * count]
        )
        self._weights = self._usual
        self._fitted = 0
        sides = [np.array(axis.accepted, dtype=np.int64) for axis in lattice.axes]
        self._marks = _Marks(
            lattice,
            [side.reshape([-1 if i == j else 1 for j in range(count)]) for i, side in enumerate(sides)],
            lattice.shape,
        )

    def __len__(self) -> int:
        """The number of measured nodes that count as evidence."""
        return len(self._known)

    def learn(self, node: Node, observation: Observation) -> None:
        """Take in a measured node, accepted or not, if it is evidence."""
        satisfied = self._satisfied(observation)
        if satisfied is not None:
            self._known[node] = satisfied
            self._marks.add(node, satisfied)

    def chance(self, nodes: Sequence[Node]) -> Reals:
        """The chance of each node."""
        levels = np.array(nodes, dtype=np.int64).reshape(len(nodes), len(self._lattice.axes))
        marks = _Marks(self._lattice, list(levels.T), (len(nodes),))
        for known in self._known.items():
            marks.add(*known)
        return self._chance(marks)

    def over_the_lattice(self) -> Reals:
        """The chance of every accepted node, as an array over the accepted levels of each attribute."""
        return self._chance(self._marks)

    def _chance(self, marks: _Marks) -> Reals:
        self._regress()
        odds: Reals = np.full(marks.shape, self._weights[0])
        for weight, coarse, levels in zip(self._weights[1:], self._coarseness, marks.levels, strict=True):
            odds = odds + weight * coarse[levels]
        return marks.applied(_logistic(odds))

    def _satisfied(self, observation: Observation) -> bool | None:
        """True if the requirements besides k are met; None where the observation does not decide that.

        Of a node that fails for k the models alone may still be decided.
        """
        required = self._requirement
        if required.decides(observation) and observation.determines_within(required.most_suppressed):
            if observation.k_within(required.most_suppressed) >= required.k:
                return required.passes(observation)
            if required.models:
                return _failing_units(observation) <= required.most_suppressed
        return None

    def _regress(self) -> None:
        """Newton's steps to the most probable weights."""
        count = len(self._known)
        if count == self._fitted or (count > EVERY_ONE and count < 1.1 * self._fitted):
            return
        self._fitted = count
        features = np.array(
            [
                [1.0, *(coarse[level] for coarse, level in zip(self._coarseness, node, strict=True))]
                for node in self._known
            ]
        )
        outcomes = np.array(list(self._known.values()), dtype=np.float64)
        precision = np.eye(len(self._usual)) / USUAL_SPREAD**2
        for _ in range(STEPS):
            chance = _logistic(features @ self._weights)
            pull = features.T @ (outcomes - chance) - precision @ (self._weights - self._usual)
            bend = (features * (chance * (1 - chance))[:, None]).T @ features + precision
            step = np.linalg.solve(bend, pull)
            self._weights = self._weights + step / max(1.0, float(np.abs(step).max()) / USUAL_SPREAD)


class _Marks:
    """The nodes that measured ones all but settle.

    `levels`: the levels of the nodes, an array an attribute, which broadcast to `shape`.
    """

    def __init__(self, lattice: Lattice, levels: Sequence[npt.NDArray[np.int64]], shape: tuple[int, ...]) -> None:
        self.levels, self.shape = levels, shape
        self._finer = [np.array(axis.order.finer, dtype=np.bool_) for axis in lattice.axes]
        self._above_satisfied = np.zeros(shape, dtype=np.bool_)
        self._below_unsatisfied = np.zeros(shape, dtype=np.bool_)

    def add(self, node: Node, satisfied: bool) -> None:
        """Take in a measured node."""
        sides = [
            finer[level, levels] if satisfied else finer[levels, level]
            for finer, level, levels in zip(self._finer, node, self.levels, strict=True)
        ]
        marked = self._above_satisfied if satisfied else self._below_unsatisfied
        marked |= functools.reduce(np.logical_and, sides, np.True_)

    def applied(self, chance: Reals) -> Reals:
        """The chance of each node; where marks contradict one another, they have no effect."""
        above, below = self._above_satisfied, self._below_unsatisfied
        chance = np.where(above & ~below, np.maximum(chance, 1 - NEARLY), chance)
        nearly: Reals = np.where(below & ~above, np.minimum(chance, NEARLY), chance)
        return nearly


def _failing_units(observation: Observation) -> int:
    """The units in classes that fail the models, whatever their size."""
    if observation.persons is not None and observation.persons.fitting is not None:
        return sum(persons for size, persons in observation.persons.fitting if size == 0)
    return sum(size * classes for size, classes in observation.failing or ())


def _logistic(odds: Reals) -> Reals:
    chance: Reals = 1 / (1 + np.exp(-np.clip(odds, -40.0, 40.0)))
    return chance


USUAL_NOISE, LEAST_NOISE = 1.0, 0.3
"""The standard deviation of what a node lies off its regression: usually, and at least."""
USUAL_WEIGHT = 4
"""The number of measured nodes that the usual noise counts as."""


def suppression_of(evidence: Evidence, requirement: Requirement | None) -> Suppression | None:
    """Train the forecast of what is suppressed for certain; None where a node that fails is all that is to be known."""
    if requirement is None or requirement.monotone:
        return None
    found = Suppression(evidence.lattice, requirement)
    for node, observation in evidence.observed.items():
        found.learn(node, observation)
    return found


class Suppression:
    """The units that are suppressed at least at a node and all finer ones, over the accepted nodes of a lattice."""

    def __init__(self, lattice: Lattice, requirement: Requirement) -> None:
        self._lattice = lattice
        self._requirement = requirement
        count = len(lattice.axes)
        self._usual = np.array(
            [SUPPRESSED_AT_FINEST, *[(SUPPRESSED_AT_TOP - SUPPRESSED_AT_FINEST) / max(count, 1)] * count]
        )
        self._coarseness = [coarseness(axis) for axis in lattice.axes]
        self._features: list[list[float]] = []
        self._odds: list[float] = []
        self._rows = 0

    def learn(self, node: Node, observation: Observation) -> None:
        """Take in a measured node, accepted or not, if what finer nodes can keep of it is known."""
        if observation.keepable is None or not observation.determines_below(self._requirement.k):
            return
        self._rows = observation.rows
        self._features.append([1.0, *(each[level] for each, level in zip(self._coarseness, node, strict=True))])
        self._odds.append(_log_odds(self._requirement.least_suppressed(observation), observation.rows))

    def chance_within(self) -> Reals | None:
        """The chance that no more than the limit is suppressed for certain; None where nothing was learnt."""
        if not self._odds:
            return None
        weights, noise, covariance = self._fitted()
        shape = self._lattice.shape
        cells = [each[list(axis.accepted)] for each, axis in zip(self._coarseness, self._lattice.axes, strict=True)]
        grids = np.meshgrid(*cells, indexing="ij") if cells else []
        features = np.stack([np.ones(shape), *grids], axis=-1)
        mean: Reals = features @ weights
        spread = np.sqrt(np.einsum("...i,ij,...j->...", features, covariance, features) + noise**2)
        limit = _log_odds(self._requirement.most_suppressed + 0.5, self._rows)
        chance: Reals = normal_above((mean - limit) / spread)
        return chance

    def _fitted(self) -> tuple[npt.NDArray[np.float64], float, npt.NDArray[np.float64]]:
        """The most probable weights, the noise about them, and their covariance."""
        features, odds = np.array(self._features), np.array(self._odds)
        noise = USUAL_NOISE
        for _ in range(3):
            precision = features.T @ features / noise**2 + np.eye(len(self._usual)) / USUAL_SPREAD**2
            pull = features.T @ (odds - features @ self._usual) / noise**2
            weights = self._usual + np.linalg.solve(precision, pull)
            off = odds - features @ weights
            variance = (float(off @ off) + USUAL_WEIGHT * USUAL_NOISE**2) / (len(odds) + USUAL_WEIGHT)
            noise = max(math.sqrt(variance), LEAST_NOISE)
        return weights, noise, np.linalg.inv(precision)


def coarseness(axis: Axis) -> Reals:
    """0 at the first level, 1 at `*`."""
    return np.arange(axis.top + 1, dtype=np.float64) / max(axis.top, 1)


def _log_odds(units: float, rows: int) -> float:
    return math.log((units + 0.5) / max(rows - units + 0.5, 0.5))
