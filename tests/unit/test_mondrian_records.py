"""Records as codes of their values: every type in its order, hierarchies by their cells, nothing without a place."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import sqlglot
import yaml
from sqlglot import exp

from ordermade.counting.counts import ground_sensitive, units
from ordermade.counting.dataset import Dataset, relation
from ordermade.counting.numeric_records import NumericEncoding
from ordermade.counting.numeric_records import pulled as slices
from ordermade.errors import InputError, SourceChanged
from ordermade.hierarchies.read import parse_yaml
from ordermade.methods.mondrian.algorithm.domains import Nested, OrderedDomain, Unordered
from ordermade.methods.mondrian.coded_columns import pulled_statement
from ordermade.methods.mondrian.open_request import PlannedColumn
from ordermade.methods.mondrian.records import MondrianRecords
from ordermade.privacy.least_k import numbered
from ordermade.privacy.models import DistinctL, TCloseness
from ordermade.release.plan import Plan
from ordermade.requests.resolve_mondrian import Kind
from ordermade.requests.row_filter import row_condition
from ordermade.sources.duckdb_file import DuckDBFile
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Limits
from tests.microdata import grounded

JOBS = "mapping:\n  nurse: [care, '*']\n  smith: [craft, '*']\n  carer: [care, '*']\n  unheard: [craft, '*']\n"
AGES = "mapping:\n  10: [few, '*']\n  2: [few, '*']\n  7: [few, '*']\n  30: [many, '*']\n  31: [many, '*']\n"
PLANS = "mapping:\n  plan 1: [low, '*']\n  plan 2: [low, '*']\n  plan 3: [high, '*']\n"
TABLE = """
CREATE TABLE persons AS
SELECT
  i AS id,
  i // 2 AS person,
  CAST(i * 7 % 11 AS UTINYINT) AS small,
  4611686018427387904 - i * 5 % 13 * 1000000000000 AS large,
  CAST(i * 37 % 30 * 0.25 - 3 AS DECIMAL(18, 2)) AS price,
  CAST(i * 7 % 30 * 0.1 AS FLOAT) AS narrow,
  DATE '1969-12-01' + CAST(i * 11 % 60 AS INTEGER) AS born,
  MAKE_TIMESTAMP_NS(1577836800000000001 + i * 7 % 30 * 1000) AS seen,
  CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN 'nurse' WHEN 2 THEN 'carer' ELSE 'smith' END AS job,
  [10, 2, 7, 30][1 + i % 4] AS age,
  ['b', 'B', 'ä', ''][1 + i % 4] AS word,
  i % 3 = 0 AS yes,
  CASE WHEN i = 5 THEN 'NaN'::DOUBLE WHEN i = 6 THEN '-Infinity'::DOUBLE WHEN i NOT IN (3, 4) THEN i END AS holes,
  CASE i WHEN 3 THEN DATE 'infinity' WHEN 4 THEN NULL ELSE DATE '2001-01-01' END AS never,
  CASE WHEN i % 4 > 0 THEN 'plan ' || i % 4 END AS plan
