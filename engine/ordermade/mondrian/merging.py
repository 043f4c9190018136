"""Split a group by unordered values: into two sets of values with near-equal counts."""

from __future__ import annotations

from ordermade.compiled import inner
from ordermade.mondrian.attributes import Numbers
from ordermade.mondrian.domains import Codes
from ordermade.mondrian.sorting import ascending

CODE_BITS = 32
"""The bits of a code in a key of 64 bits, below a count."""


@inner
def count_values(table: Codes, j: int, start: int, end: int, counts: Numbers, touched: Numbers) -> int:
    """The number of values of an attribute. They are `touched`; the counts are to be cleared (`clear`)."""
    found = 0
    for i in range(start, end):
        code = table[i, j]
        if counts[code] == 0:
            touched[found] = code
            found += 1
        counts[code] += 1
    return found


@inner
def clear(counts: Numbers, touched: Numbers, found: int) -> None:
    """Set the touched counts back to 0."""
    for place in range(found):
        counts[touched[place]] = 0


@inner
def merge(counts: Numbers, touched: Numbers, found: int, number: Numbers, sizes: Numbers, variety: Numbers) -> None:
    """Put each value into the set with fewer records so far, the most frequent first (of equal ones the lowest code).

    `number`: the set of each value, of which the first has the lowest code; `sizes`: the records of both; `variety`:
    how many values they have. The values end in the order in which they were taken.
    """
    lowest, most = touched[0], 0
    for place in range(found):
        code = touched[place]
        lowest, most = min(lowest, code), max(most, counts[code])
    for place in range(found):
        code = touched[place]
        touched[place] = ((most - counts[code]) << CODE_BITS) | code
    ascending(touched, found)
    for chosen in range(2):
        sizes[chosen], variety[chosen] = 0, 0
    for place in range(found):
        code = touched[place] & ((1 << CODE_BITS) - 1)
        chosen = 1 if sizes[1] < sizes[0] else 0
        number[code] = chosen
        sizes[chosen] += counts[code]
        variety[chosen] += 1
        touched[place] = code
    if number[lowest] == 1:
        sizes[0], sizes[1] = sizes[1], sizes[0]
        variety[0], variety[1] = variety[1], variety[0]
        for place in range(found):
            number[touched[place]] = 1 - number[touched[place]]
