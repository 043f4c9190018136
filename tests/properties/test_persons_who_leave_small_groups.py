"""Cells that are settled by exchanges are in no group that must have 1 to k - 1 persons; what follows tells nothing.

All data that agree with a set of releases are enumerated, as in `test_releases_together`, of the same kinds of release.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

from ordermade.ledger.beside import judged_together
from ordermade.ledger.exchanges import GroupExchanges
from ordermade.ledger.figures import JointCells, KnownFigures, PersonPartition
from ordermade.ledger.following import follows_from, without_followers
from tests.long import rounds
from tests.properties.test_releases_together import KINDS, consistent, counted, drawn, is_breach

pytest.importorskip("scipy")

SEED, SETS = 4406, rounds(40, 150)


def test_persons_of_settled_cells_can_leave() -> None:
    rng, groups, met = np.random.default_rng(SEED), 0, 0
    for number in range(2 * SETS):
        case = drawn(rng, KINDS[number % 2])
        case = replace(case, joint=replace(case.joint, persons=case.joint.persons * 2))
        case = replace(case, given=tuple(again(each, case.joint, case.k) for each in case.given[:3]))
        pool = without_followers(case.given)
        unsettled = GroupExchanges(pool, case.joint).unsettled(case.k)
        data = consistent(case)
        if data is None:
            continue
        met += 1
        cells = np.array(list(product(*map(range, case.joint.sizes))), dtype=np.int64)
        place = {tuple(each): number for number, each in enumerate(cells.tolist())}
        at = np.array([place[tuple(each)] for each in case.joint.cells.tolist()])
        labels = [each.partition.labels(cells) for each in pool]
        for size in range(1, len(pool) + 1):
            for some in combinations(labels, size):
                joined = np.stack(some, axis=1)
                for label in np.unique(joined[at], axis=0):
                    inside = (joined == label).all(axis=1)
                    persons = case.joint.persons[inside[at]].sum()
                    if 1 <= persons < case.k and not unsettled[inside[at]].any():
                        groups += 1
                        assert (data[:, inside].sum(axis=1) == 0).any(), f"set {number} of seed {SEED}"
    print(f"{met} sets, {groups} groups that all can leave")
    assert groups > 0


def again(figures: KnownFigures, joint: JointCells, k: int) -> KnownFigures:
    """A release of rows of the same partition, of other data."""
    labels, persons = counted(figures.partition, joint)
    kept = persons >= k
    return KnownFigures(
        figures.releases, "", figures.partition, labels[kept], persons[kept], persons[kept], 0 if kept.all() else k - 1
    )


def test_figures_that_follow_change_no_answer() -> None:
    rng, followed = np.random.default_rng(SEED), 0
    for number in range(SETS):
        case = drawn(rng, KINDS[number % len(KINDS)])
        left = without_followers(case.given)
        if len(left) == len({each.partition.key for each in case.given}):
            continue
        followed += 1
        assert (
            judged_together(left, case.joint, case.k).answer == judged_together(case.given, case.joint, case.k).answer
        )
        every, fewer = consistent(case), consistent(replace(case, given=left))
        if every is None or fewer is None:
            continue
        # A number that nothing bounds is enumerated up to a cap alone, the same with both.
        assert np.array_equal(every, fewer), f"set {number} of seed {SEED}: other data agree without what follows"
        assert is_breach(case, every) == is_breach(replace(case, given=left), fewer)
    print(f"{followed} sets with figures that follow")
    assert followed > 10


def test_what_follows_from_what() -> None:
    joint = JointCells((3, 2), np.array(list(product(range(3), range(2)))), np.array([5, 6, 7, 1, 5, 5]))
    values, classes, sex = np.arange(3), np.array([0, 0, 1]), np.arange(2)
    fine = again(KnownFigures((1,), "", PersonPartition({0: values, 1: sex}), values, values, values), joint, 1)
    coarse = again(replace(fine, releases=(2,), partition=PersonPartition({0: classes})), joint, 1)
    dropping = again(fine, joint, 3)
    assert follows_from(coarse, fine)
    assert not follows_from(fine, coarse)
    assert not follows_from(coarse, dropping)  # nobody could add up what is dropped
    assert follows_from(dropping, replace(dropping, releases=(3,)))
    assert not follows_from(again(dropping, joint, 6), dropping)
    hiding = replace(coarse, hidden=np.array([True, False]))
    assert not follows_from(hiding, fine)  # what hides a class has to go on hiding it
    assert [each.releases for each in without_followers([coarse, fine])] == [(1,)]
