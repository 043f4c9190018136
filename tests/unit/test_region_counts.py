"""The persons and values of regions, by hand: each person counts once in a region, and once for each value there."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from ordermade.methods.generalization.algorithm.region_counts import KeyedSet, RegionCounts, SensitiveRecords, counts_of
from ordermade.privacy.models import AlphaK, DistinctL, Model

COMBINATIONS = np.array([0, 0, 1, 1, 2, 2])
PERSONS = np.array([0, 1, 1, 2, 3, 3])
VALUES = np.array([0, 1, 1, 0, 0, 1])
"""Three combinations of two rows each; person 1 is in two of them, with the same value, person 3 twice in the last."""
FIRST_TWO = np.array([0, 0, -1])


def counts(k: int, models: tuple[Model, ...] = (), *, of_persons: bool) -> RegionCounts:
    rows, persons = np.ones(6, dtype=np.int64), PERSONS if of_persons else None
    return counts_of(COMBINATIONS, rows, k, persons, [SensitiveRecords(VALUES, models, {})] if models else [])


def test_a_person_is_in_a_region_once() -> None:
    assert [counts(k, of_persons=True).passing().tolist() for k in (1, 2)] == [[True] * 3, [True, True, False]]
    joined = [counts(k, of_persons=True).merged(FIRST_TWO, 1).passing().tolist() for k in (3, 4)]
    assert joined == [[True], [False]]


def test_rows_of_a_value_add_up_and_its_persons_do_not() -> None:
    """The first two: two rows of each value, persons 0 and 2 with value 0 and person 1 with value 1."""
    for of_persons, least in ((False, Fraction(2, 4)), (True, Fraction(2, 3))):
        on_it, below = ((AlphaK(each),) for each in (least, least - Fraction(1, 100)))
        assert counts(1, on_it, of_persons=of_persons).merged(FIRST_TWO, 1).passing().tolist() == [True]
        assert counts(1, below, of_persons=of_persons).merged(FIRST_TWO, 1).passing().tolist() == [False]


@pytest.mark.parametrize("of_persons", [False, True])
def test_every_model_decides(of_persons: bool) -> None:
    both = (DistinctL(2), AlphaK(Fraction(1, 2)))
    assert counts(1, both, of_persons=of_persons).passing().tolist() == [True, True, not of_persons]
    assert counts(1, (DistinctL(3),), of_persons=of_persons).passing().tolist() == [False] * 3


def test_regions_that_are_left_out_leave_nothing() -> None:
    of_two = KeyedSet.of(COMBINATIONS, VALUES, np.ones(6, dtype=np.int64)).merged(np.array([-1, 1, 0]), 2)
    assert of_two.rows is not None
    found = (of_two.starts.tolist(), of_two.items.tolist(), of_two.rows.tolist(), of_two.sizes.tolist())
    assert found == ([0, 2], [0, 1, 0, 1], [1, 1, 1, 1], [2, 2])
    nothing = of_two.merged(np.array([-1, -1]), 0)
    assert (len(nothing.items), len(nothing.starts)) == (0, 0)
