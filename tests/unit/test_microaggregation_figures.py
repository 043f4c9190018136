"""How a release changed means, variances and correlations, against numpy's own figures."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest

from ordermade.errors import InputError
from ordermade.methods.microaggregation.algorithm.aggregates import released_numbers
from ordermade.methods.microaggregation.algorithm.columns import Numeric
from ordermade.methods.microaggregation.algorithm.figures import AttributeChange, changes
from ordermade.methods.microaggregation.algorithm.groups import groups_of

RNG = np.random.default_rng(11)
X = RNG.normal(size=(90, 3)) @ RNG.normal(size=(3, 3))
ORIGINALS = [X[:, 0] * 1e200, X[:, 1] + 1e6, 2**60 + np.rint(X[:, 2] * 1e6).astype(np.int64), np.full(90, 0.1)]
GROUPS = groups_of(np.argsort(np.argsort(X[:, 0])) // 4, 90)


def test_figures_before_and_after_are_those_of_all_records():
    released = [released_numbers(Numeric(each), GROUPS).values for each in ORIGINALS]
    found = changes(ORIGINALS, released, GROUPS)
    after = [each[GROUPS.labels] for each in released]
    for change, one, other in zip(found.attributes[:3], ORIGINALS, after, strict=False):
        assert change.mean_after == pytest.approx(change.mean_before, rel=1e-12)
        assert change.mean_before == pytest.approx(one.mean(), rel=1e-9)
        near, moved = ((each - one[0]) / abs(float(one[0])) for each in (one, other))  # squares of 1e200 are no numbers
        assert change.variance_ratio == pytest.approx(moved.var() / near.var(), rel=1e-3)
    assert found.attributes[3] == AttributeChange(0.1, 0.1, None)
    tables = [np.corrcoef([each[0] / 1e200, each[1], each[2] - 2**60]) for each in (ORIGINALS, after)]
    pairs = {(pair.one, pair.other): pair for pair in found.correlations}
    for one, other in [(0, 1), (0, 2), (1, 2)]:
        assert pairs[one, other].before == pytest.approx(tables[0][one, other], abs=1e-9)
        assert pairs[one, other].after == pytest.approx(tables[1][one, other], abs=1e-3)
        assert pairs[one, other].change <= found.most_changed.change
    assert pairs[0, 3].before is pairs[0, 3].after is pairs[0, 3].change is None
    assert len(json.loads(json.dumps(asdict(found)))["correlations"]) == 6


def test_what_one_group_leaves_has_no_correlation():
    x, y = X[:, 0], X[:, 1]
    everyone = groups_of(np.zeros(90, dtype=int), 90)
    found = changes([x, y], [np.array([x.mean()]), np.array([y.mean()])], everyone)
    assert found.attributes[0].variance_ratio == 0
    assert found.correlations[0].after is None
    assert found.most_changed is None
    # Equal but for the noise of rounding is equal.
    noisy = changes([x, y], [np.array([0.5, np.nextafter(0.5, 1)]), np.arange(2.0)], groups_of(np.arange(90) // 45, 90))
    assert noisy.correlations[0].after is None


def test_what_does_not_go_together_is_refused():
    with pytest.raises(InputError, match="same order"):
        changes([X[:, 0]], [], GROUPS)
    with pytest.raises(InputError, match="other groups"):
        changes([X[:, 0]], [X[:, 0]], GROUPS)
