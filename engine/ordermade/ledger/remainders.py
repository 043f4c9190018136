"""What is left of a class of one release without the classes of others that lie in it: what readers subtract first.

Classes that releases have in common are finer than what is left: readers who know how many are left of a class may not
know how they are parted by a column that it does not have, or among the classes that another release dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ordermade.ledger.figures import OUTSIDE, JointCells, KnownFigures
from ordermade.tables.cells import Marks, Whole

MOST_SUBTRACTED = 3
"""The most partitions whose classes are subtracted from one class together."""
MOST_LOOKED_AT = 16_384
"""The most sets of partitions, of one to subtract from and those subtracted, whose persons are counted."""
MOST_PASSED_OVER = 1_000_000
"""The most such sets that are passed over: their classes together are too few to leave 1 to k - 1 persons."""
MOST_COMPARED = 200_000_000
"""The most cells by which classes of one partition are compared with those of another, of all pairs together."""


@dataclass(frozen=True, slots=True, eq=False)
class Remainder:
    """The persons of a class of `total` who are in REST of all of `parted`; the partitions are without figures."""

    total: KnownFigures
    label: int
    parted: tuple[KnownFigures, ...]


@dataclass(frozen=True, slots=True)
class Remainders:
    """What is left of classes, of 1 to k - 1 persons each; `is_cut`: not all that may be subtracted was looked at."""

    found: tuple[Remainder, ...]
    is_cut: bool


def remainders(pool: Sequence[KnownFigures], joint: JointCells, k: int) -> Remainders:
    """The classes of each partition, in columns that it has with another, less those of other releases in them.

    A class whose number is known lies in another where all its persons are in it.
    """
    plain = [_Plain.of(each, joint) for each in pool if each.partition.listed is None]
    totals: dict[bytes, tuple[KnownFigures, set[int]]] = {}
    for one in plain:
        others = {place for place, each in enumerate(plain) if set(each.figures.releases) != set(one.figures.releases)}
        shared = {some for other in others for some in _shared(one.figures, plain[other].figures)}
        for axes in sorted(shared, key=sorted):
            total = _in_columns(one.figures, axes)
            totals.setdefault(total.partition.key, (total, set()))[1].update(others)
    found: list[Remainder] = []
    compared = counted = passed_over = 0
    for total, others in totals.values():
        of = total.partition.labels(joint.cells)
        every, number = np.unique(of, return_inverse=True)
        number = number.reshape(-1)
        sizes = np.bincount(number, joint.persons, len(every)).astype(np.int64)
        parted: list[tuple[KnownFigures, Marks, Whole]] = []
        for place in sorted(others):
            other = plain[place]
            if other.figures.is_exact and other.figures.partition.refines(total.partition):
                continue  # nobody is left
            compared += len(of)
            if compared > MOST_COMPARED:
                return Remainders(tuple(found), is_cut=True)
            without, is_left = _without(other, of)
            if without.partition.listed is not None:
                taken = np.bincount(number[~is_left], joint.persons[~is_left], len(every)).astype(np.int64)
                parted.append((without, is_left, taken))
        own = (every != OUTSIDE) & (sizes > 0)
        for size in range(1, min(MOST_SUBTRACTED, len(parted)) + 1):
            if not _may_leave_few(sizes[own], [taken[own] for _, _, taken in parted], size, k):
                continue
            for some in combinations(parted, size):
                if not (sizes[own] - sum(taken[own] for _, _, taken in some) < k).any():
                    passed_over += 1
                    if passed_over > MOST_PASSED_OVER:
                        return Remainders(tuple(found), is_cut=True)
                    continue
                counted += 1
                if counted > MOST_LOOKED_AT:
                    return Remainders(tuple(found), is_cut=True)
                left: Marks = np.logical_and.reduce([is_left for _, is_left, _ in some])
                few = _few(of[left], joint.persons[left], k)
                found += [Remainder(total, label, tuple(without for without, _, _ in some)) for label in few]
    return Remainders(tuple(found), is_cut=False)


def _may_leave_few(sizes: Whole, taken: Sequence[Whole], number: int, k: int) -> bool:
    """Whether a class may have less than k persons left without those that so many partitions at most take."""
    most = np.sort(np.stack(taken), axis=0)[-number:].sum(axis=0)
    return bool((sizes - most < k).any())


@dataclass(frozen=True, slots=True, eq=False)
class _Plain:
    """Figures with the classes that have cells: the first cell of each, the number of every cell's, and its bounds."""

    figures: KnownFigures
    every: Whole
    first: Whole
    number: Whole
    is_known: Marks

    @classmethod
    def of(cls, figures: KnownFigures, joint: JointCells) -> _Plain:
        labels = figures.partition.labels(joint.cells)
        every, first, number = np.unique(labels, return_index=True, return_inverse=True)
        least, most = figures.bounds(every)
        return cls(figures, every, first, number.reshape(-1), least == most)


def _shared(one: KnownFigures, other: KnownFigures) -> Iterator[frozenset[int]]:
    """The columns that two partitions share, and all fewer of them: by fewer, other classes lie in one class."""
    common = sorted(set(one.partition.classes) & other.partition.axes)
    for size in range(len(common) + 1):
        yield from map(frozenset, combinations(common, size))


def _few(of: Whole, persons: Whole, k: int) -> list[int]:
    """The classes of 1 to k - 1 persons."""
    every, number = np.unique(of, return_inverse=True)
    sizes = np.bincount(number.reshape(-1), persons, len(every))
    few: list[int] = every[(sizes > 0) & (sizes < k) & (every != OUTSIDE)].tolist()
    return few


def _in_columns(figures: KnownFigures, axes: frozenset[int]) -> KnownFigures:
    """Its classes in these columns, added up over its others."""
    classes = {axis: own for axis, own in figures.partition.classes.items() if axis in axes}
    if len(classes) == len(figures.partition.classes):
        return figures.without_figures()
    summed = replace(figures.without_figures(), partition=replace(figures.partition, classes=classes))
    return replace(summed, called=f"totals of {figures.called}")


def _without(plain: _Plain, of: Whole) -> tuple[KnownFigures, Marks]:
    """Its known classes that lie in one class of others, by the class of each cell; all else is REST. And REST's cells.

    Its partition lists nothing where no class does.
    """
    figures = plain.figures
    is_parted = np.zeros(len(plain.every), dtype=np.bool_)
    is_parted[plain.number[of != of[plain.first][plain.number]]] = True
    lies: Marks = ~is_parted & (of[plain.first] != OUTSIDE) & plain.is_known
    listed = plain.every[lies] if lies.any() else None
    partition = replace(figures.partition, listed=listed, with_outside=figures.partition.filter is not None)
    without = replace(figures.without_figures(), partition=partition, called=f"all but {figures.called}")
    return without, ~lies[plain.number]
