"""Improved groups on small random tables, many of their records equal, against every partition there is."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ordermade.methods.microaggregation.algorithm.improving import improve
from ordermade.methods.microaggregation.algorithm.loss import information_loss
from ordermade.methods.microaggregation.algorithm.one_dimension import optimal_1d

FEW_VALUES = st.sampled_from([0.0, 1.0, 1.0 + 1e-9, 2.0, 10.0, -7.5, 0.1, 1e6])
ANY_VALUES = st.floats(-1e9, 1e9, allow_nan=False)


@st.composite
def tables_and_starts(draw: st.DrawFn, columns: int = 3) -> tuple[np.ndarray, np.ndarray, int]:
    k = draw(st.integers(1, 4))
    groups = draw(st.integers(1, 6))
    n = groups * k + draw(st.integers(0, 5))
    X = draw(
        arrays(np.float64, (n, draw(st.integers(1, columns))), elements=draw(st.sampled_from([FEW_VALUES, ANY_VALUES])))
    )
    labels = np.arange(n) % groups
    return X, np.random.default_rng(draw(st.integers(0, 99))).permutation(labels), k


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(tables_and_starts(), st.sampled_from([None, 0, 1, 3]))
def test_groups_are_valid_and_never_worse_than_their_start(case, rounds):
    X, start, k = case
    labels, report = improve(X, start, k, rounds=rounds)
    sizes = np.bincount(labels)
    assert labels.dtype == np.int32
    assert sizes.min() >= k
    assert (report.groups, report.smallest, report.largest) == (sizes.size, sizes.min(), sizes.max())
    fresh = information_loss(X, labels).sse
    assert fresh <= information_loss(X, start).sse
    assert report.figures["sse"] == fresh


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(tables_and_starts(columns=1))
def test_one_attribute_is_never_below_its_optimum(case):
    X, start, k = case
    labels, _ = improve(X, start, k, rounds=3)
    least = information_loss(X, optimal_1d(X, k)[0]).sse
    assert information_loss(X, labels).sse >= least * (1 - 1e-12)


def test_the_least_sse_of_all_partitions_is_nearly_always_found():
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(20):
        k = int(rng.integers(2, 4))
        X = rng.normal(size=(int(rng.integers(2 * k, 9)), 2)).round(int(rng.integers(0, 3)))
        least = min(_sse(X, groups) for groups in _partitions(list(range(len(X))), k))
        _, report = improve(X, rng.permutation(np.arange(len(X)) % 2), k, rounds=1)
        assert report.figures["sse"] >= least - 1e-9
        found += report.figures["sse"] <= least + 1e-9
    assert found >= 19


def _sse(X: np.ndarray, groups: list[list[int]]) -> float:
    return sum(float(((X[group] - X[group].mean(0)) ** 2).sum()) for group in groups)


def _partitions(rows: list[int], k: int) -> Iterator[list[list[int]]]:
    """Every partition of rows in groups of k or more (k = 2 or 3)."""
    if not rows:
        yield []
        return
    first, rest = rows[0], rows[1:]
    for chosen in range(1 << len(rest)):
        group = [first] + [row for place, row in enumerate(rest) if chosen >> place & 1]
        left = [row for place, row in enumerate(rest) if not chosen >> place & 1]
        if k <= len(group) < 2 * k and (not left or len(left) >= k):
            yield from ([group, *others] for others in _partitions(left, k))
