"""A source that is truly apart from the workspace, with no dialect of its own: two DuckDB connections, one of each.

What holds in it holds because of the contract: a statement that reads a table of the workspace in the source, or a rule
that is evaluated there, fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
from sqlglot import exp

from ordermade import sql
from ordermade.sources.backend import CatalogTable, Column
from ordermade.sources.duckdb_file import DuckDBFile
from ordermade.sources.executor import Executor, Listener, Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.remote_source import RemoteSource
from ordermade.sources.spill_folder import SpillFolder
from ordermade.sources.workspace import connect


class TwoDatabases(RemoteSource):
    """A DuckDB file as a source, and a workspace elsewhere. It evaluates no rules, joins by `=`, takes no release."""

    def __init__(
        self,
        path: Path,
        *,
        writable: bool,
        limits: Limits,
        listener: Listener | None = None,
        allow_external: bool = False,
    ) -> None:
        del writable, allow_external
        self._file = DuckDBFile(path, writable=False, limits=limits, listener=listener)
        self.capabilities = replace(self._file.capabilities, evaluates_rules=False, joins_nulls=False)
        self.encodings: tuple[str, ...] = ()
        self.unvouched: frozenset[str] = frozenset()
        self.loads: tuple[str, ...] = ()
        self.executor = self._file.executor
        self.spill = SpillFolder()
        self.connection = connect(None, self.spill, limits)
        self.workspace = Executor(self.connection, "workspace", listener=listener)

    def text(self, query: exp.Expr, *, pretty: bool = False) -> str:
        return sql.text(query, pretty=pretty)

    def receive(self, table: str, columns: pa.RecordBatchReader) -> None:
        self._file.workspace.take(Purpose.STORE, table, columns)

    def tables(self) -> Sequence[CatalogTable]:
        return self._file.tables()

    def columns(self, relation: exp.Expr) -> tuple[Column, ...]:
        return self._file.columns(relation)

    def version_statement(self, relation: exp.Expr, columns: Sequence[Column]) -> exp.Select:
        return self._file.version_statement(relation, columns)

    def changed(self) -> bool:
        return self._file.changed()

    def close(self) -> None:
        self._file.close()
        self.connection.close()
        self.spill.close()
