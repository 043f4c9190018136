"""The Brier score and the bins of forecasts against plain counting, and against forecasts known to be right."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordermade.prediction.calibration import BINS, brier, calibration

FORECASTS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60)


@given(FORECASTS)
def test_the_score_and_the_bins_are_those_of_plain_counting(judged: list[tuple[float, bool]]):
    exact = sum((Fraction(chance) - int(passed)) ** 2 for chance, passed in judged) / len(judged)
    assert brier(judged) == pytest.approx(float(exact))
    found = calibration(judged)
    assert found.forecasts == sum(each.forecasts for each in found.bins) == len(judged)
    for each in found.bins:
        inside = [
            (chance, passed)
            for chance, passed in judged
            if each.low <= chance < each.high or (chance == 1 and each.high == 1)
        ]
        # A chance within rounding of an end may count on either side of it.
        if all(min(abs(chance * BINS - end) for end in range(BINS + 1)) > 1e-9 for chance, _ in judged):
            assert each.forecasts == len(inside)
            if inside:
                assert each.chance == pytest.approx(sum(chance for chance, _ in inside) / len(inside))
                assert each.passed == pytest.approx(sum(passed for _, passed in inside) / len(inside))
        if each.forecasts:
            assert each.least is not None
            assert each.passed is not None
            assert each.most is not None
            assert -1e-12 <= each.least <= each.passed + 1e-9
            assert each.passed - 1e-9 <= each.most <= 1 + 1e-12


def test_right_forecasts_lie_on_the_diagonal_and_score_their_own_variance():
    chance = random.Random(3)
    drawn = [chance.random() for _ in range(20_000)]
    judged = [(each, chance.random() < each) for each in drawn]
    found = calibration(judged)
    assert found.brier == pytest.approx(1 / 6, abs=0.005)  # the mean of p (1 - p)
    assert found.brier_of_share == pytest.approx(0.25, abs=0.005)
    for each in found.bins:
        assert each.passed == pytest.approx(each.chance, abs=0.04)


def test_what_is_proved_is_not_judged_but_counted_where_it_was_wrong():
    found = calibration([(0.5, True)], [(1.0, True), (0.0, True)])
    assert (found.forecasts, found.proved, found.proved_wrong) == (1, 2, 1)
    assert found.brier == 0.25
    nothing = calibration([])
    assert nothing.brier is None
    assert sum(each.forecasts for each in nothing.bins) == 0


@pytest.mark.parametrize("judged", [[], [(1.5, True)]])
def test_no_chance_has_no_score(judged: list[tuple[float, bool]]):
    with pytest.raises(ValueError, match="chances from 0 to 1"):
        brier(judged)
