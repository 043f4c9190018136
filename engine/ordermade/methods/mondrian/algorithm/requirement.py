"""The requirement on every class: k records or persons, and models. Each class is counted record by record.

The decisions are those of `sql/privacy.sql`, by which the release is measured again.
"""

from __future__ import annotations

from dataclasses import replace
from math import log

import numpy as np

from ordermade.errors import quoted
from ordermade.machine.compiled import compiled, inner
from ordermade.methods.mondrian.algorithm.check import (
    ALPHA,
    ATTRIBUTE,
    BRANCHES,
    DENOMINATOR,
    DISTINCT,
    ENTROPY,
    EQUAL,
    EXTENT,
    KIND,
    MAX_MARKED,
    NUMERATOR,
    ORDERED,
    RECURSIVE,
    WHOLE,
    Check,
    Checking,
    L,
    Numbers,
    SplitRequirement,
    SplitScratch,
    check_of,
    room_of,
)
from ordermade.methods.mondrian.algorithm.cuts import ascending, begin_children
from ordermade.methods.mondrian.algorithm.domains import Codes
from ordermade.methods.mondrian.algorithm.partition import Workspace

HALF = np.uint64(32)
LOWER_HALF = np.uint64(2**32 - 1)


@compiled
def passes(check: Check, room: SplitScratch, rows: Codes, start: int, end: int) -> bool:
    """Whether the class of the records `rows[start:end]` passes; their order does not matter."""
    if check.weights.size == 0 and end - start < check.k:
        return False
    begin_class(room)
    include(check, room, rows, start, end)
    passed = holds(check, room)
    forget_class(check, room)
    return passed


# ---- counting --------------------------------------------------------------------------------------------------------


@inner
def begin_class(room: SplitScratch) -> None:
    """Begin an empty class: with a new mark, no person counts as seen in it."""
    if room.mark[0] == MAX_MARKED:
        room.seen[:] = 0
        room.mark[0] = 0
    room.mark[0] += 1


@inner
def include(check: Check, room: SplitScratch, rows: Codes, start: int, end: int) -> None:
    """Add the records `rows[start:end]` to the counts of the class.

    A record adds its rows to the units and to the tally of each of its values; where persons are counted, it adds its
    person once to the units and once to each value. Without models counting stops at k.
    """
    mark = room.mark[0]
    only_persons = check.models.shape[0] == 0
    for place in range(start, end):
        row, units = rows[place], 1
        if check.weights.size > 0:
            units = check.weights[row]
        if check.persons.size == 0:
            room.units[0] += units
        elif room.seen[check.persons[row]] != mark:
            room.seen[check.persons[row]] = mark
            room.units[0] += 1
        if only_persons and room.units[0] >= check.k:
            break
        for attribute in range(check.values.shape[1]):
            if check.pairs.size > 0:
                if room.seen[check.pairs[row, attribute]] == mark:
                    continue
                room.seen[check.pairs[row, attribute]] = mark
            value = check.values[row, attribute]
            if room.tally[value] == 0:
                room.present[check.first_value[attribute] + room.found[attribute]] = value
                room.found[attribute] += 1
            room.tally[value] += units
            room.totals[attribute] += units


@inner
def forget_class(check: Check, room: SplitScratch) -> None:
    """Clear the counts for the next class, in time proportional to the number of values in this one."""
    room.units[0] = 0
    for attribute in range(room.found.size):
        first = check.first_value[attribute]
        for place in range(first, first + room.found[attribute]):
            room.tally[room.present[place]] = 0
        room.found[attribute] = 0
        room.totals[attribute] = 0


# ---- deciding --------------------------------------------------------------------------------------------------------


