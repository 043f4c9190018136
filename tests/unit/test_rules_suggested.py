"""Rules that a dataset suggests: they say the classes of every kind of column, and mean whom they were counted of."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from ordermade import Engine
from ordermade.errors import InputError, Refused
from ordermade.hierarchies.explicit import ListedLevel, explicit_hierarchy
from ordermade.hierarchies.intervals import Interval, interval_hierarchy
from ordermade.methods.mondrian.algorithm.mining import MiningThresholds
from ordermade.methods.mondrian.rule_wording import Between, wording
from ordermade.methods.mondrian.suggest import RulesOptions, SuggestedRule, draft
from tests.made import new_engine, write_hierarchy, write_table

COLUMNS = {
    "who": "BIGINT",
    "day": "DATE",
    "at": "TIMESTAMP",
    "price": "DECIMAL(6,2)",
    "size": "DOUBLE",
    "year": "INTEGER",
    "town": "VARCHAR",
    "zip": "VARCHAR",
    "member": "BOOLEAN",
    "item": "VARCHAR",
}
HIERARCHIES = {
    "day": "date",
    "at": "date",
    "price": "price",
    "size": "size",
    "year": "year",
    "town": "town",
    "zip": "zip",
}
K = 20


def _bought(chance: np.random.Generator) -> tuple[Any, ...]:
    day = datetime.datetime(2000, 1, 1, 12, 30) + datetime.timedelta(hours=int(chance.integers(0, 36_000)))
    price, size = int(chance.integers(0, 4_000)) / 100, round(float(chance.normal(50, 9)), 3)
    year, town, member = int(chance.integers(1970, 1990)), "abcd"[chance.integers(0, 4)], chance.random() < 0.8
    odds = 1 + 5 * np.array([day.year == 2001, price < 10, size > 55, year < 1977, town < "c" and member, False])
    item = ["A", "b: 'x'", "C*", "D", "E", ""][chance.choice(6, p=odds / odds.sum())] if chance.random() < 0.9 else None
    told = None if chance.random() < 0.03 else day.date()
    return int(chance.integers(0, 1_400)), told, day, price, size, year, town, f"1{town}{day.hour % 3}", member, item


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, seed: int) -> tuple[Engine, Path]:
    """2,000 purchases of 1,061 persons, whose items go by every column a little."""
    folder = tmp_path_factory.mktemp("rules")
    chance = np.random.default_rng(seed)
    write_table(folder / "shop.duckdb", COLUMNS, [_bought(chance) for _ in range(2_000)], "bought")
    engine = new_engine(folder)
    engine.sources.add("shop", str(folder / "shop.duckdb"))
    engine.datasets.add("rows", "shop", table="bought", least_k=2)
    engine.datasets.add("persons", "shop", table="bought", entity="who", least_k=2)
    for name, text in (
        ("date", "date: [month, year]"),
        ("price", "intervals:\n  levels: [{width: 2.5}, {width: 10}]"),
        ("size", "intervals:\n  levels: [{width: 5}, {width: 20}]"),
        ("zip", "prefix: {keep: [2, 1]}"),
    ):
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
        engine.hierarchies.add(name, folder / f"{name}.yaml")
    years = [(str(year), f"{year // 7}", f"{year // 14}") for year in range(1970, 1990)]
    engine.hierarchies.add("year", write_hierarchy(folder / "year.csv", ["year", "seven", "fourteen"], years))
    towns = [("a", "north"), ("b", "north"), ("c", "south"), ("d", "south")]
    engine.hierarchies.add("town", write_hierarchy(folder / "town.csv", ["town", "part"], towns))
    return engine, folder


def counted(rule: SuggestedRule, source: duckdb.DuckDBPyConnection, *, persons: bool, item: bool = True) -> int:
    """Whom a rule means (and who has the item), asked of the database; rounded to a multiple of k."""
    said = [_condition(column, asked) for column, asked in rule.when.items()]
    if item:
        said.append(("item = ?", [rule.item]))
    what = "count(DISTINCT who)" if persons else "count(*)"
    statement = f"SELECT {what} FROM bought WHERE {' AND '.join(text for text, _ in said)}"
    found = source.execute(statement, [value for _, values in said for value in values]).fetchone()
    assert found is not None
    return int(found[0] + K // 2) // K * K


def _condition(column: str, asked: str | Between) -> tuple[str, Sequence[str]]:
    if isinstance(asked, Between):
        kind = "DATE" if COLUMNS[column] in ("DATE", "TIMESTAMP") else "DOUBLE"
        return f'CAST("{column}" AS {kind}) BETWEEN CAST(? AS {kind}) AND CAST(? AS {kind})', [asked.low, asked.high]
    if column == "zip":
        return "starts_with(zip, ?)", [asked.rstrip("*")]
    if column == "town":
        return "list_contains(?, town)", [{"north": ["a", "b"], "south": ["c", "d"]}.get(asked, [asked])]  # type: ignore[list-item]
    return f"CAST({column} AS VARCHAR) = ?", [asked]


@pytest.mark.slow
@pytest.mark.parametrize("dataset", ["rows", "persons"])
def test_rules_mean_whom_they_were_counted_of(shop: tuple[Engine, Path], dataset: str) -> None:
    engine, folder = shop
    columns = [*HIERARCHIES, "member"]
    wanted = RulesOptions("item", columns, HIERARCHIES, MiningThresholds(K, 0.02, 1.2, 2), most=1_000)
    found = engine.suggest_rules(dataset, wanted, where="price >= 0.5")
    assert found.found == len(found.rules) > 10
    assert {column for rule in found.rules for column in rule.when} == {*columns}
    assert {"A", "b: 'x'", "C*", "D", "E"} == {rule.item for rule in found.rules}
    unfiltered = engine.suggest_rules(dataset, wanted)
    (folder / f"{dataset}.rules.yaml").write_text(draft(unfiltered), encoding="utf-8")
    checked = engine.check_rules(
        {
            "dataset": dataset,
            "method": "mondrian",
            "k": K,
            "quasi_identifiers": {column: {"hierarchy": HIERARCHIES.get(column)} for column in columns},
            "mondrian": {"variant": "hierarchy", "rules": str(folder / f"{dataset}.rules.yaml")},
            "release": {"replace": True, "to": str(folder / "out.csv")},
        }
    )
    assert checked.unit == dataset
    persons = dataset == "persons"
    with duckdb.connect(str(folder / "shop.duckdb"), read_only=True) as source:
        for rule, told in zip(unfiltered.rules, checked.rules, strict=True):
            assert rule.persons == counted(rule, source, persons=persons) >= K
            assert rule.lift >= 1.2
            assert told.item == rule.item
            assert told.meant == counted(rule, source, persons=persons, item=False)


def test_of_numbers_those_classes_are_said_that_are_intervals() -> None:
    leaves = ["1", "02.50", "3", "10", None]
    levels = [ListedLevel(None, ("a", "a", "b", "b", "c")), ListedLevel(None, ("x", "y", "x", "y", "y"))]
    hierarchy, _ = explicit_hierarchy("h", leaves, levels)
    said = wording(hierarchy, "DOUBLE", hierarchy.ground(0, ())).said
    values = [Between(each, each) for each in ("1", "2.5", "3", "10")]
    assert sorted(map(str, said[0].values())) == sorted(map(str, values))
    assert sorted(map(str, said[1].values())) == sorted(map(str, [Between("1", "2.5"), Between("3", "10")]))
    assert not said[2]

    intervals, _ = interval_hierarchy("i", [Interval(Decimal(2))], [None])
    ends = {
        kind: wording(intervals, kind, intervals.ground(1, [-1])).said[0]
        for kind in ("INTEGER", "DECIMAL(5,1)", "DOUBLE")
    }
    assert [list(each.values()) for each in ends.values()] == [
        [Between("-2", "-1")],
        [Between("-2", "-0.1")],
        [Between("-2", "-0.000001")],
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("columns", "hierarchies", "told"),
    [
        (["size"], {"size": "date"}, "date parts need a column of dates"),
        (["who"], {"who": "zip"}, "rules ask for intervals of numbers"),
        (["at"], {}, "--hierarchies at=NAME"),
        (["town"], {"day": "date"}, "no column 'day'"),
        (["town"], {"town": "towns"}, "Did you mean 'town'"),
    ],
)
def test_what_cannot_be_asked_of_a_column(
    shop: tuple[Engine, Path], columns: list[str], hierarchies: dict[str, str], told: str
) -> None:
    with pytest.raises(InputError) as refused:
        shop[0].suggest_rules("rows", RulesOptions("item", columns, hierarchies))
    assert told in refused.value.message


@pytest.mark.slow
def test_k_counts_persons(shop: tuple[Engine, Path]) -> None:
    with pytest.raises(Refused, match="fewer than 1,200 persons remain"):
        shop[0].suggest_rules("persons", RulesOptions("item", ["town"], {}, MiningThresholds(1_200, 0.1, 1, 1)))
