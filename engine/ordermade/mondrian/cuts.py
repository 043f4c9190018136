"""Where an ordered attribute of a group is cut: at the median, found by the leading digits of its codes."""

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
    place, below, left = (end - start + 1) // 2, 0, end - start
    shift = _shift(high - low, left, digits.size)
    parts = ((high - low) >> shift) + 1
    for part in range(parts):
        digits[part] = 0
    for i in range(start, end):
        digits[(table[i, j] - low) >> shift] += 1
    part, before = _part_with(digits, place)
    below, left = below + before, digits[part]
    first = True
    while shift > 0:
        least, kept = low + (part << shift), start
        if first:
            for i in range(start, end):
                if (table[i, j] - low) >> shift == part:
                    picked[kept] = table[i, j]
                    kept += 1
        else:
            for i in range(start, end):
                if (picked[i] - low) >> shift == part:
                    picked[kept] = picked[i]
                    kept += 1
        high = min(high, least + (1 << shift) - 1)
        first, low, end = False, least, kept
        shift = _shift(high - low, left, digits.size)
        for part in range(((high - low) >> shift) + 1):
            digits[part] = 0
        for i in range(start, end):
            digits[(picked[i] - low) >> shift] += 1
        part, before = _part_with(digits, place - below)
        below, left = below + before, digits[part]
    return low + part, below, left


@inner
def _shift(span: int, codes: int, most: int) -> int:
    """By how many bits codes are cut off, so that there are about as many ranges as codes, and not too many."""
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
