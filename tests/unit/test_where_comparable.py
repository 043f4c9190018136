"""Row filters by the types of the columns: what a column cannot have it is not compared with."""

from __future__ import annotations

import struct
from decimal import Decimal

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordermade.errors import FilterError
from ordermade.requests.row_filter import row_condition

TYPES = {
    "zip": "VARCHAR",
    "kind": "ENUM('a', 'b')",
    "doc": "JSON",
    "raw": "BLOB",
    "tags": "VARCHAR[]",
    "age": "INTEGER",
    "big": "BIGINT",
    "ub": "UBIGINT",
    "huge": "HUGEINT",
    "price": "DECIMAL(9,2)",
    "x": "DOUBLE",
    "f": "FLOAT",
    "b": "BOOLEAN",
    "day": "DATE",
    "ts": "TIMESTAMP",
    "s": "TIMESTAMP_S",
    "ns": "TIMESTAMP_NS",
    "tz": "TIMESTAMP WITH TIME ZONE",
    "t": "TIME",
    "u": "UUID",
}
UUID = "6F9619FF-8b86-d011-b42d-00c04fc964ff"


def sent(where: str) -> str:
    return row_condition(where, TYPES)[0].sql(dialect="duckdb")


@pytest.mark.parametrize(
    "where",
    [
        "zip = 5",
        "zip = TRUE",
        "zip >= DATE '2020-01-01'",
        "kind = 1",
        "age = '5'",
        "age = 5.4",
        "age = 2147483648",
        "ub >= -1",
        "huge = 170141183460469231731687303715884105728",
        "price = 0.144",
        "price > 12345678",
        "price = 'nan'",
        "x = 'nan'",
        "x = '5'",
        "x < 1.8e308",
        "f = 16777217",
        "f >= -16777217",
        "f = 0.10000000149",
        "f BETWEEN 0.1 AND 0.123456789",
        "b = 1",
        "b = 't'",
        "day = '2013-02-30'",
        "day = '2013-10-01 10:00:00'",
        "day = TIMESTAMP '2013-10-01 00:00:00'",
        "day = 'infinity'",
        "day > 20131001",
        "ts > '2013-10-01T25:00'",
        "ts > TIMESTAMPTZ '2013-10-01 00:00:00Z'",
        "s >= TIMESTAMP '2013-10-01 00:00:00.5'",
        "ns > DATE '1600-01-01'",
        "tz > DATE '2013-10-01'",
        "t = '24:00'",
        "u = 'x'",
    ],
)
def test_a_column_is_compared_with_what_it_can_have_alone(where: str) -> None:
    column = where.split()[0]
    with pytest.raises(FilterError, match=f"the column '{column}' cannot have a value") as caught:
        sent(where)
    assert (caught.value.next_step or "").startswith("Write ")


@pytest.mark.parametrize(
    "where",
    [
        "doc = '1'",
        "raw = 'x'",
        "tags = 'x'",
        "kind < 'b'",
        "u > 'x'",
        "b < TRUE",
        "age LIKE '1%'",
        "day LIKE '20%'",
        "age",
        "zip IS TRUE",
        "NOT day",
    ],
)
def test_a_type_has_its_own_operators(where: str) -> None:
    with pytest.raises(FilterError, match="which a filter does not compare so") as caught:
        sent(where)
    assert "IS NULL" in (caught.value.next_step or "")


@pytest.mark.parametrize(
    ("where", "as_sent"),
    [
        ("zip IN ('5', '') AND zip LIKE '1%'", "\"zip\" IN ('5', '') AND \"zip\" LIKE '1%'"),
        ("kind = 'c' AND kind LIKE 'a%'", "\"kind\" = 'c' AND \"kind\" LIKE 'a%'"),
        ("doc IS NULL OR raw IS NOT NULL OR tags IS NULL", '"doc" IS NULL OR NOT "raw" IS NULL OR "tags" IS NULL'),
        ("age >= 1e1 AND age < 20.0", '"age" >= 10 AND "age" < 20'),
        ("big > -9223372036854775808", '"big" > -9223372036854775808'),
        ("ub <= 18446744073709551615", '"ub" <= 18446744073709551615'),
        ("huge = -1", "\"huge\" = CAST('-1' AS INT128)"),
        ("price = 0.1400", '"price" = 0.14'),
        ("price BETWEEN -9999999.99 AND 7", '"price" BETWEEN -9999999.99 AND 7.00'),
        ("x <= 0.30000000000000004", '"x" <= 0.30000000000000004e0'),
        ("f = 0.1", '"f" = 0.10000000149011612e0'),
        ("f < 1e39", '"f" < 1e+39'),
        ("b AND b = TRUE AND b IS NOT FALSE", '"b" AND "b" = TRUE AND NOT "b" IS FALSE'),
        ("day >= '2020-01-01'", "\"day\" >= CAST('2020-01-01' AS DATE)"),
        ("ts < DATE '2021-01-01'", "\"ts\" < CAST('2021-01-01 00:00:00' AS TIMESTAMP)"),
        ("ts = '2021-01-01T10:30'", "\"ts\" = CAST('2021-01-01 10:30:00' AS TIMESTAMP)"),
        ("tz > '2021-01-01 10:30:00+09:00'", "\"tz\" > CAST('2021-01-01 01:30:00+00:00' AS TIMESTAMPTZ)"),
        ("t < '10:30'", "\"t\" < CAST('10:30' AS TIME)"),
        (f"u = '{UUID}'", f"\"u\" = '{UUID.lower()}'"),
    ],
)
def test_a_constant_is_sent_in_the_type_of_its_column(where: str, as_sent: str) -> None:
    assert sent(where) == as_sent


def test_a_label_of_an_enum_is_not_looked_for() -> None:
    # The labels may be values of persons: a refusal would tell which there are.
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT CAST('a' AS ENUM('a', 'b')) AS kind")
        for where, rows in (("kind = 'c'", 0), ("kind IN ('a', 'c')", 1), ("kind <> 'c'", 1), ("kind LIKE 'c%'", 0)):
            assert connection.execute(f"SELECT count(*) FROM t WHERE {sent(where)}").fetchall() == [(rows,)], where


@pytest.mark.slow
@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_number_of_4_bytes_is_written_as_duckdb_shows_it(value: float) -> None:
    (shown,) = duckdb.execute("SELECT CAST(CAST($1 AS FLOAT) AS VARCHAR)", [value]).fetchall()[0]
    (_, _, text) = sent(f"f = {Decimal(shown)}").partition(" = ")

    assert struct.pack("f", float(text)) == struct.pack("f", value)
    assert float(text) == value


@given(st.integers(-(2**24), 2**24) | st.decimals(-1000, 1000, places=3))
def test_small_whole_numbers_and_six_digits_are_written_beside_4_bytes(number: Decimal) -> None:
    assert sent(f"f = {number}")
