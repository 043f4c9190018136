"""Columns of Arrow on their way into DuckDB, and the released ones on their way back to the type they had.

DuckDB gives most types back as they came. The others are brought into the nearest type that holds every value exactly
(`entered`), and released values of them are given their type again (`restored`). A type without such a way is refused
by name; a column of it may stand in the table as long as nobody names it.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

NARROWEST_DECIMAL = 38
"""DuckDB has decimals of so many digits."""
_MICRO = 1_000
_SHOWN = 60


class Unreadable(Exception):
    """A column cannot be read: `what` it holds, and what to do `instead`. Its message has no value of the column."""

    def __init__(self, what: str, instead: str) -> None:
        super().__init__(what)
        self.what = what
        self.instead = instead


def entered(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values in a type that DuckDB reads, each exactly. Raises Unreadable."""
    kind = values.type
    if pa.types.is_dictionary(kind):
        return _plain_dictionary(values)
    if isinstance(kind, pa.BaseExtensionType):
        if kind.extension_name in _READ_BY_DUCKDB:
            return values
        return entered(pa.chunked_array([each.storage for each in values.chunks], kind.storage_type))
    if pa.types.is_run_end_encoded(kind):  # which Arrow counts among nested types
        return entered(pa.chunked_array([pc.run_end_decode(each) for each in values.chunks], kind.value_type))
    if pa.types.is_nested(kind):
        _require_plain(kind)
        return values
    for holds, change in _CHANGES:
        if holds(kind):
            return change(values)
    return values


def restored(values: pa.ChunkedArray, given: pa.DataType, labels: pa.Array | None = None) -> pa.ChunkedArray:
    """Released values in the type that the column had; `labels`: the values of its dictionary, where it had one.

    A dictionary keeps its order, and of its values those that are released: the others may be of suppressed rows.
    Raises ValueError (ArrowInvalid) for values that are not of that type.
    """
    if pa.types.is_dictionary(given):
        return _dictionary_again(values, given, labels)
    if isinstance(given, pa.BaseExtensionType):
        return _extension_again(values, given)
    if pa.types.is_null(given):
        if values.null_count < len(values):
            raise ValueError("a column without values has one")
        return pa.chunked_array([pa.nulls(len(values))])
    if pa.types.is_duration(given):
        return _durations_again(values, given)
    if pa.types.is_run_end_encoded(given):
        plain = restored(values, given.value_type).combine_chunks()
        return pa.chunked_array([pc.run_end_encode(plain, given.run_end_type)])
    # Types of lists are equal whatever their items are called.
    return values if values.type == given and str(values.type) == str(given) else values.cast(given)


def categories_lost(released: pa.ChunkedArray, *, categories: int) -> str:
    """Says that some of so many categories are left out, where released values are fewer; empty where they are all."""
    return "categories that no released row has are left out" if len(released.unique().drop_null()) < categories else ""


def zeros_changed(values: pa.ChunkedArray) -> Callable[[pa.ChunkedArray], str] | None:
    """What says of values as they enter that a zero comes back as 0.0, whatever its sign; None where none has one."""
    if pa.types.is_dictionary(values.type) and pa.types.is_floating(values.type.value_type):
        values = values.cast(values.type.value_type)
    if not pa.types.is_floating(values.type):
        return None
    zeros = values.filter(pc.equal(values, 0))
    if not pc.any(pc.less(pc.divide(1.0, zeros), 0)).as_py():
        return None
    return lambda _: "0.0 and -0.0 come back as one"


_READ_BY_DUCKDB = frozenset({"arrow.uuid", "arrow.json", "arrow.bool8"})


def _plain_dictionary(values: pa.ChunkedArray) -> pa.ChunkedArray:
    labels = entered(pa.chunked_array([pa.array([], values.type.value_type)]))
    if labels.type == values.type.value_type and not pa.types.is_null(labels.type) and not _has_missing_labels(values):
        return values
    return entered(values.cast(values.type.value_type))


def _decimals(values: pa.ChunkedArray) -> pa.ChunkedArray:
    digits = min(values.type.precision, NARROWEST_DECIMAL)
    try:
        return values.cast(pa.decimal128(digits, values.type.scale))
    except (pa.ArrowInvalid, ValueError):
        raise Unreadable(
            f"decimals of more than {NARROWEST_DECIMAL} digits ({values.type})",
            "round them, or cast the column to text",
        ) from None


def _of_a_scale(values: pa.ChunkedArray) -> pa.ChunkedArray:
    raise Unreadable(f"decimals of a scale that databases do not have ({values.type})", "cast the column to text")


def _durations(values: pa.ChunkedArray) -> pa.ChunkedArray:
    try:
        micros = values.cast(pa.duration("us"))
        micros.cast(pa.duration("ns"))  # in which DuckDB gives them back, without a word about those that are too long
    except pa.ArrowInvalid:
        raise Unreadable(
            "durations that are no whole microseconds, or of more than 292 years", "round them, or cast them to numbers"
        ) from None
    return micros


def _calendar_intervals(values: pa.ChunkedArray) -> pa.ChunkedArray:
    if any(each is not None and each.nanoseconds % _MICRO for each in values.unique().to_pylist()):
        raise Unreadable("intervals that are no whole microseconds", "round them to microseconds")
    return values


