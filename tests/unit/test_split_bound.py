"""What releases by splits tell at the least, by hand."""

from __future__ import annotations

import math

import pytest

from bench.minimal.split_bound import MAX_ROWS, LabelSplits, least_bits, share_failing, split_bound


def test_some_part_has_fewer_rows_than_k() -> None:
    """Two rows, k = 2: one in each of two parts, in 2 of 4 ways. Three: not all in one, 6 of 8. Four: 1 and 3, 8 of 16.

    Three rows with three times as many values in the one part: all in one part in 27 + 1 of 64 ways.
    """
    assert share_failing(2, (1, 1), 2) == pytest.approx(1 / 2)
    assert share_failing(3, (1, 1), 2) == pytest.approx(6 / 8)
    assert share_failing(4, (2, 2), 2) == pytest.approx(8 / 16)
    assert share_failing(3, (3, 1), 3) == pytest.approx(1 - 28 / 64)


def test_large_classes_are_told_much_about_if_all_values_are_alike() -> None:
    """500 rows in two parts, one of them alone: 2 x 500 of 2^500 ways."""
    assert least_bits(LabelSplits(500, ((1, 1),)), 2) == pytest.approx(500 - math.log2(1000))
    assert least_bits(LabelSplits(MAX_ROWS + 1, ((1, 1),)), 2) == 0


def test_classes_whose_labels_cannot_be_split_are_closed() -> None:
    """k = 2. Of the first nothing is told, of the second one bit, of the third the most that one attribute tells."""
    classes = [LabelSplits(5, ()), LabelSplits(2, ((1, 1),)), LabelSplits(4, ((1, 1), (1, 1, 1, 1)))]
    found = split_bound(classes, 2)
    assert (found.classes, found.rows, found.told, found.told_rows, found.too_small) == (3, 11, 2, 6, 1)
    assert found.share == pytest.approx(2 / 3)
    assert found.bits == pytest.approx(1 + -math.log2(1 / 2))


def test_nothing_released() -> None:
    found = split_bound([], 2)
    assert (found.classes, found.told, found.share, found.bits) == (0, 0, 0, 0)


@pytest.mark.parametrize(("rows", "k"), [(1, 2), (3, 1)])
def test_a_class_that_splits_do_not_release_is_refused(rows: int, k: int) -> None:
    with pytest.raises(ValueError, match="fewer rows than k"):
        share_failing(rows, (1, 1), k)
