"""The expectations of nodes before residuals correct them, from the best that the evidence carries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ordermade.errors import TooLittleKnown
from ordermade.lattice.lattice import Node
from ordermade.prediction.cells import Reals
from ordermade.prediction.independence import Expectation, Margins
from ordermade.prediction.power import USUAL_ERROR, PowerLaw, expected_divisions_of, fitted
from ordermade.prediction.prediction import Evidence
from ordermade.prediction.residuals import Nearness


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
