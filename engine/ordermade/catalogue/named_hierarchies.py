"""Hierarchies that a request names, and levels that table C knows by their hashes, read from the state."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ordermade.errors import StateDamaged
from ordermade.hierarchies.cross_refinement import LevelContent, Original, contents_by_hash
from ordermade.hierarchies.hierarchy import VALUE_HASH, Hierarchy
from ordermade.hierarchies.stored import restore
from ordermade.state import hierarchies as stored

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def level_contents(connection: DuckDBPyConnection, level_hashes: Iterable[str]) -> dict[str, LevelContent]:
    """The contents of levels by their hashes, of hierarchies in use or not.

    Those that no hierarchy has, or only a damaged one, are left out.
    """
    wanted = set(level_hashes)
    found: dict[str, LevelContent] = {VALUE_HASH: Original()} if VALUE_HASH in wanted else {}
    others = wanted - found.keys()
    for known in stored.with_levels(connection, others) if others else ():
        try:
            content = contents_by_hash(restore("of an earlier request", known))
        except StateDamaged:  # `state verify` reports it; no result depends on such a hierarchy
            continue
        found |= {level: each for level, each in content.items() if level in others}
    return found


def named_hierarchies(connection: DuckDBPyConnection, names: Collection[str]) -> Mapping[str, Hierarchy]:
    """The hierarchies of these names as a mapping that also lists every other registered name (for near misses)."""
    known = stored.listed(connection)
    found = stored.of_records(connection, [each for each in known if each.name in names])
    loaded = {name: restore(name, each) for name, each in found.items()}
    return _Named(loaded, tuple(each.name for each in known))


@dataclass(frozen=True, slots=True)
class _Named(Mapping[str, Hierarchy]):
    """Hierarchies by name; iterating gives every registered name, looking up only those that were loaded."""

    loaded: Mapping[str, Hierarchy]
    known: tuple[str, ...]

    def __getitem__(self, name: str) -> Hierarchy:
        return self.loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)
