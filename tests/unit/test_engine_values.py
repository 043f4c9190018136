"""Hierarchies of every kind on columns of every type: what is covered, released and lost."""

from __future__ import annotations

import math
from collections import Counter
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import pytest

from ordermade import Engine
from ordermade.counting.coverage import encode_counted
from ordermade.counting.dataset import Dataset, relation
from ordermade.counting.oracle import InSource
from ordermade.errors import HierarchyError
from ordermade.hierarchies.read import parse_yaml
from ordermade.lattice.lattice import Axis, Lattice
from ordermade.sources.duckdb_file import DuckDBFile
from ordermade.sources.limits import Limits
from tests.long import sampled
from tests.made import new_engine, write_table

pytestmark = pytest.mark.slow

INTERVALS = "intervals:\n  levels:\n    - {width: 5}\n    - {width: 10}\n"
NAN, INF = float("nan"), float("inf")


def observed(folder: Path, kind: str, values: list[Any], rules: str, level: int = 0) -> Counter[tuple[int, int]]:
    """The histogram of one column of a type under a hierarchy, from the engine; raises as it does."""
    path = folder / "s.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE t (x {kind})")
        connection.execute(f"INSERT INTO t VALUES {', '.join(['(?)'] * len(values))}", values)
    backend = DuckDBFile(path, writable=False, limits=Limits("256MB", 1))
    try:
        (table,) = backend.tables()
        asked = Dataset("d", backend, relation(table.reference, None), table.columns)
        hierarchy, _ = parse_yaml(rules, "h", where="h")
        unfit = hierarchy.check_type(asked.type_of("x"))
        assert unfit is None
        attribute = encode_counted(asked, 1, "x", hierarchy, 0)
        lattice = Lattice((Axis("x", hierarchy.order, tuple(range(hierarchy.top + 1))),))
        return Counter(dict(InSource(asked, (attribute,), lattice).measure([(level,)])[(level,)].sizes))
    finally:
        backend.close()


def listed(leaves: list[str]) -> str:
    """A mapping that puts the first leaf in one class and the others in another."""
    lines = [f"  '{leaf}': [{'first' if i == 0 else 'other'}]" for i, leaf in enumerate(leaves)]
    return "mapping:\n" + "\n".join(lines) + "\n"


U1, U2 = UUID(int=1), UUID(int=2)
TYPES: list[tuple[str, list[Any], list[str]]] = [
    ("BOOLEAN", [True, False], ["true", "false"]),
    ("TINYINT", [1, 2], ["1", "2"]),
    ("HUGEINT", [10**30, 2], [str(10**30), "2"]),
    ("DATE", [date(2020, 1, 5), date(2020, 1, 6)], ["2020-01-05", "2020-01-06"]),
    ("TIMESTAMP", [datetime(2020, 1, 5, 1), datetime(2020, 1, 6)], ["2020-01-05 01:00:00", "2020-01-06 00:00:00"]),
    ("DECIMAL(6,2)", [Decimal("1.10"), Decimal(2)], ["1.1", "2.00"]),
    ("DOUBLE", [0.1, NAN], ["0.1", "nan"]),
    ("FLOAT", [0.1, 2.5], ["0.1", "2.5"]),
    ("UUID", [U1, U2], [str(U1), str(U2)]),
    ("ENUM('b', 'a')", ["a", "b"], ["a", "b"]),
    ("VARCHAR", ["01", " 1 "], ["01", " 1 "]),
]


@pytest.mark.parametrize(("kind", "values", "leaves"), sampled(TYPES, 2), ids=[each[0] for each in TYPES])
def test_listed_values_are_read_as_the_columns_type(
    tmp_path: Path, kind: str, values: list[Any], leaves: list[str]
) -> None:
    rows = [values[0]] * 3 + [values[1]] * 4 + [None] * 2
    assert observed(tmp_path, kind, rows, listed(leaves), level=1) == {3: 1, 4: 1, 2: 1}


