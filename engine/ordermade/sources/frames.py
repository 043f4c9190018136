"""Sources that are frames of a program: pandas, polars and Arrow, read where they are, by Arrow.

Nothing of a frame is written anywhere. Numbers, times and the texts that Arrow holds already are not copied; objects of
Python are, once. The frame itself is never changed. Whoever changes it while a request runs gets figures of no one
moment: the copy of an object column stays as it was, the memory that is shared does not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, an, quoted
from ordermade.sources import arrow_columns
from ordermade.sources.arrow_columns import FrameColumn
from ordermade.sources.backend import Capabilities, CatalogTable, ReadFrame
from ordermade.sources.duckdb_file import InDuckDB
from ordermade.sources.executor import Listener, Purpose
from ordermade.sources.frame_columns import CallerFrame, FrameTables
from ordermade.sources.limits import Limits

_FRAMES = "a DataFrame of pandas or polars, a LazyFrame, or a Table of pyarrow"


def is_frame(data: object) -> bool:
    """Whether an object is a frame that can be given; nothing is imported for it."""
    return _kind(data) is not None


def as_pandas(data: object, where: str) -> Any:
    """A frame as one of pandas. Raises InputError for anything else."""
    kind = _kind(data)
    if kind is None:
        raise InputError(f"this is no frame but {an(type(data).__name__)}", where=where, next_step=f"Give {_FRAMES}.")
    frame: Any = data
    if kind == "pandas":
        return frame
    if kind == "lazy":
        frame = frame.collect()
    elif kind in ("arrow", "reader"):
        frame = _arrow_table(frame, where)
    return frame.to_pandas()


def given(data: object, where: str) -> CallerFrame:
    """A frame, its columns brought into Arrow; `where` is how messages call it.

    Raises InputError for anything else, a frame without rows or columns, and columns without a name of their own.
    """
    kind = _kind(data)
    if kind is None:
        raise InputError(f"this is no frame but {an(type(data).__name__)}", where=where, next_step=f"Give {_FRAMES}.")
    frame: Any = data
    if kind == "lazy":
        frame = frame.collect()
    elif kind in ("arrow", "reader"):
        frame = _arrow_table(frame, where)
    names = list(frame.schema.names if kind in ("arrow", "reader") else frame.columns)
    _require_names(names, where)
    if not len(frame):
        once = " A reader gives its rows once: give the table that it was read into." if kind == "reader" else ""
        raise InputError("the frame has no rows", where=where, next_step=f"Give one that has.{once}")
    columns, inside = [], {}
    for place, name in enumerate(names):
        column, values = _taken(kind, name, frame, place)
        columns.append(column)
        if values is not None:
            inside[name] = values
    if not inside:
        first = next(each for each in columns if each.refused is not None)
        raise refusal(first, where)
    return CallerFrame(kind, tuple(columns), pa.table(inside))


def refusal(column: FrameColumn, where: str) -> InputError:
    """The error about a column that cannot be read."""
    if column.refused is None:
        raise ValueError("the column is not refused")
    return InputError(
        f"the column {quoted(column.name)} holds {column.refused.what}, which the engine cannot read and give back",
        where=where,
        next_step=f"{column.refused.instead[:1].upper()}{column.refused.instead[1:]}, or leave it out of the request.",
    )


def _kind(data: object) -> str | None:
    for each in type(data).__mro__:
        room, _, name = each.__module__.partition(".")[0], None, each.__name__
        found = _KINDS.get((room, name))
        if found is not None:
            return found
    gives_itself = hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")
    return "arrow" if gives_itself else None


_KINDS: Mapping[tuple[str, str], str] = {
    ("pandas", "DataFrame"): "pandas",
    ("polars", "DataFrame"): "polars",
    ("polars", "LazyFrame"): "lazy",
    ("pyarrow", "Table"): "arrow",
    ("pyarrow", "RecordBatch"): "arrow",
    ("pyarrow", "RecordBatchReader"): "reader",
}


def _arrow_table(data: Any, where: str) -> pa.Table:
    """The table that gives itself to Arrow. Raises InputError for what gives no table, as a column does."""
    match data:
        case pa.Table():
            return data
        case pa.RecordBatch():
            return pa.Table.from_batches([data])
        case pa.RecordBatchReader():
            return data.read_all()
    try:
        return pa.table(data)
    except (pa.ArrowException, TypeError, ValueError):
        raise InputError(
            f"this is no frame but {an(type(data).__name__)}", where=where, next_step=f"Give {_FRAMES}."
        ) from None


def _taken(kind: str, name: str, frame: Any, place: int) -> tuple[FrameColumn, pa.ChunkedArray | None]:
    if kind == "pandas":
        from ordermade.sources import pandas_columns

        return pandas_columns.taken(name, frame.iloc[:, place])
    if kind in ("polars", "lazy"):
        from ordermade.sources import polars_columns

        return polars_columns.taken(name, frame.to_series(place))
    return arrow_columns.taken(name, frame.column(place))


def _require_names(names: Sequence[object], where: str) -> None:
    """Raises InputError unless every column has a text of its own as its name, whatever the case of letters."""
    if not names:
        raise InputError("the frame has no columns", where=where, next_step="Give one that has; an index is none.")
    other = next((each for each in names if not isinstance(each, str)), None)
    if other is not None:
        several = " to one level" if isinstance(other, tuple) else ""
        raise InputError(
            f"the columns of the frame are not named by texts, but by {an(type(other).__name__)} among others",
            where=where,
            next_step=f"Rename them{several}, for example with df.columns = [str(each) for each in df.columns].",
        )
    texts = [str(each) for each in names]
    if any(not each.strip() for each in texts):
        raise InputError("a column of the frame has no name", where=where, next_step="Rename it, or leave it out.")
    if any(not _is_text(each) for each in texts):
        raise InputError(
            "the name of a column holds a character that no text has: half of a surrogate pair, or the byte 0",
            where=where,
            next_step="Rename it, or leave it out.",
        )
    twice = sorted(name for name, times in Counter(texts).items() if times > 1)
    if twice:
        raise InputError(
            f"several columns of the frame are called {quoted(twice[0])}",
            where=where,
            next_step="Rename all but one of them, or drop them.",
        )
    by_folded: dict[str, str] = {}
    for each in texts:
        first = by_folded.setdefault(each.lower(), each)
        if first != each:
            raise InputError(
                f"the columns {quoted(first)} and {quoted(each)} differ in the case of letters alone, which SQL "
                "takes for one name",
                where=where,
                next_step="Rename one of them.",
            )


def _is_text(name: str) -> bool:
    try:
        return b"\0" not in name.encode("utf-8")
    except UnicodeEncodeError:
        return False


class Frames(InDuckDB):
    """The frames that a program gave, each a table of its name, on the connection of the workspace."""

    def __init__(self, held: FrameTables, *, limits: Limits, listener: Listener | None = None) -> None:
        self.held = held
        self.capabilities = Capabilities(releases_tables=True, collates=False, gives_frames=True, summed=self.summed)
        self.open_duckdb(None, limits, listener)
        try:
            self._tables = tuple(self._table(place, name) for place, name in enumerate(held.tables))
        except BaseException:
            self.close()
            raise

    def _table(self, place: int, name: str) -> CatalogTable:
        inside = f"given_frame_{place + 1}"
        self.connection.register(inside, self.held.tables[name].inside)
        reference = sql.table(name, schema="main", catalog="memory")
        rows = sql.with_relations(sql.select("workspace/taken"), {"dataset": exp.to_table(inside)})
        return self.viewed(reference, name, "main", rows)[0]

    def tables(self) -> tuple[CatalogTable, ...]:
        """The frames."""
        return self._tables

    def frames(self, origin: exp.Expr) -> tuple[ReadFrame, ...]:
        """The frames that a table or query reads, the first that it names first."""
        names = dict.fromkeys(each.name for each in origin.find_all(exp.Table, bfs=False))
        references = {each.name: each.reference for each in self._tables}
        return tuple(
            ReadFrame(self.held.tables[name], self._schema_of(references[name])) for name in names if name in references
        )

    def _schema_of(self, table: exp.Table) -> pa.Schema:
        """The types of Arrow that DuckDB gives the columns of a frame back in."""
        none = sql.with_relations(sql.select("workspace/none_taken"), {"dataset": table})
        return self.executor.read(Purpose.CATALOG, none).read_all().schema
