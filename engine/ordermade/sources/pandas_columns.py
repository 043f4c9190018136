"""Columns of pandas on their way to Arrow, and the released ones on their way back to the dtype they had.

A frame of pandas gives itself to Arrow too (`__arrow_c_stream__`), all or nothing: a column of mixed objects, complex
or sparse values ends it for the others, which may be all that a request names. What it gives of the other columns is
what is taken here; the way back to categories, periods, objects and marks of missing values is pandas' alone.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ordermade.sources.arrow_columns import FrameColumn, Unreadable, categories_lost, entered, labels_of, zeros_changed

_NUMBERS = frozenset({"int", "float"})
_AS_TEXT = "cast the column to one type, for example with .astype(str)"
_KINDS: Mapping[type, str] = {np.bool_: "bool", np.str_: "str", np.bytes_: "bytes", pd.Timestamp: "datetime"}


def taken(name: str, column: pd.Series[Any]) -> tuple[FrameColumn, pa.ChunkedArray | None]:
    """A column as it was given, and its values as they enter; None where it is refused."""
    try:
        values, back, given = _as_arrow(column)
        inside = entered(values)
        return FrameColumn(name, given, labels_of(values), back, changed=_changed(column, values, inside)), inside
    except Unreadable as refused:
        return FrameColumn(name, pa.null(), refused=refused), None


def _changed(
    column: pd.Series[Any], values: pa.ChunkedArray, inside: pa.ChunkedArray
) -> Callable[[pa.ChunkedArray], str] | None:
    """What says of released values in what they are not as they were."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return partial(categories_lost, categories=len(column.dtype.categories))
    if column.dtype.kind != "O" or isinstance(column.dtype, pd.api.extensions.ExtensionDtype):
        return zeros_changed(inside)
    zeros = zeros_changed(inside)
    changes = "; ".join(_object_changes(column.to_numpy(), pd.isna(column).to_numpy(), values))
    if not changes:
        return zeros
    return lambda released: "; ".join((changes, *(() if zeros is None else (zeros(released),))))


def _object_changes(objects: Any, missing: Any, values: pa.ChunkedArray) -> Iterator[str]:
    """In what objects come back otherwise, though equal. Raises Unreadable where they are not even that."""
    marks = {repr(each) for each in objects[missing]}
    if len(marks) > 1:
        yield f"missing values ({', '.join(sorted(marks))}) all come back as {_absent(objects, missing)!r}"
    if set(map(type, objects[~missing])) <= _EXACT:
        return
    types, zones, digits = set(), False, False
    for made, own, absent in zip(values.to_pylist(), objects, missing, strict=True):
        if absent:
            continue
        if type(made) is not type(own):
            types.add((type(own).__name__, type(made).__name__))
        if not isinstance(own, np.ndarray) and made != own:
            raise Unreadable(f"objects of the type {type(own).__name__} that would come back otherwise", _AS_TEXT)
        elif isinstance(own, Decimal):
            digits = digits or made.as_tuple() != own.as_tuple()
        elif isinstance(own, dt.datetime):
            zones = zones or made.utcoffset() != own.utcoffset()
    for before, after in sorted(types):
        yield f"values of the type {before} come back as {after}"
    if digits:
        yield "decimals come back with as many digits after the point as the longest"
    if zones:
        yield "instants of several time zones come back in one"


_EXACT = frozenset({str, bool, int, bytes, dt.date, dt.timedelta, UUID, dict, list})
"""Types of objects that come back as they were: nested ones are compared as they are taken."""


_Taken = tuple[pa.ChunkedArray, "Callable[[pa.ChunkedArray], Any] | None", pa.DataType]


