"""A filter that is accepted has an answer for every row: no error of it tells which values there are."""

from __future__ import annotations

from itertools import product

import duckdb
import pytest

from ordermade.errors import FilterError
from ordermade.requests.comparable import require_comparable
from ordermade.requests.where import parse_filter, widened

COLUMNS = {
    "id": ("BIGINT", "1"),
    "code": ("VARCHAR", "'x'"),
    "n": ("BIGINT", "9223372036854775807"),
    "h": ("HUGEINT", "170141183460469231731687303715884105727"),
    "i": ("INTEGER", "2147483647"),
    "ub": ("UBIGINT", "18446744073709551615"),
    "d": ("DATE", "'2013-10-01'"),
    "ts": ("TIMESTAMP", "'2013-10-01 01:02:03'"),
    "tz": ("TIMESTAMPTZ", "'2013-10-01 00:00:00+00'"),
    "b": ("BOOLEAN", "true"),
    "f": ("FLOAT", "3e38"),
    "dec": ("DECIMAL(18,2)", "9999999999999999.99"),
    "d4": ("DECIMAL(4,1)", "999.9"),
    "dw": ("DECIMAL(38,10)", "9999999999999999999999999999.9999999999"),
    "e": ("ENUM('a', 'b')", "'a'"),
    "j": ("JSON", """'"q"'"""),
    "u": ("UUID", "'6f9619ff-8b86-d011-b42d-00c04fc964ff'"),
    "tm": ("TIME", "'10:00:00'"),
    "tns": ("TIMESTAMP_NS", "'2013-10-01 00:00:00'"),
    "tss": ("TIMESTAMP_S", "'2013-10-01 00:00:00'"),
    "db": ("DOUBLE", "1e308"),
    "bl": ("BLOB", "'ab'"),
}
"""Columns of each type: one row, of values that are as large as they can be."""
WRITTEN = (
    "'5'", "'5.4'", "'abc'", "'2013-10-01'", "'2013-10-01 10:00:00'", "'2013-02-30'", "'true'", "'nan'", "'1e400'",
    "'10:00:00'", "'99999999999999999999'", "'1_0'", "'５'", "5", "5.4", f"0.{'1' * 34}", f"0.{'1' * 37}", "1e300",
    "-3", "TRUE", "DATE '2013-10-01'", "TIMESTAMP '2013-10-01 10:00:00'", "NULL",
)  # fmt: skip
CALCULATED = (
    "LOWER(code)", "LENGTH(code)", "YEAR(d)", "n + 1", "n * 1000", "n * n * 0.5", "n * 1000 + 0.5", "n * 1000 / 3",
    "(n + 1) * (n + 2)", "n + 0.5", "dec * dec", "dec * dec * dec", "d4 * d4", "dec * i", "ROUND(dec, 1) * 10",
    "h * 1.5", "dec + dec", f"dec + 0.{'0' * 25}1", f"d4 * 1.{'0' * 37}", "dw * 10", "dw + dw", "COALESCE(n, 0)",
    "COALESCE(code, 'x')", "COALESCE(n, 'abc')", "COALESCE(n, dec)", f"COALESCE(n, 0.{'1' * 30})", "ABS(n)", "-n",
    "-dec", "ROUND(dec, 1)", "FLOOR(db)", "CAST(code AS DATE)", "CAST(ts AS DATE)", "db * db", "f * f", "ub - 5",
    "i - ub",
)  # fmt: skip
VALUES = (*COLUMNS, *WRITTEN, *CALCULATED)
SHAPES = (
    "{}", "NOT {}", "{} IS TRUE", "{} IS NULL", "{} OR b", "{} IN (1, 2.5)", "{} IN ('a', '5')", "COALESCE({}, b)",
    f"{{}} BETWEEN 0.5 AND 0.{'1' * 36}", "{} IS DISTINCT FROM 5",
)  # fmt: skip


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    made = duckdb.connect()
    made.execute(f"CREATE TABLE t ({', '.join(f'{name} {kind}' for name, (kind, _) in COLUMNS.items())})")
    made.execute(f"INSERT INTO t VALUES ({', '.join(value for _, value in COLUMNS.values())})")
    return made


def answers(connection: duckdb.DuckDBPyConnection, where: str) -> set[str]:
    """Whether a filter has an answer where a row comes so far, and if it fails there, where none does.

    Empty where it is refused.
    """
    types = {name: kind for name, (kind, _) in COLUMNS.items()}
    try:
        tree = parse_filter(where, tuple(types))
        require_comparable(tree, types)
        wide = widened(tree, types).sql(dialect="duckdb")
    except FilterError:
        return set()
    found = set()
    for row in (1, 2):
        try:
            connection.execute(f"SELECT COUNT(*) FROM t WHERE id = {row} AND ({wide})").fetchall()
        except duckdb.Error as error:
            found.add(type(error).__name__)
        else:
            return found | {"an answer"}
    return found


@pytest.mark.slow
@pytest.mark.parametrize("operator", ["=", pytest.param("<", marks=pytest.mark.thorough)])
@pytest.mark.parametrize("first", VALUES)
def test_no_error_of_a_comparison_tells_of_a_row(
    connection: duckdb.DuckDBPyConnection, first: str, operator: str
) -> None:
    for other in VALUES:
        where = f"{first} {operator} {other}"
        assert len(answers(connection, where)) <= 1, where


def test_no_error_of_another_condition_tells_of_a_row(connection: duckdb.DuckDBPyConnection) -> None:
    for shape, value in product(SHAPES, VALUES):
        where = shape.format(value)
        assert len(answers(connection, where)) <= 1, where


def test_the_oracle_sees_an_error_that_tells_of_a_row(
    connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "require_comparable", lambda *_: None)

    for where in ("n = 'abc'", "code = 5", "e = TRUE", f"n > 0.{'1' * 35}", "dec * dec > 1", "n = DATE '2013-10-01'"):
        assert answers(connection, where) == {"an answer", "ConversionException"} or "OutOfRangeException" in answers(
            connection, where
        ), where
