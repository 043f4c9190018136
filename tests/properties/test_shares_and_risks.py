"""Every figure that is called a share or a risk is between 0 and 1, of every method, of rows and of persons."""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.release.files import MANIFEST
from tests.made import new_engine

pytestmark = pytest.mark.slow

QIS = {"age": {"hierarchy": "age"}, "town": {"hierarchy": "town"}}
METHODS: Mapping[str, Mapping[str, Any]] = {
    "full-domain": {"method": "generalization", "quasi_identifiers": QIS, "suppression_limit": 0.2},
    "local": {"method": "generalization", "quasi_identifiers": QIS, "suppression_limit": 0.2, "recoding": "local"},
    "mondrian": {"method": "mondrian", "quasi_identifiers": QIS},
    "microaggregation": {
        "method": "microaggregation",
        "attributes": {"age": {}, "pay": {}},
        "microaggregation": {"budget": {"rounds": 2}},
    },
    "history": {
        "method": "history",
        "history": {"customer": "who", "when": "day", "item": "town", "numbers": ["pay"]},
    },
}
WORDS = ("risk", "share", "prosecutor", "journalist", "marketer")
ROUNDED = 1e-9


def figures(value: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], float]]:
    """Every number below a key that is called a share or a risk."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {each.name: getattr(value, each.name) for each in dataclasses.fields(value) if each.repr or each.init}
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from figures(each, (*path, str(key)))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from figures(each, path)
    elif isinstance(value, float | Fraction) and any(word in key for word in WORDS for key in path):
        yield path, float(value)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """A dataset of rows, and the same one of persons, who are in several classes nearly all."""
    tmp_path = tmp_path_factory.mktemp("made")
    draw = random.Random(1)
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE t (who INTEGER, age INTEGER, town VARCHAR, pay INTEGER, day DATE, fine DOUBLE)"
        )
        persons = draw.choice((8, 20, 40))
        connection.executemany(
            "INSERT INTO t VALUES (?, ?, ?, ?, DATE '2020-01-01' + ?::INTEGER, ?)",
            [
                (
                    draw.randrange(persons), 20 + draw.randrange(20), draw.choice(("Kyoto", "Otsu", "Uji")),
                    draw.randrange(1, 50), draw.randrange(60), draw.randrange(1, 40) / 100,
                )
                for _ in range(120)
            ],
        )  # fmt: skip
    engine = new_engine(tmp_path, use_cache=False)
    engine.sources.add("s", str(tmp_path / "s.duckdb"))
    engine.datasets.add("rows", "s", table="t", least_k=2)
    engine.datasets.add("persons", "s", table="t", entity="who", least_k=2)
    engine.hierarchies.add("age", "intervals:\n  levels: [{width: 5}, {width: 10}]\n")
    engine.hierarchies.add("town", {"Kyoto": ["west", "*"], "Otsu": ["west", "*"], "Uji": ["east", "*"]})
    return engine


def cases() -> Iterator[tuple[str, str]]:
    """Microaggregation counts rows, histories persons, the others both."""
    for method in METHODS:
        for dataset in ("rows", "persons"):
            if (dataset == "persons" and method == "microaggregation") or (dataset == "rows" and method == "history"):
                continue
            yield method, dataset


@pytest.mark.parametrize(("method", "dataset"), [*cases()])
def test_every_share_and_risk_is_between_0_and_1(engine: Engine, tmp_path: Path, method: str, dataset: str) -> None:
    out = tmp_path / "out.csv"
    result = engine.run({"dataset": dataset, "k": 2, **METHODS[method], "release": {"to": str(out)}})
    assert result.released, result.reason
    manifest = json.loads(Path(f"{out}{MANIFEST}").read_text(encoding="utf-8"))
    found = {
        "result": list(figures(result.release)) + list(figures({"risk": result.risk})),
        "manifest": list(figures(manifest)),
        "report": list(figures(engine.releases.report_of(result))),
    }
    assert all(found.values())
    wrong = [(name, each) for name, of in found.items() for each in of if not 0 <= each[1] <= 1 + ROUNDED]
    assert not wrong
