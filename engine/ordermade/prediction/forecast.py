"""The forecast of a search for every accepted node: the chance that it passes, corrected by each measured node.

Nothing in a search's proof rests on a forecast: a wrong one costs questions, never correctness.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from ordermade.lattice.lattice import Lattice, Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.requirement import Requirement
from ordermade.prediction.cells import Reals
from ordermade.prediction.expectations import expectations
from ordermade.prediction.models import models_of
from ordermade.prediction.prediction import Evidence
from ordermade.prediction.residuals import (
    USUAL_INTERACTION,
    USUAL_WITHIN_A_LIMIT,
    Conditioning,
    Levels,
    Residuals,
    TrainingNode,
    interaction,
    training_node,
    training_nodes,
)

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
            evidence = evidence.within(requirement.most_withheld)
        self._most_withheld = evidence.most_withheld
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
        found = training_node(node, observation, self._most_withheld)
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
        usual = USUAL_WITHIN_A_LIMIT if self._most_withheld else USUAL_INTERACTION
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
        self._most_withheld = evidence.most_withheld
        self.least: Reals = np.full(self._lattice.shape, NO_BOUND)
        self.most: Reals = np.full(self._lattice.shape, math.log(max(evidence.rows, 1) + 0.5))
        known = [each for each in evidence.proofs.placed if each.observation.determines_within(self._most_withheld)]
        for each in known[: MOST_BOUND_CELLS // self._lattice.size]:
            self._lay(each.coarser, each.finer, each.observation.k_within(self._most_withheld))

    def learn(self, node: Node, observation: Observation) -> None:
        """Bound the other nodes: a coarser node has at least this k, a finer one at most."""
        if not observation.determines_within(self._most_withheld):
            return
        orders = [axis.order for axis in self._lattice.axes]
        coarser = [{j for j in range(len(order)) if order.refines(i, j)} for order, i in zip(orders, node, strict=True)]
        finer = [{j for j in range(len(order)) if order.refines(j, i)} for order, i in zip(orders, node, strict=True)]
        self._lay(coarser, finer, observation.k_within(self._most_withheld))

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
