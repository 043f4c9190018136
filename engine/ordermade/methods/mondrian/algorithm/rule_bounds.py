"""Upper bounds on how well any partition can serve a rule, from the accepted classes and the records in them.

Everything here is an upper bound. A group that is served lies in one class of each attribute with a hierarchy, at least
half of which the rule means, and in an interval of each other one that reaches out of the rule by no more than the rule
is long; and it is of k or more. Where that cannot be, no partition serves the rule.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ordermade.methods.mondrian.algorithm.domains import Codes, Domain, Nested, Shares
from ordermade.methods.mondrian.algorithm.rule_coverage import LEAST, TOLERANCE, Flags, meant, of_persons
from ordermade.methods.mondrian.algorithm.rules import Guide, NestedReach, OrderedReach

MOST_COMBINATIONS = 4_096
"""The most combinations of levels to examine; of more, only the records near the rule are known."""
_SLACK = 1e-9
"""Ends are widened by this share of the interval, because they are computed from rounded numbers."""


@dataclass(frozen=True, slots=True)
class Limits:
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
    intervals: bool = True,
) -> Limits:
    """The limits of a rule over records with these codes, a row a record, whose attributes have these domains.

    `persons`: the number of each record's person, from 0, where persons are counted. Without `intervals` attributes
    that are cut are released as sets or single numbers, which bounds nothing.
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
    living = _Living(means, persons)
    return Limits(living.count(means), tuple(shares), _crowded(classed, np.flatnonzero(near), living, k))


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
    """Whether each record, or its person, is meant; and how records are counted: each, or their persons once."""

    means: Flags
    persons: Codes | None

    def count(self, flags: Flags) -> int:
        """How many records have the flag, or persons have a record that does."""
        return int(np.count_nonzero(flags if self.persons is None else of_persons(flags, self.persons)))

    def most_together(self, rows: NDArray[np.intp], boxes: NDArray[np.int64]) -> int:
        """How many records or persons live in the fullest of the boxes with somebody meant; `boxes`: of each row."""
        if self.persons is None:
            counts = np.bincount(boxes)
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
    if math.prod(map(len, choices)) > MOST_COMBINATIONS:
        return True
    return any(_most_in_a_box(chosen, rows, living) >= k for chosen in itertools.product(*choices))


def _most_in_a_box(levels: Sequence[_Level], rows: NDArray[np.intp], living: _Living) -> int:
    """How many of the rows live in the fullest combination of their classes that is at least half inside."""
    boxes, shares = np.zeros(rows.size, dtype=np.int64), np.ones(rows.size)
    for level in levels:
        shares *= level.inside[level.classes]
        boxes = np.unique(boxes * level.inside.size + level.classes, return_inverse=True)[1]
    half = _is_half(shares)
    return living.most_together(rows[half], boxes[half])
