"""The work of the PAK paper's searches on the census, in divisions, and how few nodes a proof needs on Adult."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from ordermade.lattice.lattice import Lattice, Node
from ordermade.lattice.observation import Observation, Requirement, Sizes
from ordermade.lattice.proofs import Proofs, placed_in
from ordermade.loss.objectives import objective
from ordermade.prediction.power import fit
from ordermade.prediction.prediction import Evidence, Marginal
from ordermade.search import SEARCHES, Outcome, SearchProblem, drive
from ordermade.search.problem import PakSettings
from tests.papers.adult_table import Adult
from tests.papers.test_lattice_census import Census

PREFECTURES, AGES = 47, 9


def histogram(sizes: Iterable[int]) -> Sizes:
    return tuple(sorted(Counter(sizes).items()))


def evidence_of(lattice: Lattice, rows: int, marginals: Sequence[Marginal]) -> Evidence:
    """What a first request knows: the rows, and the class sizes of each column."""
    alone = [
        ((*lattice.top[:position], level, *lattice.top[position + 1 :]), Observation.from_histogram(sizes))
        for position, marginal in enumerate(marginals)
        for level, sizes in marginal.items()
    ]
    return Evidence(lattice, rows, Proofs(lattice, rows, placed_in(lattice, alone)), marginals=tuple(marginals))


def run(algorithm: str, problem: SearchProblem, measured: dict[Node, Observation]) -> tuple[Outcome, list[Observation]]:
    asked: list[Observation] = []

    def measure(batch: Sequence[Node]) -> list[Observation]:
        found = [measured[node] for node in batch]
        asked.extend(found)
        return found

    return drive(SEARCHES[algorithm].start(problem), measure), asked


@pytest.fixture(scope="module")
def census(shared_data: Path) -> Census:
    return Census(shared_data / "census")


@pytest.fixture(scope="module")
def counted_once(census: Census) -> Evidence:
    marginals = []
    for position, axis in enumerate(census.lattice.axes):
        sizes = {}
        for level in axis.accepted:
            classes: Counter[str] = Counter()
            for cell, persons in census.cells.items():
                classes[cell[position][level]] += persons
            sizes[level] = histogram(classes.values())
        marginals.append(sizes)
    return evidence_of(census.lattice, census.measured[census.lattice.top].rows, marginals)


def work(census: Census, evidence: Evidence, algorithm: str, k: int) -> tuple[Outcome, int]:
    """The divisions of the nodes measured, without the sample, which the paper does not count."""
    lattice = census.lattice
    goal = objective("classes", lattice, None, Requirement(k))
    problem = SearchProblem(lattice, Requirement(k), goal, evidence, PakSettings(by_law=True))
    outcome, asked = run(algorithm, problem, census.measured)
    return outcome, sum(each.divisions for each in asked) - (
        outcome.start.sampled_divisions if outcome.start is not None else 0
    )


@pytest.mark.parametrize(("algorithm", "divisions"), [("ola", 846), ("pak", 846), ("incognito", 3185)])
def test_the_work_for_k_2(census: Census, counted_once: Evidence, algorithm: str, divisions: int):
    outcome, done = work(census, counted_once, f"paper-{algorithm}", 2)
    assert done == divisions
    assert outcome.best == (0, 0, 0)
    assert not outcome.certified


def test_paper_pak_tells_its_sample_apart(census: Census, counted_once: Evidence):
    outcome, _ = work(census, counted_once, "paper-pak", 2)
    few = [each for each in census.measured.values() if 1 < each.divisions <= 9]
    sampled = [each.divisions for each in few]
    assert outcome.start is not None
    assert (outcome.start.sampled, outcome.start.sampled_divisions) == (len(sampled), sum(sampled))
    law = fit((each.divisions, each.k) for each in few)
    assert (outcome.start.alpha, outcome.start.beta) == pytest.approx((law.alpha, law.beta))
    assert outcome.start.node == (0, 0, 0)


@pytest.mark.parametrize("k", [20, 50, 100, 200, 500])
def test_paper_ola_goes_from_the_most_divisions_down(census: Census, counted_once: Evidence, k: int):
    """The readings' work of OLA."""
    assert work(census, counted_once, "paper-ola", k)[1] == {20: 1316, 50: 1739, 100: 2559, 200: 2653, 500: 2925}[k]


@pytest.mark.parametrize("k", [2, 10, 20, 50, 100, 200, 500])
def test_pak_finds_the_globally_optimal_dataset_with_less_work_than_ola(census: Census, counted_once: Evidence, k: int):
    outcome, done = work(census, counted_once, "guided", k)
    most = max(each.divisions for each in census.measured.values() if each.k >= k)
    assert outcome.certified
    assert outcome.observation is not None
    assert outcome.observation.divisions == most
    assert done <= work(census, counted_once, "paper-ola", k)[1]


@pytest.fixture(scope="module")
def adult(shared_data: Path) -> Adult:
    truth = json.loads((shared_data / "arx" / "ground_truth_adult8.json").read_text(encoding="utf-8"))
    return Adult(shared_data / "arx" / "adult", truth["adult8"])


@pytest.mark.slow
@pytest.mark.parametrize(("k", "prototype"), [(2, 39), (5, 47), (10, 24), (50, 23), (100, 15)])
def test_a_proof_on_adult_asks_no_more_nodes_than_the_prototype(adult: Adult, k: int, prototype: int):
    lattice = adult.lattice
    rows = len(adult.codes[0][0])
    marginals = [
        {level: histogram(Counter(codes.tolist()).values()) for level, codes in enumerate(column)}
        for column in adult.codes
    ]
    problem = SearchProblem(
        lattice, Requirement(k), objective("prec", lattice, None, Requirement(k)), evidence_of(lattice, rows, marginals)
    )
    asked: list[Node] = []

    def measure(batch: Sequence[Node]) -> list[Observation]:
        asked.extend(batch)
        return [adult.measure(node) for node in batch]

    outcome = drive(SEARCHES["guided"].start(problem), measure)
    assert outcome.certified
    assert outcome.best == adult.find("ola", "prec", k)[0]
    assert len(asked) <= prototype
