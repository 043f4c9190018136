"""Information loss against its definition, far from zero and at the ends of what floats hold."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ordermade.errors import InputError
from ordermade.methods.microaggregation.algorithm.loss import information_loss

RNG = np.random.default_rng(7)
LABELS = RNG.permutation(np.arange(60) // 4)
RECORDS = np.rint(RNG.normal(size=(60, 3)) * 1000) * [1, 10, 100]


def squares_by_hand(X, labels):
    """The squared differences from the means of the groups, summed by column."""
    return sum(np.square(X[labels == group] - X[labels == group].mean(axis=0)).sum(axis=0) for group in set(labels))


def test_the_loss_is_the_spread_within_groups_by_all_spread():
    sse, sst = squares_by_hand(RECORDS, LABELS), squares_by_hand(RECORDS, np.zeros(60, dtype=int))
    found = information_loss(RECORDS, LABELS)
    assert found.sse == pytest.approx(sse.sum())
    assert found.sst == pytest.approx(sst.sum())
    assert found.loss == pytest.approx(sse.sum() / sst.sum())
    assert found.by_attribute == pytest.approx(sse / sst)


def test_the_loss_is_the_same_at_every_offset_and_scale():
    expected = information_loss(RECORDS, LABELS)
    far = information_loss(RECORDS + 2.0**40, LABELS)
    assert (far.sse, far.loss) == pytest.approx((expected.sse, expected.loss), rel=1e-12)
    for exponent in (-1030, 1005):
        found = information_loss(np.ldexp(RECORDS, exponent), LABELS)
        assert found.by_attribute == pytest.approx(expected.by_attribute, rel=1e-4 if exponent < 0 else 1e-12)
        assert found.sse == (0 if exponent < 0 else math.inf)


def test_digits_are_kept_in_tight_groups_far_apart():
    x = [1e9 + 0.25, 1e9 + 0.5, -1e9 - 0.25, -1e9 - 0.5]
    assert information_loss(x, [0, 0, 1, 1]).sse == 0.0625


def test_one_group_loses_all_and_records_alone_nothing():
    assert information_loss(RECORDS, np.zeros(60, dtype=int)).loss == pytest.approx(1)
    assert information_loss(RECORDS, np.arange(60)).loss == 0
    assert information_loss([[3, 0.1]] * 4, [0, 0, 1, 1]).by_attribute == (0, 0)


def test_a_constant_column_has_no_part_in_the_unit_of_the_others():
    with_constant = np.column_stack([RECORDS * 1e-200, np.full(60, 1e300)])
    assert information_loss(with_constant, LABELS).loss == pytest.approx(information_loss(RECORDS, LABELS).loss)


def test_labels_of_other_records_are_refused():
    with pytest.raises(InputError, match="one whole number a record"):
        information_loss(RECORDS, LABELS[1:])


def test_one_group_loses_everything_and_not_a_rounding_more():
    found = information_loss(np.repeat([1.0, 2.0], [7, 6]), np.zeros(13, dtype=int))
    assert (found.loss, found.by_attribute) == (1.0, (1.0,))
