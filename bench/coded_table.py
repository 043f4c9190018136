"""A table as level codes: every node is counted in numpy, once, and table C is what has been counted of it."""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ordermade.lattice.lattice import Axis, Lattice, LevelOrder, Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.proofs import PlacedObservation, Proofs
from ordermade.prediction.prediction import Evidence, Marginal, WiderNodes

Codes = npt.NDArray[np.int64]


class CodedTable:
    """Rows by their values of each column; `levels_of`: for each column the class of every value, a row a level."""

    def __init__(self, lattice: Lattice, levels_of: Sequence[Codes], values: Sequence[Codes]) -> None:
        self.lattice = lattice
        self._levels_of = levels_of
        self._values = values
        self.rows = len(values[0])
        self._measured: dict[Node, Observation] = {}
        orders = [(axis.order, range(len(axis.order))) for axis in lattice.axes]
        self._coarser = [[frozenset(j for j in all_ if order.refines(i, j)) for i in all_] for order, all_ in orders]
        self._finer = [[frozenset(j for j in all_ if order.refines(j, i)) for i in all_] for order, all_ in orders]

    def measure(self, nodes: Iterable[Node]) -> list[Observation]:
        """The measurements of nodes of all columns; each node is counted once, however often it is needed."""
        return [self._measured.get(node) or self._count(node) for node in nodes]

    def _count(self, node: Node) -> Observation:
        sizes, classes = np.unique(self._class_sizes(node), return_counts=True)
        found = Observation.from_histogram(zip(sizes.tolist(), classes.tolist(), strict=True))
        self._measured[node] = found
        return found

    def _class_sizes(self, node: Node) -> Codes:
        code = np.zeros(self.rows, dtype=np.int64)
        for values, levels, level in zip(self._values, self._levels_of, node, strict=True):
            code = code * (int(levels[level].max()) + 1) + levels[level][values]
        _, sizes = np.unique(code, return_counts=True)
        return sizes.astype(np.int64)

    @functools.cached_property
    def marginals(self) -> tuple[Marginal, ...]:
        """The class sizes of each column alone, by level: what the coverage check counts anyway."""
        top = self.lattice.top
        found: list[Marginal] = []
        for i, axis in enumerate(self.lattice.axes):
            of_levels = {}
            for level in axis.accepted:
                sizes, classes = np.unique(self._class_sizes((*top[:i], level, *top[i + 1 :])), return_counts=True)
                of_levels[level] = tuple(zip(sizes.tolist(), classes.tolist(), strict=True))
            found.append(of_levels)
        return tuple(found)

    def evidence(
        self,
        lattice: Lattice,
        columns: Sequence[int],
        known: Mapping[Node, Observation],
        most_suppressed: int = 0,
    ) -> Evidence:
        """The knowledge in table C (the `known` nodes) and in the marginals, of a lattice of some of the columns."""
        alone = {node: each for node, each in self._nodes_of_one_column.items() if node not in known}
        placed = [self._placed(node, each, columns) for node, each in (*known.items(), *alone.items())]
        top = self.lattice.top
        elsewhere = [i for i in range(len(top)) if i not in columns]
        observed = {
            tuple(node[i] for i in columns): each
            for node, each in known.items()
            if all(node[i] == top[i] for i in elsewhere)
        }
        marginals = tuple(self.marginals[i] for i in columns)
        proofs = Proofs(lattice, self.rows, placed, most_suppressed)
        beyond = WiderNodes(
            tuple(replace(self.lattice.axes[i], accepted=(top[i],)) for i in elsewhere),
            {
                tuple(node[i] for i in (*columns, *elsewhere)): each
                for node, each in known.items()
                if any(node[i] != top[i] for i in elsewhere)
            },
            tuple(self.marginals[i] for i in elsewhere),
        )
        return Evidence(lattice, self.rows, proofs, observed, marginals, beyond=beyond)

    @functools.cached_property
    def _nodes_of_one_column(self) -> dict[Node, Observation]:
        top = self.lattice.top
        return {
            (*top[:i], level, *top[i + 1 :]): Observation.from_histogram(sizes)
            for i, levels in enumerate(self.marginals)
            for level, sizes in levels.items()
        }

    def _placed(self, node: Node, observation: Observation, columns: Sequence[int]) -> PlacedObservation:
        """A node of all columns beside those of some: one that groups by another column has no finer node there."""
        top = self.lattice.top
        inside = all(level == top[i] or i in columns for i, level in enumerate(node))
        coarser = tuple(self._coarser[i][node[i]] for i in columns)
        return PlacedObservation(
            observation, coarser, tuple(self._finer[i][node[i]] if inside else frozenset() for i in columns)
        )


def coded_adult(folder: Path, columns: Sequence[str]) -> CodedTable:
    """ARX's Adult set with its hierarchies, whose levels nest."""
    with (folder / "adult.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter=";"))
    axes, levels_of, values = [], [], []
    for column in columns:
        with (folder / f"adult_hierarchy_{column}.csv").open(encoding="utf-8") as lines:
            paths = list(csv.reader(lines, delimiter=";"))
        levels = [sorted({path[level] for path in paths}) for level in range(len(paths[0]))]
        codes = [[labels.index(path[level]) for path in paths] for level, labels in enumerate(levels)]
        place = {path[0]: i for i, path in enumerate(paths)}
        axes.append(Axis(column, LevelOrder.chain(len(levels)), tuple(range(len(levels)))))
        levels_of.append(np.array(codes))
        values.append(np.array([place[row[column]] for row in rows]))
    return CodedTable(Lattice(tuple(axes)), levels_of, values)
