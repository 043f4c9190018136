"""The sensitive values still possible for a person whose class in every release is known: enough, or too few. Pure.

A value is possible for the persons of a joint class where data that agree with every release have it there: persons
there really have it, or come to have it by a swap, or an integer program has one. Where fewer are possible than a
model of a release needs, it is a breach: readers who know a person's classes know more than the model allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ordermade.ledger.beside import Answer
from ordermade.ledger.figures import OUTSIDE, UNBOUNDED, JointCells, KnownFigures, PersonPartition, merged
from ordermade.ledger.programs import GroupPrograms
from ordermade.ledger.swaps import JoinedClass, Swaps
from ordermade.tables.cells import Whole

MOST_VALUES = 64
"""The most values that are looked for in one joint class by swaps and programs."""
MOST_LOOKED_FOR = 20_000
"""The most values that are looked for in all joint classes together; the classes after them are undecided."""


@dataclass(frozen=True, slots=True, eq=False)
class RequiredValues:
    """How many values of a sensitive column, an axis, the classes of a release need: `least` of each of `labels`.

    `labels` are classes of `partition`, ascending. `no_value`: a code that is none, as a missing value may be.
    """

    axis: int
    partition: PersonPartition
    labels: Whole
    least: Whole
    no_value: int | None = None

    def of(self, cells: Whole) -> Whole:
        """How many values the class of each cell needs; 0 where the release has not its persons."""
        own = self.partition.labels(cells)
        if not len(self.labels):
            return np.zeros(len(cells), dtype=np.int64)
        at = np.minimum(np.searchsorted(self.labels, own), len(self.labels) - 1)
        needed: Whole = np.where(self.labels[at] == own, self.least[at], 0)
        return needed


@dataclass(frozen=True, slots=True)
class FewValues:
    """Joint classes with too few sensitive values of an axis possible, or with no proof of enough: their number.

    `cells`: those of the persons in them, by number.
    """

    answer: Answer
    axis: int
    classes: int
    cells: frozenset[int] = field(default=frozenset(), compare=False, repr=False)


def few_values(
    given: Sequence[KnownFigures],
    joint: JointCells,
    required: Sequence[RequiredValues],
    most_cells: int = 3_000,
) -> tuple[FewValues, ...]:
    """The joint classes that have somebody, and are not safe, by sensitive column.

    Raises InputError where scipy is not installed and a program is needed.
    """
    found: list[FewValues] = []
    for axis, no_value in sorted({(each.axis, each.no_value) for each in required}, key=repr):
        own = [each for each in required if (each.axis, each.no_value) == (axis, no_value)]
        needed = np.maximum.reduce([each.of(joint.cells) for each in own])
        found += _Possible(given, joint, axis, no_value, most_cells).few(needed)
    return tuple(found)


class _Possible:
    """The values of one axis that are possible in the joint classes of a pool."""

    def __init__(
        self, given: Sequence[KnownFigures], joint: JointCells, axis: int, no_value: int | None, most_cells: int
    ) -> None:
        self._joint, self._axis, self._no_value = joint, axis, no_value
        classes = [_without_axis(each, axis) for each in given if not each.values]
        values = PersonPartition({axis: np.arange(joint.sizes[axis])})
        none = np.zeros(0, dtype=np.int64)
        of_values = KnownFigures((), "", values, none, none, none, UNBOUNDED, values=frozenset([axis]))
        self._known = {each.partition.key for each in classes if each is not None}
        self._pool = merged([*given, *(each for each in classes if each is not None), of_values])
        self._values = next(place for place, each in enumerate(self._pool) if each.partition.key == values.key)
        self._classes = [place for place, each in enumerate(self._pool) if each.partition.key in self._known]
        self._swaps = Swaps(self._pool, joint)
        self._programs = GroupPrograms(self._pool, joint.sizes, most_cells)
        self._looked_for = 0

    def few(self, needed: Whole) -> list[FewValues]:
        """The joint classes with fewer values than some of their persons need, or with no proof of enough."""
        is_there = self._joint.persons > 0
        labels = np.stack([self._swaps.labels[place] for place in self._classes], axis=1)
        every, number = np.unique(labels, axis=0, return_inverse=True)
        number = number.reshape(-1)
        counted: dict[Answer, list[int]] = {"breach": [], "undecided": []}
        most = np.zeros(len(every), dtype=np.int64)
        np.maximum.at(most, number[is_there], needed[is_there])
        pairs = np.unique(np.stack([number, self._joint.cells[:, self._axis]], axis=1)[is_there], axis=0)
        pairs = pairs[pairs[:, 1] != (-1 if self._no_value is None else self._no_value)]
        have = np.bincount(pairs[:, 0], minlength=len(every))
        for joined in np.flatnonzero(have < most).tolist():
            group = dict(zip(self._classes, every[joined].tolist(), strict=True))
            there = set(pairs[pairs[:, 0] == joined, 1].tolist())
            answer = self._enough(group, there, int(most[joined]))
            if answer != "safe":
                counted[answer].append(joined)
        return [
            FewValues(each, self._axis, len(own), frozenset(np.flatnonzero(np.isin(number, own) & is_there).tolist()))
            for each, own in counted.items()
            if own
        ]

    def _enough(self, group: dict[int, int], there: set[int], needed: int) -> Answer:
        """Whether so many values are possible in a joint class, where persons have those that are there."""
        least, open_values = len(there), 0
        for place, code in enumerate(self._others(group, there)):
            if place >= MOST_VALUES or self._looked_for >= MOST_LOOKED_FOR:
                return "undecided"
            self._looked_for += 1
            one = JoinedClass({**group, self._values: code})
            if self._swaps.coming(one, 1):
                least += 1
            else:
                bounds = self._programs.bounds(one)
                if bounds.most is None or bounds.most >= 1:
                    least += bounds.is_whole
                    open_values += not bounds.is_whole
            if least >= needed:
                return "safe"
        return "breach" if least + open_values < needed else "undecided"

    def _others(self, group: dict[int, int], there: set[int]) -> list[int]:
        """The values, other than those there, that all classes with values share."""
        found = set(range(self._joint.sizes[self._axis])) - there - {self._no_value}
        inside = self._swaps.members(JoinedClass(group))
        here = self._joint.cells[inside][:1]
        for figures in self._pool:
            if self._axis not in figures.values or not figures.binds:
                continue
            rest = {axis: own for axis, own in figures.partition.classes.items() if axis not in figures.values}
            partition = replace(figures.partition, classes=rest)
            if partition.key not in self._known:
                continue  # the joint class does not say which of its classes a person is in
            label = partition.labels(here)[0]
            if label == OUTSIDE:
                continue
            all_of = self._joint.cells[partition.labels(self._joint.cells) == label]
            least, most = figures.bounds(figures.partition.labels(all_of))
            if (least == most).all():  # the class is released, with all its values
                found &= set(all_of[:, self._axis].tolist())
        return sorted(found)


def _without_axis(figures: KnownFigures, axis: int) -> KnownFigures | None:
    """The partition as far as readers who do not know the sensitive value know a person's class in it."""
    partition = figures.partition
    if any(each.axis == axis for each in partition.compared.values()):
        return None
    if axis in partition.classes:
        rest = {other: own for other, own in partition.classes.items() if other != axis}
        partition = replace(partition, classes=rest)
    return replace(figures.without_figures(), partition=partition)
