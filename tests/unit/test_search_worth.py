"""The worth of a question for objectives of the classes, and the forecasts of figures that it rests on."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bench.service_like import LATTICE, Service, services
from ordermade.lattice.lattice import Node
from ordermade.prediction.figures import FigureForecast, Normal
from ordermade.prediction.forecast import Forecast
from ordermade.prediction.independence import HALF, Margins
from ordermade.search.grid import RefinementIndex
from ordermade.search.worth import GROUPS, expected_beyond, ln_of, ln_room

NODES = list(LATTICE.nodes())


@pytest.fixture(scope="module")
def service() -> Service:
    return services(12)[0]


def true_ln_squares(service: Service) -> dict[Node, float]:
    return {node: math.log(each.sum_of_squares) for node, each in service.observations.items()}


def figure_of(service: Service, measured: list[Node]) -> FigureForecast:
    forecast, true = Forecast(service.evidence([])), true_ln_squares(service)
    assert forecast.margins is not None
    levels = [np.array(axis.accepted) for axis in LATTICE.axes]
    expected = forecast.margins.ln_squares_over(levels).reshape(LATTICE.shape)
    return FigureForecast(LATTICE, forecast.nearness, expected, [(node, true[node], 0.0) for node in measured])


def error(found: Normal, true: dict[Node, float]) -> float:
    return float(np.mean([(found.mean[node] - value) ** 2 for node, value in true.items()]))


def test_measured_nodes_correct_the_figures_of_the_others():
    measured = NODES[1 :: len(NODES) // 6]
    before, after = [], []
    for service in services(8):
        true = true_ln_squares(service)
        left = {node: value for node, value in true.items() if node not in measured}
        before.append(error(figure_of(service, []).forecast(), left))
        found = figure_of(service, measured).forecast()
        after.append(error(found, left))
        for node in measured:
            assert found.mean[node] == pytest.approx(true[node], abs=0.2)
    assert np.mean(after) < np.mean(before)


def test_figures_are_learnt_one_by_one_as_at_once(service: Service):
    true, measured = true_ln_squares(service), NODES[:: len(NODES) // 4][:4]
    at_once, one_by_one = figure_of(service, measured), figure_of(service, [])
    for node in measured:  # at four nodes everything is conditioned anew
        one_by_one.learn([(node, true[node], 0.0)])
    assert one_by_one.forecast().mean == pytest.approx(at_once.forecast().mean)
    assert one_by_one.forecast().spread == pytest.approx(at_once.forecast().spread)


def test_the_squares_of_a_single_attribute_are_its_own(service: Service):
    evidence = service.evidence([])
    assert evidence.marginals is not None
    ln_squares = Margins(evidence).ln_squares_over([np.array(axis.accepted) for axis in LATTICE.axes])
    top = LATTICE.top
    for place, axis in enumerate(LATTICE.axes):
        for level in axis.accepted:
            node = (*top[:place], level, *top[place + 1 :])
            sizes = evidence.marginals[place].get(level, ((service.members, 1),))
            squares = sum(size * size * classes for size, classes in sizes)
            found = ln_squares[np.ravel_multi_index(node, LATTICE.shape)]
            assert math.exp(found) == pytest.approx(squares + service.members)


def test_cells_are_counted_whose_room_a_sure_figure_is_beyond():
    """Of as many rooms as there are groups, each group has one room: the count is exact."""
    chance = np.random.default_rng(3)
    reach = RefinementIndex(LATTICE)
    room = chance.integers(0, GROUPS, LATTICE.shape).astype(np.float64)
    still = chance.random(LATTICE.shape) < 0.5
    sure = Normal(chance.integers(0, GROUPS, LATTICE.shape) + 0.5, np.full(LATTICE.shape, 1e-3))
    at_least = np.where(chance.random(LATTICE.shape) < 0.2, 1.0, 0.0)
    found = expected_beyond(room, still, sure, at_least, reach.finer_sums)
    for node in NODES:
        finer = [each for each in NODES if LATTICE.refines(each, node) and still[each]]
        beyond = sum(at_least[node] == 1 or sure.mean[node] > room[each] for each in finer)
        assert found[node] == pytest.approx(beyond, abs=1e-6)


def test_a_room_of_nothing_is_below_any_figure():
    assert (ln_room(np.array([-5.0, 0.0])) < math.log(HALF)).all()
    assert ln_of(-100) < ln_of(-10) < ln_of(0.5) < ln_of(3)
