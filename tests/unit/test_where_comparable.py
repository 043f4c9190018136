"""Row filters by the types of the columns: which compare a column with what it cannot have, and are refused."""

from __future__ import annotations

import struct
from decimal import Decimal

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordermade.errors import FilterError
from ordermade.requests.comparable import _shown_by_4_bytes, require_comparable
from ordermade.requests.where import parse_filter

TYPES = {
    "zip": "VARCHAR",
    "kind": "ENUM('a', 'b')",
    "doc": "JSON",
    "age": "INTEGER",
    "price": "DECIMAL(9,2)",
    "x": "DOUBLE",
    "f": "FLOAT",
    "day": "DATE",
}


def require(where: str) -> None:
    require_comparable(parse_filter(where, tuple(TYPES)), TYPES)


@pytest.mark.parametrize(
    "where",
    [
        "zip <= 5",
        "zip = 5",
        "5 <> zip",
        "zip = -(5)",
        "zip IN ('5', 6)",
        "zip BETWEEN '1' AND 5",
        "zip IS NOT DISTINCT FROM 5",
        "NOT (age > 3 OR zip = 5)",
        "zip = age",
        "zip = age + 1",
        "kind = 1",
    ],
)
def test_a_text_is_compared_with_no_number(where: str) -> None:
    with pytest.raises(FilterError, match=r"the column '(zip|kind)' is a text, and .* with a number") as caught:
        require(where)
    assert "in quotes" in (caught.value.next_step or "")


def test_values_of_two_kinds_are_not_compared() -> None:
    for where in ("LOWER(zip) = 5", "doc = 1", "day = age", "zip = DATE '2013-10-01'", "COALESCE(zip, '') = YEAR(day)"):
        with pytest.raises(FilterError, match="cannot compare what the filter compares") as caught:
            require(where)
        assert "values of its own type" in (caught.value.next_step or "")


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("zip IS TRUE", "takes a value for a condition"),
        ("NOT day", "takes a value for a condition"),
        ("CAST(zip AS DATE) > DATE '2013-10-01'", "the column 'zip' as a date, and some value may be none"),
        (f"age > 0.{'1' * 30}", "needs more than 38 digits"),
        ("price * price * 2 > 1", "needs more than 18 digits"),
    ],
)
def test_no_filter_fails_for_some_value_of_a_column(where: str, told: str) -> None:
    with pytest.raises(FilterError, match=told):
        require(where)


@pytest.mark.parametrize(
    ("where", "column"),
    [
        ("age = '5.4'", "age"),
        ("age IN (5, '5.4')", "age"),
        ("age < '54e-1'", "age"),
        ("age = 'x'", "age"),
        ("age = '99999999999'", "age"),
        ("day = '2013-02-30'", "day"),
        ("day = '2013-10-01 10:00:00'", "day"),
        ("doc = 'q'", "doc"),
        ("price = '0.144'", "price"),
        ("'0.144' = price", "price"),
        ("f = 16777217", "f"),
        ("f >= -16777217", "f"),
        ("f = 0.10000000149", "f"),
        ("f = '0.10000000149'", "f"),
        ("f < 123456789012345678901234567890123456.7", "f"),
        ("f BETWEEN 0.1 AND 0.123456789", "f"),
        ("f <= '3.4028234663852886e38'", "f"),
        ("f <= '1e39'", "f"),
    ],
)
def test_a_number_is_one_that_the_column_can_have(where: str, column: str) -> None:
    with pytest.raises(FilterError, match=f"'{column}'") as caught:
        require(where)
    assert "keeps as it is written" in (caught.value.next_step or "")


@pytest.mark.parametrize(
    "where",
    [
        "zip = '5' AND zip IN ('05', '5.4') AND zip LIKE '1%' AND LENGTH(zip) = 5 AND zip IS NULL",
        "age = 5.4 AND age >= '20' AND age <= '20.00' AND age = 1e1 AND age < 20240401",
        "price = 0.144 AND price = '0.140' AND price > 12345.67",
        "x = 0.10000000149 AND x = '0.123456789' AND x >= 16777217",
        "f = 0.1 AND f >= '0.10' AND f IN (0.7, 16777215, 150000000, 5.4) AND f = 0.1e0 AND f < x",
        "f <= '3.4028235e38'",
        "f = 'nan' AND age + 1 > 0.144",
        "day >= '2020-01-01' AND day < DATE '2021-01-01'",
        "COALESCE(zip, 'x') = 'x' AND UPPER(zip) = 'A' AND zip = kind",
    ],
)
def test_what_a_column_can_have_it_is_compared_with(where: str) -> None:
    require(where)


@pytest.mark.slow
@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_number_of_4_bytes_is_shown_as_duckdb_shows_it(value: float) -> None:
    (shown,) = duckdb.execute("SELECT CAST(CAST($1 AS FLOAT) AS VARCHAR)", [value]).fetchall()[0]

    assert _shown_by_4_bytes(Decimal(value)) == Decimal(shown)
    assert struct.pack("f", float(shown)) == struct.pack("f", value)


@given(st.decimals(min_value=-(2**24), max_value=2**24, places=0) | st.decimals(-1000, 1000, places=3))
def test_small_whole_numbers_and_six_digits_stay_as_they_are(number: Decimal) -> None:
    assert _shown_by_4_bytes(number) == number
