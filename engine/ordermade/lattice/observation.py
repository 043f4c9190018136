"""Observations: the figures of measured nodes, as table C keeps them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

Sizes: TypeAlias = tuple[tuple[int, int], ...]
"""A whole histogram of class sizes: (class size, number of classes of that size), ascending."""

LARGEST_SIZE_KEPT = 1_000
"""Of the histograms in table C that were measured before suppression was known; those measured since are whole."""


@dataclass(frozen=True, slots=True)
class PersonSizes:
    """The sizes of persons' classes, where one person may be in several, to find the persons that a limit suppresses.

    `alone`: (size of the smallest class that a person has a row in, number of such persons), ascending. `fitting`: the
    same where a class that fails the request's models counts as of size 0; None where no models were checked.
    """

    alone: Sizes
    fitting: Sizes | None = None


@dataclass(frozen=True, slots=True)
class Suppressed:
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
    suppressed: Suppressed | None = field(default=None, compare=False)
    keepable: Sizes | None = None
    _held: int = field(init=False, repr=False, compare=False)
    """The rows (or persons, each once a class) of the classes whose sizes are known."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_held", sum(size * classes for size, classes in self.sizes))

    @classmethod
    def from_histogram(cls, histogram: Iterable[tuple[int, int]], *, units: int | None = None) -> Observation:
        """The observation of a whole histogram of class sizes: pairs (class size, number of classes).

        `units`: the number of persons, where the classes' sizes count persons and do not add up to it.
        """
        pairs = sorted(histogram)
        return cls(
            rows=sum(size * classes for size, classes in pairs) if units is None else units,
            divisions=sum(classes for _, classes in pairs),
            k=pairs[0][0] if pairs else 0,
            sum_of_squares=sum(size * size * classes for size, classes in pairs),
            sizes=tuple(pairs),
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
