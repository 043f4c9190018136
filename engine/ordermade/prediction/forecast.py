"""The forecast of a search for every accepted node: the chance that it passes, corrected by each measured node.

Nothing in a search's proof rests on a forecast: a wrong one costs questions, never correctness.

Expectations of k come from the best evidence there is. Independence of columns says nothing about a sensitive attribute
within classes; but models fail where classes are small, so the chance that they are satisfied rises with every
attribute's coarseness. A logistic regression on the coarseness of the attributes, drawn to a usual one while few nodes
are known, learns how much with which. Besides, models are nearly monotone even where they are not quite: nodes that
refine a failing one hardly pass, nodes coarser than a passing one nearly surely do.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ordermade.errors import TooLittleKnown
from ordermade.lattice.lattice import Axis, Lattice, Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.proofs import Requirement
from ordermade.prediction.cells import Reals
from ordermade.prediction.independence import Expectation, Margins
from ordermade.prediction.power import USUAL_ERROR, PowerLaw, expected_divisions_of, fitted
from ordermade.prediction.prediction import Evidence
from ordermade.prediction.residuals import (
    USUAL_INTERACTION,
    USUAL_WITHIN_A_LIMIT,
    Conditioning,
    Levels,
    Nearness,
    Residuals,
    TrainingNode,
    interaction,
    training_node,
    training_nodes,
)

AT_FINEST, AT_TOP = -3.0, 3.0
"""The logarithms of the odds at the finest node and at `*`, before any node is measured."""
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
        self._coarseness = [_coarseness(axis) for axis in lattice.axes]
        self._known: dict[Node, bool] = {}
        count = len(lattice.axes)
        self._usual = np.array([AT_FINEST, *[(AT_TOP - AT_FINEST) / max(count, 1)] * count])
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


def _coarseness(axis: Axis) -> Reals:
    """0 at the first level, 1 at `*`."""
    return np.arange(axis.top + 1, dtype=np.float64) / max(axis.top, 1)


def _failing_units(observation: Observation) -> int:
    """The units in classes that fail the models, whatever their size."""
    if observation.persons is not None and observation.persons.fitting is not None:
        return sum(persons for size, persons in observation.persons.fitting if size == 0)
    return sum(size * classes for size, classes in observation.failing or ())


def _logistic(odds: Reals) -> Reals:
    chance: Reals = 1 / (1 + np.exp(-np.clip(odds, -40.0, 40.0)))
    return chance


class Expectations(Protocol):
    """The expectation of any node, and the nearness of nodes to one another."""

    nearness: Nearness

    def knows(self, node: Node) -> bool:
        """True if anything can be expected of a node; of accepted nodes it always can."""
        ...

    def expected(self, nodes: Sequence[Node]) -> Expectation:
        """The expectation of each node, in order."""
        ...


def expectations(evidence: Evidence) -> Expectations:
    """Independence where the class sizes are known, else a power law where one can be fitted, else the rows alone."""
    try:
        return FromMargins(evidence)
    except TooLittleKnown:
        pass
    try:
        return FromPowerLaw(evidence)
    except TooLittleKnown:
        return FromRows(evidence)


class FromMargins:
    """Independence."""

    def __init__(self, evidence: Evidence) -> None:
        """Raises TooLittleKnown where class sizes are lacking."""
        self._margins = Margins(evidence)
        self.nearness = Nearness.of(self._margins.classes, [axis.top + 1 for axis in evidence.lattice.axes])

    def knows(self, node: Node) -> bool:
        """True if every level of a node was counted."""
        return self._margins.knows(node)

    def expected(self, nodes: Sequence[Node]) -> Expectation:
        """The expectation of each node, in order."""
        return self._margins.expected(nodes)


class FromPowerLaw:
    """The power law, over the number of classes that the known classes of the attributes multiply to."""

    def __init__(self, evidence: Evidence) -> None:
        """Raises TooLittleKnown where no law can be fitted or the classes of an accepted level are not known."""
        self._law: PowerLaw = fitted(evidence)[0]
        self._evidence = evidence
        self.nearness = _by_height(evidence)
        for position, axis in enumerate(evidence.lattice.axes):
            for level in axis.accepted:
                self._divisions([self._alone(position, level)])

    def knows(self, node: Node) -> bool:
        """True if the number of the node's classes can be estimated."""
        try:
            self._divisions([node])
        except TooLittleKnown:
            return False
        return True

    def expected(self, nodes: Sequence[Node]) -> Expectation:
        """The expectation of each node, in order."""
        divisions = self._divisions(nodes)
        ln_k = np.log([self._law.k(max(x, 1.0)) for x in divisions])
        attributes = _attributes(self._evidence, nodes)
        return Expectation(ln_k, np.full(len(nodes), USUAL_ERROR), divisions, attributes)

    def _divisions(self, nodes: Sequence[Node]) -> Reals:
        return np.array(expected_divisions_of(self._evidence, nodes))

    def _alone(self, position: int, level: int) -> Node:
        """One attribute at a level, all others at `*`."""
        top = self._evidence.lattice.top
        return (*top[:position], level, *top[position + 1 :])


