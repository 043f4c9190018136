"""The SQL of one small request, statement by statement, as text: a change of it is seen in review.

`ORDERMADE_RENEW_GOLDEN=1 python -m pytest tests/golden/test_statements.py` writes the snapshots anew; look at the
difference before committing it. Each snapshot also runs here, in order, on a table of made-up persons.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
import sqlglot
from sqlglot import exp

from ordermade import sql
from ordermade.counting.classes import (
    NODE_ROWS,
    check_statement,
    node_statement,
    rows_of_node,
    rows_of_set,
    suppressed_rows_statement,
)
from ordermade.counting.counts import (
    NARROW,
    WIDE,
    Counting,
    Repeats,
    StoredSet,
    cells_statement,
    ground_sensitive,
    packed,
    persons_statement,
    units,
    values_statement,
    widen_statement,
)
from ordermade.counting.coverage import encode_counted
from ordermade.counting.dataset import Dataset, relation, versioning
from ordermade.counting.encoding import EncodedColumn, coded_keys_statement, keys_statement, marginal_statement
from ordermade.counting.frequency_set import (
    MAX_BITS,
    frequency_set_statement,
    k_check_statement,
    roll_up_statement,
    source_k_check_statement,
)
from ordermade.counting.frequency_set import steps as persons_steps
from ordermade.counting.numeric_records import missing_statement, numbers_statement
from ordermade.counting.packed_set import PACKED, PackedLevels, packed_statement
from ordermade.counting.record_tables import ASSIGNED, GROUPS, MICRODATA, leaves_statement
from ordermade.counting.value_bits import value_bits
from ordermade.hierarchies.read import parse_yaml
from ordermade.lattice.lattice import Axis, Lattice, Node
from ordermade.lattice.observation import Requirement
from ordermade.methods.histories.records import (
    customers_statement,
    goods_statement,
    items_statement,
    moments_statement,
    purchases_statement,
    ranges_statement,
)
from ordermade.methods.histories.records import held_columns as purchases_columns
from ordermade.methods.histories.records import pulled_statement as purchases_pulled_statement
from ordermade.methods.histories.slots import (
    clusters_statement,
    losses_statement,
    placed_as_matched_statement,
    placed_by_rank_statement,
    shown_statement,
    slots_statement,
)
from ordermade.methods.histories.units import (
    CLUSTERS,
    CUSTOMERS,
    GOODS,
    ITEMS,
    MATCHED,
    PLACED,
    PURCHASES,
    SLOTS,
    measures_of,
    tried,
    uneven_statement,
)
from ordermade.methods.microaggregation.open_request import Aggregated
from ordermade.methods.microaggregation.records import (
    classes_statement,
    decided_statement,
    held_columns,
    pulled_statement,
)
from ordermade.methods.mondrian.coded_columns import TO_WRITE, beside, listed_statement
from ordermade.methods.mondrian.coded_columns import decided_statement as split_decided_statement
from ordermade.methods.mondrian.coded_columns import held_columns as split_columns
from ordermade.methods.mondrian.coded_columns import pulled_statement as split_records_statement
from ordermade.methods.mondrian.coded_columns import values_statement as values_of_hierarchy_statement
from ordermade.methods.mondrian.coded_columns import written_statement as written_codes_statement
from ordermade.methods.mondrian.open_request import PlannedColumn
from ordermade.privacy.models import DistinctL, TCloseness
from ordermade.release.files import read_statement, write_statement
from ordermade.release.measure import apart_statement, measure_statement, stars_statement
from ordermade.release.measure import counted_statement as written_counts_statement
from ordermade.release.plan import COUNTED, DECISIONS, SORTED, Plan
from ordermade.release.rows import (
    PSEUDONYMS,
    counted_statement,
    histogram_statement,
    labels_statement,
    labels_table,
    release_statements,
    sorted_statement,
    suppressed_statement,
    written_statement,
)
from ordermade.release.suppress import Counted, all_released_statement
from ordermade.sources.backend import Column
from ordermade.sources.duckdb_file import DuckDBFile
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Limits
from tests.purchases import plan_of, resolved_of

SNAPSHOTS = Path(__file__).parent
RENEW = os.environ.get("ORDERMADE_RENEW_GOLDEN") == "1"

RULES = {
    "sex": ("mapping:\n  f: ['*']\n  m: ['*']\n", 0),
    "age": ("intervals:\n  levels:\n    - {width: 5}\n    - {width: 10}\n", 1),
    "joined": ("date: [month, year]\n", 0),
    "code": ("prefix:\n  keep: [2]\n", 1),
}
PERSONS = """
CREATE TABLE persons AS
SELECT
  i AS id,
  CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END AS sex,
  20 + i % 30 AS age,
  DATE '2020-01-01' + CAST(i % 90 AS INTEGER) AS joined,
  'c' || (i % 4) || 'x' AS code,
  CASE WHEN i % 3 > 0 THEN 'plan ' || (i % 3) END AS plan
