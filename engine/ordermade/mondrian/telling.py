"""The information gain of a split on a target, and its children."""

from __future__ import annotations

from typing import NamedTuple

from ordermade.compiled import inner
from ordermade.mondrian.attributes import ORDERED, Attributes
from ordermade.mondrian.check import Checking
from ordermade.mondrian.children import divide
from ordermade.mondrian.cuts import deal
from ordermade.mondrian.domains import Codes
from ordermade.mondrian.gain import Target, TargetRoom, best_cut, entropy_of, scale_of, score_of
from ordermade.mondrian.scores import NO_SPLIT
from ordermade.mondrian.valid import all_pass, lay_out
from ordermade.mondrian.workspace import Workspace


class Scoring(NamedTuple):
    """The target of information gain, and scratch memory to score splits."""

    target: Target
    room: TargetRoom


@inner
def look_for_gain(
    attributes: Attributes,
    space: Workspace,
    checking: Checking | None,
    scoring: Scoring,
    table: Codes,
    rows: Codes,
    spare: Codes,
    j: int,
    start: int,
    end: int,
    k: int,
    strict: bool,
    missing: int,
) -> float:
    """The gain of a split by an attribute, below 0 if it is not valid. Its children are written.

    `missing`: the entropy of the target in the group, as `entropy_of` has it.
    """
    target, room = scoring.target, scoring.room
    if attributes.kinds[j] == ORDERED:
        score, code = best_cut(k, checking, target, room, table, j, rows, start, end, missing)
        space.parts[j] = 0
        if score >= 0.0:
            first = deal(table, j, start, end, code, end - start, space.child)
            space.parts[j], space.sizes[0], space.sizes[1] = 2, first, end - start - first
        return score
    parts = divide(attributes, space, table, j, start, end, k, strict)
    if checking is not None:
        parts = all_pass(space, checking, rows, spare, start, end, parts)
    space.parts[j] = parts
    if parts == 0:
        return NO_SPLIT
    lay_out(space, rows, spare, start, end, parts)
    n, scale, gained = end - start, scale_of(end - start), missing
    for c in range(parts):
        gained -= entropy_of(target, room, spare, start, start + space.sizes[c], scale)
        start += space.sizes[c]
    return score_of(gained, n, scale)
