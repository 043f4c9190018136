"""Whatever the data: predictions keep to what is proved, and their intervals hold what they say they hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.service_like import services
from ordermade.errors import TooLittleKnown
from ordermade.lattice.observation import Requirement
from ordermade.prediction.forecast import Forecast
from ordermade.prediction.power import fit
from ordermade.prediction.predictors import PREDICTORS
from tests.unit.test_prediction_predictors import Table


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Small tables of any skew and any dependence."""
    rows, attributes = draw(st.integers(1, 300)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shares = draw(st.floats(0.2, 1.0)) ** np.arange(8)
    found = rng.choice(8, size=(rows, attributes), p=shares / shares.sum())
    same = rng.random(rows) < draw(st.floats(0, 1))
    found[same, -1] = found[same, 0]
    return Table(found, levels=draw(st.integers(1, 3)))


@given(tables(), st.data())
@pytest.mark.slow
def test_predictions_never_contradict_what_is_proved(table: Table, data: st.DataObject):
    nodes = list(table.lattice.nodes())
    known = data.draw(st.lists(st.sampled_from(nodes), unique=True, max_size=8))
    most_suppressed = data.draw(st.sampled_from([0, 0, 1, 5, 400]))
    evidence = table.evidence(known, marginals=data.draw(st.booleans())).within(most_suppressed)
    for kind in PREDICTORS.values():
        try:
            found = kind.build(evidence).predict(nodes)
        except TooLittleKnown:
            continue
        for node, each in zip(nodes, found, strict=True):
            bounds = evidence.proofs.bounds(node)
            assert bounds.least_k <= each.low <= each.k <= each.high <= bounds.most_k
            assert "low" not in each.bounded or each.low == bounds.least_k
            assert "high" not in each.bounded or each.high == bounds.most_k
            exact = bounds.least_k == bounds.most_k or each.spread == 0
            assert each.low < each.high or each.bounded or exact
            chances = [each.chance(k) for k in (1, 2, 5, 50, 10**12)]
            assert all(0 <= chance <= 1 and math.isfinite(chance) for chance in chances)
            assert chances == sorted(chances, reverse=True)
            assert each.chance(bounds.least_k) == 1
            assert each.chance(bounds.most_k + 1) == 0


@pytest.mark.slow
@given(tables(), st.data())
def test_a_forecast_never_contradicts_what_was_measured(table: Table, data: st.DataObject):
    nodes = list(table.lattice.nodes())
    asked = data.draw(st.lists(st.sampled_from(nodes), unique=True, max_size=6))
    requirement = Requirement(data.draw(st.integers(1, 20)), data.draw(st.sampled_from([0, 0, 1, 5, 400])))
    forecast = Forecast(table.evidence(marginals=data.draw(st.booleans())), requirement)
    at_once = data.draw(st.integers(0, len(asked)))
    for some in (asked[:at_once], asked[at_once:]):
        forecast.learn({node: table.measure(node) for node in some})
    chance = forecast.chance_to_pass(requirement.k)
    assert np.isfinite(chance).all()
    assert ((chance >= 0) & (chance <= 1)).all()
    for node in asked:
        observation = table.measure(node)
        assert chance[node] == (observation.k_within(requirement.most_suppressed) >= requirement.k)


@pytest.mark.slow
@given(
    st.floats(1, 1e12),
    st.floats(-4, -0.05),
    st.lists(st.integers(2, 10**6), min_size=3, max_size=20, unique=True),
)
def test_a_law_is_found_again_from_its_points(alpha: float, beta: float, xs: list[int]):
    law = fit([(x, alpha * x**beta) for x in xs], plus_one=False)
    for x in xs:
        assert law.k(x) == pytest.approx(alpha * x**beta, rel=1e-6)
        assert law.divisions(1) == pytest.approx(alpha ** (-1 / beta), rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("name", PREDICTORS)
def test_an_interval_of_90_percent_holds_at_least_85(name: str):
    """On the made services, from ten random nodes each, over the nodes that nothing proves."""
    held: list[bool] = []
    for number, service in enumerate(services(30)):
        rng = np.random.default_rng(number)
        nodes = list(service.observations)
        known = [nodes[i] for i in rng.choice(len(nodes) - 1, 10, replace=False)]
        others = [node for node in nodes if node not in known]
        try:
            found = PREDICTORS[name].build(service.evidence(known)).predict(others)
        except TooLittleKnown:
            continue
        held += [
            each.low <= service.observations[node].k <= each.high
            for node, each in zip(others, found, strict=True)
            if each.low < each.high
        ]
    assert len(held) > 200
    assert np.mean(held) >= 0.85
