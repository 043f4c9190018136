"""Released labels of numbers as numbers again: the interval that a hierarchy writes so, or the middle of it.

An interval with an open end is taken to be as wide as the one beside it at its level, and where there is none, to reach
to the outermost bound of the hierarchy: the bound itself would pull means and slopes to the middle. `*` and NULL have
no number.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import partial
from math import inf, isfinite, nan
from typing import TYPE_CHECKING, Any, Literal

from ordermade.errors import InputError
from ordermade.hierarchies.hierarchy import STAR, Hierarchy
from ordermade.release.returned import ReturnedFrame
from ordermade.sources.executor import arrow

if TYPE_CHECKING:
    import pandas
    import pyarrow as pa

    from ordermade.hierarchies.intervals import IntervalHierarchy

Numbers = Literal["interval", "midpoint"]
"""The form of columns of interval labels in a frame that a program gets."""

Bounds = tuple[float, float]
"""From where up to where a label reaches, infinite where it is open; twice the same of a value as it was."""

EXACT = 2.0**53
"""Whole numbers below it are exact as doubles."""


def bounds_of(hierarchy: IntervalHierarchy, label: str | None) -> Bounds:
    """The bounds of a released label by the rule of the level that writes it; of `*` and of NULL twice NaN.

    Raises ValueError for what is neither a label of the hierarchy nor a number.
    """
    if label is None or label == STAR:
        return nan, nan
    for low, high in hierarchy.levels_of(label).values():
        return -inf if low is None else float(low), inf if high is None else float(high)
    return float(label), float(label)


def midpoint_of(hierarchy: IntervalHierarchy, label: str | None) -> float | None:
    """The middle of the interval that a label names, None of `*` and of NULL.

    Raises InputError for an open end of a hierarchy with one bound alone, and ValueError as `bounds_of`.
    """
    low, high = bounds_of(hierarchy, label)
    if low != low:
        return None
    if isfinite(low) and isfinite(high):
        return low + (high - low) / 2
    width = _width_beside(hierarchy, str(label), low, high)
    return high - width / 2 if isfinite(high) else low + width / 2


def _width_beside(hierarchy: IntervalHierarchy, label: str, low: float, high: float) -> float:
    """The width that an interval with an open end is taken to have."""
    for level in hierarchy.levels_of(label):
        rule = hierarchy.intervals[level - 1]
        if rule.width is not None:
            return float(rule.width)
        ends = [float(each) for each in rule.bounds]
        if len(ends) > 1:
            return ends[1] - ends[0] if isfinite(high) else ends[-1] - ends[-2]
    every = [float(each) for rule in hierarchy.intervals for each in rule.bounds]
    reach = high - min(every) if isfinite(high) else max(every) - low
    if not reach:
        raise InputError(
            "an interval has an open end, and no other bound of its hierarchy shows how far it reaches",
            where="numbers",
            next_step='Give numbers="interval", or a hierarchy with more bounds or with a width.',
        )
    return reach


def numbered(frame: ReturnedFrame, hierarchies: Mapping[str, Hierarchy], numbers: Numbers) -> Any:
    """The released frame with a number, or an interval closed on the left, in the place of each label of an interval.

    Any other column stays as it is. Raises InputError for anything else than `interval` and `midpoint`, and for
    intervals in a frame of polars or Arrow, which have no type of them.
    """
    rules = _of_intervals(hierarchies)
    match numbers:
        case "midpoint":
            given = tuple(each for each in frame.given if each[0] not in rules)
            return dataclasses.replace(frame, table=partial(_midpoints, frame.table, rules), given=given).frame()
        case "interval" if frame.kind == "pandas":
            return _with_intervals(frame, rules)
        case "interval":
            raise InputError(
                "intervals are a type of pandas alone", where="numbers", next_step='Give numbers="midpoint".'
            )
    raise InputError("numbers are intervals or midpoints", where="numbers", next_step="Give interval or midpoint.")


def _with_intervals(frame: ReturnedFrame, rules: Mapping[str, IntervalHierarchy]) -> pandas.DataFrame:
    released, table = frame.to_pandas(), frame.table()
    for name, hierarchy in rules.items():
        if name in table.schema.names and (labels := _labels(table.column(name))) is not None:
            released[name] = _intervals(labels, partial(bounds_of, hierarchy), released.index)
    return released


def _of_intervals(hierarchies: Mapping[str, Hierarchy]) -> dict[str, IntervalHierarchy]:
    # By its kind: the module takes a while to import.
    return {name: each for name, each in hierarchies.items() if each.kind == "interval"}  # type: ignore[misc]


def _labels(column: pa.ChunkedArray) -> pa.DictionaryArray | None:
    """The labels of a column by number; None of one that has its own numbers."""
    types, kind = arrow().types, column.type
    kind = kind.value_type if types.is_dictionary(kind) else kind
    if not (types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)):
        return None
    plain = column.cast(arrow().string())
    return plain.combine_chunks().dictionary_encode()


def _midpoints(table: Callable[[], pa.Table], rules: Mapping[str, IntervalHierarchy]) -> pa.Table:
    found = table()
    for name, hierarchy in rules.items():
        if name in found.schema.names and (labels := _labels(found.column(name))) is not None:
            numbers = [midpoint_of(hierarchy, each) for each in labels.dictionary.to_pylist()]
            of_rows = arrow().array(numbers, arrow().float64()).take(labels.indices)
            found = found.set_column(found.schema.get_field_index(name), name, of_rows)
    return found


def _intervals(
    labels: pa.DictionaryArray, bounds: Callable[[str | None], Bounds], index: pandas.Index[int]
) -> pandas.Series[Any]:
    """A column of intervals; of objects where values as they were stand among them."""
    import numpy as np
    import pandas as pd

    listed = [*map(bounds, labels.dictionary.to_pylist()), bounds(None)]
    places = labels.indices.fill_null(len(listed) - 1).to_numpy(zero_copy_only=False)
    if any(low == high for low, high in listed):
        objects = [_interval(each) for each in listed]
        return pd.Series([objects[place] for place in places], index=index, dtype=object)
    used = np.array(listed, dtype=float)[places]
    is_whole = bool(np.isfinite(used).all() and (used == np.floor(used)).all() and (np.abs(used) < EXACT).all())
    ends = used.astype(np.int64) if is_whole else used
    return pd.Series(pd.arrays.IntervalArray.from_arrays(ends[:, 0], ends[:, 1], closed="left"), index=index)


def _interval(bounds: Bounds) -> Any:
    import pandas as pd

    low, high = bounds
    if low != low:
        return nan
    return pd.Interval(low, high, closed="both" if low == high else "left")
