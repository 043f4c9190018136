"""ARX's Adult set as level codes, counted node by node with numpy, as an oracle under any requirement."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ordermade.lattice.lattice import Axis, Lattice, LevelOrder, Node
from ordermade.lattice.observation import Observation, Requirement, Sizes, SuppressedFigures
from ordermade.lattice.proofs import Proofs, placed_in
from ordermade.loss.costs import AttributeCosts, attribute_costs, information
from ordermade.loss.objectives import objective
from ordermade.prediction.prediction import Evidence
from ordermade.search import SEARCHES, Outcome, SearchProblem, drive

Codes = npt.NDArray[np.int64]
Fails = Callable[[npt.NDArray[np.int64]], npt.NDArray[np.bool_]]
"""From the counts of the sensitive values, a row a class: which classes fail."""
Keeps = Callable[[npt.NDArray[np.int64]], npt.NDArray[np.int64]]
"""From the counts of failing classes and, as the last row, of the whole table: the most units that finer nodes keep."""


class Adult:
    """The table as level codes, counted node by node and never twice; with a sensitive column if there is one."""

    def __init__(self, folder: Path, truth: dict[str, Any]) -> None:
        self.columns: list[str] = truth["quasi_identifiers"]
        with (folder / "adult.csv").open(encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines, delimiter=";"))
        self.rows = len(rows)
        hierarchies = [self._hierarchy(folder, column) for column in self.columns]
        places = [{path[0]: i for i, path in enumerate(each)} for each in hierarchies]
        leaves = [
            np.array([place[row[column]] for row in rows]) for column, place in zip(self.columns, places, strict=True)
        ]
        self.codes = [self._codes(each, leaf) for each, leaf in zip(hierarchies, leaves, strict=True)]
        self.under = [
            [np.bincount(codes, minlength=1) for codes in self._codes(each, np.arange(len(each)))]
            for each in hierarchies
        ]
        self.lattice = Lattice(
            tuple(
                Axis(column, LevelOrder.chain(len(codes)), tuple(range(len(codes))))
                for column, codes in zip(self.columns, self.codes, strict=True)
            )
        )
        self.costs = tuple(
            self._costs(each, Counter(leaf.tolist())) for each, leaf in zip(hierarchies, leaves, strict=True)
        )
        self.sensitive: Codes | None = None
        if "sensitive" in truth:
            values = sorted({row[truth["sensitive"]] for row in rows})
            self.sensitive = np.array([values.index(row[truth["sensitive"]]) for row in rows])
        self._halves: dict[tuple[int, Node], tuple[Codes, int]] = {}
        self._measured: dict[Node, Observation] = {}
        self._measured_for: dict[tuple[Node, Fails | None, Keeps | None, int], Observation] = {}

    @staticmethod
    def _hierarchy(folder: Path, column: str) -> list[list[str]]:
        with (folder / f"adult_hierarchy_{column}.csv").open(encoding="utf-8") as lines:
            return list(csv.reader(lines, delimiter=";"))

    @staticmethod
    def _codes(hierarchy: list[list[str]], leaf: Codes) -> list[Codes]:
        codes = []
        for level in range(len(hierarchy[0])):
            numbers = {label: i for i, label in enumerate(sorted({path[level] for path in hierarchy}))}
            codes.append(np.array([numbers[path[level]] for path in hierarchy])[leaf])
        return codes

    @staticmethod
    def _costs(hierarchy: list[list[str]], rows_of_leaf: Counter[int]) -> AttributeCosts:
        classes = {}
        for level in range(len(hierarchy[0])):
            rows: Counter[str] = Counter()
            for leaf, n in rows_of_leaf.items():
                rows[hierarchy[leaf][level]] += n
            under = Counter(path[level] for path in hierarchy)
            classes[level] = [(n, under[label]) for label, n in rows.items()]
        return attribute_costs(
            LevelOrder.chain(len(classes)),
            classes,
            leaf_information=information(rows_of_leaf.values()),
            domain_leaves=len(hierarchy),
        )

    @cached_property
    def _marginals(self) -> tuple[dict[int, Sizes], ...]:
        """The class sizes of each column alone, by level."""
        return tuple(
            {level: histogram(Counter(codes.tolist()).values()) for level, codes in enumerate(column)}
            for column in self.codes
        )

    def evidence(self, most_suppressed: int) -> Evidence:
        """What a first request knows, under a limit: the rows, and the class sizes of each column."""
        top, marginals = self.lattice.top, self._marginals
        alone = [
            ((*top[:position], level, *top[position + 1 :]), Observation.from_histogram(sizes))
            for position, marginal in enumerate(marginals)
            for level, sizes in marginal.items()
        ]
        proofs = Proofs(self.lattice, self.rows, placed_in(self.lattice, alone), most_suppressed)
        return Evidence(self.lattice, self.rows, proofs, marginals=marginals)

    def _keys(self, node: Node) -> Codes:
        """A number for every row, the same for the rows of a class: of the numbers by either half of the columns."""
        half = len(node) // 2
        (first, _), (second, many) = self._numbered(0, node[:half]), self._numbered(half, node[half:])
        return first * many + second

    def _numbered(self, start: int, levels: Node) -> tuple[Codes, int]:
        """The rows by some columns alone, numbered from 0, and how many numbers there are."""
        if (start, levels) not in self._halves:
            key = np.zeros(self.rows, dtype=np.int64)
            for codes, level in zip(self.codes[start:], levels, strict=False):
                key = key * (int(codes[level].max()) + 1) + codes[level]
            found, numbers = np.unique(key, return_inverse=True)
            self._halves[start, levels] = (numbers, len(found))
        return self._halves[start, levels]

    def classes(self, node: Node) -> tuple[Codes, Codes]:
        """The class of every row, and the size of every class."""
        _, number, sizes = np.unique(self._keys(node), return_inverse=True, return_counts=True)
        return number, sizes

    def measure(self, node: Node) -> Observation:
        """The classes of a node, no models checked."""
        if node not in self._measured:
            sizes = _sizes(self._keys(node))
            self._measured[node] = Observation.from_histogram(Counter(sizes.tolist()).items())
        return self._measured[node]

    def measure_for(
        self, node: Node, required: Requirement, fails: Fails | None, figures: bool, keeps: Keeps | None = None
    ) -> Observation:
        """A node with the classes that fail models, and with the figures of suppressed rows where they are wanted."""
        found = self.measure(node)
        if fails is None and not (figures and required.passes(found) and required.suppressed(found)):
            return found
        key = (node, fails, keeps, required.k if figures else 0)
        if key not in self._measured_for:
            self._measured_for[key] = self._measure_for(node, required, fails, figures, keeps)
        return self._measured_for[key]

    def _measure_for(
        self, node: Node, required: Requirement, fails: Fails | None, figures: bool, keeps: Keeps | None
    ) -> Observation:
        found = self.measure(node)
        number, sizes = self.classes(node)
        failing = np.zeros(len(sizes), dtype=np.bool_)
        keepable: Sizes | None = None
        if fails is not None:
            assert self.sensitive is not None
            values = int(self.sensitive.max()) + 1
            counts = np.bincount(number * values + self.sensitive, minlength=len(sizes) * values).reshape(-1, values)
            failing = fails(counts)
            if keeps is not None:
                kept = keeps(np.vstack([counts[failing], np.bincount(self.sensitive)]))[:-1]
                keepable = histogram(np.minimum(kept, sizes[failing]).tolist())
        suppressed = ((sizes < required.k) | failing)[number]
        return Observation(
            found.rows,
            found.divisions,
            found.k,
            found.sum_of_squares,
            found.sizes,
            failing=None if fails is None else histogram(sizes[failing].tolist()),
            suppressed=self.figures(node, suppressed) if figures else None,
            keepable=keepable,
        )

    def figures(self, node: Node, suppressed: npt.NDArray[np.bool_]) -> SuppressedFigures:
        """The figures of these rows."""
        counts = [np.bincount(codes[level][suppressed]) for codes, level in zip(self.codes, node, strict=True)]
        leaves = [int(n @ under[level][: len(n)]) for n, under, level in zip(counts, self.under, node, strict=True)]
        return SuppressedFigures(int(suppressed.sum()), tuple(leaves), tuple(information(n.tolist()) for n in counts))

    def solve(
        self,
        algorithm: str,
        name: str,
        required: Requirement,
        fails: Fails | None = None,
        weights: dict[str, Fraction] | None = None,
        keeps: Keeps | None = None,
    ) -> tuple[SearchProblem, Outcome, list[Node]]:
        """The problem, its outcome, and the nodes that were asked for."""
        goal = objective(name, self.lattice, self.costs, required, weights)
        problem = SearchProblem(self.lattice, required, goal, self.evidence(required.most_suppressed))
        asked: list[Node] = []

        def measure(batch: Sequence[Node]) -> list[Observation]:
            asked.extend(batch)
            return [self.measure_for(node, required, fails, goal.needs_suppressed, keeps) for node in batch]

        outcome = drive(SEARCHES[algorithm].start(problem), measure)
        assert len(asked) == len(set(asked))
        return problem, outcome, asked

    def find(self, algorithm: str, name: str, k: int) -> tuple[Node | None, tuple[Node, ...], int]:
        """The best node, the minimal passing ones, and how many were measured; nothing known before."""
        asked: list[Node] = []

        def measure(batch: Sequence[Node]) -> list[Observation]:
            asked.extend(batch)
            return [self.measure(node) for node in batch]

        problem = SearchProblem(self.lattice, Requirement(k), objective(name, self.lattice, self.costs, Requirement(k)))
        outcome = drive(SEARCHES[algorithm].start(problem), measure)
        assert len(asked) == len(set(asked))
        return outcome.best, outcome.passing_minimal, len(asked)


def _sizes(keys: Codes) -> Codes:
    """How often each key is there: where few numbers are possible, counted without a sort."""
    if int(keys.max()) < 4 * len(keys):
        counts = np.bincount(keys)
        return counts[counts > 0]
    _, sizes = np.unique(keys.astype(np.int32), return_counts=True)
    return sizes


def histogram(sizes: Sequence[int] | Any) -> Sizes:
    """(size, number of classes) of these sizes, ascending."""
    return tuple(sorted(Counter(sizes).items()))
