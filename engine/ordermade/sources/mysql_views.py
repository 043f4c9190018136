"""What the views of MariaDB and MySQL are made of, by the server's own texts of them: nothing of a view is run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ordermade import sql
from ordermade.errors import SourceFault, quoted
from ordermade.sources.executor import Purpose
from ordermade.sources.unstable import UNREAD, beyond, functions_of, unstable

if TYPE_CHECKING:
    from ordermade.sources.server import Server

_ENGINES = frozenset(["FEDERATED", "CONNECT", "SPIDER", "S3", "SPHINX", "OQGRAPH"])
"""Engines of MariaDB and MySQL whose rows are files or tables elsewhere."""
_NAMED = re.compile(r"`((?:[^`]|``)+)`\.`((?:[^`]|``)+)`(\s*\()?")


def look_in_mysql(server: Server, schema: str, name: str) -> None:
    """Raises SourceFault for a view that is not stable, or a table from elsewhere, by name; so do those under it."""
    done: set[tuple[str, str]] = set()
    waiting = [(schema, name)]
    while waiting:
        at = waiting.pop()
        if at in done:
            continue
        done.add(at)
        bound = {"schema": at[0], "table": at[1]}
        with server.kept(UNREAD):
            parts = server.executor.plain(Purpose.CATALOG, sql.script("mysql/view_parts"), bound)
        for engine, definition in parts:
            if (engine or "").upper() in _ENGINES and not server.allow_external:
                raise beyond(name, f"the {engine} table {quoted(at[1])}")
            if definition is None:
                continue
            if not definition:
                raise SourceFault(
                    f"what the view {quoted(at[1])} is made of cannot be read",
                    where=server.where,
                    next_step="Ask for the right to see it: GRANT SHOW VIEW.",
                )
            found = functions_of(definition, "`")[1]
            if found:
                raise unstable(at[1], found)
            waiting += _named_in(server, at[1], definition)


def _named_in(server: Server, view: str, definition: str) -> list[tuple[str, str]]:
    """The tables that a view names. Raises SourceFault for a function of the database that is not deterministic."""
    named = []
    for schema, table, is_called in _NAMED.findall(definition):
        at = (schema.replace("``", "`"), table.replace("``", "`"))
        if not is_called:
            named.append(at)
            continue
        bound = {"schema": at[0], "table": at[1]}
        with server.kept(UNREAD):
            declared = server.executor.plain(Purpose.CATALOG, sql.script("mysql/routine"), bound)
        if declared != [("YES",)]:
            raise unstable(view, f"{at[1]}() (not declared deterministic)")
    return named
