"""Sums of classes that no release shows by themselves, and what is left of them beside releases under filters."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from ordermade.ledger.beside import judged_together
from ordermade.ledger.figures import Compared, JointCells, KnownFigures, PersonPartition
from ordermade.requests.filter_tree import All, Constant, Filter, FilterComparison
from ordermade.tables.cells import Whole

pytest.importorskip("scipy")

K = 5
AGE, CITY, SEX, PLAN = range(4)
YEARS, DECADES = np.arange(4), np.array([0, 0, 1, 1])


def people(of_few: dict[tuple[int, ...], int]) -> JointCells:
    cells = np.array(list(product(range(4), range(2), range(2), range(2))), dtype=np.int64)
    persons = np.array([of_few.get(tuple(each), 15) for each in cells.tolist()], dtype=np.int64)
    return JointCells((4, 2, 2, 2), cells, persons)


def equal(axis: int, code: int) -> tuple[FilterComparison, Compared]:
    comparison = FilterComparison(f"column {axis}", "=", (Constant("number", str(code)),))
    return comparison, Compared(axis, np.where(np.arange(2) == code, 2, 0))


def release(number: int, joint: JointCells, ages: Whole, *compared: tuple[FilterComparison, Compared]) -> KnownFigures:
    """Everybody by age and city, who passes all these comparisons."""
    parts = tuple(each for each, _ in compared)
    tree: Filter | None = (All(parts) if len(parts) > 1 else parts[0]) if parts else None
    partition = PersonPartition({AGE: ages, CITY: np.arange(2)}, tree, dict(compared))
    labels, of = np.unique(partition.labels(joint.cells), return_inverse=True)
    persons = np.bincount(of.reshape(-1), joint.persons).astype(np.int64)
    inside = labels >= 0
    return KnownFigures((number,), "", partition, labels[inside], persons[inside], persons[inside])


def test_a_sum_less_two_filtered_releases_is_a_breach() -> None:
    """The years are known of everybody; of sex 0, and of sex 1 on plan 1, the decades: the others are three."""
    joint = people({(0, 1, 1, 0): 2, (1, 1, 1, 0): 1})
    given = [
        release(1, joint, DECADES, equal(SEX, 0)),
        release(2, joint, YEARS),
        release(3, joint, DECADES, equal(SEX, 1), equal(PLAN, 1)),
    ]
    assert judged_together(given[:2], joint, K).answer == "safe"
    for most_cells in (3_000, 8):
        assert judged_together(given, joint, K, most_cells).answer != "safe"
    found = judged_together(given, joint, K)
    assert found.answer == "breach"
    assert {each.releases for each in found.groups if each.answer == "breach"} == {(1, 2, 3)}


def test_the_same_of_k_persons_is_safe() -> None:
    joint = people({(0, 1, 1, 0): 3, (1, 1, 1, 0): 2})
    given = [
        release(1, joint, DECADES, equal(SEX, 0)),
        release(2, joint, YEARS),
        release(3, joint, DECADES, equal(SEX, 1), equal(PLAN, 1)),
    ]
    assert judged_together(given, joint, K).answer == "safe"
