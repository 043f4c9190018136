"""Other data that agree with every release: two persons swap their values of some columns, and no figure changes.

Such data are a proof: what is false of them does not follow from the releases.

Which partitions part two codes of a column is kept in bits. A partition whose every number is known is as it was where
it does not part two persons by the columns that they swap, or by none of the others: this decides for all such
partitions at once. The classes before and after are looked at of partitions that drop, hide or filter alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np
import numpy.typing as npt

from ordermade.ledger.figures import OUTSIDE, JointCells, KnownFigures, PersonPartition
from ordermade.tables.cells import Marks, Whole

Bits = npt.NDArray[np.uint64]

_HIDDEN = -2
"""The mark of a class whose number no release gives: another such class may have the person instead."""
_MOST_PAIRS = 40_000
"""The most pairs of cells that are looked at, of one set of columns, for persons who are to come into a group."""
_MOST_TRIED = 500
"""The most swaps that are tried on the bounds of hidden classes, of one set of columns."""
_MOST_SUBSETS = 256
"""The most sets of columns whose values are swapped."""
MOST_TRIED = 20_000_000
"""The most swaps that are looked at over all groups, each counted once for every partition."""
_MOST_CODES = 512
"""The most codes of a column whose pairs are kept in bits."""
_FIRST_OTHERS = 1_000
"""The cells that persons who are to leave a group swap with first; with all others where those are too few."""


@dataclass(frozen=True, slots=True)
class JoinedClass:
    """The persons who are in a class of each of some partitions: `classes` maps a place in the pool to a class."""

    classes: Mapping[int, int]


class Swaps:
    """Swaps over the cells of a dataset that leave every figure of a pool as it is; the pool has each partition once.

    `labels`: the class of every cell in each partition.
    """

    def __init__(self, pool: Sequence[KnownFigures], joint: JointCells) -> None:
        self._partitions = [each.partition for each in pool]
        self._pool, self._joint = pool, joint
        self.labels = [each.labels(joint.cells) for each in self._partitions]
        binding = [place for place, each in enumerate(pool) if each.binds]
        known = (
            [place for place in binding if _is_known(pool[place])] if max(joint.sizes, default=0) <= _MOST_CODES else []
        )
        parting = [self._partitions[place] for place in known]
        self._parted = [_parted(parting, axis, size) for axis, size in enumerate(joint.sizes)] if known else []
        self._binding = [place for place in binding if place not in set(known)]
        self._marked = {place: self._with_hidden(place, self.labels[place]) for place in self._binding}
        self._persons = [_persons(self.labels[place], joint.persons) for place in self._binding]
        self._tried = 0
        self._subsets = list(_subsets([self._partitions[place] for place in binding]))

    def members(self, group: JoinedClass) -> Marks:
        """The cells in a group."""
        found: Marks = np.ones(len(self._joint.cells), dtype=np.bool_)
        for place, label in group.classes.items():
            found &= self.labels[place] == label
        return found

    def leaving(self, group: JoinedClass, most: int) -> int:
        """How many persons can leave a group at once, up to `most`."""
        inside, world, cells = self.members(group), self._world(), self._joint.cells
        others = np.flatnonzero(~inside)
        gone = 0
        for cell in np.flatnonzero(inside).tolist():
            parted = [own[cells[cell, axis]][cells[others, axis]] for axis, own in enumerate(self._parted)]
            for subset in self._subsets:
                if gone >= most or not world.left[cell] or self._tried > MOST_TRIED:
                    break
                usable = self._is_kept(parted, subset, len(others))
                for near in (others[usable][:_FIRST_OTHERS], others[usable][_FIRST_OTHERS:]):
                    if not len(near):
                        break
                    columns = list(subset)
                    ours, theirs = np.repeat(cells[cell][None, :], len(near), axis=0), cells[near]
                    ours[:, columns] = theirs[:, columns]
                    theirs[:, columns] = cells[cell, columns]
                    outside = ~self._is_in(group, ours) & ~self._is_in(group, theirs)
                    one = np.full(len(near), cell)
                    gone += self._carried_out(world, one, near, ours, theirs, outside, most - gone)
                    if gone >= most or not world.left[cell]:
                        break
        return gone

    def _is_kept(self, parted: Sequence[Bits], subset: tuple[int, ...], n: int) -> Marks:
        """Of n pairs of cells, those whose swap of some columns keeps all known partitions; by what parts them."""
        self._tried += n
        if not parted:
            return np.ones(n, dtype=np.bool_)
        swapped = np.zeros_like(parted[0])
        stay = np.zeros_like(parted[0])
        for axis, own in enumerate(parted):
            (swapped if axis in subset else stay)[:] |= own
        kept: Marks = np.logical_not((swapped & stay).any(axis=1))
        return kept

    def coming(self, group: JoinedClass, most: int) -> int:
        """How many persons can come into a group at once, up to `most`."""
        inside, world = self.members(group), self._world()
        came = 0
        for subset in self._subsets:
            if came >= most or self._tried > MOST_TRIED:
                break
            came += self._swapped_in(group, subset, inside, world, most - came)
        return came

    def _swapped_in(self, group: JoinedClass, subset: tuple[int, ...], inside: Marks, world: _World, most: int) -> int:
        cells, box, columns = self._joint.cells, self._box(group), list(subset)
        first = ~inside & (world.left > 0)
        second = first.copy()
        for axis, marked in box.items():
            (first if axis in subset else second)[:] &= marked[cells[:, axis]]
        one, other = np.flatnonzero(first), np.flatnonzero(second)
        if not len(one) or not len(other):
            return 0
        one = one[: max(1, _MOST_PAIRS // min(len(other), 200))]
        other = other[: max(1, _MOST_PAIRS // len(one))]
        one, other = (each.reshape(-1) for each in np.meshgrid(one, other, indexing="ij"))
        parted = [own[cells[one, axis], cells[other, axis]] for axis, own in enumerate(self._parted)]
        kept = self._is_kept(parted, subset, len(one))
        one, other = one[kept], other[kept]
        ours, theirs = cells[other].copy(), cells[one].copy()
        ours[:, columns] = cells[one][:, columns]
        theirs[:, columns] = cells[other][:, columns]
        usable = self._is_in(group, ours) & ~self._is_in(group, theirs) & (one != other)
        return self._carried_out(world, one, other, theirs, ours, usable, most)

    def _carried_out(
        self, world: _World, one: Whole, other: Whole, ours: Whole, theirs: Whole, usable: Marks, most: int
    ) -> int:
        """How many of these swaps were carried out, up to `most`: of one and other into ours and theirs."""
        labels = []
        self._tried += len(one) * len(self._binding)
        for place in self._binding:
            if not usable.any():
                return 0
            partition = self._partitions[place]
            new = [partition.labels(ours), partition.labels(theirs)]
            first, second = self._marked[place][one], self._marked[place][other]
            now = [self._with_hidden(place, each) for each in new]
            usable = usable & (((now[0] == first) & (now[1] == second)) | ((now[0] == second) & (now[1] == first)))
            labels.append(new)
        done = 0
        for number in islice(np.flatnonzero(usable).tolist(), _MOST_TRIED):
            a, b = int(one[number]), int(other[number])
            after = [(int(new[0][number]), int(new[1][number])) for new in labels]
            while done < most and world.swap(a, b, after):
                done += 1
            if done >= most:
                break
        return done

    def _world(self) -> _World:
        binding = self._binding
        labels = [self.labels[each] for each in binding]
        return _World([self._pool[each] for each in binding], labels, self._joint.persons.copy(), self._persons)

    def _with_hidden(self, place: int, labels: Whole) -> Whole:
        least, most = self._pool[place].bounds(labels)
        return np.where(least == most, labels, _HIDDEN)

    def _box(self, group: JoinedClass) -> dict[int, Marks]:
        """The codes of each axis that a cell of the group may have, as far as single columns bound it."""
        found: dict[int, Marks] = {}
        for place, label in group.classes.items():
            for axis, marked in self._partitions[place].codes_of(label).items():
                found[axis] = found[axis] & marked if axis in found else marked
        return found

    def _is_in(self, group: JoinedClass, cells: Whole) -> Marks:
        found: Marks = np.ones(len(cells), dtype=np.bool_)
        for place, label in group.classes.items():
            found &= self._partitions[place].labels(cells) == label
        return found


class _World:
    """The persons who have not swapped yet, and the persons in hidden classes after the swaps so far.

    Its pool has the partitions alone that bind.
    """

    def __init__(
        self,
        pool: Sequence[KnownFigures],
        labels: Sequence[Whole],
        left: Whole,
        persons: Sequence[Mapping[int, int]],
    ) -> None:
        self.left = left
        self._labels, self._pool, self._before = labels, pool, persons
        self._more: list[dict[int, int]] = [{} for _ in pool]

    def swap(self, one: int, other: int, after: Sequence[tuple[int, int]]) -> bool:
        """Whether a person of each of two cells swapped into these classes: not beyond the bounds of any class."""
        if not self.left[one] or not self.left[other]:
            return False
        changed: list[tuple[int, dict[int, int]]] = []
        for place, new in enumerate(after):
            change: dict[int, int] = {}
            for label in new:
                change[label] = change.get(label, 0) + 1
            for cell in (one, other):
                label = int(self._labels[place][cell])
                change[label] = change.get(label, 0) - 1
            for label, amount in change.items():
                if amount and label != OUTSIDE:
                    least, most = self._pool[place].bounds(np.array([label]))
                    persons = self._before[place].get(label, 0) + self._more[place].get(label, 0)
                    if not least[0] <= persons + amount <= most[0]:
                        return False
            changed.append((place, change))
        for place, change in changed:
            for label, amount in change.items():
                self._more[place][label] = self._more[place].get(label, 0) + amount
        self.left[one] -= 1
        self.left[other] -= 1
        return True


def _is_known(figures: KnownFigures) -> bool:
    """Whether the number of every class is known, and everybody is in one."""
    return (
        figures.partition.filter is None
        and figures.partition.listed is None
        and figures.others_most == 0
        and bool((figures.least == figures.most).all())
    )


def _parted(partitions: Sequence[PersonPartition], axis: int, size: int) -> Bits:
    """Bits of the partitions that part each pair of codes of an axis of so many codes."""
    words = (len(partitions) + 63) // 64
    found = np.zeros((size, size, words), dtype=np.uint64)
    for number, each in enumerate(partitions):
        if axis in each.classes:
            own = each.classes[axis][:size]
            found[:, :, number // 64] |= (own[:, None] != own[None, :]).astype(np.uint64) << np.uint64(number % 64)
    return found


def _persons(labels: Whole, persons: Whole) -> Mapping[int, int]:
    """The persons of each class, by the class of each cell."""
    every, number = np.unique(labels, return_inverse=True)
    sums = np.bincount(number.reshape(-1), persons, len(every)).astype(np.int64)
    return dict(zip(every.tolist(), sums.tolist(), strict=True))


def _subsets(partitions: Sequence[PersonPartition]) -> Iterator[tuple[int, ...]]:
    """Sets of columns to swap, those of single partitions and single columns first; of a set and its rest only one."""
    axes = sorted({axis for each in partitions for axis in each.axes})
    every = frozenset(axes)
    wanted = [each.axes for each in partitions]
    wanted += [a - b for a in wanted for b in wanted] + [frozenset([each]) for each in axes]
    wanted += [frozenset(each) for size in range(2, len(axes) // 2 + 1) for each in combinations(axes, size)]
    seen: set[frozenset[int]] = set()
    for each in wanted:
        if each and each != every and each not in seen and every - each not in seen:
            seen.add(each)
            yield tuple(sorted(each))
            if len(seen) >= _MOST_SUBSETS:
                return
