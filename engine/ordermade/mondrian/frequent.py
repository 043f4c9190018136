"""Find the classes of attributes that meet values of a target in enough persons: Apriori, on counts.

Exact counts decide whether there are k persons; counts rounded to the nearest multiple of k decide all else: see
`mining`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ordermade.errors import InputError
from ordermade.mondrian.domains import Codes
from ordermade.mondrian.ladders import Ladder

TOLERANCE = 1e-9
"""The relative tolerance of thresholds that are decimals: 0.3 is not exact."""

LARGEST_KEY = 2**62

Whole: TypeAlias = NDArray[np.int64]
Count = TypeVar("Count", int, Whole)
Choices: TypeAlias = tuple[tuple[int, int], ...]
"""Attributes, ascending, each with a level."""


@dataclass(frozen=True, slots=True, eq=False)
class Combinations:
    """Counts: one entry a combination of cells and target (of one person, where persons are counted).

    `cells[attribute]`: the number of its cell. `target`: the number of its value, -1 for NULL. `rows`: how many rows it
    has. `persons`: the number of the person whose it is; their rows then count for nothing.
    """

    cells: tuple[Codes, ...]
    target: Codes
    rows: Whole
    persons: Codes | None = None

    def person_by_person(self) -> Combinations:
        """The same with the entries of each person side by side, so that `tally` counts each person once."""
        if self.persons is None:
            return self
        order = np.argsort(self.persons, kind="stable")
        cells = tuple(each[order] for each in self.cells)
        return Combinations(cells, self.target[order], self.rows[order], self.persons[order])

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
class Thresholds:
    """The requirements of a rule: k persons, a share of all (`support`), a `lift`; at most so many `conditions`."""

    k: int
    support: float
    lift: float
    conditions: int


@dataclass(frozen=True, slots=True, eq=False)
class Node:
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
    nodes: Mapping[Choices, Node]

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


def frequent(counted: Combinations, attributes: Sequence[Sequence[Codes]], thresholds: Thresholds) -> Frequent:
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

    counted: Combinations
    thresholds: Thresholds
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

    def grown(self, ladders: Sequence[Ladder]) -> Iterator[Node]:
        """Every node that is not empty, single attributes before their combinations."""
        entries = np.arange(self.value.size)
        yield from self._joined(ladders, (), np.zeros_like(entries), entries, self.values)

    def _joined(
        self, ladders: Sequence[Ladder], choices: Choices, key: Whole, entries: Whole, room: int
    ) -> Iterator[Node]:
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

    def _counted(self, choices: Choices, key: Whole, entries: Whole) -> tuple[Node, NDArray[np.bool_]]:
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
        return Node(choices, keys, both, meeting), going_on
