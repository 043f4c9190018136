"""Association rules from counts (Apriori): classes of attributes that imply a value of the target.

Exact counts decide whether there are k persons; counts rounded to the nearest multiple of k decide all else: see
`mining`.

Support and confidence are those of Agrawal, Imielinski and Swami (1993), lift is the interest of Brin, Motwani and
Silverstein (1997), the search is Apriori's (Agrawal and Srikant 1994). This project adds:

* A rule rests on at least k persons who meet its conditions and have its value.
* The figures of nested rules could be subtracted from one another, and so reveal fewer than k. Every count is rounded
  to the nearest multiple of k before it is used: the choice of the rules that rest on k, their order and all their
  figures follow from such counts alone.
* A rule must be worth its conditions: more than each rule that is more general, having only some of its conditions or
  coarser classes in them. Its confidence is a tenth greater than theirs, even less half a k of its persons.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ordermade.errors import InputError
from ordermade.methods.mondrian.algorithm.domains import Codes


@dataclass(frozen=True, slots=True, eq=False)
class MiningStep:
    """One level of a ladder: `places[cell]` is the place of a cell's class in `classes`, -1 where it has none."""

    places: Codes
    classes: Codes

    @property
    def size(self) -> int:
        """The number of classes."""
        return int(self.classes.size)

    def only(self, places: NDArray[np.integer]) -> MiningStep:
        """The step with the classes at some places alone, ascending."""
        kept = np.full(self.size + 1, -1, dtype=np.int32)  # the last is that of cells without a class
        kept[places] = np.arange(len(places), dtype=np.int32)
        return MiningStep(kept[self.places], self.classes[places])


@dataclass(frozen=True, slots=True, eq=False)
class Ladder:
    """The levels of an attribute, finest first."""

    steps: tuple[MiningStep, ...]

    @classmethod
    def of(cls, cells: Codes, levels: Sequence[Codes]) -> Ladder:
        """The ladder of an attribute whose `cells` were counted; `levels[level][cell]`: a class, -1 for none.

        A class that holds every cell that was counted says nothing and is left out. Of classes that hold the same such
        cells the one of the coarsest level is left: it says the same most simply.
        """
        counted = np.unique(cells)
        steps: list[MiningStep] = []
        for level in reversed(levels):
            of_cell = np.full(level.size, -1, dtype=np.int32)
            of_cell[counted] = level[counted]
            classes, places = np.unique(of_cell, return_inverse=True)
            if classes.size and classes[0] < 0:
                classes, places = classes[1:], places - 1
            step = MiningStep(places.astype(np.int32), classes)
            sizes = cells_of(step)
            said = sizes == counted.size
            for coarser in steps:
                above = classes_above(step, coarser)
                said |= (above >= 0) & (sizes == np.append(cells_of(coarser), 0)[above])
            steps.append(step.only(np.flatnonzero(~said)))
        return cls(tuple(reversed(steps)))


def cells_of(step: MiningStep) -> NDArray[np.int64]:
    """The number of cells of each class."""
    return np.bincount(step.places[step.places >= 0], minlength=step.size)


def classes_above(step: MiningStep, coarser: MiningStep) -> Codes:
    """The place of the class of a coarser level that contains each class; -1 where there is none."""
    placed = step.places >= 0
    place, above = step.places[placed], coarser.places[placed]
    least = np.full(step.size, coarser.size, dtype=np.int32)
    greatest = np.full(step.size, -1, dtype=np.int32)
    np.minimum.at(least, place, above)
    np.maximum.at(greatest, place, above)
    return np.where(least == greatest, greatest, np.int32(-1))


TOLERANCE = 1e-9
"""The relative tolerance of thresholds that are decimals: 0.3 is not exact."""

LARGEST_KEY = 2**62

Whole: TypeAlias = NDArray[np.int64]
Count = TypeVar("Count", int, Whole)
Choices: TypeAlias = tuple[tuple[int, int], ...]
"""Attributes, ascending, each with a level."""


