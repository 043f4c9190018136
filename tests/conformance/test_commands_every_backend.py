"""The commands beside a release, on every kind of source: what is explained ran there, what is counted is alike."""

from __future__ import annotations

import csv
import logging
import random
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.catalogue.sources import opened
from ordermade.evaluation.options import JudgementOptions
from ordermade.methods.histories.taxonomies.suggest import TaxonomyOptions
from ordermade.methods.mondrian.algorithm.mining import MiningThresholds
from ordermade.methods.mondrian.suggest import RulesOptions
from ordermade.sources.limits import Limits
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


def _only_table(engine: Engine, source: str) -> str:
    with opened(engine.sources.get(source), engine.limits) as backend:
        return f"{source}.{the_table(backend).name}"


def _registered(engine: Engine, source: str, location: str) -> str:
    """The table of a new source; it is a dataset called like the source, and one of persons."""
    engine.sources.add(source, location)
    table = _only_table(engine, source)
    called = table.split(".", 1)[1]
    engine.datasets.add(source, source, table=called, least_k=2)
    engine.datasets.add(f"persons-{source}", source, table=called, entity="who", least_k=2)
    return table


class There:
    """A state with the table as a Parquet file, `there`, and two hierarchies; and the answers to its requests.

    `release` has the histories of its persons, and `pairs` says whose they are.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        source = folder / "there"
        source.mkdir()
        self.answers: dict[str, Any] = {}
        self.engine: Engine = new_engine(folder, use_cache=False, limits=Limits("256MB", 1))
        self.table = _registered(self.engine, "there", BACKENDS["parquet"](source, SALES).location)
        town = write_hierarchy(folder / "town.csv", ("value", "top"), [("x", "*"), ("y", "*"), ("", "*")])
        (folder / "day.yaml").write_text("date: [month, year]\n", encoding="utf-8")
        self.engine.hierarchies.add("town", town)
        self.engine.hierarchies.add("day", folder / "day.yaml")

    @cached_property
    def release(self) -> Path:
        columns = {"customer": "who", "when": "day", "item": "good", "numbers": ["pieces"], "map": str(self.pairs)}
        to = self.folder / "histories.csv"
        request = {"dataset": "there", "method": "history", "k": 3, "history": columns, "release": {"to": str(to)}}
        assert self.engine.run(request).status == "released"
        return to

    @property
    def pairs(self) -> Path:
        return self.folder / "pairs.csv"


class Two:
    """The same table in two sources of an engine: `here` of the kind that is tried, `there` a Parquet file."""

    def __init__(self, folder: Path, made: Made, there: There) -> None:
        self.there = there
        state = shutil.copytree(there.engine.state_file.path.parent, folder / "state") / "state.sqlite"
        self.engine = Engine(state, use_cache=False, limits=there.engine.limits)
        self.table = _registered(self.engine, "here", made.location)

    def alike(self, open_request: str, ask: Callable[[str], Any], here: str, there: str) -> Any:
        """The answer for both of the names, which must be the same; the second is given once for all kinds."""
        answers = self.there.answers
        if open_request not in answers:
            answers[open_request] = ask(there)
        assert ask(here) == answers[open_request]
        return answers[open_request]

    def alike_of_tables(self, open_request: str, ask: Callable[[str], Any]) -> Any:
        return self.alike(open_request, ask, self.table, self.there.table)


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> There:
    return There(tmp_path_factory.mktemp("there"))


@pytest.fixture(scope="module")
def two(make_once: Make, there: There, tmp_path_factory: pytest.TempPathFactory) -> Two:
    return Two(tmp_path_factory.mktemp("two"), make_once(SALES), there)


def _plain(statement: str) -> str:
    return re.sub(r"\s+", "", statement)


def _explains(statement: str, explained: str) -> bool:
    """Whether a statement in the log ends in what is explained, which has a literal where the log has a parameter."""
    parts = re.split(r"%\(\w+\)s", statement)
    filled = r"'(?:[^']|'')*'".join(map(re.escape, parts))
    return statement.endswith(explained) or re.search(filled, explained) is not None


def test_what_is_explained_of_the_source_is_what_runs_there(
    two: Two, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Texts are merged there: whether days lie close, so that PostgreSQL subscripts with them, only counting says."""
    merged = write_hierarchy(
        tmp_path / "merged.csv", ("value", "half", "top"), [("x", "xy", "*"), ("y", "xy", "*"), ("", "none", "*")]
    )
    two.engine.hierarchies.add("merged", merged)
    zones = write_hierarchy(tmp_path / "zones.csv", ("value", "top"), [(str(each), "*") for each in range(4)])
    two.engine.hierarchies.add("zones", zones)
    request = {
        "dataset": "here",
        "k": 2,
        "quasi_identifiers": {
            "town": {"hierarchy": "merged", "from": 1, "to": 1},
            "zone": {"hierarchy": "zones", "to": 0},
        },
        "where": "pieces < 5",
        "release": {"to": str(tmp_path / "out.csv"), "replace": True},
    }
    steps = two.engine.explain(request)
    with caplog.at_level(logging.DEBUG, "ordermade.sql"):
        assert two.engine.run(request).status == "released"
    ran = [_plain(each.getMessage().split(": ", 2)[-1]) for each in caplog.records if each.name == "ordermade.sql"]
    asked = [each for each in steps if each.runs_in == "source" and not each.title.startswith("the files of")]
    assert len(asked) >= 5
    for each in asked:
        assert any(_explains(statement, _plain(each.sql)) for statement in ran), each


