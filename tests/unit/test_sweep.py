"""A sweep by itself: its figures, and which ks can be asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ordermade.errors import InputError, RequestError, StateFault
from ordermade.methods.shared.open_request import Costs
from ordermade.methods.shared.sweep import MAX_KS, Point, Sweep, admitted, each_k, headings, in_order, rows
from ordermade.plots.plot_files import check_plot
from ordermade.privacy.least_k import DatasetTerms


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


def test_screen_and_json_have_one_risk_and_one_loss_and_name_no_best() -> None:
    refused = Point(k=8, reason="too few")
    passing = Point(k=4, measured_k=5, loss=0.25, losses={"prec": 0.25, "loss": 0.75})
    found = replace(swept(passing, refused), metric="prec")
    assert [row[:4] for row in rows(found)] == [(4, 0.2, "1 in 5", 0.25), (8, None, None, None)]
    assert headings(found)[:4] == ("k", "risk", "chance", "loss (prec)")
    assert [(each["risk"], each["loss"]) for each in found.as_dict()["points"]] == [(0.2, 0.25), (None, None)]
    assert not any("best" in key or key in ("safety", "total") for key in found.as_dict())
    assert (found.passes, swept(refused).passes) == (True, False)


def test_a_k_below_the_least_is_a_refused_point_and_ends_nothing() -> None:
    terms = DatasetTerms(least_k=5)
    allowed, below = admitted((3, 4, 5, 6), terms, "d")
    assert allowed == (5, 6)
    assert [each.k for each in in_order((Point(k=5, loss=0.1), *below))] == [3, 4, 5]
    assert below[0].reason == "k of 3 is less than 5, the least k of the dataset 'd'"
    with pytest.raises(RequestError, match="least k of the dataset"):
        admitted((3, 4), terms, "d")


@pytest.mark.parametrize("asked", [(), (1, 2), (5, -3), (10**13,), range(2, MAX_KS + 3)])
def test_ks_that_protect_nobody_or_are_too_many_are_refused(asked: tuple[int, ...]) -> None:
    assert each_k([9, 2, 9], MAX_KS) == (2, 9)
    with pytest.raises(InputError, match="--k"):
        each_k(asked, MAX_KS)


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
