"""The commands beside a release, on every kind of source: what is explained ran there, what is counted is alike."""

from __future__ import annotations

import csv
import logging
import random
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.catalogue.sources import opened
from ordermade.evaluation.options import JudgementOptions
from ordermade.methods.mondrian.algorithm.mining import Thresholds
from ordermade.methods.mondrian.suggest import RulesOptions
from ordermade.sources.workspace import Limits
from ordermade.taxonomies.suggest import TaxonomyOptions
from tests.conformance.backends import BACKENDS, Made, Table, the_table
from tests.made import new_engine, write_hierarchy

pytestmark = pytest.mark.slow

Make = Callable[[Table], Made]
GOODS = ("red mug", "blue mug", "pan", "glass pan", "candle", "tea light")


def _sales() -> Table:
    draw = random.Random(3)
    rows = []
    for _ in range(240):
        good, who = draw.randrange(len(GOODS)), draw.randrange(60)
        day = date(2020, 1, 1) + timedelta(days=draw.randrange(90))
        rows.append((who, day, f"g{good}", GOODS[good], 1 + draw.randrange(5), draw.choice(["x", "y", None]), who % 4))
    columns = ("who", "BIGINT"), ("day", "DATE"), ("good", "VARCHAR"), ("name", "VARCHAR"), ("pieces", "BIGINT")
    return Table("sales", {**dict(columns), "town": "VARCHAR", "zone": "BIGINT"}, rows)


SALES = _sales()


class Two:
    """An engine with the same table in two sources: `here` of the kind that is tried, `there` a Parquet file."""

    def __init__(self, folder: Path, made: Made) -> None:
        self.folder = folder
        there = folder / "there"
        there.mkdir()
        self.engine: Engine = new_engine(folder, use_cache=False, limits=Limits("256MB", 1))
        self.engine.sources.add("here", made.location)
        self.engine.sources.add("there", BACKENDS["parquet"](there, SALES).location)
        self.tables = [f"{each}.{self._only_table(each)}" for each in ("here", "there")]
        for table in self.tables:
            source, name = table.split(".", 1)
            self.engine.datasets.add(source, source, table=name, least_k=2)
            self.engine.datasets.add(f"persons-{source}", source, table=name, entity="who", least_k=2)

    def _only_table(self, source: str) -> str:
        with opened(self.engine.sources.get(source), self.engine.limits) as backend:
            return the_table(backend).name

    def alike(self, ask: Callable[[str], Any], *names: str) -> Any:
        """The answer for both of the names, which must be the same."""
        here, there = (ask(each) for each in names)
        assert here == there
        return here


@pytest.fixture
def two(make: Make, tmp_path: Path) -> Two:
    return Two(tmp_path, make(SALES))


def _hierarchies(two: Two) -> None:
    two.engine.hierarchies.add(
        "town", write_hierarchy(two.folder / "town.csv", ("value", "top"), [("x", "*"), ("y", "*"), ("", "*")])
    )
    (two.folder / "day.yaml").write_text("date: [month, year]\n", encoding="utf-8")
    two.engine.hierarchies.add("day", two.folder / "day.yaml")


def _plain(statement: str) -> str:
    return re.sub(r"\s+", "", statement)


def test_what_is_explained_of_the_source_is_what_runs_there(two: Two, caplog: pytest.LogCaptureFixture) -> None:
    _hierarchies(two)
    request = {
        "dataset": "here",
        "k": 2,
        "quasi_identifiers": {"town": {"hierarchy": "town"}, "day": {"hierarchy": "day", "from": 1, "to": 1}},
        "where": "pieces < 5",
        "release": {"to": str(two.folder / "out.csv"), "replace": True},
    }
    steps = two.engine.explain(request)
    with caplog.at_level(logging.DEBUG, "ordermade.sql"):
        assert two.engine.run(request).status == "released"
    ran = [_plain(each.getMessage().split(": ", 2)[-1]) for each in caplog.records if each.name == "ordermade.sql"]
    asked = [each for each in steps if each.runs_in == "source" and not each.title.startswith("the files of")]
    assert len(asked) >= 5
    for each in asked:
        assert any(statement.endswith(_plain(each.sql)) for statement in ran), each


