"""Which unit the values of a column of floating-point numbers tell, however they came about."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import duckdb
import pytest

from ordermade.counting.numeric_records import unit_of_values
from ordermade.sources.executor import Executor


@pytest.mark.parametrize(
    ("column_type", "values", "unit"),
    [
        ("DOUBLE", (3.0, -12.0, 0.0), "1"),
        ("DOUBLE", (3.5, 12.25), "0.01"),
        ("DOUBLE", (0.1 + 0.2, 3 * 1.1, 19.99 * 100 / 100), "0.01"),
        ("FLOAT", (123.45, 0.1), "0.01"),
        ("DOUBLE", (0.000001, 2.0), "0.000001"),
        ("DOUBLE", (1 / 3, 2.0), None),
        ("DOUBLE", (0.01, 2.0**50), None),
    ],
)
def test_the_coarsest_unit_that_all_values_count(column_type: str, values: Sequence[float], unit: str | None) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE read AS SELECT CAST(UNNEST(?) AS {column_type}) AS raw", [list(values)])
        told = unit_of_values(Executor(connection, "workspace"), "read", "raw", column_type)
    assert told == (None if unit is None else Decimal(unit))
