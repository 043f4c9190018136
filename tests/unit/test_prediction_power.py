"""The power law: equations (1) and (2), what it is fitted to, and what it refuses."""

from __future__ import annotations

import math

import pytest

from ordermade.errors import Refused, TooLittleKnown
from ordermade.prediction.power import PowerLaw, fit, mean_k
from ordermade.prediction.prediction import scores


def points(alpha: float, beta: float, plus: int, xs: tuple[int, ...] = (2, 3, 9, 47)) -> list[tuple[int, float]]:
    return [(x, alpha * x**beta + plus) for x in xs]


@pytest.mark.parametrize("plus_one", [True, False])
def test_the_law_that_made_the_points_is_found(plus_one: bool):
    law = fit(points(5_000, -1.5, int(plus_one)), plus_one=plus_one)
    assert law.alpha == pytest.approx(5_000)
    assert law.beta == pytest.approx(-1.5)
    assert law.plus_one is plus_one
    assert law.k(100) == pytest.approx(5_000 * 100**-1.5 + plus_one)


def test_equation_2_is_the_inverse_of_equation_1():
    law = PowerLaw(114_659, -1.414)
    for k in (2, 10, 50, 10**6):
        assert law.k(law.divisions(k)) == pytest.approx(k)
    assert law.divisions(1) == math.inf
    assert PowerLaw(100.0, -1.0, plus_one=False).divisions(1) == pytest.approx(100)


def test_nodes_of_the_same_divisions_count_as_their_mean():
    spread = [(2, 900.0), (2, 1_100.0), (4, 250.0), (8, 60.0), (8, 65.0)]
    assert mean_k(spread) == {2: 1_000, 4: 250, 8: 62.5}
    law = fit(spread, plus_one=False)
    assert law.alpha == pytest.approx(4_000)
    assert law.beta == pytest.approx(-2)


def test_the_root_is_no_point_and_points_at_the_limit_have_no_logarithm():
    true = points(5_000, -1.5, 1)
    assert fit([(1, 17), *true, (4_000, 1)]) == fit(true)


@pytest.mark.parametrize(
    ("known", "says"),
    [
        ([], "3 different numbers of divisions above 1, 0 are known"),
        ([(9, 100)], "1 are known"),
        ([(9, 100), (9, 80), (9, 60)], "1 are known"),
        ([(1, 500), (2, 300), (9, 100)], "2 are known"),
        ([(2, 1), (3, 1), (4, 1), (8, 1)], "fewer than 3 of 4 measured points have a k above 1"),
        ([(2, 5), (3, 5), (4, 5)], "k does not fall"),
        ([(2, 5), (3, 50), (4, 500)], "k does not fall"),
    ],
)
def test_what_carries_no_law_is_refused_and_says_why(known: list[tuple[int, float]], says: str):
    with pytest.raises(TooLittleKnown, match=says) as caught:
        fit(known)
    assert isinstance(caught.value, Refused)
    assert caught.value.exit_status == 1
    assert caught.value.next_step


def test_k_of_1_everywhere_has_a_law_only_without_its_limit_of_1():
    with pytest.raises(TooLittleKnown, match="k does not fall"):
        fit([(2, 1), (3, 1), (4, 1)], plus_one=False)


@pytest.mark.parametrize("bad", [(2, math.nan), (2, math.inf), (2, -1.0), (-2, 5.0)])
def test_a_figure_that_is_none_is_an_error(bad: tuple[int, float]):
    with pytest.raises(ValueError, match="cannot have"):
        fit([bad, *points(5_000, -1.5, 1)])


def test_huge_k_and_steep_laws_stay_finite_or_say_infinite():
    law = fit([(x, 1e12 * x**-2 + 1) for x in (2, 5, 9, 100)])
    assert law.k(2) == pytest.approx(2.5e11)
    assert 0 < law.divisions(10**12) < 2
    assert PowerLaw(1e6, -1e-3).divisions(2) == math.inf
    with pytest.raises(ValueError, match="above 0"):
        law.k(0)


def test_scores_by_hand():
    found = scores([(10, 5), (20, 20), (30, 60), (50, 50)])
    assert found.mean_ratio_error == pytest.approx((2 + 1 + 2 + 1) / 4)
    assert found.nodes == 4
    measured, predicted = [10, 20, 30, 50], [5, 20, 60, 50]
    mean_m, mean_p = sum(measured) / 4, sum(predicted) / 4
    sxy = sum((m - mean_m) * (p - mean_p) for m, p in zip(measured, predicted, strict=True))
    sxx = sum((p - mean_p) ** 2 for p in predicted)
    syy = sum((m - mean_m) ** 2 for m in measured)
    r = sxy / math.sqrt(sxx * syy)
    assert found.r == pytest.approx(r)
    assert found.r2 == pytest.approx(r * r)
    assert found.adjusted_r2 == pytest.approx(1 - (1 - r * r) * 3 / 2)
    residual = sum((m - mean_m - sxy / sxx * (p - mean_p)) ** 2 for m, p in zip(measured, predicted, strict=True))
    assert found.standard_error == pytest.approx(math.sqrt(residual / 2))


def test_scores_that_have_no_correlation_say_none():
    for pairs in ([(5, 5), (6, 6)], [(5, 1), (5, 2), (5, 3)], [(1, 5), (2, 5), (3, 5)]):
        found = scores(pairs)
        assert found.r is found.r2 is found.adjusted_r2 is found.standard_error is None
        assert found.mean_ratio_error >= 1


@pytest.mark.parametrize("bad", [(math.nan, 1), (1, math.inf), (0, 1), (1, 0)])
def test_scores_of_what_is_no_k_are_an_error(bad: tuple[float, float]):
    with pytest.raises(ValueError, match="finite numbers above 0"):
        scores([bad, (2, 2)])


def test_scores_of_nothing_are_refused():
    with pytest.raises(TooLittleKnown, match="no node was measured"):
        scores([])
