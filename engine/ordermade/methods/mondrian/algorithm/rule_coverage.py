"""The service of a partition by a rule, and the upper bound of it for any partition.

A cell is the released label of a group: of each attribute a class of a hierarchy, an interval, a set of values or one
number. Assume records uniform within a cell and attributes independent: then the share of a cell inside a rule is the
product of the shares of the attributes in its conditions. A rule serves a group if at least half of its cell is inside.

Bounds follow from the accepted classes and the records in them. A group that is served lies in one class of each
attribute with a hierarchy, at least half of which the rule means, and in an interval of each other one that reaches
out of the rule by no more than the rule is long; and it is of k or more. Where that cannot be, no partition serves it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordermade.methods.mondrian.algorithm.check import counted as counts_of
from ordermade.methods.mondrian.algorithm.domains import Codes, Domain, Nested, Shares
from ordermade.methods.mondrian.algorithm.partition import Partition
from ordermade.methods.mondrian.algorithm.rules import Guide, NestedReach, OrderedReach, Reach, ValuesReach

MAX_COMBINATIONS = 4_096
"""The most combinations of levels to examine; of more, only the records near the rule are known."""
_SLACK = 1e-9
"""Ends are widened by this share of the interval, because they are computed from rounded numbers."""


@dataclass(frozen=True, slots=True)
class CoverageLimits:
    """Bounds on how well one rule can be served.

    `meant`: the records, or persons, that it means. `shares[attribute]`: the most that lies inside of any class that is
    accepted, 1 where nothing is known. `crowded`: whether k or more, somebody whom it means among them, live in some
    combination of classes and intervals that is at least half inside, as far as is known.
    """

    meant: int
    shares: tuple[float, ...]
    crowded: bool

    @property
    def together(self) -> float:
        """The most of a cell that can lie inside."""
        return math.prod(self.shares)


def limits(
    guide: Guide,
    rule: int,
    domains: Sequence[Domain],
    codes: Codes,
    k: int,
    *,
    persons: Codes | None = None,
    weights: Whole | None = None,
    intervals: bool = True,
) -> CoverageLimits:
    """The limits of a rule over records with these codes, a row a record, whose attributes have these domains.

    `persons`: the number of each record's person, from 0, where persons are counted. `weights`: the rows that each
    record stands for, one without them. Without `intervals` attributes that are cut are released as sets or single
    numbers, which bounds nothing.
    """
    means = meant(guide, rule, codes)
    if persons is not None:
        means = of_persons(means, persons)[persons]  # whom a rule means by one record is served by any that is
    shares = [1.0] * len(domains)
    near = np.ones(codes.shape[0], dtype=np.bool_)
    classed: list[_Classed] = []
    for place in np.flatnonzero(guide.asks[rule]).tolist():
        reach, domain, column = guide.reaches[place], domains[place], codes[:, place]
        if isinstance(reach, NestedReach) and isinstance(domain, Nested):
            classed.append(_Classed.of(reach, rule, domain, column))
            shares[place] = classed[-1].most
        elif isinstance(reach, OrderedReach) and intervals:
            near &= _near(reach, rule)[column]
    for each in classed:
        near &= each.half_inside
    living = _Living(means, persons, weights)
    return CoverageLimits(living.count(means), tuple(shares), _crowded(classed, np.flatnonzero(near), living, k))


@dataclass(frozen=True, slots=True, eq=False)
class _Level:
    """The class of each value, or of each of some records, at a level; the share of each class inside the rule."""

    classes: Codes
    inside: Shares


@dataclass(frozen=True, slots=True, eq=False)
class _Classed:
    """An attribute with a hierarchy: the value of each record, and the levels that are accepted."""

    column: Codes
    levels: tuple[_Level, ...]

    @classmethod
    def of(cls, reach: NestedReach, rule: int, domain: Nested, column: Codes) -> _Classed:
        accepted = range(domain.finest, domain.top + 1)
        everything = np.zeros(domain.classes.shape[1], dtype=np.int32)
        levels = (
            _Level(domain.classes[level] if level < domain.top else everything, reach.inside[level][rule])
            for level in accepted
        )
        return cls(column, tuple(levels))

    @property
    def most(self) -> float:
        """The most of a class that lies inside the rule."""
        return max(float(level.inside.max(initial=0.0)) for level in self.levels)

    @property
    def half_inside(self) -> Flags:
        """Whether a record is in a class of some level that lies at least half inside."""
        values: Flags = np.any([_is_half(level.inside)[level.classes] for level in self.levels], axis=0)
        return values[self.column]

    def serving(self, rows: NDArray[np.intp]) -> tuple[_Level, ...]:
        """The levels with a class that lies at least half inside, for some records."""
        values, levels = self.column[rows], (level for level in self.levels if _is_half(level.inside).any())
        return tuple(_Level(level.classes[values], level.inside) for level in levels)


@dataclass(frozen=True, slots=True, eq=False)
class _Living:
    """Whether each record, or its person, is meant; and how records are counted: their rows, or their persons once."""

    means: Flags
    persons: Codes | None
    weights: Whole | None

    def count(self, flags: Flags) -> int:
        """The number of rows with the flag, or of persons with such a row."""
        return counted(flags, self.weights) if self.persons is None else counted(of_persons(flags, self.persons), None)

    def most_together(self, rows: NDArray[np.intp], boxes: NDArray[np.int64]) -> int:
        """The rows or persons in the fullest of the boxes with somebody meant; `boxes`: of each record of `rows`."""
        if self.persons is None:
            counts = counts_of(
                boxes, int(boxes.max(initial=-1)) + 1, None if self.weights is None else self.weights[rows]
            )
        else:
            people = int(self.persons.max()) + 1
            counts = np.bincount(np.unique(boxes * people + self.persons[rows]) // people)
        with_meant = np.unique(boxes[self.means[rows]])
        return int(counts[with_meant].max(initial=0))


def _is_half(shares: Shares) -> Flags:
    found: Flags = shares >= LEAST - TOLERANCE
    return found


def _near(reach: OrderedReach, rule: int) -> Flags:
    """The values of an interval that lies at least half inside: it is at most as long outside as inside."""
    low, high = max(reach.low[rule], reach.points[0]), min(reach.high[rule], reach.points[-1])
    if reach.step:
        low, high = np.ceil(low), np.floor(high)
    length = (high - low + reach.step) * (1 + _SLACK)
    found: Flags = (reach.points >= low - length) & (reach.points <= high + length)
    return found


def _crowded(classed: Sequence[_Classed], rows: NDArray[np.intp], living: _Living, k: int) -> bool:
    """Whether k or more of the rows live in one combination of classes that is at least half inside."""
    boxes = np.zeros(rows.size, dtype=np.int64)
    if not rows.size or living.most_together(rows, boxes) < k:
        return False
    choices = [each.serving(rows) for each in classed]
    if math.prod(map(len, choices)) > MAX_COMBINATIONS:
        return True
    return any(_most_in_a_box(chosen, rows, living) >= k for chosen in itertools.product(*choices))


def _most_in_a_box(levels: Sequence[_Level], rows: NDArray[np.intp], living: _Living) -> int:
    """The rows (or persons) in the fullest combination of their classes that is at least half inside."""
    boxes, shares = np.zeros(rows.size, dtype=np.int64), np.ones(rows.size)
    for level in levels:
        shares *= level.inside[level.classes]
        boxes = np.unique(boxes * level.inside.size + level.classes, return_inverse=True)[1]
    half = _is_half(shares)
    return living.most_together(rows[half], boxes[half])


LEAST = 0.5
"""The share of a cell that must lie inside a rule."""
TOLERANCE = 1e-12
"""Products of shares are off by rounding."""

Flags: TypeAlias = NDArray[np.bool_]
Whole: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ClassCells:
    """A class of a hierarchy for each group: its level (the greatest is `*`) and its number at that level."""

    levels: NDArray[np.int8]
    classes: Codes

    def __len__(self) -> int:
        return self.classes.size


@dataclass(frozen=True, slots=True, eq=False)
class SpanCells:
    """An interval for each group, from the value `low` to the value `high`."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def __len__(self) -> int:
        return self.low.size