def _as_arrow(column: pd.Series[Any]) -> _Taken:
    """The values as Arrow has them, the way back from such values, and the Arrow type on it."""
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _categories(column)
    if isinstance(dtype, pd.SparseDtype):
        values, back, given = _as_arrow(pd.Series(column.array.to_dense(), name=column.name))
        return values, lambda released: _sparse(released, back, dtype), given
    if isinstance(dtype, pd.PeriodDtype | pd.IntervalDtype):
        return _written_out(column)
    if dtype.kind == "c":
        raise Unreadable("complex numbers", "take .real and .imag as two columns")
    if dtype.kind == "O" and not isinstance(dtype, pd.api.extensions.ExtensionDtype):
        return _objects(column)
    values = _chunked(column)
    if isinstance(dtype, pd.api.extensions.ExtensionDtype):
        again = getattr(dtype, "__from_arrow__", None)
        if again is None:
            raise Unreadable(f"values of the dtype {dtype.name}", "cast the column to a dtype of pandas itself")
        return values, lambda released: pd.Series(again(_storage(released, values.type))), values.type
    return values, lambda released: released.to_pandas().astype(dtype), values.type


def _storage(released: pa.ChunkedArray, given: pa.DataType) -> pa.ChunkedArray:
    return released if released.type == given else released.cast(given)


def _chunked(column: Any) -> pa.ChunkedArray:
    try:
        values = pa.Array.from_pandas(column)
    except (pa.ArrowException, TypeError, ValueError, OverflowError, NotImplementedError, UnicodeError):
        raise Unreadable(f"values of the dtype {column.dtype} that Arrow does not hold", _AS_TEXT) from None
    return values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])


def _sparse(released: pa.ChunkedArray, back: Callable[[pa.ChunkedArray], Any] | None, dtype: pd.SparseDtype) -> Any:
    dense = released.to_pandas() if back is None else back(released)
    return pd.Series(dense).astype(dtype)


def _categories(column: pd.Series[Any]) -> _Taken:
    """Categories by their codes; the categories themselves enter as a column of their own."""
    dtype = column.dtype
    assert isinstance(dtype, pd.CategoricalDtype)
    categories = dtype.categories
    texts, _, _ = _as_arrow(pd.Series(categories, dtype=categories.dtype))
    inside = entered(texts).combine_chunks()
    if len(inside.unique()) < len(categories):
        raise Unreadable("categories that read alike", _AS_TEXT)
    codes = column.cat.codes.to_numpy()
    indices = pa.array(codes, mask=codes < 0)
    values = pa.chunked_array([pa.DictionaryArray.from_arrays(indices, inside, ordered=bool(dtype.ordered))])

    def back(released: pa.ChunkedArray) -> Any:
        """Released labels as categories, those that occur alone: the others may be of suppressed rows."""
        coded = released.combine_chunks()
        at = pc.index_in(coded.dictionary, value_set=inside)
        kept = categories.take(at.to_numpy(zero_copy_only=False).astype("int64"))
        numbers = pc.fill_null(coded.indices.cast(pa.int64()), -1).to_numpy()
        return pd.Series(pd.Categorical.from_codes(numbers, kept, ordered=bool(dtype.ordered)))

    return values, back, values.type


def _written_out(column: pd.Series[Any]) -> _Taken:
    """Periods and intervals as their texts, one to one."""
    codes, distinct = pd.factorize(column)
    texts = [str(each) for each in distinct]
    if len(set(texts)) < len(texts):
        raise Unreadable(f"values of the dtype {column.dtype} that read alike", _AS_TEXT)
    values = pa.array(texts, pa.string())
    indices = pa.array(codes, mask=codes < 0)
    taken_texts = values.take(indices)
    dtype = column.dtype

    def back(released: pa.ChunkedArray) -> Any:
        """Released values as they were; as texts where a label of a hierarchy is among them, which is a text, too."""
        at = pc.index_in(released, value_set=values)
        if at.null_count > released.null_count:
            return released.to_pandas()
        places = pc.fill_null(at.combine_chunks(), -1).to_numpy().astype("int64")
        found = pd.api.extensions.take(pd.Series(distinct).array, places, allow_fill=True)
        return pd.Series(found).astype(dtype)

    return pa.chunked_array([taken_texts]), back, pa.string()


