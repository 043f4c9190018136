"""The certified optima of ARX's Adult set (8 quasi-identifiers, no suppression): nodes and losses."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ordermade.lattice.lattice import Axis, Lattice
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.order import LevelOrder
from ordermade.lattice.requirement import Requirement
from ordermade.loss.costs import AttributeCosts, attribute_costs, information
from ordermade.loss.losses import losses
from ordermade.loss.objectives import objective
from ordermade.search import SEARCHES, Problem, drive

METRICS = {
    "prec": "prec",
    "height": "height",
    "loss": "loss",
    "dm": "dm",
    "aecs": "aecs",
    "c_avg": "c_avg_released",
    "entropy": "entropy",
}
"""The name of each objective in the ground truth."""


class Adult:
    """The table as level codes, counted node by node and never twice."""

    def __init__(self, folder: Path, truth: dict[str, Any]) -> None:
        self.columns: list[str] = truth["quasi_identifiers"]
        with (folder / "adult.csv").open(encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines, delimiter=";"))
        hierarchies = [self._hierarchy(folder, column) for column in self.columns]
        leaves = [
            np.array([place[row[column]] for row in rows])
            for column, place in zip(
                self.columns,
                [{path[0]: i for i, path in enumerate(each)} for each in hierarchies],
                strict=True,
            )
        ]
        self.codes = [self._codes(each, leaf) for each, leaf in zip(hierarchies, leaves, strict=True)]
        self.lattice = Lattice(
            tuple(
                Axis(column, LevelOrder.chain(len(codes)), tuple(range(len(codes))))
                for column, codes in zip(self.columns, self.codes, strict=True)
            )
        )
        self.costs = tuple(
            self._costs(each, Counter(leaf.tolist())) for each, leaf in zip(hierarchies, leaves, strict=True)
        )
        self._measured: dict[Node, Observation] = {}

    @staticmethod
    def _hierarchy(folder: Path, column: str) -> list[list[str]]:
        with (folder / f"adult_hierarchy_{column}.csv").open(encoding="utf-8") as lines:
            return list(csv.reader(lines, delimiter=";"))

    @staticmethod
    def _codes(hierarchy: list[list[str]], leaf: npt.NDArray[np.int64]) -> list[npt.NDArray[np.int64]]:
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

    def measure(self, node: Node) -> Observation:
        if node not in self._measured:
            key = np.zeros(len(self.codes[0][0]), dtype=np.int64)
            for codes, level in zip(self.codes, node, strict=True):
                key = key * (int(codes[level].max()) + 1) + codes[level]
            _, sizes = np.unique(key, return_counts=True)
            self._measured[node] = Observation.from_histogram(Counter(sizes.tolist()).items())
        return self._measured[node]

    def find(self, algorithm: str, name: str, k: int) -> tuple[Node | None, tuple[Node, ...], int]:
        """The best node, the minimal passing ones, and how many were measured."""
        asked: list[Node] = []

        def measure(batch: Sequence[Node]) -> list[Observation]:
            asked.extend(batch)
            return [self.measure(node) for node in batch]

        problem = Problem(self.lattice, Requirement(k), objective(name, self.lattice, self.costs, Requirement(k)))
        outcome = drive(SEARCHES[algorithm].start(problem), measure)
        assert len(asked) == len(set(asked))
        return outcome.best, outcome.passing_minimal, len(asked)


DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "arx"


@pytest.fixture(scope="module")
def truth() -> dict[str, Any]:
    if not DATA.is_dir():
        pytest.skip("needs shared/data/arx beside the repository")
    found: dict[str, Any] = json.loads((DATA / "ground_truth_adult8.json").read_text(encoding="utf-8"))["adult8"]
    return found


@pytest.fixture(scope="module")
def adult(truth: dict[str, Any]) -> Adult:
    return Adult(DATA / "adult", truth)


def configuration(truth: dict[str, Any], k: int) -> dict[str, Any]:
    return next(each for each in truth["configurations"] if each["k"] == k and each["suppression_limit"] == 0)


def test_the_lattice_is_the_one_of_the_ground_truth(truth: dict[str, Any], adult: Adult):
    assert adult.lattice.size == truth["lattice_nodes"] == 6_480
    assert list(adult.lattice.top) == truth["heights"]


@pytest.mark.parametrize(("algorithm", "most"), [("ola", 140), ("incognito", 160)])
@pytest.mark.parametrize("k", [2, 10, 100])
def test_the_optimum_by_prec_and_every_minimal_node(
    truth: dict[str, Any], adult: Adult, k: int, algorithm: str, most: int
):
    certified = configuration(truth, k)
    best, minimal, measured = adult.find(algorithm, "prec", k)
    assert best in [tuple(each["levels"]) for each in certified["optima"]["prec"]["nodes"]]
    assert ["".join(map(str, node)) for node in minimal] == certified["minimal_node_levels"]
    assert measured <= most


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("k", [2, 10, 100])
def test_the_optimum_by_every_metric_and_its_losses(truth: dict[str, Any], adult: Adult, k: int, name: str):
    optimum = configuration(truth, k)["optima"][METRICS[name]]
    by_levels = {tuple(each["levels"]): each for each in optimum["nodes"]}
    found = {algorithm: adult.find(algorithm, name, k)[0] for algorithm in ("ola", "incognito")}
    assert found["ola"] == found["incognito"] == min(by_levels)
    node = min(by_levels)
    figures = losses(adult.lattice, node, adult.measure(node), Requirement(k), adult.costs).as_dict()
    assert figures[name] == pytest.approx(optimum["score"], rel=1e-9, abs=1e-9)
    assert figures["divisions"] == by_levels[node]["classes"]


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 10, 100])
@pytest.mark.slow
def test_every_node_counted(truth: dict[str, Any], adult: Adult, k: int):
    certified = configuration(truth, k)
    best, minimal, measured = adult.find("exhaustive", "prec", k)
    assert best in [tuple(each["levels"]) for each in certified["optima"]["prec"]["nodes"]]
    assert len(minimal) == certified["minimal_nodes"]
    assert measured == 6_480
    passing = [node for node in adult.lattice.nodes() if adult.measure(node).passes(k)]
    assert len(passing) == certified["passing_nodes"]
