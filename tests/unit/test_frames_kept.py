"""A kept column of a frame comes back bit for bit, of every kind, or is refused by name."""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ordermade import anonymize
from ordermade.errors import InputError

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
    "float32": pd.Series([0.1, -0.0] * 10, dtype="float32"),
    "boolean": pd.Series([True, None] * 10, dtype="boolean"),
    "string": pd.Series([" x ", None] * 10, dtype="string"),
    "datetime ns": pd.Series(pd.to_datetime(["2024-01-05 01:02:03.123456789", "2024-02-29 00:00:00.000000001"] * 10)),
    "categories": pd.Series([" a", "b "] * 10, dtype="category"),
    "periods": pd.Series(pd.period_range("2024-01", periods=2, freq="M").tolist() * 10),
}


def frame(kept: pd.Series[Any]) -> pd.DataFrame:
    return pd.DataFrame({"town": ["Kyoto"] * 20, "kept": kept})


@pytest.mark.parametrize("kind", KEPT)
def test_a_kept_column_comes_back_as_it_was(kind: str) -> None:
    given = frame(KEPT[kind])
    back = anonymize(given, k=2, quasi_identifiers=["town"], keep=["kept"]).frame()["kept"]
    assert back.dtype == given["kept"].dtype

    def listed(column: pd.Series[Any]) -> list[str]:
        return sorted(repr(each) for each in column.tolist())

    assert listed(back) == listed(given["kept"])


@pytest.mark.parametrize(
    "kept",
    [[{"a": 1}, {"b": 2}] * 10, [{"a": 1}, {"a": 1, "b": None}] * 10, [[{"a": 1}, {"b": 1}], []] * 10],
    ids=["different keys", "one more key", "within lists"],
)
def test_dicts_that_would_be_merged_are_refused_by_name(kept: list[Any]) -> None:
    with pytest.raises(InputError, match=r"kept.*objects of the type (dict|list) that would come back otherwise"):
        anonymize(frame(pd.Series(kept)), k=2, quasi_identifiers=["town"], keep=["kept"])


def test_what_a_proposal_keeps_comes_back_as_it_was_too() -> None:
    given = pd.DataFrame({"age": [20 + each % 3 for each in range(60)], "plan": [" basic", "plus "] * 30})
    release = anonymize(given, k=2, accept_roles=True)
    roles = {each.column: each.role for each in release.roles}
    if roles["plan"] == "kept":
        assert set(release.frame()["plan"]) == {" basic", "plus "}
    assert np.unique(list(roles)).size == 2
