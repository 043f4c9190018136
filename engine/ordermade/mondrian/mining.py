"""Association rules "classes of attributes -> value of a target", mined from counts, and k-anonymous themselves.

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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ordermade.mondrian.domains import Codes
from ordermade.mondrian.frequent import TOLERANCE, Choices, Combinations, Frequent, Node, Thresholds, Whole, frequent
from ordermade.mondrian.ladders import classes_above

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
        """How many times as often those who meet the conditions have the value as everybody has."""
        return (self.both * self.everybody) / (self.meeting * self.having)


def mined(
    counted: Combinations, attributes: Sequence[Sequence[Codes]], thresholds: Thresholds
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


def _rules_of(node: Node, found: Frequent, thresholds: Thresholds) -> Iterator[MinedRule]:
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


def _worth(node: Node, kept: Whole, general: Sequence[tuple[int, int] | None], found: Frequent) -> NDArray[np.bool_]:
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
