"""A kept column of a frame comes back bit for bit, of every kind, or is refused by name."""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from ordermade import anonymize
from ordermade.errors import InputError
from ordermade.sources.frames import given

KEPT: dict[str, Any] = {
    "blanks": pd.Series([" a", "a "] * 10),
    "blank alone": pd.Series([" ", "a"] * 10),
    "dates written as texts": pd.Series(["2024-01-05 ", "2024-02-29"] * 10),
    "numbers written as texts": pd.Series(["1,000", "007"] * 10),
    "uuids": pd.Series([uuid.UUID(int=1), uuid.UUID(int=2)] * 10),
    "uuids, some missing": pd.Series([uuid.UUID(int=1), None] * 10),
    "decimals": pd.Series([Decimal("1.50"), Decimal("2.25")] * 10),
    "dates": pd.Series([dt.date(2024, 1, 5), dt.date(1999, 12, 31)] * 10),
    "bytes": pd.Series([b"\x00 a ", b"b"] * 10),
    "lists": pd.Series([[1, 2], [3]] * 10),
    "dicts of one kind": pd.Series([{"a": 1}, {"a": 2}] * 10),
    "int8": pd.Series([1, -1] * 10, dtype="int8"),
    "Int64": pd.Series([1, None] * 10, dtype="Int64"),
    "float32": pd.Series([0.1, -0.5] * 10, dtype="float32"),
    "boolean": pd.Series([True, None] * 10, dtype="boolean"),
    "string": pd.Series([" x ", None] * 10, dtype="string"),
    "datetime ns": pd.Series(pd.to_datetime(["2024-01-05 01:02:03.123456789", "2024-02-29 00:00:00.000000001"] * 10)),
    "categories": pd.Series([" a", "b "] * 10, dtype="category"),
    "periods": pd.Series(pd.period_range("2024-01", periods=2, freq="M").tolist() * 10),
}


def frame(kept: pd.Series[Any]) -> pd.DataFrame:
    return pd.DataFrame({"town": ["Kyoto"] * len(kept), "kept": kept})


def test_kept_columns_come_back_as_they_were() -> None:
    (table,) = beside_a_town(KEPT)
    found = anonymize(table, k=2, quasi_identifiers=["town"], keep=list(KEPT))
    assert found.result.warnings == ()

    def listed(column: pd.Series[Any]) -> list[str]:
        return sorted(repr(each) for each in column.tolist())

    back = found.frame()
    for name in KEPT:
        assert back[name].dtype == table[name].dtype, name
        assert listed(back[name]) == listed(table[name]), name


@pytest.mark.parametrize(
    "kept",
    [[{"a": 1}, {"b": 2}] * 10, [{"a": 1}, {"a": 1, "b": None}] * 10, [[{"a": 1}, {"b": 1}], []] * 10],
    ids=["different keys", "one more key", "within lists"],
)
def test_dicts_that_would_be_merged_are_refused_by_name(kept: list[Any]) -> None:
    with pytest.raises(InputError, match=r"kept.*objects of the type (dict|list) that would come back otherwise"):
        anonymize(frame(pd.Series(kept)), k=2, quasi_identifiers=["town"], keep=["kept"])


def objects(*values: Any) -> pd.Series[Any]:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return pd.Series(list(found) * 10, dtype=object)


TOKYO = dt.timezone(dt.timedelta(hours=9))
NOON = dt.datetime(2024, 1, 5, 12)
CHANGED: dict[str, tuple[Any, str]] = {
    "unused categories": (pd.Series(pd.Categorical(["a", "b"] * 10, ["c", "a", "b"])), "categories that no released"),
    "unused ordered categories": (
        pd.Series(pd.Categorical(["a", "b"] * 10, ["c", "a", "b"], ordered=True)),
        "categories that no released",
    ),
    "an Enum with unused labels": (pl.Series(["a", "b"] * 10, dtype=pl.Enum(["c", "a", "b"])), "categories that no"),
    "zeros of both signs": (pd.Series([0.0, -0.0] * 10), "0.0 and -0.0 come back as one"),
    "zeros of one sign": (pd.Series([1.5, -0.0] * 10, dtype="float32"), "0.0 and -0.0 come back as one"),
    "zeros of both signs in polars": (pl.Series([0.0, -0.0] * 10), "0.0 and -0.0 come back as one"),
    "zeros of both signs in Arrow": (pa.array([0.0, -0.0] * 10, pa.float32()), "0.0 and -0.0 come back as one"),
    "zeros of both signs in runs": (
        pa.RunEndEncodedArray.from_arrays(pa.array([10, 20], pa.int32()), pa.array([0.0, -0.0])),
        "0.0 and -0.0 come back as one",
    ),
    "zeros of both signs in a dictionary": (
        pa.DictionaryArray.from_arrays(pa.array([0, 1] * 10), pa.array([0.0, -0.0])),
        "0.0 and -0.0 come back as one",
    ),
    "zeros of both signs in few bits": (pd.Series([0.0, -0.0] * 10, dtype="float16"), "0.0 and -0.0 come back as one"),
    "zeros of both signs as objects": (objects(0.0, -0.0), "0.0 and -0.0 come back as one"),
    "instants of pandas": (objects(pd.Timestamp(NOON), None), "values of the type Timestamp come back as datetime"),
    "marks of missing values": (objects("a", None, np.nan), "missing values (None, nan) all come back as None"),
    "instants of two zones": (
        objects(NOON.replace(tzinfo=TOKYO), NOON.replace(tzinfo=dt.UTC)),
        "instants of several time zones come back in one",
    ),
    "whole numbers among fractions": (objects(1, 2.5), "values of the type int come back as float"),
    "decimals of different digits": (objects(Decimal("1.2"), Decimal(3)), "as many digits after the point"),
    "numbers of numpy": (objects(np.int8(1), np.int8(2)), "values of the type int8 come back as int"),
    "arrays of numpy": (objects(np.array([1, 2]), np.array([3])), "values of the type ndarray come back as list"),
}
"""Columns that come back otherwise, though equal; and what the answer warns of."""
REFUSED: dict[str, Any] = {
    "times with a zone": objects(dt.time(1, tzinfo=TOKYO), dt.time(2, tzinfo=TOKYO)),
    "numbers of two types within lists": objects([1, 2.5], [2]),
    "dicts with numbers of two types": objects({"a": 1}, {"a": 2.0}),
    "arrays of two types": objects(np.array([1, 2]), np.array([3.5])),
    "whole numbers past 64 bits": objects(1, 2**70),
    "truth values among numbers": objects(True, 2),
    "instants of pandas within a microsecond": objects(pd.Timestamp(1), pd.Timestamp(2)),
    "durations of pandas within a microsecond": objects(pd.Timedelta(1), pd.Timedelta(2)),
    "durations of millennia": pa.array([10**12, 1] * 10, pa.duration("s")),
    "durations of millennia in pandas": pd.Series(np.array([10**12, 1] * 10, dtype="timedelta64[s]")),
    "durations of millennia in polars": pl.Series([10**15, 1] * 10, dtype=pl.Int64).cast(pl.Duration("ms")),
    "views of lists": pa.array([[1], [2]] * 10, pa.list_view(pa.int8())),
    "decimals of a scale below 0": pa.array([Decimal(100), Decimal(200)] * 10, pa.decimal128(5, -2)),
}