@dataclass(frozen=True, slots=True, eq=False)
class MinedCombinations:
    """Counts: one entry a combination of cells and target (of one person, where persons are counted).

    `cells[attribute]`: the number of its cell. `target`: the number of its value, -1 for NULL. `rows`: how many rows it
    has. `persons`: the number of the person whose it is; their rows then count for nothing.
    """

    cells: tuple[Codes, ...]
    target: Codes
    rows: Whole
    persons: Codes | None = None

    def person_by_person(self) -> MinedCombinations:
        """The same with the entries of each person side by side, so that `tally` counts each person once."""
        if self.persons is None:
            return self
        order = np.argsort(self.persons, kind="stable")
        cells = tuple(each[order] for each in self.cells)
        return MinedCombinations(cells, self.target[order], self.rows[order], self.persons[order])

    def tally(self, keys: Whole, entries: Whole) -> tuple[Whole, Whole]:
        """The different keys of some entries (ascending, as `person_by_person` has them), and how many have each."""
        if keys.size == 0:
            return keys, keys
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        first = np.ones(keys.size, dtype=np.bool_)
        first[1:] = ordered[1:] != ordered[:-1]
        starts = np.flatnonzero(first)
        if self.persons is None:
            return ordered[starts], np.add.reduceat(self.rows[entries][order], starts)
        person = self.persons[entries][order]
        first[1:] |= person[1:] != person[:-1]
        return ordered[starts], np.add.reduceat(first.astype(np.int64), starts)


@dataclass(frozen=True, slots=True)
class MiningThresholds:
    """The requirements of a rule: k persons, a share of all (`support`), a `lift`; at most so many `conditions`."""

    k: int
    support: float
    lift: float
    conditions: int


@dataclass(frozen=True, slots=True, eq=False)
class TreeNode:
    """The frequent classes of the same attributes at the same levels, with a value of the target.

    A key numbers the places of the classes and of the value; `keys` ascend. In units of k: `both` have the value, of
    the `meeting` persons who are in the classes.
    """

    choices: Choices
    keys: Whole
    both: Whole
    meeting: Whole


@dataclass(frozen=True, slots=True, eq=False)
class Frequent:
    """The frequent sets. `values`: the numbers of the target's frequent values, with the persons `having` each.

    In units of k, as `everybody` is. `ladders`: of the classes that enough persons are in with such a value.
    """

    everybody: int
    values: Whole
    having: Whole
    ladders: tuple[Ladder, ...]
    nodes: Mapping[Choices, TreeNode]

    def sizes(self, choices: Choices) -> list[int]:
        """The number of classes at each of the levels."""
        return [self.ladders[attribute].steps[level].size for attribute, level in choices]

    def places(self, choices: Choices, keys: Whole) -> list[Whole]:
        """The place of the class of each key at each of the levels."""
        left = keys // self.values.size
        places = []
        for size in reversed(self.sizes(choices)):
            left, place = np.divmod(left, size)
            places.append(place)
        return places[::-1]


def in_units(persons: Count, k: int) -> Count:
    """A number in units of k, rounded to the nearest whole number, halves up."""
    return (2 * persons + k) // (2 * k)


def frequent(
    counted: MinedCombinations, attributes: Sequence[Sequence[Codes]], thresholds: MiningThresholds
) -> Frequent:
    """The sets that enough persons have; `attributes[attribute][level]`: the class of each cell, finest level first.

    A class of -1 is none that a condition can be made of. Raises InputError where there are too many to be numbered.
    """
    counted = counted.person_by_person()
    everyone = np.zeros(counted.rows.size, dtype=np.int64)
    everybody = int(in_units(counted.tally(everyone, np.arange(everyone.size))[1], thresholds.k).sum())
    least = thresholds.support * everybody * (1 - TOLERANCE)
    not_null = np.flatnonzero(counted.target >= 0)
    values, persons = counted.tally(counted.target[not_null].astype(np.int64), not_null)
    enough = _enough(persons, thresholds.k, least)
    values, having = values[enough], in_units(persons[enough], thresholds.k)
    place_of = np.full(int(counted.target.max(initial=-1)) + 2, -1, dtype=np.int64)  # the last place is that of NULL
    place_of[values] = np.arange(values.size)
    search = _Search(counted, thresholds, least, place_of[counted.target], int(values.size))
    whole = (Ladder.of(cells, levels) for cells, levels in zip(counted.cells, attributes, strict=True))
    ladders = tuple(search.thinned(attribute, each) for attribute, each in enumerate(whole))
    nodes = {node.choices: node for node in search.grown(ladders)}
    return Frequent(everybody, values, having, ladders, nodes)


