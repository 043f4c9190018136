"""The work of the PAK paper's searches, as the paper counts it, and what stopping early costs: its Figures 13, 14, 16.

Pure: what every node measures is known beforehand. Work is the divisions of the nodes tested, summed; the root and the
sample that the law is fitted to are free, as in the paper.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from bench.census import LEAST_WORK_OF_A_PROOF, census
from bench.figure import Figure, print_rows
from bench.least_proof import least_proof, most_detailed
from bench.predictors import few_divisions, score_of_law
from bench.service_like import Service, services
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.loss.objectives import objective
from ordermade.prediction.prediction import Evidence
from ordermade.search import SEARCHES, Outcome, SearchProblem, drive

KS = (2, 5, 10, 50)
PUBLISHED = {2: (26.6, 19.1), 50: (3.5, 12.5)}
"""Per cent of the work of OLA and of Incognito, in the mean over the census and six services."""
OF_THE_PAPER = 7
"""The census and the six largest services: the sets of the paper's Figures 13 and 14."""


@dataclass(frozen=True)
class Tests:
    """Nodes tested, and their divisions summed: the paper's unit of work."""

    nodes: int
    divisions: int


@dataclass(frozen=True)
class Work:
    """The tests on one set for one k.

    `pak` without its `sample`. `found`: whether PAK ended at the node with the most divisions of those that pass.
    `least`: the least work of any proof; `proved`: this engine's `guided`, which ends with a proof.
    """

    ola: Tests
    incognito: Tests
    pak: Tests
    sample: Tests
    found: bool
    least: Tests
    proved: Tests


def show() -> Sequence[Figure]:
    """Prints the tables; the figures that rows 3 and 4 of the issue hold to a target."""
    every = sets()
    percents: list[tuple[object, ...]] = []
    tests: list[tuple[object, ...]] = []
    for k in KS:
        of_k = [work(each, k) for each in every]
        for name, some in (("all", of_k), ("largest", of_k[:OF_THE_PAPER])):
            paper = PUBLISHED.get(k, (None, None)) if name == "largest" else (None, None)
            percents.append((f"{k}", name, len(some), *_percents(some), *paper))
            tests.append((f"{k}", name, len(some), *_tests(some)))
    print_rows(
        "work in divisions, per cent of OLA's (of Incognito's where said), means over sets; the sample is not counted",
        ("k", "sets", "", "PAK", "of Incognito", "sample", "least proof", "guided", "paper: PAK", "of Incognito"),
        percents,
    )
    print_rows(
        "nodes tested, means over sets, and how often PAK's answer is the true optimum",
        ("k", "sets", "", "OLA", "Incognito", "PAK and sample", "least proof", "guided", "% PAK right"),
        tests,
    )
    real = census()
    return [] if real is None else census_figures(real)


def _percents(of_k: Sequence[Work]) -> tuple[float, ...]:
    return (
        100 * fmean(each.pak.divisions / each.ola.divisions for each in of_k),
        100 * fmean(each.pak.divisions / each.incognito.divisions for each in of_k),
        100 * fmean(each.sample.divisions / each.ola.divisions for each in of_k),
        100 * fmean(each.least.divisions / each.ola.divisions for each in of_k),
        100 * fmean(each.proved.divisions / each.ola.divisions for each in of_k),
    )


def _tests(of_k: Sequence[Work]) -> tuple[float, ...]:
    return (
        fmean(each.ola.nodes for each in of_k),
        fmean(each.incognito.nodes for each in of_k),
        fmean(each.pak.nodes + each.sample.nodes for each in of_k),
        fmean(each.least.nodes for each in of_k),
        fmean(each.proved.nodes for each in of_k),
        100 * fmean(each.found for each in of_k),
    )


def census_figures(real: Service) -> list[Figure]:
    """The census: the paper's best and worst case, and the least work of any proof, which the readings give."""
    of_k = {k: work(real, k) for k in LEAST_WORK_OF_A_PROOF}
    print_rows(
        "the census: work in divisions",
        ("k", "OLA", "Incognito", "PAK", "guided", "least proof", "PAK right", "readings: least"),
        [
            (f"{k}", *_divisions(each), "yes" if each.found else "no", LEAST_WORK_OF_A_PROOF[k])
            for k, each in of_k.items()
        ],
    )
    off = sum(abs(a - b) for a, b in zip(_divisions(of_k[2])[:3], (846, 3185, 846), strict=True))
    least_off = sum(abs(each.least.divisions - LEAST_WORK_OF_A_PROOF[k]) for k, each in of_k.items())
    return [
        Figure("census, k = 2: OLA 846, PAK 846, Incognito 3185, off by", off, target=0, unit=""),
        Figure("census: least work of any proof, off the readings by", least_off, target=0, unit=""),
    ]


def _divisions(done: Work) -> tuple[int, ...]:
    return tuple(each.divisions for each in (done.ola, done.incognito, done.pak, done.proved, done.least))


@functools.cache
def sets() -> tuple[Service, ...]:
    """The census, if it is there, and the made services, largest first."""
    real = census()
    return (*([real] if real else []), *services())


def work(of: Service, k: int) -> Work:
    """The work of each search on one set."""
    measured, lattice = of.observations, of.lattice
    # The paper's searches go by the true divisions, and by nothing else of what was measured.
    exact = of.evidence(lattice.nodes(), marginals=False)
    optimum = most_detailed(measured, k)
    assert optimum is not None
    most = measured[optimum].divisions
    ola, _ = searched(of, "paper-ola", k, exact)
    incognito, _ = searched(of, "paper-incognito", k, exact)
    pak, outcome = searched(of, "paper-pak", k, exact)
    proved, proven = searched(of, "guided", k, of.evidence(()))
    assert proven.certified
    assert proven.best is not None
    assert measured[proven.best].divisions == most
    assert outcome.start is not None
    sample = Tests(outcome.start.sampled, outcome.start.sampled_divisions)
    least = least_proof(lattice, measured, k)
    return Work(
        ola=ola,
        incognito=incognito,
        pak=Tests(pak.nodes - sample.nodes, pak.divisions - sample.divisions),
        sample=sample,
        found=outcome.best is not None and measured[outcome.best].divisions == most,
        least=Tests(len(least.tests), least.divisions),
        proved=proved,
    )


def searched(of: Service, name: str, k: int, evidence: Evidence) -> tuple[Tests, Outcome]:
    """The nodes that a search tests, the root left out, and its result."""
    divisions: list[int] = []

    def measure(batch: Sequence[Node]) -> list[Observation]:
        divisions.extend(of.observations[node].divisions for node in batch if node != of.lattice.top)
        return [of.observations[node] for node in batch]

    problem = SearchProblem(
        of.lattice, Requirement(k), objective("classes", of.lattice, None, Requirement(k)), evidence
    )
    outcome = drive(SEARCHES[name].start(problem), measure)
    return Tests(len(divisions), sum(divisions)), outcome


def work_against_correlation(k: int) -> list[tuple[float, float, int]]:
    """For each made service R of the law of few divisions, PAK's work in per cent of OLA's, members: Figure 16."""
    points = []
    for each in services():
        score, _ = score_of_law(each, few_divisions(each))
        done = work(each, k)
        points.append((score.r or 0.0, 100 * done.pak.divisions / done.ola.divisions, each.members))
    return points
