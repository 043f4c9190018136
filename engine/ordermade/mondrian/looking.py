"""A split that is looked at: the children that it would make, whether they are valid, and what it would be worth."""

from __future__ import annotations

from typing import NamedTuple

import ordermade.mondrian.check as checking
from ordermade.compiled import inner
from ordermade.mondrian.attributes import ORDERED, Attributes
from ordermade.mondrian.check import Check
from ordermade.mondrian.children import begin_children, divide
from ordermade.mondrian.cuts import deal
from ordermade.mondrian.domains import Codes
from ordermade.mondrian.gain import Target, TargetRoom, best_cut, entropy_of, scale_of, score_of
from ordermade.mondrian.guiding import guided, meet
from ordermade.mondrian.passing import only_rows, passes
from ordermade.mondrian.rules import Rules
from ordermade.mondrian.scores import GAIN, GUIDED, NO_SPLIT, PRECISE, compared, precision
from ordermade.mondrian.workspace import GROUPS, Meeting, Workspace


class Asked(NamedTuple):
    """What a partition is asked by."""

    attributes: Attributes
    rules: Rules
    check: Check
    target: Target
    choice: int
    strict: bool


class Rooms(NamedTuple):
    """Where one group at a time is split: one a thread."""

    space: Workspace
    meeting: Meeting
    check: checking.Room
    target: TargetRoom


@inner
def look(asked: Asked, rooms: Rooms, table: Codes, rows: Codes, spare: Codes, j: int, start: int, end: int) -> float:
    """The score of a split by an attribute, below 0 if it is not valid. Its children are written.

    `table[start:end]`, `rows[start:end]`: the records of the group. `spare[start:end]` is room for rows.
    """
    space, k = rooms.space, asked.check.k
    if asked.choice == GAIN and asked.attributes.kinds[j] == ORDERED:
        return _cut_for_gain(asked, rooms, table, rows, j, start, end)
    parts = divide(asked.attributes, space, table, j, start, end, k, asked.strict)
    space.parts[j] = parts
    if parts > 1 and not only_rows(asked.check):
        _lay_out(space, rows, spare, start, end, parts)
        if not _all_pass(asked, rooms, spare, start, parts):
            space.parts[j] = 0
    if space.parts[j] == 0:
        return NO_SPLIT
    if asked.choice == PRECISE:
        return precision(asked.attributes, space, table, j, start, end)
    if asked.choice == GUIDED:
        meet(asked.attributes, asked.rules, space, rooms.meeting, table, j, start, end, parts)
        return compared(guided(asked.rules, rooms.meeting, space.tally[GROUPS] - 1 + parts, parts))
    if asked.choice == GAIN:
        _lay_out(space, rows, spare, start, end, parts)
        return _gain(asked, rooms, rows, spare, start, end, parts)
    return space.bounds[j]


@inner
def _cut_for_gain(asked: Asked, rooms: Rooms, table: Codes, rows: Codes, j: int, start: int, end: int) -> float:
    """As `look`: the best of all cuts of an ordered attribute."""
    space = rooms.space
    score, code = best_cut(asked.check, rooms.check, asked.target, rooms.target, table, j, rows, start, end)
    space.parts[j] = 0
    if score >= 0.0:
        first = deal(table, j, start, end, code, end - start, space.child)
        space.parts[j], space.sizes[0], space.sizes[1] = 2, first, end - start - first
    return score


@inner
def _lay_out(space: Workspace, rows: Codes, spare: Codes, start: int, end: int, parts: int) -> None:
    """Writes the rows of each child, child after child."""
    begin_children(space, start, parts)
    for i in range(start, end):
        c = space.child[i]
        spare[space.next_at[c]] = rows[i]
        space.next_at[c] += 1


@inner
def _all_pass(asked: Asked, rooms: Rooms, spare: Codes, start: int, parts: int) -> bool:
    """Whether every child passes what is required."""
    for c in range(parts):
        if not passes(asked.check, rooms.check, spare, start, start + rooms.space.sizes[c]):
            return False
        start += rooms.space.sizes[c]
    return True


@inner
def _gain(asked: Asked, rooms: Rooms, rows: Codes, spare: Codes, start: int, end: int, parts: int) -> float:
    """What the children tell of the target."""
    scale = scale_of(end - start)
    gained = entropy_of(asked.target, rooms.target, rows, start, end, scale)
    begin = start
    for c in range(parts):
        gained -= entropy_of(asked.target, rooms.target, spare, begin, begin + rooms.space.sizes[c], scale)
        begin += rooms.space.sizes[c]
    return score_of(gained, end - start, scale)