@inner
def holds(check: Check, room: SplitScratch) -> bool:
    """Whether the counted class passes."""
    if room.units[0] < check.k:
        return False
    passed = True
    for model in range(check.models.shape[0]):
        if not passed:
            break
        row = check.models[model]
        attribute, kind = row[ATTRIBUTE], row[KIND]
        if kind == DISTINCT:
            passed = room.found[attribute] >= row[L]
        elif kind == ENTROPY:
            passed = entropy(check, room, attribute) >= check.entropies[model]
        elif kind == RECURSIVE:
            others = rarer_count(check, room, attribute, row[L])
            passed = exceeds(row[NUMERATOR], others, row[DENOMINATOR], commonest_count(check, room, attribute))
        else:
            counted, most = room.units[0], room.units[0]
            if kind == ALPHA:
                counted = commonest_count(check, room, attribute)
            else:
                most = row[EXTENT] * row[WHOLE] * room.totals[attribute]
                if kind == EQUAL:
                    counted = moved_anywhere(check, room, attribute, row[WHOLE])
                elif kind == ORDERED:
                    counted = moved_along_ranks(check, room, attribute, row[WHOLE])
                else:
                    counted = moved_across_branches(check, room, attribute, row)
            passed = not exceeds(row[DENOMINATOR], counted, row[NUMERATOR], most)
    return passed


@inner
def entropy(check: Check, room: SplitScratch, attribute: int) -> float:
    """The entropy of an attribute in the class, in nats."""
    first = check.first_value[attribute]
    size = float(room.totals[attribute])
    terms = 0.0
    for place in range(first, first + room.found[attribute]):
        count = float(room.tally[room.present[place]])
        terms += count * log(count)
    return log(size) - terms / size


@inner
def commonest_count(check: Check, room: SplitScratch, attribute: int) -> int:
    """The number of units with the commonest value."""
    first = check.first_value[attribute]
    commonest = 0
    for place in range(first, first + room.found[attribute]):
        commonest = max(commonest, room.tally[room.present[place]])
    return commonest


@inner
def rarer_count(check: Check, room: SplitScratch, attribute: int, place: int) -> int:
    """The number of units with the `place`-th commonest value or a rarer one."""
    first = check.first_value[attribute]
    found = room.found[attribute]
    for each in range(found):
        room.sorted[each] = room.tally[room.present[first + each]]
    ascending(room.sorted, found)
    others = 0
    for each in range(found - place + 1):
        others += room.sorted[each]
    return others


@inner
def moved_anywhere(check: Check, room: SplitScratch, attribute: int, whole: int) -> int:
    """The share of the class whose values would have to change to match the dataset, times both sizes.

    Returns a whole number: the distance with equal distances, times the size of the class and that of the dataset.
    """
    first = check.first_value[attribute]
    size = room.totals[attribute]
    moved = 0
    for place in range(first, first + room.found[attribute]):
        value = room.present[place]
        moved += max(0, room.tally[value] * whole - check.counts[value] * size)
    return moved


@inner
def moved_along_ranks(check: Check, room: SplitScratch, attribute: int, whole: int) -> int:
    """The sum over the ranks of the differences between the cumulative shares of class and dataset, times both sizes.

    Between two neighbouring values of the class, its cumulative share is constant and the dataset's rises; from one
    rank on, `crossing`, the latter is greater.
    """
    first, last = check.first_value[attribute], check.first_value[attribute + 1]
    size, found = room.totals[attribute], room.found[attribute]
    for each in range(found):
        room.sorted[each] = room.present[first + each]
    ascending(room.sorted, found)
    moved: int = check.before[room.sorted[0] + attribute] * size
    up_to = 0
    for each in range(found):
        start = room.sorted[each]
        until = last
        if each + 1 < found:
            until = room.sorted[each + 1]
        up_to += room.tally[start]
        crossing = first_reaching(check.up_to, start, until, up_to * whole, size)
        moved += up_to * whole * (2 * crossing - start - until)
        below = check.before[start + attribute] - check.before[crossing + attribute]
        moved += size * (below + check.before[until + attribute] - check.before[crossing + attribute])
    return moved


