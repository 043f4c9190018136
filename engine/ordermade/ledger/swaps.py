"""Other data that agree with every release: two persons swap their values of some columns, and no figure changes.

Such data are a proof: what is false of them does not follow from the releases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from ordermade.ledger.figures import OUTSIDE, JointCells, KnownFigures, PersonPartition
from ordermade.tables.cells import Marks, Whole

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
        self._binding = [place for place, each in enumerate(pool) if each.binds]
        self._marked = {place: self._with_hidden(place, self.labels[place]) for place in self._binding}
        self._persons = [_persons(self.labels[place], joint.persons) for place in self._binding]
        self._tried = 0
        self._subsets = list(_subsets([self._partitions[place] for place in self._binding]))

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
            for near in (others[:_FIRST_OTHERS], others[_FIRST_OTHERS:]):
                for subset in self._subsets:
                    if gone >= most or not world.left[cell] or self._tried > MOST_TRIED:
                        break
                    columns = list(subset)
                    ours, theirs = np.repeat(cells[cell][None, :], len(near), axis=0), cells[near]
                    ours[:, columns] = theirs[:, columns]
                    theirs[:, columns] = cells[cell, columns]
                    usable = ~self._is_in(group, ours) & ~self._is_in(group, theirs)
                    one = np.full(len(near), cell)
                    gone += self._carried_out(world, one, near, ours, theirs, usable, most - gone)
        return gone

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
