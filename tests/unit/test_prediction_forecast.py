"""The forecast of a search: bounds, chances, what a measured node teaches, and forecasts from little."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest

from bench.service_like import LATTICE, Service, evidence, services
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation, Sizes
from ordermade.prediction.cells import ExpectedCells, fineness_of_search
from ordermade.prediction.forecast import Forecast
from ordermade.prediction.prediction import Evidence
from ordermade.prediction.predictors import PREDICTORS
from ordermade.prediction.residuals import USUAL_INTERACTION, Conditioning, Nearness, Residuals, interaction

K = 20


@pytest.fixture(scope="module")
def service() -> Service:
    return services(12)[0]


def brier(forecast: Forecast, service: Service, k: int = K) -> float:
    """The mean squared distance of the chances from what came out."""
    chance = forecast.chance_to_pass(k)
    return float(np.mean([(chance[node] - each.passes(k)) ** 2 for node, each in service.observations.items()]))


def test_arrays_have_the_shape_of_the_accepted_levels_and_chances_are_probabilities(service: Service):
    forecast = Forecast(service.evidence([]))
    for array in (forecast.ln_k, forecast.spread, forecast.divisions, forecast.chance_to_pass(K)):
        assert array.shape == LATTICE.shape
        assert np.isfinite(array).all()
    for k in (1, 2, 50, 10**12):
        chance = forecast.chance_to_pass(k)
        assert (chance >= 0).all()
        assert (chance <= 1).all()
    assert (forecast.chance_to_pass(1) == 1).all()
    assert (forecast.chance_to_pass(10**12) < 1e-6).all()


def test_a_larger_k_is_never_likelier_to_pass(service: Service):
    forecast = Forecast(service.evidence([(0, 1, 1), (0, 0, 2)]))
    chances = [forecast.chance_to_pass(k) for k in (1, 2, 3, 10, 100, 1_000, 100_000)]
    for few, more in pairwise(chances):
        assert (more <= few + 1e-9).all()


def test_what_is_proved_has_a_chance_of_0_or_1(service: Service):
    node: Node = (0, 1, 1)
    k = service.observations[node].k
    assert k > 1
    for forecast in (Forecast(service.evidence([node])), learnt(service, [node])):
        passes, fails = forecast.chance_to_pass(k), forecast.chance_to_pass(k + 1)
        for other in LATTICE.nodes():
            if LATTICE.refines(node, other):
                assert passes[other] == 1
            if LATTICE.refines(other, node):
                assert fails[other] == 0


def learnt(service: Service, nodes: list[Node]) -> Forecast:
    forecast = Forecast(service.evidence([]))
    for node in nodes:
        forecast.learn({node: service.observations[node]})
    return forecast


def test_learning_node_by_node_is_as_knowing_them_from_the_start(service: Service):
    nodes: list[Node] = [(0, 1, 1), (0, 2, 3), (1, 1, 2), (0, 0, 3)]
    one, other = learnt(service, nodes), Forecast(service.evidence(nodes))
    assert np.allclose(one.ln_k, other.ln_k, atol=1e-4)
    assert np.allclose(one.spread, other.spread, atol=1e-4)
    assert np.allclose(one.chance_to_pass(K), other.chance_to_pass(K), atol=1e-4)


def test_a_measured_node_is_met_and_near_ones_move_with_it(service: Service):
    made = service.observations
    node, near, apart = (0, 1, 3), (0, 0, 3), (1, 0, 0)
    forecast = Forecast(service.evidence([]))
    before = forecast.ln_k.copy()
    # As if sex and age had much to do with one another.
    twentieth = max(made[node].k // 20, 1)
    forecast.learn({node: replace(made[node], k=twentieth)})
    after = forecast.ln_k
    assert after[node] == pytest.approx(math.log(twentieth), abs=0.1)
    assert after[near] < before[near] - 0.5
    assert after[apart] == pytest.approx(before[apart])


def test_the_more_is_measured_the_better_the_forecast(service: Service):
    order = np.random.default_rng(7).permutation(len(service.observations))
    nodes = [list(service.observations)[i] for i in order]
    errors = [brier(learnt(service, nodes[:n]), service) for n in (0, 8, 16, 32)]
    assert errors[-1] == 0
    assert errors[2] <= errors[0]
    assert errors[0] < brier(Forecast(Evidence.nothing(LATTICE, service.members)), service)


def test_a_forecast_is_made_from_whatever_is_known(service: Service):
    alone = [node for node in service.observations if sum(map(int.__ne__, node, LATTICE.top)) == 1]
    by_power = Forecast(service.evidence(alone, marginals=False))
    by_rows = Forecast(Evidence.nothing(LATTICE, service.members))
    # The power law knows that fine nodes fail more; the rows alone do not.
    assert by_power.chance_to_pass(K)[0, 0, 0] < by_power.chance_to_pass(K)[1, 2, 2]
    assert np.ptp(by_rows.ln_k) == 0
    by_rows.learn({(0, 1, 1): service.observations[(0, 1, 1)]})
    assert by_rows.chance_to_pass(service.observations[(0, 1, 1)].k + 1)[0, 0, 0] == 0


def test_no_rows_pass_nothing_and_break_nothing():
    forecast = Forecast(Evidence.nothing(LATTICE, 0))
    forecast.learn({LATTICE.top: Observation.from_histogram([])})
    assert (forecast.chance_to_pass(2) == 0).all()


def test_nodes_of_levels_that_were_not_counted_only_bound(service: Service):
    known = service.evidence([(0, 1, 1), (0, 0, 1)])
    accepted = replace(LATTICE.axes[1], accepted=(1, 2, 3))
    narrow = replace(LATTICE, axes=(LATTICE.axes[0], accepted, LATTICE.axes[2]))
    marginals = list(known.marginals)
    marginals[1] = {level: sizes for level, sizes in marginals[1].items() if level != 0}
    some = evidence(narrow, service.members, known.observed, tuple(marginals))
    forecast = Forecast(some)
    assert forecast.ln_k.shape == (2, 3, 4)
    PREDICTORS["pairs"].build(some).predict(list(narrow.nodes()))
    k = service.observations[(0, 0, 1)].k
    assert forecast.chance_to_pass(k)[0, 0, 1] == 1


def test_an_earlier_version_is_a_hint_and_no_bound(service: Service):
    node: Node = (0, 1, 1)
    far = replace(service.observations[node], k=1)
    hinted = Forecast(replace(service.evidence([]), earlier={node: far}))
    plain = Forecast(service.evidence([]))
    assert hinted.ln_k[node] < plain.ln_k[node]
    assert 0 < hinted.chance_to_pass(2)[node] < 1


def test_nodes_that_are_left_out_change_nothing_of_the_others(service: Service):
    whole, narrowed = Forecast(service.evidence([])), Forecast(service.evidence([]))
    wanted = np.zeros(LATTICE.shape, dtype=np.bool_)
    for step, node in enumerate([(0, 1, 1), (0, 2, 3), (1, 1, 2), (0, 0, 3), (1, 0, 1)]):
        wanted[:] = False
        wanted[:, step // 2 :, : 4 - step // 2] = True
        narrowed.narrow(wanted)
        for forecast in (whole, narrowed):
            forecast.learn({node: service.observations[node]})
        for array in ("ln_k", "spread"):
            assert getattr(narrowed, array)[wanted] == pytest.approx(getattr(whole, array)[wanted], abs=1e-9)
        assert narrowed.chance_to_pass(K)[wanted] == pytest.approx(whole.chance_to_pass(K)[wanted], abs=1e-9)
    assert np.isnan(narrowed.ln_k[~wanted]).any()
    assert (narrowed.chance_to_pass(K)[np.isnan(narrowed.ln_k)] == 0).all()


def test_few_nodes_are_expected_from_few_figures():
    """Or a search of 160 nodes thinks longer than it counts."""
    sizes: list[dict[int, Sizes]] = [{0: ((100, 300),), 1: ((3_000, 10),), 2: ((30_000, 1),)}] * 4
    for nodes in (16, 160, 6_480, 86_400):
        cells = ExpectedCells(30_000, sizes, fineness=fineness_of_search(nodes))
        assert cells._least.outcomes.size < 100_000


RESIDUALS = [((0, 1, 1), -0.4, 0.01), ((1, 0, 2), 0.3, 0.02), ((0, 3, 0), 0.2, 0.05), ((0, 2, 2), -0.1, 0.01)]
"""Nodes, some of them not accepted below; residuals; variances of their noise."""


def test_residuals_are_conditioned_as_a_gaussian_process_is():
    nearness = Nearness(tuple(np.log(each) for each in ([7.0, 1.0], [30.0, 6.0, 2.0, 1.0], [12.0, 5.0, 3.0, 1.0])))
    axes = [np.array([0, 1]), np.array([0, 1, 3]), np.array([1, 2, 3])]
    cells = np.array(list(product(*axes)))
    found = Residuals.of(RESIDUALS, 3)
    known = 0.09 * nearness.covariance(found.nodes, found.nodes) + np.diag(found.noise)
    across = 0.09 * nearness.covariance(cells, found.nodes)
    mean = across @ np.linalg.solve(known, found.values)
    variance = 0.09 * nearness.own_of(cells) - (across * np.linalg.solve(known, across.T).T).sum(axis=1)

    at_once = Conditioning(nearness, axes, 0.3, found)
    one_by_one, in_parts = (Conditioning(nearness, axes, 0.3, Residuals.of(RESIDUALS[:1], 3)) for _ in range(2))
    for each in RESIDUALS[1:]:
        one_by_one.add(Residuals.of([each], 3))
    in_parts.add(Residuals.of(RESIDUALS[1:3], 3))
    in_parts.add(Residuals.of(RESIDUALS[3:], 3))
    for conditioned in (at_once, one_by_one, in_parts):
        assert conditioned.mean == pytest.approx(mean, abs=1e-5)
        assert conditioned.variance == pytest.approx(variance, abs=1e-5)
        assert len(conditioned) == len(RESIDUALS)


def test_the_size_of_interactions_is_the_likeliest_of_those_that_are_tried():
    nearness = Nearness(tuple(np.log(each) for each in ([7.0, 1.0], [30.0, 6.0, 2.0, 1.0], [12.0, 5.0, 3.0, 1.0])))
    for times in (0.1, 1.0, 8.0):
        found = Residuals.of([(node, times * value, noise) for node, value, noise in RESIDUALS], 3)

        def likelihood(scale: float, found: Residuals = found) -> float:
            known = scale**2 * nearness.covariance(found.nodes, found.nodes) + np.diag(found.noise)
            explained = float(found.values @ np.linalg.solve(known, found.values))
            prior = 3 * math.log(scale / USUAL_INTERACTION) ** 2
            return -0.5 * explained - 0.5 * float(np.linalg.slogdet(known)[1]) - prior

        tried = np.exp(np.linspace(math.log(0.02), math.log(2.0), 12))
        assert interaction(nearness, found) == pytest.approx(max(tried, key=likelihood))
