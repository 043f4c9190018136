"""The rules of a guide as compiled code reads them: one bit a rule, 64 rules a word."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordermade.mondrian.attributes import Numbers
from ordermade.mondrian.domains import Codes, Shares
from ordermade.mondrian.guide import Guide, NestedReach, OrderedReach, Reach

OF_CLASS, OF_RANGE, OF_VALUES = 0, 1, 2
"""The property of a group that decides whether it meets a rule: its class, its range, or the values it has."""

Words = NDArray[np.int64]
BITS = 64


class Rules(NamedTuple):
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


def rules_of(guide: Guide, groups: int) -> Rules:
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
    return Rules(
        weights=np.ascontiguousarray(guide.weights, dtype=np.float64),
        kinds=np.array([_kind(each) for each in reaches], dtype=np.int64),
        at=at,
        words=np.concatenate([packed(part) for part in parts] or [packed(np.zeros((1, rules), dtype=np.bool_))]),
        first=first,
        last=last,
        logarithms=np.log(np.maximum(np.arange(groups + 2), 1)),
    )


def no_rules(columns: int) -> Rules:
    """The empty rules, for a partition that none guide."""
    nothing = np.zeros((columns, 1), dtype=np.int64)
    return Rules(np.zeros(1), nothing[:, 0].copy(), nothing, np.zeros((1, 1), np.int64), nothing, nothing, np.zeros(1))


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
