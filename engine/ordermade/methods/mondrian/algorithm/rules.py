"""Rules of a guide as compiled code reads them: classes that meet a rule, one bit a rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordermade.methods.mondrian.algorithm.domains import Codes, Numbers, Shares


@dataclass(frozen=True, slots=True, eq=False)
class NestedReach:
    """Rules on an attribute with a hierarchy. `meets[level][rule, class]`: whether a class has a value of the rule.

    All values of the class count, whether they occur or not. `inside[level][rule, class]`: the share of the class that
    the rule means, from 0 to 1, every value of it being as probable. Both have the level `*`, with one class, at the
    end. `means[rule, value]`: whether the rule means the value. A rule that is silent means every value.
    """

    meets: tuple[NDArray[np.uint8], ...]
    inside: tuple[Shares, ...]
    means: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class OrderedReach:
    """Rules on an attribute that is cut: rule r means `low[r]` to `high[r]`, ends included (may be infinite).

    As codes: `first[r]` is the first value at or above `low[r]` (their number where there is none), `last[r]` the last
    one at or below `high[r]` (-1 where there is none). A class from code a to code b meets the rule if
    first <= b and last >= a. `points[code]`: the values, in the unit that `low` and `high` are in; `step`: 1 where only
    whole numbers of that unit are values (and [a, b] has b - a + 1 of them), 0 of continuous ones.
    """

    points: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    step: float


@dataclass(frozen=True, slots=True, eq=False)
class ValuesReach:
    """Rules on an attribute that is released as a set. `means[rule, value]`: whether the rule means the value."""

    means: NDArray[np.bool_]


Reach: TypeAlias = NestedReach | OrderedReach | ValuesReach


@dataclass(frozen=True, slots=True, eq=False)
class Guide:
    """Rules with their weights, and their reach on each attribute, in the order of the attributes.

    `asks[rule, attribute]`: whether the rule says anything of the attribute (where it does not, it means everything).
    """

    weights: Shares
    reaches: tuple[Reach, ...]
    asks: NDArray[np.bool_]


OF_CLASS, OF_RANGE, OF_VALUES = 0, 1, 2
"""The property of a group that decides whether it meets a rule: its class, its range, or the values it has."""

Words = NDArray[np.int64]
BITS = 64


class EncodedRules(NamedTuple):
    """The rules that a class or value meets: row `at[attribute, level] + class` (or value, level 0) of `words`."""

    weights: Shares
    kinds: Numbers
    at: Numbers
    words: Words
    first: Numbers
    """attribute, rule: the first code that the rule means, of attributes with ranges."""
    last: Numbers
    logarithms: Shares
    """The logarithm of every number of groups there can be."""


def rules_of(guide: Guide, groups: int) -> EncodedRules:
    """The rules of a guide, for a partition of up to so many groups."""
    reaches, rules = guide.reaches, guide.weights.size
    parts: list[NDArray[np.bool_]] = []
    at = np.zeros((len(reaches), max(_levels(each) for each in reaches)), dtype=np.int64)
    first, last = np.zeros((len(reaches), rules), dtype=np.int64), np.zeros((len(reaches), rules), dtype=np.int64)
    begin = 0
    for j, reach in enumerate(reaches):
        if isinstance(reach, OrderedReach):
            first[j], last[j] = reach.first, reach.last
            continue
        for level, meets in enumerate(reach.meets if isinstance(reach, NestedReach) else (reach.means,)):
            at[j, level] = begin
            begin += meets.shape[1]
            parts.append(meets.T != 0)
    return EncodedRules(
        weights=np.ascontiguousarray(guide.weights, dtype=np.float64),
        kinds=np.array([_kind(each) for each in reaches], dtype=np.int64),
        at=at,
        words=np.concatenate([packed(part) for part in parts] or [packed(np.zeros((1, rules), dtype=np.bool_))]),
        first=first,
        last=last,
        logarithms=np.log(np.maximum(np.arange(groups + 2), 1)),
    )


def no_rules(columns: int) -> EncodedRules:
    """The empty rules, for a partition that none guide."""
    nothing = np.zeros((columns, 1), dtype=np.int64)
    return EncodedRules(
        np.zeros(1), nothing[:, 0].copy(), nothing, np.zeros((1, 1), np.int64), nothing, nothing, np.zeros(1)
    )


def met_by_all(guide: Guide, codes: Codes) -> NDArray[np.bool_]:
    """The rules that the group of all records meets."""
    met = np.ones(guide.weights.size, dtype=np.bool_)
    for j, reach in enumerate(guide.reaches):
        column = codes[:, j]
        if isinstance(reach, OrderedReach):
            met &= (reach.first <= column.max()) & (reach.last >= column.min())
        elif isinstance(reach, NestedReach):
            met &= reach.meets[-1][:, 0] != 0
        else:
            met &= reach.means[:, np.unique(column)].any(axis=1)
    return met


def packed(meets: NDArray[np.bool_]) -> Words:
    """Rows of flags, one a rule, as words."""
    bits = np.packbits(meets, axis=1, bitorder="little")
    words = np.zeros((meets.shape[0], -(-meets.shape[1] // BITS) * BITS // 8), dtype=np.uint8)
    words[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(words.view("<i8").astype(np.int64))


def _kind(reach: Reach) -> int:
    return OF_CLASS if isinstance(reach, NestedReach) else OF_RANGE if isinstance(reach, OrderedReach) else OF_VALUES


def _levels(reach: Reach) -> int:
    return len(reach.meets) if isinstance(reach, NestedReach) else 1
