"""What is released for groups, as `DECISIONS` has it, against the same reckoned row by row in Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from pathlib import Path
from statistics import mean, median
from typing import Any

import duckdb
import pytest

from ordermade.counting.dataset import Dataset, relation
from ordermade.methods.microaggregation.algorithm.methods import NumberAggregate, Rounding
from ordermade.methods.microaggregation.groups import decide, released
from ordermade.methods.microaggregation.open_request import Aggregated
from ordermade.methods.microaggregation.records import PulledRecords
from ordermade.release.plan import DECISIONS
from ordermade.release.rows import count_release
from ordermade.sources.duckdb_file import DuckDBFile
from ordermade.sources.limits import Limits
from tests.microdata import grounded, in_order, plan_of, to_14_digits

JOBS = "mapping:\n  carer: [care, '*']\n  nurse: [care, '*']\n  smith: [craft, '*']\n"
BORN = "date: [month, year]\n"
TABLE = """
CREATE TABLE persons AS
SELECT
  CASE i % 4 WHEN 0 THEN 'x' WHEN 1 THEN NULL ELSE 'y' END AS area,
  CAST(i * 7 % 11 AS SMALLINT) AS small,
  CAST(99999999999999.99 - i * 37 % 100 * 0.49 AS DECIMAL(16, 2)) AS price,
  CAST(-0.25 + i % 2 * 0.5 AS DOUBLE) AS level,
  CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN 'nurse' WHEN 2 THEN 'carer' ELSE 'smith' END AS job,
  DATE '2001-12-01' + CAST(i * 3 AS INTEGER) AS born,
  'k' || i % 3 AS keep
