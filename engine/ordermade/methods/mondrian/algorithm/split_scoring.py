"""Scores of splits, their upper bounds, and the choice of the greatest.

A score looks at the group (`Widest`), at its children (`Precise`, `Gain`), or also at all other groups (`Guided`).
Scores are compared to 12 decimals, as whole numbers of 1e-12, so that equal ones tie in whatever order they were added
up. Ties go to the first attribute.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from ordermade.machine.compiled import inner
from ordermade.methods.mondrian.algorithm.cuts import clear, count_values
from ordermade.methods.mondrian.algorithm.domains import NESTED, ORDERED, Attributes, Codes, Numbers, Shares
from ordermade.methods.mondrian.algorithm.guiding import guided, meet
from ordermade.methods.mondrian.algorithm.partition import GROUPS, Meeting, Workspace
from ordermade.methods.mondrian.algorithm.rules import EncodedRules, Guide

DECIMALS = 12
"""The decimals to which scores are compared."""


@dataclass(frozen=True, slots=True)
class Widest:
    """The split by the attribute of which the group covers the greatest share (LeFevre et al. 2006)."""


@dataclass(frozen=True, slots=True)
class Precise:
    """The split that gains most precision: the share that the group covers, less that of its records' children.

    That of the children is a mean over the rows. A class of a hierarchy covers level / height here, so that to go a
    level down gains 1 / height.
    """


@dataclass(frozen=True, slots=True, eq=False)
class Guided:
    """The split whose children separate the rules best: tf-idf, groups being documents and rules being terms.

    The score of a split is the mean, over its children c, of the sum over the rules r of weight_r x tf(r, c) x idf(r).
    With m(r, g) = 1 where a group's class meets the rule on every attribute, else 0: tf(r, c) = m(r, c) / sum over s of
    m(s, c), idf(r) = ln(N / sum over all g of m(r, g)), both 0 where that is 0 / 0 or N / 0. N groups are there after
    the split: its children, the open groups and the finished ones. So a group's best split depends on the others.
    """

    guide: Guide


@dataclass(frozen=True, slots=True, eq=False)
class Gain:
    """The split of the greatest information gain on a target, in nats (LeFevre et al., KDD 2006, InfoGain Mondrian).

    `target`: the number of each record's value, below `values`. Ordered attributes are cut where that gains most.
    """

    target: Codes
    values: int


Choice: TypeAlias = Widest | Precise | Guided | Gain


WIDEST, PRECISE, GUIDED, GAIN = range(4)
"""The choices of splits."""
SCALE = 10.0**DECIMALS
NO_SPLIT = -1.0
BLOCK = 512
"""The number of records that are read column by column before the next ones: few enough to stay in the cache."""


@inner
def compared(score: float) -> float:
    """A score as it is compared to others."""
    return math.floor(score * SCALE + 0.5)


@inner
def measure(attributes: Attributes, space: Workspace, table: Codes, start: int, end: int) -> None:
    """The least and the greatest code of each ordered attribute."""
    low, high = space.low, space.high
    for j in range(table.shape[1]):
        low[j], high[j] = table[start, j], table[start, j]
    for block in range(start, end, BLOCK):
        for j in range(table.shape[1]):
            if attributes.kinds[j] == ORDERED:
                least, most = low[j], high[j]
                for i in range(block, min(block + BLOCK, end)):
                    code = table[i, j]
                    least, most = min(least, code), max(most, code)
                low[j], high[j] = least, most


@inner
def bound(
    attributes: Attributes,
    space: Workspace,
    choice: int,
    table: Codes,
    weights: Numbers | None,
    j: int,
    start: int,
    end: int,
    rows: int,
    k: int,
) -> float:
    """The most that a split by the attribute can score; below 0 where there is no valid one."""
    kind, level = attributes.kinds[j], space.own_levels[j]
    if kind == NESTED and level <= attributes.finest[j]:
        return NO_SPLIT
    if kind != NESTED and rows < 2 * k:
        return NO_SPLIT
    if kind == ORDERED and space.low[j] == space.high[j]:
        return NO_SPLIT
    if choice in (GUIDED, GAIN):
        return math.inf
    if kind == NESTED and choice == PRECISE:
        return compared(1.0 / attributes.tops[j])
    if kind == NESTED:
        top = level == attributes.tops[j]
        return compared(1.0 if top else attributes.covers[attributes.at[j, level] + table[start, j]])
    if kind == ORDERED:
        return compared(_width(attributes, j, space.low[j], space.high[j]))
    found = count_values(table, weights, j, start, end, space.counts, space.touched)
    clear(space.counts, space.touched, found)
    return NO_SPLIT if found < 2 else compared(_share(attributes, j, found))


@inner
def precision(attributes: Attributes, space: Workspace, table: Codes, j: int, start: int, end: int, rows: int) -> float:
    """The gain of precision by the split whose children are written."""
    if attributes.kinds[j] == NESTED:
        return compared(1.0 / attributes.tops[j])
    if attributes.kinds[j] == ORDERED:
        up_to, down_to = space.low[j], space.high[j]
        for i in range(start, end):
            code = table[i, j]
            if space.child[i] == 0:
                up_to = max(up_to, code)
            else:
                down_to = min(down_to, code)
        before = _width(attributes, j, space.low[j], space.high[j])
        first, second = _width(attributes, j, space.low[j], up_to), _width(attributes, j, down_to, space.high[j])
    else:
        before = _share(attributes, j, space.variety[0] + space.variety[1])
        first, second = _share(attributes, j, space.variety[0]), _share(attributes, j, space.variety[1])
    return compared(before - (first * space.sizes[0] + second * space.sizes[1]) / rows)


@inner
def _width(attributes: Attributes, j: int, low: int, high: int) -> float:
    """The share of an ordered attribute's domain between two codes."""
    axis, span = attributes.axes[j], attributes.spans[j]
    return (attributes.places[axis + high] - attributes.places[axis + low]) / span if span > 0.0 else 0.0


@inner
def _share(attributes: Attributes, j: int, values: int) -> float:
    """The share of an unordered attribute's domain that so many of its values cover."""
    return (values - 1) / (attributes.values[j] - 1) if attributes.values[j] > 1 else 0.0


class Parameters(NamedTuple):
    """The parameters of a partition; `choice`: the number of the score that chooses splits."""

    attributes: Attributes
    rules: EncodedRules
    choice: int
    k: int
    strict: bool


class Rooms(NamedTuple):
    """Scratch memory of a thread to split one group at a time."""

    space: Workspace
    meeting: Meeting


@inner
def worth(
    parameters: Parameters, rooms: Rooms, table: Codes, j: int, start: int, end: int, rows: int, parts: int
) -> float:
    """The score of a valid split by an attribute, of which the children are written."""
    if parts == 0:
        return NO_SPLIT
    if parameters.choice == PRECISE:
        return precision(parameters.attributes, rooms.space, table, j, start, end, rows)
    if parameters.choice == GUIDED:
        meet(parameters.attributes, parameters.rules, rooms.space, rooms.meeting, table, j, start, end, parts)
        return compared(guided(parameters.rules, rooms.meeting, rooms.space.tally[GROUPS] - 1 + parts, parts))
    return float(rooms.space.bounds[j])


@inner
def foremost(bounds: Shares) -> int:
    """The first attribute of those with the greatest bound."""
    j = 0
    for other in range(1, bounds.size):
        if bounds[other] > bounds[j]:
            j = other
    return j
