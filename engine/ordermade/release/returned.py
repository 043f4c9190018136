"""A release that a program gets back as a frame: measured as it is handed over, and in the kind that was given."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc
from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, ReleaseFault, quoted
from ordermade.release.measure import MeasuredRelease, ReadingPlan, measured
from ordermade.sources.backend import Backend
from ordermade.sources.executor import Executor, arrow
from ordermade.sources.limits import Limits
from ordermade.sources.spill_folder import SpillFolder
from ordermade.sources.workspace import connect

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow as pa

    from ordermade.sources.arrow_columns import FrameColumn

RELEASED = "released_frame"
AT_ONCE = 32_768
"""So many rows of a release are texts at a time, until they are numbered. DuckDB makes several such batches ahead."""


def measure_arrow(table: pa.Table, reading: ReadingPlan, limits: Limits) -> MeasuredRelease:
    """Measures a released table of Arrow, by a connection that knows nothing else."""
    with SpillFolder() as spill:
        connection = connect(None, spill, limits)
        try:
            connection.register(RELEASED, table)
            executor = Executor(connection, "released frame", fault=ReleaseFault)
            return measured(executor, sql.table(RELEASED), reading)
        finally:
            connection.close()


def compact(rows: pa.RecordBatchReader) -> pa.Table:
    """The rows of a release, texts that repeat by number: a release has few labels, and may have many rows."""
    columns: list[list[pa.Array]] = [[] for _ in rows.schema]
    encoded = [arrow().types.is_string(each.type) for each in rows.schema]
    for batch in rows:
        for place, values in enumerate(batch.columns):
            if encoded[place] and not columns[place] and pc.count_distinct(values).as_py() * 2 > len(values):
                encoded[place] = False
            columns[place].append(values.dictionary_encode() if encoded[place] else _alone(values))
    found = []
    for each, parts, is_encoded in zip(rows.schema, columns, encoded, strict=True):
        kind = arrow().dictionary(arrow().int32(), each.type) if is_encoded else each.type
        found.append(arrow().chunked_array(parts, kind))
    return arrow().table(found, names=rows.schema.names)


def _alone(values: pa.Array) -> pa.Array:
    """A copy of values: the column of a batch that DuckDB gave keeps the memory of all its columns."""
    return values.copy_to(arrow().default_cpu_memory_manager())


def _plain(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values without numbers in the place of texts."""
    return values.cast(values.type.value_type) if arrow().types.is_dictionary(values.type) else values


def _is_plain_text(compacted: pa.DataType, column: FrameColumn | None, kind: pa.DataType | None) -> bool:
    """Whether compacted values are texts by number, of a column of texts, or of one that is labelled."""
    types = arrow().types
    if not types.is_dictionary(compacted) or not types.is_string(compacted.value_type):
        return False
    given = None if column is None or compacted.value_type != kind else column.type
    return given is None or types.is_string(given) or types.is_large_string(given) or types.is_string_view(given)


@dataclass(frozen=True, slots=True)
class ReturnedFrame:
    """A released frame: its rows as Arrow, and the kind and columns of the frame that it was made of.

    `table` gives the rows that were measured, in DuckDB's types. `given`: by released column, the column of the frame
    whose values it has; `exact`: those that must come back in their own types, whatever they hold.
    """

    kind: str
    table: Callable[[], pa.Table] = field(repr=False)
    given: tuple[tuple[str, FrameColumn, pa.DataType], ...] = field(default=(), repr=False)
    exact: frozenset[str] = frozenset()

    def frame(self) -> Any:
        """The release in the kind of frame that was given."""
        match self.kind:
            case "polars":
                return self.to_polars()
            case "lazy":
                return self.to_polars().lazy()
            case "arrow":
                return self.to_arrow()
            case "reader":
                return self.to_arrow().to_reader()
        return self.to_pandas()

    def changes(self, columns: Collection[str]) -> Iterator[str]:
        """Of those of these columns that come back otherwise than they were given, in what."""
        table = self.table()
        for name, column, _ in self.given:
            if name in columns and column.changed is not None:
                changed = column.changed(_plain(table.column(name)))
                if changed:
                    yield f"the column {quoted(name)} is not in all as it was: {changed}."

    def to_arrow(self) -> pa.Table:
        """The release as a table of pyarrow."""
        names, columns = self.table().schema.names, [values for _, values, _ in self._columns()]
        return arrow().table(columns, names=names)

    def to_pandas(self) -> pandas.DataFrame:
        """The release as a frame of pandas."""
        from ordermade.sources import pandas_columns

        own = self.kind == "pandas"
        return pandas_columns.table((name, values, each if own else None) for name, values, each in self._columns())

    def to_polars(self) -> polars.DataFrame:
        """The release as a frame of polars. Raises InputError where polars is not installed."""
        try:
            from ordermade.sources import polars_columns
        except ImportError:
            raise InputError(
                "polars is not installed", where="to_polars", next_step="Run `pip install polars`, or use to_pandas()."
            ) from None
        own = self.kind in ("polars", "lazy")
        columns = self._columns(numbered=True)
        return polars_columns.table((name, values, each if own else None) for name, values, each in columns)

    def _columns(self, *, numbered: bool = False) -> Iterator[tuple[str, pa.ChunkedArray, FrameColumn | None]]:
        """The released columns, those with the values of a given column in its type, with that column.

        `numbered`: texts stay dictionaries, where the type of the column is one of plain texts.
        """
        table, by_name = self.table(), {name: (column, kind) for name, column, kind in self.given}
        for name, compacted in zip(table.schema.names, table.columns, strict=True):
            column, kind = by_name.get(name, (None, None))
            if numbered and _is_plain_text(compacted.type, column, kind):
                yield name, compacted, column if compacted.type.value_type == kind else None
                continue
            values = _plain(compacted)
            if column is None or values.type != kind:
                yield name, values, None
                continue
            try:
                again = column.restored(values)
            except (arrow().ArrowException, ValueError):
                if name in self.exact:
                    raise ReleaseFault(
                        f"the column {quoted(name)} cannot be given the type that it had",
                        where="the released frame",
                        next_step="Cast it before, or report this.",
                    ) from None
                yield name, values, None
            else:
                yield name, again, column


def returned(
    backend: Backend, origin: exp.Expr, columns: Collection[str], exact: Collection[str], table: Callable[[], pa.Table]
) -> ReturnedFrame | None:
    """The frame that is given back for a release with these columns; None where the source is no frame.

    `origin`: the table or query of the dataset. `table`: gives the rows.
    """
    frames = backend.frames(origin)
    if not frames:
        return None
    found = []
    for name in columns:
        owners = [(read, each) for read in frames for each in read.given.columns if each.name == name]
        if len(owners) == 1 and owners[0][1].refused is None:
            found.append((name, owners[0][1], owners[0][0].schema.field(name).type))
    return ReturnedFrame(frames[0].given.kind, table, tuple(found), frozenset(exact))
