"""Persons who move along cubes, where all sums by two of three columns are known and no two persons can exchange."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from ordermade.ledger.exchanges import GroupExchanges
from ordermade.ledger.figures import JointCells, KnownFigures, PersonPartition

K = 5
CELLS = np.array(list(product(range(2), repeat=3)), dtype=np.int64)
EVEN = CELLS.sum(axis=1) % 2 == 0


def sums_by_two(joint: JointCells) -> list[KnownFigures]:
    """Releases of each two of three columns."""
    found = []
    for number, axes in enumerate(combinations(range(3), 2)):
        partition = PersonPartition({axis: np.arange(2) for axis in axes})
        labels, of = np.unique(partition.labels(joint.cells), return_inverse=True)
        persons = np.bincount(of.reshape(-1), joint.persons).astype(np.int64)
        found.append(KnownFigures((number,), "", partition, labels, persons, persons))
    return found


def unsettled(persons: list[int]) -> list[bool]:
    joint = JointCells((2, 2, 2), CELLS, np.array(persons, dtype=np.int64))
    marks: list[bool] = GroupExchanges(sums_by_two(joint), joint).unsettled(K).tolist()
    return marks


def test_a_person_leaves_a_cell_with_three_others_of_even_corners() -> None:
    persons = np.where(EVEN, 9, 6)
    persons[0] = 1
    assert unsettled(persons.tolist()) == [False] * 8


def test_a_cell_stays_unsettled_where_an_even_corner_has_too_few() -> None:
    persons = np.where(EVEN, 9, 6)
    persons[0], persons[3] = 1, K - 2
    assert unsettled(persons.tolist())[0]


def test_a_cell_stays_unsettled_where_all_three_columns_are_known_together() -> None:
    persons = np.where(EVEN, 9, 6)
    persons[0] = 1
    joint = JointCells((2, 2, 2), CELLS, persons)
    whole = PersonPartition({axis: np.arange(2) for axis in range(3)})
    known = KnownFigures((9,), "", whole, whole.labels(CELLS), persons, persons)
    marks = GroupExchanges([*sums_by_two(joint), known], joint).unsettled(K)
    assert marks.tolist() == [True, *[False] * 7]
