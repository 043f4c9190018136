"""The terms of a certificate: an objective without a second count has none, so that nothing of it is certified."""

from __future__ import annotations

from fractions import Fraction
from typing import get_args

import pytest

from ordermade.certificates.claims import ClaimedColumn, ClaimedTerms
from ordermade.errors import Unproved
from ordermade.loss.metrics import METRICS, MetricName


def _terms(objective: str, costs: tuple[Fraction, ...] | None) -> ClaimedTerms:
    column = ClaimedColumn((0, 1), frozenset((0, 1)), ((True, True), (False, True)), Fraction(1), costs)
    return ClaimedTerms(2, 0, 10, False, True, None, objective, (column,), Fraction())


@pytest.mark.parametrize("name", sorted(get_args(MetricName)))
def test_every_metric_has_a_second_count(name: str) -> None:
    costs = (Fraction(), Fraction(1)) if METRICS[name].weighted else None
    assert _terms(name, costs).objective == name


@pytest.mark.parametrize("costs", [None, (Fraction(), Fraction(1))])
def test_an_objective_that_no_claim_scores_is_refused(costs: tuple[Fraction, ...] | None) -> None:
    with pytest.raises(Unproved, match="no second count of blur"):
        _terms("blur", costs)


@pytest.mark.parametrize(
    ("name", "costs"), [("loss", None), ("prec", None), ("dm", (Fraction(), Fraction(1))), ("classes", (Fraction(),))]
)
def test_levels_that_cost_otherwise_than_the_objective_adds_up_are_refused(
    name: str, costs: tuple[Fraction, ...] | None
) -> None:
    """A sum whose levels cost nothing would score 0 everywhere: the worst node would be as good as the best."""
    with pytest.raises(Unproved, match=f"no second count of {name}"):
        _terms(name, costs)
