"""The contents of the levels of a state's hierarchies, by their content hashes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ordermade.errors import StateDamaged
from ordermade.hierarchies.across import LevelContent, Original, contents_by_hash
from ordermade.hierarchies.levels import VALUE_HASH
from ordermade.hierarchies.stored import restore
from ordermade.state import hierarchies

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def level_contents(connection: DuckDBPyConnection, level_hashes: Iterable[str]) -> dict[str, LevelContent]:
    """The contents of levels by their hashes, of hierarchies in use or not.

    Those that no hierarchy has, or only a damaged one, are left out.
    """
    wanted = set(level_hashes)
    found: dict[str, LevelContent] = {VALUE_HASH: Original()} if VALUE_HASH in wanted else {}
    others = wanted - found.keys()
    for stored in hierarchies.with_levels(connection, others) if others else ():
        try:
            content = contents_by_hash(restore("of an earlier request", stored))
        except StateDamaged:  # `state verify` reports it; no result depends on such a hierarchy
            continue
        found |= {level: each for level, each in content.items() if level in others}
    return found
