"""Records partitioned by hand: where a group is cut, which split is made, in which order groups are finished."""

from __future__ import annotations

import numpy as np
import pytest

from ordermade.methods.mondrian.algorithm.check import SensitiveCodes, SplitRequirement
from ordermade.methods.mondrian.algorithm.domains import Domain, Nested, OrderedDomain, Unordered
from ordermade.methods.mondrian.algorithm.partition import Partition
from ordermade.methods.mondrian.algorithm.rules import Guide, NestedReach, OrderedReach
from ordermade.methods.mondrian.algorithm.split_scoring import Choice, Gain, Guided, Precise, Widest
from ordermade.methods.mondrian.algorithm.splitting import partitioned
from ordermade.privacy.models import DistinctL

pytestmark = pytest.mark.slow  # the first tests compile the method


def axis(*places: float) -> OrderedDomain:
    return OrderedDomain(np.array(places), places[-1] - places[0])


def tree(*levels: list[int], finest: int = 0) -> Nested:
    """A hierarchy of the classes of each value, level by level, from its own up."""
    classes = np.array(levels, dtype=np.int32)
    return Nested(classes, tuple((np.bincount(level) - 1) / (len(level) - 1) for level in levels), finest)


def made_of(
    domains: list[Domain],
    *columns: list[int],
    k: int,
    choice: Choice | None = None,
    strict: bool = True,
    persons: list[int] | None = None,
    sensitive: tuple[SensitiveCodes, ...] = (),
) -> Partition:
    codes = np.ascontiguousarray(np.array(columns, dtype=np.int32).T)
    required = SplitRequirement(k, None if persons is None else np.array(persons, dtype=np.int32), sensitive)
    return partitioned(domains, codes, choice or Widest(), required, strict=strict)


def groups(partition: Partition) -> list[list[int]]:
    return [each.tolist() for each in np.split(partition.order, partition.starts[1:-1])]


def test_a_class_is_split_into_its_children_depth_first_and_rows_keep_their_order() -> None:
    leaves = tree([0, 1, 2, 3], [0, 0, 1, 1])
    found = made_of([leaves], [3, 1, 0, 2, 3, 1, 0, 2, 2, 0], k=2)
    assert groups(found) == [[2, 6, 9], [1, 5], [3, 7, 8], [0, 4]]
    assert found.levels.tolist() == [[0]] * 4
    assert found.made == 3
    # Of a class with a child that would be too small, no child is made; those of another class are.
    found = made_of([leaves], [3, 1, 0, 2, 3, 1, 0, 2, 2, 0], k=3)
    assert groups(found) == [[1, 2, 5, 6, 9], [0, 3, 4, 7, 8]]
    assert found.levels.tolist() == [[1], [1]]


def test_a_class_with_one_child_becomes_that_child_and_none_goes_below_the_finest_level() -> None:
    leaves = tree([0, 1, 2, 3], [0, 0, 1, 1])
    assert made_of([leaves], [1, 1, 1], k=3).levels.tolist() == [[0]]
    assert made_of([leaves], [1, 1, 1], k=3).made == 2
    assert made_of([tree([0, 1, 2, 3], [0, 0, 1, 1], finest=1)], [1, 1, 1], k=3).levels.tolist() == [[1]]


def test_children_are_in_the_order_of_their_classes_where_the_values_of_classes_alternate() -> None:
    found = made_of([tree([0, 1, 2, 3], [0, 1, 0, 1])], [0, 1, 2, 3, 0, 1, 2, 3], k=2)
    assert groups(found) == [[0, 4], [2, 6], [1, 5], [3, 7]]


@pytest.mark.parametrize(
    ("codes", "strict", "expected"),
    [
        ([3, 0, 1, 2, 4], True, [[1, 2, 3], [0, 4]]),  # the third of five goes left
        ([1, 1, 1, 0, 2], True, [[0, 1, 2, 3, 4]]),  # {0, 1} leaves one record, and nothing else is tried
        ([1, 1, 1, 0, 0], True, [[3, 4], [0, 1, 2]]),  # the median is the greatest value: cut below it
        ([1, 1, 1, 1, 1], True, [[0, 1, 2, 3, 4]]),
        ([1, 1, 1, 0, 2], False, [[0, 1, 3], [2, 4]]),  # of the equal ones the lowest rows
        ([1, 1, 1, 1, 1], False, [[0, 1, 2, 3, 4]]),  # one value, one class
    ],
)
def test_where_an_axis_is_cut(codes: list[int], strict: bool, expected: list[list[int]]) -> None:
    assert groups(made_of([axis(0, 1, 2, 3, 4)], codes, k=2, strict=strict)) == expected


def test_a_median_is_found_among_many_codes() -> None:
    chance = np.random.default_rng(5)
    codes = (chance.pareto(0.5, 5000).clip(0, 1e3) * 1e3).astype(np.int32)
    domain = OrderedDomain(np.arange(codes.max() + 1, dtype=float), float(codes.max()))
    found = partitioned([domain], codes.reshape(-1, 1), Widest(), SplitRequirement(2500), strict=False)
    ascending = np.argsort(codes, kind="stable")
    assert [sorted(each) for each in groups(found)] == [sorted(ascending[:2500]), sorted(ascending[2500:])]