def _instants(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Instants in microseconds, where all are whole ones."""
    try:
        return values.cast(pa.timestamp("us", values.type.tz))
    except pa.ArrowInvalid:
        return values


def _nothing(values: pa.ChunkedArray) -> pa.ChunkedArray:
    return values.cast(pa.string())


def _unions(values: pa.ChunkedArray) -> pa.ChunkedArray:
    raise Unreadable(f"values of several types side by side ({values.type.id})", "cast the column to text")


_CHANGES: tuple[tuple[Callable[[pa.DataType], bool], Callable[[pa.ChunkedArray], pa.ChunkedArray]], ...] = (
    (lambda kind: pa.types.is_decimal(kind) and not 0 <= kind.scale <= kind.precision, _of_a_scale),
    (pa.types.is_decimal256, _decimals),
    (pa.types.is_float16, lambda values: values.cast(pa.float32())),
    (pa.types.is_duration, _durations),
    (pa.types.is_interval, _calendar_intervals),
    (lambda kind: pa.types.is_timestamp(kind) and kind.tz is not None and kind.unit == "ns", _instants),
    (pa.types.is_null, _nothing),
)


def _require_plain(kind: pa.DataType) -> None:
    """Raises Unreadable for a nested type with a part that is not given back as it came."""
    if pa.types.is_union(kind):
        raise Unreadable("values of several types side by side (a union)", "cast the column to text")
    if pa.types.is_struct(kind) and not kind.num_fields:
        raise Unreadable("structs without a field", "leave the column out")
    if pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind):
        raise Unreadable(f"views of lists ({kind})", "cast the column to a list")
    for number in range(kind.num_fields):
        part = kind.field(number).type
        if pa.types.is_nested(part):
            _require_plain(part)
        elif (
            isinstance(part, pa.BaseExtensionType)
            or pa.types.is_dictionary(part)
            or pa.types.is_interval(part)
            or any(holds(part) for holds, _ in _CHANGES)
        ):
            raise Unreadable(f"nested values with {part} within them", "take the parts that you need out as columns")


def _dictionary_again(values: pa.ChunkedArray, given: pa.DictionaryType, labels: pa.Array | None) -> pa.ChunkedArray:
    whole = values.combine_chunks()
    found = whole.unique().drop_null()
    # Released values are compared as DuckDB gives them: Arrow looks up no views of texts.
    order = found if labels is None else entered(pa.chunked_array([labels])).combine_chunks().cast(found.type)
    used = order.filter(pc.is_in(order, value_set=found))
    if len(used) < len(found):
        raise ValueError("a released value is not in the dictionary")
    codes = pc.index_in(whole, value_set=used).cast(given.index_type)
    again = restored(pa.chunked_array([used]), given.value_type).combine_chunks()
    return pa.chunked_array([pa.DictionaryArray.from_arrays(codes, again, ordered=given.ordered)])


def _extension_again(values: pa.ChunkedArray, given: pa.BaseExtensionType) -> pa.ChunkedArray:
    if given.extension_name == "arrow.uuid":
        coded = values.combine_chunks().dictionary_encode()
        parts = pa.array([None if each is None else uuid.UUID(each).bytes for each in coded.dictionary.to_pylist()])
        storage = parts.cast(given.storage_type).take(coded.indices)
    else:
        storage = restored(values, given.storage_type).combine_chunks()
    return pa.chunked_array([pa.ExtensionArray.from_storage(given, storage)])


def _durations_again(values: pa.ChunkedArray, given: pa.DataType) -> pa.ChunkedArray:
    if not pa.types.is_interval(values.type):
        raise ValueError("these are no durations")
    whole = values.combine_chunks()
    parts = np.frombuffer(whole.buffers()[1], np.dtype([("months", "<i4"), ("days", "<i4"), ("nanoseconds", "<i8")]))[
        whole.offset : whole.offset + len(whole)
    ]
    missing = whole.is_null().to_numpy(zero_copy_only=False)
    if np.any(parts["months"][~missing]):
        raise ValueError("a released duration has months")
    micros = parts["days"].astype("int64") * 86_400_000_000 + parts["nanoseconds"] // _MICRO
    return pa.chunked_array([pa.array(micros, pa.duration("us"), mask=missing).cast(given)])


@dataclass(frozen=True, slots=True)
class FrameColumn:
    """A column as it was given: its Arrow type, the labels of its dictionary (None without one), its `back`.

    `back`: from released values of the Arrow type that the column had to what its own kind of frame has; None where
    the kind converts them. `changed`: says of released values in what they are not as they were, empty where they are;
    None where they always are. `refused`: why it cannot be read.
    """

    name: str
    type: pa.DataType
    labels: pa.Array | None = None
    back: Callable[[pa.ChunkedArray], Any] | None = None
    refused: Unreadable | None = None
    changed: Callable[[pa.ChunkedArray], str] | None = None

    def restored(self, values: pa.ChunkedArray) -> pa.ChunkedArray:
        """Released values in the Arrow type that the column had. Raises ValueError for values not of that type."""
        return restored(values, self.type, self.labels)


def taken(name: str, values: pa.ChunkedArray) -> tuple[FrameColumn, pa.ChunkedArray | None]:
    """A column of Arrow as it was given, and as it enters; None where it is refused."""
    try:
        inside = entered(values)
    except Unreadable as refused:
        return FrameColumn(name, values.type, refused=refused), None
    return FrameColumn(name, values.type, labels_of(values), changed=zeros_changed(inside)), inside


def _has_missing_labels(values: pa.ChunkedArray) -> bool:
    """Whether a missing value is among those of a dictionary: Arrow allows that, and hardly handles it."""
    return any(each.dictionary.null_count for each in values.chunks)


def labels_of(values: pa.ChunkedArray) -> pa.Array | None:
    """The values of a dictionary, in order, of all chunks; None where the column has none."""
    if not pa.types.is_dictionary(values.type):
        return None
    if _has_missing_labels(values):
        return pa.chunked_array([each.dictionary for each in values.chunks]).drop_null().unique()
    unified = values.unify_dictionaries()
    if not unified.num_chunks:
        return pa.array([], values.type.value_type)
    labels = unified.chunk(0).dictionary
    return labels if len(labels.unique()) == len(labels) else labels.unique()
