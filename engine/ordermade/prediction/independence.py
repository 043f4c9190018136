"""The predictors `independence` (marginals of each attribute) and `pairs` (corrected by nodes of two attributes)."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ordermade.errors import TooLittleKnown, quoted
from ordermade.lattice.lattice import Lattice, Node
from ordermade.lattice.observation import Observation, Sizes
from ordermade.prediction.cells import ExpectedCells, ExpectedCount, Fineness, Reals, fineness_of, ln_reached
from ordermade.prediction.prediction import Evidence, Marginal, Prediction, in_whole_numbers, predictions
from ordermade.prediction.residuals import (
    USUAL_INTERACTION,
    USUAL_OF_THE_REACHED,
    LearntResiduals,
    Levels,
    Nearness,
    Residuals,
    TrainingNode,
    training_nodes,
)


@dataclass(frozen=True, slots=True)
class Expectation:
    """The expectation under independence, one figure a node.

    `ln_k` and its own `spread` (see `cells.Expected`), `divisions`, and how many `attributes` have more than one class.
    With at most one such attribute the class sizes are known, so `ln_k` is exact and `spread` 0 (nearly, where rows may
    be suppressed; where persons overlap, the class sizes are but a hint).
    """

    ln_k: Reals
    spread: Reals
    divisions: Reals
    attributes: Reals

    @property
    def pairs(self) -> Reals:
        """The number of pairs of attributes that may depend on one another."""
        pairs: Reals = self.attributes * (self.attributes - 1) / 2
        return pairs


HALF = 0.5
"""Rows that are added before a logarithm is taken: there may be none."""


class Margins:
    """The class sizes of each attribute at each level that was counted, and what follows under independence."""

    def __init__(self, evidence: Evidence, fineness: Fineness | None = None) -> None:
        """Raises TooLittleKnown if an accepted level of any attribute was not counted, or there are no rows.

        `fineness` of the cells (see `cells`); None for the finest that the lattice's size allows.
        """
        axes = evidence.lattice.axes
        given: Sequence[Marginal] = evidence.marginals or ({},) * len(axes)
        everyone: Sizes = ((evidence.rows, 1),)
        self.columns = tuple(axis.column for axis in axes)
        self.sizes = [{**marginal, axis.top: everyone} for axis, marginal in zip(axes, given, strict=True)]
        self._rows = evidence.rows
        if evidence.rows < 1:
            raise TooLittleKnown("the dataset has no rows: nothing can be expected of its classes")
        for position, axis in enumerate(axes):
            for level in axis.accepted:
                self._need(position, level)
        self.classes = [
            {level: sum(classes for _, classes in sizes) for level, sizes in levels.items()} for levels in self.sizes
        ]
        self._ln_k = [
            {level: _ln_alone(sizes, evidence.most_suppressed) for level, sizes in levels.items()}
            for levels in self.sizes
        ]
        self._doubt = [
            {level: _doubt_alone(sizes, evidence) for level, sizes in levels.items()} for levels in self.sizes
        ]
        self._known: dict[Node, tuple[float, float, float]] = {}
        self._cells = ExpectedCells(
            evidence.rows,
            self.sizes,
            fineness=fineness or fineness_of(evidence.lattice.size, between_sizes=evidence.most_suppressed > 0),
            most_suppressed=evidence.most_suppressed,
        )

    def knows(self, node: Node) -> bool:
        """True if every level of a node was counted."""
        return all(levels.get(level) for levels, level in zip(self.sizes, node, strict=True))

    def expected(self, nodes: Sequence[Node]) -> Expectation:
        """The expectation of each node. Raises TooLittleKnown for a level that was not counted."""
        for position, levels in enumerate(set(each) for each in zip(*nodes, strict=True)):
            for level in levels:
                self._need(position, level)
        classes = self._of(self.classes, nodes)
        return _expectation(
            self._of_cells(nodes),
            self._of(self._ln_k, nodes).min(axis=1, initial=math.log(self._rows)),
            self._of(self._doubt, nodes).max(axis=1, initial=0.0),
            (classes > 1).sum(axis=1).astype(np.float64),
            classes.max(axis=1, initial=1),
        )

    def _of_cells(self, nodes: Sequence[Node]) -> ExpectedCount:
        """The expectation of the cells of each node, computed once."""
        new = [node for node in dict.fromkeys(nodes) if node not in self._known]
        if new:
            found = self._cells.expected(new)
            self._known |= zip(new, zip(found.ln_k, found.spread, found.divisions, strict=True), strict=True)
        return ExpectedCount(
            *np.array([self._known[node] for node in nodes], dtype=np.float64).reshape(len(nodes), 3).T
        )

    def expected_over(self, levels: Sequence[Levels]) -> Expectation:
        """The expectation of every node of a product of levels, in their order. Raises as `expected` does."""
        for position, each in enumerate(levels):
            for level in each.tolist():
                self._need(position, level)

        def of(figures: Sequence[Mapping[int, float]]) -> list[Reals]:
            return [
                np.array([known[level] for level in each.tolist()], dtype=np.float64)
                for known, each in zip(figures, levels, strict=True)
            ]

        classes = of(self.classes)
        return _expectation(
            self._cells.expected_over(levels),
            _over_product(np.minimum, of(self._ln_k), math.log(self._rows)),
            _over_product(np.maximum, of(self._doubt), 0.0),
            _over_product(np.add, [(each > 1).astype(np.float64) for each in classes], 0.0),
            _over_product(np.maximum, classes, 1.0),
        )

    def ln_rows_below_over(self, levels: Sequence[Levels], k: int) -> Reals:
        """Ln of the rows (and a half) in classes below `k`, expected of every node of a product of levels."""
        rows = self._cells.rows_below_over(levels, k) if k > 1 else np.zeros(math.prod(map(len, levels)))
        below: Reals = np.log(rows + HALF)
        return below

    def ln_squares_over(self, levels: Sequence[Levels]) -> Reals:
        """Ln of the sum of the squares of the classes, expected of every node of a product of levels."""
        shares = [
            np.array([sum(n * (size / self._rows) ** 2 for size, n in known[level]) for level in each.tolist()])
            for known, each in zip(self.sizes, levels, strict=True)
        ]
        squares: Reals = np.log(self._rows + self._rows**2 * _over_product(np.multiply, shares, 1.0))
        return squares

    def _of(self, figures: Sequence[Mapping[int, float]], nodes: Sequence[Node]) -> Reals:
        """A figure of each level of each node: nodes by attributes."""
        found = [[levels[level] for levels, level in zip(figures, node, strict=True)] for node in nodes]
        return np.array(found, dtype=np.float64).reshape(len(nodes), len(figures))

    def _need(self, position: int, level: int) -> None:
        if not self.sizes[position].get(level):
            raise TooLittleKnown(
                f"the class sizes of {quoted(self.columns[position])} at level {level} were not counted",
                next_step="Run a request that uses this level: its class sizes are kept in the cache.",
            )


def margins_of(evidence: Evidence) -> Margins:
    """The margins of this evidence, shared by all with the same class sizes: predictors are judged on the same nodes.

    Raises TooLittleKnown as `Margins` does.
    """
    return _margins(
        evidence.lattice,
        evidence.rows,
        evidence.most_suppressed,
        tuple(tuple(marginal.items()) for marginal in evidence.marginals),
    )


@functools.lru_cache(maxsize=1)
def _margins(
    lattice: Lattice, rows: int, most_suppressed: int, marginals: tuple[tuple[tuple[int, Sizes], ...], ...]
) -> Margins:
    return Margins(replace(Evidence.nothing(lattice, rows, most_suppressed), marginals=tuple(map(dict, marginals))))


def _over_product(combine: np.ufunc, figures: Sequence[Reals], start: float) -> Reals:
    """One figure of each attribute combined, for every node of the product."""
    combined: Reals = functools.reduce(combine.outer, figures, np.array(start))
    return combined.ravel()


def _expectation(found: ExpectedCount, least: Reals, doubt: Reals, attributes: Reals, most: Reals) -> Expectation:
    """From the cells; and from the single attributes: the least ln k, the most doubt, and the most classes."""
    known = attributes <= 1
    return Expectation(
        ln_k=np.where(known, least, np.minimum(found.ln_k, least)),
        spread=np.where(known, doubt, found.spread),
        divisions=np.where(known, most, found.divisions),
        attributes=attributes,
    )


HARDLY, OVERLAPPING = 0.01, 0.2
"""The standard deviation of ln k of one attribute: between two whole numbers, and where persons overlap."""


def _ln_alone(sizes: Sizes, most_suppressed: int) -> float:
    """Ln k of one attribute by itself."""
    return ln_reached(Observation.from_histogram(sizes), most_suppressed)


def _doubt_alone(sizes: Sizes, evidence: Evidence) -> float:
    """The doubt about ln k of one attribute: 0 where every row is in one class and none may be suppressed.

    Persons may be in several classes: the counts of the values do not add up to those of their classes.
    """
    if sum(size * classes for size, classes in sizes) != evidence.rows:
        return OVERLAPPING
    return HARDLY if evidence.most_suppressed else 0.0


class Independence:
    """Attributes are taken to be independent: the least class is the least non-empty of Poisson cells."""

    name = "independence"

    def __init__(self, evidence: Evidence) -> None:
        """Raises TooLittleKnown if an accepted level of any attribute was not counted."""
        self._evidence = evidence
        self._margins = margins_of(evidence)

    def predict(self, nodes: Sequence[Node]) -> list[Prediction]:
        """Predict each node, in order, within its proved bounds."""
        expected = self._margins.expected(nodes)
        usual = USUAL_OF_THE_REACHED if self._evidence.most_suppressed else USUAL_INTERACTION
        spread = np.hypot(expected.spread, usual * np.sqrt(expected.pairs))
        return in_whole_numbers(predictions(self._evidence.proofs, nodes, expected.ln_k, spread))


MAX_NODES = 400
"""Measured nodes that are learnt from; those of few attributes first."""


class Pairs:
    """Ln k of independence, plus the attributes' dependence as the residuals of measured nodes show it.

    Where every pair of a node's attributes was measured at the node's levels and nothing else was, that is the sum of
    the pairs' residuals: the product of measured k over expected k. Where a pair was not, near levels stand in;
    and measured nodes of three attributes correct the remaining error of the pairs.
    """

    name = "pairs"

    def __init__(self, evidence: Evidence) -> None:
        """Raises TooLittleKnown without class sizes of every attribute, or without a measured node of two."""
        self._evidence = evidence
        self._margins = margins_of(evidence)
        residuals = self._residuals(
            [each for each in training_nodes(evidence, MAX_NODES) if self._margins.knows(each.node)]
        )
        nearness = Nearness.of(self._margins.classes, [axis.top + 1 for axis in evidence.lattice.axes])
        if not len(residuals):
            raise TooLittleKnown(
                "no node of two attributes was measured",
                next_step="Run a request on two columns, or one that measures such nodes on its way.",
            )
        self._learnt = LearntResiduals(nearness, residuals)

    def predict(self, nodes: Sequence[Node]) -> list[Prediction]:
        """Predict each node, in order, within its proved bounds."""
        expected = self._margins.expected(nodes)
        correction, variance = self._learnt.at(np.array(nodes, dtype=np.int64).reshape(len(nodes), -1))
        spread = np.where(expected.attributes > 1, np.sqrt(expected.spread**2 + variance), expected.spread)
        return predictions(self._evidence.proofs, nodes, expected.ln_k + correction, spread)

    def _residuals(self, measured: Sequence[TrainingNode]) -> Residuals:
        if not measured:
            return Residuals.of((), len(self._evidence.lattice.axes))
        expected = self._margins.expected([each.node for each in measured])
        found = [
            (each.node, *each.residual(ln_k, spread, attributes))
            for each, ln_k, spread, attributes in zip(
                measured,
                expected.ln_k.tolist(),
                expected.spread.tolist(),
                expected.attributes.tolist(),
                strict=True,
            )
            if attributes > 1
        ]
        return Residuals.of(found, len(self._evidence.lattice.axes))
