"""Pairs of releases of some thousand persons: planted differences are breaches, and other columns are none."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from ordermade.ledger.beside import judged_together
from ordermade.ledger.figures import Compared, JointCells, KnownFigures, PersonPartition
from ordermade.ledger.following import follows_from
from ordermade.requests.filter_tree import All, Constant, FilterComparison, Not

pytest.importorskip("scipy")

SEED, PAIRS, K = 20261129, 50, 5
SIZES = (12, 2, 8, 6)


def people(rng: np.random.Generator, n: int = 3_000) -> JointCells:
    """Persons by four columns, unevenly."""
    drawn = np.stack([rng.choice(size, n, p=rng.dirichlet(np.full(size, 2.0))) for size in SIZES], axis=1)
    cells, number = np.unique(drawn, axis=0, return_inverse=True)
    return JointCells(SIZES, cells, np.bincount(number.reshape(-1)).astype(np.int64))


def figures(number: int, joint: JointCells, partition: PersonPartition) -> KnownFigures:
    """What a release says that drops classes of fewer than k."""
    labels, place = np.unique(partition.labels(joint.cells), return_inverse=True)
    persons = np.bincount(place.reshape(-1), joint.persons).astype(np.int64)
    kept = (persons >= K) & (labels >= 0)
    drops = bool((persons[labels >= 0] < K).any())
    return KnownFigures((number,), str(number), partition, labels[kept], persons[kept], persons[kept], drops * (K - 1))


def columns(*axes: int) -> dict[int, np.ndarray]:
    return {axis: np.arange(SIZES[axis]) for axis in axes}


def without(cell: np.ndarray, axes: tuple[int, ...]) -> tuple[Not, dict[FilterComparison, Compared]]:
    """The filter that leaves out the persons of a cell in some columns."""
    compared = {
        FilterComparison(f"column {axis}", "=", (Constant("number", str(cell[axis])),)): Compared(
            axis, np.where(np.arange(SIZES[axis]) == cell[axis], 2, 0)
        )
        for axis in axes
    }
    return Not(All(tuple(compared))), compared


def test_fifty_planted_differences_are_breaches() -> None:
    rng = np.random.default_rng(SEED)
    for _ in range(PAIRS):
        joint = people(rng)
        few = joint.cells[joint.persons < K]
        tree, compared = without(few[rng.integers(len(few))], (0, 1, 2, 3))
        released = columns(*rng.choice(4, size=1).tolist())
        every = figures(1, joint, PersonPartition(released))
        others = figures(2, joint, PersonPartition(released, tree, compared))
        found = judged_together([every, others], joint, K)
        assert found.answer == "breach"
        assert {each.releases for each in found.groups} == {(1, 2)}


def test_releases_of_other_columns_that_drop_nothing_are_safe() -> None:
    rng = np.random.default_rng(SEED)
    pairs, judged = list(combinations(range(4), 2)), 0
    while judged < 20:
        joint = people(rng)
        some, other = (pairs[each] for each in rng.choice(len(pairs), size=2, replace=False))
        given = [figures(number, joint, PersonPartition(columns(*each))) for number, each in enumerate((some, other))]
        if any(each.others_most for each in given):
            continue
        judged += 1
        found = judged_together(given, joint, K)
        assert found.answer == "safe", (some, other)
        assert found.by_swaps == found.looked_at


def test_a_total_gives_the_one_class_that_was_dropped_away() -> None:
    joint = JointCells((3,), np.array([[0], [1], [2]]), np.array([9, 7, 2]))
    values = figures(1, joint, PersonPartition({0: np.arange(3)}))
    total = figures(2, joint, PersonPartition({}))
    assert judged_together([values], joint, K).answer == "safe"
    assert judged_together([values, total], joint, K).answer == "breach"


def test_the_order_of_columns_changes_no_class() -> None:
    classes = {0: np.array([0, 1, 2]), 1: np.array([0, 1])}
    one, other = PersonPartition(classes), PersonPartition(dict(reversed(classes.items())))
    cells = np.array(list(product(range(3), range(2))))
    assert one.key == other.key
    assert one.labels(cells).tolist() == other.labels(cells).tolist()


def test_classes_over_values_stand_for_no_groups() -> None:
    """Of a column that one release keeps as it is, and another has classes of, the classes are looked at."""
    classes, labels, n = {0: np.array([0, 1])}, np.array([0, 1]), np.array([5, 6])
    kept = KnownFigures((1,), "kept", PersonPartition(classes), labels, n, n, values=frozenset([0]))
    grouped = KnownFigures((2,), "classes", PersonPartition(classes), labels, n, n)
    assert not follows_from(grouped, kept)
    assert follows_from(kept, grouped)
    assert follows_from(grouped, grouped)
