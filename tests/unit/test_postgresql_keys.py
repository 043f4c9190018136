"""Keys as PostgreSQL gets them: which tables it may look up by place, and the cells that it finds there."""

from __future__ import annotations

from datetime import date, datetime

import pyarrow as pa
import pytest
from sqlglot import exp

from ordermade.sources.postgresql_keys import MAX_PLACES, listed


def keys(values: pa.Array, cells: pa.Array | None = None) -> pa.Table:
    return pa.table({"key": values, "cell": pa.array(range(len(values)), pa.int16()) if cells is None else cells})


def test_each_key_finds_its_cell_at_its_place() -> None:
    found = listed("keys_1", keys(pa.array([7, 3, None, 5], pa.int16())))
    assert found.bound["keys_1_1_by_place"] == [1, -1, 3, -1, 0]
    looked_up = found.looked_up["cell"](exp.column("age")).sql(dialect="postgres")
    assert looked_up == "(CAST(%(keys_1_1_by_place)s AS SMALLINT[]))[CAST((age - 3) AS INT) + 1]"


def test_a_day_is_looked_up_by_the_days_since_the_first() -> None:
    found = listed("keys_1", keys(pa.array([date(2024, 3, 1), date(2024, 2, 28)])))
    assert found.bound["keys_1_1_by_place"] == [1, -1, 0]
    assert "CAST('2024-02-28' AS DATE)" in found.looked_up["cell"](exp.column("joined")).sql(dialect="postgres")


def test_the_microseconds_of_a_moment_are_added_once() -> None:
    """To whole seconds."""
    found = listed("keys_1", keys(pa.array([datetime(2024, 1, 3, 10, 0, 0, 120_000)], pa.timestamp("us"))))
    assert "CAST(listed.c0 AS BIGINT) / 1000000)" in found.query.sql(dialect="postgres")


def test_keys_may_be_below_zero() -> None:
    assert listed("keys_1", keys(pa.array([-2, 0], pa.int64()))).bound["keys_1_1_by_place"] == [0, -1, 1]


@pytest.mark.parametrize(
    "table",
    [
        pytest.param(keys(pa.array([0, MAX_PLACES], pa.int64())), id="too far apart"),
        pytest.param(keys(pa.array([-(2**63), 2**63 - 1], pa.int64())), id="as far apart as can be"),
        pytest.param(keys(pa.array([None], pa.int64())), id="NULL alone"),
        pytest.param(keys(pa.array([], pa.int64())), id="no key"),
        pytest.param(keys(pa.array(["1", "2"])), id="texts"),
        pytest.param(keys(pa.array([1.0, 2.0])), id="numbers with decimals"),
        pytest.param(keys(pa.array([True, False])), id="truth values"),
        pytest.param(keys(pa.array([2**31 - 1], pa.int32()).view(pa.date32())), id="infinity"),
        pytest.param(keys(pa.array([-800_000], pa.int32()).view(pa.date32())), id="before the year 1"),
        pytest.param(keys(pa.array([1, 2]), pa.array(["a", "b"])), id="labels"),
        pytest.param(keys(pa.array([1, 2]), pa.array([1, None], pa.int16())), id="a key without a cell"),
    ],
)
def test_other_tables_are_joined(table: pa.Table) -> None:
    found = listed("keys_1", table)
    assert not found.looked_up
    assert not [each for each in found.bound if each.endswith("_by_place")]


def test_keys_up_to_the_most_places_are_looked_up() -> None:
    assert listed("keys_1", keys(pa.array([1, MAX_PLACES], pa.int64()))).looked_up
