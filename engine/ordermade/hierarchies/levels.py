"""The levels of all kinds of hierarchies: hashes by content, names, numbering by refinement."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from itertools import chain

from ordermade.errors import HierarchyError
from ordermade.hierarchies.hierarchy import STAR, Level
from ordermade.lattice.order import LevelOrder

MOST_LEVELS = 64
"""The most levels of a hierarchy above its values."""

VALUE = "value"
"""The name of level 0 where none is given."""


def check_count(levels: int, *, where: str) -> None:
    """Raise HierarchyError where there are more levels above the values than a request could choose from."""
    if levels > MOST_LEVELS:
        raise HierarchyError(
            f"there are {levels:,} levels, and a hierarchy has at most {MOST_LEVELS}: the order of the levels is found "
            "by comparing each with each, and every level more multiplies the nodes of every search",
            where=where,
            next_step="Keep the levels that a request would choose.",
        )


def content_hash(*lines: str) -> str:
    """The SHA-256, in hexadecimal, of the lines, each ended by a line feed."""
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode("utf-8") + b"\n")
    return digest.hexdigest()


VALUE_HASH = content_hash("ordermade level: original value")
"""The hash of level 0 of every hierarchy: the original value, however its hierarchy goes on."""

TOP_HASH = content_hash("ordermade level: *")
"""The hash of the top level of every hierarchy."""


def content_hash_of(stretches: Iterable[str]) -> str:
    """Compute `content_hash` of many lines, of stretches of them in which every line is ended by a line feed."""
    digest = hashlib.sha256()
    for stretch in stretches:
        digest.update(stretch.encode("utf-8"))
    return digest.hexdigest()


def canonical(*parts: str | int | None) -> str:
    """One line of canonical text: ASCII JSON without spaces."""
    return json.dumps(parts, separators=(",", ":"))


def hierarchy_hash(kind: str, levels: Sequence[Level], further: Iterable[str] = ()) -> str:
    """The hash of a whole hierarchy: kind, levels in order (names and hashes), and stretches of what else it holds."""
    lines = (kind, *(canonical(level.name, level.content_hash) for level in levels))
    return content_hash_of(chain((f"{line}\n" for line in lines), further))


def numbered(
    names: Sequence[str | None],
    hashes: Sequence[str],
    *,
    value_name: str = VALUE,
    top_name: str = STAR,
    where: str = "",
) -> tuple[Level, ...]:
    """All levels of a hierarchy from the names and hashes of those between level 0 and the top.

    A level without a name is called `level` and its number. Raises HierarchyError where a name cannot be
    used.
    """
    between = [f"level{number}" if name is None else name for number, name in enumerate(names, start=1)]
    all_names = [value_name, *between, top_name]
    check_names(all_names, where=where)
    return tuple(map(Level, all_names, [VALUE_HASH, *hashes, TOP_HASH]))


def check_names(names: Sequence[str], *, where: str) -> None:
    """Raise HierarchyError unless the names are distinct and no numbers, and `*` is the top's alone."""
    if STAR in names[:-1]:
        raise HierarchyError(
            "a level below the top is named '*'",
            where=where,
            next_step="Only the last level may be named '*'.",
        )
    seen: dict[str, int] = {}
    for number, name in enumerate(names):  # no name is shown: a file read by mistake may have a record there
        if not name.strip():
            raise HierarchyError("a level has an empty name", where=where, next_step="Give it a name.")
        if name.strip().isdecimal():
            raise HierarchyError(
                f"the name of level {number} is a number",
                where=where,
                next_step="Requests give levels by number or name: use a name with a letter in it.",
            )
        if name.casefold() in seen:
            raise HierarchyError(
                f"levels {seen[name.casefold()]} and {number} have the same name",
                where=where,
                next_step="Rename one of them; upper and lower case count as the same.",
            )
        seen[name.casefold()] = number


def numbering(refines: Sequence[Sequence[bool]]) -> tuple[int, ...]:
    """The positions of the levels from finest to coarsest: an order consistent with `refines`.

    `refines[i][j]` says that the level given at position i refines the one at j. The given order stays
    wherever refinement allows: the next level is always the first of those left that no other one left has
    to precede.
    """
    left = list(range(len(refines)))
    order: list[int] = []
    while left:
        chosen = next(j for j in left if not any(_precedes(refines, i, j) for i in left if i != j))
        order.append(chosen)
        left.remove(chosen)
    return tuple(order)


def _precedes(refines: Sequence[Sequence[bool]], i: int, j: int) -> bool:
    # Levels with equal classes refine each other: the one given first counts as the finer.
    return refines[i][j] and (i < j or not refines[j][i])


def level_order(refines: Sequence[Sequence[bool]]) -> LevelOrder:
    """The order of a whole hierarchy from that of its numbered levels between level 0 and the top."""
    top = len(refines) + 1

    def finer(i: int, j: int) -> bool:
        if i == 0 or j == top:
            return i <= j
        return 0 < i <= j < top and (i == j or refines[i - 1][j - 1])

    return LevelOrder(tuple(tuple(finer(i, j) for j in range(top + 1)) for i in range(top + 1)))


def moves(order: Sequence[int], called: Sequence[str]) -> tuple[str, ...]:
    """A note for each level whose number is not its place in the file: `order` as `numbering` gives it."""
    return tuple(
        f"{called[given]} is now number {number}, by refinement"
        for number, given in enumerate(order, start=1)
        if given + 1 != number
    )