@pytest.mark.parametrize(
    ("kind", "value", "leaves"),
    [
        ("INTEGER", 1, ["1", "01"]),
        ("DECIMAL(6,2)", 1, ["1", "1.00"]),
        ("DOUBLE", 1, ["1", "1e0"]),
        ("BOOLEAN", True, ["true", "t"]),
        ("DATE", date(2020, 1, 5), ["2020-01-05", "2020-1-5"]),
    ],
)
def test_two_texts_of_one_value_are_refused(tmp_path: Path, kind: str, value: Any, leaves: list[str]) -> None:
    with pytest.raises(HierarchyError, match="1 listed value is listed twice once read as the column's type"):
        observed(tmp_path, kind, [value] * 3, listed(leaves))


def test_listed_texts_that_the_column_cannot_hold_are_never_used(tmp_path: Path) -> None:
    assert observed(tmp_path, "INTEGER", [1, 1], listed(["1", "unknown", "99999999999999"])) == {2: 1}


@pytest.mark.parametrize(("kind", "value", "leaf"), [("INTEGER", 1, "1.4"), ("DECIMAL(6,2)", 1, "1.004")])
def test_a_listed_value_is_not_rounded_to_another(tmp_path: Path, kind: str, value: Any, leaf: str) -> None:
    with pytest.raises(HierarchyError, match="not in the hierarchy"):
        observed(tmp_path, kind, [value] * 3, listed([leaf]))


def test_values_out_of_reach_of_an_interval_are_a_coverage_error_in_counts(tmp_path: Path) -> None:
    values = [1.5, 7.0, None, NAN, NAN, INF, -INF, 1e17]
    with pytest.raises(HierarchyError) as error:
        observed(tmp_path, "DOUBLE", values, INTERVALS)
    assert "4 values of the column, in 5 rows, are not in the hierarchy" in error.value.message
    assert "column 'x'" in error.value.message
    assert "1e+17" not in error.value.message


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("INTEGER", [-1, -5, -6, 0, 4, 5, 9, None]),
        ("DOUBLE", [-0.1, -5.0, -5.1, 0.0, 4.9999, 5.0, 9.9, None]),
        (
            "DECIMAL(8,3)",
            [Decimal("-0.001"), Decimal(-5), Decimal("-5.001"), 0, Decimal("4.999"), 5, Decimal("9.9"), None],
        ),
        ("TINYINT", [-1, -5, -6, 0, 4, 5, 9, None]),
    ],
)
def test_intervals_begin_below_zero_as_above(tmp_path: Path, kind: str, values: list[Any]) -> None:
    by_hand = Counter(None if value is None else math.floor(float(value) / 5) for value in values)
    assert observed(tmp_path, kind, values, INTERVALS, level=1) == Counter(by_hand.values())


@pytest.mark.parametrize("kind", ["DATE", "TIMESTAMP", "TIMESTAMP_MS"])
def test_dates_of_every_kind_fall_into_their_quarters(tmp_path: Path, kind: str) -> None:
    values = [date(2020, 1, 1), date(2020, 3, 31), date(2020, 4, 1), date(1999, 12, 31), None]
    assert observed(tmp_path, kind, values, "date: [quarter]\n", level=1) == {2: 1, 1: 3}


@pytest.mark.parametrize(
    ("kind", "rules"),
    sampled(
        [
            ("INTEGER", listed(["1", "2"])),
            ("DOUBLE", INTERVALS),
            ("DATE", "date: [month]\n"),
            ("VARCHAR", "prefix:\n  keep: [1]\n"),
        ],
        2,
    ),
    ids=["explicit", "interval", "date", "prefix"],
)
@pytest.mark.parametrize("level", [0, 1])
def test_a_column_of_nulls_is_one_class(tmp_path: Path, kind: str, rules: str, level: int) -> None:
    assert observed(tmp_path, kind, [None] * 7, rules, level) == {7: 1}


def engine_on(folder: Path, columns: dict[str, str], rows: list[Any], rules: dict[str, str]) -> Engine:
    engine = new_engine(folder)
    write_table(folder / "s.duckdb", columns, rows)
    engine.sources.add("s", str(folder / "s.duckdb"))
    engine.datasets.add("d", "s", table="persons", least_k=2)
    for name, text in rules.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
        engine.hierarchies.add(name, folder / f"{name}.yaml")
    return engine


