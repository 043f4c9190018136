"""What the classes of a locally recoded release tell of one another: the values that remain possible in each.

Rows are released round after round, and a released class takes all remaining rows under its labels. So a class has no
row that a class released before it could hold, and its labels name more values than it can have (downcoding: Cohen,
"Attacks on Deidentification's Defenses", USENIX Security 2022). Two facts tell which class came first:

* Labels and hierarchies alone: where every label of F lies within that of C, and one strictly, F came first. The other
  way round, C would have taken the rows of F.
* The order of the rounds: a class of an earlier round came first, whatever its labels.

The cells of F, one value of each attribute, are then impossible in C. A value of an attribute is possible as long as
some cell of C with it is left. This is computed exactly, attribute after attribute: values that lie within the same
labels of F, G, … are one case, and cases that agree in what remains are solved once. A class that needs more than
`MAX_STEPS` cases is given up, and counts as not narrowed.

A label that stands for different sets at two levels has several *readings*. A class is looked at under each of them,
with what is sure of the others whatever theirs, and a value is left if one reading leaves it; a reading of which no
cell is left is none.

A class of a release without such overlaps (one level a column, or sealed rounds) keeps every value.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Places: TypeAlias = npt.NDArray[np.intp]
Flags: TypeAlias = npt.NDArray[np.bool_]

MAX_STEPS = 20_000
"""The most cases that are solved for one class."""
MAX_READINGS = 64
"""Of a class with more readings, all values that its labels may name are taken for one."""


@dataclass(frozen=True, slots=True)
class LabelledAttribute:
    """The values of an attribute by number, 0 up to `values` - 1, and those that each label may name.

    `named[label]`: in ascending order, each once. `sure[label]`: those that it names for sure; fewer where two levels
    have the same label for different values, else the same. `readings[label]`: the different sets that it may name.
    """

    values: int
    named: tuple[Places, ...]
    sure: tuple[Places, ...]
    readings: tuple[tuple[Places, ...], ...]

    @classmethod
    def of(cls, values: int, named: Sequence[Sequence[int]]) -> LabelledAttribute:
        """An attribute whose labels each name the same values wherever they stand."""
        return cls.read(values, [[each] for each in named])

    @classmethod
    def read(cls, values: int, readings: Sequence[Sequence[Sequence[int] | Places]]) -> LabelledAttribute:
        """An attribute whose labels each name one of several sets; of none at all where there is no set."""
        found = tuple(_different(sets) for sets in readings)
        return cls(
            values,
            tuple(sets[0] if len(sets) == 1 else np.unique(np.concatenate(sets)) for sets in found),
            tuple(reduce(np.intersect1d, sets) for sets in found),
            found,
        )


def _different(sets: Sequence[Sequence[int] | Places]) -> tuple[Places, ...]:
    """The different sets, each in ascending order; the empty one where there is none."""
    ascending = [np.unique(np.asarray(each, dtype=np.intp)) for each in sets]
    return tuple({each.tobytes(): each for each in ascending}.values()) or (np.empty(0, dtype=np.intp),)


@dataclass(frozen=True, slots=True)
class ClassLabels:
    """The distinct released classes: `labels[class, attribute]` by number, `first` and `last` its possible rounds.

    Without rounds all are of round 0. Where equal labels stand at several levels, a class may be of several rounds:
    it is of one of those from `first` to `last`.
    """

    attributes: tuple[LabelledAttribute, ...]
    labels: Places
    first: Places
    last: Places

    @classmethod
    def of(
        cls, attributes: Sequence[LabelledAttribute], labels: Places, rounds: Sequence[tuple[int, int]] | None
    ) -> ClassLabels:
        """The classes with these labels; `rounds`: the first and last possible round of each, None if unknown."""
        spans = np.zeros((len(labels), 2), dtype=np.intp) if rounds is None else np.array(rounds, dtype=np.intp)
        return cls(tuple(attributes), labels, spans.reshape(-1, 2)[:, 0], spans.reshape(-1, 2)[:, 1])


@dataclass(frozen=True, slots=True)
class Left:
    """The values left in a class: of each attribute those of its label that remain possible.

    `given_up`: it needed too many cases, and all values are left as possible. `contradicted`: none of its cells is
    left, so that the classes did not come about as it is assumed; all values are left here too.
    """

    values: tuple[Places, ...]
    given_up: bool = False
    contradicted: bool = False


@dataclass(frozen=True, slots=True)
class LabelReading:
    """The values that each label of a class may name at once; the classes within it then, and those before it."""

    named: tuple[Places, ...]
    within: Places
    before: Places


@dataclass(slots=True)
class Eliminations:
    """The classes that came before each class, and what they leave possible; `with_rounds`: their order is used too."""

    released: ClassLabels
    with_rounds: bool
    _indexes: tuple[_Index, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Index the labels of each attribute."""
        self._indexes = tuple(_Index(each) for each in self.released.attributes)

    def readings(self, number: int) -> Iterator[LabelReading]:
        """What the labels of a class may name: one reading where each names one set of values."""
        attributes, labels = self.released.attributes, self.released.labels[number].tolist()
        own = [each.readings[label] for each, label in zip(attributes, labels, strict=True)]
        if math.prod(map(len, own)) > MAX_READINGS:
            own = [(each.named[label],) for each, label in zip(attributes, labels, strict=True)]
        for named in itertools.product(*own):
            within = self._within(number, named)
            yield LabelReading(named, within, self._before(number, named, within))

    def _before(self, number: int, named: Sequence[Places], within: Places) -> Places:
        """The classes that came before this class, if its labels name these values, and share a cell with it."""
        if not self.with_rounds:
            return within
        released = self.released
        earlier = released.last < released.first[number]
        for place, (index, values) in enumerate(zip(self._indexes, named, strict=True)):
            earlier &= index.of(int(released.labels[number, place]), values).shares[released.labels[:, place]]
        return np.union1d(within, np.flatnonzero(earlier))

    def _within(self, number: int, named: Sequence[Places]) -> Places:
        """The classes strictly within this class, if its labels name these values."""
        released = self.released
        inside = np.ones(len(released.labels), dtype=np.bool_)
        strictly = np.zeros(len(released.labels), dtype=np.bool_)
        for place, (index, values) in enumerate(zip(self._indexes, named, strict=True)):
            relation = index.of(int(released.labels[number, place]), values)
            inside &= relation.within[released.labels[:, place]]
            strictly |= relation.strictly[released.labels[:, place]]
        return np.flatnonzero(inside & strictly)

    def around(self, number: int) -> Places:
        """The classes that name every cell of this class and more, whatever the level of a label is.

        By labels they may have any person of this class; it came before them, so they have none.
        """
        released = self.released
        holds = np.ones(len(released.labels), dtype=np.bool_)
        more = np.zeros(len(released.labels), dtype=np.bool_)
        labels = released.labels[number].tolist()
        for place, (index, attribute, label) in enumerate(zip(self._indexes, released.attributes, labels, strict=True)):
            relation = index.of(label, attribute.named[label])
            holds &= relation.holds[released.labels[:, place]]
            more |= relation.holds_more[released.labels[:, place]]
        return np.flatnonzero(holds & more)

    def left(self, number: int) -> Left:
        """The values that remain possible in a class: those that one of its readings leaves."""
        attributes, labels = self.released.attributes, self.released.labels[number].tolist()
        every = tuple(each.named[label] for each, label in zip(attributes, labels, strict=True))
        found = []
        for reading in self.readings(number):
            try:
                left = self._left(reading)
            except _TooManySteps:
                return Left(every, given_up=True)
            if left is not None:
                found.append(left)
        if not found:
            return Left(every, contradicted=True)
        if len(found) == 1:
            return Left(found[0])
        return Left(tuple(np.unique(np.concatenate(sets)) for sets in zip(*found, strict=True)))

    def _left(self, reading: LabelReading) -> tuple[Places, ...] | None:
        """The values that one reading leaves; None where no cell is left. Raises _TooManySteps."""
        if len(reading.before) == 0:
            return reading.named
        cases = [
            _Cases.of(attribute, values, self.released.labels[reading.before, place])
            for place, (attribute, values) in enumerate(zip(self.released.attributes, reading.named, strict=True))
        ]
        order = sorted(range(len(cases)), key=lambda place: len(cases[place].signatures))
        found = _Search([cases[place] for place in order]).possible(0, (1 << len(reading.before)) - 1)
        if found is None:
            return None
        possible = dict(zip(order, found, strict=True))
        return tuple(each.values_of(possible[place]) for place, each in enumerate(cases))

    def all_left(self) -> Iterator[Left]:
        """The values left in each class, in order."""
        for number in range(len(self.released.labels)):
            yield self.left(number)


