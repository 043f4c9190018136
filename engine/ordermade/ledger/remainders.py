"""What is left of a class of one release without the classes of others that lie in it: what readers subtract first.

Classes that releases have in common are finer than what is left: readers who know how many are left of a class may not
know how they are parted by a column that it does not have, or among the classes that another release dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ordermade.ledger.figures import OUTSIDE, REST, JointCells, KnownFigures
from ordermade.tables.cells import Marks, Whole

MOST_SUBTRACTED = 3
"""The most partitions whose classes are subtracted from one class together."""
MOST_LOOKED_AT = 16_384
"""The most sets of partitions, of one to subtract from and those subtracted, that are looked at."""


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
    plain = [each for each in pool if each.partition.listed is None]
    labels = [each.partition.labels(joint.cells) for each in plain]
    totals: dict[bytes, tuple[KnownFigures, set[int]]] = {}
    for one in plain:
        others = {place for place, each in enumerate(plain) if set(each.releases) != set(one.releases)}
        for axes in sorted({some for other in others for some in _shared(one, plain[other])}, key=sorted):
            total = _in_columns(one, axes)
            totals.setdefault(total.partition.key, (total, set()))[1].update(others)
    found: list[Remainder] = []
    number = 0
    for total, others in totals.values():
        of = total.partition.labels(joint.cells)
        parted = [_without(plain[place], labels[place], of) for place in sorted(others)]
        parted = [each for each in parted if each.partition.listed is not None]
        rests = [each.partition.labels(joint.cells) == REST for each in parted]
        for size in range(1, min(MOST_SUBTRACTED, len(parted)) + 1):
            for some in combinations(range(len(parted)), size):
                number += 1
                if number > MOST_LOOKED_AT:
                    return Remainders(tuple(found), is_cut=True)
                is_left: Marks = np.logical_and.reduce([rests[each] for each in some])
                few = _few(of[is_left], joint.persons[is_left], k)
                found += [Remainder(total, label, tuple(parted[each] for each in some)) for label in few]
    return Remainders(tuple(found), is_cut=False)


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


def _without(figures: KnownFigures, own: Whole, of: Whole) -> KnownFigures:
    """Its known classes that lie in one class of others, by the class of each cell in both; all else is REST.

    Its partition lists nothing where no class does.
    """
    every, first, number = np.unique(own, return_index=True, return_inverse=True)
    is_parted = np.zeros(len(every), dtype=np.bool_)
    is_parted[number.reshape(-1)[of != of[first][number.reshape(-1)]]] = True
    least, most = figures.bounds(every)
    lies: Marks = ~is_parted & (of[first] != OUTSIDE) & (least == most)
    listed = every[lies] if lies.any() else None
    partition = replace(figures.partition, listed=listed, with_outside=figures.partition.filter is not None)
    return replace(figures.without_figures(), partition=partition, called=f"all but {figures.called}")