def _enough(persons: Whole, k: int, least: float) -> NDArray[np.bool_]:
    """Whether a rule may rest on each number of persons."""
    return (persons >= k) & (in_units(persons, k) >= least)


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """One search. `value`: the place of each entry's value of the target, -1 if it is not frequent; `values`: how many.

    `least`: how many units of k a rule rests on.
    """

    counted: MinedCombinations
    thresholds: MiningThresholds
    least: float
    value: Whole
    values: int

    def thinned(self, attribute: int, ladder: Ladder) -> Ladder:
        """A ladder without the classes that no rule can have."""
        steps = []
        for level, step in enumerate(ladder.steps):
            place = step.places[self.counted.cells[attribute]].astype(np.int64)
            inside = np.flatnonzero(place >= 0)
            node, _ = self._counted(((attribute, level),), place[inside], inside)
            steps.append(step.only(np.unique(node.keys // max(self.values, 1))))
        return Ladder(tuple(steps))

    def grown(self, ladders: Sequence[Ladder]) -> Iterator[TreeNode]:
        """Every node that is not empty, single attributes before their combinations."""
        entries = np.arange(self.value.size)
        yield from self._joined(ladders, (), np.zeros_like(entries), entries, self.values)

    def _joined(
        self, ladders: Sequence[Ladder], choices: Choices, key: Whole, entries: Whole, room: int
    ) -> Iterator[TreeNode]:
        """The nodes with another attribute, and their descendants. `key`: of the classes of some entries."""
        for attribute in range(choices[-1][0] + 1 if choices else 0, len(ladders)):
            for level, step in enumerate(ladders[attribute].steps):
                if room * step.size >= LARGEST_KEY:
                    raise InputError(
                        "there are more combinations of classes than can be numbered",
                        next_step="Ask for a greater support, or for fewer conditions in a rule.",
                    )
                place = step.places[self.counted.cells[attribute][entries]]
                inside = np.flatnonzero(place >= 0)
                joined = key[inside] * step.size + place[inside]
                node, going_on = self._counted((*choices, (attribute, level)), joined, entries[inside])
                if node.keys.size == 0:
                    continue
                yield node
                if len(node.choices) < self.thresholds.conditions:
                    left = entries[inside][going_on]
                    yield from self._joined(ladders, node.choices, joined[going_on], left, room * step.size)

    def _counted(self, choices: Choices, key: Whole, entries: Whole) -> tuple[TreeNode, NDArray[np.bool_]]:
        """The node of the classes that `key` numbers, and which of the entries are in any class of it."""
        value = self.value[entries]
        kept = value >= 0
        keys, both = self.counted.tally(key[kept] * self.values + value[kept], entries[kept])
        enough = _enough(both, self.thresholds.k, self.least)
        keys, both = keys[enough], in_units(both[enough], self.thresholds.k)
        of_key = keys // max(self.values, 1)
        going_on = np.isin(key, of_key)
        classes, persons = self.counted.tally(key[going_on], entries[going_on])
        meeting = in_units(persons[np.searchsorted(classes, of_key)], self.thresholds.k)
        return TreeNode(choices, keys, both, meeting), going_on


CLEARLY = 1.1
"""A rule is worth its conditions at so many times the confidence of each more general rule."""


@dataclass(frozen=True, slots=True, order=True)
class Condition:
    """A class of an attribute: the place of its level among the attribute's, finest first, and its number there."""

    attribute: int
    level: int
    number: int


@dataclass(frozen=True, slots=True)
class MinedRule:
    """A rule: persons who meet the conditions have the target's `value` more often than others.

    Persons, each number rounded to a multiple of k: `meeting` meet the conditions, `having` have the value, `both` do
    both, of `everybody`.
    """

    conditions: tuple[Condition, ...]
    value: int
    both: int
    meeting: int
    having: int
    everybody: int

    @property
    def support(self) -> float:
        """The share of everybody who meets the conditions and has the value."""
        return self.both / self.everybody

    @property
    def confidence(self) -> float:
        """The share of those who meet the conditions that has the value."""
        return self.both / self.meeting

    @property
    def lift(self) -> float:
        """The frequency of the value among those who meet the conditions, over its frequency among all."""
        return (self.both * self.everybody) / (self.meeting * self.having)


def mined(
    counted: MinedCombinations, attributes: Sequence[Sequence[Codes]], thresholds: MiningThresholds
) -> tuple[MinedRule, ...]:
    """The rules, of the greatest lift first; of equal lift those of more persons, then of fewer conditions.

    `attributes[attribute][level]`: the class of each cell, finest level first, -1 where no condition can be made of it.
    The order of the counts makes no difference. Raises InputError where classes are too many to be numbered.
    """
    found = frequent(counted, attributes, thresholds)
    rules = [rule for node in found.nodes.values() for rule in _rules_of(node, found, thresholds)]
    return tuple(sorted(rules, key=_rank))


def _rank(rule: MinedRule) -> tuple[float, int, int, tuple[Condition, ...], int]:
    return -rule.lift, -rule.both, len(rule.conditions), rule.conditions, rule.value


def _rules_of(node: TreeNode, found: Frequent, thresholds: MiningThresholds) -> Iterator[MinedRule]:
    """The rules of a node that reach the threshold of lift and are worth their conditions."""
    value = node.keys % found.values.size
    having = found.having[value]
    lift = (node.both * found.everybody) / (node.meeting * having)
    kept = np.flatnonzero(lift >= thresholds.lift * (1 - TOLERANCE))
    for general in _more_general(node.choices, found):
        kept = kept[_worth(node, kept, general, found)]
    places = found.places(node.choices, node.keys[kept])
    for row, at in enumerate(kept):
        conditions = (
            Condition(attribute, level, int(found.ladders[attribute].steps[level].classes[place[row]]))
            for (attribute, level), place in zip(node.choices, places, strict=True)
        )
        yield MinedRule(
            conditions=tuple(conditions),
            value=int(found.values[value[at]]),
            both=int(node.both[at]) * thresholds.k,
            meeting=int(node.meeting[at]) * thresholds.k,
            having=int(having[at]) * thresholds.k,
            everybody=found.everybody * thresholds.k,
        )


def _more_general(choices: Choices, found: Frequent) -> Iterator[tuple[tuple[int, int] | None, ...]]:
    """The choices more general than a node's: each attribute left out, at its level or coarser, but not all of them."""
    options = [
        (None, *((attribute, coarser) for coarser in range(level, len(found.ladders[attribute].steps))))
        for attribute, level in choices
    ]
    return (each for each in itertools.product(*options) if any(each) and each != choices)


def _worth(
    node: TreeNode, kept: Whole, general: Sequence[tuple[int, int] | None], found: Frequent
) -> NDArray[np.bool_]:
    """Whether the `kept` rules of a node hold their own beside those at the levels of `general`."""
    other = found.nodes.get(tuple(each for each in general if each is not None))
    if other is None:
        return np.ones(kept.size, dtype=np.bool_)
    key, beside = np.zeros(kept.size, dtype=np.int64), np.ones(kept.size, dtype=np.bool_)
    places = found.places(node.choices, node.keys[kept])
    for (attribute, level), coarser, place in zip(node.choices, general, places, strict=True):
        if coarser is not None:
            steps = found.ladders[attribute].steps
            above = classes_above(steps[level], steps[coarser[1]])[place]
            beside &= above >= 0
            key = key * steps[coarser[1]].size + above
    # More general sets are frequent as well: where every class has one above it, the key is there.
    at = np.searchsorted(other.keys, key * found.values.size + node.keys[kept] % found.values.size)
    at = np.where(beside, at, 0)
    surely = (node.both[kept] - 0.5) / node.meeting[kept]
    return ~beside | (surely >= CLEARLY * (1 - TOLERANCE) * other.both[at] / other.meeting[at])
