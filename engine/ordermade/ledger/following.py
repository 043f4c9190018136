"""Figures that follow from those of another release: readers who have these know nothing more by them. Pure.

A release that drops and hides nothing says how many persons are in each of its classes. Every class of a coarser
partition of the same persons is a union of some of them, and its number their sum: whatever a release truly says of
that partition, its readers could add up themselves.

So the data that agree with a pool are the same with these figures and without. Breaches: whatever follows from the pool
follows from what is left, and bounds over all figures are the same. Proofs: data that agree with what is left agree
with every figure, and prove as much. Figures that hide a class do not follow: they are there to be kept hidden.

What readers can add up they can compare, too, whether a release shows it or not: the groups that coarser classes have
in common with others are looked at all the same (`added_up`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from ordermade.ledger.figures import KnownFigures, is_function_of, merged
from ordermade.tables.cells import Marks, Whole

MOST_ADDED_UP = 2_000
"""The most coarser partitions that readers can add up, and that are looked at."""


def follows_from(candidate: KnownFigures, earlier: KnownFigures) -> bool:
    """Whether readers of `earlier` know all that `candidate` says.

    It is of a coarser partition of the same persons, of which `earlier` drops and hides nothing; or of the same
    partition, with the same figures.
    """
    if not _looks_at(earlier, candidate):
        return False
    if earlier.is_exact and not len(candidate.hidden_labels):
        return earlier.partition.refines(candidate.partition)
    return candidate.partition.key == earlier.partition.key and _is_same(candidate, earlier)


def without_followers(pool: Sequence[KnownFigures]) -> tuple[KnownFigures, ...]:
    """The figures of a pool, those of one partition as one, less those that follow from others of them."""
    once = merged(pool)
    finer = _finer(once)
    exact = np.array([each.is_exact for each in once], dtype=np.bool_)
    hides = np.array([len(each.hidden_labels) > 0 for each in once], dtype=np.bool_)
    looks = np.array([[_looks_at(one, other) for other in once] for one in once], dtype=np.bool_)
    implies = finer & exact[:, None] & ~hides[None, :] & looks
    # Of two that say the same, numbered differently, the first stays.
    implies &= ~(implies.T & np.tri(len(once), dtype=np.bool_))
    follows: list[bool] = np.logical_or.reduce(implies, axis=0).tolist()
    return tuple(each for each, one in zip(once, follows, strict=True) if not one)


def _looks_at(earlier: KnownFigures, candidate: KnownFigures) -> bool:
    """Whether the groups of a partition are looked at with those of another: no class over values is a group."""
    return earlier.values & candidate.partition.classes.keys() <= candidate.values


def _is_same(one: KnownFigures, other: KnownFigures) -> bool:
    return (
        one.others_most == other.others_most
        and np.array_equal(one.labels, other.labels)
        and np.array_equal(one.least, other.least)
        and np.array_equal(one.most, other.most)
        and np.array_equal(one.hidden_labels, other.hidden_labels)
    )


def _finer(pool: Sequence[KnownFigures]) -> Marks:
    """Whether the partition of each row refines that of each column; by the levels of each axis, which are few."""
    partitions = [each.partition for each in pool]
    filters = {each: number for number, each in enumerate(dict.fromkeys(each.filter for each in partitions))}
    filtered = np.array([filters[each.filter] for each in partitions], dtype=np.int64)
    plain = np.array([each.listed is None for each in partitions], dtype=np.bool_)
    found: Marks = (filtered[:, None] == filtered[None, :]) & plain[:, None] & plain[None, :]
    for axis in sorted({axis for each in partitions for axis in each.classes}):
        levels: dict[bytes, tuple[int, Whole]] = {}
        number = np.empty(len(partitions), dtype=np.int64)
        size = max(len(each.classes[axis]) for each in partitions if axis in each.classes)
        for place, each in enumerate(partitions):
            classes = each.classes.get(axis, np.zeros(size, dtype=np.int64))
            number[place] = levels.setdefault(classes.tobytes(), (len(levels), classes))[0]
        of = [classes for _, classes in levels.values()]
        refining = np.array([[is_function_of(coarser, finer) for coarser in of] for finer in of], dtype=np.bool_)
        found &= refining[np.ix_(number, number)]
    np.fill_diagonal(found, val=False)
    return found


def added_up(pool: Sequence[KnownFigures]) -> tuple[tuple[KnownFigures, ...], bool]:
    """The coarser partitions whose classes readers can add up, at levels that the pool has: without figures.

    Of each partition, each column at `*` or at a level of any partition that its own refines. A class in common with
    one of these may be known where the finer classes are not, each by itself. And whether these are all, and not just
    as many as are looked at.
    """
    levels: dict[int, dict[bytes, Whole]] = {}
    for each in pool:
        for axis, classes in each.partition.classes.items():
            levels.setdefault(axis, {}).setdefault(classes.tobytes(), classes)
    found: dict[bytes, KnownFigures] = {}
    known = {each.partition.key for each in pool}
    for each in pool:
        if each.partition.listed is not None or not each.binds:
            continue
        of_axis = [
            [(axis, own) for own in (None, *_coarser(classes, levels[axis].values()))]
            for axis, classes in each.partition.classes.items()
        ]
        for some in product(*of_axis):
            coarser = {axis: own for axis, own in some if own is not None}
            summed = replace(each.without_figures(), partition=replace(each.partition, classes=coarser))
            if summed.partition.key not in known:
                found.setdefault(summed.partition.key, replace(summed, called=f"totals of {each.called}"))
            if len(found) > MOST_ADDED_UP:
                return tuple(found.values()), False
    return tuple(found.values()), True


def _coarser(classes: Whole, levels: Iterable[Whole]) -> list[Whole]:
    """A level, and those that it refines."""
    return [each for each in levels if is_function_of(each, classes)]
