"""A server as its role finds it, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ordermade.views.screen import print_facts, print_table, say

if TYPE_CHECKING:
    from ordermade.catalogue.server_rights import RoleRights
    from ordermade.catalogue.sources import DescribedTable
    from ordermade.sources.server_facts import ServerFacts, TableRights


def rows_of(table: DescribedTable) -> str:
    """The rows of a table, of a server's its estimate."""
    if table.rows is not None:
        return f"{table.rows:,} rows"
    about = getattr(table, "about", None)
    return "rows not known" if about is None else f"about {about:,} rows"


def print_server(name: str, server: ServerFacts, rights: RoleRights | None = None) -> None:
    """The facts of a server on stdout, then its tables, and the rights that the role needs and has beyond."""
    print_facts(
        [
            ("source", name),
            ("server", server.server),
            ("user", server.user),
            ("TLS", server.tls or "not in use"),
            ("time zone", server.time_zone),
            ("encoding", server.encoding),
            ("collation", server.collation),
            ("writing", _writing(server)),
        ]
    )
    rows = [
        (f"{each.schema}.{each.name}", each.about, _rights(each), "; ".join(_notes(each))) for each in server.tables
    ]
    print_table(("table", "rows, about", "columns that may be read", "notes"), rows, empty="It has no tables.")
    if rights is not None:
        _print_rights(rights)
    if any(each.readable for each in server.tables):
        say(f"The source '{name}' can be read.")
    elif server.tables:
        say(f"The role may read no table of the source '{name}': GRANT SELECT gives the right.")


def _print_rights(rights: RoleRights) -> None:
    if rights.needed:
        say("What the datasets need, for the owner of the tables to grant:")
        for each in rights.needed:
            say(f"  {each}")
    for each in rights.beyond:
        say(f"In excess: {each}.")


def _writing(server: ServerFacts) -> str:
    if server.standby:
        return "not possible: the server is a hot standby"
    if server.read_only:
        return "not possible: the role or the server is set to read-only"
    if not server.may_write:
        return "not possible: the role has no right to"
    return "possible: the role has rights to write, used for releases into a writable source alone"


def _rights(table: TableRights) -> str:
    if table.readable == table.columns:
        return "all"
    return f"{table.readable} of {table.columns}" if table.readable else "none"


def _notes(table: TableRights) -> list[str]:
    found = []
    if table.row_security:
        found.append("row-level security: only the rows that the role may see are counted")
    if not table.snapshot:
        found.append("no snapshot, as of MyISAM or Aria: a request fails where rows change meanwhile")
    return found
