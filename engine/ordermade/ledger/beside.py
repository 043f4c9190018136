"""What the readers of several releases of one dataset can work out about fewer than k persons.

A breach is a statement that follows from the releases: that a group, which some classes of the releases have in common,
or which is left of a class without the known classes of up to three others in it, has at least 1 and at most k - 1
persons; or that a hidden cell is known to less than k. A group is safe by a proof: other data, which agree with every
release, where the statement is false. What is neither is undecided; so is what is left where a bound of work is met,
which is counted in cells, groups and programs, never in seconds.

Figures that follow from others of the pool are left out first: readers know the same with them and without, and the
sums that readers can add up are looked at whoever shows them (`following`); codes that no figure tells apart become one
(`coarsening`). Then all groups that persons can leave at once are safe together (`exchanges`); sets of partitions are
enumerated for the persons of the other groups alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import islice
from typing import Literal

import numpy as np

from ordermade.ledger.coarsening import coarsened
from ordermade.ledger.exchanges import GroupExchanges
from ordermade.ledger.figures import REST, JointCells, KnownFigures, by_partition
from ordermade.ledger.following import added_up, without_followers
from ordermade.ledger.intersections import CellSet, ClassIntersections
from ordermade.ledger.numbering import paired, sums
from ordermade.ledger.programs import GroupBounds, GroupPrograms
from ordermade.ledger.remainders import MOST_SUBTRACTED, Remainder, Remainders, remainders
from ordermade.ledger.swaps import JoinedClass, Swaps
from ordermade.tables.cells import Marks, Whole

MOST_JOINED = 4_096
"""The most sets of partitions whose classes are looked at together."""
MOST_COUNTED = 40_000_000
"""The most cells that are counted for them, those of all sets together."""
MOST_SOLVED = 1_000
"""The most integer programs that are begun with; the groups after them are undecided."""
MOST_LOCAL = 20
"""The most groups that programs of some of the figures look for; they prove breaches alone."""
MOST_GROUPS = 100_000
"""The most groups that are looked at one by one; those after them are undecided."""
MOST_LOOKED_OVER = 20_000_000
"""The most cells that are looked over for them, all cells once for each group."""
MOST_BREACHES = 3
"""The breaches after which no more are looked for."""

Answer = Literal["safe", "breach", "undecided"]


@dataclass(frozen=True, slots=True)
class DerivedGroup:
    """A group that the releases together give away, or may: how the partitions are called that its classes are of.

    `releases`: the numbers of releases that it takes together; all where it is undecided. `hidden`: it is a hidden
    class, known to less than k. `stands`: the releases give it away without the one that is judged.
    """

    answer: Answer
    classes: tuple[str, ...]
    releases: tuple[int, ...]
    hidden: bool
    stands: bool = False


@dataclass(frozen=True, slots=True)
class Together:
    """The judgement on a pool: its answer, the groups that are not safe, and how many were looked at.

    `by_refinement`: the common refinement of all partitions has no group below k, so that nothing had to be decided.
    `by_swaps`: how many groups other data proved safe, those of the refinement where all persons can leave.
    `programs`: how many were solved.
    """

    answer: Answer
    groups: tuple[DerivedGroup, ...]
    looked_at: int
    by_refinement: bool
    by_swaps: int
    programs: int

    @property
    def breaches(self) -> tuple[DerivedGroup, ...]:
        """The groups that the releases give away, but for those that stand without the one that is judged."""
        return tuple(each for each in self.groups if each.answer == "breach" and not each.stands)


def judged_together(
    given: Sequence[KnownFigures], joint: JointCells, k: int, most_cells: int = 3_000, judged: int | None = None
) -> Together:
    """What the readers of all these releases can work out; `most_cells` bounds each integer program.

    What is left of classes is looked at where the classes that releases have in common are no breach. `judged`: the
    release that is judged beside the others. What they give away without it stands, and is no reason to stop looking.

    Raises InputError where scipy is not installed and a program is needed.
    """
    numbers = tuple(sorted({number for each in given for number in each.releases}))
    valued = [each for each in given if each.values]
    others: Sequence[KnownFigures] = [each for each in given if judged is not None and judged not in each.releases]
    if valued:
        return _with_values([each for each in given if not each.values], valued, others, joint, k, most_cells, numbers)
    essential, others, joint = _coarsened(without_followers(given), others, joint)
    exchanges = GroupExchanges(essential, joint)
    unsettled = exchanges.unsettled(k)
    hides = any(len(each.hidden_labels) for each in essential)
    if not exchanges.small and not hides:
        return Together("safe", (), 0, by_refinement=True, by_swaps=0, programs=0)
    summed, is_all = added_up(essential) if unsettled.any() else ((), True)
    judging = _Judging([*essential, *summed], others, joint, k, most_cells, numbers)
    if unsettled.any() or hides:
        found = judging.all(unsettled, exchanges.small, is_cut=not is_all)
        if found.breaches or found.by_refinement:
            return found
    else:
        found = Together("safe", (), exchanges.small, by_refinement=False, by_swaps=exchanges.small, programs=0)
    left = remainders(essential, joint, k)
    if not left.found and not left.is_cut:
        return found
    most = MOST_LOOKED_OVER // max(1, len(joint.cells)) // (MOST_SUBTRACTED + 1) + 1
    if len(left.found) > most:
        left = Remainders(left.found[:most], is_cut=True)
    partitions = [one for each in left.found for one in (each.total, *each.parted)]
    before = judging
    judging = _Judging([*essential, *partitions], others, joint, k, most_cells, numbers)
    judging.continue_from(before)
    return judging.left(left.found, found, is_cut=left.is_cut)


def _coarsened(
    essential: Sequence[KnownFigures], others: Sequence[KnownFigures], joint: JointCells
) -> tuple[Sequence[KnownFigures], Sequence[KnownFigures], JointCells]:
    """The figures of a pool, and those of releases among it, over the codes that the pool tells apart."""
    every, joint = coarsened([*essential, *others], joint)
    return every[: len(essential)], every[len(essential) :], joint


def _with_values(
    classes: Sequence[KnownFigures],
    valued: Sequence[KnownFigures],
    others: Sequence[KnownFigures],
    joint: JointCells,
    k: int,
    most_cells: int,
    numbers: tuple[int, ...],
) -> Together:
    """The groups of classes, where readers have the values in classes, too: they join the rows of releases.

    No group is left out because exchanges prove the others: those keep the figures of classes alone.
    """
    essential = without_followers(classes)
    every, others, joint = _coarsened([*essential, *valued], others, joint)
    essential, valued = tuple(every[: len(essential)]), every[len(essential) :]
    summed, is_all = added_up(essential)
    judging = _Judging([*essential, *valued, *summed], others, joint, k, most_cells, numbers)
    found = judging.all(np.ones(len(joint.cells), dtype=np.bool_), 0, is_cut=not is_all)
    if found.breaches or found.by_refinement:
        return found
    left = remainders(essential, joint, k)
    if not left.found and not left.is_cut:
        return found
    partitions = [one for each in left.found for one in (each.total, *each.parted)]
    before = judging
    judging = _Judging([*essential, *valued, *partitions], others, joint, k, most_cells, numbers)
    judging.continue_from(before)
    return judging.left(left.found, found, is_cut=left.is_cut)


class _Judging:
    """The groups of a pool; `others`: the figures of its releases without the one that is judged, none without one."""

    def __init__(
        self,
        given: Sequence[KnownFigures],
        others: Sequence[KnownFigures],
        joint: JointCells,
        k: int,
        most_cells: int,
        releases: tuple[int, ...],
    ) -> None:
        self._given, self._joint, self._k, self._most_cells = by_partition(given), joint, k, most_cells
        self._pool, self._releases = _merged(self._given), releases
        self._swaps = Swaps(self._pool, joint)
        self._programs = GroupPrograms(self._pool, joint.sizes, most_cells)
        self._without = _Without(self._given, others, joint, most_cells) if others else None
        self._taken: dict[tuple[tuple[int, ...], bool, bool], tuple[int, ...]] = {}
        self._by_swaps = self._looked_at = 0

    @property
    def _is_at_its_end(self) -> bool:
        return (
            self._looked_at >= MOST_GROUPS
            or (self._looked_at * len(self._joint.cells) > MOST_LOOKED_OVER and not self._programs.is_whole)
            or self._solved >= MOST_SOLVED
            or self._programs.local >= MOST_LOCAL
        )

    @property
    def _solved(self) -> int:
        return self._programs.solved + (0 if self._without is None else self._without.solved)

    def continue_from(self, before: _Judging) -> None:
        """Takes up the proofs that were found before, over the same figures."""
        self._programs.continue_from(before._programs)

    def all(self, unsettled: Marks, small: int, *, is_cut: bool) -> Together:
        """The hidden classes, and the groups with a cell that is unsettled; `small`: how many classes are below k.

        `is_cut`: there are partitions that are not looked at.
        """
        found: list[DerivedGroup] = []
        hidden = [
            JoinedClass({place: label})
            for place, each in enumerate(self._pool)
            for label in each.hidden_labels.tolist()
        ]
        for each in hidden:
            if self._is_at_its_end:
                is_cut = True
                break
            answer = self._hidden(each)
            if answer != "safe":
                found.append(self._derived(answer, each, hidden=True))
            if _is_told(found):
                break
        groups = self._intersected if self._programs.is_whole else self._joined
        looked_at = self._looked_at
        if not _is_told(found):
            is_cut = groups(unsettled, found) or is_cut
        seen = self._looked_at > looked_at
        if is_cut:
            found.append(DerivedGroup("undecided", (), self._releases, hidden=False))
        settled = 0 if unsettled.any() else small
        by_refinement = not hidden and not seen and not is_cut and not settled
        return Together(
            _worst(each.answer for each in found),
            tuple(found),
            self._looked_at + settled,
            by_refinement,
            self._by_swaps + settled,
            self._solved,
        )

    def _joined(self, unsettled: Marks, found: list[DerivedGroup]) -> bool:
        """Adds the groups that are not safe, by sets of partitions; whether not all were looked at."""
        joined = _Joined(self._pool, self._swaps.labels, self._joint.persons, self._k, unsettled)
        most = min(MOST_GROUPS, MOST_LOOKED_OVER // max(1, len(self._joint.cells)) + 1)
        waiting, seen = list(islice(joined.largest(), most + 1)), set[tuple[tuple[int, int], ...]]()
        while waiting:
            if self._is_at_its_end:
                return True
            group = waiting.pop()
            key = tuple(sorted(group.classes.items()))
            if key in seen:
                continue
            seen.add(key)
            is_ended = self._looked_into(group, found)
            if _is_told(found):
                return False
            if not is_ended:
                waiting += joined.parts(group)
        return joined.is_cut

    def _intersected(self, unsettled: Marks, found: list[DerivedGroup]) -> bool:
        """The same, by sets of all possible cells, which are few."""
        sizes = self._joint.sizes
        at = np.ravel_multi_index(tuple(self._joint.cells.T), sizes) if sizes else np.zeros(1, dtype=np.int64)
        persons = np.zeros(math.prod(sizes), dtype=np.int64)
        persons[at] = self._joint.persons
        few = np.zeros(len(persons), dtype=np.bool_)
        few[at] = unsettled
        labels = {place: own for place, own in enumerate(self._programs.labels) if not self._pool[place].values}
        intersections = ClassIntersections(labels, persons, few)
        for batch in intersections.batches():
            left = self._left_after_others([each for each in batch if 1 <= each.persons < self._k], intersections)
            while len(left) > 1 and self._programs.empty([each.cells for each in left]):
                fewer = self._left_after_others(left, intersections)
                if len(fewer) == len(left):
                    break
                left = fewer
            for each in left:
                if self._is_at_its_end:
                    return True
                if self._looked_into(JoinedClass(each.classes), found):
                    intersections.close(each)
                if _is_told(found):
                    return False
        return intersections.is_cut

    def _left_after_others(self, few: Sequence[CellSet], intersections: ClassIntersections) -> Sequence[CellSet]:
        """Those of these groups that data found so far do not prove safe; the ones that are empty there are closed."""
        agreeing = self._programs.agreeing
        if not few or not len(agreeing):
            return few
        counts = np.stack([each.cells for each in few]).astype(np.float64) @ agreeing.T.astype(np.float64)
        left = []
        for each, a, b in zip(few, counts.min(axis=1).tolist(), counts.max(axis=1).tolist(), strict=True):
            if a > 0 and b < self._k:
                left.append(each)
                continue
            self._looked_at += 1
            self._by_swaps += 1
            if a == 0:
                intersections.close(each)
        return left

    def _looked_into(self, group: JoinedClass, found: list[DerivedGroup]) -> bool:
        """Adds a group of 1 to k - 1 persons where it is not safe; whether nothing in it need be looked at."""
        answer, is_empty_elsewhere = self._few(group)
        stands = False
        if answer != "safe":
            found.append(self._derived(answer, group, hidden=False))
            stands = found[-1].stands
        return is_empty_elsewhere or (answer == "breach" and not stands)

    def left(self, left: Sequence[Remainder], before: Together, *, is_cut: bool) -> Together:
        """What was found before, with what is left of classes."""
        places = {each.partition.key: place for place, each in enumerate(self._pool)}
        found, breaches = [*before.groups], set[bytes]()
        for each in left:
            if self._is_at_its_end:
                is_cut = True
                break
            parted = (places[one.partition.key] for one in each.parted)
            group = JoinedClass({places[each.total.partition.key]: each.label, **dict.fromkeys(parted, REST)})
            persons = self._swaps.members(group).tobytes()
            answer = "safe" if persons in breaches else self._few(group)[0]
            if answer != "safe":
                found.append(self._derived(answer, group, hidden=False))
            if answer == "breach" and not found[-1].stands:
                breaches.add(persons)
            if _is_told(found):
                break
        if is_cut:
            found.append(DerivedGroup("undecided", (), self._releases, hidden=False))
        return Together(
            _worst(each.answer for each in found),
            tuple(found),
            before.looked_at + self._looked_at,
            False,
            before.by_swaps + self._by_swaps,
            before.programs + self._solved,
        )

    def _derived(self, answer: Answer, group: JoinedClass, *, hidden: bool) -> DerivedGroup:
        places = tuple(sorted(group.classes))
        releases, stands = self._releases, answer == "breach" and self._stands(group, hidden=hidden)
        if answer == "breach":
            if (places, hidden, stands) not in self._taken:
                given = self._without.given if stands and self._without is not None else self._given
                self._taken[places, hidden, stands] = self._together(group, given, hidden=hidden)
            releases = self._taken[places, hidden, stands]
        called = tuple(dict.fromkeys(self._pool[each].called for each in places))
        return DerivedGroup(answer, called, releases, hidden, stands)

    def _stands(self, group: JoinedClass, *, hidden: bool) -> bool:
        """Whether the other releases give a group away, or what one of them hides, without the one that is judged."""
        if self._without is None or (hidden and not self._without.hides(group)):
            return False
        return self._is_breach(self._without.programs.bounds(group), hidden=hidden)

    def _together(
        self, group: JoinedClass, given: Sequence[Sequence[KnownFigures]], *, hidden: bool
    ) -> tuple[int, ...]:
        """Releases of these figures, by partition, that give a group away together, and not without one of them."""
        taken = tuple(sorted({number for figures in given for each in figures for number in each.releases}))
        size = len(taken)
        while size > 1:
            size = (size + 1) // 2
            for start in range(len(taken) - size, -size, -size):
                rest = (*taken[: max(0, start)], *taken[start + size :])
                if len(rest) < len(taken) and self._gives_away(group, given, rest, hidden=hidden):
                    taken = rest
        return taken

    def _gives_away(
        self,
        group: JoinedClass,
        given: Sequence[Sequence[KnownFigures]],
        releases: tuple[int, ...],
        *,
        hidden: bool,
    ) -> bool:
        """Whether these releases alone give a group away."""
        wanted = set(releases)
        pool = [
            reduce(KnownFigures.with_figures_of, known)
            if (known := [each for each in figures if wanted.issuperset(each.releases)])
            else figures[0].without_figures()
            for figures in given
        ]
        return self._is_breach(GroupPrograms(pool, self._joint.sizes, self._most_cells).bounds(group), hidden=hidden)

    def _is_breach(self, bounds: GroupBounds, *, hidden: bool) -> bool:
        if bounds.most is None:
            return False
        return bounds.most - bounds.least < self._k if hidden else bounds.least >= 1 and bounds.most < self._k

    def _few(self, group: JoinedClass) -> tuple[Answer, bool]:
        """Whether a group of 1 to k - 1 persons is given away; and whether other data have nobody in it."""
        self._looked_at += 1
        least, most = self._programs.seen(group) or (1, 0)
        if least == 0 or most >= self._k:
            self._by_swaps += 1
            return "safe", least == 0
        if not self._programs.is_whole:
            persons = int(self._joint.persons[self._swaps.members(group)].sum())
            if self._swaps.leaving(group, persons) == persons:
                self._by_swaps += 1
                return "safe", True
            if self._swaps.coming(group, self._k - persons) == self._k - persons:
                self._by_swaps += 1
                return "safe", False
        bounds = self._programs.bounds(group, self._k)
        if self._is_breach(bounds, hidden=False):
            return "breach", False
        return ("safe" if bounds.is_whole else "undecided"), bounds.is_whole and bounds.least == 0

    def _hidden(self, group: JoinedClass) -> Answer:
        """Whether a hidden cell is known to less than k."""
        self._looked_at += 1
        least, most = self._programs.seen(group) or (0, 0)
        if most - least >= self._k:
            self._by_swaps += 1
            return "safe"
        if not self._programs.is_whole:
            came = self._swaps.coming(group, self._k)
            if came + self._swaps.leaving(group, self._k - came) >= self._k:
                self._by_swaps += 1
                return "safe"
        bounds = self._programs.bounds(group)
        if self._is_breach(bounds, hidden=True):
            return "breach"
        return "safe" if bounds.is_whole else "undecided"


def _in_places(
    given: Sequence[Sequence[KnownFigures]], others: Sequence[Sequence[KnownFigures]]
) -> tuple[tuple[KnownFigures, ...], ...]:
    """The figures of others in the places of the same partitions, those of partitions that have no place at the end."""
    by_key = {each[0].partition.key: tuple(each) for each in others}
    own = [by_key.pop(each[0].partition.key, (each[0].without_figures(),)) for each in given]
    return (*own, *by_key.values())


def _merged(places: Sequence[Sequence[KnownFigures]]) -> tuple[KnownFigures, ...]:
    """The figures of each place as one."""
    return tuple(reduce(KnownFigures.with_figures_of, each) for each in places)


def _is_told(found: Iterable[DerivedGroup]) -> bool:
    """Whether as many breaches are found as an answer names, those that stand apart."""
    return sum(each.answer == "breach" and not each.stands for each in found) >= MOST_BREACHES


def _worst(answers: Iterable[Answer]) -> Answer:
    found = set(answers)
    if "breach" in found:
        return "breach"
    return "undecided" if "undecided" in found else "safe"


class _Without:
    """A pool without the release that is judged, each partition in its place; made where it is first needed."""

    def __init__(
        self,
        given: Sequence[Sequence[KnownFigures]],
        others: Sequence[KnownFigures],
        joint: JointCells,
        most_cells: int,
    ) -> None:
        self._all, self._others, self._joint, self._most_cells = given, others, joint, most_cells

    @cached_property
    def given(self) -> tuple[tuple[KnownFigures, ...], ...]:
        """The figures by partition: the places of the whole pool first."""
        return _in_places(self._all, by_partition(self._others))

    @cached_property
    def programs(self) -> GroupPrograms:
        """The programs over these figures alone."""
        return GroupPrograms(_merged(self.given), self._joint.sizes, self._most_cells)

    @property
    def solved(self) -> int:
        """How many programs were solved."""
        return self.programs.solved if "programs" in self.__dict__ else 0

    def hides(self, group: JoinedClass) -> bool:
        """Whether one of these figures hides every class of a group."""
        return all(
            any(label in each.hidden_labels for each in self.given[place]) for place, label in group.classes.items()
        )


class _Joined:
    """The groups of 1 to k - 1 persons that classes of some partitions have in common.

    Where one of two partitions refines the other, the finer alone says as much. Only those with an unsettled cell.
    """

    def __init__(
        self, pool: Sequence[KnownFigures], labels: Sequence[Whole], persons: Whole, k: int, unsettled: Marks
    ) -> None:
        self._k, self._persons = k, persons
        self._places = tuple(place for place, each in enumerate(pool) if not each.values)
        self._numbers = [np.unique(each, return_inverse=True)[1].reshape(-1).astype(np.int64) for each in labels]
        partitions = [each.partition for each in pool]
        self._comparable = [
            {place for place, other in enumerate(partitions) if each.refines(other) or other.refines(each)}
            for each in partitions
        ]
        self._counted = 0
        self._cells = np.flatnonzero(unsettled & self._few(tuple(self._places)))
        self._labels = np.stack(labels, axis=1)[self._cells]
        self.is_cut = False

    def _few(self, places: Sequence[int]) -> Marks:
        """The cells whose classes in some partitions have 1 to k - 1 persons in common."""
        self._counted += len(self._persons) * len(places)
        number, most = np.zeros(len(self._persons), dtype=np.int64), 1
        for place in places:
            own = self._numbers[place]
            number, most = paired(number, most, own, int(own.max(initial=0)) + 1)
        sizes = sums(number, most, self._persons)
        return (sizes > 0) & (sizes < self._k)

    def largest(self) -> Iterator[JoinedClass]:
        """The groups that are in no larger one of them: those of the fewest partitions."""
        if not len(self._cells):
            return
        few: dict[tuple[int, ...], Marks] = {}
        sets: list[tuple[int, ...]] = [(place,) for place in self._places]
        while sets:
            if len(few) + len(sets) > MOST_JOINED:
                self.is_cut = True
                return
            for places in sets:
                if self._counted > MOST_COUNTED:
                    self.is_cut = True
                    return
                marks = few[places] = self._few(places)[self._cells]
                for left_out in places if len(places) > 1 else ():
                    marks = marks & ~few[tuple(each for each in places if each != left_out)]
                for labels in np.unique(self._labels[marks][:, places], axis=0).tolist():
                    yield JoinedClass(dict(zip(places, labels, strict=True)))
            sets = [
                (*places, place)
                for places in sets
                for place in self._places[self._places.index(places[-1]) + 1 :]
                if not self._comparable[place] & set(places)
            ]

    def parts(self, group: JoinedClass) -> Iterator[JoinedClass]:
        """The groups within a group that one more partition makes."""
        inside = np.ones(len(self._labels), dtype=np.bool_)
        for place, label in group.classes.items():
            inside &= self._labels[:, place] == label
        for place in self._places:
            if place not in group.classes:
                for label in np.unique(self._labels[inside, place]).tolist():
                    yield JoinedClass({**group.classes, place: label})
