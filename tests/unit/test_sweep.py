"""A sweep by itself: which k is the best, and which ks can be asked for."""

from __future__ import annotations

import pytest

from ordermade.answering.costs import Costs
from ordermade.answering.sweep import MOST_KS, Point, Sweep, each_k
from ordermade.errors import InputError


def swept(*points: Point) -> Sweep:
    return Sweep(
        title="",
        dataset="d",
        method="mondrian",
        metric="loss",
        meaning="",
        rows=9,
        persons=None,
        points=points,
        cost=Costs(1, 0, 0, 0, 0.5),
    )


def test_the_best_k_has_the_least_total_and_of_equal_ones_is_the_safest() -> None:
    refused = Point(k=8, reason="too few")
    found = swept(Point(k=2, loss=0.1), Point(k=4, loss=0.25), Point(k=5, loss=0.3), refused)
    assert found.best == found.points[2]
    assert [each["total"] for each in found.as_dict()["points"]] == [0.6, 0.5, 0.5, None]
    assert (found.as_dict()["best_k"], refused.safety) == (5, 0.125)
    assert swept(refused).best is None


@pytest.mark.parametrize("asked", [(), (1, 2), (5, -3), (10**13,), range(2, MOST_KS + 3)])
def test_ks_that_protect_nobody_or_are_too_many_are_refused(asked: tuple[int, ...]) -> None:
    assert each_k([9, 2, 9], MOST_KS) == (2, 9)
    with pytest.raises(InputError, match="--k"):
        each_k(asked, MOST_KS)
