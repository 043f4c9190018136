"""The lattice of the PAK paper (Oguri et al. 2016, Table 4) on the census of 2010: ages do not nest."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from ordermade.errors import RequestError
from ordermade.lattice.lattice import Axis, Lattice, LevelOrder, Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.loss.costs import AttributeCosts, attribute_costs, information
from ordermade.loss.metrics import METRICS
from ordermade.loss.objectives import objective
from ordermade.search import SEARCHES, Algorithm, SearchProblem, choose, drive

AGE5 = dict.fromkeys(("0s", "10s", "20s"), "-20s") | dict.fromkeys(("60s", "70s", "80+"), "60+")
AGE3 = dict.fromkeys(("0s", "10s"), "minor") | dict.fromkeys(("60s", "70s", "80+"), "60+")
ALL = "*"

Labels = tuple[str, ...]


class Census:
    """Persons / 1000, rounded, by sex, age and prefecture, and the levels of each attribute."""

    def __init__(self, folder: Path) -> None:
        with (folder / "prefecture_regions.csv").open(encoding="utf-8") as lines:
            regions = {line["prefecture"]: (line["region9"], line["region2"]) for line in csv.DictReader(lines)}
        with (folder / "japan_census2010_pref_sex_age10.csv").open(encoding="utf-8") as lines:
            self.cells: dict[tuple[Labels, ...], int] = {
                (
                    (line["sex"], ALL),
                    (
                        line["age_class"],
                        AGE5.get(line["age_class"], line["age_class"]),
                        AGE3.get(line["age_class"], "adult"),
                        ALL,
                    ),
                    (line["prefecture"], *regions[line["prefecture"]], ALL),
                ): round(int(line["population"]) / 1000)
                for line in csv.DictReader(lines)
            }
        paths = [sorted({cell[position] for cell in self.cells}) for position in range(3)]
        self.lattice = Lattice(
            tuple(
                Axis(column, order_of(leaves), tuple(range(len(leaves[0]))))
                for column, leaves in zip(("sex", "age", "prefecture"), paths, strict=True)
            )
        )
        self.costs = tuple(self._costs(position, leaves) for position, leaves in enumerate(paths))
        self.measured = {node: self._measure(node) for node in self.lattice.nodes()}

    def _measure(self, node: Node) -> Observation:
        classes: Counter[Labels] = Counter()
        for cell, persons in self.cells.items():
            classes[tuple(path[level] for path, level in zip(cell, node, strict=True))] += persons
        return Observation.from_histogram(Counter(classes.values()).items())

    def _costs(self, position: int, leaves: Sequence[Labels]) -> AttributeCosts:
        counts = []
        for level in range(len(leaves[0])):
            persons: Counter[str] = Counter()
            for cell, n in self.cells.items():
                persons[cell[position][level]] += n
            under = Counter(path[level] for path in leaves)
            counts.append([(n, under[label]) for label, n in persons.items()])
        return attribute_costs(
            order_of(leaves),
            dict(enumerate(counts)),
            leaf_information=information(n for n, _ in counts[0]),
            domain_leaves=len(leaves),
        )


def order_of(leaves: Sequence[Labels]) -> LevelOrder:
    levels = range(len(leaves[0]))
    return LevelOrder(
        tuple(
            tuple(
                i <= j and len({(path[i], path[j]) for path in leaves}) == len({path[i] for path in leaves})
                for j in levels
            )
            for i in levels
        )
    )


@pytest.fixture(scope="module")
def census() -> Census:
    data = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "census"
    if not data.is_dir():
        pytest.skip("needs shared/data/census beside the repository")
    return Census(data)


def test_the_divisions_of_all_nodes_but_the_root_sum_to_3185(census: Census):
    lattice = census.lattice
    assert lattice.size == 2 * 4 * 4
    assert sum(each.divisions for node, each in census.measured.items() if node != lattice.top) == 3185


def test_the_age_levels_do_not_nest(census: Census):
    age = census.lattice.axes[1].order
    assert not age.refines(1, 2)
    assert age.direct_generalisations(0, (0, 1, 2, 3)) == (1, 2)
    assert census.lattice.not_nested == ("age",)


def test_ola_refuses_and_says_why(census: Census):
    with pytest.raises(RequestError, match=r"'age'.*`algorithm: incognito`"):
        choose("ola", census.lattice)
    assert choose(None, census.lattice).name == "guided"


def test_the_finest_node_passes_for_k_2(census: Census):
    best = drive(
        SEARCHES["incognito"].start(
            SearchProblem(census.lattice, Requirement(2), objective("prec", census.lattice, None, Requirement(2)))
        ),
        lambda batch: [census.measured[node] for node in batch],
    ).best
    assert best == (0, 0, 0)
    assert census.measured[best].divisions == 846


@pytest.mark.parametrize(
    "algorithm", [each.name for each in SEARCHES.values() if each.certifies and not each.needs_nested]
)
def test_the_optimum_is_the_one_of_all_nodes(census: Census, algorithm: str):
    search = SEARCHES[algorithm]
    for name in METRICS:
        if METRICS[name].weighted or not search.needs_costs:
            for k in (2, 10, 50, 100, 200, 500, 200_000):
                assert_found_as_among_all_nodes(census, search, name, k)


def assert_found_as_among_all_nodes(census: Census, search: Algorithm, name: str, k: int) -> None:
    lattice = census.lattice
    problem = SearchProblem(lattice, Requirement(k), objective(name, lattice, census.costs, Requirement(k)))
    passing = [node for node, each in census.measured.items() if each.k >= k]
    expected = min(passing, key=lambda node: problem.key(node, census.measured[node]), default=None)
    asked: list[Node] = []

    def measure(batch: Sequence[Node]) -> list[Observation]:
        asked.extend(batch)
        return [census.measured[node] for node in batch]

    outcome = drive(search.start(problem), measure)
    case = f"{name}, k = {k}"
    assert outcome.best == expected, case
    assert outcome.observation == (None if expected is None else census.measured[expected]), case
    assert len(asked) == len(set(asked)) <= lattice.size, case
