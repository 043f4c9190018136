"""Paths and MHM against what their definitions read, on small whole numbers, where most distances are tied."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordermade.methods.microaggregation.algorithm.paths import fdh_path, mhm, npn_path
from tests.plain_scans import paths as plain


@st.composite
def records(draw, most_records=200):
    """Records of whole numbers, some few different ones, perhaps far from zero."""
    n, d = draw(st.integers(1, most_records)), draw(st.integers(1, 9))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    far = draw(st.sampled_from([0.0, 1e6, -1e9]))
    return rng.integers(0, draw(st.integers(1, 6)), (n, d), endpoint=True) + far


@settings(max_examples=30, deadline=None)
@given(records(), st.sampled_from([1.0, 1e-3, 1e100, 1e-200]))
def test_npn_is_the_plain_scan(X, scale):
    assert np.array_equal(npn_path(X * scale)[0], plain.npn(X * scale))


@settings(max_examples=30, deadline=None)
@given(records(), st.data())
def test_fdh_is_the_plain_scan(X, data):
    anchors = data.draw(st.lists(st.integers(0, len(X) - 1), min_size=1, max_size=5, unique=True))
    divisor, radius = data.draw(st.sampled_from([1, 1.5, 3])), data.draw(st.sampled_from(["mean", "median"]))
    assert np.array_equal(fdh_path(X, anchors, divisor, radius=radius)[0], plain.fdh(X, anchors, divisor, radius))


@pytest.mark.slow
def test_records_of_clusters_and_of_a_long_tail_too():
    rng = np.random.default_rng(0)
    clusters = rng.normal(size=(20, 13))[rng.integers(0, 20, 2000)] + 0.2 * rng.normal(size=(2000, 13))
    for X in (clusters, np.exp(2 * clusters).round(1)):
        assert np.array_equal(npn_path(X)[0], plain.npn(X))
        assert np.array_equal(fdh_path(X, [3, 5, 7], 2)[0], plain.fdh(X, [3, 5, 7], 2))


@settings(max_examples=30, deadline=None)
@given(records(most_records=25), st.data())
def test_mhm_is_the_shortest_path(X, data):
    k = data.draw(st.integers(1, len(X)))
    path = data.draw(st.permutations(range(len(X))))
    labels, report = mhm(X, path, k)
    sse, _ = plain.groups_of_path(X, path, k)
    assert report.figures["sse"] == pytest.approx(sse, rel=1e-6, abs=1e-6)
    assert report.figures["sse"] == pytest.approx(
        sum(((X[labels == group] - X[labels == group].mean(axis=0)) ** 2).sum() for group in range(report.groups)),
        rel=1e-6,
        abs=1e-6,
    )
    assert report.smallest >= k
    assert report.largest <= max(2 * k - 1, 1)
    assert np.all(np.diff(labels[path]) >= 0)