def test_any_table_is_measured_alike(two: Two) -> None:
    def measured(table: str, **more: Any) -> Any:
        return replace(two.engine.measure(table, ["town", "zone", "day"], ["good"], **more), name="")

    two.alike(measured, *two.tables)
    two.alike(lambda each: measured(each, where="town = 'x' OR pieces >= 3"), *two.tables)
    assert two.alike(lambda each: measured(each, entity="who"), *two.tables).entity


def test_hierarchies_are_drafted_and_checked_alike(two: Two) -> None:
    _hierarchies(two)
    for column in SALES.columns:
        two.alike(lambda each, column=column: two.engine.hierarchies.suggest(each, column), "here", "there")
    check = two.engine.hierarchies.check
    for column in ("town", "day"):
        two.alike(lambda each, column=column: check(column, each, column, show_values=True), "here", "there")


@pytest.mark.parametrize("dataset", ["", "persons-"])
def test_rules_are_drafted_and_checked_alike(two: Two, dataset: str) -> None:
    _hierarchies(two)
    wanted = RulesOptions("good", ["day", "town"], {}, Thresholds(k=3, support=0.01, lift=1.05, conditions=2))
    ask = two.engine.suggest_rules
    datasets = [f"{dataset}{each}" for each in ("here", "there")]
    found = two.alike(lambda each: replace(ask(each, wanted, where="pieces < 5"), dataset=""), *datasets)
    assert found.rules or dataset
    rules = two.folder / "rules.yaml"
    rules.write_text("rules:\n  - {item: g1, when: {town: x}}\n  - {item: g2, when: {town: y, zone: 1}}\n")
    check = two.engine.check_rules
    assert two.alike(lambda each: replace(check(_of_mondrian(each, str(rules))), dataset=""), *datasets).rules


def _of_mondrian(dataset: str, rules: str) -> dict[str, Any]:
    columns = {"day": {"hierarchy": "day"}, "town": {"hierarchy": "town"}, "zone": {}}
    return {
        "dataset": dataset,
        "method": "mondrian",
        "k": 3,
        "quasi_identifiers": columns,
        "mondrian": {"rules": rules},
        "release": {"to": "out.csv"},
    }


def test_a_taxonomy_is_drafted_and_checked_alike(two: Two) -> None:
    wanted = TaxonomyOptions("good", "name")
    found = two.alike(lambda each: replace(two.engine.suggest_taxonomy(each, wanted), table=""), *two.tables)
    assert found
    paths = [("g0", "mugs"), ("g1", "mugs"), ("g2", "pans"), ("g9", "none")]
    taxonomy = write_hierarchy(two.folder / "goods.csv", ("value", "category"), paths)

    def checked(table: str) -> Any:
        return replace(
            two.engine.check_taxonomy(taxonomy, table, "good", where="pieces > 1", show_items=True), table=""
        )

    two.alike(checked, *two.tables)


def test_a_release_of_histories_is_judged_alike(two: Two, make: Make, tmp_path: Path) -> None:
    out, pairs = tmp_path / "out.csv", tmp_path / "pairs.csv"
    columns = {"customer": "who", "when": "day", "item": "good", "numbers": ["pieces"], "map": str(pairs)}
    request = {"dataset": "there", "method": "history", "k": 3, "history": columns, "release": {"to": str(out)}}
    assert two.engine.run(request).status == "released"
    with out.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    released = make(Table("released", dict.fromkeys(header, "VARCHAR"), rows)).location
    wanted = JudgementOptions(str(pairs), "who", "day", "good", ["pieces"], attempts=20, seed=3)

    def judged(table: str) -> Any:
        files = released if table == two.tables[0] else out
        found = two.engine.judge_history(table, files, wanted, where="pieces > 0")
        return replace(found, original="", release="", released=replace(found.released, name=""))

    assert two.alike(judged, *two.tables).attacks
