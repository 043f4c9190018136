"""What the readers of a release have: persons parted into classes, and how many are in each. Pure.

All releases of a pool are over one set of axes. An axis is a column; its codes are the classes of values that no
release of the pool parts, and any combination of codes is possible.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from ordermade.requests.filter_tree import All, Filter, FilterComparison, Not
from ordermade.tables.cells import Marks, Whole

OUTSIDE = -1
"""The class of the persons whom a filter leaves out."""
REST = -3
"""The class of all that a partition does not list, where it lists some alone: those whom its filter leaves out, too,
where `with_outside`."""
UNBOUNDED = 2**62
"""More than any class has: what a class may be at most where nothing bounds it."""
_FALSE, _MISSING, _TRUE = 0, 1, 2


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """A comparison of a filter over one axis: `truths[code]` is 2 where it holds, 0 where not, 1 where it is NULL."""

    axis: int
    truths: Whole


@dataclass(frozen=True, slots=True, eq=False)
class PersonPartition:
    """The persons that a filter leaves, in classes: `classes[axis][code]` is the class of a code in that column.

    A column that is not in it is at `*`. `filter` is None where it leaves everybody; `compared` has its comparisons.
    `listed`: the classes that it keeps apart, ascending, where all others are one class, REST; None where it has all.
    `with_outside`: the persons whom its filter leaves out are in REST, too.
    """

    classes: Mapping[int, Whole]
    filter: Filter | None = None
    compared: Mapping[FilterComparison, Compared] = field(default_factory=dict)
    listed: Whole | None = None
    with_outside: bool = False

    def __post_init__(self) -> None:
        """Raises ValueError where classes are more than a whole number of 64 bits can number."""
        # One partition numbers its classes in one way, in whatever order a release has its columns.
        object.__setattr__(self, "classes", dict(sorted(self.classes.items())))
        if math.prod(int(each.max(initial=0)) + 1 for each in self.classes.values()) >= UNBOUNDED:
            raise ValueError("the classes of these columns are too many to be numbered")

    @property
    def axes(self) -> frozenset[int]:
        """The axes that the class of a person depends on."""
        return frozenset(self.classes) | {each.axis for each in self.compared.values()}

    @property
    def key(self) -> bytes:
        """The same of partitions that part persons by the same classes, under the same filter."""
        key = repr((self.filter, self.with_outside)).encode()
        key += b"" if self.listed is None else b"|listed|" + self.listed.tobytes()
        for axis, classes in sorted(self.classes.items()):
            key += b"|%d|" % axis + classes.tobytes()
        return key

    def labels(self, cells: Whole) -> Whole:
        """The class of each cell, a row of codes; OUTSIDE where the filter leaves it out."""
        found = self.of_classes({axis: classes[cells[:, axis]] for axis, classes in self.classes.items()}, len(cells))
        if self.filter is not None:
            found[~self.passes(cells)] = REST if self.with_outside else OUTSIDE
        return found

    def passes(self, cells: Whole) -> Marks:
        """The cells that the filter leaves."""
        if self.filter is None:
            return np.ones(len(cells), dtype=np.bool_)
        passing: Marks = self._truth(self.filter, cells) == _TRUE
        return passing

    def of_classes(self, by_axis: Mapping[int, Whole], n: int) -> Whole:
        """The class of each of `n` combinations of classes of its columns, by axis."""
        found = np.zeros(n, dtype=np.int64)
        for axis, classes in self.classes.items():
            found *= int(classes.max(initial=0)) + 1
            found += by_axis[axis]
        return found if self.listed is None else np.where(np.isin(found, self.listed), found, REST)

    def refines(self, other: PersonPartition) -> bool:
        """Whether every class lies in one class of another partition, of the persons of the same filter."""
        if self.filter != other.filter or self.listed is not None or other.listed is not None:
            return False
        return all(
            axis in self.classes and is_function_of(classes, self.classes[axis])
            for axis, classes in other.classes.items()
        )

    def codes_of(self, label: int) -> dict[int, Marks]:
        """The codes of each axis that a cell of a class has; of OUTSIDE and REST no axis says it."""
        found: dict[int, Marks] = {}
        if label in (OUTSIDE, REST):
            return found
        for axis, classes in reversed(list(self.classes.items())):
            label, own = divmod(label, int(classes.max(initial=0)) + 1)
            found[axis] = classes == own
        return found

    def _truth(self, tree: Filter, cells: Whole) -> Whole:
        """0, 1 (NULL) or 2 for each cell: AND is the least, OR the most."""
        if isinstance(tree, FilterComparison):
            compared = self.compared[tree]
            return compared.truths[cells[:, compared.axis]]
        if isinstance(tree, Not):
            return _TRUE - self._truth(tree.part, cells)
        parts = [self._truth(each, cells) for each in tree.parts]
        joined: Whole = np.minimum.reduce(parts) if isinstance(tree, All) else np.maximum.reduce(parts)
        return joined


def is_function_of(coarser: Whole, finer: Whole) -> bool:
    """Whether codes that are in one class of the finer are in one class of the coarser."""
    return len(np.unique(np.stack([finer, coarser], axis=1), axis=0)) == len(np.unique(finer))


@dataclass(frozen=True, slots=True, eq=False)
class KnownFigures:
    """A partition with what a release says of its classes: `least` and `most` persons in each of `labels`, ascending.

    `others_most`: the most that a class may have that it does not list; 0 where it lists all that are not empty.
    `hidden`: the marks of the listed classes whose number it hides, and must go on to hide. `releases`: the numbers of
    the releases that say so, of a partition that is `called` so. `values`: the axes of its partition whose values it
    releases as they are; no class over them is a group, since one value may well be of one person.
    """

    releases: tuple[int, ...]
    called: str
    partition: PersonPartition
    labels: Whole
    least: Whole
    most: Whole
    others_most: int = 0
    hidden: Marks | None = None
    values: frozenset[int] = frozenset()

    def bounds(self, labels: Whole) -> tuple[Whole, Whole]:
        """The least and the most persons of each of these classes, as the release has them."""
        if not len(self.labels):
            least, most = np.zeros(len(labels), dtype=np.int64), np.full(len(labels), self.others_most, dtype=np.int64)
        else:
            at = np.minimum(np.searchsorted(self.labels, labels), len(self.labels) - 1)
            is_listed = self.labels[at] == labels
            least = np.where(is_listed, self.least[at], 0)
            most = np.where(is_listed, self.most[at], self.others_most)
        is_outside = labels == OUTSIDE
        return np.where(is_outside, 0, least), np.where(is_outside, UNBOUNDED, most)

    def with_figures_of(self, other: KnownFigures) -> KnownFigures:
        """What readers have who have another release of the same partition, too."""
        labels = np.union1d(self.labels, other.labels)
        ours, theirs = self.bounds(labels), other.bounds(labels)
        hidden = np.isin(labels, self.hidden_labels) | np.isin(labels, other.hidden_labels)
        return KnownFigures(
            tuple(sorted({*self.releases, *other.releases})),
            self.called,
            self.partition,
            labels,
            np.maximum(ours[0], theirs[0]),
            np.minimum(ours[1], theirs[1]),
            min(self.others_most, other.others_most),
            hidden,
            self.values & other.values,
        )

    def without_figures(self) -> KnownFigures:
        """Its partition, of whose classes nothing is known."""
        none = self.labels[:0]
        return KnownFigures((), self.called, self.partition, none, none, none, UNBOUNDED, values=self.values)

    @property
    def binds(self) -> bool:
        """Whether anything is known of its classes."""
        return len(self.labels) > 0 or self.others_most < UNBOUNDED

    @property
    def is_exact(self) -> bool:
        """Whether the number of every class is known: none is dropped or hidden."""
        return (
            self.partition.listed is None
            and self.others_most == 0
            and not len(self.hidden_labels)
            and bool((self.least == self.most).all())
        )

    @property
    def hidden_labels(self) -> Whole:
        """The classes whose number it hides."""
        return self.labels[:0] if self.hidden is None else self.labels[self.hidden]


@dataclass(frozen=True, slots=True, eq=False)
class JointCells:
    """The persons of a dataset by all axes: `cells` has a row of codes for each combination, `persons` its number.

    `sizes`: the number of codes of each axis.
    """

    sizes: tuple[int, ...]
    cells: Whole
    persons: Whole


def merged(pool: Iterable[KnownFigures]) -> tuple[KnownFigures, ...]:
    """The figures of a pool, those of one partition as one."""
    return tuple(reduce(KnownFigures.with_figures_of, each) for each in by_partition(pool))


def by_partition(pool: Iterable[KnownFigures]) -> tuple[tuple[KnownFigures, ...], ...]:
    """The figures of a pool, those of one partition together."""
    found: dict[bytes, tuple[KnownFigures, ...]] = {}
    for each in pool:
        found[each.partition.key] = (*found.get(each.partition.key, ()), each)
    return tuple(found.values())