def _objects(column: pd.Series[Any]) -> _Taken:
    """A column of Python objects, which are all of one type: others would not come back as they were."""
    objects = column.to_numpy()
    missing = pd.isna(column).to_numpy()
    found = set(map(type, objects[~missing]))
    named = {_KINDS.get(each, _python_name(each)) for each in found}
    if len(named) > 1 and not named <= _NUMBERS:
        listed = ", ".join(sorted(named)[:4])
        raise Unreadable(f"objects of several types ({listed})", _AS_TEXT)
    kind = next(iter(named), "")
    if kind not in _OBJECTS and not named <= _NUMBERS:
        raise Unreadable(f"objects of the type {kind}", _AS_TEXT)
    if kind == "datetime" and len({each.tzinfo is None for each in objects[~missing]}) > 1:
        raise Unreadable("instants with a time zone and without", "give them all one, with pd.to_datetime(…, utc=True)")
    try:
        values = pa.array(objects, mask=missing, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError, UnicodeError):
        raise Unreadable("objects that Arrow does not hold", _AS_TEXT) from None
    chunked = values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])
    if len(named) > 1 and not _equal(chunked, objects, missing):
        raise Unreadable("whole numbers and fractions, some too large to be both", "cast the column to one of them")
    if kind in _NESTED and not _comes_back(chunked, objects, missing):
        raise Unreadable(
            f"objects of the type {kind} that would come back otherwise: of different keys or types", _AS_TEXT
        )
    absent = _absent(objects, missing)
    return chunked, partial(_as_objects, absent=absent), chunked.type


_OBJECTS = frozenset(
    {"", "str", "bool", "bytes", "int", "float", "Decimal", "date", "datetime", "time", "timedelta", "list", "dict",
     "ndarray", "UUID"}
)  # fmt: skip


_NESTED = frozenset({"list", "dict", "ndarray"})


def _comes_back(values: pa.ChunkedArray, objects: Any, missing: Any) -> bool:
    """Whether Arrow gives nested objects back as they came: of dicts with different keys it makes one kind with all."""
    given = (each.tolist() if isinstance(each, np.ndarray) else each for each in objects)
    return all(
        absent or _is_same(made, own) for made, own, absent in zip(values.to_pylist(), given, missing, strict=True)
    )


def _is_same(made: Any, own: Any) -> bool:
    """Whether a value within nested ones is equal and of the same type: 1, 1.0 and True are not the same."""
    if type(made) is not type(own):
        return False
    if isinstance(own, list):
        return len(made) == len(own) and all(map(_is_same, made, own))
    if isinstance(own, dict):
        return made.keys() == own.keys() and all(_is_same(made[each], own[each]) for each in own)
    return bool(made == own) and not (isinstance(own, Decimal) and made.as_tuple() != own.as_tuple())


def _python_name(kind: type) -> str:
    if issubclass(kind, np.integer):
        return "int"
    if issubclass(kind, np.floating):
        return "float"
    return "timedelta" if issubclass(kind, pd.Timedelta) else kind.__name__


def _equal(values: pa.ChunkedArray, objects: Any, missing: Any) -> bool:
    return bool(np.all(values.to_numpy()[~missing] == objects[~missing]))


def _absent(objects: Any, missing: Any) -> Any:
    """The first mark of a missing value: None, NaN, NA or NaT. All of them come back as it."""
    return objects[missing.argmax()] if missing.any() else None


def _as_objects(released: pa.ChunkedArray, *, absent: Any) -> Any:
    """Released values as Python objects, equal ones as one object."""
    whole = released.combine_chunks()
    if pa.types.is_nested(whole.type) or isinstance(whole.type, pa.BaseExtensionType):
        found = np.empty(len(whole), dtype=object)
        found[:] = [absent if each is None else each for each in whole.to_pylist()]
        return pd.Series(found, dtype=object)
    coded = whole.dictionary_encode()
    labels = np.empty(len(coded.dictionary) + 1, dtype=object)
    labels[:-1] = coded.dictionary.to_pylist()
    labels[-1] = absent
    return pd.Series(labels[pc.fill_null(coded.indices, len(coded.dictionary)).to_numpy()], dtype=object)


def table(columns: Iterable[tuple[str, pa.ChunkedArray, FrameColumn | None]]) -> pd.DataFrame:
    """Released columns as a frame, each with the dtype that it had where it is `given`; the index counts the rows."""
    series: dict[Hashable, Any] = {}
    for name, values, given in columns:
        back = None if given is None else given.back
        made = values.to_pandas() if back is None else back(values)
        series[name] = made.reset_index(drop=True) if isinstance(made, pd.Series) else pd.Series(made)
    return pd.DataFrame(series, copy=False)
