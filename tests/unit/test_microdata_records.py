"""Records as numbers: every type as exactly as it can be, in the order of the values, and nothing that is no number."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pytest
import sqlglot
import yaml
from sqlglot import exp

from ordermade import Engine
from ordermade.counting.dataset import Dataset, relation
from ordermade.errors import InputError, SourceFault
from ordermade.methods.microaggregation.algorithm.columns import Categorical
from ordermade.methods.microaggregation.compare import ComparisonOptions
from ordermade.methods.microaggregation.open_request import Aggregated
from ordermade.methods.microaggregation.records import PulledRecords, pulled_statement
from ordermade.requests.row_filter import row_condition
from ordermade.sources.duckdb_file import DuckDBFile
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Limits
from tests.microdata import grounded, plan_of

JOBS = "mapping:\n  nurse: [care, '*']\n  carer: [care, '*']\n  smith: [craft, '*']\n  unheard: [craft, '*']\n"
REGIONS = "mapping:\n  e1: [east, '*']\n  w1: [west, '*']\n  e2: [east, '*']\n"
TABLE = """
CREATE TABLE persons AS
SELECT
  i AS id,
  ['e1', 'w1', 'e2'][1 + i % 3] AS region,
  CAST(i * 7 % 11 AS UTINYINT) AS small,
  4611686018427387904 + i * 5 % 13 AS large,
  CAST(CASE WHEN i % 2 = 0 THEN '0.999999999999999999' ELSE '-0.000000000000000001' END AS DECIMAL(18, 18)) AS fine,
  CAST(i * 1.25 AS DECIMAL(5, 2)) AS price,
  CAST(i * 0.1 AS FLOAT) AS narrow,
  CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN 'nurse' WHEN 2 THEN 'carer' ELSE 'smith' END AS job,
  CASE i WHEN 3 THEN NULL WHEN 4 THEN NULL WHEN 5 THEN 'NaN'::DOUBLE WHEN 6 THEN '-Infinity'::DOUBLE ELSE i END AS holes