@dataclass(frozen=True, slots=True, eq=False)
class SetCells:
    """A set of values for each group: group g has the values `codes[starts[g]:starts[g + 1]]`, each once."""

    starts: NDArray[np.int64]
    codes: Codes

    def __len__(self) -> int:
        return self.starts.size - 1


Cells: TypeAlias = ClassCells | SpanCells | SetCells
"""The released labels of one attribute. One number is a span from itself to itself."""


@dataclass(frozen=True, slots=True)
class Reached:
    """Counts of records, or persons, by one rule: those it means, those served, and those who are both."""

    meant: int
    served: int
    both: int

    @property
    def recall(self) -> float | None:
        """The share served of those whom the rule means; None where it means nobody."""
        return self.both / self.meant if self.meant else None

    @property
    def precision(self) -> float | None:
        """The share, of those served, that the rule means; None where nobody is served."""
        return self.both / self.served if self.served else None


def meant(guide: Guide, rule: int, codes: Codes) -> Flags:
    """Whether a rule means each record. `codes`: a row a record, a column an attribute."""
    found = np.ones(codes.shape[0], dtype=np.bool_)
    for reach, asks, column in zip(guide.reaches, guide.asks[rule], codes.T, strict=True):
        if asks:
            found &= _values_meant(reach, rule, column)
    return found


