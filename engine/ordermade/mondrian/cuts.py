"""The cut of an ordered attribute of a group: at the median, found by the leading digits of its codes."""

from __future__ import annotations

from ordermade.compiled import inner
from ordermade.mondrian.attributes import Numbers
from ordermade.mondrian.domains import Codes


@inner
def median_of(
    table: Codes, j: int, start: int, end: int, low: int, high: int, picked: Codes, digits: Numbers
) -> tuple[int, int, int]:
    """The ceil(n/2)-th smallest code of an attribute, all of them being in [low, high].

    How many are below it, and how many equal it, come with it. Codes are counted in ranges of a power of two, about as
    many as there are codes; those in the range that has the median are counted again, until a range is one code.
    """
    for i in range(start, end):
        picked[i] = table[i, j]
    place, below, kept = (end - start + 1) // 2, 0, end - start
    while True:
        shift = _shift(high - low, kept, digits.size)
        for part in range(((high - low) >> shift) + 1):
            digits[part] = 0
        for i in range(start, start + kept):
            digits[(picked[i] - low) >> shift] += 1
        chosen, before = _part_with(digits, place - below)
        below += before
        if shift == 0:
            return low + chosen, below, digits[chosen]
        codes, kept = kept, 0
        for i in range(start, start + codes):
            if (picked[i] - low) >> shift == chosen:
                picked[start + kept] = picked[i]
                kept += 1
        low += chosen << shift
        high = min(high, low + (1 << shift) - 1)


@inner
def _shift(span: int, codes: int, most: int) -> int:
    """The number of bits to cut off codes, so that there are about as many ranges as codes, and not too many."""
    shift = 0
    while span >> shift >= most or span >> shift > 2 * codes:
        shift += 1
    return shift


@inner
def _part_with(digits: Numbers, place: int) -> tuple[int, int]:
    """The range that has the code of that place, and the codes before it."""
    part, before = 0, 0
    while before + digits[part] < place:
        before += digits[part]
        part += 1
    return part, before


@inner
def deal(table: Codes, j: int, start: int, end: int, cut: int, dealt: int, child: Codes) -> int:
    """Records below the cut are of the first child, and so are the first so many that equal it. How many these are."""
    first = 0
    for i in range(start, end):
        code = table[i, j]
        left = code < cut
        if code == cut:
            left = dealt > 0
            dealt -= 1
        child[i] = not left
        first += left
    return first