FROM range(120) AS t(i)
"""

PURCHASED = """
SELECT sex AS who, joined AS day, code AS good, CAST(id AS DOUBLE) / 4 AS price, CAST(age AS DECIMAL(9, 2)) AS weight
FROM asked
"""
SPREADS = {"spread_1": 20.0, "spread_2": 7.0, "spread_3": 17.0}


@dataclass(frozen=True)
class Statement:
    """A statement of the request, what is bound in it, and the table that its answer becomes."""

    tree: exp.Expr
    parameters: dict[str, Any] | None = None
    stored: str | None = None


def _statements(asked: Dataset) -> dict[str, Statement]:
    hierarchies = {column: (parse_yaml(text, column, where=column)[0], base) for column, (text, base) in RULES.items()}
    attributes = tuple(
        encode_counted(asked, position, column, hierarchy, base)
        for position, (column, (hierarchy, base)) in enumerate(hierarchies.items(), 1)
    )
    lattice = Lattice(
        tuple(Axis(each.column, each.hierarchy.order, (*each.levels, each.hierarchy.top)) for each in attributes)
    )
    found = {"version": Statement(versioning(asked).statement)}
    for each in attributes:
        codes = (
            []
            if each.rule is None
            else [
                row[0]
                for row in asked.backend.connection.execute(
                    f"SELECT DISTINCT code FROM {each.counted_values} ORDER BY ALL"
                ).fetchall()
            ]
        )
        tree, parameters = keys_statement(each, each.hierarchy.ground(each.base, codes))
        kind = each.hierarchy.kind
        found[f"marginal_{kind}"] = Statement(marginal_statement(asked, each), stored=each.counted_values)
        found[f"keys_{kind}"] = Statement(tree, parameters, each.codes if each.by_value else each.keys)
        if each.by_value:
            found[f"keys_{kind}_by_value"] = Statement(coded_keys_statement(each), stored=each.keys)
    every_level = {each.position: list(each.levels) for each in attributes}
    node, coarser = (0, 1, 1, 2), (1, 2, 2, 2)
    found["frequency_set"] = Statement(frequency_set_statement(asked, attributes), stored=NARROW)
    found["widen"] = Statement(widen_statement(NARROW, attributes, every_level), stored=WIDE)
    whole = StoredSet(WIDE, 1, ())
    found["k_check"] = Statement(k_check_statement(whole, attributes, lattice, node, 0))
    levels = PackedLevels(attributes, lattice)
    found["packed"] = Statement(packed_statement(attributes, every_level, levels.words), stored=PACKED)
    found["k_checks"] = Statement(levels.checks_statement(PACKED, (node, coarser)))
    found["packed_roll_up"] = Statement(levels.roll_up_statement(node, PACKED), stored="packed_roll_up_1")
    found["packed_rows_of_sizes"] = Statement(levels.rows_of_sizes_statement(PACKED, (node, coarser), (0, 4)))
    found["k_checks_rolled_up"] = Statement(levels.checks_statement("packed_roll_up_1", (node, coarser)))
    found["roll_up"] = Statement(roll_up_statement(WIDE, attributes, lattice, node), stored="roll_up_1")
    kept = {1: [0], 2: [1, 2], 3: [1, 2], 4: []}
    found["roll_up_widen"] = Statement(widen_statement("roll_up_1", attributes, kept, node), stored="roll_up_1_wide")
    found["source_k_check"] = Statement(source_k_check_statement(asked, attributes, lattice, node, 0))
    found |= _of_persons_and_models(asked, attributes, lattice, node)
    for each, level in zip(attributes, node, strict=True):
        if 0 < level < each.hierarchy.top:
            labels = each.labels[level]
            bound = {"classes": list(labels), "labels": list(labels.values())}
            found[f"labels_{each.hierarchy.kind}"] = Statement(labels_statement(each, level), bound, labels_table(each))
    rows, table = Plan(asked, attributes, node, ("plan",), "rows"), Plan(asked, attributes, node, (), "table")
    found["released_classes"] = Statement(counted_statement(rows), stored=COUNTED)
    found["released_sorted"] = Statement(sorted_statement(rows), stored=SORTED)
    for ending in (".parquet", ".csv", ".csv.gz"):
        called = ending[1:].replace(".", "_")
        written = Path(f"out{ending}")
        found[f"write_{called}"] = Statement(write_statement(written_statement(rows), written, ending))
        measure = measure_statement(read_statement(written, ending, rows.columns), rows.quasi_identifiers, "rows")
        found[f"measure_{called}"] = Statement(measure)
    found["table_classes"] = Statement(counted_statement(table), stored=COUNTED)
    found["table_sorted"] = Statement(sorted_statement(table), stored=SORTED)
    found["table_write"] = Statement(write_statement(written_statement(table), Path("table.csv"), ".csv"))
    found["table_measure"] = Statement(
        measure_statement(
            read_statement(Path("table.csv"), ".csv", [*table.columns, "count"]), table.quasi_identifiers, "table"
        )
    )
    splits = _of_splits(asked)
    return {**found, **_decided(asked, attributes, node), **_of_groups(asked), **splits, **_of_histories(asked)}


def _decided(asked: Dataset, attributes: tuple[EncodedColumn, ...], node: Node) -> dict[str, Statement]:
    """The statements of a release that suppresses: with a sensitive attribute, persons, a pseudonym, and star rows."""
    asked = replace(asked, entity="id")
    plans = ground_sensitive(asked, len(attributes) + 1, "plan", (DistinctL(2), TCloseness(Fraction(1, 2))))
    plan = Plan(
        asked,
        attributes,
        node,
        (),
        "rows",
        sensitive=(plans,),
        entity="id",
        pseudonym="who",
        k=2,
        suppresses=True,
        stars=True,
    )
    found = {
        f"star_{each.table}": Statement(each.tree, stored=each.table)
        for each in release_statements(plan)
        if each.table is not None and not each.table.startswith("labels")
    }
    found[f"star_{PSEUDONYMS}"] = replace(found[f"star_{PSEUDONYMS}"], parameters={"numbers": list(range(100, 0, -1))})
    found["star_histogram"] = Statement(histogram_statement(plan, persons=True))
    found["star_suppressed"] = Statement(suppressed_statement(plan))
    path = Path("stars.csv")
    found["star_write"] = Statement(write_statement(written_statement(plan), path, ".csv"))
    written = read_statement(path, ".csv", plan.columns)
    found["star_measure_stars"] = Statement(stars_statement(written, plan.columns, "rows"))
    apart = apart_statement(written, plan.columns)
    found["star_measure"] = Statement(measure_statement(apart, plan.quasi_identifiers, "rows", "who"))
    found["star_measure_counted"] = Statement(written_counts_statement(apart, [*plan.quasi_identifiers, "plan"], "who"))
    everything = replace(plan, suppresses=False, stars=False, pseudonym=None)
    *_, sorted_last = release_statements(everything)
    found["persons_decided"] = Statement(all_released_statement(Counted.of(everything)), stored=DECISIONS)
    found["persons_sorted"] = Statement(sorted_last.tree, stored=SORTED)
    return found


def _of_groups(asked: Dataset) -> dict[str, Statement]:
    """The statements of microaggregation: a numeric column and one with a hierarchy, inside the classes of another."""
    rules = {"age": 2, "sex": 0}
    age, sex = (
        encode_counted(asked, position, column, parse_yaml(RULES[column][0], column, where=column)[0], base)
        for position, (column, base) in enumerate(rules.items(), 11)
    )
    columns = (Aggregated("id", "BIGINT"), Aggregated("sex", "VARCHAR", grounded=sex))
    plan = Plan(asked, (age,), (2,), ("plan",), "rows", k=3, aggregated=("id", "sex"))
    kept, alone = (decided_statement(each, columns, "keep") for each in (plan, replace(plan, kept=())))
    return {
        "groups_pulled": Statement(pulled_statement(plan, columns), stored=MICRODATA),
        "groups_missing": Statement(missing_statement(held_columns(columns))),
        "groups_classes": Statement(classes_statement(plan)),
        "groups_numbers": Statement(numbers_statement(held_columns(columns))),
        "groups_leaves": Statement(leaves_statement(sex, [sex.level_column(0)])),
        "groups_decided": Statement(alone),
        "groups_decided_with_kept": Statement(kept),
    }


def _of_splits(asked: Dataset) -> dict[str, Statement]:
    """The statements of Mondrian: a number that is cut, a column with a hierarchy, one without; persons, a model."""
    visits = replace(asked, entity="joined")
    sex = encode_counted(visits, 13, "sex", parse_yaml(RULES["sex"][0], "sex", where="sex")[0], 0)
    wanted = (
        PlannedColumn("id", "BIGINT", "ordered"),
        PlannedColumn("sex", "VARCHAR", "nested", sex),
        PlannedColumn("code", "VARCHAR", "unordered"),
    )
    named = tuple(each.column for each in wanted)
    model = ground_sensitive(visits, 14, "plan", [DistinctL(2)])
    whole = Plan(visits, (), (), ("age",), "rows", sensitive=(model,), entity="joined", k=3, aggregated=named)
    alone = Plan(asked, (), (), (), "rows", k=3, aggregated=named)
    units(visits)
    pulled = split_records_statement(whole, wanted, ordered=True, target="age")
    every = [*split_columns(wanted), *beside(whole, "age")]
    return {
        "splits_pulled_alone": Statement(split_records_statement(alone, wanted, ordered=False, target=None)),
        "splits_pulled": Statement(pulled, stored=MICRODATA),
        "splits_missing": Statement(missing_statement(split_columns(wanted))),
        "splits_listed": Statement(listed_statement("a3")),
        "splits_numbers": Statement(numbers_statement(every)),
        "splits_values": Statement(values_of_hierarchy_statement(wanted[1], [sex.level_column(0)])),
        "splits_written": Statement(written_codes_statement(MICRODATA, "a1", "rowid")),
        "splits_decided": Statement(split_decided_statement(alone, wanted, ["numbers", "values", "texts"])),
        "splits_decided_with_kept": Statement(split_decided_statement(whole, wanted, ["numbers", "values", "texts"])),
    }


def _of_histories(asked: Dataset) -> dict[str, Statement]:
    """The statements of purchase histories: a date, a text, a floating-point number, a decimal whose unit is asked."""
    columns = (
        Column("who", "VARCHAR"),
        Column("day", "DATE"),
        Column("good", "VARCHAR"),
        Column("price", "DOUBLE"),
        Column("weight", "DECIMAL(9,2)"),
    )
    query = sql.with_relations(sqlglot.parse_one(PURCHASED, dialect="duckdb"), {"asked": asked.relation})
    bought = replace(asked, relation=relation(query, None), columns=columns, entity="who")
    numbers = {"price": {}, "weight": {"unit": 0.5}}
    said = {"customer": "who", "when": "day", "item": "good", "numbers": numbers, "match": "rank", "cluster": "rank"}
    resolved = resolved_of({each.name: each.type for each in columns}, said)
    plan = plan_of(bought, resolved)
    measures = measures_of(resolved)
    found = {
        "pulled": Statement(purchases_pulled_statement(plan, resolved, measures), stored=MICRODATA),
        "missing": Statement(missing_statement(purchases_columns(resolved, measures))),
        "uneven": Statement(uneven_statement(tried(measures, resolved))),
        "customers": Statement(customers_statement(), stored=CUSTOMERS),
        "goods": Statement(goods_statement(None), stored=GOODS),
        "items": Statement(items_statement(), stored=ITEMS),
        "purchases": Statement(purchases_statement(resolved, measures), stored=PURCHASES),
        "ranges": Statement(ranges_statement(measures)),
        "moments": Statement(moments_statement(measures)),
        "clusters": Statement(clusters_statement(2), stored=CLUSTERS),
        "placed_as_matched": Statement(placed_as_matched_statement(measures)),
        "placed_by_rank": Statement(placed_by_rank_statement(measures), stored=PLACED),
        "slots_of_paper": Statement(slots_statement(measures, delete_costly=False), SPREADS),
        "slots": Statement(slots_statement(measures, delete_costly=True), SPREADS, SLOTS),
        "shown": Statement(shown_statement(measures)),
        "losses": Statement(losses_statement(measures, goods=True)),
    }
    return {f"histories_{called}": each for called, each in found.items()}


def _of_models(
    asked: Dataset, attributes: tuple[EncodedColumn, ...], lattice: Lattice, node: Node, counting: Counting
) -> dict[str, Statement]:
    """The statements of packed sets with values as bits."""
    values = value_bits(counting)
    levels, every_level = PackedLevels(attributes, lattice, values), {each.position: each.levels for each in attributes}
    packed_set = packed_statement(attributes, every_level, levels.words, values)
    return {
        "models_frequency_set": Statement(frequency_set_statement(asked, attributes, counting), stored=NARROW),
        "models_packed": Statement(packed_set, stored=PACKED),
        "models_checks": Statement(levels.checks_statement(PACKED, (node, lattice.top))),
        "models_packed_roll_up": Statement(levels.roll_up_statement(node, PACKED), stored="packed_roll_up_1"),
        "models_checks_rolled_up": Statement(levels.checks_statement("packed_roll_up_1", (node, lattice.top))),
        "models_rows_of_sizes": Statement(levels.rows_of_sizes_statement(PACKED, (node, lattice.top), (0, 4))),
    }


def _of_persons_and_models(
    asked: Dataset, attributes: tuple[EncodedColumn, ...], lattice: Lattice, node: Node
) -> dict[str, Statement]:
    """What is counted beyond rows: the same request with a sensitive column, of rows, and of persons under a limit."""
    visits = replace(asked, entity="joined")
    plan = ground_sensitive(visits, 5, "plan", [DistinctL(2)])
    few, levels = attributes[:1], {1: [0]}
    of_persons = Counting((plan,), visits.entity, units(visits).persons, least_classes=True)
    of_rows = Counting((plan,))
    repeats = Repeats(packed(few, levels, of_persons), 1, many=True)
    whole, alone = StoredSet(WIDE, 1, (), repeats), Lattice(lattice.axes[:1])
    held = {
        "persons": Statement(persons_statement(visits), stored="persons"),
        "sensitive_values": Statement(values_statement(visits, plan), stored=plan.counted_values),
        "sensitive_cells": Statement(cells_statement(plan, 3), stored=plan.values),
        "models_source_rows": Statement(node_statement(asked, attributes, lattice, node, of_rows), stored=NODE_ROWS),
        "models_source_check": Statement(check_statement(rows_of_node(attributes, lattice, node, of_rows), of_rows, 0)),
        **_of_models(asked, attributes, lattice, node, of_rows),
        "persons_frequency_set": Statement(frequency_set_statement(visits, few, of_persons), stored=NARROW),
    }
    for step in persons_steps(few, levels, of_persons, MAX_BITS):
        held[f"persons_{step.table}"] = Statement(step.tree, stored=step.table)
    rows = rows_of_set(whole, few, alone, (0,), of_persons)
    held["persons_check"] = Statement(check_statement(rows, of_persons, 0))
    held["persons_suppressed"] = Statement(
        suppressed_rows_statement(rows, Requirement(60, 10, models=True), of_persons, 0)
    )
    in_source = node_statement(visits, few, alone, (0,), of_persons)
    held["persons_source_rows"] = Statement(in_source, stored=NODE_ROWS)
    rows = rows_of_node(few, alone, (0,), of_persons)
    held["persons_source_check"] = Statement(check_statement(rows, of_persons, 0))
    return held


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDBFile]:
    path = tmp_path_factory.mktemp("golden") / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(PERSONS)
    backend = DuckDBFile(path, writable=False, limits=Limits("256MB", 1), allow_external=True)
    yield backend
    backend.close()


@pytest.fixture(scope="module")
def statements(source: DuckDBFile) -> dict[str, Statement]:
    (table,) = source.tables()
    condition = sqlglot.condition('"id" < 100', dialect="duckdb")
    return _statements(Dataset("persons", source, relation(table.reference, condition), table.columns))


@pytest.mark.slow
def test_the_statements_are_those_of_the_snapshots(statements: dict[str, Statement]) -> None:
    texts = {called: sql.text(each.tree, pretty=True) + ";\n" for called, each in statements.items()}
    if RENEW:
        for old in SNAPSHOTS.glob("*.sql"):
            old.unlink()
        for called, text in texts.items():
            (SNAPSHOTS / f"{called}.sql").write_text(text, encoding="utf-8")
    snapshots = {path.stem: path.read_text(encoding="utf-8") for path in SNAPSHOTS.glob("*.sql")}
    assert set(texts) == set(snapshots)
    different = [called for called, text in texts.items() if text != snapshots[called]]
    assert not different, "renew with ORDERMADE_RENEW_GOLDEN=1 if this was meant"


def test_each_snapshot_parses_as_one_statement() -> None:
    for file in SNAPSHOTS.glob("*.sql"):
        trees = sqlglot.parse(file.read_text(encoding="utf-8"), dialect="duckdb")
        assert [isinstance(each, (exp.Query, exp.Copy)) for each in trees] == [True], file.stem


@pytest.mark.slow
def test_the_snapshots_run_in_order_and_give_one_answer(
    source: DuckDBFile, statements: dict[str, Statement], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one_group = {"number": [0], "n": [100], "w1": ["[20, 30)"], "a1": [49.5], "a2": [1], "a3": ["{c0x, c1x}"]}
    source.workspace.take(Purpose.RELEASE, GROUPS, pa.table(one_group))
    source.workspace.take(Purpose.RELEASE, ASSIGNED, pa.table({"record": range(100), "number": [0] * 100}))
    source.workspace.take(Purpose.RELEASE, TO_WRITE, pa.table({"place": [0, 1], "record": [99, 0]}))
    source.workspace.take(Purpose.RELEASE, MATCHED, pa.table({"record": [0, 50], "slot": [0, 0]}))
    answers = {}
    for called, each in statements.items():
        text = (SNAPSHOTS / f"{called}.sql").read_text(encoding="utf-8").rstrip().removesuffix(";")
        if each.stored:
            text = f'CREATE OR REPLACE TEMPORARY TABLE "{each.stored}" AS {text}'
        answers[called] = source.connection.execute(text, each.parameters).fetchall()
    histogram = sorted(answers["source_k_check"])
    assert sum(size * classes for _, size, classes in histogram) == 100
    assert sorted(answers["k_check"]) == histogram
    assert sorted(row for row in answers["k_checks"] if row[0] == 0) == histogram
    assert sorted(answers["k_checks_rolled_up"]) == sorted(answers["k_checks"])
    assert sorted(row for row in answers["models_checks"] if row[0] == 0) == sorted(answers["models_source_check"])
    assert sorted(answers["models_checks_rolled_up"]) == sorted(answers["models_checks"])
    assert sorted(answers["persons_check"]) == sorted(answers["persons_source_check"])
    assert len(answers["groups_numbers"]) == sum(row[-2] for row in answers["groups_decided_with_kept"]) == 100
    assert answers["groups_decided"] == [("[20, 30)", 49.5, "m", 100, False)]
    assert answers["splits_decided"] == [(49.5, "m", "{c0x, c1x}", 100, False)]
    assert answers["splits_written"] == [("99",), ("0",)]
    assert answers["splits_listed"] == [("c0x",), ("c1x",), ("c2x",), ("c3x",)]
    assert len(answers["splits_numbers"]) == sum(row[-2] for row in answers["splits_decided_with_kept"]) == 100
    released = [(size, classes) for _, size, classes in histogram]
    assert sorted(answers["measure_parquet"]) == sorted(answers["measure_csv"]) == released
    assert sorted(answers["measure_csv_gz"]) == sorted(answers["table_measure"]) == released
    assert sorted(answers["star_measure"]) == sorted(answers["star_histogram"])
    assert answers["star_measure_stars"] == [(2,)]  # as if k rows stayed: how many do is known when they are decided
    assert answers["histories_uneven"] == [(75, 50, 0, 0, 0, 0, 0, 0)]
    assert answers["histories_shown"][0][:2] == (0, 0)
    assert len(answers["histories_shown"]) == answers["histories_losses"][0][0] / 2 == 50
    assert len(answers["histories_placed_as_matched"]) == 2