def test_any_table_is_measured_alike(two: Two) -> None:
    def measured(table: str, **more: Any) -> Any:
        return replace(two.engine.measure(table, ["town", "zone", "day"], ["good"], **more), name="")

    where = "town = 'x' OR pieces >= 3"
    two.alike_of_tables("measured", measured)
    two.alike_of_tables("measured where", lambda each: measured(each, where=where))
    assert two.alike_of_tables("measured of persons", lambda each: measured(each, entity="who")).entity


def test_hierarchies_are_drafted_and_checked_alike(two: Two) -> None:
    draft, check = two.engine.hierarchies.suggest, two.engine.hierarchies.check
    for column in SALES.columns:
        two.alike(f"draft {column}", lambda each, column=column: draft(each, column), "here", "there")
    for column in ("town", "day"):
        checked = lambda each, column=column: check(column, each, column, show_values=True)  # noqa: E731
        two.alike(f"check {column}", checked, "here", "there")


@pytest.mark.parametrize("dataset", ["", "persons-"])
def test_rules_are_drafted_and_checked_alike(two: Two, tmp_path: Path, dataset: str) -> None:
    wanted = RulesOptions("good", ["day", "town"], {}, MiningThresholds(k=3, support=0.01, lift=1.05, conditions=2))
    ask = two.engine.suggest_rules
    datasets = f"{dataset}here", f"{dataset}there"
    found = two.alike(
        f"rules {dataset}", lambda each: replace(ask(each, wanted, where="pieces < 5"), dataset=""), *datasets
    )
    assert found.rules or dataset
    rules = tmp_path / "rules.yaml"
    rules.write_text("rules:\n  - {item: g1, when: {town: x}}\n  - {item: g2, when: {town: y, zone: 1}}\n")
    check = two.engine.check_rules
    checked = two.alike(
        f"rules checked {dataset}",
        lambda each: replace(check(_of_mondrian(each, str(rules))), dataset=""),
        *datasets,
    )
    assert checked.rules


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


def test_a_taxonomy_is_drafted_and_checked_alike(two: Two, there: There) -> None:
    wanted = TaxonomyOptions("good", "name")
    assert two.alike_of_tables("taxonomy", lambda each: replace(two.engine.suggest_taxonomy(each, wanted), table=""))
    paths = [("g0", "mugs"), ("g1", "mugs"), ("g2", "pans"), ("g9", "none")]
    taxonomy = write_hierarchy(there.folder / "goods.csv", ("value", "category"), paths)

    def checked(table: str) -> Any:
        return replace(
            two.engine.check_taxonomy(taxonomy, table, "good", where="pieces > 1", show_items=True), table=""
        )

    two.alike_of_tables("taxonomy checked", checked)


def test_a_release_of_histories_is_judged_alike(two: Two, there: There, make_once: Make) -> None:
    with there.release.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    released = make_once(Table("released", dict.fromkeys(header, "VARCHAR"), rows)).location
    wanted = JudgementOptions(str(there.pairs), "who", "day", "good", ["pieces"], attempts=20, seed=3)

    def judged(table: str) -> Any:
        files = released if table == two.table else there.release
        found = two.engine.judge_history(table, files, wanted, where="pieces > 0")
        return replace(found, original="", release="", released=replace(found.released, name=""))

    assert two.alike_of_tables("judged", judged).attacks
