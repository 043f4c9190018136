"""Under any limit, model and risk, of rows or persons: searches find what counting finds, bounds and claims hold."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ordermade.errors import RequestError
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.lattice.proofs import FAILS, PASSES, Proofs, placed_in
from ordermade.loss.metrics import METRICS, losses
from ordermade.loss.objectives import Objective, distance_beyond, objective
from ordermade.prediction.cells import Reals
from ordermade.prediction.figures import FigureForecast, Normal
from ordermade.prediction.forecast import Forecast
from ordermade.prediction.prediction import Evidence
from ordermade.search import SEARCHES, Outcome, SearchProblem, choose, drive, grid
from ordermade.search.bounds import PartBounds
from tests.properties.required_tables import Case, cases
from tests.properties.test_search import Table

pytestmark = pytest.mark.slow

MAX_NODES = 60
weights = st.none() | st.lists(st.integers(1, 5), min_size=4, max_size=4)


def goal_of(case: Case, name: str, weigh: list[int] | None = None) -> Objective:
    lattice = case.table.lattice
    asked = None
    if weigh and name in ("prec", "prec_suppressed_as_1", "height", "loss", "entropy"):
        asked = {axis.column: Fraction(each, 3) for axis, each in zip(lattice.axes, weigh, strict=False)}
    return objective(name, lattice, case.table.costs, case.required, asked)


def counted(problem: SearchProblem, case: Case) -> Outcome:
    """By definition: every node counted, nothing concluded."""
    lattice = problem.lattice
    passing = {node: case.measure(node) for node in lattice.nodes() if case.passes(node)}
    best = min(passing, key=lambda node: problem.key(node, passing[node]), default=None)
    minimal = (
        node for node in sorted(passing) if not any(other != node and lattice.refines(other, node) for other in passing)
    )
    return Outcome(best, None if best is None else passing[best], tuple(minimal))


def run(name: str, problem: SearchProblem, case: Case) -> tuple[Outcome, list[Node]]:
    asked: list[Node] = []

    def measure(batch: Sequence[Node]) -> list[Observation]:
        assert batch
        asked.extend(batch)
        return [case.measure(node) for node in batch]

    outcome = drive(SEARCHES[name].start(problem), measure)
    assert len(asked) == len(set(asked)), f"{name} asked for a node twice"
    return outcome, asked


def evidence_of(case: Case, data: st.DataObject) -> Evidence:
    """Nodes measured before, for this requirement or for k alone."""
    lattice = case.table.lattice
    any_node = st.tuples(*(st.integers(0, axis.top) for axis in lattice.axes))
    drawn = data.draw(st.dictionaries(any_node, st.booleans(), max_size=5))
    known = {node: case.measure(node, bare=bare) for node, bare in drawn.items()}
    proofs = Proofs(lattice, case.units, placed_in(lattice, known.items()), case.required.most_suppressed)
    return Evidence(lattice, case.units, proofs, known)


FINE = Table(rows=((0,),) * 8 + ((1,), (2,), (3,)), levels=(((0, 1, 2, 3), (0, 0, 0, 0)),), accepted=((0,),))
"""Only the original values are accepted and cost nothing: all that a release loses is what is suppressed."""


@example(case=Case(FINE, None, (0,) * 11, Requirement(2, 3), None), name="entropy", weigh=None)
@example(case=Case(FINE, None, (0,) * 11, Requirement(2, 3), None), name="loss", weigh=[5, 1, 1, 1])
@given(case=cases(), name=st.sampled_from(sorted(METRICS)), weigh=weights)
def test_every_search_that_accepts_finds_what_counting_finds(case: Case, name: str, weigh: list[int] | None):
    problem = SearchProblem(case.table.lattice, case.required, goal_of(case, name, weigh))
    expected = counted(problem, case)
    for search in ("guided", "hitting-set", "exhaustive", "ola", "incognito"):
        try:
            choose(search, problem.lattice, case.required, name)
        except RequestError:
            continue
        outcome, _ = run(search, problem, case)
        assert (outcome.best, outcome.observation, outcome.certified) == (expected.best, expected.observation, True)
        if search not in ("guided", "hitting-set"):
            assert outcome.passing_minimal == expected.passing_minimal, search


@given(case=cases(limit=True), name=st.sampled_from(sorted(METRICS)), data=st.data())
def test_no_evidence_changes_what_pak_finds(case: Case, name: str, data: st.DataObject):
    problem = SearchProblem(case.table.lattice, case.required, goal_of(case, name), evidence_of(case, data))
    expected = counted(problem, case)
    outcome, _ = run("guided", problem, case)
    assert outcome.best == expected.best
    assert outcome.certified
    if outcome.observation is not None:
        assert outcome.best is not None
        assert expected.observation is not None
        assert problem.decides(outcome.observation)
        assert outcome.observation.agrees_with(expected.observation)
        assert problem.key(outcome.best, outcome.observation) == problem.key(outcome.best, expected.observation)


@given(case=cases(model=True), name=st.sampled_from(sorted(METRICS)), data=st.data())
def test_no_evidence_changes_what_pak_finds_under_models(case: Case, name: str, data: st.DataObject):
    test_no_evidence_changes_what_pak_finds.hypothesis.inner_test(case, name, data)  # type: ignore[attr-defined]


@given(case=cases(limit=True), name=st.sampled_from(sorted(METRICS)), seed=st.integers(0, 2**32 - 1), data=st.data())
def test_no_noise_in_place_of_a_forecast_changes_what_is_found(case: Case, name: str, seed: int, data: st.DataObject):
    """Every forecast is drawn anew: sure and wrong, beyond all chances, or no number."""
    problem = SearchProblem(case.table.lattice, case.required, goal_of(case, name), evidence_of(case, data))
    expected = counted(problem, case)
    noise = np.random.default_rng(seed)

    def forecast(_: Forecast, __: int) -> Reals:
        likely = noise.uniform(size=problem.lattice.shape)
        return np.where(
            noise.random(likely.shape) < 0.8, likely, noise.choice([0, 1, -1, np.inf, np.nan], likely.shape)
        )

    with (
        mock.patch.object(Forecast, "chance_to_pass", forecast),
        mock.patch.object(Forecast, "chance_of_k", forecast),
    ):
        outcome, asked = run("guided", problem, case)
    assert (outcome.best, outcome.certified) == (expected.best, True)
    assert len(asked) <= problem.lattice.size + problem.settings.sample


@given(case=cases(limit=True), name=st.sampled_from(["dm", "dm_star", "aecs"]), seed=st.integers(0, 2**32 - 1))
def test_no_noise_in_place_of_figures_changes_what_is_found(case: Case, name: str, seed: int):
    """What is expected of the classes only chooses questions, however wrong and sure it is."""
    problem = SearchProblem(case.table.lattice, case.required, goal_of(case, name))
    expected = counted(problem, case)
    noise = np.random.default_rng(seed)

    def forecast(_: FigureForecast) -> Normal:
        shape = problem.lattice.shape
        return Normal(noise.normal(0, 30, shape), np.exp(noise.normal(-3, 5, shape)))

    with mock.patch.object(FigureForecast, "forecast", forecast):
        outcome, _ = run("guided", problem, case)
    assert (outcome.best, outcome.certified) == (expected.best, True)


@given(case=cases(model=True), name=st.sampled_from(sorted(METRICS)), seed=st.integers(0, 2**32 - 1), data=st.data())
def test_no_noise_in_place_of_a_forecast_changes_what_is_found_under_models(
    case: Case, name: str, seed: int, data: st.DataObject
):
    inner = test_no_noise_in_place_of_a_forecast_changes_what_is_found.hypothesis.inner_test  # type: ignore[attr-defined]
    inner(case, name, seed, data)


@given(case=cases())
def test_the_nearest_node_beyond_a_refusal(case: Case):
    wider = case.table.lattice.widened()
    problem = SearchProblem(wider, case.required, distance_beyond(case.table.lattice))
    assert run("guided", problem, case)[0].best == counted(problem, case).best


@given(case=cases(), name=st.sampled_from(sorted(METRICS)))
def test_without_a_proof_what_is_found_passes_and_nothing_that_passes_is_refused(case: Case, name: str):
    problem = SearchProblem(case.table.lattice, case.required, goal_of(case, name))
    outcome, _ = run("pak", problem, case)
    expected = counted(problem, case)
    assert (outcome.best is None) == (expected.best is None)
    if outcome.best is not None:
        assert case.passes(outcome.best)
    if outcome.certified:
        assert outcome.best == expected.best


@given(case=cases())
def test_a_requirement_says_what_the_rows_say(case: Case):
    for node in list(case.table.lattice.nodes())[:MAX_NODES]:
        seen = case.measure(node)
        assert case.required.decides(seen)
        assert case.required.passes(seen) == case.passes(node)
        if not case.passes(node):
            continue
        released = case.required.released(seen)
        assert released.classes == len(case.released(node))
        assert released.sum_of_squares == sum(size**2 for size in case.released(node))
        assert released.suppressed == case.size(case.suppressed(node))
        assert released.units == case.units - released.suppressed
        found = losses(case.table.lattice, node, seen, case.required, case.table.costs)
        for name, value in case.losses(node).items():
            figure = found[name]
            assert figure is not None
            assert abs(figure - value) <= 1e-8 * max(1.0, abs(value)), name


@given(case=cases())
def test_what_is_said_to_be_monotone_is_and_every_bound_holds(case: Case):
    lattice, required = case.table.lattice, case.required
    nodes = list(lattice.nodes())[:MAX_NODES]
    seen = {node: case.measure(node) for node in nodes}
    passing = {node for node in nodes if case.passes(node)}
    goals = [goal_of(case, name) for name in METRICS]
    large = {node: sum(n for size, n in seen[node].sizes if size >= required.k) for node in nodes}
    for coarse in nodes:
        for fine in nodes:
            if not lattice.refines(fine, coarse):
                continue
            assert large[coarse] <= seen[fine].most_classes(required.k)
            if not required.most_suppressed or case.persons is None or seen[fine].persons is not None:
                most = required.most_suppressed
                assert seen[fine].k_within(most) <= seen[coarse].k_within(most)
            assert required.least_suppressed(seen[coarse]) <= case.size(case.suppressed(fine))
            if required.rules_out(seen[coarse]):
                assert fine not in passing
            if required.admits(seen[fine]):
                assert coarse in passing
            if required.monotone and fine in passing:
                assert coarse in passing
            for goal in goals:
                assert_bounded(goal, (fine, coarse), seen, passing)
    for node in passing:
        for goal in goals:
            if goal.least is not None:
                assert goal.least(case.units, large[node]) <= goal.score(node, seen[node]), goal.name  # type: ignore[operator]


@st.composite
def merged(draw: st.DrawFn) -> tuple[int, list[list[int]]]:
    """A k, and the sizes of the classes that each class of a coarser node is made of; many of these hold exactly k."""
    k = draw(st.integers(1, 6))
    cuts = st.lists(st.booleans(), min_size=k - 1, max_size=k - 1)
    of_k = cuts.map(lambda cut: [len(part) + 1 for part in "".join("|" if each else "." for each in cut).split("|")])
    return k, draw(st.lists(of_k | of_k | st.lists(st.integers(1, 8), min_size=1, max_size=4), max_size=6))


@given(merged())
def test_no_merging_of_classes_makes_more_than_the_most(asked: tuple[int, list[list[int]]]):
    k, parts = asked
    fine = Observation.from_histogram(Counter(size for each in parts for size in each).items())
    made = sum(sum(each) >= k for each in parts)
    assert made <= fine.most_classes(k)
    if all(sum(each) == k for each in parts):
        assert made == fine.most_classes(k)


@given(case=cases(limit=True, model=False) | cases(limit=True, model=True))
def test_what_finer_nodes_bound_and_what_coarser_ones_suppress_adds_up(case: Case):
    lattice, units = case.table.lattice, case.units
    nodes = list(lattice.nodes())[:MAX_NODES]
    seen = {node: case.measure(node) for node in nodes}
    goals = [goal for name in METRICS if (goal := goal_of(case, name)).suppressed_adds is not None]
    assert [goal.name for goal in goals] == ["dm"] * (case.required.most_suppressed > 0)
    alone = Observation.from_histogram([(1, units)] if units else [])
    for goal, node in itertools.product(goals, filter(case.passes, nodes)):
        assert goal.bound is not None
        assert goal.suppressed_adds is not None
        finer = [seen[each] for each in nodes if lattice.refines(each, node) and seen[each].adds_up]
        coarser = [seen[each] for each in nodes if lattice.refines(node, each)]
        for fine, coarse in itertools.product([alone, *finer], coarser):
            assert goal.bound(fine) + goal.suppressed_adds(coarse) <= goal.score(node, seen[node])  # type: ignore[operator]


@settings(max_examples=max(150, settings.default.max_examples))
@given(case=cases(limit=True, model=True))
def test_finer_nodes_suppress_no_less_than_failing_classes_leave(case: Case):
    nodes = list(case.table.lattice.nodes())[:MAX_NODES]
    suppressed = {node: case.size(case.suppressed(node)) for node in nodes}
    for coarse in nodes:
        least = case.required.least_suppressed(case.measure(coarse))
        assert all(least <= suppressed[fine] for fine in nodes if case.table.lattice.refines(fine, coarse))


def test_what_is_suppressed_for_certain_is_what_cannot_be_kept():
    """Classes of 2 rows and of 6 that fail, of which finer nodes keep 4 and 0; one of 9 that passes."""
    seen = Observation.from_histogram([(2, 1), (6, 2), (9, 1)])
    seen = replace(seen, failing=((2, 1), (6, 2)), keepable=((0, 2), (4, 1)))
    least = {k: Requirement(k, 5, models=True, monotone=False).least_suppressed(seen) for k in (1, 3, 4, 5, 7, 10)}
    assert least == {1: 10, 3: 10, 4: 10, 5: 14, 7: 14, 10: 23}
    assert Requirement(3, 9, models=True, monotone=False).rules_out(seen)
    assert not Requirement(3, 10, models=True, monotone=False).rules_out(seen)
    assert not Requirement(3, 9, models=True, monotone=False, persons=True).rules_out(seen)
    assert Requirement(10, 23, models=True, monotone=False).rules_out(seen), "nothing would be released"


@given(case=cases(), data=st.data())
def test_no_class_is_split_into_more_parts_than_are_said(case: Case, data: st.DataObject):
    lattice, k = case.table.lattice, case.required.k
    problem = SearchProblem(lattice, case.required, goal_of(case, "classes"), evidence_of(case, data))
    parts, reach = PartBounds(problem), grid.RefinementIndex(lattice)
    nodes = list(lattice.nodes())[:MAX_NODES]
    seen = {node: case.measure(node) for node in nodes}
    for known, node in itertools.product(nodes, nodes):
        coarser, cell = reach.coarser(known), grid.cell_of(lattice, node)
        of_k, of_any = parts.of_k(coarser, known)[cell], parts.of_any(coarser, known)[cell]
        assert sum(n for size, n in seen[node].sizes if size >= k) <= max(1, seen[known].most_classes(k)) * of_k
        if case.persons is None:
            assert seen[known].sum_of_squares <= seen[node].sum_of_squares * of_any


def assert_bounded(goal: Objective, pair: tuple[Node, Node], seen: dict[Node, Observation], passing: set[Node]) -> None:
    fine, coarse = pair
    if coarse in passing:
        score = goal.score(coarse, seen[coarse])
        if goal.bound is not None:
            assert goal.bound(seen[fine]) <= score, goal.name  # type: ignore[operator]
        if goal.level_costs is not None:
            levels = sum(each[level] or 0 for each, level in zip(goal.level_costs, coarse, strict=True))
            assert goal.unit * Fraction(levels) <= score, goal.name  # type: ignore[operator]
    if goal.monotone and fine in passing and coarse in passing:
        assert goal.score(fine, seen[fine]) <= goal.score(coarse, seen[coarse]), goal.name  # type: ignore[operator]


@given(case=cases(), data=st.data())
def test_proofs_say_nothing_of_a_node_that_the_rows_do_not_say(case: Case, data: st.DataObject):
    lattice = case.table.lattice
    proofs = evidence_of(case, data).proofs
    tags = proofs.tags(case.required)
    for node in list(lattice.nodes())[:MAX_NODES]:
        tag = tags[grid.cell_of(lattice, node)]
        assert tag != PASSES or case.passes(node)
        assert tag != FAILS or not case.passes(node)
        seen, bounds = case.measure(node), proofs.bounds(node)
        assert bounds.least_k <= seen.k_within(case.required.most_suppressed) <= bounds.most_k
        if case.persons is None or proofs.every:
            assert bounds.least_divisions <= seen.divisions
        if case.persons is None:
            assert seen.divisions <= bounds.most_divisions


@given(case=cases(nested=True), data=st.data())
def test_the_finest_passing_nodes_of_any_set(case: Case, data: st.DataObject):
    lattice = case.table.lattice
    flags = data.draw(st.lists(st.booleans(), min_size=lattice.size, max_size=lattice.size))
    passing = [node for node, flag in zip(lattice.nodes(), flags, strict=True) if flag]
    expected = [node for node in passing if not any(a != node and lattice.refines(a, node) for a in passing)]
    assert list(grid.minimal(lattice, np.array(flags, dtype=np.bool_).reshape(lattice.shape))) == expected
