"""A search that is stopped knows a node that passes and a bound that holds; the cheapest node left is the cheapest."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordermade.errors import RequestError
from ordermade.lattice.lattice import Axis, Lattice, LevelOrder, Node
from ordermade.lattice.observation import Observation
from ordermade.loss.metrics import METRICS
from ordermade.search import SEARCHES, SearchProblem, choose
from ordermade.search.driven import searched
from ordermade.search.hitting_set import Cheapest, Frontier
from ordermade.search.problem import MeasuringBudget, WithinBudget
from tests.properties.required_tables import Case, cases
from tests.properties.test_search_required import counted, evidence_of, goal_of

WITH_SUPPRESSED = ["prec_suppressed_as_1", "loss", "entropy"]
"""Objectives by the levels in which suppressed rows cost something."""


class Asked:
    """Measures a case, and notes the nodes."""

    def __init__(self, case: Case, interrupted_at: int | None = None) -> None:
        self.case = case
        self.nodes: list[Node] = []
        self._interrupted_at = interrupted_at

    def __call__(self, batch: Sequence[Node]) -> list[Observation]:
        if self._interrupted_at is not None and len(self.nodes) + len(batch) > self._interrupted_at:
            raise KeyboardInterrupt
        self.nodes.extend(batch)
        return [self.case.measure(node) for node in batch]


@pytest.mark.slow
@given(
    case=cases(),
    name=st.sampled_from(sorted(METRICS)),
    search=st.sampled_from(sorted(SEARCHES)),
    most=st.integers(1, 12),
    how=st.sampled_from(["questions", "seconds", "interrupted"]),
    data=st.data(),
)
def test_no_stop_makes_an_answer_or_a_bound_wrong(
    case: Case, name: str, search: str, most: int, how: str, data: st.DataObject
) -> None:
    goal = goal_of(case, name)
    evidence = evidence_of(case, data) if data.draw(st.booleans()) else None
    problem = SearchProblem(case.table.lattice, case.required, goal, evidence)
    if search.startswith("paper-") and name != "classes":
        return
    try:
        algorithm = choose(search, problem.lattice, case.required, name)
    except RequestError:
        return
    asked = Asked(case, most if how == "interrupted" else None)
    budget = MeasuringBudget(seconds=most if how == "seconds" else None, questions=most if how == "questions" else None)
    measure = WithinBudget(
        asked, budget, clock=lambda: len(asked.nodes), measured=lambda: len(asked.nodes), answers_interrupts=True
    )

    outcome = searched(problem, algorithm.start(problem), measure)

    best = counted(problem, case)
    if how != "seconds":
        assert len(asked.nodes) <= most
    if outcome.certified:
        assert (outcome.best, outcome.stopped, outcome.bound) == (best.best, None, None)
        return
    if algorithm.certifies:
        assert outcome.stopped == how
    if outcome.best is not None:
        assert case.passes(outcome.best)
    if outcome.score_proved:
        assert outcome.best is not None
        assert best.best is not None
        score = goal.score(outcome.best, case.measure(outcome.best))
        assert score == goal.score(best.best, best.observation)
    if best.best == outcome.best:
        return
    assert best.best is not None
    least = goal.score(best.best, best.observation)
    if outcome.bound is not None:
        assert outcome.bound <= least  # type: ignore[operator]
    elif outcome.stopped is not None:
        assert goal.level_costs is None


@pytest.mark.slow
@given(case=cases(limit=True, model=False), name=st.sampled_from(WITH_SUPPRESSED), data=st.data())
def test_a_node_that_is_better_than_the_best_is_left_whatever_was_measured(
    case: Case, name: str, data: st.DataObject
) -> None:
    problem = SearchProblem(case.table.lattice, case.required, goal_of(case, name))
    frontier = Frontier(problem)
    keys = {node: problem.key(node, case.measure(node)) for node in problem.lattice.nodes() if case.passes(node)}
    nodes = data.draw(st.permutations(list(problem.lattice.nodes())))
    for node in nodes:
        frontier.learn(node, case.measure(node))
        best = frontier.best
        if best is not None:
            better = {each for each in keys if keys[each] < keys[best[0]]}
            assert all(frontier.is_left(each) for each in better)


def test_a_budget_that_is_spent_measures_no_more_and_loses_nothing() -> None:
    nodes = [(i,) for i in range(40)]
    measured: list[Node] = []

    def measure(batch: Sequence[Node]) -> list[Observation]:
        measured.extend(batch)
        return [Observation.from_histogram([(node[0] + 1, 1)]) for node in batch]

    within = WithinBudget(measure, MeasuringBudget(questions=25), clock=lambda: 0.0, measured=lambda: len(measured))
    with pytest.raises(Exception, match="questions") as stop:
        within(nodes)
    assert measured == nodes[:25]
    assert [each.k for each in stop.value.answered] == list(range(1, 26))  # type: ignore[attr-defined]


def test_nodes_that_the_seconds_left_do_not_suffice_for_are_not_begun() -> None:
    now = 0.0
    batches: list[int] = []

    def measure(batch: Sequence[Node]) -> list[Observation]:
        nonlocal now
        now += 0.25 * len(batch)
        batches.append(len(batch))
        return [Observation.from_histogram([(2, 1)]) for _ in batch]

    within = WithinBudget(measure, MeasuringBudget(seconds=6.0), clock=lambda: now, measured=lambda: sum(batches))
    with pytest.raises(Exception, match="seconds"):
        within([(place,) for place in range(100)])
    assert batches == [16, 8]


def chain(accepted: Sequence[int], top: int) -> Axis:
    numbers = range(top + 1)
    return Axis(f"c{accepted}", LevelOrder(tuple(tuple(i <= j for j in numbers) for i in numbers)), tuple(accepted))


@pytest.mark.slow
@given(data=st.data())
def test_the_cheapest_node_left_is_the_first_of_the_least_cost(data: st.DataObject) -> None:
    draw = data.draw
    axes = []
    for _ in range(draw(st.integers(1, 4))):
        top = draw(st.integers(1, 4))
        axes.append(chain(sorted(draw(st.sets(st.integers(0, top), min_size=1))), top))
    cost = st.fractions(0, 5, max_denominator=3)
    costs = [tuple(draw(st.lists(cost, min_size=axis.top + 1, max_size=axis.top + 1))) for axis in axes]
    cheapest = Cheapest(Lattice(tuple(axes)), costs)  # type: ignore[arg-type]
    left = set(itertools.product(*(axis.accepted for axis in axes)))

    def key(node: Node) -> tuple[Fraction, Node]:
        return sum((each[level] for each, level in zip(costs, node, strict=True)), Fraction()), node

    limit = None
    while True:
        found = cheapest.node()
        expected = min(left, key=key, default=None)
        if limit is not None and found is not None and key(found) >= limit:
            assert not left  # a part is dropped whole or not at all
            return
        assert found == expected
        assert cheapest.bound == (None if expected is None else key(expected)[0])
        if expected is None:
            return
        out = [
            draw(st.sets(st.sampled_from(axis.accepted))) | {level} for axis, level in zip(axes, expected, strict=True)
        ]
        cheapest.rule_out(out)
        left = {node for node in left if not all(level in each for level, each in zip(node, out, strict=True))}
        if left and draw(st.booleans()):
            limit = key(draw(st.sampled_from(sorted(left))))
            cheapest.drop_from(*limit)
            left = {node for node in left if key(node) < limit}


@pytest.mark.slow
@given(data=st.data())
def test_steps_that_do_not_suffice_leave_the_bound_and_a_node_that_is_left(data: st.DataObject) -> None:
    axes = [chain(range(3), 2) for _ in range(3)]
    costs = [tuple(sorted(data.draw(st.lists(st.integers(0, 4), min_size=3, max_size=3)))) for _ in axes]
    cheapest = Cheapest(Lattice(tuple(axes)), costs)
    left = set(itertools.product(range(3), repeat=3))
    for _ in range(data.draw(st.integers(1, 12))):
        out = [data.draw(st.sets(st.integers(0, 2), min_size=1)) for _ in axes]
        cheapest.rule_out(out)
        left = {node for node in left if not all(level in each for level, each in zip(node, out, strict=True))}
    assert all(cheapest.is_left(node) == (node in left) for node in itertools.product(range(3), repeat=3))
    least = min((sum(each[level] for each, level in zip(costs, node, strict=True)) for node in left), default=None)
    found = cheapest.node(data.draw(st.integers(0, 2)))
    if found is not None:
        assert sum(each[level] for each, level in zip(costs, found, strict=True)) == least
    some = cheapest.cheap()
    assert some is None or some in left
    if least is not None:
        assert cheapest.bound is not None
        assert cheapest.bound <= least
    assert (cheapest.node() is None) == (not left)
