"""A split that is looked at: the children that it would make, whether they are valid, and what it would be worth."""

from __future__ import annotations

from typing import NamedTuple

from ordermade.compiled import inner
from ordermade.mondrian.attributes import Attributes
from ordermade.mondrian.children import divide
from ordermade.mondrian.domains import Codes
from ordermade.mondrian.guiding import guided, meet
from ordermade.mondrian.rules import Rules
from ordermade.mondrian.scores import GUIDED, NO_SPLIT, PRECISE, compared, precision
from ordermade.mondrian.telling import Telling, look_for_gain
from ordermade.mondrian.valid import Checking, all_pass
from ordermade.mondrian.workspace import GROUPS, Meeting, Workspace


class Asked(NamedTuple):
    """What a partition is asked by."""

    attributes: Attributes
    rules: Rules
    choice: int
    k: int
    strict: bool


class Rooms(NamedTuple):
    """Where one group at a time is split: one a thread."""

    space: Workspace
    meeting: Meeting


@inner
def look(
    asked: Asked,
    rooms: Rooms,
    checking: Checking | None,
    telling: Telling | None,
    table: Codes,
    rows: Codes,
    spare: Codes,
    j: int,
    start: int,
    end: int,
) -> float:
    """The score of a split by an attribute, below 0 if it is not valid. Its children are written.

    `table[start:end]`, `rows[start:end]`: the records of the group. `spare[start:end]` is room for rows.
    """
    space = rooms.space
    if telling is not None:
        return look_for_gain(asked.attributes, space, telling, table, rows, spare, j, start, end)
    parts = divide(asked.attributes, space, table, j, start, end, asked.k, asked.strict)
    if checking is not None:
        parts = all_pass(space, checking, rows, spare, start, end, parts)
    space.parts[j] = parts
    if parts == 0:
        return NO_SPLIT
    if asked.choice == PRECISE:
        return precision(asked.attributes, space, table, j, start, end)
    if asked.choice == GUIDED:
        meet(asked.attributes, asked.rules, space, rooms.meeting, table, j, start, end, parts)
        return compared(guided(asked.rules, rooms.meeting, space.tally[GROUPS] - 1 + parts, parts))
    return float(space.bounds[j])
