"""What the readers of releases of earlier and of later data learn of the change between them. Pure.

A breach is a class that changed by 1 to k - 1 persons, net: it follows from the releases that so many more, or fewer,
are in it than before. A net change of 0 says nothing, and is no proof that nothing changed. A class is:

- a finest group that an earlier and a later partition both give the size of: the product, over the columns, of the
  labels of both levels that values have in common, directly or by others (a column that one of them lacks is at `*`);
- a sum of these groups over all labels of some columns, up to the total;
- in such a sum, the remainder: the groups of it whose size one side, or either, does not give.

The size of a class is bounded by every partition of its side whose classes add up to it, by the total, by the number of
persons in unlisted classes, and, of a remainder, by the sum that it is in. The data before and after may differ in any
way, so nothing but these bounds narrows a change.

Not looked at: sums of other groups, of which some come near each other by chance in any two versions; levels between
the released ones and `*`; what partitions of one side bound together, beyond what `joint_bounds` finds; partitions
under different row filters (undecided); changes that cancel within a class; and why a later release leaves a class out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ordermade.ledger.beside import Answer
from ordermade.ledger.entries import LedgerEntry, ShownClasses, ShownColumn
from ordermade.ledger.figures import UNBOUNDED
from ordermade.ledger.joint_bounds import WIDE, Atoms, JointBounds, added, labels_of_values
from ordermade.tables.cells import Marks, Whole

MOST_COLUMNS = 8
"""The most columns with several groups whose sums are all looked at; of more, those over one or two columns, over all
but one, and the total."""
MOST_GROUPS = 100_000
"""The most groups of two partitions that are looked at where neither release lists one of their classes."""
MOST_STEPS = 40
"""The most classes that are tried as complementary ones, and the most steps of it."""

Label = str | None
Of = TypeVar("Of")
ValueLabels = Mapping[ShownColumn, Sequence[Label]]
"""The label of every value that a column may have, at some of its levels: in one order for all levels of a column."""


@dataclass(frozen=True, slots=True)
class ChangedClasses:
    """Classes that changed by fewer than k persons, or that nothing is proved of, between two partitions.

    `earlier`, `later`: the places of the partitions or entries; `columns`: those by which the classes are apart;
    `remainder`: they are what is left of a class; `classes`: how many there are. `why` is what is undecided: `filters`
    differ, an entry is `unjudged`, the `levels` of these columns or some `labels` are not related, there are too many
    `groups`, or the `figures` of one side contradict each other. It is empty for a breach.
    """

    answer: Answer
    earlier: int
    later: int
    columns: tuple[str, ...] = ()
    remainder: bool = False
    classes: int = 1
    why: str = ""

    @property
    def is_total(self) -> bool:
        """Whether it is all persons together, whatever levels the releases have."""
        return not self.columns and not self.remainder


@dataclass(frozen=True, slots=True)
class ChangesTogether:
    """The judgement on earlier and later releases: the classes that are not safe, and how many were looked at."""

    answer: Answer
    found: tuple[ChangedClasses, ...]
    looked_at: int

    @property
    def waiting_helps(self) -> bool:
        """Whether the release passes once k changes have gathered in every class: nothing is undecided."""
        return self.answer == "breach" and all(each.answer == "breach" for each in self.found)


def opted_out_since(earlier: LedgerEntry, now: int, k: int) -> bool:
    """Whether 1 to k - 1 persons more, or fewer, have opted out: a breach, whatever change the classes show."""
    return 1 <= abs(now - earlier.opted_out) < k


def changed_between(
    earlier: Sequence[LedgerEntry], later: Sequence[LedgerEntry], k: int, labels: ValueLabels
) -> ChangesTogether:
    """What the entries of one earlier version and those of today's data say of the change between them.

    Entries of different row filters, and those whose classes are of no levels, are undecided.
    """
    undecided: list[ChangedClasses] = []
    for (i, before), (j, after) in product(enumerate(earlier), enumerate(later)):
        if before.shown.unjudged or after.shown.unjudged:
            undecided.append(ChangedClasses("undecided", i, j, why="unjudged"))
        elif before.filter != after.filter:
            undecided.append(ChangedClasses("undecided", i, j, why="filters"))
    found = ChangesTogether(_worst(undecided), tuple(undecided), 0)
    for tree in {each.filter for each in earlier} & {each.filter for each in later}:
        first, second = _of_filter(earlier, tree), _of_filter(later, tree)
        changes = changed_classes([each for _, each in first], [each for _, each in second], k, labels)
        groups = Counter[ChangedClasses]()
        for each in changes.found:
            i, j = first[each.earlier][0], second[each.later][0]
            groups[replace(each, earlier=i, later=j, classes=0)] += each.classes
        every = (*found.found, *(replace(each, classes=n) for each, n in groups.items()))
        found = ChangesTogether(_worst(every), every, found.looked_at + changes.looked_at)
    return found


def _of_filter(entries: Sequence[LedgerEntry], tree: str | None) -> list[tuple[int, ShownClasses]]:
    return [
        (place, classes)
        for place, each in enumerate(entries)
        if each.filter == tree and not each.shown.unjudged
        for classes in each.shown.classes
    ]


def changed_classes(
    earlier: Sequence[ShownClasses], later: Sequence[ShownClasses], k: int, labels: ValueLabels
) -> ChangesTogether:
    """What partitions of one earlier version, and those of a later one, say of the change, all under one row filter.

    `labels` relates the levels of a column that has different ones; it may have every level, and then says which labels
    may occur: else those that the partitions list. Where the levels of a column are of one hierarchy, values of today's
    data are enough: a label that none of them has is undecided where it may matter. Levels of several hierarchies hang
    together by values that are gone, too: `labels` must have these.
    """
    judging = _Judging(earlier, later, k, labels)
    found = list(judging.found())
    public = tuple(each.public for each in found)
    return ChangesTogether(_worst(public), public, judging.looked_at)


def suppressed_in_both(
    earlier: Sequence[ShownClasses], later: ShownClasses, k: int, labels: ValueLabels, persons: int | None
) -> tuple[int, ...] | None:
    """The rows of a later release's classes that it must not show, so that no change of 1 to k - 1 persons follows.

    The later release is at the levels of an earlier one, and both together then say nothing of these classes.
    `persons`: how many there are, listed or not, where the release says how many it leaves out (those that are k or
    more); None where it never does. Then other classes are left out, too, until the changes of all of them add up to k
    or more, or to 0. None where that does not help: the total changed by fewer than k, or something is undecided.
    """
    gone = set[int]()
    for _ in range(MOST_STEPS):
        found = _breaches(earlier, _without(later, gone, k, persons), k, labels)
        if found is None:
            return None
        if not found:
            return tuple(sorted(gone))
        kept = [each for each in range(len(later.codes)) if each not in gone]
        # The fewest first: a total may pass once a class of it is left out.
        direct = {kept[row] for row in min((each.rows for each in found if each.rows), key=len, default=())}
        more = direct or _complementary(earlier, later, gone, k, labels, persons)
        if not more:
            return None
        gone |= more
    return None


def _complementary(
    earlier: Sequence[ShownClasses],
    later: ShownClasses,
    gone: set[int],
    k: int,
    labels: ValueLabels,
    persons: int | None,
) -> set[int]:
    """The class that leaves the fewest breaches once it is left out, too; the one of the fewest persons of several."""
    kept = sorted(set(range(len(later.codes))) - gone, key=lambda row: int(later.most[row]))
    best: tuple[int, int] | None = None
    for row in kept[:MOST_STEPS]:
        found = _breaches(earlier, _without(later, {*gone, row}, k, persons), k, labels)
        if found is None:
            continue
        breaches = sum(each.public.classes for each in found)
        if best is None or breaches < best[0]:
            best = breaches, row
        if not breaches:
            break
    return set() if best is None else {best[1]}


def _breaches(earlier: Sequence[ShownClasses], later: ShownClasses, k: int, labels: ValueLabels) -> list[_Found] | None:
    """The breaches of one later partition; None where something is undecided."""
    found = list(_Judging(earlier, [later], k, labels).found())
    return None if any(each.public.answer == "undecided" for each in found) else found


def _without(later: ShownClasses, gone: set[int], k: int, persons: int | None) -> ShownClasses:
    """The classes without some of them, of which a reader then knows nothing but their number of persons."""
    if not gone:
        return later
    kept = ~np.isin(np.arange(len(later.codes)), sorted(gone))
    rest = None
    if persons is not None:
        most = persons - int(later.least[kept].sum())
        rest = (max(0, persons - int(np.minimum(later.most[kept], WIDE).sum())), most) if most >= k else (0, k - 1)
    return replace(
        later,
        codes=later.codes[kept],
        least=later.least[kept],
        most=later.most[kept],
        hidden=later.hidden[kept],
        others_most=UNBOUNDED,
        rest=rest,
    )


def _worst(found: Iterable[ChangedClasses]) -> Answer:
    answers = {each.answer for each in found}
    return "breach" if "breach" in answers else "undecided" if "undecided" in answers else "safe"


@dataclass(frozen=True, slots=True)
class _Found:
    """Classes that are not safe; `rows` of the later partition are in them, where they are finest groups."""

    public: ChangedClasses
    rows: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _Range:
    """The least and the most persons of some classes, those of each at one place."""

    least: Whole
    most: Whole

    def both(self, other: _Range) -> _Range:
        return _Range(np.maximum(self.least, other.least), np.minimum(self.most, other.most))

    @property
    def is_exact(self) -> Marks:
        exact: Marks = self.least == self.most
        return exact


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Sums over the listed classes of a partition in some classes, and how many unlisted ones may be in each."""

    least: Whole
    most: Whole
    unlisted: npt.NDArray[np.float64]


