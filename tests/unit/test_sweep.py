"""A sweep by itself: which k is the best, and which ks can be asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ordermade.cli.render.figures import check_plot
from ordermade.errors import InputError, StateFault
from ordermade.methods.shared.open_request import Costs
from ordermade.methods.shared.sweep import MOST_KS, Point, Sweep, each_k
from ordermade.methods.shared.sweep_words import headings


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


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no folder /proc, where no file can be made")
def test_a_plot_that_cannot_be_written_is_refused_before_anything_runs() -> None:
    with pytest.raises(StateFault, match=r"/proc/x\.png: the plot cannot be written here") as caught:
        check_plot(Path("/proc/x.png"))
    assert "--state" not in str(caught.value)
    assert caught.value.next_step == "Name a file in a folder that can be written to."


def test_customers_whose_history_is_not_whole_are_called_so() -> None:
    found = swept(Point(k=2, loss=0.1, suppressed_rows=3, suppressed_persons=2))
    assert "persons suppressed" in headings(found)
    assert "customers incomplete" in headings(replace(found, method="history"))
