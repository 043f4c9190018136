"""The children of a group by a split, if each has k records: the number of the child of each record."""

from __future__ import annotations

from ordermade.compiled import inner
from ordermade.mondrian.attributes import NESTED, ORDERED, Attributes
from ordermade.mondrian.cuts import deal, median_of
from ordermade.mondrian.domains import Codes
from ordermade.mondrian.merging import clear, count_values, merge
from ordermade.mondrian.sorting import ascending
from ordermade.mondrian.workspace import Workspace


@inner
def divide(
    attributes: Attributes,
    space: Workspace,
    table: Codes,
    j: int,
    start: int,
    end: int,
    k: int,
    strict: bool,
) -> int:
    """The number of children of the group, split by an attribute; 0 if one of them has fewer than k records.

    Writes the child of each record, and the records of each child.
    """
    if attributes.kinds[j] == NESTED:
        return _descend(attributes, space, table, j, start, end, k)
    if attributes.kinds[j] == ORDERED:
        return _halve(space, table, j, start, end, k, strict)
    return _part(space, table, j, start, end, k)


@inner
def _descend(attributes: Attributes, space: Workspace, table: Codes, j: int, start: int, end: int, k: int) -> int:
    """Split into the classes of the next level, ascending. Stop counting if there are too many for each to have k."""
    counts, touched, at = space.counts, space.touched, attributes.at[j, space.own_levels[j] - 1]
    most, found = (end - start) // k, 0
    for i in range(start, end):
        sibling = attributes.children[at + table[i, j]]
        if counts[sibling] == 0:
            if found == most:
                clear(counts, touched, found)
                return 0
            touched[found] = sibling
            space.sample[sibling] = table[i, j]
            found += 1
        counts[sibling] += 1
    fewest = end - start
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
def _halve(space: Workspace, table: Codes, j: int, start: int, end: int, k: int, strict: bool) -> int:
    """Cut at the median, or just below it if it is the greatest value. Not strict: into halves, whatever is equal."""
    low, high = space.low[j], space.high[j]
    cut, below, equal = median_of(table, j, start, end, low, high, space.picked, space.digits)
    dealt = (end - start + 1) // 2 - below
    if strict:
        dealt = equal if cut < high else 0
    space.sizes[0], space.sizes[1] = below + dealt, end - start - below - dealt
    if low == high or min(space.sizes[0], space.sizes[1]) < k:
        return 0
    deal(table, j, start, end, cut, dealt, space.child)
    return 2


@inner
def _part(space: Workspace, table: Codes, j: int, start: int, end: int, k: int) -> int:
    """Split into two sets of values with near-equal counts."""
    counts, touched = space.counts, space.touched
    found = count_values(table, j, start, end, counts, touched)
    if found > 1:
        merge(counts, touched, found, space.number, space.sizes, space.variety)
    clear(counts, touched, found)
    if found < 2 or min(space.sizes[0], space.sizes[1]) < k:
        return 0
    for i in range(start, end):
        space.child[i] = space.number[table[i, j]]
    return 2


@inner
def begin_children(space: Workspace, start: int, parts: int) -> None:
    """Write where the records of each child begin, once they are put child after child from `start`."""
    for c in range(parts):
        space.next_at[c] = start
        start += space.sizes[c]
