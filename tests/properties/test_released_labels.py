"""Labels of Mondrian and of histories are read back to the values that they were made of, whatever these texts are."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ordermade import sql
from ordermade.evaluation.tables import filled
from ordermade.methods.histories.slots import shown_statement
from ordermade.methods.mondrian.labels import apart, in_sets, intervals
from tests.label_parts import ends_of, values_of

HOSTILE = st.one_of(
    st.sampled_from(["a", "b", "a, b", "{a, b}", "{a;b}", "[1, 2]", "[1;2]", '"a"', '"', "*", " a", "b ", "\n", "　a"]),
    st.text(alphabet=',;{}[]"* \n\ta1-語\u3000\u2028', max_size=6),
)
GROUPS = st.lists(st.lists(HOSTILE, min_size=1, max_size=5, unique=True), min_size=1, max_size=5)
QUICK = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
UNIX = date(1970, 1, 1)


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


def of_mondrian(groups: Sequence[Sequence[str | None]]) -> list[str | None]:
    """The labels of groups as Mondrian writes their texts."""
    alone, within = apart(pa.array([each for group in groups for each in group], pa.string()))
    starts = np.cumsum([0, *map(len, groups)])
    return in_sets(starts.astype(np.int64), alone, within).to_pylist()


def of_histories(database: duckdb.DuckDBPyConnection, groups: Sequence[Sequence[str]]) -> list[str]:
    """The labels of groups as slots of histories show their items."""
    items = sorted({each for group in groups for each in group})
    keep(database, "history_goods", {"item": range(1, len(items) + 1), "label": items})
    database.execute(f"CREATE OR REPLACE TABLE history_items AS {sql.select('history/items').sql('duckdb')}")
    slots = [sorted(items.index(each) + 1 for each in group) for group in groups]
    columns = {"cluster": [0] * len(slots), "slot": range(len(slots)), "n": [2] * len(slots), "items": slots}
    keep(database, "history_slots", columns)
    shown = shown_statement(())
    found = database.execute(f"SELECT slot, v1 FROM ({shown.sql('duckdb')}) ORDER BY slot").fetchall()
    return [label for _, label in found]


def keep(database: duckdb.DuckDBPyConnection, table: str, columns: dict[str, Sequence[object]]) -> None:
    frame = pa.table({name: pa.array(list(values)) for name, values in columns.items()})
    database.register("given", frame)
    database.execute(f"CREATE OR REPLACE TABLE {table} AS FROM given")
    database.unregister("given")


def as_judged(
    database: duckdb.DuckDBPyConnection, labels: Sequence[str], goods: Sequence[str]
) -> list[set[str] | None]:
    """The items that `judge history` finds in each of these cells; None where it cannot read one."""
    keep(database, "release_read", {"item": labels})
    keep(database, "goods", {"item": range(len(goods)), "label": goods, "class": goods})
    found: dict[str, set[str] | None] = {}
    for table in ("item_texts", "listed"):
        database.execute(f"CREATE OR REPLACE TABLE {table} AS {filled(f'judging/pair/{table}').sql('duckdb')}")
    for label, item in database.execute("SELECT item, label FROM listed").fetchall():
        found.setdefault(label, set()).add(item)
    return [found.get(each) for each in labels]


def through_csv(labels: Sequence[str]) -> list[str]:
    """The labels written into a CSV file and read again."""
    file = io.StringIO(newline="")
    csv.writer(file).writerows([each, "x"] for each in labels)
    file.seek(0)
    return [row[0] for row in csv.reader(file)]


@pytest.mark.slow
@given(groups=GROUPS)
@QUICK
def test_texts_are_read_back_from_sets(database: duckdb.DuckDBPyConnection, groups: list[list[str]]) -> None:
    labels = of_mondrian(groups)
    assert [values_of(each) for each in labels if each is not None] == groups
    of_slots = of_histories(database, groups)
    assert [set(values_of(each)) for each in of_slots] == [set(each) for each in groups]
    goods = sorted({each for group in groups for each in group})
    assert as_judged(database, through_csv(of_slots), goods) == [set(each) for each in groups]
    read = [(label, set(group)) for label, group in zip(labels, groups, strict=True) if label]
    assert as_judged(database, [label for label, _ in read], goods) == [each for _, each in read]


PLAIN = st.text(alphabet="ab語 1-", min_size=1, max_size=4).map(str.strip).filter(bool)


@pytest.mark.slow
@given(groups=st.lists(st.lists(PLAIN, min_size=2, max_size=4, unique=True), min_size=1, max_size=4))
@QUICK
def test_sets_of_the_contest_are_read_as_ours(database: duckdb.DuckDBPyConnection, groups: list[list[str]]) -> None:
    goods = [*sorted({each for group in groups for each in group}), "x; y", "u, v"]
    contest = ["{" + ";".join([*group, '"x; y"', "u, v"]) + "}" for group in groups]
    assert as_judged(database, contest, goods) == [{*each, "x; y", "u, v"} for each in groups]


NUMBERS = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.decimals("-99999", "99999", places=2, allow_nan=False).map(str),
    st.integers(-9999, 9999).map(lambda each: f"{each}e-2"),
)
DAYS = st.integers(-200_000, 200_000).map(lambda each: UNIX + timedelta(days=each))


@pytest.mark.slow
@given(days=st.lists(st.tuples(DAYS, DAYS), min_size=1, max_size=4), numbers=st.tuples(NUMBERS, NUMBERS))
@pytest.mark.parametrize("between", [", ", ",", ";"])
@QUICK
def test_ends_are_read_back_from_intervals(
    database: duckdb.DuckDBPyConnection, between: str, days: list[tuple[date, date]], numbers: tuple[str, str]
) -> None:
    low, high = sorted(numbers, key=Decimal)
    days = [(min(pair), max(pair)) for pair in days]
    labels = intervals(pa.array([str(a) for a, _ in days]), pa.array([str(b) for _, b in days])).to_pylist()
    (number,) = intervals(pa.array([low]), pa.array([high])).to_pylist()
    ends = (str(days[0][0]), str(days[0][1]))
    assert ends_of(labels[0]) == (None if ends[0] == ends[1] else ends)
    cells = {"cell_1": labels, "cell_2": [number] * len(days)}
    cells = {name: [each.replace(", ", between) for each in given] for name, given in cells.items()}
    keep(
        database,
        "row_texts",
        {"content": range(len(days)), "item": ["*"] * len(days), "rows": [2] * len(days), **cells},
    )
    keep(database, "set_of_text", {"item": ["*"], "item_set": [0]})
    found = database.execute(
        filled("judging/pair/contents", places=2, of=2).sql("duckdb"), {"unit_2": 0.01, "most": 2**53}
    )
    rows = [dict(zip([each[0] for each in found.description], row, strict=True)) for row in found.fetchall()]
    rows.sort(key=lambda row: row["content"])
    assert [(row["low_1"], row["high_1"]) for row in rows] == [((a - UNIX).days, (b - UNIX).days) for a, b in days]
    assert {(row["low_2"], row["high_2"]) for row in rows} == {tuple(float(Decimal(end) * 100) for end in (low, high))}
    assert not any(row["unreadable_1"] or row["unreadable_2"] for row in rows)


@pytest.mark.parametrize(
    "cell",
    ["[1, 2", "1, 2]", "1, 2", "[1, 2, 3]", "[2, 1]", "[1, x]", "[1; 2, 3]", "[1, 2)", "[1]", "1,5", "[1,5;2,5]"],
)
def test_other_forms_are_not_read_as_intervals(database: duckdb.DuckDBPyConnection, cell: str) -> None:
    keep(database, "row_texts", {"content": [1], "item": ["*"], "rows": [2], "cell_1": ["*"], "cell_2": [cell]})
    keep(database, "set_of_text", {"item": ["*"], "item_set": [0]})
    statement = filled("judging/pair/contents", places=2, of=2).sql("duckdb")
    found = database.execute(f"SELECT unreadable_2 FROM ({statement})", {"unit_2": 1.0, "most": 2**53}).fetchall()
    assert found == [(True,)]