@dataclass(frozen=True, slots=True)
class _Relation:
    """Of each label of an attribute to one of them: whether it shares values, lies within it, holds it; strictly."""

    shares: Flags
    within: Flags
    strictly: Flags
    holds: Flags
    holds_more: Flags


class _Index:
    """The labels of one attribute, each compared with all others when it is first needed."""

    def __init__(self, attribute: LabelledAttribute) -> None:
        self._attribute = attribute
        self._named = _Sets.of(attribute.named)
        self._sure = _Sets.of(attribute.sure)
        self._known: dict[tuple[int, bytes], _Relation] = {}

    def of(self, label: int, values: Places) -> _Relation:
        """How every label relates to this one where it names these values, all that it may name or some of them."""
        key = (label, values.tobytes() if len(self._attribute.readings[label]) > 1 else b"")
        if key not in self._known:
            flags = _flags(self._attribute.values, values)
            shared, inside = self._sure.counts(flags), self._named.counts(flags)
            within = inside == self._named.sizes
            holds = shared == len(values)
            self._known[key] = _Relation(
                shared > 0,
                within,
                within & (self._named.sizes < len(values)),
                holds,
                holds & (self._sure.sizes > len(values)),
            )
        return self._known[key]


def _flags(values: int, chosen: Places) -> Flags:
    flags = np.zeros(values, dtype=np.bool_)
    flags[chosen] = True
    return flags


