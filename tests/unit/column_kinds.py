"""Sixty kinds of column, of pandas, polars and Arrow: one maker each, and what becomes of it.

`docs/reference/frames.md` has the same table, which a test holds against this one.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

COPIES = 8
"""So many rows have each value."""


@dataclass(frozen=True)
class Kind:
    """A kind of column: its maker, of a few values, among them a missing one where it has such.

    `refused`: what the message says, where it cannot be read. `kept_alone`: it may be kept, and not generalised.
    """

    library: str
    name: str
    make: Callable[[], Any]
    refused: str = ""
    kept_alone: bool = False

    def __str__(self) -> str:
        return f"{self.library}: {self.name}"

    @property
    def fate(self) -> str:
        """In words, what becomes of a column of the kind."""
        if self.refused:
            return f"refused: {self.refused}"
        return "kept" if self.kept_alone else "kept, or generalised"

    def frame(self) -> Any:
        """A frame of the kind's library with the column `kind`, and one that is the same in every row."""
        column = self.make()
        rows = len(column) * COPIES
        match self.library:
            case "pandas":
                order = np.tile(np.arange(len(column)), COPIES)
                taken = pd.Series(column).take(order).reset_index(drop=True)
                return pd.DataFrame({"group": ["g"] * rows, "kind": taken})
            case "polars":
                return pl.DataFrame([pl.Series("group", ["g"] * rows), pl.concat([column] * COPIES).alias("kind")])
        chunks = pa.chunked_array([column] * COPIES)
        return pa.table({"group": ["g"] * rows, "kind": chunks})


def together(frames: Sequence[Any]) -> Any:
    """One frame with the columns `kind` of frames of one library, as `kind0`, `kind1`, …, of the rows that all have."""
    rows = min(len(each) for each in frames)
    first = frames[0]
    if isinstance(first, pa.Table):
        columns = {f"kind{number}": each.column("kind").slice(0, rows) for number, each in enumerate(frames)}
        return pa.table({"group": first.column("group").slice(0, rows), **columns})
    columns = {f"kind{number}": each["kind"][:rows] for number, each in enumerate(frames)}
    return type(first)({"group": first["group"][:rows], **columns})


D1, D2 = dt.date(2001, 2, 3), dt.date(1969, 12, 31)
T1, T2 = dt.datetime(2001, 2, 3, 4, 5, 6), dt.datetime(1969, 12, 31, 23, 59, 59)
SIDES = ["left", "right", None]


def _objects(*values: Any) -> pd.Series:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return pd.Series(found, dtype=object)


def _pandas(name: str, make: Callable[[], Any], **more: Any) -> Kind:
    return Kind("pandas", name, make, **more)


def _polars(name: str, make: Callable[[], Any], **more: Any) -> Kind:
    return Kind("polars", name, make, **more)


def _arrow(name: str, make: Callable[[], Any], **more: Any) -> Kind:
    return Kind("Arrow", name, make, **more)


class Metres(pa.ExtensionType):
    """A type of a user's own."""

    def __init__(self) -> None:
        super().__init__(pa.int64(), "example.metres")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type: pa.DataType, serialized: bytes) -> Metres:
        del storage_type, serialized
        return cls()


def _dense_union() -> pa.Array:
    return pa.UnionArray.from_dense(
        pa.array([0, 1, 0], pa.int8()), pa.array([0, 0, 1], pa.int32()), [pa.array([1, 3]), pa.array(["b"])]
    )


_KEPT_ALONE: Mapping[str, Any] = {"kept_alone": True}

