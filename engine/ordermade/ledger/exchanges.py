"""Persons who can leave every small group at once, which proves many groups safe without looking at each.

Two persons, a and b, exchange their values of one column. A partition changes by nothing where it does not part the two
by that column, or by none of its others: each keeps its class, or each takes that of the other. Data in which they have
exchanged agree with every release where that is so of every partition.

An *atom* is one way in which a column is parted: a level, or what passes a filter of that column alone. Classes that
releases have in common are all persons who agree on some atoms. After the exchange neither a nor b agrees any more with
what a was, where the atoms have one that parts the two by the exchanged column and one that parts them by another: a
has left, and b has not come. Where each of at most k - 1 persons of a group has k - 1 others to exchange with so, they
all leave at once, each with another one.

Where two persons have nothing to exchange, four or eight may have (`cubes`), each from a cell with k - 1 others.

So a cell is settled by a search from all atoms at once down to fewer: where its class is of k or more, every class by
fewer atoms is; where it is smaller and others are there who are parted from it by the atoms alpha and beta, the classes
that lack alpha and those that lack beta remain. No set of partitions is enumerated.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ordermade.ledger.cubes import MOST_CODES, Cube, CubeMoves
from ordermade.ledger.figures import REST, JointCells, KnownFigures, PersonPartition, is_function_of
from ordermade.ledger.numbering import paired, sums
from ordermade.tables.cells import Marks, Whole

MOST_VISITED = 400_000_000
"""The most cells that are visited, in all passes over them; cells that are not settled then stay unsettled."""

MOST_BY_CUBES = 2_000
"""The most cells that cubes are looked for at."""
_MOST_CLASSES_OF_ONE = 200
"""The most classes of one cell that are looked at for it."""


@dataclass(frozen=True, slots=True, eq=False)
class _Atom:
    """A way in which an axis is parted: the class of each code, of `number` classes."""

    axis: int
    classes: Whole
    number: int


class GroupExchanges:
    """GroupExchanges of one column's values between persons of a pool's dataset; the pool has each partition once."""

    def __init__(self, pool: Sequence[KnownFigures], joint: JointCells) -> None:
        self._sizes = joint.sizes
        self._atoms: list[_Atom] = []
        self._numbered: dict[tuple[int, bytes], int] = {}
        partitions = [each.partition for each in pool]
        every = [self._bound(each) for each in partitions]
        self._grouping = frozenset(atom for each in partitions for atom in self._parting(each))
        self._partitions = [atoms for atoms, each in zip(every, pool, strict=True) if each.binds]
        self._finer = {
            place: frozenset(
                other
                for other, finer in enumerate(self._atoms)
                if finer.axis == atom.axis and is_function_of(atom.classes, finer.classes)
            )
            for place, atom in enumerate(self._atoms)
        }
        self._joined: dict[tuple[int, frozenset[int]], tuple[Whole, int]] = {}
        self._cells, self._persons = joint.cells, joint.persons
        number = self._classes(frozenset(range(len(self._atoms))))
        _, first, self._of = np.unique(number, return_index=True, return_inverse=True)
        self._of = self._of.reshape(-1)
        self._cells = joint.cells[first]
        self._persons = np.bincount(self._of, joint.persons, len(first)).astype(np.int64)
        self._marked = _numbered([_marks(each, self._cells) for each in partitions], len(first))
        self._available: dict[tuple[int, int], Marks] = {}
        self._buckets: dict[int, Whole] = {}
        self._reached: dict[int, Marks] = {}
        self._few: Marks = np.zeros(len(first), dtype=np.bool_)
        self._visited = 0

    @property
    def small(self) -> int:
        """How many classes of all atoms together have 1 to k - 1 persons, once it is settled who can leave."""
        return int(np.count_nonzero(self._few))

    def unsettled(self, k: int) -> Marks:
        """The cells that a group of 1 to k - 1 persons may have that persons cannot leave all at once."""
        unsettled = np.zeros(len(self._persons), dtype=np.bool_)
        self._few = (self._persons > 0) & (self._class_sizes(self._grouping) < k)
        waiting: dict[frozenset[int], Marks] = {self._grouping: self._few.copy()}
        while waiting:
            atoms = max(waiting, key=lambda each: (len(each), sorted(each)))
            cells = waiting.pop(atoms) & ~unsettled
            if not cells.any():
                continue
            if atoms != self._grouping:
                cells &= self._class_sizes(atoms) < k
            for alpha, beta in self._pairs(atoms, k):
                if not cells.any() or self._visited > MOST_VISITED:
                    break
                settled = cells & self._parted(alpha, beta, k)
                if settled.any():
                    for one in (alpha, beta):
                        fewer = atoms - self._finer[one]
                        waiting[fewer] = waiting[fewer] | settled if fewer in waiting else settled
                    cells &= ~settled
            unsettled |= cells
        self._settle_by_cubes(unsettled, k)
        found: Marks = unsettled[self._of]
        return found

    def _settle_by_cubes(self, unsettled: Marks, k: int) -> None:
        """Unmarks the cells that are settled once persons move along cubes, too."""
        if math.prod(self._sizes) > MOST_CODES or not self._sizes:
            return
        of_axis: list[list[int]] = [[] for _ in self._sizes]
        for number, atom in enumerate(self._atoms):
            of_axis[atom.axis].append(number)
        levels = [
            np.array([self._atoms[each].classes for each in own], dtype=np.int64).reshape(len(own), size)
            for own, size in zip(of_axis, self._sizes, strict=True)
        ]
        cubes = CubeMoves(self._cells, self._persons, levels, of_axis, self._partitions)
        sizes: dict[frozenset[int], Whole] = {}
        for cell in np.flatnonzero(unsettled).tolist()[:MOST_BY_CUBES]:
            if self._visited > MOST_VISITED:
                return
            unsettled[cell] = not self._is_settled(cell, cubes, sizes, k)

    def _is_settled(self, cell: int, cubes: CubeMoves, sizes: dict[frozenset[int], Whole], k: int) -> bool:
        """Whether persons can leave each class that a cell is in, of fewer than k persons."""
        kinds = [
            (cube, [frozenset(self._among(each.atoms)) for each in cube.others]) for cube in islice(cubes.at(cell), 500)
        ]
        has_persons: dict[int, bool] = {}
        waiting, seen = [self._grouping], {self._grouping}
        while waiting:
            atoms = waiting.pop()
            if atoms not in sizes:
                sizes[atoms] = self._class_sizes(atoms)
            if sizes[atoms][cell] >= k:
                continue
            fewer = self._left(cell, atoms, cubes, kinds, has_persons, k)
            if fewer is None or len(seen) > _MOST_CLASSES_OF_ONE:
                return False
            waiting += [each for each in fewer if each not in seen]
            seen.update(fewer)
        return True

    def _left(
        self,
        cell: int,
        atoms: frozenset[int],
        cubes: CubeMoves,
        kinds: Sequence[tuple[Cube, Sequence[frozenset[int]]]],
        has_persons: dict[int, bool],
        k: int,
    ) -> list[frozenset[int]] | None:
        """The classes, by fewer atoms, that a person of a cell stays in by a move out of others; None without one."""
        for alpha, beta in self._pairs(atoms, k):
            if self._parted(alpha, beta, k)[cell]:
                return [atoms - self._finer[alpha], atoms - self._finer[beta]]
        for number, (cube, parting) in enumerate(kinds):
            if all(each & atoms for each in parting):
                if number not in has_persons:
                    self._visited += 1_000
                    has_persons[number] = cubes.has_persons(cell, cube, k - 1)
                if has_persons[number]:
                    return [atoms - each for each in parting]
        return None

    def _among(self, bits: int) -> Iterator[int]:
        return (number for number in range(len(self._atoms)) if bits >> number & 1)

    def _bound(self, partition: PersonPartition) -> frozenset[int]:
        """The atoms that the class of a person depends on."""
        found = {self._number(axis, classes) for axis, classes in partition.classes.items()}
        passing = self._passing(partition)
        if passing is not None:
            return frozenset({*found, self._number(*passing)})
        return frozenset({*found, *(self._number(each.axis, each.truths) for each in partition.compared.values())})

    def _parting(self, partition: PersonPartition) -> Iterator[int]:
        """The atoms that a class of the partition is of; a filter of several columns is a mark of cells instead."""
        for axis, classes in partition.classes.items():
            yield self._number(axis, classes)
        passing = self._passing(partition)
        if passing is not None:
            yield self._number(*passing)

    def _passing(self, partition: PersonPartition) -> tuple[int, Whole] | None:
        """What passes a filter of one column; None of other filters."""
        axes = {each.axis for each in partition.compared.values()}
        if len(axes) != 1:
            return None
        (axis,) = axes
        cells = np.zeros((self._sizes[axis], len(self._sizes)), dtype=np.int64)
        cells[:, axis] = np.arange(self._sizes[axis])
        return axis, partition.passes(cells).astype(np.int64)

    def _number(self, axis: int, classes: Whole) -> int:
        """The number of an atom; classes in one order, whichever numbers they have."""
        _, first, number = np.unique(classes, return_index=True, return_inverse=True)
        own = np.argsort(np.argsort(first))[number.reshape(-1)].astype(np.int64)
        key = axis, own.tobytes()
        if key not in self._numbered:
            self._numbered[key] = len(self._atoms)
            self._atoms.append(_Atom(axis, own, len(first)))
        return self._numbered[key]

    def _on_axis(self, axis: int, atoms: frozenset[int]) -> tuple[Whole, int]:
        """The class of each code by all these atoms of an axis, and how many there are."""
        if (axis, atoms) not in self._joined:
            stacked = np.stack([self._atoms[each].classes for each in sorted(atoms)], axis=1)
            every, number = np.unique(stacked, axis=0, return_inverse=True)
            self._joined[axis, atoms] = number.reshape(-1).astype(np.int64), len(every)
        return self._joined[axis, atoms]

    def _classes(self, atoms: frozenset[int]) -> Whole:
        """The class of each cell by these atoms, numbered from 0."""
        by_axis: dict[int, set[int]] = {}
        for each in atoms:
            by_axis.setdefault(self._atoms[each].axis, set()).add(each)
        found, most = np.zeros(len(self._cells), dtype=np.int64), 1
        for axis, own in sorted(by_axis.items()):
            classes, number = self._on_axis(axis, frozenset(own))
            found, most = paired(found, most, classes[self._cells[:, axis]], number)
        return found

    def _class_sizes(self, atoms: frozenset[int]) -> Whole:
        """The persons who agree with each cell on these atoms and are marked as it is."""
        self._visited += len(self._cells)
        classes = self._classes(atoms)
        most = int(classes.max(initial=0)) + 1
        joined, most = paired(classes, most, self._marked, int(self._marked.max(initial=0)) + 1)
        return sums(joined, most, self._persons)

    def _pairs(self, atoms: frozenset[int], k: int) -> Iterator[tuple[int, int]]:
        """An atom to exchange by and one that is left, of two axes; the coarsest first, which leave the least."""
        order = sorted(atoms, key=lambda each: (-len(self._finer[each]), each))
        for alpha in order:
            if self._reaches(alpha, k).any():
                for beta in order:
                    if self._atoms[alpha].axis != self._atoms[beta].axis:
                        yield alpha, beta

    def _bucket(self, alpha: int) -> Whole:
        """Cells between which an exchange, of values that an atom parts, changes no partition: those of one number.

        Partitions that are finer on the axis are the same by their other columns, all others by their classes on it.
        """
        if alpha not in self._buckets:
            finer, axis = self._finer[alpha], self._atoms[alpha].axis
            agreed: set[int] = set()
            for each in self._partitions:
                own = {atom for atom in each if self._atoms[atom].axis == axis}
                agreed |= each - own if own & finer else own
            self._buckets[alpha] = np.unique(self._classes(frozenset(agreed)), return_inverse=True)[1].reshape(-1)
            self._visited += len(self._cells)
        return self._buckets[alpha]

    def _reaches(self, alpha: int, k: int) -> Marks:
        """The cells of small classes with k - 1 persons to exchange with by an atom."""
        if alpha not in self._reached:
            bucket, most = self._bucket(alpha), int(self._bucket(alpha).max(initial=0)) + 1
            same = paired(bucket, most, self._of_atom(alpha), self._atoms[alpha].number)
            others = sums(bucket, most, self._persons) - sums(*same, self._persons)
            self._reached[alpha] = self._few & (others >= k - 1)
            self._visited += 2 * len(self._cells)
        return self._reached[alpha]

    def _parted(self, alpha: int, beta: int, k: int) -> Marks:
        """The cells of small classes with k - 1 persons to exchange with, who are parted from them by both atoms."""
        if (alpha, beta) not in self._available:
            bucket = self._bucket(alpha)
            near = np.zeros(int(bucket.max(initial=0)) + 1, dtype=np.bool_)
            near[bucket[self._reaches(alpha, k)]] = True
            support = np.flatnonzero(near[bucket])
            own, persons = bucket[support], self._persons[support]
            most = int(own.max(initial=0)) + 1
            one, other = self._of_atom(alpha)[support], self._of_atom(beta)[support]
            by_one, by_other = (
                paired(own, most, each, self._atoms[atom].number) for each, atom in ((one, alpha), (other, beta))
            )
            by_both = paired(*by_one, other, self._atoms[beta].number)
            others = (
                sums(own, most, persons) - sums(*by_one, persons) - sums(*by_other, persons) + sums(*by_both, persons)
            )
            self._visited += 4 * len(support)
            found = np.zeros(len(self._cells), dtype=np.bool_)
            found[support] = others >= k - 1
            self._available[alpha, beta] = found & self._few
        return self._available[alpha, beta]

    def _of_atom(self, atom: int) -> Whole:
        return self._atoms[atom].classes[self._cells[:, self._atoms[atom].axis]]


def _marks(partition: PersonPartition, cells: Whole) -> Iterator[Marks]:
    """What no atom says of a cell: whether it is in REST, or passes a filter of several columns."""
    if partition.listed is not None:
        yield partition.labels(cells) == REST
    if len({each.axis for each in partition.compared.values()}) > 1:
        yield partition.passes(cells)


def _numbered(marks: Sequence[Iterator[Marks]], n: int) -> Whole:
    """A number of each cell: the same of cells that are marked alike."""
    found = np.zeros(n, dtype=np.int64)
    for each in marks:
        for one in each:
            found = np.unique(found * 2 + one, return_inverse=True)[1].reshape(-1)
    return found