def cells_of(
    guide: Guide,
    codes: Codes,
    partition: Partition,
    classes: Sequence[Codes],
    *,
    sets: bool = False,
    numbers: Mapping[int, NDArray[np.float64]] | None = None,
) -> tuple[Cells, ...]:
    """The released cells of each attribute, one for each group of a partition of records with these codes.

    `classes[attribute]`: of one with a hierarchy the class of each value at each level below `*` (`Nested.classes`);
    others are not looked at. With `sets` numbers and dates that are cut are released as sets of their values, else as
    intervals, except the attributes (by their place) in `numbers`: of each group one number, in the unit of the points.
    """
    numbers = numbers or {}
    of_groups = codes[partition.order]
    found: list[Cells] = []
    for place, reach in enumerate(guide.reaches):
        column = of_groups[:, place]
        if isinstance(reach, NestedReach):
            first = column[partition.starts[:-1]]
            found.append(_classes(classes[place], first, partition.levels[:, place]))
        elif place in numbers:
            found.append(SpanCells(numbers[place], numbers[place]))
        elif isinstance(reach, OrderedReach) and not sets:
            least, greatest = (end.reduceat(column, partition.starts[:-1]) for end in (np.minimum, np.maximum))
            found.append(SpanCells(reach.points[least], reach.points[greatest]))
        else:
            found.append(SetCells(*partition.present(codes[:, place])))
    return tuple(found)


def inside(guide: Guide, rule: int, cells: Sequence[Cells]) -> Shares:
    """The share of each group's cell that lies inside a rule, from 0 to 1: a product over the rule's conditions."""
    found: Shares = np.ones(len(cells[0]))
    for reach, each, asks in zip(guide.reaches, cells, guide.asks[rule], strict=True):
        if asks:
            found *= _share(reach, rule, each)
    return found


def served(guide: Guide, rule: int, cells: Sequence[Cells]) -> Flags:
    """Whether each group is served by a rule: at least half of its cell lies inside."""
    found: Flags = inside(guide, rule, cells) >= LEAST - TOLERANCE
    return found


def quality(
    guide: Guide, codes: Codes, partition: Partition, cells: Sequence[Cells], persons: Codes | None = None
) -> tuple[Reached, ...]:
    """The service by each rule: the rows that it means, and those that the cells serve.

    `persons`: the number of each record's person, from 0; then persons are counted, each once: one is meant, or served,
    by any record that is. (Before records are in groups each is a cell of its own, and whom a rule means is served.)
    """
    labels = partition.labels
    found = []
    for rule in range(guide.weights.size):
        means, serves = meant(guide, rule, codes), served(guide, rule, cells)[labels]
        if persons is not None:
            means, serves = (of_persons(flags, persons) for flags in (means, serves))
        weights = partition.weights if persons is None else None
        found.append(Reached(*(counted(each, weights) for each in (means, serves, means & serves))))
    return tuple(found)


def counted(flags: Flags, weights: Whole | None) -> int:
    """The number of records with the flag, or of their rows; `weights`: the rows of each."""
    return int(np.count_nonzero(flags) if weights is None else weights[flags].sum())


def of_persons(flags: Flags, persons: Codes) -> Flags:
    """Whether any record of each person has the flag. `persons`: the number of each record's person, from 0."""
    found = np.zeros(int(persons.max(initial=-1)) + 1, dtype=np.bool_)
    found[persons[flags]] = True
    return found


def _values_meant(reach: Reach, rule: int, codes: Codes) -> Flags:
    if isinstance(reach, OrderedReach):
        found: Flags = (codes >= reach.first[rule]) & (codes <= reach.last[rule])
    else:
        found = reach.means[rule][codes]
    return found


def _classes(classes: Codes, first: Codes, levels: NDArray[np.int8]) -> ClassCells:
    """The classes of each group's first value, at the level of the group."""
    found = np.zeros(first.size, dtype=np.int32)
    below = np.flatnonzero(levels < classes.shape[0])
    found[below] = classes[levels[below], first[below]]
    return ClassCells(levels, found)


def _share(reach: Reach, rule: int, cells: Cells) -> Shares:
    """The share of each cell of one attribute that lies inside a rule."""
    match reach, cells:
        case NestedReach(), ClassCells():
            found: Shares = np.empty(cells.classes.size)
            for level, shares in enumerate(reach.inside):
                at = cells.levels == level
                found[at] = shares[rule, cells.classes[at]]
            return found
        case OrderedReach(), SpanCells():
            found = _overlap(cells, reach.low[rule], reach.high[rule], reach.step)
        case ((OrderedReach() | ValuesReach()), SetCells()):
            means = _values_meant(reach, rule, cells.codes)
            found = np.add.reduceat(means.astype(np.float64), cells.starts[:-1]) / np.diff(cells.starts)
        case _:
            raise TypeError(f"{type(cells).__name__} do not fit a {type(reach).__name__}")
    return found


def _overlap(cells: SpanCells, low: np.float64, high: np.float64, step: float) -> Shares:
    """The share of intervals between values that lies from `low` to `high`: counted in steps, or by length."""
    is_point = cells.low == cells.high
    is_in: Flags = (cells.low >= low) & (cells.high <= high)
    if step:
        low, high = np.ceil(low), np.floor(high)
    common = np.minimum(cells.high, high) - np.maximum(cells.low, low) + step
    whole = np.where(is_point, 1.0, cells.high - cells.low + step)
    found: Shares = np.where(is_point, is_in, np.maximum(common, 0.0) / whole)
    return found
