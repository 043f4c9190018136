"""The figures of a table measured as it is: its classes, sensitive columns and risks. Pure: counts in, figures out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from ordermade.display.cards import Card, Carded, Grid
from ordermade.lattice.observation import Observation, Sizes, mean_risk

BELOW = (2, 3, 5, 10, 20, 50, 100)
"""The sizes below which classes are counted by default."""

THRESHOLDS = (Fraction(1, 20), Fraction(1, 5))
"""Risks of one record that are called low and high: classes of 20, and of 5."""

PERCENTILES = (5, 25, 50, 75, 95)


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """A column that was measured: its SQL type (an ENUM without its labels), different values (NULL is one), NULLs."""

    name: str
    type: str
    values: int
    nulls: int


@dataclass(frozen=True, slots=True)
class SensitiveFigures:
    """The protection of a sensitive column: the worst class of each model.

    `distinct_l`: the fewest different values in a class; `entropy_l`: e to the least entropy; `recursive_c`: for each l
    from 2 to `distinct_l` the c that must be exceeded; `t_equal`, `t_ordered` (None where the column has no order): the
    greatest distance from the whole table; `alpha`: the greatest share of one value; `beta_basic`, `beta_enhanced`
    (None where no beta will do), `delta` (over the values that occur in a class).
    """

    column: ColumnFacts
    distinct_l: int
    entropy_l: float
    recursive_c: tuple[tuple[int, float], ...]
    t_equal: float
    t_ordered: float | None
    alpha: float
    beta_basic: float
    beta_enhanced: float | None
    delta: float

    @property
    def t(self) -> float:
        """The distance that fits the column: ordered where it has an order, else equal."""
        return self.t_equal if self.t_ordered is None else self.t_ordered


@dataclass(frozen=True, slots=True)
class Below:
    """The classes smaller than `k`, the units in them, and the share of all units that these are."""

    k: int
    classes: int
    units: int
    share: float


@dataclass(frozen=True, slots=True)
class Risks:
    """The risk of a unit is sampling fraction / size of its class (of its smallest, where a person has several).

    `highest` and `average` over all units; `above`: (threshold, share of units whose risk is greater); `percentiles`:
    (percent, the risk that so many percent of the units do not exceed).
    """

    highest: Fraction
    average: Fraction
    above: tuple[tuple[Fraction, float], ...]
    percentiles: tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True, slots=True, repr=False)
class MeasuredTable(Carded):
    """A table measured as it is. Its units are rows, or persons where there is an `entity` column.

    `name` as the user wrote it, `filter` the row filter in its one spelling (None: every row). Counts below `least_k`
    are not shown by its `repr`, in a notebook and on the command line; the fields have them.
    """

    name: str
    filter: str | None
    rows: int
    entity: str | None
    quasi_identifiers: tuple[ColumnFacts, ...]
    classes: Observation
    sensitive: tuple[SensitiveFigures, ...]
    least_k: int = 0

    @property
    def unit(self) -> str:
        """`rows` or `persons`."""
        return "rows" if self.entity is None else "persons"

    @property
    def units(self) -> int:
        """The number of rows, or of persons."""
        return self.classes.rows

    @property
    def k(self) -> int:
        """The units of the smallest class."""
        return self.classes.k

    @property
    def largest_class(self) -> int:
        """The units of the largest class."""
        return self.classes.sizes[-1][0]

    @property
    def classes_of_one(self) -> int:
        """The classes of one unit: those that are unique."""
        return sum(classes for size, classes in self.classes.sizes if size == 1)

    @property
    def average_class(self) -> float:
        """The mean size of a class."""
        return sum(size * classes for size, classes in self.classes.sizes) / self.classes.divisions

    @property
    def units_by_size(self) -> Sizes:
        """(size, units whose class, or smallest class, is of that size), ascending."""
        persons = self.classes.persons
        if persons is not None:
            return persons.alone
        return tuple((size, size * classes) for size, classes in self.classes.sizes)

    def below(self, sizes: Sequence[int] = BELOW) -> tuple[Below, ...]:
        """Count the units in classes smaller than each of `sizes`."""
        return tuple(self._below(k) for k in sizes)

    def risks(self, sampling_fraction: Fraction = Fraction(1)) -> Risks:
        """The risks of one who knows that a person is in the table; with a sampling fraction, of one who does not."""
        by_size = self.units_by_size
        return Risks(
            highest=sampling_fraction / self.k,
            average=sampling_fraction * mean_risk(by_size),
            above=tuple(
                (each, sum(units for size, units in by_size if sampling_fraction > each * size) / self.units)
                for each in THRESHOLDS
            ),
            percentiles=tuple((each, sampling_fraction / self._size_at(100 - each)) for each in PERCENTILES),
        )

    def marketer(self, sampling_fraction: Fraction = Fraction(1)) -> Fraction:
        """The share of units that one who links as many as possible is expected to link rightly."""
        return sampling_fraction * mean_risk(self.units_by_size)

    def _card(self) -> Card:
        from ordermade.measuring import table_words as words  # the words are of these figures

        whole = Fraction(1)
        return Card.of(
            f"MeasuredTable: k = {words.smallest_class(self)}",
            words.facts(self),
            Grid(words.sensitive_headings(self), words.sensitive_rows(self), "Sensitive columns:"),
            Grid(words.risk_headings(whole), words.risk_rows(self, whole), words.risk_title(self, whole)),
            Grid(words.BELOW_HEADINGS, words.below_rows(self), words.below_title(self)),
        )

    def _below(self, k: int) -> Below:
        classes = sum(classes for size, classes in self.classes.sizes if size < k)
        units = sum(units for size, units in self.units_by_size if size < k)
        return Below(k, classes, units, units / self.units)

    def _size_at(self, percent: int) -> int:
        """The least class size that more than `percent` percent of the units are in, or in a smaller one.

        The risk falls as the size grows: so many percent of the units have a greater risk at most.
        """
        held = accumulate(units for _, units in self.units_by_size)
        sizes = [size for size, _ in self.units_by_size]
        reached = (size for size, units in zip(sizes, held, strict=True) if 100 * units > percent * self.units)
        return next(reached, sizes[-1])
