"""The statements of a server's connection: each read as Arrow, or as its driver gives it, and kept in the ledger."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from ordermade.errors import SourceFault, UnfitValue
from ordermade.sources.apart import ApartExecutor
from ordermade.sources.executor import Listener, Parameters, Purpose, arrow, arrow_type
from ordermade.sources.server_names import stored_names

if TYPE_CHECKING:
    import pyarrow as pa

    from ordermade.sources.server import Server


def _unanswered(purpose: Purpose) -> str:
    return f"the source could not answer the {purpose} statement"


class ServerExecutor(ApartExecutor):
    """Runs statements on a server's connection and keeps the ledger of them."""

    def __init__(self, source: Server, listener: Listener | None) -> None:
        super().__init__(listener)
        self._source = source

    def read(self, purpose: Purpose, statement: exp.Expr, parameters: Parameters | None = None) -> pa.RecordBatchReader:
        """The answer as a reader of Arrow batches, in its order. Raises SourceFault."""
        printed, columns = self._source.prepared(statement)
        schema = arrow().schema([(each.name, _arrow_type(each.type)) for each in columns])
        bound = {**printed.bound, **(parameters or {})}
        stored = stored_names(statement, [each.name for each in columns])
        self._source.about_to_read([(each.db, each.name) for each in statement.find_all(exp.Table)])

        def batches() -> Iterator[pa.RecordBatch]:
            with self.noted(purpose, printed.text):
                answered = partial(self._source.answer, printed.text, bound, columns, schema, stored)
                yield from self._source.resumed(_unanswered(purpose), answered)

        return arrow().RecordBatchReader.from_batches(schema, batches())

    def plain(self, purpose: Purpose, text: str, bound: Mapping[str, object] | None = None) -> list[tuple[Any, ...]]:
        """All rows of a statement of a server's own module, as its driver gives them. Raises SourceFault."""
        with self.noted(purpose, text):
            return self._source.fetch(text, bound)

    @contextlib.contextmanager
    def failing(self, purpose: Purpose) -> Iterator[None]:
        """Around a statement: its error becomes SourceFault."""
        with self._source.faults(_unanswered(purpose)):
            try:
                yield
            except (arrow().ArrowException, OverflowError):
                raise UnfitValue(
                    f"a value does not fit the type that it is read as (in the {purpose} statement)",
                    next_step="Check what the dataset query calculates, and what its columns store.",
                ) from None


def _arrow_type(kind: str) -> pa.DataType:
    """The Arrow type of a type of DuckDB. Raises SourceFault for one that no server gives."""
    found = arrow_type(kind)
    if found is None:
        raise SourceFault(f"servers give no answers of the type {kind}", next_step="Leave the column out.")
    return found