KINDS: tuple[Kind, ...] = (
    _pandas("int64", lambda: pd.Series([1, -2, 2**62])),
    _pandas("uint64", lambda: pd.Series([1, 2, 2**64 - 1], dtype="uint64")),
    _pandas("int8", lambda: pd.Series([1, -2, 3], dtype="int8")),
    _pandas("float64 with NaN", lambda: pd.Series([1.5, 0.1, np.nan])),
    _pandas("float16", lambda: pd.Series([1.5, 2.25, 3.0], dtype="float16")),
    _pandas("bool", lambda: pd.Series([True, False, True])),
    _pandas("str", lambda: pd.Series(SIDES, dtype="str")),
    _pandas("string[python]", lambda: pd.Series(SIDES, dtype="string[python]")),
    _pandas("Int64 (nullable)", lambda: pd.Series([1, 2**62 + 1, None], dtype="Int64")),
    _pandas("boolean (nullable)", lambda: pd.Series([True, False, None], dtype="boolean")),
    _pandas("Float64 (nullable)", lambda: pd.Series([1.5, 0.1, None], dtype="Float64")),
    _pandas("category", lambda: pd.Series(pd.Categorical(SIDES, ["right", "left"]))),
    _pandas("ordered category", lambda: pd.Series(pd.Categorical(SIDES, ["right", "left"], ordered=True))),
    _pandas("category of numbers", lambda: pd.Series(pd.Categorical([3, 1, None]))),
    _pandas("category of intervals (pd.cut)", lambda: pd.Series(pd.cut([1, 5, 9], [0, 4, 8, 12]))),
    _pandas("datetime64[ns]", lambda: pd.Series([T1, T2, None], dtype="datetime64[ns]")),
    _pandas("datetime64[us, Asia/Tokyo]", lambda: pd.Series([T1, T2, None]).dt.tz_localize("Asia/Tokyo")),
    _pandas(
        "timedelta64",
        lambda: pd.Series([dt.timedelta(days=40, seconds=1), dt.timedelta(microseconds=-5), None]),
        **_KEPT_ALONE,
    ),
    _pandas(
        "timedelta64[ns] with nanoseconds",
        lambda: pd.Series(np.array([1, 2], dtype="timedelta64[ns]")),
        refused="no whole microseconds",
    ),
    _pandas("period", lambda: pd.Series(pd.PeriodIndex(["2001-02", "1999-12", None], freq="M"))),
    _pandas("interval", lambda: pd.Series(pd.arrays.IntervalArray.from_tuples([(0, 1), (1, 2), None]))),
    _pandas("sparse", lambda: pd.Series(pd.arrays.SparseArray([0, 0, 7]))),
    _pandas("complex128", lambda: pd.Series([1 + 2j, 3j]), refused="complex numbers"),
    _pandas("ArrowDtype decimal", lambda: pd.Series([Decimal("1.20"), None], dtype=pd.ArrowDtype(pa.decimal128(9, 2)))),
    _pandas("object of texts", lambda: _objects("left", "right", None)),
    _pandas("object of Decimal", lambda: _objects(Decimal("1.20"), Decimal("-3.456"), None)),
    _pandas("object of dates", lambda: _objects(D1, D2, None)),
    _pandas("object of bytes", lambda: _objects(b"a", b"\x00\xff", None), **_KEPT_ALONE),
    _pandas("object of bools", lambda: _objects(True, False, None)),
    _pandas("object of ints and floats", lambda: _objects(1, 2.5, None)),
    _pandas("object of ints and texts", lambda: _objects(1, "two"), refused="objects of several types (int, str)"),
    _pandas("object of lists", lambda: _objects([1, 2], [3], None), **_KEPT_ALONE),
    _pandas("object of sets", lambda: _objects({1}, {2}), refused="objects of the type set"),
    _polars("Int128", lambda: pl.Series([10**30, -1, None], dtype=pl.Int128)),
    _polars("Decimal", lambda: pl.Series([Decimal("1.20"), None], dtype=pl.Decimal(20, 2))),
    _polars("String", lambda: pl.Series(SIDES)),
    _polars("Categorical", lambda: pl.Series(SIDES, dtype=pl.Categorical)),
    _polars("Enum", lambda: pl.Series(SIDES, dtype=pl.Enum(["right", "left"]))),
    _polars("Date", lambda: pl.Series([D1, D2, None])),
    _polars(
        "Datetime (ns, Asia/Tokyo)",
        lambda: pl.Series([T1, T2, None], dtype=pl.Datetime("ns")).dt.replace_time_zone("Asia/Tokyo"),
    ),
    _polars("Duration", lambda: pl.Series([dt.timedelta(days=40), dt.timedelta(microseconds=5), None]), **_KEPT_ALONE),
    _polars("Time", lambda: pl.Series([dt.time(1, 2, 3), dt.time(23, 59), None])),
    _polars("Binary", lambda: pl.Series([b"a", b"\x00\xff", None]), **_KEPT_ALONE),
    _polars("Null", lambda: pl.Series([None, None])),
    _polars("List", lambda: pl.Series([["a"], ["b", "c"], None]), **_KEPT_ALONE),
    _polars("Array", lambda: pl.Series([[1, 2], [3, 4]], dtype=pl.Array(pl.Int64, 2)), **_KEPT_ALONE),
    _polars("Struct", lambda: pl.Series([{"a": 1, "b": "x"}, {"a": 2, "b": None}]), **_KEPT_ALONE),
    _polars("Object", lambda: pl.Series([{1}, {2}], dtype=pl.Object), refused="Python objects"),
    _arrow("dictionary<large_string>", lambda: pa.array(SIDES, pa.dictionary(pa.int16(), pa.large_string()))),
    _arrow("large_string", lambda: pa.array(SIDES, pa.large_string())),
    _arrow("string_view", lambda: pa.array(SIDES, pa.string_view())),
    _arrow("decimal256 within 38 digits", lambda: pa.array([Decimal("1.20"), None], pa.decimal256(50, 2))),
    _arrow(
        "decimal256 beyond 38 digits",
        lambda: pa.array([Decimal(10**45), None], pa.decimal256(50, 2)),
        refused="decimals of more than 38 digits",
    ),
    _arrow("date64", lambda: pa.array([D1, D2, None], pa.date64())),
    _arrow("time32[s]", lambda: pa.array([dt.time(1, 2, 3), None], pa.time32("s"))),
    _arrow("duration[s]", lambda: pa.array([dt.timedelta(days=40), None], pa.duration("s")), **_KEPT_ALONE),
    _arrow("timestamp[ms, UTC]", lambda: pa.array([T1, T2, None], pa.timestamp("ms", "UTC"))),
    _arrow("uuid", lambda: pa.array([uuid.UUID(int=7).bytes, uuid.UUID(int=8).bytes, None], pa.uuid())),
    _arrow("run_end_encoded", lambda: pc_encoded()),
    _arrow("map", lambda: pa.array([[("a", 1)], [("b", 2)], None], pa.map_(pa.string(), pa.int64())), **_KEPT_ALONE),
    _arrow("extension of a user's own", lambda: pa.ExtensionArray.from_storage(Metres(), pa.array([1, 2, None]))),
    _arrow("dense union", _dense_union, refused="several types side by side"),
    _arrow("half float", lambda: pa.array(np.array([1.5, 2.25], dtype="float16"))),
    _arrow("null", lambda: pa.nulls(2)),
)


def pc_encoded() -> pa.Array:
    """Values in runs."""
    return pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array(["left", "right"]))
