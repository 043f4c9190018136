"""Cuts of a group: at the median, into two sets of values, into the children of a hierarchy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ordermade.machine.compiled import inner
from ordermade.methods.mondrian.algorithm.domains import NESTED, ORDERED, Attributes, Codes, Numbers
from ordermade.methods.mondrian.algorithm.partition import Workspace


@inner
def ascending(numbers: NDArray[np.int64], size: int) -> None:
    """Sort the first `size` numbers: the greatest is taken from a heap, again and again."""
    place, end = size // 2, size
    while end > 1:
        if place > 0:
            place -= 1
        else:
            end -= 1
            numbers[0], numbers[end] = numbers[end], numbers[0]
        sink(numbers, place, end)


@inner
def sink(heap: NDArray[np.int64], place: int, size: int) -> None:
    """Let a number sink below all greater ones, in a heap of which all else is in place."""
    number = heap[place]
    child = 2 * place + 1
    while child < size:
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= number:
            break
        heap[place] = heap[child]
        place, child = child, 2 * child + 1
    heap[place] = number


@inner
def weight_of(weights: Numbers | None, place: int) -> int:
    """The rows of a record: one where records are rows, for which numba compiles no look at memory."""
    if weights is None:
        return 1
    rows: int = weights[place]
    return rows


@inner
def put_weight(weights: Numbers | None, place: int, weight: int) -> None:
    """Writes the rows of a record, unless records are rows."""
    if weights is not None:
        weights[place] = weight


@inner
def median_of(
    table: Codes,
    weights: Numbers | None,
    j: int,
    start: int,
    end: int,
    rows: int,
    low: int,
    high: int,
    picked: Codes,
    picked_weights: Numbers | None,
    digits: Numbers,
) -> tuple[int, int, int]:
    """The code of the ceil(n/2)-th of the n `rows`, in the order of an attribute's codes, all in [low, high].

    The numbers of rows below it and equal to it come with it. Rows are counted in ranges of a power of two codes, about
    as many as there are records; those in the range that has the median are counted again, until a range is one code.
    """
    shift = _shift(high - low, end - start, digits.size)
    for part in range(((high - low) >> shift) + 1):
        digits[part] = 0
    for i in range(start, end):
        digits[(table[i, j] - low) >> shift] += weight_of(weights, i)
    place, below, kept = (rows + 1) // 2, 0, 0
    chosen, before = _part_with(digits, place)
    below += before
    if shift == 0:
        return low + chosen, below, digits[chosen]
    for i in range(start, end):
        if (table[i, j] - low) >> shift == chosen:
            picked[start + kept] = table[i, j]
            put_weight(picked_weights, start + kept, weight_of(weights, i))
            kept += 1
    while True:
        low += chosen << shift
        high = min(high, low + (1 << shift) - 1)
        shift = _shift(high - low, kept, digits.size)
        for part in range(((high - low) >> shift) + 1):
            digits[part] = 0
        for i in range(start, start + kept):
            digits[(picked[i] - low) >> shift] += weight_of(picked_weights, i)
        chosen, before = _part_with(digits, place - below)
        below += before
        if shift == 0:
            return low + chosen, below, digits[chosen]
        codes, kept = kept, 0
        for i in range(start, start + codes):
            if (picked[i] - low) >> shift == chosen:
                picked[start + kept] = picked[i]
                put_weight(picked_weights, start + kept, weight_of(picked_weights, i))
                kept += 1


@inner
def _shift(span: int, codes: int, most: int) -> int:
    """The number of bits to cut off codes, so that there are about as many ranges as codes, and not too many."""
    shift = 0
    while span >> shift >= most or span >> shift > 2 * codes:
        shift += 1
    return shift


@inner
def _part_with(digits: Numbers, place: int) -> tuple[int, int]:
    """The range that has the row of that place, and the rows before it."""
    part, before = 0, 0
    while before + digits[part] < place:
        before += digits[part]
        part += 1
    return part, before


@inner
def deal(
    table: Codes, weights: Numbers | None, j: int, start: int, end: int, cut: int, dealt: int, child: Codes
) -> int:
    """Records below the cut are of the first child, and so are the first so many rows that equal it. Its rows."""
    first = 0
    for i in range(start, end):
        code = table[i, j]
        left = code < cut
        if code == cut:
            left = dealt > 0
            dealt -= weight_of(weights, i)
        child[i] = not left
        first += left * weight_of(weights, i)
    return first


CODE_BITS = 32
"""The bits of a code in a key of 64 bits, below a count."""


@inner
def count_values(
    table: Codes, weights: Numbers | None, j: int, start: int, end: int, counts: Numbers, touched: Numbers
) -> int:
    """The number of values of an attribute. They are `touched`; the counts of rows are to be cleared (`clear`)."""
    found = 0
    for i in range(start, end):
        code = table[i, j]
        if counts[code] == 0:
            touched[found] = code
            found += 1
        counts[code] += weight_of(weights, i)
    return found


@inner
def clear(counts: Numbers, touched: Numbers, found: int) -> None:
    """Set the touched counts back to 0."""
    for place in range(found):
        counts[touched[place]] = 0


@inner
def merge(counts: Numbers, touched: Numbers, found: int, number: Numbers, sizes: Numbers, variety: Numbers) -> None:
    """Put each value into the set with fewer rows so far, the most frequent first (of equal ones the lowest code).

    `number`: the set of each value, of which the first has the lowest code; `sizes`: the rows of both; `variety`:
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


