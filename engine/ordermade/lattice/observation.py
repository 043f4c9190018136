"""Observations, the figures of measured nodes as table C keeps them, and the requirement on a node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import starmap
from operator import itemgetter, mul
from typing import TypeAlias

Sizes: TypeAlias = tuple[tuple[int, int], ...]
"""A whole histogram of class sizes: (class size, number of classes of that size), ascending."""

LARGEST_SIZE_KEPT = 1_000
"""Of the histograms in table C that were measured before suppression was known; those measured since are whole."""


def mean_risk(by_size: Sizes) -> Fraction:
    """The mean over all units of 1 / the size of a unit's class, from (size, units whose smallest class has it)."""
    return sum((Fraction(units, size) for size, units in by_size), Fraction(0)) / sum(units for _, units in by_size)


@dataclass(frozen=True, slots=True)
class PersonSizes:
    """The sizes of persons' classes, where one person may be in several, to find the persons that a limit suppresses.

    `alone`: (size of the smallest class that a person has a row in, number of such persons), ascending. `fitting`: the
    same where a class that fails the request's models counts as of size 0; None where no models were checked.
    """

    alone: Sizes
    fitting: Sizes | None = None


@dataclass(frozen=True, slots=True)
class SuppressedFigures:
    """The suppressed rows of a node under one requirement, for the losses that price them.

    `rows` suppressed; for each attribute, in order: `leaves`, the sum over them of the hierarchy's leaves under the
    row's class (None where the hierarchy has no such number), and `information`, the sum of n log2 n over the classes
    of that attribute alone, n being the suppressed rows in it.
    """

    rows: int
    leaves: tuple[int | None, ...]
    information: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Observation:
    """One measured node.

    `rows` of the dataset, `divisions` (number of equivalence classes), `k` (rows of the smallest class, 0 for
    an empty dataset), `sum_of_squares` of all class sizes, and `sizes`: (class size, number of classes of
    that size), ascending; empty where they were not read. Where there is an entity column, all of these count persons,
    and a person may be in several classes.

    `failing`: the sizes of the classes that fail the models of the request, whatever k; None where none were checked.
    `keepable`: (units, number of failing classes of which no finer node keeps more), ascending; None where that was not
    measured. `persons`: the sizes of the classes of each person; None where rows are counted, or where they were not
    measured. `suppressed`: the figures of the rows that one requirement suppresses, where a loss needed them.
    """

    rows: int
    divisions: int
    k: int
    sum_of_squares: int
    sizes: Sizes
    failing: Sizes | None = None
    persons: PersonSizes | None = None
    suppressed: SuppressedFigures | None = field(default=None, compare=False)
    keepable: Sizes | None = None
    _held: int = field(init=False, repr=False, compare=False)
    """The rows (or persons, each once a class) of the classes whose sizes are known."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_held", sum(starmap(mul, self.sizes)))

    @classmethod
    def from_histogram(cls, histogram: Iterable[tuple[int, int]], *, units: int | None = None) -> Observation:
        """The observation of a whole histogram of class sizes: pairs (class size, number of classes).

        `units`: the number of persons, where the classes' sizes count persons and do not add up to it.
        """
        pairs = tuple(sorted(histogram))
        units_of_size = list(starmap(mul, pairs))  # without a step in Python for each: a search makes thousands
        sizes, classes = map(itemgetter(0), pairs), map(itemgetter(1), pairs)
        return cls(
            rows=sum(units_of_size) if units is None else units,
            divisions=sum(classes),
            k=pairs[0][0] if pairs else 0,
            sum_of_squares=sum(map(mul, units_of_size, sizes)),
            sizes=pairs,
        )

    def passes(self, k: int) -> bool:
        """True if every class has at least `k` rows. An empty dataset passes nothing."""
        return self.k >= k and self.rows > 0

    @property
    def adds_up(self) -> bool:
        """True if every row (or person) is in exactly one class."""
        return self._held <= self.rows

    def determines_below(self, k: int) -> bool:
        """True if the number of rows (or persons) in classes smaller than `k` is known."""
        if self.persons is not None or k <= self.k:
            return True
        known_below = LARGEST_SIZE_KEPT + 1 if self.sizes else 0
        return self.adds_up and (k <= known_below or self._held == self.rows)

    def below(self, k: int) -> int:
        """The rows (or persons) with a class smaller than `k`: those suppressed with such classes.

        Raises ValueError where that is not known (see `determines_below`).
        """
        if not self.determines_below(k):
            raise ValueError(f"the observation does not determine the rows of classes smaller than {k}")
        if self.persons is not None:
            return sum(persons for size, persons in self.persons.alone if size < k)
        held = 0
        for size, classes in self.sizes:  # ascending: most are not looked at
            if size >= k:
                break
            held += size * classes
        return held

    def k_within(self, most_suppressed: int) -> int:
        """The greatest k that every class has once its smallest ones, `most_suppressed` units at most, are suppressed.

        At least one class stays. Monotone as k is: it never falls when a node is coarsened. For 0 it is k. Raises
        ValueError where the sizes are not known far enough (see `determines_within`).
        """
        if most_suppressed == 0 or not self.divisions:
            return self.k
        held = 0
        by_persons = self.persons is not None
        for size, count in self.sizes if self.persons is None else self.persons.alone:  # ascending
            held += count if by_persons else size * count
            if held > most_suppressed:
                return size
        if not self.determines_within(most_suppressed):
            raise ValueError(f"the observation does not determine k once {most_suppressed} units are suppressed")
        return self.sizes[-1][0]

    def determines_within(self, most_suppressed: int) -> bool:
        """True if `k_within` is known."""
        if most_suppressed == 0 or self.persons is not None:
            return True
        return self.adds_up and (self._held == self.rows or self._held > most_suppressed)

    def most_classes(self, k: int) -> int:
        """The most classes of at least `k` units that this node can have, or any node that is coarser.

        Such a class of a coarser node holds one of this node's, or small ones only: those that fill it.
        """
        small = [(size, classes) for size, classes in self.sizes if size < k]
        filled = sum(size * classes for size, classes in small) // max(k, 1)
        return self.divisions - sum(classes for _, classes in small) + filled

    def agrees_with(self, other: Observation) -> bool:
        """True if two measurements of classes are the same, as far as both have their sizes."""
        mine = (self.rows, self.divisions, self.k, self.sum_of_squares)
        if mine != (other.rows, other.divisions, other.k, other.sum_of_squares):
            return False
        whole = self._held == other._held
        return not whole or self.sizes == other.sizes


@dataclass(frozen=True, slots=True)
class ReleasedFigures:
    """The released part of a measured node, and the rest.

    `classes` released, their `units` (rows, or persons), the sum of the squares of their sizes; units `suppressed`.
    """

    classes: int
    units: int
    sum_of_squares: int
    suppressed: int


@dataclass(frozen=True, slots=True)
class Requirement:
    """The requirement that a node must meet to be released.

    `k`: the least size of a released class. `most_suppressed`: units (rows, or persons) that may be suppressed at most.
    `models`: whether classes must satisfy models of sensitive attributes besides. `monotone`: whether a node that is
    coarser than a passing one always passes. `persons`: whether units are persons, whose classes may overlap.
    `average_risk`: the most that released classes / released units may be, None where it is not bounded. Raises
    ValueError for one under a limit that is said to be monotone: coarser classes may be released in greater number.

    A person counts as suppressed who has a row in a suppressed class, whatever other rows they have.
    """

    k: int
    most_suppressed: int = 0
    models: bool = False
    monotone: bool = True
    persons: bool = False
    average_risk: Fraction | None = None

    def __post_init__(self) -> None:
        if self.average_risk is not None and self.most_suppressed and self.monotone:
            raise ValueError("an average risk under a limit is not monotone")

    @property
    def k_alone(self) -> bool:
        """True if passing means nothing but k under the limit."""
        return not self.models and self.average_risk is None

    def decides(self, observation: Observation) -> bool:
        """True if an observation determines whether its node passes: it may lack figures, made for another purpose."""
        if self.models and observation.failing is None:
            return False
        if self.most_suppressed == 0:
            return True
        if not observation.determines_below(self.k):
            return False
        if observation.adds_up or not (self.models and observation.failing):
            return True
        return observation.persons is not None and observation.persons.fitting is not None

    def passes(self, observation: Observation) -> bool:
        """True if the node passes; an empty release never does. Raises ValueError unless this `decides` it."""
        if not self.decides(observation):
            raise ValueError("the observation does not decide the requirement")
        if self.most_suppressed == 0 and (observation.k < self.k or (self.models and observation.failing)):
            return False
        released = self.released(observation)
        if released.classes == 0 or released.suppressed > self.most_suppressed:
            return False
        return self.average_risk is None or released.classes <= self.average_risk * released.units

    def rules_out(self, observation: Observation) -> bool:
        """True if this node and every node that refines it fail.

        They do where k alone fails under the limit, whatever the models say, where models fail that are monotone, and
        where even what finer nodes can keep of failing classes leaves too much to suppress.
        """
        if observation.determines_within(self.most_suppressed) and observation.k_within(self.most_suppressed) < self.k:
            return True
        if self.monotone:
            return self.decides(observation) and not self.passes(observation)
        least = self.least_suppressed(observation)
        return least > self.most_suppressed or (not self.persons and 0 < observation.rows <= least)

    def least_suppressed(self, observation: Observation) -> int:
        """The least units that are suppressed at this node and at every one that refines it; 0 where none are known.

        The units of classes below k stay in such classes. Of a class that fails a model, finer nodes suppress what they
        cannot keep; and if they cannot keep k units of it, all of them.
        """
        if not observation.determines_below(self.k):
            return 0
        least = observation.below(self.k)
        if self.models and not self.persons and observation.failing is not None and observation.keepable is not None:
            least += sum(size * classes for size, classes in observation.failing if size >= self.k)
            least -= sum(units * classes for units, classes in observation.keepable if units >= self.k)
        return least

    def admits(self, observation: Observation) -> bool:
        """True if this node and every node that is coarser pass."""
        return self.monotone and self.decides(observation) and self.passes(observation)

    def released(self, observation: Observation) -> ReleasedFigures:
        """The released part of a node: its classes of at least k that fail no model."""
        suppressed = self.suppressed_sizes(observation)
        units = self.suppressed(observation)
        return ReleasedFigures(
            classes=observation.divisions - sum(classes for _, classes in suppressed),
            units=observation.rows - units,
            sum_of_squares=observation.sum_of_squares - sum(size * size * classes for size, classes in suppressed),
            suppressed=units,
        )

    def suppressed(self, observation: Observation) -> int:
        """The units suppressed at a node: where persons are counted, those with a row in a suppressed class."""
        suppressed = self.suppressed_sizes(observation)
        if not suppressed:
            return 0
        persons = observation.persons
        if persons is None or observation.adds_up:
            return sum(size * classes for size, classes in suppressed)
        by_least_size = persons.fitting if self.models and persons.fitting is not None else persons.alone
        return sum(count for size, count in by_least_size if size < self.k)

    def suppressed_sizes(self, observation: Observation) -> Sizes:
        """The sizes of the suppressed classes: those below k, and those of at least k that fail a model."""
        below = [(size, classes) for size, classes in observation.sizes if size < self.k]
        failing = observation.failing or () if self.models else ()
        return (*below, *((size, classes) for size, classes in failing if size >= self.k))

    def released_k(self, observation: Observation) -> int:
        """The size of the smallest class that is released; 0 where none is."""
        left = Counter(dict(observation.sizes))
        left.subtract(dict(self.suppressed_sizes(observation)))
        return min((size for size, classes in left.items() if classes > 0), default=0)

    def suppressed_figures(self, observation: Observation, attributes: int) -> SuppressedFigures | None:
        """The figures of the suppressed rows, all 0 where there are none; None where they were not measured."""
        if not self.suppressed_sizes(observation):
            return SuppressedFigures(0, (0,) * attributes, (0.0,) * attributes)
        return observation.suppressed
