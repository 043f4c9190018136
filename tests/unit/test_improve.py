"""What improve gives back: budgets, seeds, the starts that cannot be improved, and bad input."""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest

from ordermade.errors import InputError
from ordermade.methods.microaggregation.algorithm import improving
from ordermade.methods.microaggregation.algorithm.improving import improve
from ordermade.methods.microaggregation.algorithm.loss import information_loss


def records(n: int = 120, columns: int = 3, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, columns))


def in_order(n: int, k: int) -> np.ndarray:
    return np.minimum(np.arange(n) // k, n // k - 1)


def test_two_mixed_groups_are_told_apart_by_swaps():
    labels, report = improve([0, 10, 1, 11, 2, 12], [0, 0, 0, 1, 1, 1], 3)
    assert labels.tolist() == [0, 1, 0, 1, 0, 1]
    assert report.figures["sse"] == 4
    assert report.figures["swaps"] >= 1
    assert report.figures["rounds"] == 0


def test_a_group_that_can_be_two_is_split():
    labels, report = improve([[0.0], [9.0], [0.5], [9.5]], [0, 0, 0, 0], 2)
    assert labels.tolist() == [0, 1, 0, 1]
    assert report.figures["split"] == 1


def test_rounds_alone_give_the_same_groups_for_a_seed():
    X, start = records(), in_order(120, 4)
    one, told = improve(X, start, 4, rounds=4, rng=np.random.default_rng(7))
    two, told_again = improve(X, start, 4, rounds=4, rng=np.random.default_rng(7))
    assert one.tolist() == two.tolist()
    assert told == told_again
    assert told.figures["rounds"] == 4
    descent, _ = improve(X, start, 4)
    assert information_loss(X, one).loss < information_loss(X, descent).loss


def test_an_offset_costs_nothing():
    X, start = records().round(3), in_order(120, 3)
    near, far = improve(X, start, 3, rounds=2)[0], improve(X + 2.0**40, start, 3, rounds=2)[0]
    assert information_loss(X, far).sse == pytest.approx(information_loss(X, near).sse, rel=0.05)


@pytest.mark.slow
def test_seconds_end_the_search(monkeypatch):
    looks = count()
    monkeypatch.setattr(improving, "time", SimpleNamespace(monotonic=lambda: 0.001 * next(looks)))
    start = in_order(120, 3)
    assert improve(records(), start, 3, seconds=1)[1].figures["rounds"] >= 1
    assert next(looks) < 1_100
    assert improve(records(), start, 3, seconds=0)[1].figures["sse"] <= information_loss(records(), start).sse


@pytest.mark.parametrize(
    ("X", "start", "k"),
    [
        (records(9), [0] * 9, 5),
        (records(5), [0] * 5, 5),
        (np.ones((12, 2)), in_order(12, 3), 3),
        (np.repeat(records(4), 3, axis=0), in_order(12, 3), 3),
        (records(1200, 1), in_order(1200, 600), 600),
    ],
    ids=["fewer than 2k", "k records", "all equal", "an SSE of 0", "k too large for it"],
)
def test_where_nothing_is_to_gain_the_start_comes_back(X, start, k):
    labels, report = improve(X, start, k, seconds=100)
    assert labels.tolist() == list(start)
    assert report.figures["moves"] == report.figures["rounds"] == 0


def test_k_of_one_leaves_every_record_alone():
    labels, report = improve([3.0, 1.0, 2.0], [0, 0, 0], 1, seconds=100)
    assert labels.tolist() == [0, 1, 2]
    assert report.figures["sse"] == 0


def test_many_columns_and_equal_records():
    X = np.repeat(records(60, 20), 2, axis=0)
    start = np.random.default_rng(1).permutation(in_order(120, 4))
    labels, report = improve(X, start, 4, rounds=2)
    assert report.smallest >= 4
    assert information_loss(X, labels).loss < 0.7 * information_loss(X, start).loss


@pytest.mark.parametrize(
    ("labels", "k", "budget"),
    [
        ([0, 0, 1], 2, {}),
        ([0, 0, 0], 4, {}),
        ([0, 0, 2], 1, {}),
        ([0, 0, 0], 2, {"seconds": -1}),
        ([0, 0, 0], 2, {"seconds": float("nan")}),
        ([0, 0, 0], 2, {"rounds": -1}),
    ],
)
def test_bad_input_is_refused(labels, k, budget):
    with pytest.raises(InputError):
        improve([1.0, 2.0, 4.0], labels, k, **budget)
