"""A source that is a DuckDB database file, opened read-only."""

from __future__ import annotations

from pathlib import Path

from ordermade import sql
from ordermade.errors import SourceFault
from ordermade.sources.backend import Capabilities, Column, SourceTable
from ordermade.sources.door import Door, Listener, Purpose
from ordermade.sources.in_duckdb import InDuckDB
from ordermade.sources.workspace import Limits, SpillFolder, connect


class DuckDBFile(InDuckDB):
    """A DuckDB file. While it is open no other process can write it, so what is measured stays what is released."""

    def __init__(self, path: Path, *, writable: bool, limits: Limits, listener: Listener | None = None) -> None:
        if not path.is_file():
            raise SourceFault(
                "there is no such file",
                where=str(path),
                next_step="Check the path, or register the source again.",
            )
        self.path = path
        self.encodings: tuple[str, ...] = ()
        self.unvouched: frozenset[str] = frozenset()
        self._spill = SpillFolder()
        try:
            self.connection = connect(path, self._spill, limits)
        except BaseException:
            self._spill.close()
            raise
        self.door = Door(self.connection, "source", listener=listener)
        self.workspace = Door(self.connection, "workspace", listener=listener)
        collated = self.door.rows(Purpose.CATALOG, sql.template("collations"))[0][0]
        self.capabilities = Capabilities(releases_tables=writable, collates=bool(collated))

    def tables(self) -> tuple[SourceTable, ...]:
        """Every table and view of the database."""
        found: dict[tuple[str, str, str, bool], list[Column]] = {}
        for database, schema, table, is_view, column, kind in self.door.rows(Purpose.CATALOG, sql.template("catalog")):
            found.setdefault((database, schema, table, bool(is_view)), []).append(Column(column, kind))
        return tuple(
            SourceTable(table, schema, tuple(columns), sql.table(table, schema=schema, catalog=database), is_view)
            for (database, schema, table, is_view), columns in found.items()
        )

    def changed(self) -> bool:
        """Never: an open DuckDB file admits no writer."""
        return False

    def close(self) -> None:
        """Closes the database and removes what was spilled."""
        self.connection.close()
        self._spill.close()
