"""The nodes of the lattice that the cells of a request for tables are: a combination of levels for each."""

from __future__ import annotations

from itertools import product
from typing import TypeAlias

from ordermade.lattice.lattice import NodeKey
from ordermade.requests.resolve_table import ResolvedTable, ResolvedTables

ShownNode: TypeAlias = tuple[tuple[str, int], ...]
"""The level of each column that a node groups by, in the order of the names; columns with a total may be at `*`."""


def shown_nodes(resolved: ResolvedTables) -> tuple[ShownNode, ...]:
    """The nodes of every table, each once: every combination of the levels it shows."""
    found: dict[ShownNode, None] = {}
    for table in resolved.tables:
        for node in product(*(_levels_of(table, column) for column in table.every)):
            named = ((column, level) for column, level in zip(table.every, node, strict=True) if level is not None)
            found[tuple(sorted(named))] = None
    return tuple(found)


def finest_nodes(resolved: ResolvedTables) -> tuple[ShownNode, ...]:
    """The node of the finest levels of each table, each once."""
    found = (tuple(sorted((column, table.levels[column][0]) for column in table.every)) for table in resolved.tables)
    return tuple(dict.fromkeys(found))


def node_key(resolved: ResolvedTables, node: ShownNode) -> NodeKey:
    """The node by the contents of its levels, as table C knows it."""
    hierarchies = {each.column: each.hierarchy for each in resolved.dimensions}
    return frozenset((column, hierarchies[column].levels[level].content_hash) for column, level in node)


def _levels_of(table: ResolvedTable, column: str) -> tuple[int | None, ...]:
    """The levels that a table shows of a column, None for its total."""
    return (*table.levels[column], *((None,) if column in table.totals else ()))
