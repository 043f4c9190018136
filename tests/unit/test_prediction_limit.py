"""Forecasts where rows may be suppressed or models are asked: against simulation, against what is measured."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bench.service_like import LATTICE, Service, services
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation, PersonSizes, Requirement, Sizes
from ordermade.prediction.besides_k import Models
from ordermade.prediction.cells import ExpectedCells, Fineness, least_cells, ln_reached
from ordermade.prediction.forecast import Forecast
from ordermade.prediction.prediction import Evidence
from ordermade.prediction.predictors import PREDICTORS, judged_by_the_others
from ordermade.prediction.residuals import TrainingNode, training_nodes

K = 20


@pytest.fixture(scope="module")
def made() -> list[Service]:
    return services(8)


def limit(service: Service, share: float = 0.02) -> int:
    return int(share * service.members)


@pytest.mark.slow
@pytest.mark.parametrize("most_suppressed", [1, 10, 100, 600, 4_000])
def test_the_k_that_is_reached_is_the_median_of_simulated_cells(most_suppressed: int):
    rows = 5_000
    sizes: dict[int, Sizes] = {
        0: ((20, 5), (150, 6), (400, 2), (3_200, 1)),
        1: ((500, 1), (1_500, 3)),
        2: ((5, 40), (50, 20), (500, 3), (2_300, 1)),
    }
    nodes = [(a, b) for a in sizes for b in sizes]
    found = ExpectedCells(rows, [sizes, sizes], most_suppressed=most_suppressed).expected(nodes)
    rng = np.random.default_rng(5)
    for (a, b), ln_k, spread in zip(nodes, found.ln_k, found.spread, strict=True):
        one, other = (np.repeat([s for s, _ in sizes[each]], [n for _, n in sizes[each]]) for each in (a, b))
        drawn = rng.poisson(np.outer(one, other).ravel() / rows, size=(401, len(one) * len(other)))
        ks = [Observation.from_histogram(Counter(row[row > 0].tolist()).items()) for row in drawn]
        reached = [each.k_within(most_suppressed) for each in ks]
        low, high = np.quantile(reached, [0.3, 0.7])
        assert low - 1 <= max(math.exp(ln_k), 1.0) * 1.06 + 0.5, (a, b)
        assert max(math.exp(ln_k), 1.0) / 1.06 - 0.5 <= high + 1, (a, b)
        assert spread >= 0


def test_sizes_that_no_cell_has_are_no_fault_of_many_rows():
    found = least_cells(10**9, Fineness(0.1, 0.1), 0, 20, most_suppressed=10**7)
    held = np.zeros(found.outcomes.shape[1])
    held[-3:] = 1e-9, 1e-9, 1.0  # no more rows are in the largest cells than in those a little smaller; one class
    with np.errstate(over="raise"):
        figures = found.figures(held[None, :])
    assert np.isfinite(figures).all()


@pytest.mark.parametrize("k", [2, 5, 40])
def test_the_rows_below_k_are_the_mean_of_simulated_cells(k: int):
    rows = 5_000
    sizes: dict[int, Sizes] = {0: ((20, 5), (150, 6), (400, 2), (3_200, 1)), 1: ((500, 1), (1_500, 3))}
    levels = [np.array([0, 1])] * 2
    found = ExpectedCells(rows, [sizes, sizes]).rows_below_over(levels, k).reshape(2, 2)
    rng = np.random.default_rng(5)
    for a, b in np.ndindex(2, 2):
        one, other = (np.repeat([s for s, _ in sizes[each]], [n for _, n in sizes[each]]) for each in (a, b))
        drawn = rng.poisson(np.outer(one, other).ravel() / rows, size=(2_000, len(one) * len(other)))
        mean = float(np.where(drawn < k, drawn, 0).sum(axis=1).mean())
        assert found[a, b] == pytest.approx(mean, rel=0.06, abs=0.1)


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(1, 60), st.integers(1, 5)), min_size=1, max_size=8), st.integers(1, 400))
def test_ln_k_is_above_k_less_a_half_exactly_where_k_is_reached(pairs: list[tuple[int, int]], most_suppressed: int):
    observation = Observation.from_histogram(dict(pairs).items())
    assume(most_suppressed < observation.rows)
    reached = observation.k_within(most_suppressed)
    for k in (2, 3, reached, reached + 1):
        if k > 1:
            assert (ln_reached(observation, most_suppressed) >= math.log(k - 0.5) - 1e-12) == (reached >= k)
    assert ln_reached(observation, most_suppressed + 1) >= ln_reached(observation, most_suppressed) - 1e-12


def test_without_a_limit_a_requirement_only_doubts_nodes_of_another_k(made: list[Service]):
    known = made[0].evidence([(0, 1, 1), (0, 0, 3)])
    plain, required = Forecast(known), Forecast(known, Requirement(K))
    for node in [(1, 1, 1), (0, 2, 2)]:
        for each in (plain, required):
            each.learn({node: made[0].observations[node]})
    assert plain.ln_k == pytest.approx(required.ln_k, abs=0.5)
    assert ((plain.chance_to_pass(K) == 1) == (required.chance_to_pass(K) == 1)).all()
    assert (required.chance_of_k(K) == required.chance_to_pass(K)).all()


def test_a_node_tells_the_less_the_further_its_k_is_from_the_one_asked_for():
    told = TrainingNode((0, 0), math.log(K))
    assert told.away_from(K) == 0
    assert told.away_from(10) < told.away_from(2) < told.away_from(1)


def test_of_many_nodes_those_next_to_the_k_asked_for_are_learnt_from_first(made: list[Service]):
    known = made[0].evidence(list(made[0].observations))
    away = [abs(each.ln_k - math.log(K)) for each in training_nodes(known, 8, K)]
    others = [abs(each.ln_k - math.log(K)) for each in training_nodes(known, len(known.observed), K)[8:]]
    assert max(away) <= min(others) + 1
    assert max(away) < 2


def test_a_forecast_under_a_limit_is_better_than_the_rows_alone_and_learns(made: list[Service]):
    def brier(forecast: Forecast, service: Service, requirement: Requirement) -> float:
        chance = forecast.chance_to_pass(K)
        return float(np.mean([(chance[n] - requirement.passes(o)) ** 2 for n, o in service.observations.items()]))

    by_rows, by_margins, learnt = [], [], []
    for number, service in enumerate(made):
        requirement = Requirement(K, limit(service))
        rows_alone = Evidence.nothing(LATTICE, service.members, requirement.most_suppressed)
        by_rows.append(brier(Forecast(rows_alone, requirement), service, requirement))
        forecast = Forecast(service.evidence([]), requirement)
        by_margins.append(brier(forecast, service, requirement))
        nodes = list(service.observations)
        for place in np.random.default_rng(number).permutation(len(nodes))[:8]:
            forecast.learn({nodes[place]: service.observations[nodes[place]]})
        learnt.append(brier(forecast, service, requirement))
    assert np.mean(by_margins) < 0.3 * np.mean(by_rows)
    assert np.mean(learnt) < np.mean(by_margins)


def test_what_is_measured_under_a_limit_is_certain_and_what_does_not_tell_is_left_out(made: list[Service]):
    service = made[0]
    requirement = Requirement(K, limit(service))
    node: Node = (0, 0, 1)
    forecast = Forecast(service.evidence([]), requirement)
    before = forecast.ln_k.copy()
    observation = service.observations[node]
    forecast.learn({node: replace(observation, sizes=observation.sizes[:1])})  # as if cut off
    assert (forecast.ln_k == before).all()
    forecast.learn({node: observation})
    assert forecast.chance_to_pass(K)[node] == requirement.passes(observation)
    k = observation.k_within(requirement.most_suppressed)
    assert forecast.chance_to_pass(k)[node] == 1
    assert forecast.chance_to_pass(k + 1)[node] == 0


@pytest.mark.parametrize("name", PREDICTORS)
def test_predictors_predict_the_k_under_the_limit_and_are_judged_by_it(made: list[Service], name: str):
    service = made[0]
    evidence = service.evidence(list(service.observations)[::3]).within(limit(service))
    for node, each in zip(
        LATTICE.nodes(), PREDICTORS[name].build(evidence).predict(list(LATTICE.nodes())), strict=True
    ):
        bounds = evidence.proofs.bounds(node)
        assert bounds.least_k <= each.low <= each.k <= each.high <= bounds.most_k
    (judged,) = judged_by_the_others(evidence, [PREDICTORS[name]])
    assert judged.scores is not None
    assert judged.scores.mean_ratio_error < 5


def test_one_attribute_is_told_exactly_only_where_its_classes_add_up(made: list[Service]):
    service = made[0]
    alone: Node = (0, 3, 3)
    within = limit(service)
    k = service.observations[alone].k_within(within)
    (found,) = PREDICTORS["independence"].build(service.evidence([]).within(within)).predict([alone])
    assert found.low <= k <= found.high
    overlapping = replace(service.evidence([]), rows=service.members - 10)
    overlapping = replace(overlapping, proofs=Evidence.nothing(LATTICE, service.members - 10).proofs)
    (hint,) = PREDICTORS["independence"].build(overlapping).predict([alone])
    assert hint.spread > 0
    assert hint.low < hint.high


def observed(sizes: Sizes, failing: Sizes, persons: PersonSizes | None = None) -> Observation:
    return replace(Observation.from_histogram(sizes), failing=failing, persons=persons)


def test_models_that_failed_lower_the_chance_near_and_below_and_not_that_of_k(made: list[Service]):
    service = made[0]
    requirement = Requirement(2, models=True)
    forecast = Forecast(service.evidence([]), requirement)
    node: Node = (0, 1, 2)
    measured = service.observations[node]
    assert measured.k >= 2
    before = forecast.chance_to_pass(2)
    forecast.learn({node: replace(measured, failing=((measured.k, 1),))})
    after = forecast.chance_to_pass(2)
    assert after[node] < 0.06
    assert after[(0, 0, 1)] <= 0.05 * forecast.chance_of_k(2)[(0, 0, 1)] + 1e-9
    assert after[(1, 2, 3)] <= before[(1, 2, 3)]
    assert forecast.chance_of_k(2)[node] == 1


def test_models_that_passed_make_what_is_coarser_nearly_sure():
    models = Models(LATTICE, Requirement(2, 5, models=True, monotone=False))
    assert len(models) == 0
    models.learn((0, 1, 2), observed(((10, 10),), ()))
    models.learn((0, 0, 0), observed(((10, 10),), ((10, 9),)))
    models.learn((0, 0, 1), Observation.from_histogram([(10, 10)]))  # not measured for the models
    assert len(models) == 2
    chance = models.over_the_lattice()
    assert chance[0, 1, 3] >= 0.95
    assert chance[1, 1, 2] >= 0.95
    assert chance[0, 0, 0] <= 0.05
    assert chance.ravel() == pytest.approx(models.chance(list(LATTICE.nodes())))


def test_of_persons_those_in_a_failing_class_count():
    models = Models(LATTICE, Requirement(5, 3, models=True, monotone=False, persons=True))
    of_persons = PersonSizes(alone=((1, 10), (9, 20)), fitting=((0, 2), (1, 9), (9, 19)))
    models.learn((0, 1, 2), observed(((1, 10), (9, 5)), ((9, 1),), of_persons))
    assert len(models) == 1
    assert models.chance([(1, 1, 2)])[0] >= 0.95  # fails for k, but two persons of three fail the models