FROM range(30) AS t(i)
"""


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dataset]:
    path = tmp_path_factory.mktemp("mondrian") / "s.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(TABLE)
    backend = DuckDBFile(path, writable=False, limits=Limits("256MB", 1))
    (table,) = backend.tables()
    yield Dataset("persons", backend, relation(table.reference, None), table.columns)
    backend.close()


def wanted(asked: Dataset, kind: Kind, *columns: str) -> tuple[PlannedColumn, ...]:
    return tuple(PlannedColumn(column, asked.type_of(column), kind) for column in columns)


def plan_of(asked: Dataset, columns: tuple[PlannedColumn, ...], **besides: Any) -> Plan:
    kept, names = besides.pop("kept", ()), tuple(each.column for each in columns)
    return Plan(asked, (), (), kept, "rows", k=2, aggregated=names, **besides)


def pulled(asked: Dataset, *columns: PlannedColumn, ordered: bool = False) -> MondrianRecords:
    return MondrianRecords.stored(plan_of(asked, columns), columns, ordered=ordered)


def values_of(asked: Dataset, *columns: str) -> list[tuple[Any, ...]]:
    return asked.backend.connection.execute(f"SELECT {', '.join(columns)} FROM s.persons").fetchall()


def test_numbers_and_dates_are_exact_in_their_own_order_and_unit(asked: Dataset) -> None:
    names = ("small", "large", "price", "narrow", "born", "seen")
    records = pulled(asked, *wanted(asked, "ordered", *names))
    by_hand = dict(zip(names, zip(*values_of(asked, *names), strict=True), strict=True))
    for column in records.columns:
        expected = sorted(set(by_hand[column.column]))
        assert column.codes.tolist() == [expected.index(each) for each in by_hand[column.column]]
        assert column.values.dtype == (np.float64 if column.column == "narrow" else np.int64)
        assert isinstance(column.domain, OrderedDomain)
        assert column.domain.span == column.domain.places[-1] - column.domain.places[0] > 0
    small, large, price, narrow, born, seen = records.columns
    assert (small.step, large.step, price.step, narrow.step, born.step, seen.step) == (1, 1, 0, 0, 1, 0)
    assert large.values.tolist() == sorted(set(by_hand["large"]))
    assert price.values.tolist() == sorted({int(each * 100) for each in by_hand["price"]})
    assert born.values[0] == -31
    assert seen.values[0] == 1577836800 * 10**9 + 1
    assert records.codes.flags.c_contiguous
    assert records.codes.dtype == np.int32
    assert records.codes[:, 2].tolist() == price.codes.tolist()


def test_what_has_no_order_is_numbered_as_the_database_sorts_it(asked: Dataset) -> None:
    records = pulled(asked, *wanted(asked, "unordered", "word", "yes"))
    word, yes = records.columns
    assert word.values.tolist() == ["", "B", "b", "ä"]
    assert yes.values.tolist() == ["false", "true"]
    assert [word.values[code] for code in word.codes] == [row[0] for row in values_of(asked, "word")]
    assert [isinstance(each, Unordered) and each.values for each in records.domains] == [4, 2]


@pytest.mark.slow
def test_hierarchies_come_with_their_classes_what_these_cover_and_what_they_are_called(asked: Dataset) -> None:
    jobs, born = grounded(asked, 1, "job", JOBS), grounded(asked, 2, "born", "date: [month, year]\n")
    columns = (PlannedColumn("job", "VARCHAR", "nested", jobs, finest=1), PlannedColumn("born", "DATE", "nested", born))
    job, birth = pulled(asked, *columns).columns
    assert job.values.tolist() == ["carer", "nurse", "smith", "unheard", None]
    assert job.null == 4
    assert [job.values[code] for code in job.codes] == [row[0] for row in values_of(asked, "job")]
    assert isinstance(job.domain, Nested)
    assert job.domain.classes.tolist() == [[0, 1, 2, 3, 4], [0, 0, 1, 1, 2]]
    assert job.labels[1].tolist() == ["care", "craft", None]
    assert (job.domain.finest, job.domain.top) == (1, 2)
    assert job.domain.widths[1].tolist() == [1 / 4, 1 / 4, 0]  # five leaves: NULL occurs

    days = sorted({row[0] for row in values_of(asked, "born")})
    assert isinstance(birth.domain, Nested)
    assert birth.values.tolist() == [(day - days[0]).days - 31 for day in days]
    assert birth.labels[2].tolist() == ["1969", "1970"]
    assert birth.domain.classes[2].tolist() == [day.year - 1969 for day in days]
    assert birth.domain.widths[2].sum() == pytest.approx((len(days) - 2) / (len(days) - 1))


def test_along_a_tree_values_stand_by_their_classes_from_the_top_down(asked: Dataset) -> None:
    (column,) = pulled(asked, PlannedColumn("job", "VARCHAR", "tree", grounded(asked, 1, "job", JOBS))).columns
    assert column.values.tolist() == ["carer", "nurse", "smith", "unheard", None]
    crossed = JOBS.replace("smith", "an anvil")
    renamed = replace_values(asked, "CASE job WHEN 'smith' THEN 'an anvil' ELSE job END AS job")
    (column,) = pulled(renamed, PlannedColumn("job", "VARCHAR", "tree", grounded(renamed, 1, "job", crossed))).columns
    assert column.values.tolist() == ["an anvil", "unheard", "carer", "nurse", None]
    assert column.classes.tolist() == [[0, 1, 2, 3, 4], [0, 0, 1, 1, 2]]
    assert column.labels[1].tolist() == ["craft", "care", None]
    found = [column.values[code] for code in column.codes]
    assert found == ["an anvil" if row[0] == "smith" else row[0] for row in values_of(asked, "job")]
    assert isinstance(column.domain, OrderedDomain)
    assert (column.domain.places.tolist(), column.domain.span) == ([0, 1, 2, 3, 4], 4)


def replace_values(asked: Dataset, expression: str) -> Dataset:
    query = sqlglot.parse_one(f"SELECT * REPLACE ({expression}) FROM s.persons", dialect="duckdb")
    assert isinstance(query, exp.Query)
    return replace(asked, relation=query)


def test_the_hierarchy_of_what_is_cut_says_only_how_far_values_are_apart(asked: Dataset) -> None:
    listed, ruled = grounded(asked, 1, "age", AGES), grounded(asked, 2, "small", "intervals:\n  levels: [{width: 5}]\n")
    columns = (PlannedColumn("age", "INTEGER", "ordered", listed), PlannedColumn("small", "UTINYINT", "ordered", ruled))
    age, small = pulled(asked, *columns).columns
    assert age.values.tolist() == [2, 7, 10, 30]
    assert isinstance(age.domain, OrderedDomain)
    assert (age.domain.places.tolist(), age.domain.span) == ([0, 1, 2, 3], 4)
    assert isinstance(small.domain, OrderedDomain)
    assert (small.domain.places.tolist(), small.domain.span) == (list(range(11)), 10)


def test_records_stand_in_their_own_order_where_that_matters_whatever_the_order_of_the_source(asked: Dataset) -> None:
    columns = (*wanted(asked, "ordered", "small"), *wanted(asked, "unordered", "word"))
    turned = sqlglot.parse_one("SELECT * FROM s.persons ORDER BY id % 7, id DESC", dialect="duckdb")
    assert isinstance(turned, exp.Query)
    found = []
    for dataset in (asked, replace(asked, relation=turned)):
        held = replace(dataset, entity="person")
        units(held)
        plan = ground_sensitive(held, 3, "plan", (DistinctL(2),))
        kept = plan_of(held, columns, kept=("born",), sensitive=(plan,), entity="person")
        records = MondrianRecords.stored(kept, columns, ordered=True, target="born")
        assert records.persons is not None
        assert records.target is not None
        rows = held.backend.connection.execute("SELECT a1, a2, v3, v4, c3 FROM microdata ORDER BY rowid").fetchall()
        found.append((records.codes.tolist(), rows, records.sensitive[0].codes.tolist(), records.target.tolist()))
        people = held.backend.connection.execute(
            "SELECT key FROM microdata JOIN persons ON code = person ORDER BY microdata.rowid"
        ).fetchall()
        found[-1] = (*found[-1], people)
        assert len({*zip(people, records.persons.tolist(), strict=True)}) == 15
    assert found[0] == found[1]
    assert found[0][0] == sorted(found[0][0])


def test_the_source_is_asked_once_for_the_columns_needed_and_sorts_them_only_where_it_must(asked: Dataset) -> None:
    columns = (
        *wanted(asked, "ordered", "price"),
        PlannedColumn("job", "VARCHAR", "nested", grounded(asked, 1, "job", JOBS)),
    )
    plan = plan_of(asked, columns, kept=("word",))
    before = asked.backend.executor.count([Purpose.RECORDS])
    MondrianRecords.stored(plan, columns, ordered=False, target="yes")
    assert asked.backend.executor.count([Purpose.RECORDS]) == before + 1
    for ordered in (False, True):
        selected = pulled_statement(plan, columns, ordered=ordered, target="yes")
        named = {each.name for each in selected.find_all(exp.Column) if each.table == "dataset"}
        assert named == {"price", "job", "word", "yes"}
        assert (selected.args.get("order") is not None) == ordered


def test_sensitive_values_persons_and_the_target_are_numbers(asked: Dataset) -> None:
    held = replace(asked, entity="person")
    units(held)
    closeness = TCloseness(Fraction(1, 2), "hierarchical", parse_yaml(PLANS, "plans", where="plans")[0])
    columns = wanted(held, "ordered", "small")
    plan = ground_sensitive(held, 3, "plan", (DistinctL(2), closeness))
    records = MondrianRecords.stored(
        plan_of(held, columns, sensitive=(plan,), entity="person"), columns, ordered=False, target="plan"
    )
    rows = values_of(held, "person", "plan")
    plans = ["plan 1", "plan 2", "plan 3", None]
    (sensitive,) = records.sensitive
    assert records.target is not None
    assert records.persons is not None
    assert sensitive.pairs is not None
    assert sensitive.codes.tolist() == records.target.tolist() == [plans.index(plan) for _, plan in rows]
    assert (sensitive.values, records.target_values, sensitive.column) == (4, 4, "plan")
    assert sensitive.ancestors[closeness.identity].tolist() == [[0, 1, 2, 3], [0, 0, 1, 2]]
    for found, expected in ((records.persons, [row[0] for row in rows]), (sensitive.pairs, rows)):
        assert sorted(set(found.tolist())) == list(range(len(set(expected))))
        assert len(set(zip(found.tolist(), expected, strict=True))) == len(set(expected))
    assert records.requirement.k == 2
    assert records.requirement.persons is records.persons


@pytest.mark.parametrize(
    ("column", "kind", "rows", "counts"),
    [("holes", "ordered", 26, [2, 2]), ("never", "ordered", 28, [1, 1]), ("plan", "unordered", 22, [8])],
)
def test_what_has_no_place_is_counted_and_named_and_left_out_as_the_error_says(
    asked: Dataset, column: str, kind: Kind, rows: int, counts: list[int]
) -> None:
    columns = wanted(asked, kind, column)
    filtered, said = asked, []
    for count in counts:
        with pytest.raises(InputError) as caught:
            pulled(filtered, *columns)
        assert f"quasi_identifiers: {column}: {numbered(count, 'row has', 'rows have')} no " in caught.value.message
        line = caught.value.next_step.partition("`")[2].partition("`")[0]
        said.append(str(yaml.safe_load(line)["where"]))
        tree, _ = row_condition(" and ".join(said), {column: asked.type_of(column)})
        filtered = replace(asked, relation=relation(sqlglot.to_table("s.persons"), tree))
    records = pulled(filtered, *columns)
    assert records.rows == rows
    if column == "holes":
        assert all(math.isfinite(each) for each in records.columns[0].values)


def test_a_value_that_was_not_counted_is_a_source_that_changed(asked: Dataset) -> None:
    executor = asked.backend.workspace
    statement = sqlglot.parse_one("SELECT CAST(NULL AS BIGINT) AS a, 'new' AS b", dialect="duckdb")
    assert isinstance(statement, exp.Query)
    held, listed = (
        (NumericEncoding("a", "a", "whole"), NumericEncoding("b", "b", "value")),
        {"b": pa.array(["new", "old"])},
    )
    with pytest.raises(SourceChanged):
        slices(executor, statement, held, 1, listed)
    only = sqlglot.parse_one("SELECT 'new' AS b", dialect="duckdb")
    assert isinstance(only, exp.Query)
    assert slices(executor, only, held[1:], 1, {"b": pa.array(["old", "new"])})[0].tolist() == [1]
    with pytest.raises(SourceChanged):
        slices(executor, only, held[1:], 1, {"b": pa.array(["old"])})


def test_no_records_are_no_error(asked: Dataset) -> None:
    empty = replace(asked, relation=relation(sqlglot.to_table("s.persons"), exp.false()))
    records = pulled(empty, *wanted(empty, "ordered", "small"), *wanted(empty, "unordered", "word"))
    assert (records.rows, records.columns, records.codes.shape) == (0, (), (0, 2))


def test_a_column_that_cannot_be_split_so_is_no_column(asked: Dataset) -> None:
    jobs = grounded(asked, 1, "job", JOBS)
    with pytest.raises(ValueError, match="not cut"):
        PlannedColumn("word", "VARCHAR", "ordered")
    with pytest.raises(ValueError, match="no hierarchy"):
        PlannedColumn("job", "VARCHAR", "nested")
    with pytest.raises(ValueError, match="sets of values"):
        PlannedColumn("job", "VARCHAR", "unordered", jobs)
    with pytest.raises(ValueError, match="level 0"):
        PlannedColumn(
            "small", "UTINYINT", "nested", grounded(asked, 2, "small", "intervals:\n  levels: [{width: 5}]\n", 1)
        )