FROM range(31) AS t(i)
"""
COLUMNS = ("area", "small", "price", "level", "job", "born", "keep")
CARE = {"carer": "care", "nurse": "care", "smith": "craft", None: None}
RANK = {"carer": 0, "nurse": 1, "smith": 2, None: 3}


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dataset]:
    path = tmp_path_factory.mktemp("microdata") / "s.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(TABLE)
    backend = DuckDBFile(path, writable=False, limits=Limits("256MB", 1))
    (table,) = backend.tables()
    yield Dataset("persons", backend, relation(table.reference, None), table.columns)
    backend.close()


def number(values: Sequence[Any], aggregate: str, rounding: str) -> Any:
    exact = [Fraction(value) for value in values]
    found = mean(exact) if aggregate == "mean" else median(exact)
    return round(found) if rounding == "integer" else to_14_digits(float(found))


def ancestor(values: Sequence[str | None]) -> str | None:
    if len(set(values)) == 1:
        return values[0]
    above = {CARE[value] for value in values}
    return above.pop() if len(above) == 1 else "*"


def mode(values: Sequence[str | None]) -> str | None:
    counts = Counter(values)
    return min(values, key=lambda value: (-counts[value], RANK[value]))


def by_hand(rows: Sequence[tuple[Any, ...]], aggregate: str, rounding: str, job: Any) -> Counter[tuple[Any, ...]]:
    """Groups of two of the rows in order, inside the classes of the area; the last of a class takes what is left."""
    found: Counter[tuple[Any, ...]] = Counter()
    order = sorted(
        rows, key=lambda row: (row[0] is None, *(row[:1] if row[0] else ()), *row[1:4], RANK[row[4]], row[6])
    )
    for area in ("x", "y", None):
        held = [row for row in order if row[0] == area]
        parts = [held[first : first + 2] for first in range(0, len(held) // 2 * 2, 2)]
        parts[-1] += held[len(held) // 2 * 2 :]
        for part in parts:
            numbers = [number([row[place] for row in part], aggregate, rounding) for place in (1, 2, 3)]
            shared = (area, *numbers, job([row[4] for row in part]))
            found.update((*shared, row[6]) for row in part)
    return found


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "none-kept"])
@pytest.mark.parametrize(
    ("aggregate", "rounding", "classes"), [("mean", "integer", "mode"), ("median", "keep", "ancestor")]
)
def test_what_is_decided_is_what_python_reckons(
    asked: Dataset, aggregate: NumberAggregate, rounding: Rounding, classes: Any, kept: bool
) -> None:
    area = grounded(asked, 1, "area", "mapping:\n  x: ['*']\n  y: ['*']\n")
    columns = (
        *(Aggregated(each, asked.type_of(each)) for each in ("small", "price", "level")),
        Aggregated("job", "VARCHAR", grounded=grounded(asked, 2, "job", JOBS), aggregate=classes),
    )
    plan = plan_of(asked, columns, [(area, 0)], ["keep"] if kept else [])
    records = PulledRecords.stored(plan, columns)
    groups = in_order(records.sizes)
    decide(records, groups, released(records, groups, aggregate, rounding), rounding)

    run = asked.backend.connection.execute
    found: Counter[tuple[Any, ...]] = Counter()
    for *values, n, suppressed in run(f"FROM {DECISIONS}").fetchall():
        found[tuple(map(to_14_digits, values))] += n
        assert not suppressed
    rows = run(f"SELECT {', '.join(COLUMNS)} FROM s.persons").fetchall()
    expected = by_hand(rows, aggregate, rounding, mode if classes == "mode" else ancestor)
    if not kept:
        expected = Counter(row[:-1] for row in expected.elements())
    assert found == expected
    settled = count_release(plan)
    assert (settled.rows, settled.suppressed_rows) == (31, 0)
    assert settled.classes.k >= 2

    types = [row[1] for row in run(f"DESCRIBE {DECISIONS}").fetchall()][:5]
    whole = ["VARCHAR", "SMALLINT", "BIGINT", "DOUBLE", "VARCHAR"]
    assert types == (whole if rounding == "integer" else ["VARCHAR", *["DOUBLE"] * 3, "VARCHAR"])
    texts = {row[0] for row in run(f"SELECT CAST(v4 AS VARCHAR) FROM {DECISIONS}").fetchall()}
    assert "-0.0" not in texts  # another text than 0.0, though the same number


@pytest.mark.slow
def test_leaves_of_another_type_are_released_in_it_and_ancestors_by_their_labels(asked: Dataset) -> None:
    run = asked.backend.connection.execute
    found = []
    for place, aggregate in enumerate(("mode", "ancestor"), start=1):
        born = Aggregated("born", "DATE", grounded=grounded(asked, place, "born", BORN), aggregate=aggregate)
        small = Aggregated("small", "SMALLINT")
        plan = plan_of(asked, (born, small), [(grounded(asked, 3, "area", "mapping:\n  x: ['*']\n  y: ['*']\n"), 1)])
        records = PulledRecords.stored(plan, (born, small))
        groups = in_order(records.sizes)
        decide(records, groups, released(records, groups))
        found.append(run(f"SELECT DISTINCT v1, v2, TYPEOF(v2) FROM {DECISIONS}").fetchall())
    days = [row[0] for row in run("SELECT born FROM s.persons ORDER BY born").fetchall()]
    assert Counter(found[0]) == Counter(("*", day, "DATE") for day in days[0:30:2])
    pairs = [*zip(days[0:28:2], days[1:29:2], strict=True), (days[28], days[30])]
    labels = {
        f"{one:%Y-%m}" if (one.year, one.month) == (other.year, other.month) else f"{one:%Y}" for one, other in pairs
    }
    assert {row[1] for row in found[1]} <= labels | {"*"}
    assert {row[2] for row in found[1]} == {"VARCHAR"}


def test_decimals_are_rounded_to_whole_numbers_exactly_and_halves_to_even(tmp_path: Path) -> None:
    path = tmp_path / "s.duckdb"
    pairs = [("12345678901234567.4", "12345678901234567.6"), ("0.2", "0.8"), ("1.1", "1.9"), ("2.1", "2.8")]
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE t (a DECIMAL(18, 1))")
        connection.executemany("INSERT INTO t VALUES (?)", [[Decimal(each)] for pair in pairs for each in pair])
    backend = DuckDBFile(path, writable=False, limits=Limits("256MB", 1))
    try:
        (table,) = backend.tables()
        dataset = Dataset("t", backend, relation(table.reference, None), table.columns)
        columns = (Aggregated("a", "DECIMAL(18,1)"),)
        records = PulledRecords.stored(plan_of(dataset, columns), columns)
        groups = in_order(records.sizes)
        decide(records, groups, released(records, groups, "mean", "integer"), "integer")
        found = sorted(row[0] for row in backend.connection.execute(f"SELECT v1 FROM {DECISIONS}").fetchall())
    finally:
        backend.close()
    exact = [(Decimal(one) + Decimal(other)) / 2 for one, other in pairs]
    assert found == sorted(int(each.to_integral_value(ROUND_HALF_EVEN)) for each in exact)
