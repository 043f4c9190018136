"""The parameters of a partition, the scratch memory to split one group at a time, and the score of a split."""

from __future__ import annotations

from typing import NamedTuple

from ordermade.compiled import inner
from ordermade.mondrian.attributes import Attributes
from ordermade.mondrian.domains import Codes, Shares
from ordermade.mondrian.guiding import guided, meet
from ordermade.mondrian.rules import Rules
from ordermade.mondrian.scores import GUIDED, NO_SPLIT, PRECISE, compared, precision
from ordermade.mondrian.workspace import GROUPS, Meeting, Workspace


class Parameters(NamedTuple):
    """The parameters of a partition; `choice`: the number of the score that chooses splits."""

    attributes: Attributes
    rules: Rules
    choice: int
    k: int
    strict: bool


class Rooms(NamedTuple):
    """Scratch memory of a thread to split one group at a time."""

    space: Workspace
    meeting: Meeting


@inner
def worth(parameters: Parameters, rooms: Rooms, table: Codes, j: int, start: int, end: int, parts: int) -> float:
    """The score of a valid split by an attribute, of which the children are written."""
    if parts == 0:
        return NO_SPLIT
    if parameters.choice == PRECISE:
        return precision(parameters.attributes, rooms.space, table, j, start, end)
    if parameters.choice == GUIDED:
        meet(parameters.attributes, parameters.rules, rooms.space, rooms.meeting, table, j, start, end, parts)
        return compared(guided(parameters.rules, rooms.meeting, rooms.space.tally[GROUPS] - 1 + parts, parts))
    return float(rooms.space.bounds[j])


@inner
def foremost(bounds: Shares) -> int:
    """The first attribute of those with the greatest bound."""
    j = 0
    for other in range(1, bounds.size):
        if bounds[other] > bounds[j]:
            j = other
    return j