@dataclass(frozen=True, slots=True)
class _Sets:
    """Sets of values, one after the other in `all_values`."""

    all_values: Places
    ends: Places
    sizes: Places

    @classmethod
    def of(cls, sets: Sequence[Places]) -> _Sets:
        sizes = np.array([len(each) for each in sets], dtype=np.intp)
        return cls(np.concatenate(sets), np.cumsum(sizes), sizes)

    def counts(self, flags: Flags) -> Places:
        """The number of the flagged values in each set."""
        totals = np.concatenate([[0], np.cumsum(flags[self.all_values])])
        return np.asarray(totals[self.ends] - totals[self.ends - self.sizes], dtype=np.intp)


@dataclass(frozen=True, slots=True)
class _Cases:
    """The values of one label in a class, grouped: those of a case lie within the same classes that came before.

    `signatures`: of each case, these classes as bits.
    """

    values: Places
    case_of: Places
    signatures: tuple[int, ...]

    @classmethod
    def of(cls, attribute: LabelledAttribute, values: Places, before: Places) -> _Cases:
        """The cases of these values; `before`: the label of each class that came before."""
        labels, used = np.unique(before, return_inverse=True)
        inside = np.zeros((len(labels), len(values)), dtype=np.bool_)
        for row, label in enumerate(labels.tolist()):
            inside[row] = _flags(attribute.values, attribute.sure[label])[values]
        _, first, case_of = np.unique(np.packbits(inside, axis=0), axis=1, return_index=True, return_inverse=True)
        patterns = inside[:, first]
        bits = [0] * len(labels)
        for number, row in enumerate(used.tolist()):
            bits[row] |= 1 << number
        signatures = tuple(
            _union(bits[row] for row in np.flatnonzero(patterns[:, case]).tolist()) for case in range(patterns.shape[1])
        )
        return cls(values, np.asarray(case_of, dtype=np.intp).reshape(-1), signatures)

    def values_of(self, cases: int) -> Places:
        """The values of these cases, given as bits."""
        chosen = np.array([bool(cases >> case & 1) for case in range(len(self.signatures))], dtype=np.bool_)
        return self.values[chosen[self.case_of]]


def _union(bits: Iterator[int]) -> int:
    found = 0
    for each in bits:
        found |= each
    return found


class _TooManySteps(Exception):
    """The class is given up."""


class _Search:
    """The cells of a class that no earlier class covers, case by case, attribute after attribute.

    `possible(place, eliminators)` looks at the attributes from `place` on, where `eliminators` are the earlier classes
    that cover all that was chosen of the attributes before.
    """

    def __init__(self, cases: Sequence[_Cases]) -> None:
        self._signatures = [each.signatures for each in cases]
        self._whole = [(1 << len(each.signatures)) - 1 for each in cases]
        # Of the attributes from each place on: the earlier classes that cover all of their cases.
        self._covering = [-1]
        for signatures in reversed(self._signatures):
            covering = self._covering[-1]
            for each in signatures:
                covering &= each
            self._covering.append(covering)
        self._covering.reverse()
        self._steps = 0
        self._found: dict[tuple[int, int], tuple[int, ...] | None] = {}
        self._some: dict[tuple[int, int], bool] = {}

    def possible(self, place: int, eliminators: int) -> tuple[int, ...] | None:
        """The cases of each attribute from `place` on of which a cell is left, as bits; None where no cell is."""
        if not eliminators:
            return tuple(self._whole[place:])
        if eliminators & self._covering[place]:
            return None
        key = place, eliminators
        if key not in self._found:
            self._found[key] = self._possible(place, eliminators)
        return self._found[key]

    def _possible(self, place: int, eliminators: int) -> tuple[int, ...] | None:
        self._step()
        own, rest, whole = 0, [0] * (len(self._whole) - place - 1), self._whole[place + 1 :]
        for remaining, cases in self._grouped(place, eliminators):
            if rest == whole and own:
                own |= cases if self._any(place + 1, remaining) else 0
                continue
            found = self.possible(place + 1, remaining)
            if found is not None:
                own |= cases
                rest = [before | now for before, now in zip(rest, found, strict=True)]
        return (own, *rest) if own else None

    def _any(self, place: int, eliminators: int) -> bool:
        """Whether some cell is left."""
        if not eliminators:
            return True
        if eliminators & self._covering[place]:
            return False
        key = place, eliminators
        if key in self._found:
            return self._found[key] is not None
        if key not in self._some:
            self._step()
            self._some[key] = any(self._any(place + 1, remaining) for remaining, _ in self._grouped(place, eliminators))
        return self._some[key]

    def _grouped(self, place: int, eliminators: int) -> list[tuple[int, int]]:
        """The eliminators that remain, with the cases of an attribute in which they do; those with the fewest first."""
        groups: dict[int, int] = {}
        for case, signature in enumerate(self._signatures[place]):
            remaining = signature & eliminators
            groups[remaining] = groups.get(remaining, 0) | 1 << case
        return sorted(groups.items(), key=lambda group: group[0].bit_count())

    def _step(self) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise _TooManySteps
