"""Large lattices: a good node comes within few questions, and before any proof, under every suppression limit."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation
from ordermade.search import SEARCHES, Outcome, SearchProblem, drive
from ordermade.search.driven import searched
from ordermade.search.problem import MeasuringBudget, WithinBudget
from tests.like_columns import LikeColumns

pytestmark = pytest.mark.slow

ROWS = 2_000
PREC, WITH_SUPPRESSED = "prec", "prec_suppressed_as_1"


def stopped_after(of: LikeColumns, problem: SearchProblem, questions: int) -> Outcome:
    """What the search of large lattices finds within so many questions."""
    measured: set[Node] = set()

    def measure(batch: Sequence[Node]) -> list[Observation]:
        measured.update(batch)
        return [of.measure(node) for node in batch]

    budget = MeasuringBudget(questions=questions)
    within = WithinBudget(measure, budget, clock=lambda: 0.0, measured=lambda: len(measured))
    return searched(problem, SEARCHES["hitting-set"].start(problem), within)


@pytest.mark.parametrize(("most", "by"), [(0, PREC), (100, PREC), (100, WITH_SUPPRESSED), (ROWS, WITH_SUPPRESSED)])
def test_of_a_thousand_nodes_sixty_questions_find_one_that_costs_a_hundredth_more_at_most(most: int, by: str) -> None:
    of = LikeColumns(5, ROWS, most)
    problem = of.problem(by)
    optimum = drive(SEARCHES["exhaustive"].start(problem), lambda batch: [of.measure(node) for node in batch])
    found = stopped_after(of, problem, 60)
    assert optimum.best is not None
    assert found.best is not None
    score = problem.objective.score
    assert score(found.best, found.observation) <= 1.01 * float(score(optimum.best, optimum.observation))


@pytest.mark.parametrize("most", [200, ROWS])
def test_a_greedy_way_down_finds_nothing_better_by_more_questions(most: int) -> None:
    of = LikeColumns(9, ROWS, most)
    problem = of.problem(WITH_SUPPRESSED)
    best, questions = greedily(of, problem)
    found = stopped_after(of, problem, questions)
    assert found.best is not None
    assert problem.key(found.best, found.observation)[0] <= best


def greedily(of: LikeColumns, problem: SearchProblem) -> tuple[float, int]:
    """The score at the end of the way down from `*` that refines, each time, what lowers it most; and its questions."""
    node, questions = problem.lattice.top, 1
    best = problem.objective.score(node, of.measure(node))
    while True:
        finer = [(*node[:i], level - 1, *node[i + 1 :]) for i, level in enumerate(node) if level]
        measured = {each: of.measure(each) for each in finer}
        questions += len(finer)
        scores = {
            each: problem.objective.score(each, observation)
            for each, observation in measured.items()
            if of.required.passes(observation)
        }
        if not scores or min(scores.values()) >= best:
            return float(best), questions
        node = min(scores, key=lambda each: scores[each])
        best = scores[node]
