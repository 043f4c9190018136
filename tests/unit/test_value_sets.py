"""Sets of sensitive values, united as the combinations of a region are: whether they have enough values, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ordermade.methods.generalization.algorithm.value_sets import BITS, MAX_WORDS, DistinctValues, ValueSets

COMBINATIONS = np.array([0, 0, 1, 2, 3, 3, 3])
VALUES = np.array([0, 70, 0, 70, 1, 2, 128])
"""Four combinations, with the values 0 and 70, 0, 70, and 1, 2, 128."""
UNIONS = ([0], [1], [1, 2], [3], [0, 1, 2, 3])


@pytest.mark.parametrize(
    ("least", "passing"), [(2, [1, 0, 1, 1, 1]), (3, [0, 0, 0, 1, 1]), (5, [0, 0, 0, 0, 1]), (6, [0, 0, 0, 0, 0])]
)
def test_a_union_has_the_values_of_its_combinations(least: int, passing: list[int]) -> None:
    sets = ValueSets.of(4, [DistinctValues(least, 129, COMBINATIONS, VALUES)])
    united = np.array([np.bitwise_or.reduce(sets.words[each], axis=0) for each in UNIONS])
    assert sets.pass_in(united).astype(int).tolist() == passing


def test_every_model_must_pass() -> None:
    models = [DistinctValues(least, 129, COMBINATIONS, VALUES) for least in (2, 3, 2)]
    sets = ValueSets.of(4, models)
    assert sets.pass_in(sets.words).tolist() == [False, False, False, True]


def test_sets_of_very_many_values_are_not_small_unless_two_are_asked() -> None:
    none = np.zeros(0, dtype=np.int64)
    most = MAX_WORDS * BITS
    assert DistinctValues(2, 10**6, none, none).is_small
    assert DistinctValues(3, most, none, none).is_small
    assert not DistinctValues(3, most + 1, none, none).is_small
    assert ValueSets.of(0, [DistinctValues(3, 0, none, none)]).pass_in(np.zeros((0, 1), dtype=np.uint64)).size == 0