@inner
def first_reaching(up_to: Numbers, start: int, until: int, product: int, size: int) -> int:
    """The first rank from `start` on whose `up_to`, times `size`, is at least the product; `until` if there is none."""
    low, high = start, until
    while low < high:
        middle = (low + high) // 2
        if up_to[middle] * size >= product:
            high = middle
        else:
            low = middle + 1
    return low


@inner
def moved_across_branches(check: Check, room: SplitScratch, attribute: int, row: Numbers) -> int:
    """The shares of the class that would have to change branch, summed over the levels, times both sizes."""
    first, last = check.first_value[attribute], check.first_value[attribute + 1]
    moved = 0
    for level in range(row[EXTENT]):
        found = 0
        begin = row[BRANCHES] + level * (last - first) - first
        for place in range(first, first + room.found[attribute]):
            value = room.present[place]
            branch = check.branches[begin + value]
            if room.branch_tally[branch] == 0:
                room.branch_present[found] = branch
                found += 1
            room.branch_tally[branch] += room.tally[value]
        for each in range(found):
            branch = room.branch_present[each]
            mine, its = room.branch_tally[branch] * row[WHOLE], check.branch_counts[branch] * room.totals[attribute]
            moved += max(0, mine - its)
            room.branch_tally[branch] = 0
    return moved


@inner
def exceeds(a: int, b: int, c: int, d: int) -> bool:
    """Whether a x b > c x d, exactly, for whole numbers from 0 to 2^63 - 1."""
    high, low = product_of(a, b)
    other_high, other_low = product_of(c, d)
    return bool(high > other_high or (high == other_high and low > other_low))


@inner
def product_of(a: int, b: int) -> tuple[np.uint64, np.uint64]:
    """The upper and the lower 64 bits of a product."""
    x, y = np.uint64(a), np.uint64(b)
    one, other = (x >> HALF) * (y & LOWER_HALF), (x & LOWER_HALF) * (y >> HALF)
    carried = ((x & LOWER_HALF) * (y & LOWER_HALF) >> HALF) + (one & LOWER_HALF) + (other & LOWER_HALF)
    return (x >> HALF) * (y >> HALF) + (one >> HALF) + (other >> HALF) + (carried >> HALF), x * y


@inner
def all_pass(space: Workspace, checking: Checking, rows: Codes, spare: Codes, start: int, end: int, parts: int) -> int:
    """The number of children, `parts`, if all of them pass, else 0. A single child is the group, which passes."""
    if parts > 1:
        lay_out(space, rows, spare, start, end, parts)
        begin = start
        for c in range(parts):
            if not passes(checking.check, checking.room, spare, begin, begin + space.lengths[c]):
                return 0
            begin += space.lengths[c]
    return parts


@inner
def lay_out(space: Workspace, rows: Codes, spare: Codes, start: int, end: int, parts: int) -> None:
    """Write the rows `rows[start:end]` into `spare`, child after child."""
    begin_children(space, start, end, parts)
    for i in range(start, end):
        c = space.child[i]
        spare[space.next_at[c]] = rows[i]
        space.next_at[c] += 1


def root_fails(requirement: SplitRequirement, n: int) -> str | None:
    """The test that the class of all n records fails: `k`, or a model, as `distinct_l {l: 3} of column 'illness'`.

    None if it passes. Raises InputError if a model cannot be decided exactly for so many records.
    """
    if _passes(requirement, n):
        return None
    for sensitive in requirement.sensitive:
        for model in sensitive.models:
            alone = replace(requirement, k=1, sensitive=(replace(sensitive, models=(model,)),))
            if not _passes(alone, n):
                return f"{model.written} of column {quoted(sensitive.column)}" if sensitive.column else model.written
    return "k"


def _passes(requirement: SplitRequirement, n: int) -> bool:
    if requirement.only_rows:
        return requirement.rows(n) >= requirement.k
    check = check_of(requirement, n)
    return passes(check, room_of(check), np.arange(n, dtype=np.int32), 0, n)
