"""Attributes as columns: how many they take, what is refused. That distances are right: tests/properties."""

from __future__ import annotations

import numpy as np
import pytest

from ordermade.errors import InputError
from ordermade.methods.microaggregation.algorithm import columns
from ordermade.methods.microaggregation.algorithm.columns import Categorical, Numeric, euclidean, from_lowest
from ordermade.methods.microaggregation.algorithm.loss import standardised


def coded(codes, *levels, weight=1.0):
    return Categorical(
        np.array(codes, dtype=np.int32), np.array(levels, dtype=np.int32).T.reshape(-1, len(levels)), weight
    )


def test_two_classes_need_one_column_and_one_class_none():
    found = euclidean(
        [coded([0, 1, 1], [0, 1]), coded([1, 1, 1], [0, 1]), coded([0, 1, 2], [0, 1, 2])], standardise=False
    )
    assert found.own == (range(1), range(1, 1), range(1, 4))
    assert found.table[:, 0].tolist() == [0, 1, 1]
    alike = euclidean([coded([1, 1], [0, 1]), Numeric(np.array([2.5, 2.5]))], standardise=True)
    assert alike.table.tolist() == [[0], [0]]
    assert alike.own == (range(0), range(0))


def test_levels_that_tell_the_same_records_apart_are_one():
    doubled = coded([0, 1, 2, 3], [0, 1, 2, 3], [4, 5, 6, 7], [0, 0, 1, 1])
    assert euclidean([doubled], standardise=False).table.shape == (4, 5)


def test_numbers_come_with_their_weights_on_one_scale_or_as_they_are():
    x = np.array([1.0, 2.0, 4.0])
    assert euclidean([Numeric(x, 4.0)], standardise=False).table[:, 0].tolist() == [2, 4, 8]
    assert (euclidean([Numeric(x)], standardise=True).table == standardised(x)).all()


def test_whole_numbers_lose_no_digit_however_large():
    ends = np.array([-(2**63), 2**63 - 1, -(2**63) + 1], dtype=np.int64)
    above, lowest = from_lowest(ends)
    assert (above.tolist(), lowest) == ([0.0, 2.0**64, 1.0], -(2**63))
    near = Numeric(2**62 + np.arange(4))
    assert (euclidean([near], standardise=True).table == standardised(range(4))).all()


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Numeric(np.array(["a"])), "float64 or int64"),
        (lambda: Numeric(np.zeros((2, 2))), "float64 or int64"),
        (lambda: Numeric(np.array([np.nan])), "NaN"),
        (lambda: Numeric(np.zeros(0)), "no records"),
        (lambda: Numeric(np.zeros(2), 0.0), "weight"),
        (lambda: coded([0], [0], weight=float("nan")), "weight"),
        (lambda: coded([2], [0, 1]), "no leaf"),
        (lambda: coded([-1], [0, 1]), "no leaf"),
        (lambda: coded([], [0, 1]), "no records"),
        (lambda: Categorical(np.zeros(1, np.int32), np.zeros((1, 0), np.int32)), "no level below"),
        (lambda: coded([0], [0, 0, 1], [0, 1, 1]), "level 1 of a hierarchy divides a class of level 0"),
    ],
)
def test_what_is_no_attribute_is_refused(make, told):
    with pytest.raises(InputError, match=told):
        make()


def test_attributes_of_other_records_and_numbers_without_squares_are_refused():
    for wrong in ([], [Numeric(np.zeros(2)), Numeric(np.zeros(3))]):
        with pytest.raises(InputError, match="the same records"):
            euclidean(wrong, standardise=True)
    far = Numeric(np.array([0, 1e300]))
    assert euclidean([far], standardise=True).table[:, 0].tolist() == [-1, 1]
    with pytest.raises(InputError, match="Standardise"):
        euclidean([far], standardise=False)


def test_more_columns_or_numbers_than_can_be_worked_with_are_refused(monkeypatch):
    many = np.arange(columns.MAX_COLUMNS + 1)
    with pytest.raises(InputError, match="coarser hierarchy"):
        euclidean([coded(many, many)], standardise=True)
    monkeypatch.setattr(columns, "MAX_NUMBERS", 11)
    with pytest.raises(InputError, match="4 records of 3 columns"):
        euclidean([coded([0, 1, 2, 2], [0, 1, 2])], standardise=True)
