"""What recipients read of a release's classes, and what follows from it at coarser levels. Pure.

A forecast for a recipient goes by these figures, and by nothing else of the data: neither by the hash of the rows nor
by anything that was measured and not released.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.ledger.entries import LedgerEntry, ShownClasses, ShownColumn
from ordermade.ledger.figures import UNBOUNDED
from ordermade.ledger.pools import ANYONE, pools_of
from ordermade.ledger.simulatable import refines
from ordermade.tables.cells import Whole

MOST_CLASSES = 20_000
"""The most classes of a release that are added up at coarser levels; those of more are taken as they are."""
_MOST_KEPT = 64


@dataclass(frozen=True, slots=True, eq=False)
class ClassSums:
    """The persons of classes at some levels: each class has `least` to `most`, those not listed `rest` together.

    `others_most`: the most that one class has which is not listed; None where it may have any number of `rest`.
    """

    columns: tuple[ShownColumn, ...]
    least: Whole
    most: Whole
    rest: tuple[int, int]
    others_most: int | None

    @property
    def persons(self) -> tuple[int, int]:
        """The least and the most persons of all classes."""
        return int(self.least.sum()) + self.rest[0], int(self.most.sum()) + self.rest[1]

    @property
    def is_exact(self) -> bool:
        """Whether it says the size of every class."""
        return self.rest[1] == 0 and bool((self.least == self.most).all())

    def below(self, k: int) -> tuple[int, int]:
        """The least and the most persons in classes below `k`."""
        listed_least = int(self.least[self.most + (self.rest[1] if self.others_most is None else 0) < k].sum())
        listed_most = int(self.most[self.least < k].sum())
        if not self.columns:
            return (0, 0) if self.persons[0] >= k else (self.persons[0] if self.persons[1] < k else 0, self.persons[1])
        certain = self.others_most is not None and self.others_most < k
        return listed_least + (self.rest[0] if certain else 0), listed_most + self.rest[1]


@dataclass(frozen=True, slots=True, eq=False)
class ReceivedClasses:
    """The classes of one release under its row filter, as its recipients read them."""

    filter: str | None
    own: ClassSums
    shown: ShownClasses
    _made: dict[tuple[ShownColumn, ...], ClassSums] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, entry: LedgerEntry) -> Iterator[ReceivedClasses]:
        """The partitions of an entry that bound every class: no cell is hidden, and no value is released as it is."""
        for shown in entry.shown.classes:
            is_bound = bool(len(shown.least)) and not shown.hidden.any() and int(shown.most.max()) < UNBOUNDED
            if (
                not is_bound
                or (shown.others_most and shown.rest is None)
                or any(each.is_value for each in shown.columns)
            ):
                continue
            own = ClassSums(shown.columns, shown.least, shown.most, shown.rest or (0, 0), shown.others_most)
            yield cls(entry.filter, own, shown)

    def towards(self, levels: Collection[ShownColumn], hierarchies: Mapping[str, Hierarchy]) -> ClassSums:
        """The classes added up at levels that classes by `levels` refine: at these levels themselves where they can be.

        A column stays out whose levels do not nest, or whose labels do not say the coarser class.
        """
        if len(self.shown.least) > MOST_CLASSES:
            return self.own
        wanted = {each.key: each for each in levels}
        places, targets = [], []
        for place, column in enumerate(self.shown.columns):
            to = self._level_of(column, wanted.get(column.key), hierarchies)
            if to is not None:
                places.append(place)
                targets.append(to)
        target = tuple(targets)
        if target == self.own.columns:
            return self.own
        if target not in self._made:
            if len(self._made) >= _MOST_KEPT:
                self._made.clear()
            self._made[target] = self._summed(places, target, hierarchies)
        return self._made[target]

    @staticmethod
    def _level_of(
        column: ShownColumn, wanted: ShownColumn | None, hierarchies: Mapping[str, Hierarchy]
    ) -> ShownColumn | None:
        if wanted is None:
            return None
        if wanted.level == column.level:
            return column
        hierarchy = hierarchies.get(column.hierarchy)
        if hierarchy is None:
            return None
        if hierarchy.order.refines(column.level, wanted.level):
            return wanted
        return column if hierarchy.order.refines(wanted.level, column.level) else None

    def _summed(
        self, places: list[int], target: tuple[ShownColumn, ...], hierarchies: Mapping[str, Hierarchy]
    ) -> ClassSums:
        codes, columns = [], []
        for place, to in zip(places, target, strict=True):
            labels, level = self.shown.labels[place], self.shown.columns[place].level
            classes = tuple(labels) if level == to.level else _classes(hierarchies[to.hierarchy], labels, level, to)
            if classes is None:
                continue
            numbers = {each: number for number, each in enumerate(dict.fromkeys(classes))}
            codes.append(np.array([numbers[each] for each in classes], dtype=np.int64)[self.shown.codes[:, place]])
            columns.append(to)
        number = np.zeros(len(self.shown.least), dtype=np.int64)
        for each in codes:
            number = np.unique(number * (int(each.max(initial=0)) + 1) + each, return_inverse=True)[1]
        size = int(number.max(initial=-1)) + 1
        least, most = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
        np.add.at(least, number, self.shown.least)
        np.add.at(most, number, self.shown.most)
        return ClassSums(tuple(columns), least, most, self.own.rest, None if self.own.rest[1] else 0)


def _classes(
    hierarchy: Hierarchy, labels: tuple[str | None, ...], level: int, to: ShownColumn
) -> tuple[object, ...] | None:
    if not to.missing_as_star:
        return hierarchy.coarser_classes(labels, level, to.level)
    present = tuple(each for each in labels if each != "*")
    found = hierarchy.coarser_classes(present, level, to.level)
    if found is None:
        return None
    of_present = iter(found)
    return tuple("*" if each == "*" else (next(of_present),) for each in labels)


def reaches(sums: ClassSums, columns: Collection[ShownColumn], hierarchies: Mapping[str, Hierarchy]) -> bool:
    """Whether the classes lie in the classes by `columns`, so that those have at least as many persons each."""
    return refines(sums.columns, columns, hierarchies)


def received(
    entries: Iterable[LedgerEntry],
    user: str,
    pools: Collection[Collection[str]] | None,
    reached: Collection[int],
    published: Collection[int] = (),
) -> tuple[LedgerEntry, ...]:
    """The entries that somebody of every pool of a user received, the latest first.

    Every pool, so that none learns from a forecast what another one was given. What is for anyone nobody is known to
    have, unless it is `published` for everybody now; of the engine's releases those count that `reached` their
    recipients, by their numbers. One that its recipients destroyed is none.
    """
    given = [
        each for each in entries if each.status == "released" and (each.release is None or each.release in reached)
    ]
    known = {name for each in given for name in each.recipients}
    of_user = pools_of((user,), pools, known)
    return tuple(
        each
        for each in sorted(given, key=lambda each: each.id, reverse=True)
        if (ANYONE in each.recipients and each.release in published)
        or all(set(each.recipients) - {ANYONE} if pool is None else pool & set(each.recipients) for pool in of_user)
    )
