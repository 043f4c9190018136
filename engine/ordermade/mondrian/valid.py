"""Test the children of a split against the requirement beyond k records."""

from __future__ import annotations

from ordermade.compiled import inner
from ordermade.mondrian.check import Checking
from ordermade.mondrian.children import begin_children
from ordermade.mondrian.domains import Codes
from ordermade.mondrian.passing import passes
from ordermade.mondrian.workspace import Workspace


@inner
def all_pass(space: Workspace, checking: Checking, rows: Codes, spare: Codes, start: int, end: int, parts: int) -> int:
    """The number of children if all of them pass, else 0. A child alone is the group, which passes."""
    if parts > 1:
        lay_out(space, rows, spare, start, end, parts)
        begin = start
        for c in range(parts):
            if not passes(checking.check, checking.room, spare, begin, begin + space.sizes[c]):
                return 0
            begin += space.sizes[c]
    return parts


@inner
def lay_out(space: Workspace, rows: Codes, spare: Codes, start: int, end: int, parts: int) -> None:
    """Write the rows of each child, child after child."""
    begin_children(space, start, parts)
    for i in range(start, end):
        c = space.child[i]
        spare[space.next_at[c]] = rows[i]
        space.next_at[c] += 1
