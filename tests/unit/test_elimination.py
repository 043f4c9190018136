"""What classes of several rounds leave possible in one another, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ordermade.privacy import elimination
from ordermade.privacy.elimination import ClassLabels, Eliminations, LabelledAttribute, Left

AGE = LabelledAttribute.of(4, [[0], [1], [2], [3], [0, 1], [2, 3], [0, 1, 2, 3]])
YOUNG, OLD, ANY_AGE = 4, 5, 6
CITY = LabelledAttribute.of(3, [[0], [1], [2], [0, 1], [0, 1, 2]])
NORTH, ANY_CITY = 3, 4


def left(
    classes: list[tuple[int, int]],
    number: int,
    rounds: list[tuple[int, int]] | None = None,
    *,
    age: LabelledAttribute = AGE,
) -> Left:
    """What is left in one of these classes, with the rounds where they are given."""
    released = ClassLabels.of((age, CITY), np.array(classes, dtype=np.intp), rounds)
    return Eliminations(released, with_rounds=rounds is not None).left(number)


def values(found: Left) -> list[list[int]]:
    return [each.tolist() for each in found.values]


def test_a_class_within_another_takes_its_cells() -> None:
    """(young, north) has four cells; (age 0, north) within it has the two of age 0. Age 1 is left, in both cities."""
    classes = [(0, NORTH), (YOUNG, NORTH)]
    assert values(left(classes, 1)) == [[1], [0, 1]]
    assert values(left(classes, 0)) == [[0], [0, 1]]


def test_cells_that_leave_every_value_possible_narrow_nothing() -> None:
    """Of four cells, (0, 0) and (1, 1) are gone: (0, 1) and (1, 0) have every age and every city."""
    assert values(left([(0, 0), (1, 1), (YOUNG, NORTH)], 2)) == [[0, 1], [0, 1]]


def test_several_classes_together_take_a_value() -> None:
    """Of the cells of (any age, north), (0, 0), (1, 0) and (2, 0) and (3, 0) are gone: city 0 is."""
    classes = [(0, 0), (1, 0), (OLD, 0), (ANY_AGE, NORTH)]
    assert values(left(classes, 3)) == [[0, 1, 2, 3], [1]]


def test_the_order_of_the_rounds_takes_overlaps() -> None:
    """(young, city 0) and (age 0, any city) share the cell (0, 0), and neither lies within the other."""
    classes = [(YOUNG, 0), (0, ANY_CITY)]
    assert values(left(classes, 1)) == [[0], [0, 1, 2]]
    assert values(left(classes, 1, [(0, 0), (1, 1)])) == [[0], [1, 2]]
    assert values(left(classes, 0, [(0, 0), (1, 1)])) == [[0, 1], [0]]
    assert values(left(classes, 0, [(1, 1), (0, 0)])) == [[1], [0]]


def test_rounds_that_may_be_the_same_take_nothing() -> None:
    classes = [(YOUNG, 0), (0, ANY_CITY)]
    assert values(left(classes, 1, [(0, 1), (1, 2)])) == [[0], [0, 1, 2]]


def test_nothing_left_contradicts() -> None:
    """Ages 0 and 1 of (young, north) are both taken by classes within it, so it could have no row."""
    found = left([(0, NORTH), (1, NORTH), (YOUNG, NORTH)], 2)
    assert found.contradicted
    assert values(found) == [[0, 1], [0, 1]]


def test_disjoint_classes_keep_every_value() -> None:
    classes = [(0, NORTH), (1, NORTH), (OLD, NORTH), (ANY_AGE, 2)]
    for number, (age, city) in enumerate(classes):
        found = left(classes, number, [(3, 3), (2, 2), (1, 1), (0, 0)])
        assert values(found) == [AGE.named[age].tolist(), CITY.named[city].tolist()]


def test_a_label_of_two_levels_takes_what_it_names_for_sure() -> None:
    """The label 4 may be of ages 0 and 1, or of age 0 alone: it takes age 0, and may itself have both."""
    either = LabelledAttribute.read(
        4, [[[0, 1], [0]] if label == YOUNG else [named] for label, named in enumerate(AGE.named)]
    )
    assert values(left([(YOUNG, NORTH), (ANY_AGE, NORTH)], 1, age=either)) == [[1, 2, 3], [0, 1]]
    assert values(left([(0, NORTH), (YOUNG, NORTH)], 1, age=either)) == [[0, 1], [0, 1]]


def test_a_class_of_too_many_cases_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elimination, "MAX_STEPS", 1)
    found = left([(0, NORTH), (YOUNG, 0), (YOUNG, NORTH)], 2)
    assert found.given_up
    assert values(found) == [[0, 1], [0, 1]]