FROM range(30) AS t(i)
"""


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dataset]:
    path = tmp_path_factory.mktemp("microdata") / "s.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(TABLE)
    backend = DuckDBFile(path, writable=False, limits=Limits("256MB", 1))
    (table,) = backend.tables()
    yield Dataset("persons", backend, relation(table.reference, None), table.columns)
    backend.close()


def numeric(asked: Dataset, *columns: str) -> tuple[Aggregated, ...]:
    return tuple(Aggregated(column, asked.type_of(column), 2.0) for column in columns)


def rows_of(asked: Dataset, *columns: str) -> list[tuple[object, ...]]:
    return asked.backend.connection.execute(f"SELECT {', '.join(columns)} FROM s.persons").fetchall()


def test_every_type_is_measured_as_it_is_in_the_order_of_the_values(asked: Dataset) -> None:
    columns = numeric(asked, "small", "large", "fine", "price", "narrow")
    records = PulledRecords.stored(plan_of(asked, columns), columns)
    by_hand = sorted(rows_of(asked, "small", "large", "fine", "price", "narrow"))

    small, large, fine, price, narrow = (each.values for each in records.attributes)
    assert small.tolist() == [row[0] for row in by_hand]
    assert large.tolist() == [row[1] for row in by_hand]
    assert fine.tolist() == [int(row[2] * 10**18) for row in by_hand]
    assert price.tolist() == [int(row[3] * 100) for row in by_hand]
    assert narrow.tolist() == [row[4] for row in by_hand]
    assert [each.values.dtype for each in records.attributes] == [np.int64] * 4 + [np.float64]
    assert {each.weight for each in records.attributes} == {2.0}
    assert (records.rows, records.sizes, records.classes) == (30, (30,), ((),))


def test_distances_are_in_the_columns_own_units_where_nothing_is_standardised(asked: Dataset) -> None:
    columns = numeric(asked, "price", "small")
    records = PulledRecords.stored(plan_of(asked, columns), columns, standardise=False)
    assert [each.weight for each in records.attributes] == [2.0 / 100**2, 2.0]


def test_classes_come_one_after_another_and_leaves_go_by_their_hierarchy(asked: Dataset) -> None:
    region, job = grounded(asked, 1, "region", REGIONS, 1), grounded(asked, 2, "job", JOBS)
    columns = (Aggregated("job", "VARCHAR", grounded=job), *numeric(asked, "price"))
    records = PulledRecords.stored(plan_of(asked, columns, [(region, 1)], ["small"]), columns)
    jobs = ["carer", "nurse", "smith", "unheard", None]
    by_hand = sorted(
        (at == "w1", jobs.index(job), price) for at, job, price in rows_of(asked, "region", "job", "price")
    )

    leaves, prices = records.attributes
    assert isinstance(leaves, Categorical)
    assert leaves.codes.tolist() == [row[1] for row in by_hand]
    assert leaves.ancestors.tolist() == [[0, 0], [1, 0], [2, 2], [3, 2], [4, 4]]
    assert prices.values.tolist() == [int(row[2] * 100) for row in by_hand]
    assert records.sizes == (20, 10)
    assert (records.classes_below(10), records.classes_below(11), records.classes_below(21)) == (0, 1, 2)


def test_the_source_is_asked_once_and_for_the_columns_needed_alone(asked: Dataset) -> None:
    columns = numeric(asked, "price")
    plan = plan_of(asked, columns, [(grounded(asked, 1, "region", REGIONS), 0)], ["small"])
    before = asked.backend.executor.count([Purpose.RECORDS])
    PulledRecords.stored(plan, columns)
    assert asked.backend.executor.count([Purpose.RECORDS]) == before + 1
    selected = pulled_statement(plan, columns)
    assert {each.name for each in selected.find_all(exp.Column) if each.table == "dataset"} == {
        "region",
        "price",
        "small",
    }


def test_what_is_no_number_is_counted_and_named_and_left_out_as_the_error_says(asked: Dataset) -> None:
    columns = numeric(asked, "small", "holes")

    def refusal(condition: str | None) -> str:
        tree = condition and row_condition(condition, {"holes": asked.type_of("holes")})[0]
        filtered = Dataset("d", asked.backend, relation(sqlglot.to_table("s.persons"), tree or None), asked.columns)
        with pytest.raises(InputError) as caught:
            PulledRecords.stored(plan_of(filtered, columns), columns)
        assert "attributes: holes: 2 rows have no number" in caught.value.message
        line = caught.value.next_step.partition("`")[2].partition("`")[0]
        return str(yaml.safe_load(line)["where"])  # as it is read where it is copied into a request

    first = refusal(None)
    assert first == '"holes" is not null'
    second = refusal(first)
    tree, _ = row_condition(f"{first} and {second}", {"holes": asked.type_of("holes")})
    filtered = Dataset("d", asked.backend, relation(sqlglot.to_table("s.persons"), tree), asked.columns)
    records = PulledRecords.stored(plan_of(filtered, columns), columns)
    assert records.rows == 26
    assert all(math.isfinite(each) for each in records.attributes[1].values)


def test_no_records_are_no_error(asked: Dataset) -> None:
    columns = numeric(asked, "small")
    empty = Dataset("d", asked.backend, relation(sqlglot.to_table("s.persons"), exp.false()), asked.columns)
    records = PulledRecords.stored(plan_of(empty, columns), columns)
    assert (records.rows, records.attributes, records.classes_below(2)) == (0, (), 1)


def test_types_that_are_not_exact_are_not_measured() -> None:
    with pytest.raises(ValueError, match="DATE"):
        Aggregated("born", "DATE")


def test_an_error_in_the_middle_of_an_answer_tells_no_value(asked: Dataset) -> None:
    doubtful = "SELECT CASE WHEN i < 400000 THEN 1 ELSE CAST('private ' || i AS INTEGER) END FROM range(500000) AS t(i)"
    batches = asked.backend.workspace.batches(Purpose.RECORDS, sqlglot.parse_one(doubtful, dialect="duckdb"), 1000)
    with pytest.raises(SourceFault) as caught:
        list(batches)
    assert "private" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_the_labels_of_an_enum_are_not_told_where_methods_are_compared(tmp_path: Path) -> None:
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE persons AS SELECT 'young'::ENUM('young', 'old') AS age")
    with pytest.raises(InputError, match="the column 'age' is a ENUM, which is not compared"):
        Engine(state=tmp_path / "none").compare(path, ComparisonOptions(("age",), (3,)))
