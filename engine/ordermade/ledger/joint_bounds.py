"""What the partitions of one version say together of the persons in any of their classes. Pure.

An atom is what no partition parts: values of each column that all of them have under one label. Every class is a union
of atoms. Classes bound their atoms by what they leave to each, atoms bound the classes of all partitions, and so on
until nothing changes: what is bound that way follows from the figures, though more may.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ordermade.ledger.entries import ShownClasses, ShownColumn
from ordermade.tables.cells import Marks, Whole

MOST_ATOMS = 50_000
"""The most atoms of partitions that are looked at together."""
MOST_ROUNDS = 16
"""The most times that atoms and classes narrow each other."""
MOST_SUMMED = 2_000_000
"""The most atoms that are summed in a round to narrow the classes of each partition by those of the others."""
MOST_RANGED = 40_000_000
"""The most atoms, once for each partition that they are in, that the ranges of all groups are of."""
WIDE = 2**40
"""More than any class has, of which a million add up to a whole number of 64 bits."""

Label = str | None
GroupsOfColumn = tuple[str, Sequence[int], int]
"""A column, the group of each of its signatures, and the number of groups."""


def added(values: Whole, number: Whole, n: int) -> Whole:
    """Sums of values, by the number of each sum."""
    found = np.zeros(n, dtype=np.int64)
    np.add.at(found, number, values)
    return found


def labels_of_values(
    levels: Collection[ShownColumn],
    labels: Mapping[ShownColumn, Sequence[Label]],
    domains: Mapping[ShownColumn, Sequence[Label]],
) -> Mapping[ShownColumn, Sequence[Label]] | None:
    """The label of every value of a column at each of these levels, in one order; None where they are not related.

    Of a single level that `labels` does not have, each label of its domain is a value.
    """
    found = {each: labels.get(each, domains[each] if len(levels) == 1 else ()) for each in levels}
    return found if len({len(each) for each in found.values()}) == 1 else None


@dataclass(frozen=True, slots=True, eq=False)
class Atoms:
    """The atoms of some partitions, in the order of the signatures of their columns, the last one fastest.

    `signatures`: by column, the labels at each of its levels that values have together, a place for each signature.
    """

    signatures: Mapping[str, Mapping[ShownColumn, tuple[Label, ...]]]
    number: int

    @classmethod
    def of(
        cls,
        partitions: Iterable[ShownClasses],
        labels: Mapping[ShownColumn, Sequence[Label]],
        domains: Mapping[ShownColumn, Sequence[Label]],
    ) -> Atoms | None:
        """The atoms; None where the levels of a column are not related, a label is of no value, or they are too many.

        `labels`: of every value at each level, in one order. `domains`: the labels that may occur at each level.
        """
        levels: dict[str, list[ShownColumn]] = {}
        for column in dict.fromkeys(column for each in partitions for column in each.columns):
            levels.setdefault(column.column, []).append(column)
        signatures: dict[str, Mapping[ShownColumn, tuple[Label, ...]]] = {}
        for name, own in levels.items():
            found = labels_of_values(own, labels, domains)
            if found is None or any(not set(domains[level]) <= set(each) for level, each in found.items()):
                return None
            rows = list(dict.fromkeys(zip(*found.values(), strict=True)))
            signatures[name] = {level: tuple(row[place] for row in rows) for place, level in enumerate(own)}
        number = math.prod(_size(each) for each in signatures.values())
        return None if number > MOST_ATOMS else cls(signatures, number)

    def number_of(self, groups: Iterable[GroupsOfColumn]) -> Whole:
        """The group of every atom, by the groups of the signatures of some columns, the last column fastest."""
        found = np.zeros(self.number, dtype=np.int64)
        for name, of_signature, size in groups:
            found = found * size + np.array(of_signature, dtype=np.int64)[self._places(name)]
        return found

    def of_labels(self, column: ShownColumn, of_label: Mapping[Label, int], size: int) -> GroupsOfColumn:
        """The groups of the signatures of a column, where its labels at a level have them."""
        return column.column, [of_label[each] for each in self.signatures[column.column][column]], size

    def classes(self, shown: ShownClasses, rest: tuple[int, int]) -> BoundedClasses:
        """The classes of one of the partitions; `rest`: the least and the most persons in all unlisted ones."""
        numbers = [
            {label: number for number, label in enumerate(dict.fromkeys(self.signatures[each.column][each]))}
            for each in shown.columns
        ]
        levels = [(each, number, len(number)) for each, number in zip(shown.columns, numbers, strict=True)]
        every, number = np.unique(self.number_of(self.of_labels(*each) for each in levels), return_inverse=True)
        listed = np.zeros(len(shown.codes), dtype=np.int64)
        for place, (_, of_label, size) in enumerate(levels):
            of_code = np.array([of_label.get(each, 0) for each in shown.labels[place]], dtype=np.int64)
            listed = listed * size + of_code[shown.codes[:, place]]
        at = np.searchsorted(every, listed)
        least = np.zeros(len(every), dtype=np.int64)
        most = np.full(len(every), min(shown.others_most, WIDE), dtype=np.int64)
        is_unlisted = np.ones(len(every), dtype=np.bool_)
        least[at], most[at], is_unlisted[at] = np.minimum(shown.least, WIDE), np.minimum(shown.most, WIDE), False
        return BoundedClasses(number.reshape(-1), least, most, is_unlisted, rest)

    def _places(self, name: str) -> Whole:
        """The place of the signature of a column in every atom."""
        sizes = [_size(each) for each in self.signatures.values()]
        place = list(self.signatures).index(name)
        after = math.prod(sizes[place + 1 :])
        return np.arange(self.number, dtype=np.int64) // after % sizes[place]


def _size(levels: Mapping[ShownColumn, tuple[Label, ...]]) -> int:
    return len(next(iter(levels.values())))


@dataclass(slots=True, eq=False)
class BoundedClasses:
    """The classes of a partition: that of every atom, and the least and the most persons of each class.

    `is_unlisted`: of each class; `rest`: the least and the most persons in all of these.
    """

    number: Whole
    least: Whole
    most: Whole
    is_unlisted: Marks
    rest: tuple[int, int]

    def narrow(self, least: Whole, most: Whole) -> None:
        """Narrows the classes by other bounds of theirs."""
        self.least, self.most = np.maximum(self.least, least), np.minimum(self.most, most)

    def narrow_by_sum(self, inside: Marks, sums: tuple[int, int]) -> None:
        """Narrows some classes by the persons of all of them."""
        least, most = self.least[inside], self.most[inside]
        self.least[inside] = np.maximum(least, sums[0] - (most.sum() - most))
        self.most[inside] = np.minimum(most, sums[1] - (least.sum() - least))

    def bounds(self, atoms: Sequence[Whole]) -> tuple[Whole, Whole]:
        """The least and the most persons of every atom that its class leaves to it."""
        least, most = atoms
        least_of, most_of = (added(each, self.number, len(self.least))[self.number] for each in atoms)
        return self.least[self.number] - (most_of - most), self.most[self.number] - (least_of - least)

    def sums(self, atoms: Sequence[Whole], number: Whole, n: int) -> tuple[Whole, Whole]:
        """The least and the most persons of groups of atoms; `number`: that of every atom, -1 of one in none.

        A class has in a group what its atoms there have, and what it leaves to them by those that are elsewhere.
        """
        inside, size = number >= 0, len(self.least)
        every, pair = np.unique(number[inside] * size + self.number[inside], return_inverse=True)
        group, of_class = np.divmod(every, size)
        here = [added(each[inside], pair.reshape(-1), len(every)) for each in atoms]
        least_out, most_out = (
            added(each, self.number, size)[of_class] - own for each, own in zip(atoms, here, strict=True)
        )
        least = np.maximum(here[0], self.least[of_class] - most_out)
        most = np.minimum(here[1], self.most[of_class] - least_out)
        return added(least, group, n), added(most, group, n)


@dataclass(slots=True, eq=False)
class JointBounds:
    """The classes of all partitions of a version and the atoms of these, narrowed by each other.

    `total`: the least and the most persons. `least`, `most`: those of every atom. `left`: how many atoms, once for each
    partition that they are in, ranges may still be of.
    """

    atoms: Atoms
    parts: Sequence[BoundedClasses]
    total: tuple[int, int]
    least: Whole = field(init=False)
    most: Whole = field(init=False)
    left: int = field(init=False, default=MOST_RANGED)

    def __post_init__(self) -> None:
        """Narrows until nothing changes, and `MOST_ROUNDS` times at the most."""
        self.least = np.zeros(self.atoms.number, dtype=np.int64)
        self.most = np.full(self.atoms.number, self.total[1], dtype=np.int64)
        for _ in range(MOST_ROUNDS):
            before = self._figures()
            for each in self.parts:
                self._narrow(each)
            if all(np.array_equal(one, other) for one, other in zip(before, self._figures(), strict=True)):
                break

    def range_of(self, number: Whole, n: int) -> tuple[Whole, Whole]:
        """The least and the most persons of n groups of atoms; `number`: that of every atom, -1 of one in none.

        Of a group without an atom, and of all once `MOST_RANGED` are counted, the bounds of everybody.
        """
        has_atoms = np.bincount(number[number >= 0], minlength=n) > 0
        self.left -= int(np.count_nonzero(number >= 0)) * len(self.parts)
        if self.left < 0:
            has_atoms[:] = False
        least, most = self._ranges(number, n) if has_atoms.any() else (np.zeros(n, np.int64), np.zeros(n, np.int64))
        return least, np.where(has_atoms, most, self.total[1])

    def _ranges(self, number: Whole, n: int) -> tuple[Whole, Whole]:
        every = [each.sums((self.least, self.most), number, n) for each in self.parts]
        return np.maximum.reduce([least for least, _ in every]), np.minimum.reduce([most for _, most in every])

    def _narrow(self, part: BoundedClasses) -> None:
        """Narrows the classes of a partition, then the atoms by them."""
        n = len(part.least)
        if self.atoms.number * len(self.parts) ** 2 <= MOST_SUMMED:
            part.narrow(*self._ranges(part.number, n))
        else:
            part.narrow(*(added(each, part.number, n) for each in (self.least, self.most)))
        part.narrow_by_sum(np.ones(n, dtype=np.bool_), self.total)
        part.narrow_by_sum(part.is_unlisted, part.rest)
        least, most = part.bounds((self.least, self.most))
        self.least, self.most = np.maximum(self.least, least), np.minimum(self.most, most)

    def _figures(self) -> list[Whole]:
        return [self.least, self.most, *(each.copy() for part in self.parts for each in (part.least, part.most))]
