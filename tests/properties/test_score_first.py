"""The first stage of a proof: whenever a score is said to be proved, no node scores less, wherever a search stops."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from random import Random

import pytest

from bench.made_lattices import MadeLattice, made_lattice
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation
from ordermade.loss.objectives import Score, objective
from ordermade.search import SEARCHES, Batch, Outcome, SearchProblem, drive
from ordermade.search.driven import searched
from ordermade.search.problem import MeasuringBudget, SoFar, WithinBudget

LATTICES = range(200)
"""Seeds. Each lattice of up to 8,000 nodes is stopped once, at a budget drawn by its seed."""
SEARCHED = ("guided", "hitting-set")
NAMES = ("prec", "height", "dm", "classes", "prec_suppressed_as_1")


@cache
def made(seed: int) -> MadeLattice:
    return made_lattice(seed)


@cache
def measured_of(seed: int, node: Node) -> Observation:
    """Two searches of one lattice ask for much the same nodes."""
    return made(seed).measure(node)


def all_of(seed: int, batch: Sequence[Node]) -> list[Observation]:
    return [measured_of(seed, node) for node in batch]


def problem_of(seed: int, name: str) -> SearchProblem:
    of = made(seed)
    return SearchProblem(of.lattice, of.required, objective(name, of.lattice, None, of.required), of.evidence())


def stopped(problem: SearchProblem, seed: int, questions: int, search: str) -> tuple[Outcome, int, int]:
    """The outcome of a search of so many questions at most; after how many its score was proved, and all of them."""
    measured: list[Node] = []
    proved_after: list[int] = []

    def measure(batch: Sequence[Node]) -> list[Observation]:
        assert isinstance(batch, Batch)
        measured.extend(batch)
        return all_of(seed, batch)

    def note(so_far: SoFar) -> None:
        found = so_far()
        if found.score_proved:
            proved_after.append(len(measured))
            scores.add(found.score)

    scores: set[Score | None] = set()
    within = WithinBudget(
        measure, MeasuringBudget(questions=questions), clock=lambda: 0.0, measured=lambda: len(measured), listener=note
    )
    outcome = searched(problem, SEARCHES[search].start(problem), within)
    assert len(scores) <= 1, "a proved score was not the least"
    if scores and outcome.best is not None:
        assert scores == {problem.objective.score(outcome.best, measured_of(seed, outcome.best))}
    return outcome, proved_after[0] if proved_after else len(measured), len(measured)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("search", "every"),
    [("guided", 8), ("hitting-set", 8), *(pytest.param(each, 1, marks=pytest.mark.thorough) for each in SEARCHED)],
)
def test_a_score_said_to_be_proved_is_the_least_wherever_a_search_stops(
    search: str, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = 0
    for seed in LATTICES[::every]:
        chance = Random(seed)
        monkeypatch.setattr("ordermade.search.search_state.SCORE_FIRST_FROM", int(30 * chance.random()))
        small = search == "guided" and made(seed).lattice.size < 1_000
        name = NAMES[int(chance.random() * (len(NAMES) if small else 2))]
        problem = problem_of(seed, name)
        full, first, last = stopped(problem, seed, 10**6, search)
        assert full.certified
        if seed % 2 or first == last:
            first = 1
        outcome, _, _ = stopped(problem, seed, first + int((last - first) * chance.random()), search)
        if outcome.certified:
            assert outcome.best == full.best
        elif outcome.score_proved:
            said += 1
            assert outcome.best is not None
            assert full.best is not None
            least = problem.objective.score(full.best, measured_of(seed, full.best))
            assert problem.objective.score(outcome.best, measured_of(seed, outcome.best)) == least
    assert said >= len(LATTICES) // every // 20


@pytest.mark.slow
def test_what_is_found_does_not_depend_on_when_the_score_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in LATTICES[::20]:
        problem, measure = problem_of(seed, "prec"), partial(all_of, seed)
        found = [drive(SEARCHES[each].start(problem), measure).best for each in ("guided", "exhaustive")]
        with monkeypatch.context() as patched:
            patched.setattr("ordermade.search.search_state.SCORE_FIRST_FROM", 0)
            found.append(drive(SEARCHES["guided"].start(problem), measure).best)
        assert len(set(found)) == 1
