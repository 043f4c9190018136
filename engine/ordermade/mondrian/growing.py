"""Split groups, the last open one first, until none is open or enough work is done for one call."""

from __future__ import annotations

from ordermade.compiled import compiled, inner
from ordermade.mondrian.check import Checking
from ordermade.mondrian.children import begin_children, divide
from ordermade.mondrian.domains import Codes
from ordermade.mondrian.gain import entropy_of, scale_of
from ordermade.mondrian.guiding import count_met
from ordermade.mondrian.looking import Parameters, Rooms, foremost, worth
from ordermade.mondrian.scores import GUIDED, NO_SPLIT, bound, measure
from ordermade.mondrian.telling import Scoring, look_for_gain
from ordermade.mondrian.valid import all_pass
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
"""The bound of a split whose score is known already."""


@compiled
def grow(
    parameters: Parameters,
    records: Records,
    waiting: Waiting,
    rooms: Rooms,
    checking: Checking | None,
    scoring: Scoring | None,
    enough: int,
) -> None:
    """Finish or split open groups, one at least, until so many codes have been read or no group is open.

    Code for arguments that are None is not compiled: mostly a child is valid by its number of records alone, and there
    is no target.
    """
    attributes, space, tally = parameters.attributes, rooms.space, rooms.space.tally
    columns, done = attributes.kinds.size, 0
    while tally[OPEN] > 0 and done < enough:
        start, end, side = _take(waiting, rooms)
        table, rows, spare = records.tables[side], records.rows[side], records.rows[1 - side]
        measure(attributes, space, table, start, end)
        for j in range(columns):
            space.bounds[j] = bound(attributes, space, parameters.choice, table, j, start, end, parameters.k)
        if scoring is not None:
            missing = entropy_of(scoring.target, scoring.room, rows, start, end, scale_of(end - start))
            if missing == 0:  # no split gains anything: the first valid one is made
                for j in range(columns):
                    space.bounds[j] = min(space.bounds[j], 0.0)
        best, best_score, last = columns, NO_SPLIT, columns
        while True:
            # Splits are looked at in the order of the most they can score, until none that is left can be better.
            j = foremost(space.bounds)
            most = space.bounds[j]
            found = most < 0.0 or most < best_score or (most == best_score and j > best)
            if found and best in (last, columns):
                break
            if found:
                j = best  # whose children have been written over
            if scoring is not None:
                score = look_for_gain(
                    attributes,
                    space,
                    checking,
                    scoring,
                    table,
                    rows,
                    spare,
                    j,
                    start,
                    end,
                    parameters.k,
                    parameters.strict,
                    missing,
                )
            else:
                parts = divide(attributes, space, table, j, start, end, parameters.k, parameters.strict)
                if checking is not None:
                    parts = all_pass(space, checking, rows, spare, start, end, parts)
                space.parts[j] = parts
                score = worth(parameters, rooms, table, j, start, end, parts)
            if score > best_score or (score == best_score and j < best and best < columns):
                best, best_score = j, score
            last, space.bounds[j] = j, LOOKED_AT
            tally[TRIED] += not found
            done += end - start
        done += end - start
        if best == columns:
            _finish(records, rows, space, start, end, parameters.k)
        else:
            _split(parameters, records, waiting, rooms, best, start, end, side)


@inner
def _take(waiting: Waiting, rooms: Rooms) -> tuple[int, int, int]:
    """Close the next open group and return its place. Its levels and the rules it meets are copied."""
    rooms.space.tally[OPEN] -= 1
    at = rooms.space.tally[OPEN]
    for j in range(waiting.levels.shape[1]):
        rooms.space.own_levels[j] = waiting.levels[at, j]
    for word in range(waiting.words.shape[1]):
        rooms.meeting.own_words[word] = waiting.words[at, word]
    return waiting.spans[at, START], waiting.spans[at, END], waiting.spans[at, SIDE]


@inner
def _split(
    parameters: Parameters, records: Records, waiting: Waiting, rooms: Rooms, j: int, start: int, end: int, side: int
) -> None:
    """Put the children, which are written, in the place of the group."""
    parts, tally = rooms.space.parts[j], rooms.space.tally
    if parts > 1:
        _move(rooms.space, records, side, start, end, parts)
        side = 1 - side
    _open(waiting, rooms, j, start, side, parts)
    if parameters.choice == GUIDED:
        count_met(rooms.meeting, parts)
    tally[GROUPS] += parts - 1
    tally[MADE] += 1


@inner
def _finish(records: Records, rows: Codes, space: Workspace, start: int, end: int, k: int) -> None:
    """Record a group that is not split."""
    for i in range(start, end):
        records.order[i] = rows[i]
    place = start // k
    records.begins[place] = start
    for j in range(space.own_levels.size):
        records.levels[place, j] = space.own_levels[j]
    space.tally[SETTLED] += end - start


@inner
def _move(space: Workspace, records: Records, side: int, start: int, end: int, parts: int) -> None:
    """Write the records to the other table, child after child, in their order."""
    rows, to_rows = records.rows[side], records.rows[1 - side]
    table, to_table = records.tables[side], records.tables[1 - side]
    begin_children(space, start, parts)
    for i in range(start, end):
        c = space.child[i]
        to = space.next_at[c]
        space.next_at[c] = to + 1
        to_rows[to] = rows[i]
        for j in range(table.shape[1]):
            to_table[to, j] = table[i, j]


@inner
def _open(waiting: Waiting, rooms: Rooms, j: int, start: int, side: int, parts: int) -> None:
    """Open the children of a split by an attribute, in an order that makes the first the next one to take."""
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