@pytest.mark.parametrize("base", [0, 1])
def test_every_kind_of_hierarchy_in_one_request(tmp_path: Path, base: int) -> None:
    rules = {
        "sex": "mapping:\n  f: ['*']\n  m: ['*']\n",
        "age": INTERVALS,
        "joined": "date: [month, year]\n",
        "code": "prefix:\n  keep: [2, 1]\n",
        "size": "ordered:\n  values: [S, M, L]\n  levels:\n    - {cuts: [M], labels: [small, large]}\n",
    }
    columns = {"sex": "VARCHAR", "age": "INTEGER", "joined": "DATE", "code": "VARCHAR", "size": "VARCHAR"}
    rows = [
        (
            None if i % 8 == 0 else "fm"[i % 2],
            None if i % 4 == 3 else 20 + i % 4,
            "2020-02-03" if i % 2 else None,
            "ab1" if i % 4 < 2 else "ab2",
            None if i % 4 == 2 else "L",
        )
        for i in range(48)
    ]
    engine = engine_on(tmp_path, columns, rows, rules)
    ranges = {"age": {"from": base}, "joined": {"from": base}, "code": {"from": base}}
    out = tmp_path / "out.parquet"
    request = {
        "dataset": "d",
        "k": 6,
        "quasi_identifiers": {column: {"hierarchy": column, **ranges.get(column, {})} for column in columns},
        "search": {"algorithm": "exhaustive"},
        "release": {"replace": True, "to": str(out)},
    }
    result = engine.run(request)
    assert result.released
    released = Counter(duckdb.read_parquet(str(out)).fetchall())
    assert (min(released.values()), len(released), sum(released.values())) == (result.k, result.divisions, 48)
    assert all(result.levels[column] >= base for column in ranges)
    if base:
        labels = {row[1:4] for row in released}
        assert labels <= {(a, j, c) for a in ("[20, 25)", None) for j in ("2020-02", None) for c in ("ab*",)}


def test_the_losses_of_a_table_worked_out_by_hand(tmp_path: Path) -> None:
    # sex: 6 f, 4 m, released as it is. city: a 4, b 2, c 4 of the four listed, a and b in n, c and d in s.
    cities = ["a", "a", "b", "c", "c", "c", "a", "a", "b", "c"]
    rows = [("f" if i < 6 else "m", city) for i, city in enumerate(cities)]
    rules = {
        "sex": "mapping:\n  f: ['*']\n  m: ['*']\n",
        "city": "mapping:\n  a: [n]\n  b: [n]\n  c: [s]\n  d: [s]\n",
    }
    engine = engine_on(tmp_path, {"sex": "VARCHAR", "city": "VARCHAR"}, rows, rules)
    request: dict[str, Any] = {
        "dataset": "d",
        "k": 3,
        "quasi_identifiers": {"sex": {"hierarchy": "sex", "from": 1}, "city": {"hierarchy": "city", "from": 1}},
        "release": {"replace": True, "to": str(tmp_path / "out.csv"), "shape": "table"},
    }
    result = engine.run(request)
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "sex,city,count\n*,n,6\n*,s,4\n"
    assert result.loss["prec"] == pytest.approx((1 / 1 + 1 / 2) / 2)
    assert (result.loss["height"], result.loss["classes"], result.loss["dm"]) == (2, 2, 6 * 6 + 4 * 4)
    assert (result.loss["aecs"], result.loss["c_avg"]) == (pytest.approx(10 / 2), pytest.approx(10 / 2 / 3))
    # Loss: sex is hidden: 1. city: each row's two of four leaves: (2/4 - 1/4) / (1 - 1/4).
    assert result.loss["loss"] == pytest.approx((1 + 1 / 3) / 2, abs=1e-9)
    sex = -(6 * math.log2(6 / 10) + 4 * math.log2(4 / 10))
    city = -(4 * math.log2(4 / 6) + 2 * math.log2(2 / 6) + 4 * math.log2(4 / 4))
    assert result.loss["entropy"] == pytest.approx(sex + city, abs=1e-9)
    assert (result.k, result.suppressed_rows) == (4, 0)
