"""The expected number of equivalence classes of a node: the x of the power law, before anything is counted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ordermade.errors import TooLittleKnown
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.prediction.evidence import Evidence
from ordermade.prediction.independence import Margins


def expected_divisions(evidence: Evidence, node: Node) -> float:
    """The expected classes of one node: see `expected_divisions_of`, which is much faster for many."""
    return expected_divisions_of(evidence, [node])[0]


def expected_divisions_of(evidence: Evidence, nodes: Sequence[Node]) -> list[float]:
    """The classes of each node, in order: exact where it was measured, else expected, within the proved bounds.

    With the class sizes of every attribute: the cells that hold a row if the attributes are independent. Without them:
    the product of the classes of each attribute, from nodes of one attribute that were measured on this version or an
    earlier one.

    Raises TooLittleKnown where the classes of an attribute are not known and the node itself was not measured.
    """
    exact = [evidence.observed.get(node) or evidence.proofs.exact(node) for node in nodes]
    unknown = [node for node, observation in zip(nodes, exact, strict=True) if observation is None]
    expected = iter(_expected(evidence, unknown))
    return [
        float(observation.divisions) if observation is not None else _within(evidence, node, next(expected))
        for node, observation in zip(nodes, exact, strict=True)
    ]


def _expected(evidence: Evidence, nodes: Sequence[Node]) -> list[float]:
    if not nodes:
        return []
    try:
        return [float(each) for each in Margins(evidence).expected(nodes).divisions]
    except TooLittleKnown:
        classes = _classes(evidence)
        return [_product(evidence, classes, node) for node in nodes]


def _product(evidence: Evidence, classes: Sequence[Mapping[int, int]], node: Node) -> float:
    for axis, known, level in zip(evidence.lattice.axes, classes, node, strict=True):
        if level not in known:
            raise TooLittleKnown(
                f"how many classes {axis.column!r} has at level {level} is not known",
                next_step="Run a request that uses this level: its class sizes are kept in the cache.",
            )
    return float(min(math.prod(known[level] for known, level in zip(classes, node, strict=True)), evidence.rows))


def _classes(evidence: Evidence) -> list[dict[int, int]]:
    """The number of classes of each attribute at each level that is known."""
    top = evidence.lattice.top
    found: list[dict[int, int]] = [{level: 1} for level in top]
    for seen in (evidence.earlier, evidence.observed):
        for node, observation in seen.items():
            _note(found, top, node, observation)
    for known, marginal in zip(found, evidence.marginals, strict=False):
        known.update({level: sum(classes for _, classes in sizes) for level, sizes in marginal.items()})
    return found


def _note(found: Sequence[dict[int, int]], top: Node, node: Node, observation: Observation) -> None:
    grouped = [position for position, level in enumerate(node) if level != top[position]]
    if len(grouped) == 1:
        found[grouped[0]][node[grouped[0]]] = observation.divisions


def _within(evidence: Evidence, node: Node, expected: float) -> float:
    bounds = evidence.proofs.bounds(node)
    return float(min(max(expected, bounds.least_divisions), bounds.most_divisions))
