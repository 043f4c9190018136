"""MDAV and V-MDAV against plain scans of all records: the same labels, whatever ties there are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordermade.methods.microaggregation.algorithm.mdav_groups import mdav
from ordermade.methods.microaggregation.algorithm.vmdav_groups import vmdav
from tests.long import rounds
from tests.plain_scans.mdav import plain_mdav, plain_vmdav


@st.composite
def tables(draw):
    """Records of one to five columns, most with ties: whole numbers, multiples of 0.1, repeated rows, any numbers."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, columns = draw(st.sampled_from([3, 17, 60, 300, 1200])), draw(st.integers(1, 5))
    n += draw(st.integers(0, 16))
    normal = rng.normal(size=(n, columns))
    kinds = {
        "whole": lambda: rng.integers(0, 4, (n, columns)).astype(float),
        "tenths": lambda: rng.integers(-30, 30, (n, columns)) * 0.1,
        "repeated": lambda: normal[rng.integers(0, n // 2, n)],
        "equal": lambda: np.full((n, columns), 0.1),
        "normal": lambda: normal,
        "offset": lambda: normal + 1e9,
        "skewed": lambda: np.exp(5 * normal),
        "tiny": lambda: normal * 1e-160,
    }
    return np.ascontiguousarray(kinds[draw(st.sampled_from(list(kinds)))]())


@pytest.mark.slow
@pytest.mark.long
@settings(deadline=None, max_examples=rounds(30, 60))
@given(tables(), st.integers(1, 12))
def test_mdav_is_the_plain_scan(X, k):
    k = min(k, len(X))
    labels, report = mdav(X, k)
    np.testing.assert_array_equal(labels, plain_mdav(X, k, False))
    sizes = np.bincount(labels).tolist()
    assert (report.groups, report.smallest, report.largest) == (len(sizes), min(sizes), max(sizes))
    assert sizes == [k] * (len(X) // k - 1) + [k + len(X) % k]


@pytest.mark.slow
@pytest.mark.long
@settings(deadline=None, max_examples=rounds(30, 60))
@given(tables(), st.integers(1, 12), st.sampled_from([0.0, 0.2, 1.0, 1.5, 3.0]))
def test_vmdav_is_the_plain_scan(X, k, gamma):
    k = min(k, len(X))
    labels, report = vmdav(X, k, gamma)
    np.testing.assert_array_equal(labels, plain_vmdav(X, k, gamma))
    assert report.smallest >= k
    assert report.largest <= 2 * k - 1 + report.figures["leftovers"]


@pytest.mark.parametrize(("n", "k"), [(100, 7), (99, 10), (64, 8)])
def test_on_one_attribute_one_group_alone_has_more_than_k_records(n, k):
    x = np.random.default_rng(n).normal(size=n)
    labels, _ = mdav(x, k)
    along = labels[np.argsort(x)]
    sizes = np.diff(np.flatnonzero(np.diff(along, prepend=-1, append=-1)))
    assert sorted(sizes) == [k] * (n // k - 1) + [k + n % k]