@inner
def divide(
    attributes: Attributes,
    space: Workspace,
    table: Codes,
    weights: Numbers | None,
    j: int,
    start: int,
    end: int,
    rows: int,
    k: int,
    strict: bool,
) -> int:
    """The number of children of the group, split by an attribute; 0 if one of them has fewer than k rows.

    Writes the child of each record, and the rows of each child. `rows`: those of the group.
    """
    if attributes.kinds[j] == NESTED:
        return _descend(attributes, space, table, weights, j, start, end, rows, k)
    if attributes.kinds[j] == ORDERED:
        return _halve(space, table, weights, j, start, end, rows, k, strict)
    return _part(space, table, weights, j, start, end, k)


@inner
def _descend(
    attributes: Attributes,
    space: Workspace,
    table: Codes,
    weights: Numbers | None,
    j: int,
    start: int,
    end: int,
    rows: int,
    k: int,
) -> int:
    """Split into the classes of the next level, ascending. Stop counting if there are too many for each to have k."""
    counts, touched, at = space.counts, space.touched, attributes.at[j, space.own_levels[j] - 1]
    most, found = rows // k, 0
    for i in range(start, end):
        sibling = attributes.children[at + table[i, j]]
        if counts[sibling] == 0:
            if found == most:
                clear(counts, touched, found)
                return 0
            touched[found] = sibling
            space.sample[sibling] = table[i, j]
            found += 1
        counts[sibling] += weight_of(weights, i)
    fewest = rows
    for place in range(found):
        fewest = min(fewest, counts[touched[place]])
    if fewest >= k:
        ascending(touched, found)
        for place in range(found):
            sibling = touched[place]
            space.number[sibling], space.sizes[place] = place, counts[sibling]
            space.codes[place] = space.sample[sibling]
        for i in range(start, end):
            space.child[i] = space.number[attributes.children[at + table[i, j]]]
    clear(counts, touched, found)
    return found if fewest >= k else 0


@inner
def _halve(
    space: Workspace,
    table: Codes,
    weights: Numbers | None,
    j: int,
    start: int,
    end: int,
    rows: int,
    k: int,
    strict: bool,
) -> int:
    """Cut at the median, or just below it if it is the greatest value. Not strict: into halves, whatever is equal."""
    low, high = space.low[j], space.high[j]
    cut, below, equal = median_of(
        table, weights, j, start, end, rows, low, high, space.picked, space.picked_weights, space.digits
    )
    dealt = (rows + 1) // 2 - below
    if strict:
        dealt = equal if cut < high else 0
    space.sizes[0], space.sizes[1] = below + dealt, rows - below - dealt
    if low == high or min(space.sizes[0], space.sizes[1]) < k:
        return 0
    deal(table, weights, j, start, end, cut, dealt, space.child)
    return 2


@inner
def _part(space: Workspace, table: Codes, weights: Numbers | None, j: int, start: int, end: int, k: int) -> int:
    """Split into two sets of values with near-equal counts."""
    counts, touched = space.counts, space.touched
    found = count_values(table, weights, j, start, end, counts, touched)
    if found > 1:
        merge(counts, touched, found, space.number, space.sizes, space.variety)
    clear(counts, touched, found)
    if found < 2 or min(space.sizes[0], space.sizes[1]) < k:
        return 0
    for i in range(start, end):
        space.child[i] = space.number[table[i, j]]
    return 2


@inner
def begin_children(space: Workspace, start: int, end: int, parts: int) -> None:
    """Write the records of each child, and where they begin once they are put child after child from `start`."""
    _count_children(space, space.picked_weights, start, end, parts)
    for c in range(parts):
        space.next_at[c] = start
        start += space.lengths[c]


@inner
def _count_children(space: Workspace, weights: Numbers | None, start: int, end: int, parts: int) -> None:
    """Write the records of each child: its rows, unless records have `weights`."""
    lengths = space.lengths
    if weights is None:
        for c in range(parts):
            lengths[c] = space.sizes[c]
    elif parts == 2:
        second = 0  # added up without a look at memory that was just written
        for i in range(start, end):
            second += space.child[i]
        lengths[0], lengths[1] = end - start - second, second
    else:
        for c in range(parts):
            lengths[c] = 0
        for i in range(start, end):
            lengths[space.child[i]] += 1
