"""Groups are split, the last open one first, until none is left open or enough has been done for one call."""

from __future__ import annotations

from ordermade.compiled import compiled, inner
from ordermade.mondrian.attributes import Numbers
from ordermade.mondrian.children import begin_children
from ordermade.mondrian.domains import Codes, Shares
from ordermade.mondrian.guiding import count_met
from ordermade.mondrian.looking import Asked, Rooms, look
from ordermade.mondrian.scores import GUIDED, NO_SPLIT, bound, measure
from ordermade.mondrian.telling import Telling
from ordermade.mondrian.valid import Checking
from ordermade.mondrian.workspace import (
    END,
    GROUPS,
    MADE,
    OPEN,
    SETTLED,
    SIDE,
    START,
    TRIED,
    Records,
    Waiting,
    Workspace,
)

LOOKED_AT = -2.0
"""Stands for what a split can score that need not be looked at again."""


@compiled
def grow(
    asked: Asked,
    records: Records,
    waiting: Waiting,
    rooms: Rooms,
    checking: Checking | None,
    telling: Telling | None,
    enough: int,
) -> None:
    """Finishes or splits open groups, one at least, until so many codes have been looked at or no group is open.

    What is None is not even compiled: mostly a child is valid by its number of records alone, and there is no target.
    """
    space, meeting = rooms.space, rooms.meeting
    tally, done = space.tally, 0
    while tally[OPEN] > 0 and done < enough:
        tally[OPEN] -= 1
        at, tried = tally[OPEN], tally[TRIED]
        start, end, side = waiting.spans[at, START], waiting.spans[at, END], waiting.spans[at, SIDE]
        table, rows, spare = records.tables[side], records.rows[side], records.rows[1 - side]
        for j in range(table.shape[1]):
            space.own_levels[j] = waiting.levels[at, j]
        for word in range(meeting.own_words.size):
            meeting.own_words[word] = waiting.words[at, word]
        best = _best(asked, rooms, checking, telling, table, rows, spare, start, end)
        parts = space.parts[best]
        if parts == 0:
            _finish(records, rows, space.own_levels, start, end, asked.k)
            tally[SETTLED] += end - start
        else:
            if parts > 1:
                side = 1 - side
                _move(space, table, rows, records.tables[side], spare, start, end, parts)
            _open(waiting, rooms, best, start, side, parts)
            if asked.choice == GUIDED:
                count_met(meeting, parts)
            tally[GROUPS] += parts - 1
            tally[MADE] += 1
        done += (end - start) * (1 + tally[TRIED] - tried)


@inner
def _best(
    asked: Asked,
    rooms: Rooms,
    checking: Checking | None,
    telling: Telling | None,
    table: Codes,
    rows: Codes,
    spare: Codes,
    start: int,
    end: int,
) -> int:
    """The attribute that the group is best split by, its children being written; the number of attributes for none.

    Splits are looked at in the order of the most they can score, and no further than one of those left can be better.
    """
    space, columns = rooms.space, table.shape[1]
    measure(asked.attributes, space, table, start, end)
    for j in range(columns):
        space.bounds[j] = bound(asked.attributes, space, asked.choice, table, j, start, end, asked.k)
    best, best_score, last = columns, NO_SPLIT, columns
    while True:
        j = _foremost(space.bounds)
        most = space.bounds[j]
        if most < 0.0 or most < best_score or (most == best_score and j > best):
            break
        score = look(asked, rooms, checking, telling, table, rows, spare, j, start, end)
        last, space.bounds[j] = j, LOOKED_AT
        space.tally[TRIED] += 1
        if score > best_score or (score == best_score and j < best and best < columns):
            best, best_score = j, score
    if best != last and best < columns:
        look(asked, rooms, checking, telling, table, rows, spare, best, start, end)
    return int(best)


@inner
def _foremost(bounds: Shares) -> int:
    """The first attribute of those with the greatest bound."""
    j = 0
    for other in range(1, bounds.size):
        if bounds[other] > bounds[j]:
            j = other
    return j


@inner
def _finish(records: Records, rows: Codes, levels: Numbers, start: int, end: int, k: int) -> None:
    """Writes down a group that is not split."""
    for i in range(start, end):
        records.order[i] = rows[i]
    place = start // k
    records.begins[place] = start
    for j in range(levels.size):
        records.levels[place, j] = levels[j]


@inner
def _move(
    space: Workspace, table: Codes, rows: Codes, to_table: Codes, to_rows: Codes, start: int, end: int, parts: int
) -> None:
    """Writes the records to the other table, child after child, in their order."""
    columns = table.shape[1]
    begin_children(space, start, parts)
    for i in range(start, end):
        c = space.child[i]
        to = space.next_at[c]
        space.next_at[c] = to + 1
        to_rows[to] = rows[i]
        for j in range(columns):
            to_table[to, j] = table[i, j]


@inner
def _open(waiting: Waiting, rooms: Rooms, j: int, start: int, side: int, parts: int) -> None:
    """Opens the children of a split by an attribute, in such an order that the first is the next one to be taken."""
    space, at = rooms.space, rooms.space.tally[OPEN] + parts
    rooms.space.tally[OPEN] = at
    for c in range(parts):
        at -= 1
        waiting.spans[at, START], waiting.spans[at, END] = start, start + space.sizes[c]
        waiting.spans[at, SIDE] = side
        start += space.sizes[c]
        for other in range(space.own_levels.size):
            waiting.levels[at, other] = space.own_levels[other]
        if space.own_levels[j] > 0:
            waiting.levels[at, j] = space.own_levels[j] - 1
        for word in range(waiting.words.shape[1]):
            waiting.words[at, word] = rooms.meeting.words[c, word]
