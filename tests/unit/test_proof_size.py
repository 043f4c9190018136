"""The least questions of a proof, forecast early in a search; a proof that cannot come is said not to, once."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from ordermade.lattice.lattice import Axis, LevelOrder, Node
from ordermade.lattice.observation import Observation
from ordermade.search import SEARCHES
from ordermade.search.driven import searched
from ordermade.search.problem import MeasuringBudget, WithinBudget
from ordermade.search.proof_size import _Attribute, _least_of, in_time, least_questions, no_proof_by
from tests.like_columns import LikeColumns

TWO = LevelOrder(((True, True), (False, True)))


def measured_by(of: LikeColumns, search: str, questions: int) -> dict[Node, Observation]:
    """The first nodes that a search measures."""
    found: dict[Node, Observation] = {}

    def measure(batch: Sequence[Node]) -> list[Observation]:
        found.update({node: of.measure(node) for node in batch})
        return [found[node] for node in batch]

    within = WithinBudget(measure, MeasuringBudget(questions=questions), clock=lambda: 0.0, measured=lambda: len(found))
    problem = of.problem()
    searched(problem, SEARCHES[search].start(problem), within)
    return found


def forecast(of: LikeColumns, measured: dict[Node, Observation]) -> int | None:
    problem = of.problem()
    passing = [node for node, each in measured.items() if of.required.passes(each)]
    best = min((problem.objective.score(node, None) for node in passing), default=None)
    return least_questions(problem, measured, best)


@pytest.mark.parametrize("columns", [6, 8])
def test_where_each_node_of_a_layer_has_a_question_of_its_own_they_are_counted(columns: int) -> None:
    """Columns of two levels: half of them at `*` pass, and one less fails. A join of two that fail passes."""
    axis, figures = Axis("c", TWO, (0, 1)), np.array([[1.0], [0.0]])
    attributes = [_Attribute.of(axis, (0, 1), figures, np.ones(1)) for _ in range(columns)]
    kept = columns // 2
    # Those with one more column kept than passes: any join of two of them keeps so few that it passes.
    found = _least_of(attributes, kept + 0.5, columns - kept)
    assert math.comb(columns, kept + 1) * 0.9 <= found <= math.comb(columns, kept + 1)


def test_where_one_question_may_rule_out_all_one_is_expected() -> None:
    axis, figures = Axis("c", TWO, (0, 1)), np.array([[1.0], [0.0]])
    attributes = [_Attribute.of(axis, (0, 1), figures, np.ones(1)) for _ in range(6)]
    assert _least_of(attributes, -1.0, 3) <= 1
    assert _least_of(attributes, 99.0, 0) == 0


@pytest.mark.slow
@pytest.mark.parametrize("most", [0, 200, 1_000])
def test_a_proof_that_came_took_no_fewer_questions_than_were_forecast(most: int) -> None:
    of = LikeColumns(6, 20_000, most)
    full = of.searched().questions
    for questions in (64, 128):
        found = forecast(of, measured_by(of, "guided", questions))
        assert found is None or found <= full


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "most", "least"), [(12, 200, 30_000), (12, 1_000, 15_000), (15, 200, 200_000)])
def test_of_many_like_columns_a_proof_is_forecast_to_need_a_whole_layer(columns: int, most: int, least: int) -> None:
    of = LikeColumns(columns, 20_000, most)
    found = forecast(of, measured_by(of, "hitting-set", 64))
    assert found is not None
    assert least <= found <= 4**columns


def test_too_little_known_is_no_forecast() -> None:
    of = LikeColumns(3, 500, 5)
    nodes = list(of.lattice.nodes())
    assert least_questions(of.problem(), {nodes[-1]: of.measure(nodes[-1])}, None) is None
    assert forecast(of, {node: of.measure(node) for node in nodes[:8]}) is None


BUDGETS = [
    (MeasuringBudget(questions=100), 1_000, "the budget of 100 questions"),
    (MeasuringBudget(questions=100), 150, None),
    (MeasuringBudget(seconds=30), 100_000, "the budget of 30 seconds"),
    (MeasuringBudget(seconds=30), 100, None),
    (MeasuringBudget(), 10**6, "10 minutes"),
    (MeasuringBudget(), 1_000, None),
]


@pytest.mark.parametrize(("budget", "left", "ends"), BUDGETS)
def test_a_proof_is_said_not_to_come_where_it_needs_much_more_than_is_left(
    budget: MeasuringBudget, left: int, ends: str | None
) -> None:
    assert no_proof_by(left, 0.01, budget, 1.0, 20) == ends


@pytest.mark.parametrize(
    ("seconds", "words"), [(5, "5 seconds"), (300, "5 minutes"), (9_000, "2 hours"), (10**6, "12 days")]
)
def test_a_time_is_said_in_the_largest_fitting_unit(seconds: float, words: str) -> None:
    assert in_time(seconds) == words


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "search", "said"), [(12, "hitting-set", 1), (4, "guided", 0)])
def test_a_search_whose_proof_cannot_come_says_so_once_and_one_whose_can_does_not(
    columns: int, search: str, said: int
) -> None:
    of, notices, asked = LikeColumns(columns, 20_000, 200), list[str](), list[Node]()

    def measure(batch: Sequence[Node]) -> list[Observation]:
        asked.extend(batch)
        return [of.measure(node) for node in batch]

    within = WithinBudget(
        measure,
        MeasuringBudget(questions=260),
        clock=lambda: len(asked) / 20,
        measured=lambda: len(asked),
        notice=notices.append,
    )
    problem = of.problem()
    searched(problem, SEARCHES[search].start(problem), within)
    assert len(notices) == said
    for each in notices:
        assert each.startswith("A proof that nothing is better needs ")
        assert "more than the budget of 260 questions" in each