class FromRows:
    """Nothing but the rows: every k from 1 to their number is as likely, along ln k."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self.nearness = _by_height(evidence)

    def knows(self, node: Node) -> bool:
        """Always: as little of any node as of every other."""
        return len(node) == len(self._evidence.lattice.axes)

    def expected(self, nodes: Sequence[Node]) -> Expectation:
        """The expectation of each node, in order."""
        half = math.log(max(self._evidence.rows, 2)) / 2
        return Expectation(
            ln_k=np.full(len(nodes), half),
            spread=np.full(len(nodes), half),
            divisions=np.full(len(nodes), math.exp(half)),
            attributes=_attributes(self._evidence, nodes),
        )


def _attributes(evidence: Evidence, nodes: Sequence[Node]) -> Reals:
    top = evidence.lattice.top
    return np.array([sum(map(int.__ne__, node, top)) for node in nodes], dtype=np.float64)


def _by_height(evidence: Evidence) -> Nearness:
    """Where the numbers of classes are not known: levels lie as far apart as their numbers."""
    return Nearness(tuple(np.arange(axis.top, -1, -1, dtype=np.float64) for axis in evidence.lattice.axes))


MOST_EVIDENCE = 200
"""Measured nodes of table C that are learnt from when a search begins: the rest adds little and costs much."""
MOST_FIGURES = 20_000_000
"""Of the figures kept to learn on (measured nodes x accepted nodes); beyond, nodes only bound their neighbours."""
MOST_FIGURES_ANEW = 2_000_000
"""Of those, up to which the size of interactions is learnt anew as more is known."""
NO_BOUND = -1e3
MOST_BOUND_CELLS = 200_000_000
"""Of the cells visited to lay down what table C proves before a search."""


class Forecast:
    """Predicted k over the accepted nodes of a lattice, as arrays over the accepted levels of each attribute.

    `divisions`: the expected number of classes of every accepted node.
    """

    divisions: Reals

    def __init__(self, evidence: Evidence, requirement: Requirement | None = None) -> None:
        """From whatever is known: the class sizes of the attributes, else a power law, else the rows alone.

        `requirement`: what a node must have to pass besides k; without one, k alone under the limit of the evidence.
        """
        if requirement is not None:
            evidence = evidence.within(requirement.most_suppressed)
        self._most_suppressed = evidence.most_suppressed
        self._k = None if requirement is None else requirement.k
        self._lattice, self._rows = evidence.lattice, evidence.rows
        self._accepted: list[Levels] = [np.array(axis.accepted, dtype=np.int64) for axis in self._lattice.axes]
        self._expectations = expectations(evidence)
        expected = self._expectations.expected(list(self._lattice.nodes()))
        shape = self._lattice.shape
        self._expected, self._own_spread = expected.ln_k.reshape(shape), expected.spread.reshape(shape)
        self.divisions, self._attributes = expected.divisions.reshape(shape), expected.attributes.reshape(shape)
        self._bounds = _Bounds(evidence)
        self._models = models_of(evidence, requirement)
        most = min(MOST_EVIDENCE, MOST_FIGURES // (2 * self._lattice.size))
        self._known = [each for each in training_nodes(evidence, most, self._k) if self._expectations.knows(each.node)]
        self._residuals = self._conditioned()

    @property
    def ln_k(self) -> Reals:
        """The mean of ln k of every accepted node; below 0 where k = 1 and many classes are expected to be of 1."""
        mean: Reals = self._expected + self._residuals.mean
        return mean

    @property
    def spread(self) -> Reals:
        """The standard deviation of ln k of every accepted node."""
        spread: Reals = np.sqrt(self._own_spread**2 + self._residuals.variance + 1e-6)
        return spread

    def chance_to_pass(self, k: int) -> Reals:
        """The probability, 0 to 1, that each accepted node passes for `k` (at least 1), given what is measured.

        Passes all that is required, that is; see `chance_of_k` for k under the limit alone.
        """
        chance = self.chance_of_k(k)
        return chance if self._models is None else chance * self._models.over_the_lattice()

    def chance_of_k(self, k: int) -> Reals:
        """The probability that each accepted node reaches `k` under the limit, whatever else is required of it."""
        from scipy.special import ndtr

        if k <= 1:  # every class has a row
            return np.full(self._lattice.shape, float(self._rows > 0))
        mean, spread = self.ln_k, self.spread
        least, most = self._bounds.least, self._bounds.most
        wanted = np.clip(math.log(k - 0.5), least, most)
        below, at, above = (ndtr((ln - mean) / spread) for ln in (least, wanted, most))
        # k = 1 is no bound that contradicts: ln k below 0 stands for many classes of 1.
        below = np.where(least > 0, below, 0.0)
        room = above - below
        # Where the bounds contradict the forecast, every ln k between them is as likely.
        evenly = (most - wanted) / np.maximum(most - least, 1e-9)
        chance = np.where(room > 1e-9, (above - at) / np.maximum(room, 1e-9), evenly)
        chance = np.where(least >= wanted, 1.0, np.where(most <= wanted, 0.0, chance))
        return np.clip(chance, 0.0, 1.0)

    def learn(self, node: Node, observation: Observation) -> None:
        """Take in a measured node, accepted or not: it bounds what it refines or is refined by, and corrects others."""
        self._bounds.learn(node, observation)
        if self._models is not None:
            self._models.learn(node, observation)
        if not self._expectations.knows(node):
            return
        found = training_node(node, observation, self._most_suppressed)
        if found is None:
            return
        self._known.append(found)
        count = len(self._known)
        if count * self._lattice.size > MOST_FIGURES:
            return
        if count & (count - 1) == 0 and count * self._lattice.size <= MOST_FIGURES_ANEW:  # twice as much is known
            self._residuals = self._conditioned()
        else:
            self._residuals.add(node, *self._residual(found))

    def _conditioned(self) -> Conditioning:
        found = [(each.node, *self._residual(each)) for each in self._known]
        nearness = self._expectations.nearness
        usual = USUAL_WITHIN_A_LIMIT if self._most_suppressed else USUAL_INTERACTION
        scale = interaction(nearness, Residuals.of(found, len(self._accepted)), usual)
        conditioning = Conditioning(nearness, self._accepted, scale)
        for each in found:
            conditioning.add(*each)
        return conditioning

    def _residual(self, of: TrainingNode) -> tuple[float, float]:
        """Ln of the measured k less what was expected, and the variance of its noise."""
        away = 0.0 if self._k is None else of.away_from(self._k)
        if of.node not in self._lattice:
            expected = self._expectations.expected([of.node])
            figures = expected.ln_k[0], expected.spread[0], expected.attributes[0]
        else:
            cell = tuple(axis.accepted.index(level) for axis, level in zip(self._lattice.axes, of.node, strict=True))
            figures = self._expected[cell], self._own_spread[cell], self._attributes[cell]
        value, noise = of.residual(*map(float, figures))
        return value, noise + away


class _Bounds:
    """The least and the most ln k can be at every accepted node, half a row wider on either side."""

    def __init__(self, evidence: Evidence) -> None:
        self._lattice: Lattice = evidence.lattice
        self._most_suppressed = evidence.most_suppressed
        self.least: Reals = np.full(self._lattice.shape, NO_BOUND)
        self.most: Reals = np.full(self._lattice.shape, math.log(max(evidence.rows, 1) + 0.5))
        known = [each for each in evidence.proofs.placed if each.observation.determines_within(self._most_suppressed)]
        for each in known[: MOST_BOUND_CELLS // self._lattice.size]:
            self._lay(each.coarser, each.finer, each.observation.k_within(self._most_suppressed))

    def learn(self, node: Node, observation: Observation) -> None:
        """Bound the other nodes: a coarser node has at least this k, a finer one at most."""
        if not observation.determines_within(self._most_suppressed):
            return
        orders = [axis.order for axis in self._lattice.axes]
        coarser = [{j for j in range(len(order)) if order.refines(i, j)} for order, i in zip(orders, node, strict=True)]
        finer = [{j for j in range(len(order)) if order.refines(j, i)} for order, i in zip(orders, node, strict=True)]
        self._lay(coarser, finer, observation.k_within(self._most_suppressed))

    def _lay(self, coarser: Sequence[Iterable[int]], finer: Sequence[Iterable[int]], k: int) -> None:
        above, below = self._cells(coarser), self._cells(finer)
        if k > 1:  # a k of 1 bounds nothing: ln k goes on below 0 (see `cells.Expected`)
            self.least[above] = np.maximum(self.least[above], math.log(k - 0.5))
        self.most[below] = np.minimum(self.most[below], math.log(k + 0.5))

    def _cells(self, sides: Sequence[Iterable[int]]) -> tuple[npt.NDArray[np.int64], ...]:
        return np.ix_(
            *(
                np.array([i for i, level in enumerate(axis.accepted) if level in levels], dtype=np.int64)
                for axis, levels in zip(self._lattice.axes, map(frozenset, sides), strict=True)
            )
        )
