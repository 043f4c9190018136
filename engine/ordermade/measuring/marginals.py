"""The marginals of persons: the class sizes of single columns, where these count persons and not rows."""

from __future__ import annotations

from collections.abc import Sequence

from ordermade.lattice.lattice import Lattice
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Sizes
from ordermade.measuring.attribute import Attribute
from ordermade.measuring.oracle import Measurer


def marginals_of_persons(
    measurer: Measurer, attributes: Sequence[Attribute], lattice: Lattice
) -> dict[tuple[str, str], Sizes]:
    """The whole histogram of each attribute alone at each level that it can be counted at, by column and level hash.

    Grounding counts the rows of each value, and persons do not follow from them: they are measured, as nodes with every
    other attribute at `*`. Exact, as those of rows are.
    """
    nodes: dict[Node, tuple[str, str]] = {}
    for place, attribute in enumerate(attributes):
        for level in attribute.levels:
            node = (*lattice.top[:place], level, *lattice.top[place + 1 :])
            nodes[node] = (attribute.column, attribute.hierarchy.levels[level].content_hash)
    return {nodes[node]: each.sizes for node, each in measurer.measure(list(nodes)).items()}
