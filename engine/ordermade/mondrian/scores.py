"""The scores of splits, and their upper bounds, so that few splits need to be computed.

Scores are whole numbers of 1e-12, so that equal ones are equal in whatever order they were added up.
"""

from __future__ import annotations

import math

from ordermade.compiled import inner
from ordermade.mondrian.attributes import NESTED, ORDERED, Attributes
from ordermade.mondrian.choice import DECIMALS
from ordermade.mondrian.domains import Codes
from ordermade.mondrian.merging import clear, count_values
from ordermade.mondrian.workspace import Workspace

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
    attributes: Attributes, space: Workspace, choice: int, table: Codes, j: int, start: int, end: int, k: int
) -> float:
    """The most that a split by the attribute can score; below 0 where there is no valid one."""
    kind, level = attributes.kinds[j], space.own_levels[j]
    if kind == NESTED and level <= attributes.finest[j]:
        return NO_SPLIT
    if kind != NESTED and end - start < 2 * k:
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
    found = count_values(table, j, start, end, space.counts, space.touched)
    clear(space.counts, space.touched, found)
    return NO_SPLIT if found < 2 else compared(_share(attributes, j, found))


@inner
def precision(attributes: Attributes, space: Workspace, table: Codes, j: int, start: int, end: int) -> float:
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
    return compared(before - (first * space.sizes[0] + second * space.sizes[1]) / (end - start))


@inner
def _width(attributes: Attributes, j: int, low: int, high: int) -> float:
    """The share of an ordered attribute's domain between two codes."""
    axis, span = attributes.axes[j], attributes.spans[j]
    return (attributes.places[axis + high] - attributes.places[axis + low]) / span if span > 0.0 else 0.0


@inner
def _share(attributes: Attributes, j: int, values: int) -> float:
    """The share of an unordered attribute's domain that so many of its values cover."""
    return (values - 1) / (attributes.values[j] - 1) if attributes.values[j] > 1 else 0.0
