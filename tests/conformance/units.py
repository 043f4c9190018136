"""Units, models and suppressed rows of a table, counted row by row in Python."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ordermade.lattice.observation import Observation, PersonSizes, Requirement, Sizes

Row = tuple[Any, ...]
Distribution = Mapping[Any, int]
Fails = Callable[[Distribution, Distribution, int], bool]
"""Whether a class with this distribution, in a dataset with that one, and of so many units, fails a model."""


@dataclass(frozen=True)
class Table:
    """Rows with their class at one node, their person (the row itself where a row is one) and sensitive values."""

    rows: Sequence[tuple[Hashable, Hashable, Sequence[Any]]]

    @property
    def units(self) -> int:
        return len({person for _, person, _ in self.rows})

    def classes(self) -> dict[Hashable, set[Hashable]]:
        """The persons of each class."""
        found: defaultdict[Hashable, set[Hashable]] = defaultdict(set)
        for at, person, _ in self.rows:
            found[at].add(person)
        return found

    def values(self, place: int) -> Distribution:
        """How many units have each value."""
        pairs = {(person, values[place]) for _, person, values in self.rows}
        return Counter(value for _, value in pairs)

    def parts(self, place: int) -> Mapping[Hashable, Distribution]:
        """How many units of each class have each value."""
        found: defaultdict[Hashable, Counter[Any]] = defaultdict(Counter)
        for at, _, value in {(at, person, values[place]) for at, person, values in self.rows}:
            found[at][value] += 1
        return found

    def failing(self, models: Sequence[tuple[int, Fails]]) -> set[Hashable]:
        """The classes that fail one of the models, each of the sensitive value of a place."""
        persons = self.classes()
        found: set[Hashable] = set()
        for place, fails in models:
            whole, parts = self.values(place), self.parts(place)
            found |= {at for at in persons if fails(parts[at], whole, len(persons[at]))}
        return found

    def observed(self, models: Sequence[tuple[int, Fails]] = (), *, least: bool = False) -> Observation:
        """What measuring the node should give."""
        sizes = {at: len(persons) for at, persons in self.classes().items()}
        failing = self.failing(models)
        whole = Observation.from_histogram(Counter(sizes.values()).items(), units=self.units)
        return Observation(
            whole.rows,
            whole.divisions,
            whole.k,
            whole.sum_of_squares,
            whole.sizes,
            failing=_histogram(sizes[at] for at in failing) if models else None,
            persons=self._persons(sizes, failing, bool(models)) if least else None,
        )

    def _persons(self, sizes: Mapping[Hashable, int], failing: set[Hashable], models: bool) -> PersonSizes:
        alone: dict[Hashable, int] = {}
        fitting: dict[Hashable, int] = {}
        for at, person, _ in self.rows:
            alone[person] = min(sizes[at], alone.get(person, sizes[at]))
            fits = 0 if at in failing else sizes[at]
            fitting[person] = min(fits, fitting.get(person, fits))
        return PersonSizes(_histogram(alone.values()), _histogram(fitting.values()) if models else None)

    def suppressed(self, requirement: Requirement, models: Sequence[tuple[int, Fails]]) -> list[int]:
        """The places of the suppressed rows."""
        sizes = {at: len(persons) for at, persons in self.classes().items()}
        failing = self.failing(models)
        return [place for place, (at, _, _) in enumerate(self.rows) if sizes[at] < requirement.k or at in failing]


def distinct_l(least: int) -> Fails:
    return lambda part, _, __: len(part) < least


def distinct_l_of_values(least: int) -> Fails:
    return lambda part, _, __: len(set(part) - {None}) < least


def alpha(share: Fraction) -> Fails:
    return lambda part, _, units: max(part.values()) > share * units


def entropy_l(least: Fraction) -> Fails:
    def fails(part: Distribution, _: Distribution, __: int) -> bool:
        total = sum(part.values())
        entropy = -sum(n / total * math.log(n / total) for n in part.values())
        return entropy < math.log(least) - 1e-9

    return fails


def t_equal(t: Fraction) -> Fails:
    def fails(part: Distribution, whole: Distribution, _: int) -> bool:
        size, total = sum(part.values()), sum(whole.values())
        apart = sum(abs(Fraction(part.get(value, 0), size) - Fraction(n, total)) for value, n in whole.items())
        return apart / 2 > t

    return fails


def t_ordered(t: Fraction, order: Callable[[Any], Any]) -> Fails:
    def fails(part: Distribution, whole: Distribution, _: int) -> bool:
        size, total = sum(part.values()), sum(whole.values())
        moved = apart = Fraction(0)
        for value in sorted(whole, key=order):
            moved += Fraction(part.get(value, 0), size) - Fraction(whole[value], total)
            apart += abs(moved)
        return len(whole) > 1 and apart / (len(whole) - 1) > t

    return fails


def t_hierarchical(t: Fraction, levels: Sequence[Callable[[Any], Any]]) -> Fails:
    def fails(part: Distribution, whole: Distribution, units: int) -> bool:
        apart = Fraction(0)
        for to in levels:
            here, all_of_it = Counter[Any](), Counter[Any]()
            for value, n in part.items():
                here[to(value)] += n
            for value, n in whole.items():
                all_of_it[to(value)] += n
            size, total = sum(here.values()), sum(all_of_it.values())
            apart += sum(abs(Fraction(here[each], size) - Fraction(n, total)) for each, n in all_of_it.items()) / 2
        return apart / len(levels) > t

    return fails


def _histogram(sizes: Any) -> Sizes:
    return tuple(sorted(Counter(sizes).items()))
