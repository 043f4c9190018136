"""The forecast of a search for every accepted node: the chance that it passes, corrected by each measured node.

Nothing in a search's proof rests on a forecast: a wrong one costs questions, never correctness.

Expectations of k come from the best evidence there is: the class sizes of the attributes, a power law, or the rows.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ordermade.errors import TooLittleKnown
from ordermade.lattice.cells import Boxes, Region
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.prediction.besides_k import models_of, suppression_of
from ordermade.prediction.cells import Reals, fineness_of_search, normal_above
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


class Expectations(Protocol):
    """The expectation of any node, and the nearness of nodes to one another."""

    nearness: Nearness

    def knows(self, node: Node) -> bool:
        """True if anything can be expected of a node; of accepted nodes it always can."""
        ...

    def expected(self, nodes: Sequence[Node]) -> Expectation:
        """The expectation of each node, in order."""
        ...

    def expected_over(self, levels: Sequence[Levels]) -> Expectation:
        """The expectation of every node of a product of levels, in their order."""
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
        between = evidence.most_suppressed > 0
        self.margins = Margins(evidence, fineness_of_search(evidence.lattice.size, between_sizes=between))
        self.nearness = Nearness.of(self.margins.classes, [axis.top + 1 for axis in evidence.lattice.axes])

    def knows(self, node: Node) -> bool:
        """True if every level of a node was counted."""
        return self.margins.knows(node)

    def expected(self, nodes: Sequence[Node]) -> Expectation:
        """The expectation of each node, in order."""
        return self.margins.expected(nodes)

    def expected_over(self, levels: Sequence[Levels]) -> Expectation:
        """The expectation of every node of a product of levels, in their order."""
        return self.margins.expected_over(levels)


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

    def expected_over(self, levels: Sequence[Levels]) -> Expectation:
        """The expectation of every node of a product of levels, in their order."""
        return self.expected(_product(levels))

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

    def expected_over(self, levels: Sequence[Levels]) -> Expectation:
        """The expectation of every node of a product of levels, in their order."""
        return self.expected(_product(levels))


def _product(levels: Sequence[Levels]) -> list[Node]:
    return list(itertools.product(*(each.tolist() for each in levels)))


def _attributes(evidence: Evidence, nodes: Sequence[Node]) -> Reals:
    top = evidence.lattice.top
    return np.array([sum(map(int.__ne__, node, top)) for node in nodes], dtype=np.float64)


def _by_height(evidence: Evidence) -> Nearness:
    """Where the numbers of classes are not known: levels lie as far apart as their numbers."""
    return Nearness(tuple(np.arange(axis.top, -1, -1, dtype=np.float64) for axis in evidence.lattice.axes))


MAX_EVIDENCE = 200
"""Measured nodes of table C that are learnt from when a search begins: the rest adds little and costs much."""
MAX_FIGURES = 20_000_000
"""Measured nodes x accepted nodes up to which residuals are learnt; beyond, nodes only bound their neighbours."""
MAX_FIGURES_ANEW = 2_000_000
"""The same up to which the size of interactions is learnt anew as more is known."""
NO_BOUND = -1e3
LEAST_VARIANCE = 1e-6
"""Of ln k: it is never quite certain."""
STILL_ALL = 0.8
"""The share of the nodes above which none is left out: to leave some out copies the figures of the others."""
FAR_ABOVE = 6.0
"""Standard deviations above the mean from which what lies still further makes no difference."""
LEAST_ROOM = 1e-9
"""The chance that bounds leave to a forecast at which they contradict it."""
MAX_BOUND_CELLS = 200_000_000
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
        self._expected = self._expectations.expected_over(self._accepted)
        self.divisions = self._expected.divisions.reshape(self._lattice.shape)
        self._left: npt.NDArray[np.intp] | None = None
        self._centre, self._noise = self._expected.ln_k, self._expected.spread**2 + LEAST_VARIANCE
        self._bounds = _Bounds(evidence)
        self._models = models_of(evidence, requirement)
        self._suppression = suppression_of(evidence, requirement)
        most = min(MAX_EVIDENCE, MAX_FIGURES // (2 * self._lattice.size))
        self._known = [each for each in training_nodes(evidence, most, self._k) if self._expectations.knows(each.node)]
        self._residuals = self._conditioned()

    @property
    def knows_class_sizes(self) -> bool:
        """Whether it rests on the class sizes of every attribute, the best evidence before a node is measured."""
        return self.margins is not None

    @property
    def margins(self) -> Margins | None:
        """The class sizes of every attribute, where it rests on them."""
        return self._expectations.margins if isinstance(self._expectations, FromMargins) else None

    @property
    def nearness(self) -> Nearness:
        """The nearness of nodes to one another."""
        return self._expectations.nearness

    @property
    def ln_k(self) -> Reals:
        """The mean of ln k of every node; below 0 where k = 1 and many classes are expected to be of 1."""
        return self._over_the_lattice(self._centre + self._residuals.mean, np.nan)

    @property
    def spread(self) -> Reals:
        """The standard deviation of ln k of every node."""
        return self._over_the_lattice(np.sqrt(self._noise + self._residuals.variance), np.nan)

    def narrow(self, wanted: npt.NDArray[np.bool_]) -> None:
        """Go on with the nodes that are set: of the others, `ln_k` and `spread` are NaN, and chances 0.

        A forecast that is narrowed again keeps to what was left. Nodes are left out once they are many.
        """
        left = self._lattice.size if self._left is None else len(self._left)
        if np.count_nonzero(wanted) > STILL_ALL * left:
            return
        kept = np.flatnonzero(wanted) if self._left is None else np.flatnonzero(wanted.ravel()[self._left])
        self._left = kept if self._left is None else self._left[kept]
        self._centre, self._noise = self._centre[kept], self._noise[kept]
        self._residuals.narrow(kept)

    def chance_to_pass(self, k: int) -> Reals:
        """The probability, 0 to 1, that each node passes for `k` (at least 1), given what is measured.

        Passes all that is required, that is; see `chance_of_k` for k under the limit alone.
        """
        chance = self.chance_of_k(k)
        return chance if self._models is None else chance * self._models.over_the_lattice()

    def chance_to_leave_open(self, k: int) -> Reals | None:
        """The probability that measuring each node would not rule out the finer ones; None where it is that to pass.

        It passes where the requirement is monotone; else it neither fails for `k` alone nor has too much to suppress.
        """
        if self._suppression is None:
            return None
        of_k, within = self.chance_of_k(k), self._suppression.chance_within()
        return of_k if within is None else np.minimum(of_k, within)

    def chance_of_k(self, k: int) -> Reals:
        """The probability that each node reaches `k` under the limit, whatever else is required of it."""
        if k <= 1:  # every class has a row
            return np.full(self._lattice.shape, float(self._rows > 0))
        wanted = math.log(k - 0.5)
        least, most = self._of_left(self._bounds.least), self._of_left(self._bounds.most)
        chance: Reals = (least >= wanted).astype(np.float64)
        unsettled = np.flatnonzero((least < wanted) & (most > wanted))
        figures = self._centre + self._residuals.mean, self._noise + self._residuals.variance, least, most
        chance[unsettled] = _chance_between(wanted, *(each[unsettled] for each in figures))
        return self._over_the_lattice(chance, 0.0)

    def learn(self, measured: Mapping[Node, Observation]) -> None:
        """Take in measured nodes, accepted or not: they bound finer and coarser ones, and correct others."""
        found = []
        for node, observation in measured.items():
            self._bounds.learn(node, observation)
            if self._models is not None:
                self._models.learn(node, observation)
            if self._suppression is not None:
                self._suppression.learn(node, observation)
            if self._expectations.knows(node):
                found.append(training_node(node, observation, self._most_suppressed))
        before = len(self._known)
        self._known += filter(None, found)
        if len(self._known) * self._lattice.size > MAX_FIGURES:
            return
        if twice_as_many(before, len(self._known), self._lattice.size):
            self._residuals = self._conditioned()
        else:
            self._residuals.add(self._residuals_of(self._known[before:]))

    def _conditioned(self) -> Conditioning:
        found = self._residuals_of(self._known)
        nearness = self._expectations.nearness
        usual = USUAL_WITHIN_A_LIMIT if self._most_suppressed else USUAL_INTERACTION
        residuals = Conditioning(nearness, self._accepted, interaction(nearness, found, usual), found)
        if self._left is not None:
            residuals.narrow(self._left)
        return residuals

    def _residuals_of(self, known: Sequence[TrainingNode]) -> Residuals:
        return Residuals.of([(each.node, *self._residual(each)) for each in known], len(self._accepted))

    def _residual(self, of: TrainingNode) -> tuple[float, float]:
        """Ln of the measured k less what was expected, and the variance of its noise."""
        away = 0.0 if self._k is None else of.away_from(self._k)
        expected, place = self._expected, 0
        if of.node in self._lattice:
            for axis, level in zip(self._lattice.axes, of.node, strict=True):
                place = place * len(axis.accepted) + axis.accepted.index(level)
        else:
            expected = self._expectations.expected([of.node])
        figures = expected.ln_k[place], expected.spread[place], expected.attributes[place]
        value, noise = of.residual(*map(float, figures))
        return value, noise + away

    def _of_left(self, figures: Reals) -> Reals:
        """The figures of the nodes that are left, of those of all."""
        return figures.ravel() if self._left is None else figures.ravel()[self._left]

    def _over_the_lattice(self, figures: Reals, otherwise: float) -> Reals:
        """The figures of the nodes that are left in their places, and a figure for the others."""
        if self._left is None:
            return figures.reshape(self._lattice.shape)
        everywhere: Reals = np.full(self._lattice.shape, otherwise)
        everywhere.ravel()[self._left] = figures
        return everywhere


def twice_as_many(before: int, known: int, cells: int) -> bool:
    """Whether so many known nodes passed a power of two: then the size of interactions is learnt anew."""
    return known.bit_length() > before.bit_length() and known * cells <= MAX_FIGURES_ANEW


def _chance_between(wanted: float, mean: Reals, variance: Reals, least: Reals, most: Reals) -> Reals:
    """The chance of at least the wanted ln k, of normal distributions that are cut off at the least and at the most."""
    spread = np.sqrt(variance)
    below_wanted = normal_above((mean - wanted) / spread)
    below_most = np.ones_like(mean)
    near = np.flatnonzero(most - mean < FAR_ABOVE * spread)
    below_most[near] = normal_above((mean[near] - most[near]) / spread[near])
    room = below_most.copy()
    # k = 1 is no bound that contradicts: ln k below 0 stands for many classes of 1.
    bounded = np.flatnonzero(least > 0)
    room[bounded] -= normal_above((mean[bounded] - least[bounded]) / spread[bounded])
    chance = (below_most - below_wanted) / np.maximum(room, LEAST_ROOM)
    # Where the bounds contradict the forecast, every ln k between them is as likely.
    against = np.flatnonzero(room <= LEAST_ROOM)
    chance[against] = (most[against] - wanted) / np.maximum(most[against] - least[against], 1e-9)
    return np.clip(chance, 0.0, 1.0)


class _Bounds:
    """The least and the most ln k can be at every accepted node, half a row wider on either side."""

    def __init__(self, evidence: Evidence) -> None:
        lattice = evidence.lattice
        self._boxes = Boxes(lattice)
        self._most_suppressed = evidence.most_suppressed
        self.least: Reals = np.full(lattice.shape, NO_BOUND)
        self.most: Reals = np.full(lattice.shape, math.log(max(evidence.rows, 1) + 0.5))
        known = [each for each in evidence.proofs.placed if each.observation.determines_within(self._most_suppressed)]
        for each in known[: MAX_BOUND_CELLS // lattice.size]:
            k = each.observation.k_within(self._most_suppressed)
            self._lay(self._boxes.box(each.coarser), self._boxes.box(each.finer), k)

    def learn(self, node: Node, observation: Observation) -> None:
        """Bound the other nodes: a coarser node has at least this k, a finer one at most."""
        if observation.determines_within(self._most_suppressed):
            k = observation.k_within(self._most_suppressed)
            self._lay(self._boxes.coarser(node), self._boxes.finer(node), k)

    def _lay(self, coarser: Region, finer: Region, k: int) -> None:
        if k > 1:  # a k of 1 bounds nothing: ln k goes on below 0 (see `cells.Expected`)
            self.least[coarser] = np.maximum(self.least[coarser], math.log(k - 0.5))
        self.most[finer] = np.minimum(self.most[finer], math.log(k + 0.5))
