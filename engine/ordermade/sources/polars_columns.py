"""Columns of polars on their way to Arrow, and the released ones on their way back to the dtype they had."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import polars as pl
import pyarrow as pa

from ordermade.sources.arrow_columns import (
    NARROWEST_DECIMAL,
    FrameColumn,
    Unreadable,
    categories_lost,
    entered,
    labels_of,
    zeros_changed,
)


def taken(name: str, column: pl.Series) -> tuple[FrameColumn, pa.ChunkedArray | None]:
    """A column as it was given, and its values as they enter; None where it is refused."""
    try:
        values = _as_arrow(column)
        inside, dtype = entered(values), column.dtype
        changed = zeros_changed(inside)
        if hasattr(dtype, "categories") and dtype.base_type().__name__ == "Enum":
            changed = partial(categories_lost, categories=len(dtype.categories))
        back = partial(_again, dtype=dtype)
        return FrameColumn(name, values.type, labels_of(values), back, changed=changed), inside
    except Unreadable as refused:
        return FrameColumn(name, pa.null(), refused=refused), None


def _as_arrow(column: pl.Series) -> pa.ChunkedArray:
    dtype = column.dtype
    if dtype == pl.Object or (dtype.is_nested() and "Object" in str(dtype)):
        raise Unreadable("Python objects (the dtype Object)", "cast the column to a dtype of polars itself")
    if dtype.is_nested() and ("Int128" in str(dtype) or "UInt128" in str(dtype)):
        raise Unreadable("nested whole numbers of 16 bytes", "take the parts that you need out as columns")
    if dtype in {pl.Int128, getattr(pl, "UInt128", pl.Int128)}:
        try:
            return pa.chunked_array(column.cast(pl.Decimal(NARROWEST_DECIMAL, 0)))
        except pl.exceptions.PolarsError:
            raise Unreadable(
                f"whole numbers of more than {NARROWEST_DECIMAL} digits", "cast the column to text"
            ) from None
    return pa.chunked_array(column)  # chunk by chunk: `to_arrow` copies them into one


def _again(released: pa.ChunkedArray, dtype: Any) -> pl.Series:
    if isinstance(dtype, pl.Enum | pl.Categorical):
        # The labels of an Enum are those that are released: the others may be of suppressed rows.
        labels = pl.Enum(released.combine_chunks().dictionary.to_pylist()) if isinstance(dtype, pl.Enum) else dtype
        return pl.Series(values=pl.from_arrow(released)).cast(pl.String).cast(labels)
    if dtype == pl.String and pa.types.is_dictionary(released.type):
        return _texts(released)
    found = pl.from_arrow(released)
    if not isinstance(found, pl.Series):
        raise TypeError("a column of Arrow is a series")
    return found if found.dtype == dtype else found.cast(dtype)


def _texts(numbered: pa.ChunkedArray) -> pl.Series:
    """Texts that Arrow has by number: rows with one text share its memory."""
    parts = [pl.Series(each.dictionary, dtype=pl.String).gather(pl.Series(each.indices)) for each in numbered.chunks]
    return pl.concat(parts, rechunk=False) if parts else pl.Series(dtype=pl.String)


def table(columns: Iterable[tuple[str, pa.ChunkedArray, FrameColumn | None]]) -> pl.DataFrame:
    """Released columns as a frame, each with the dtype that it had where it is `given`."""
    series = []
    for name, values, given in columns:
        back = None if given is None else given.back
        if back is not None:
            made = back(values)
        elif pa.types.is_dictionary(values.type):
            made = _texts(values)
        else:
            made = pl.Series(values=pl.from_arrow(values))
        series.append(made.alias(name))
    return pl.DataFrame(series)
