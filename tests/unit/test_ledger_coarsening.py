"""Cells that no release tells apart are one: what the releases say, and what follows from them, stays as it is."""

from __future__ import annotations

import numpy as np

from ordermade.ledger.coarsening import coarsened
from ordermade.ledger.figures import Compared, JointCells, KnownFigures, PersonPartition
from ordermade.requests.filter_tree import Constant, FilterComparison

COMPARISON = FilterComparison("column 0", "=", (Constant("number", "3"),))


def figures(partition: PersonPartition, joint: JointCells) -> KnownFigures:
    labels, number = np.unique(partition.labels(joint.cells), return_inverse=True)
    persons = np.bincount(number.reshape(-1), joint.persons).astype(np.int64)
    return KnownFigures((1,), "", partition, labels[labels >= 0], persons[labels >= 0], persons[labels >= 0])


def drawn() -> JointCells:
    rng = np.random.default_rng(44)
    every = np.stack(np.meshgrid(range(4), range(3), range(5), indexing="ij"), axis=-1).reshape(-1, 3)
    return JointCells((4, 3, 5), every, rng.integers(1, 9, len(every)))


def test_codes_that_nothing_tells_apart_become_one() -> None:
    joint = drawn()
    plain = figures(PersonPartition({0: np.array([0, 0, 1, 1]), 1: np.arange(3)}), joint)
    (fewer,), small = coarsened([plain], joint)
    assert small.sizes == (2, 3, 1)
    assert len(small.cells) == 6
    assert small.persons.sum() == joint.persons.sum()
    assert figures(fewer.partition, small).most.tolist() == plain.most.tolist()
    assert fewer.labels.tolist() == plain.labels.tolist()


def test_codes_that_a_filter_tells_apart_stay_apart() -> None:
    joint = drawn()
    truths = np.array([0, 0, 0, 2])
    filtered = PersonPartition({1: np.array([0, 0, 1])}, COMPARISON, {COMPARISON: Compared(0, truths)})
    plain = figures(filtered, joint)
    (fewer,), small = coarsened([plain], joint)
    assert small.sizes == (2, 2, 1)
    assert figures(fewer.partition, small).most.tolist() == plain.most.tolist()


def test_a_dataset_without_columns_has_one_cell() -> None:
    total = PersonPartition({})
    joint = JointCells((), np.zeros((1, 0), dtype=np.int64), np.array([7]))
    (fewer,), small = coarsened([figures(total, joint)], joint)
    assert small.sizes == ()
    assert small.persons.tolist() == [7]
    assert fewer.partition.key == total.key