def beside_a_town(columns: dict[str, Any]) -> list[Any]:
    """The columns in a frame of each library that they are of, with one that is the same in every row."""
    frames: list[Any] = []
    for kind, frame_kind in ((pd.Series, pd.DataFrame), (pl.Series, pl.DataFrame), (pa.Array, pa.table)):
        of_kind = {name: each[:20] for name, each in columns.items() if isinstance(each, kind)}
        if of_kind:
            frames.append(frame_kind({"town": ["Kyoto"] * 20, **of_kind}))
    return frames


@pytest.mark.slow
def test_an_answer_says_in_what_a_kept_column_is_not_as_it_was() -> None:
    said: list[str] = []
    for each in beside_a_town({name: kept for name, (kept, _) in CHANGED.items()}):
        names = each.column_names if isinstance(each, pa.Table) else list(each.columns)
        found = anonymize(each, k=2, quasi_identifiers=["town"], keep=[name for name in names if name != "town"])
        assert len(found.frame()) == 20
        said += found.result.warnings
    assert len(said) == len(CHANGED)
    for name, (_, words) in CHANGED.items():
        assert any(f"'{name}'" in each and words in each for each in said), (name, said)


@pytest.mark.slow
def test_an_answer_says_in_what_a_quasi_identifier_at_level_0_is_not_as_it_was() -> None:
    plain = {name: each for name, each in CHANGED.items() if "arrays" not in name}  # lists have no hierarchies
    said: list[str] = []
    for each in beside_a_town({name: values for name, (values, _) in plain.items()}):
        names = each.column_names if isinstance(each, pa.Table) else list(each.columns)
        for start in range(1, len(names), 4):
            chosen = names[start : start + 4]
            any_value = dict.fromkeys(chosen, lambda _: "*")
            found = anonymize(each, k=2, quasi_identifiers=chosen, hierarchies=any_value, suppression_limit=0)
            assert set(found.result.levels.values()) == {0}
            said += found.result.warnings
    assert len(said) == len(plain)
    for name, (_, words) in plain.items():
        assert any(f"'{name}'" in each and words in each for each in said), (name, said)


@pytest.mark.slow
def test_a_column_without_a_way_back_is_refused_by_name() -> None:
    frames = beside_a_town(REFUSED)
    found = {name: why for each in frames for name, why in given(each, "the frame").refused.items()}
    assert set(found) == set(REFUSED)
    assert all(each.what and each.instead for each in found.values())
    with pytest.raises(InputError, match="the column 'views of lists' holds views of lists"):
        anonymize(frames[-1], k=2, quasi_identifiers=["town"], keep=["views of lists"])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["list", "fixed"])
def test_items_of_lists_keep_their_name(kind: str) -> None:
    kept = pa.array([[1], [2]] * 10, pa.list_(pa.int8(), 1) if kind == "fixed" else pa.list_(pa.int8()))
    (table,) = beside_a_town({"kept": kept})
    back = anonymize(table, k=2, quasi_identifiers=["town"], keep=["kept"]).frame()
    assert str(back.schema.field("kept").type) == str(kept.type)


def test_what_a_proposal_keeps_comes_back_as_it_was_too() -> None:
    table = pd.DataFrame({"age": [20 + each % 3 for each in range(60)], "plan": [" basic", "plus "] * 30})
    release = anonymize(table, k=2, accept_roles=True)
    roles = {each.column: each.role for each in release.roles}
    if roles["plan"] == "kept":
        assert set(release.frame()["plan"]) == {" basic", "plus "}
    assert np.unique(list(roles)).size == 2
