"""Groups of small random tables, many of their records equal, in random classes, by any method, in blocks or whole."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ordermade.methods.microaggregation.algorithm import grouping
from ordermade.methods.microaggregation.algorithm.grouping import blocks_of, grouped, sides_of
from ordermade.methods.microaggregation.algorithm.loss import information_loss
from ordermade.methods.microaggregation.algorithm.methods import METHODS, Options

VALUES = st.sampled_from([0.0, 1.0, 1.0 + 1e-9, 2.0, 10.0, -7.5, 0.1, 1e6])


@st.composite
def tables_in_classes(draw: st.DrawFn) -> tuple[np.ndarray, int, list[int]]:
    k = draw(st.integers(1, 4))
    sizes = draw(st.lists(st.integers(k, 12), min_size=1, max_size=4))
    return draw(arrays(np.float64, (sum(sizes), draw(st.integers(1, 3))), elements=VALUES)), k, sizes


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(tables_in_classes(), st.sampled_from(list(METHODS)), st.booleans(), st.booleans())
def test_groups_are_of_k_or_more_in_their_class_never_worse_than_their_start_and_the_same_again(case, name, cut, small):
    X, k, sizes = case
    if METHODS[name].takes == "one numeric attribute":
        X = X[:, :1].copy()
    largest = 6 if cut else 1000
    with (
        patch.object(grouping, "METHODS", {of: replace(each, largest_block=largest) for of, each in METHODS.items()}),
        patch.multiple(grouping, SIDE=5, BUNDLE=1 if small else 30),
    ):
        found = grouped(X, k, Options(name, seconds=None, rounds=1), classes=sizes, threads=2)
        again = grouped(X, k, Options(name, seconds=None, rounds=1), classes=sizes, threads=1)
        method = "mdav" if found.algorithm not in METHODS else found.algorithm
        start = grouped(X, k, Options(method, seconds=None, improve=False), classes=sizes)
    assert np.bincount(found.labels).min() >= k
    of_class = np.repeat(np.arange(len(sizes)), sizes)
    assert len(set(zip(of_class, found.labels, strict=True))) == found.report.groups == found.labels.max() + 1
    np.testing.assert_array_equal(found.labels, again.labels)
    if name != "auto":
        assert information_loss(X, found.labels).sse <= information_loss(X, start.labels).sse * (1 + 1e-9)


@settings(max_examples=60, deadline=None)
@given(tables_in_classes(), st.integers(1, 8), st.integers(2, 4))
def test_blocks_and_sides_are_every_row_once(case, largest, sides):
    X, k, _ = case
    cut = blocks_of(X, np.arange(len(X)), k, largest)
    assert min(block.size for block in cut) >= k
    assert max(block.size for block in cut) <= max(largest, 2 * k - 1)
    labels = np.arange(len(X), dtype=np.int32) // k
    apart = sides_of(X, labels, sides)
    for rows in (cut, apart):
        np.testing.assert_array_equal(np.sort(np.concatenate(rows)), np.arange(len(X)))
    assert sum(np.unique(labels[side]).size for side in apart) == labels.max() + 1