def _narrowed(groups: _Range, sums: _Range, number: Whole) -> _Range:
    """Groups by the sums that they are in, less the others in each; `number`: the place of the sum of each group."""
    least, most = (added(each, number, len(sums.least)) for each in (groups.least, groups.most))
    others = _Range(least[number] - groups.least, most[number] - groups.most)
    return groups.both(_Range(sums.least[number] - others.most, sums.most[number] - others.least))


def _is_few(least: Whole, most: Whole, k: int) -> Marks:
    """Of changes by their least and their most: which are certain to be of 1 to k - 1 persons, either way."""
    few: Marks = ((least >= 1) & (most < k)) | ((most <= -1) & (least > -k))
    return few


def _margins(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The columns of sums of groups, some of all."""
    n = len(names)
    for size in range(n) if n <= MOST_COLUMNS else sorted({0, 1, 2, n - 1}):
        yield from combinations(names, size)


class _Partition:
    """A partition with its totals: those of listed classes, of unlisted ones and of all."""

    def __init__(self, shown: ShownClasses, domains: Mapping[ShownColumn, tuple[Label, ...]]) -> None:
        self.shown = shown
        self.columns = {each.column: (place, each) for place, each in enumerate(shown.columns)}
        self.least, self.most = (np.minimum(each, WIDE) for each in (shown.least, shown.most))
        possible = math.prod(float(len(domains[each])) for each in shown.columns)
        self.unlisted = possible - len(shown.codes)
        self.others_most = min(shown.others_most, WIDE)
        least, most = shown.rest or (0, WIDE)
        self.rest = least, int(min(most, self.unlisted * self.others_most, WIDE))
        self.listed = int(self.least.sum()), int(self.most.sum())
        self.total = self.listed[0] + self.rest[0], min(self.listed[1] + self.rest[1], WIDE)

    def range_of(self, sums: _Sums, total: tuple[int, int]) -> _Range:
        """The persons of unions of its classes, by its own figures and the total of all persons."""
        inside = np.minimum(_times(sums.unlisted, self.others_most), self.rest[1])
        outside = np.minimum(_times(self.unlisted - sums.unlisted, self.others_most), self.rest[1])
        least_in = np.maximum(0, self.rest[0] - outside)
        most_in = np.minimum(inside, self.rest[1])
        others_least, others_most = self.listed[0] - sums.least, self.listed[1] - sums.most
        least = np.maximum(sums.least + least_in, total[0] - others_most - outside)
        most = np.minimum(sums.most + most_in, total[1] - others_least - np.maximum(0, self.rest[0] - inside))
        return _Range(least, np.minimum(most, WIDE))


def _times(number: npt.NDArray[np.float64], most: int) -> Whole:
    """Products that may be beyond 64 bits, up to WIDE."""
    found: Whole = np.minimum(np.maximum(number, 0) * most, WIDE).astype(np.int64)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _ColumnGroups:
    """The groups of a column that two levels have in common: `size` many; None of a level that is not related.

    `of_value`: the group of every value; empty where there are none. `of_label`: the group of each label at the two.
    """

    size: int
    of_value: tuple[int, ...]
    of_label: Mapping[ShownColumn, Mapping[Label, int]]

    def has_all(self, *partitions: _Partition) -> bool:
        """Whether every label that these list at the two levels is in a group: else one group is not all persons."""
        for each in partitions:
            for place, column in enumerate(each.shown.columns):
                listed = each.shown.labels[place]
                known = self.of_label.get(column)
                if known is not None and any(listed[code] not in known for code in each.shown.codes[:, place].tolist()):
                    return False
        return True

    def at(self, column: ShownColumn, labels: ValueLabels) -> Mapping[Label, int] | None:
        """The group of every label at a level whose labels lie in one group each; None of another level."""
        if column in self.of_label:
            return self.of_label[column]
        if column not in labels or len(labels[column]) != len(self.of_value):
            return None
        found: dict[Label, int] = {}
        for label, group in zip(labels[column], self.of_value, strict=True):
            if found.setdefault(label, group) != group:
                return None
        return found


def _signatures(levels: Mapping[ShownColumn, tuple[Label, ...]]) -> list[tuple[Label, ...]]:
    return list(zip(*levels.values(), strict=True))


@dataclass(frozen=True, slots=True)
class _SignatureGroups:
    """The groups of a column that the signatures of both sides have in common: that of each on either side."""

    of_sides: Sequence[Sequence[int]]
    size: int

    def of_side(self, side: int) -> tuple[Sequence[int], int]:
        return self.of_sides[side], self.size


class _Judging:
    """All pairs of an earlier and a later partition; `looked_at` counts their classes."""

    def __init__(
        self, earlier: Sequence[ShownClasses], later: Sequence[ShownClasses], k: int, labels: ValueLabels
    ) -> None:
        self._k, self._labels = k, labels
        self._domains = _domains((*earlier, *later), labels)
        self._sides = [[_Partition(each, self._domains) for each in side] for side in (earlier, later)]
        self._totals = [
            (max((each.total[0] for each in side), default=0), min((each.total[1] for each in side), default=WIDE))
            for side in self._sides
        ]
        self._joint = [self._bound_together(side) for side in (0, 1)]
        self.looked_at = 0

    def found(self) -> Iterator[_Found]:
        """What is not safe: of every pair, and where no pair is a breach, of all partitions together."""
        found = [each for pair in self.pairs() for each in pair]
        yield from found
        if all(each.public.answer != "breach" for each in found):
            yield from self._together()

    def _bound_together(self, side: int) -> JointBounds | None:
        """The bounds of the partitions of a side on each other; None where both sides have one, or unrelated ones."""
        own = self._sides[side]
        if max(map(len, self._sides)) < 2:
            return None
        atoms = Atoms.of([each.shown for each in own], self._labels, self._domains)
        if atoms is None:
            return None
        return JointBounds(atoms, [atoms.classes(each.shown, each.rest) for each in own], self._totals[side])

    def pairs(self) -> Iterator[list[_Found]]:
        """What is not safe, of every pair."""
        for (i, before), (j, after) in product(enumerate(self._sides[0]), enumerate(self._sides[1])):
            columns: dict[str, _ColumnGroups] = {}
            unrelated = []
            for name in sorted({*before.columns, *after.columns}):
                found = self._grouped(*(each.columns.get(name, (0, None))[1] for each in (before, after)))
                if found is None:
                    unrelated.append(name)
                elif found.size > 1 or not found.has_all(before, after):
                    columns[name] = found
            if unrelated:
                yield [_Found(ChangedClasses("undecided", i, j, tuple(unrelated), why="levels"))]
                continue
            if math.prod(each.size for each in columns.values()) >= UNBOUNDED:
                yield [_Found(ChangedClasses("undecided", i, j, tuple(columns), why="groups"))]
                continue
            pair = _Pair(self._sides, (i, j), self._totals, self._joint, columns, self._domains, self._labels, self._k)
            yield list(pair.found())
            self.looked_at += pair.looked_at

    def _together(self) -> Iterator[_Found]:
        """The groups that all partitions of each side part together, and their sums, that changed by fewer than k.

        They are named by the partition of each side that lists the most classes.
        """
        before, after = self._joint
        if before is None or after is None:
            return
        columns = self._signatures_joined(before.atoms, after.atoms)
        i, j = (max(range(len(side)), key=lambda place: len(side[place].shown.codes)) for side in self._sides)
        for some in (tuple(columns), *_margins(tuple(columns))):
            n = math.prod(columns[name].size for name in some)
            first = before.range_of(before.atoms.number_of((name, *columns[name].of_side(0)) for name in some), n)
            second = after.range_of(after.atoms.number_of((name, *columns[name].of_side(1)) for name in some), n)
            self.looked_at += n
            is_breach = _is_few(second[0] - first[1], second[1] - first[0], self._k)
            is_contradicting = (first[0] > first[1]) | (second[0] > second[1])
            is_breach &= ~is_contradicting
            if is_breach.any():
                yield _Found(ChangedClasses("breach", i, j, some, classes=int(np.count_nonzero(is_breach))))
            if is_contradicting.any():
                n = int(np.count_nonzero(is_contradicting))
                yield _Found(ChangedClasses("undecided", i, j, some, classes=n, why="figures"))

    def _signatures_joined(self, before: Atoms, after: Atoms) -> Mapping[str, _SignatureGroups]:
        """By column, the groups of the signatures of both sides; of columns whose levels are related."""
        found: dict[str, _SignatureGroups] = {}
        for name in sorted(before.signatures.keys() & after.signatures.keys()):
            sides = [each.signatures[name] for each in (before, after)]
            levels = dict.fromkeys(level for side in sides for level in side)
            values = labels_of_values(levels, self._labels, self._domains)
            if values is not None:
                first, second = (list(zip(*(values[level] for level in side), strict=True)) for side in sides)
                groups = _joined(first, second)
                of_sides = [
                    [groups[n, each] for each in zip(*side.values(), strict=True)] for n, side in enumerate(sides)
                ]
                found[name] = _SignatureGroups(of_sides, len(set(groups.values())))
        return found

    def _grouped(self, before: ShownColumn | None, after: ShownColumn | None) -> _ColumnGroups | None:
        """The groups of a column at two levels; None where nothing relates these."""
        if before is None or after is None:
            return _ColumnGroups(1, (), {})
        if before == after:
            groups = {label: number for number, label in enumerate(self._domains[before])}
            values = tuple(groups[each] for each in self._labels.get(before, ()))
            return _ColumnGroups(len(groups), values, {before: groups})
        first, second = self._labels.get(before), self._labels.get(after)
        if first is None or second is None or len(first) != len(second):
            return None
        return _joined_labels(before, after, first, second)


def _domains(every: Iterable[ShownClasses], labels: ValueLabels) -> Mapping[ShownColumn, tuple[Label, ...]]:
    """The labels that a column may have at each level."""
    found: dict[ShownColumn, dict[Label, None]] = {}
    for each in every:
        for place, column in enumerate(each.columns):
            known = found.setdefault(column, dict.fromkeys(labels.get(column, ())))
            known.update(dict.fromkeys(each.labels[place][code] for code in np.unique(each.codes[:, place]).tolist()))
    return {column: tuple(known) for column, known in found.items()}


def _joined_labels(
    before: ShownColumn, after: ShownColumn, first: Sequence[Label], second: Sequence[Label]
) -> _ColumnGroups:
    """The labels of two levels, joined where a value has both."""
    groups = _joined(first, second)
    of_label = {
        column: {label: group for (side, label), group in groups.items() if side == number}
        for number, column in enumerate((before, after))
    }
    return _ColumnGroups(len(set(groups.values())), tuple(groups[0, each] for each in first), of_label)


def _joined(first: Sequence[Of], second: Sequence[Of]) -> Mapping[tuple[int, Of], int]:
    """The group of everything of the first (0) and of the second (1), which are joined where they stand together."""
    parents: dict[tuple[int, Of], tuple[int, Of]] = {}

    def root(node: tuple[int, Of]) -> tuple[int, Of]:
        parents.setdefault(node, node)
        while parents[node] != node:
            parents[node] = parents[parents[node]]
            node = parents[node]
        return node

    for one, other in zip(first, second, strict=True):
        parents[root((0, one))] = root((1, other))
    numbers: dict[tuple[int, Of], int] = {}
    return {node: numbers.setdefault(root(node), len(numbers)) for node in list(parents)}


class _Pair:
    """An earlier and a later partition, with the groups that both give sizes of."""

    def __init__(
        self,
        sides: Sequence[Sequence[_Partition]],
        places: tuple[int, int],
        totals: Sequence[tuple[int, int]],
        joint: Sequence[JointBounds | None],
        columns: Mapping[str, _ColumnGroups],
        domains: Mapping[ShownColumn, tuple[Label, ...]],
        labels: ValueLabels,
        k: int,
    ) -> None:
        self._sides, self._places, self._totals, self._k = sides, places, totals, k
        self._columns, self._domains, self._labels = columns, domains, labels
        self._joint, self._names = joint, tuple(columns)
        self._own = [side[place] for side, place in zip(sides, places, strict=True)]
        self._is_whole = math.prod(each.size for each in columns.values()) <= MOST_GROUPS
        self._is_related = all((self._listed_in(each, self._names) >= 0).all() for each in self._own)
        self.looked_at = 0

    def found(self) -> Iterator[_Found]:
        """The classes that are not safe."""
        every = self._every(self._names)
        finest = [self._range(side, self._names, every) for side in (0, 1)]
        sums = []
        for some in _margins(self._names):
            margin = self._every(some)
            whole = [self._range(side, some, margin) for side in (0, 1)]
            if self._is_whole and self._is_related:
                number = self._number(every, some, margin)
                finest = [_narrowed(finest[side], whole[side], number) for side in (0, 1)]
            sums.append((some, margin, whole))
        yield from self._decided(self._names, every, finest)
        yield from self._unrelated()
        for some, margin, whole in sums:
            yield from self._decided(some, margin, whole)
            yield from self._remainders(some, every, margin, finest, whole)

    def _every(self, some: Sequence[str]) -> Whole:
        """The groups by some columns, ascending: all, or those that one of the two lists a class of."""
        size = math.prod(self._columns[each].size for each in some)
        if size <= MOST_GROUPS:
            return np.arange(size, dtype=np.int64)
        listed = np.unique(np.concatenate([self._listed_in(each, some) for each in self._own]))
        return listed[listed >= 0]

    def _listed_in(self, own: _Partition, some: Sequence[str]) -> Whole:
        """The group of each listed class of one of the two partitions, by some columns; -1 of a label not related."""
        found = self._groups(own, some)
        if found is None:
            raise ValueError("the two partitions have every column that parts their groups")
        return found

    def _groups(self, partition: _Partition, some: Sequence[str]) -> Whole | None:
        """The group of each listed class, -1 where a label is not related; None where classes lie in several."""
        found = np.zeros(len(partition.shown.codes), dtype=np.int64)
        is_related = np.ones(len(found), dtype=np.bool_)
        for name in some:
            groups = self._groups_of_labels(partition, name)
            if groups is None:
                return None
            place, _ = partition.columns[name]
            of_code = np.array([groups.get(each, -1) for each in partition.shown.labels[place]], dtype=np.int64)
            own = of_code[partition.shown.codes[:, place]]
            is_related &= own >= 0
            found = found * self._columns[name].size + own
        return np.where(is_related, found, -1)

    def _groups_of_labels(self, partition: _Partition, name: str) -> Mapping[Label, int] | None:
        if name not in partition.columns:
            return None
        return self._columns[name].at(partition.columns[name][1], self._labels)

    def _sums(self, partition: _Partition, some: Sequence[str], groups: Whole) -> _Sums | None:
        """The listed classes of a partition in each group, and the number of those it may have beside them."""
        own = self._groups(partition, some)
        if own is None:
            return None
        at = np.minimum(np.searchsorted(groups, own), max(len(groups) - 1, 0))
        inside = (groups[at] == own) if len(groups) else np.zeros(len(own), dtype=np.bool_)
        possible = np.ones(len(groups), dtype=np.float64)
        left = groups
        for name in reversed(some):
            left, number = np.divmod(left, self._columns[name].size)
            of_labels = self._groups_of_labels(partition, name) or {}
            in_group = Counter(of_labels.get(each, -1) for each in self._domains[partition.columns[name][1]])
            possible *= np.array([in_group[each] for each in range(self._columns[name].size)])[number]
        for name, (_, column) in partition.columns.items():
            if name not in some:
                possible *= len(self._domains[column])
        n, ones = len(groups), np.ones(len(own), dtype=np.int64)
        least, most, listed = (added(each[inside], at[inside], n) for each in (partition.least, partition.most, ones))
        return _Sums(least, most, np.maximum(possible - listed, 0))

    def _own_sums(self, side: int, some: Sequence[str], groups: Whole) -> _Sums:
        found = self._sums(self._own[side], some, groups)
        if found is None:
            raise ValueError("the two partitions have every column that parts their groups")
        return found

    def _range(self, side: int, some: Sequence[str], groups: Whole) -> _Range:
        """The persons of each group, by every partition of a side whose classes lie in one of them each."""
        found = self._own[side].range_of(self._own_sums(side, some, groups), self._totals[side])
        for each in self._sides[side] if some else ():  # the total is by all of them
            if each is self._own[side]:
                continue
            own = self._groups(each, some)
            if own is None or (own < 0).any():
                continue
            sums = self._sums(each, some, groups)
            if sums is not None:
                found = found.both(each.range_of(sums, self._totals[side]))
        joint = self._joint[side]
        if joint is None or not self._is_whole or found.is_exact.all():
            return found
        number = self._group_of_atoms(side, joint, some)
        return self._narrowed_jointly(joint, np.where(found.is_exact[number], -1, number), found)

    def _narrowed_jointly(self, joint: JointBounds, number: Whole, found: _Range) -> _Range:
        """Groups, and what all partitions of their side say of those that atoms have a number of, together."""
        return found.both(_Range(*joint.range_of(number, len(found.least))))

    def _group_of_atoms(self, side: int, joint: JointBounds, some: Sequence[str]) -> Whole:
        """The group of each atom of a side, by some columns: all groups are looked at where its atoms are."""
        own = self._own[side]
        return joint.atoms.number_of(
            joint.atoms.of_labels(
                own.columns[name][1], self._groups_of_labels(own, name) or {}, self._columns[name].size
            )
            for name in some
        )

    def _decided(self, some: tuple[str, ...], groups: Whole, ranges: Sequence[_Range]) -> Iterator[_Found]:
        """The groups that changed by fewer than k; those where a class, whose label is not related, may be in it."""
        self.looked_at += len(groups)
        listed = [self._listed_in(each, some) for each in self._own]
        more = [min(int(own.most[ids < 0].sum()), WIDE) for own, ids in zip(self._own, listed, strict=True)]
        before, after = ranges
        least, most = after.least - before.most, after.most - before.least
        is_breach = _is_few(least - more[0], most + more[1], self._k)
        if is_breach.any():
            is_inside = np.isin(listed[1], groups[is_breach]) & (some == self._names)
            rows = tuple(np.flatnonzero(is_inside).tolist())
            yield _Found(self._not_safe("breach", some, is_breach), rows)
        if any(more):
            # A class that is not related may be in a group: a change of 0 may then be one of 1 to k - 1.
            may_be = (least - more[0] < self._k) & (most + more[1] > -self._k) & ~is_breach
            if may_be.any():
                yield _Found(self._not_safe("undecided", some, may_be, why="labels"))
        contradicting = (before.least > before.most) | (after.least > after.most)
        if contradicting.any():
            yield _Found(self._not_safe("undecided", some, contradicting, why="figures"))
        if len(groups) < math.prod(self._columns[each].size for each in some) and self._may_be_forced(some):
            yield _Found(self._not_safe("undecided", some, np.ones(1, dtype=np.bool_), why="groups"))

    def _not_safe(
        self, answer: Answer, some: tuple[str, ...], classes: Marks, *, remainder: bool = False, why: str = ""
    ) -> ChangedClasses:
        return ChangedClasses(answer, *self._places, some, remainder, int(np.count_nonzero(classes)), why)

    def _may_be_forced(self, some: Sequence[str]) -> bool:
        """Whether a group that no class is listed of may be known to have somebody: the rest has room nowhere else."""
        for own in self._own:
            largest = 1
            for name, (_, column) in own.columns.items():
                of_labels = self._groups_of_labels(own, name) if name in some else None
                domain = self._domains[column]
                in_group = Counter(of_labels.get(each, -1) for each in domain) if of_labels is not None else None
                largest *= len(domain) if in_group is None else max(in_group.values())
            if (own.unlisted - largest) * own.others_most < max(own.rest[0], self._totals_less_listed(own)):
                return True
        return False

    def _totals_less_listed(self, own: _Partition) -> int:
        """The least persons who are in no listed class, by the total."""
        return self._totals[self._own.index(own)][0] - own.listed[1]

    def _unrelated(self) -> Iterator[_Found]:
        """The classes whose labels are not related, and that may have changed by fewer than k."""
        listed = [self._listed_in(each, self._names) < 0 for each in self._own]
        for side, (own, other) in enumerate((self._own, self._own[::-1])):
            left = listed[side] & (own.most > 0)
            if not left.any():
                continue
            is_large = bool((own.least[left] >= self._k).all())
            is_gone = not listed[1 - side].any() and other.others_most == 0
            is_open = self._k - 1 <= other.others_most and other.rest[1] >= self._k
            if not (is_large and (is_gone or is_open)):
                yield _Found(self._not_safe("undecided", self._names, left, why="labels"))

    def _remainders(
        self,
        some: tuple[str, ...],
        every: Whole,
        margin: Whole,
        finest: Sequence[_Range],
        whole: Sequence[_Range],
    ) -> Iterator[_Found]:
        """What is left of each class by some columns without the groups whose size one side, or each, gives."""
        number, n = self._number(every, some, margin), len(margin)
        exact = [each.is_exact for each in finest]
        drops = [each.others_most > 0 for each in self._own]
        left = [
            (~exact[0], drops[0]),
            (~exact[1], drops[1]),
            (~(exact[0] & exact[1]), drops[0] or drops[1]),
        ]
        if not self._is_related:
            if left[2][0].any():
                unknown = np.ones(1, dtype=np.bool_)
                yield _Found(self._not_safe("undecided", some, unknown, remainder=True, why="labels"))
            return
        seen = set[bytes]()
        for inside, with_others in left:
            with_others = with_others and not self._is_whole
            if inside.tobytes() in seen:
                continue
            seen.add(inside.tobytes())
            is_proper = np.bincount(number[~inside], minlength=n) > 0
            is_proper &= (np.bincount(number[inside], minlength=n) > 0) | with_others
            if not is_proper.any():
                continue
            self.looked_at += int(np.count_nonzero(is_proper))
            before, after = (
                self._left(side, some, every, margin, finest[side], whole[side], number, inside, with_others)
                for side in (0, 1)
            )
            is_breach = is_proper & _is_few(after.least - before.most, after.most - before.least, self._k)
            if is_breach.any():
                yield _Found(self._not_safe("breach", some, is_breach, remainder=True))

    def _left(
        self,
        side: int,
        some: tuple[str, ...],
        every: Whole,
        margin: Whole,
        finest: _Range,
        whole: _Range,
        number: Whole,
        inside: Marks,
        with_others: bool,
    ) -> _Range:
        """The persons in a remainder: by its own classes, by the sum less its other groups, by its groups."""
        n = len(margin)
        own, sums = self._own_sums(side, self._names, every), self._own_sums(side, some, margin)
        least, most = (added(each[inside], number[inside], n) for each in (own.least, own.most))
        elsewhere = np.bincount(number[~inside], own.unlisted[~inside], n)
        found = self._own[side].range_of(_Sums(least, most, sums.unlisted - elsewhere), self._totals[side])
        least, most = (added(each[~inside], number[~inside], n) for each in (finest.least, finest.most))
        if not self._is_whole and not with_others:
            most = np.full_like(most, WIDE)
        found = found.both(_Range(whole.least - most, whole.most - least))
        if self._is_whole:
            least, most = (added(each[inside], number[inside], n) for each in (finest.least, finest.most))
            found = found.both(_Range(least, most))
        joint = self._joint[side]
        if joint is None or not self._is_whole or found.is_exact.all():
            return found
        of_atoms = self._group_of_atoms(side, joint, self._names)
        is_open = inside[of_atoms] & ~found.is_exact[number[of_atoms]]
        return self._narrowed_jointly(joint, np.where(is_open, number[of_atoms], -1), found)

    def _number(self, every: Whole, some: Sequence[str], margin: Whole) -> Whole:
        """The place in the groups by some columns of each group by all."""
        of_column: dict[str, Whole] = {}
        left = every
        for name in reversed(self._names):
            left, of_column[name] = np.divmod(left, self._columns[name].size)
        found = np.zeros(len(every), dtype=np.int64)
        for name in some:
            found = found * self._columns[name].size + of_column[name]
        return np.searchsorted(margin, found)
