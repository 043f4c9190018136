"""The requirement on a node: k, the suppression limit, the models of sensitive attributes, and the average risk."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from ordermade.lattice.observation import Observation, Sizes, Suppressed


@dataclass(frozen=True, slots=True)
class Released:
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

    def released(self, observation: Observation) -> Released:
        """The released part of a node: its classes of at least k that fail no model."""
        suppressed = self.suppressed_sizes(observation)
        units = self.suppressed(observation)
        return Released(
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

    def suppressed_figures(self, observation: Observation, attributes: int) -> Suppressed | None:
        """The figures of the suppressed rows, all 0 where there are none; None where they were not measured."""
        if not self.suppressed_sizes(observation):
            return Suppressed(0, (0,) * attributes, (0.0,) * attributes)
        return observation.suppressed