def test_values_that_are_only_different_are_merged_into_two_sets_of_near_equal_counts() -> None:
    # Counts: 3 of code 2, 2 of 0, 1 of 1 and of 3. Taken as 2 | 0 | 1 (to 0) | 3 (3 to 3: to the first set).
    found = made_of([Unordered(4)], [2, 2, 2, 0, 0, 1, 3], k=3)
    assert groups(found) == [[3, 4, 5], [0, 1, 2, 6]]
    assert found.levels.tolist() == [[-1], [-1]]


def test_the_widest_attribute_is_split_if_that_is_valid_and_the_first_of_equals() -> None:
    scale = axis(0, 1, 2, 3, 4)
    assert groups(made_of([scale, scale], [0, 1, 0, 1], [0, 1, 2, 4], k=2)) == [[0, 1], [2, 3]]
    assert groups(made_of([scale, scale], [0, 1, 0, 1], [0, 1, 1, 0], k=2)) == [[0, 2], [1, 3]]
    # The second is wider, but of its three equal records and one other no half has two.
    assert groups(made_of([scale, scale], [0, 1, 0, 1], [4, 0, 4, 4], k=2)) == [[0, 2], [1, 3]]


@pytest.mark.parametrize(("wider", "first"), [(0.0, True), (4e-13, True), (2e-12, False)])
def test_scores_that_agree_to_twelve_decimals_tie(wider: float, first: bool) -> None:
    narrow, full = OrderedDomain(np.array([0.0, 1.0]), 1.0 + wider), axis(0, 1)
    found = groups(made_of([narrow, full], [0, 1, 0, 1], [0, 1, 1, 0], k=2))
    assert found == ([[0, 2], [1, 3]] if first else [[0, 3], [1, 2]])


def test_precision_is_gained_most_where_the_hierarchy_is_lowest() -> None:
    high, low = tree([0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 1, 1]), tree([0, 1])
    found = made_of([high, low], [0, 1, 2, 3], [0, 1, 0, 1], k=2, choice=Precise())
    assert groups(found) == [[0, 2], [1, 3]]
    assert found.levels.tolist() == [[3, 0], [3, 0]]
    # An axis gains what its halves cover less: here 1 - 1/4, more than 1/3 of the hierarchy.
    found = made_of([high, axis(0, 1, 3, 4)], [0, 1, 2, 3], [0, 2, 1, 3], k=2, choice=Precise())
    assert groups(found) == [[0, 2], [1, 3]]


def test_rules_guide_to_the_split_that_tells_them_apart() -> None:
    leaves, places = tree([0, 1]), axis(0, 1, 2, 3)
    one, every = np.array([[1]], np.uint8), np.array([[1, 1]], np.uint8)
    from_2 = OrderedReach(
        places.places, np.array([2.0]), np.array([np.inf]), np.array([2], np.int32), np.array([3], np.int32), 1
    )
    guide = Guide(np.array([1.0]), (NestedReach((every, one), (), every != 0), from_2), np.array([[False, True]]))
    columns = [0, 1, 0, 1], [0, 1, 2, 3]
    assert groups(made_of([leaves, places], *columns, k=2, choice=Precise())) == [[0, 2], [1, 3]]
    # Both children of the tree, [0, 2] and [1, 3], have a value from 2 on (idf = 0); of [0, 1] and [2, 3] only one has.
    assert groups(made_of([leaves, places], *columns, k=2, choice=Guided(guide))) == [[0, 1], [2, 3]]


@pytest.mark.slow
def test_an_axis_is_cut_where_that_tells_most_of_the_target() -> None:
    target = np.array([0, 0, 1, 1, 1, 1], dtype=np.int32)
    found = made_of([axis(0, 1, 2, 3, 4, 5)], [0, 1, 2, 3, 4, 5], k=2, choice=Gain(target, 2))
    assert groups(found) == [[0, 1], [2, 3], [4, 5]]


def test_children_are_valid_by_persons_and_by_models() -> None:
    scale, codes = axis(0, 1, 2, 3), [0, 1, 2, 3]
    for twice, found in (([0, 0, 1, 1], [[0, 1, 2, 3]]), ([0, 1, 0, 1], [[0, 1], [2, 3]])):
        assert groups(made_of([scale], codes, k=2, persons=twice)) == found
        values = SensitiveCodes(np.array(twice, dtype=np.int32), 2, (DistinctL(2),))
        assert groups(made_of([scale], codes, k=2, sensitive=(values,))) == found


def test_threads_change_nothing_and_progress_comes_to_all_records() -> None:
    chance = np.random.default_rng(7)
    codes = np.ascontiguousarray(chance.integers(0, 16, (4000, 3)), dtype=np.int32)
    leaves = list(range(16))
    domains = [tree(leaves, [each // 4 for each in leaves]), axis(*leaves), Unordered(16)]
    alone, told = partitioned(domains, codes, Precise(), SplitRequirement(3)), list[int]()
    several = partitioned(domains, codes, Precise(), SplitRequirement(3), threads=3, progress=told.append)
    for one, other in ((alone.order, several.order), (alone.starts, several.starts), (alone.levels, several.levels)):
        np.testing.assert_array_equal(one, other)
    assert (alone.made, alone.tried) == (several.made, several.tried)
    assert told == sorted(told)
    assert told[-1] == 4000
    with pytest.raises(KeyboardInterrupt):
        partitioned(domains, codes, Precise(), SplitRequirement(3), threads=3, progress=interrupt)


def interrupt(_: int) -> None:
    raise KeyboardInterrupt
