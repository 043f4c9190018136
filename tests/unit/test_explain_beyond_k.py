"""The explained SQL of a request with a limit, models and persons, run by hand: it writes what the engine releases."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.methods.shared.explain import Step
from ordermade.progress.waiting import Silent
from ordermade.sources.executor import ExecutedStatement, Purpose
from tests.made import Row, new_engine, write_hierarchy, write_table

pytestmark = pytest.mark.slow

COLUMNS = {"sex": "VARCHAR", "age": "INTEGER", "ill": "VARCHAR", "person": "INTEGER"}
ILL = ("value", "kind", "top"), [("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), ("", "y", "*")]
MODELS: list[dict[str, Any]] = [
    {"model": "distinct_l", "l": 2},
    {"model": "t_closeness", "t": 0.6, "distance": "hierarchical"},
]
MOST = 0.3
K = 3


def table() -> list[Row]:
    """Thirty persons of one to three rows, sixty rows in all; a few of a rare age."""
    draw = random.Random(5)
    return [
        (draw.choice("fm"), draw.choice([1, 1, 2, 2, 3]), draw.choice("aabbc"), number % 30) for number in range(60)
    ]


@pytest.fixture(scope="module")
def registered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the table, and a state in which it and its hierarchies are registered."""
    folder = tmp_path_factory.mktemp("registered")
    made = new_engine(folder, use_cache=False)
    write_table(folder / "s.duckdb", COLUMNS, table())
    made.sources.add("s", str(folder / "s.duckdb"))
    made.datasets.add("rows", "s", table="persons", least_k=2)
    made.datasets.add("persons", "s", table="persons", entity="person", least_k=2)
    hierarchies = {
        "sex": (("value", "top"), [("f", "*"), ("m", "*")]),
        "age": (("value", "top"), [(str(age), "*") for age in (1, 2, 3)]),
        "ill": ILL,
    }
    for name, (header, paths) in hierarchies.items():
        made.hierarchies.add(name, write_hierarchy(folder / f"{name}.csv", header, paths), "header")
    return folder


@pytest.fixture
def engine(registered: Path, tmp_path: Path) -> Engine:
    """An engine on a copy of that folder: what one request measured is not known to another."""
    shutil.copytree(registered, tmp_path, dirs_exist_ok=True)
    return Engine(tmp_path / "state" / "state.sqlite", use_cache=False)


def request(folder: Path, dataset: str, *, limit: bool, models: bool) -> dict[str, Any]:
    """A request of the finest node alone, which passes."""
    asked: dict[str, Any] = {
        "dataset": dataset,
        "k": K if limit else 2,
        "quasi_identifiers": {name: {"hierarchy": name, "from": 0, "to": 0} for name in ("sex", "age")},
        "release": {"replace": True, "to": str(folder / "out.csv")},
    }
    if limit:
        asked["suppression_limit"] = MOST
    if models:
        by_hierarchy = {**MODELS[1], "hierarchy": "ill"}
        asked["sensitive"] = {"ill": [MODELS[0], by_hierarchy] if limit else [{**by_hierarchy, "t": 0.99}]}
    return asked


def run_by_hand(source: Path, steps: Sequence[Step]) -> dict[str, list[tuple[Any, ...]]]:
    """The answers of the statements by their titles, every one run in order on one connection to the source."""
    with duckdb.connect(str(source), read_only=True) as connection:
        return {each.title: connection.execute(each.sql).fetchall() for each in steps}


@pytest.mark.parametrize(
    "roll_up", [True, pytest.param(False, marks=pytest.mark.thorough)], ids=["roll-up", "in-source"]
)
@pytest.mark.parametrize(
    ("limit", "models"), [(True, True), (False, True), (False, False)], ids=["limit-models", "models", "k"]
)
@pytest.mark.parametrize("dataset", ["rows", "persons"])
def test_explained_statements_run_by_hand_count_and_release_what_the_engine_does(
    engine: Engine, tmp_path: Path, dataset: str, limit: bool, models: bool, roll_up: bool
) -> None:
    asked = request(tmp_path, dataset, limit=limit, models=models)
    result = engine.run(asked, roll_up=roll_up)
    assert result.released, result.reason
    written = (tmp_path / "out.csv").read_text()
    (tmp_path / "out.csv").unlink()

    answers = run_by_hand(tmp_path / "s.duckdb", engine.explain(asked, roll_up=roll_up))

    assert (tmp_path / "out.csv").read_text() == written
    classes: dict[Row, list[Any]] = {}
    for row in table():
        classes.setdefault(row[:2], []).append(row[3])
    sizes = Counter(len(set(each)) if dataset == "persons" else len(each) for each in classes.values())
    checked = answers["k-check"]
    if len(checked[0]) == 3:
        found = Counter({int(size): int(n) for _, size, n in checked})
    else:
        found = Counter()
        for _, part, size, _, n in checked:
            found[int(size)] += int(n) if part == 0 else 0
    assert +found == sizes
    assert ("suppressed rows, by attribute" in answers) == limit
    if limit and result.suppressed_rows:
        suppressed = answers["suppressed rows, by attribute"]
        assert sum(n for _, attribute, _, n in suppressed if attribute == 0) == result.suppressed_rows


@pytest.mark.parametrize("limit", [False, True], ids=["k", "limit"])
@pytest.mark.parametrize("models", [False, True], ids=["alone", "models"])
@pytest.mark.parametrize("dataset", ["rows", "persons"])
def test_the_least_class_of_each_is_counted_of_persons_under_a_limit_alone(
    engine: Engine, tmp_path: Path, dataset: str, limit: bool, models: bool
) -> None:
    """Of rows, which are in one class each, the sizes of classes say it."""
    heard = Heard()
    asked = request(tmp_path, dataset, limit=limit, models=models)

    (explained,) = (each.sql for each in engine.explain(asked) if each.title == "k-check")
    assert replace(engine, progress=heard).run(asked).released

    (ran,) = heard.checks
    assert ("least.alone" in explained) == ("least.alone" in ran) == (limit and dataset == "persons")


class Heard(Silent):
    """The k-checks that ran, but those of suppressed rows."""

    def __init__(self) -> None:
        self.checks: list[str] = []

    def statement(self, statement: ExecutedStatement) -> None:
        if statement.purpose is Purpose.K_CHECK and "suppressed" not in statement.text:
            self.checks.append(statement.text)
