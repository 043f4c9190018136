"""The sealed partition of a few rows, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ordermade.methods.generalization.algorithm import sealed_partition
from ordermade.methods.generalization.algorithm.region_counts import SensitiveRecords, counts_of
from ordermade.methods.generalization.algorithm.sealed_partition import Partitions, SealedLevels, joined_to_fit
from ordermade.privacy.models import DistinctL

AGES = np.array([0, 0, 1, 1, 2, 3])
PLANS = np.array([0, 1, 0, 1, 1, 0])
ROWS = np.array([3, 1, 1, 1, 2, 2])
"""Six combinations of an age (0 and 1 are low, 2 and 3 high) and a plan, with their rows."""


def ages(place: int = 0) -> SealedLevels:
    classes = [np.array([0, 1, 2, 3]), np.array([0, 0, 1, 1]), np.array([0, 0, 0, 0])]
    costs = [np.zeros(4), np.full(2, 1 / 6), np.full(1, 1 / 2)]
    return SealedLevels.of_cells(place, AGES, classes, [[], [0], [1]], costs)


def plans(place: int = 1) -> SealedLevels:
    classes = [np.array([0, 1]), np.array([0, 0])]
    return SealedLevels.of_cells(place, PLANS, classes, [[], [0]], [np.zeros(2), np.full(1, 1 / 2)])


def cost(partitions: Partitions, price: int = 0) -> float:
    sealed = partitions.partition(price)
    assert sealed is not None
    each = {0: ages(), 1: plans()}
    total = 0.0
    for combination, number in enumerate(sealed.node_of):
        if number < 0:
            total += ROWS[combination]
            continue
        for place, level in enumerate(sealed.nodes[number]):
            total += ROWS[combination] * each[place].costs[level][each[place].codes[level][combination]]
    return total


def test_the_partition_of_least_loss() -> None:
    """k = 2. All ten rows in one region lose 1 each.

    By age: low (6 rows) and high (4). High splits into the ages 2 and 3, two rows each: one plan each, loss 0. Low: by
    age 0 (4 rows) and 1 (2), each with both plans: 0 would leave one row of the second plan by itself, so the plan is
    lost, 6 rows x 1/2 = 3; by plan: the first has 3 of age 0 and 1 of age 1, the second 1 and 1: the ages are lost up
    to `low`, 6 x 1/6 = 1. So 1 in all: low by plan, high by age.
    """
    partitions = Partitions([ages(), plans()], ROWS, 2, [math.inf])
    sealed = partitions.partition(0)
    assert sealed is not None
    assert cost(partitions) == pytest.approx(1)
    nodes = [sealed.nodes[number] for number in sealed.node_of]
    assert nodes == [(1, 0), (1, 0), (1, 0), (1, 0), (0, 0), (0, 0)]
    assert (sealed.suppressed, dict(zip(sealed.nodes, sealed.regions, strict=True))) == (0, {(1, 0): 2, (0, 0): 2})


def test_a_price_decides_what_is_suppressed() -> None:
    """k = 3. By plan first: the first has 3 rows of age 0, 1 of age 1, 2 of age 3, the second 1, 1 and 2 of age 2.

    The second plan has two rows in each half: its ages are lost, 4 x 1/2 = 2. Of the first, low loses 4 x 1/6 = 2/3 and
    the two rows of age 3 are suppressed: 8/3 at the price of 1, 14/3 at 2; whole it loses 6 x 1/2 = 3. So 14/3 in all
    where suppression is cheap, else 5.
    """
    partitions = Partitions([ages(), plans()], ROWS, 3, [1, 2, math.inf])
    cheap, dear, never = (partitions.partition(price) for price in range(3))
    assert cheap is not None
    assert dear is not None
    assert never is not None
    assert (cheap.suppressed, dear.suppressed, never.suppressed) == (2, 0, 0)
    assert cost(partitions, 0) == pytest.approx(14 / 3)
    assert cost(partitions, 1) == cost(partitions, 2) == pytest.approx(5)


def test_a_region_that_may_not_be_released_is_split_or_joined() -> None:
    """k = 2, and the two plans of `low` fail distinct l: low is released with its plans as one."""
    values = SensitiveRecords(np.array([0, 1, 0, 1, 0, 1, 0, 1]), (DistinctL(2),), {})
    combinations = np.array([0, 1, 2, 3, 4, 4, 5, 5])
    deciding = counts_of(combinations, np.ones(8, dtype=np.int64), 2, None, [values])
    partitions = Partitions([ages(), plans()], ROWS, 2, [math.inf], None, deciding)
    sealed = partitions.partition(0)
    assert sealed is not None
    assert cost(partitions) == pytest.approx(3)
    assert [sealed.nodes[number] for number in sealed.node_of] == [(0, 1)] * 4 + [(0, 0)] * 2


def test_too_few_rows_have_no_partition() -> None:
    partitions = Partitions([ages(), plans()], ROWS, 11, [1, math.inf])
    suppressed = partitions.partition(0)
    assert suppressed is not None
    assert (suppressed.nodes, suppressed.suppressed) == ((), 10)
    assert partitions.partition(1) is None


def test_no_rows_and_no_attributes() -> None:
    none = np.zeros(0, dtype=np.int64)
    empty = SealedLevels.of_cells(0, none, [np.zeros(1, dtype=np.int64)], [[]], [np.zeros(1)])
    sealed = Partitions([empty], none, 2, [math.inf]).partition(0)
    assert sealed is not None
    assert sealed.nodes == ()
    whole = Partitions([], np.array([5]), 2, [math.inf]).partition(0)
    assert whole is not None
    assert (whole.nodes, whole.regions) == (((),), (1,))


def test_attributes_are_joined_where_a_number_cannot_name_their_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealed_partition, "MAX_BITS", 2)
    (joined,) = joined_to_fit([ages(), plans()])
    assert (joined.of, len(joined.codes)) == ((1, 0), 6)
    assert cost(Partitions([ages(), plans()], ROWS, 2, [math.inf])) == pytest.approx(1)
