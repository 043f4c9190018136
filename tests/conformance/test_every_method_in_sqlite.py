"""Every method through the whole engine: a SQLite file and one that is apart release what a DuckDB file releases."""

from __future__ import annotations

import contextlib
import random
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.sources.limits import Limits
from tests.conformance.two_databases import TwoDatabases
from tests.made import new_engine

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

COLUMNS = {
    "who": "BIGINT",
    "sex": "VARCHAR",
    "age": "BIGINT",
    "code": "VARCHAR",
    "joined": "DATE",
    "height": "DOUBLE",
    "ill": "VARCHAR",
    "kept": "BOOLEAN",
}
RULES = {
    "sex": "mapping:\n  f: ['*']\n  m: ['*']\n",
    "age": "intervals:\n  levels:\n    - {width: 5}\n    - {width: 20}\n",
    "code": "prefix:\n  keep: [3, 2]\n",
    "joined": "date: [month, year]\n",
}


def _rows() -> list[tuple[Any, ...]]:
    draw = random.Random(5)
    return [
        (
            i // 2,
            draw.choice("fm"),
            20 + draw.randrange(40),
            f"0{draw.randrange(3)}{draw.randrange(3)}東",
            date(2020, 1, 1) + timedelta(days=draw.randrange(400)),
            draw.choice([1.5, 1.75, 1.8]),
            draw.choice(["flu", "Flu", "cold", None]),
            draw.random() < 0.5,
        )
        for i in range(600)
    ]


QIS = {column: {"hierarchy": column} for column in RULES}
COARSE = {"sex": {"hierarchy": "sex"}, "age": {"hierarchy": "age", "from": "width 5"}, "code": {"hierarchy": "code"}}
REQUESTS: Mapping[str, Mapping[str, Any]] = {
    "rows": {"k": 5, "quasi_identifiers": QIS, "keep": ["kept"]},
    "filtered": {"k": 3, "quasi_identifiers": QIS, "where": "joined >= DATE '2020-06-01' AND ill <> 'Flu' OR kept"},
    "limit": {"k": 4, "quasi_identifiers": QIS, "suppression_limit": 0.1},
    "models": {
        "k": 4,
        "quasi_identifiers": {"sex": QIS["sex"], "age": QIS["age"]},
        "suppression_limit": 0.1,
        "sensitive": {"ill": [{"model": "distinct_l", "l": 2}]},
    },
    "local": {"k": 5, "quasi_identifiers": QIS, "suppression_limit": 0.05, "recoding": "local"},
    "rounds": {
        "k": 5,
        "quasi_identifiers": QIS,
        "suppression_limit": 0.05,
        "recoding": {"kind": "local", "seal": False},
    },
    "table": {"k": 5, "quasi_identifiers": QIS, "shape": "table"},
    "microaggregation": {
        "method": "microaggregation",
        "k": 3,
        "attributes": {"age": {}, "height": {}},
        "microaggregation": {"budget": {"rounds": 20}},  # a budget of time would not end alike
        "within": {"sex": {"hierarchy": "sex", "level": 0}},
        "keep": ["kept"],
    },
    "mondrian": {
        "method": "mondrian",
        "k": 5,
        "quasi_identifiers": {"age": {}, "joined": {}, "sex": {"hierarchy": "sex"}, "code": {"hierarchy": "code"}},
        "keep": ["kept"],
    },
}


@dataclass(frozen=True)
class Asked:
    """An engine with the datasets `duckdb` and `sqlite`, and of persons `persons-duckdb` and `persons-sqlite`."""

    engine: Engine
    folder: Path


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    folder = tmp_path_factory.mktemp("methods")
    declared = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    places = ", ".join("?" * len(COLUMNS))
    with duckdb.connect(str(folder / "s.duckdb")) as connection:
        connection.execute(f"CREATE TABLE t ({declared})")
        connection.executemany(f"INSERT INTO t VALUES ({places})", _rows())
    with contextlib.closing(sqlite3.connect(folder / "s.sqlite")) as made, made:
        made.execute(f"CREATE TABLE t ({declared})")
        rows = [[cell.isoformat() if isinstance(cell, date) else cell for cell in row] for row in _rows()]
        made.executemany(f"INSERT INTO t VALUES ({places})", rows)
    engine = new_engine(folder, use_cache=False, limits=Limits("256MB", 1))
    for kind in ("duckdb", "sqlite"):
        engine.sources.add(kind, str(folder / f"s.{kind}"))
        engine.datasets.add(kind, kind, table="t", least_k=2)
        engine.datasets.add(f"persons-{kind}", kind, table="t", entity="who", least_k=2)
    for column, text in RULES.items():
        (folder / f"{column}.yaml").write_text(text, encoding="utf-8")
        engine.hierarchies.add(column, folder / f"{column}.yaml")
    return Asked(engine, folder)


def release(asked: Asked, dataset: str, request: Mapping[str, Any], out: Path) -> tuple[Any, bytes]:
    given = {"dataset": dataset, **request}
    shape = given.pop("shape", None)
    to = {"to": str(out), "replace": True} | ({} if shape is None else {"shape": shape})
    result = asked.engine.run({**given, "release": to}, again=True)
    assert result.status == "released"
    return result, out.read_bytes()


@pytest.mark.parametrize("apart", [False, pytest.param(True, marks=pytest.mark.thorough)])
@pytest.mark.parametrize(
    "named",
    [pytest.param(each, marks=[pytest.mark.thorough] * (each in ("limit", "filtered", "table"))) for each in REQUESTS],
)
def test_a_release_is_the_same_to_the_byte(
    asked: Asked, named: str, apart: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, expected = release(asked, "duckdb", REQUESTS[named], tmp_path / "one.csv")
    if apart:
        monkeypatch.setattr("ordermade.sources.open.DuckDBFile", TwoDatabases)
    _, found = release(asked, "duckdb" if apart else "sqlite", REQUESTS[named], tmp_path / "other.csv")
    assert found == expected


@pytest.mark.parametrize("named", ["rows", "limit", "models", "mondrian"])
def test_persons_are_released_alike(asked: Asked, named: str, tmp_path: Path) -> None:
    request = {**REQUESTS[named], "k": 3}
    one, expected = release(asked, "persons-duckdb", request, tmp_path / "one.csv")
    other, found = release(asked, "persons-sqlite", request, tmp_path / "other.csv")
    assert (other.k, other.loss) == (one.k, one.loss)
    assert len(found.splitlines()) == len(expected.splitlines())


@pytest.mark.parametrize("of_persons", [pytest.param(False, marks=pytest.mark.thorough), True])
@pytest.mark.parametrize("named", ["rows", "models", "limit"])
def test_asking_the_source_each_time_finds_the_same(asked: Asked, named: str, of_persons: bool, tmp_path: Path) -> None:
    entity = "persons-" if of_persons else ""
    given = {**REQUESTS[named], "quasi_identifiers": {"sex": QIS["sex"], "age": QIS["age"]}, "k": 3}
    results = []
    for kind in ("duckdb", "sqlite"):
        to = {"to": str(tmp_path / f"{kind}.csv"), "replace": True}
        request = {"dataset": f"{entity}{kind}", **given, "release": to}
        results.append(asked.engine.run(request, roll_up=False, again=True))
    one, other = results
    assert (other.status, other.levels, other.k, other.loss) == (one.status, one.levels, one.k, one.loss)


def test_purchase_histories_lose_the_same(asked: Asked, tmp_path: Path) -> None:
    given = {
        "method": "history",
        "k": 2,
        "history": {"customer": "who", "when": "joined", "item": "code", "numbers": ["age", "height"]},
    }
    one, first = release(asked, "persons-duckdb", given, tmp_path / "one.csv")
    other, second = release(asked, "persons-sqlite", given, tmp_path / "other.csv")
    assert (other.k, other.rows, other.loss) == (one.k, one.rows, one.loss)
    assert len(first.splitlines()) == len(second.splitlines())


@pytest.mark.parametrize("entity", [None, "who"])
def test_a_table_is_measured_alike(asked: Asked, entity: str | None) -> None:
    one, other = (
        asked.engine.measure(asked.folder / f"s.{kind}", ["sex", "age", "joined"], ["ill", "height"], entity=entity)
        for kind in ("duckdb", "sqlite")
    )
    assert (other.rows, other.classes, other.sensitive) == (one.rows, one.classes, one.sensitive)


def test_a_request_is_explained(asked: Asked, tmp_path: Path) -> None:
    for named, request in REQUESTS.items():
        given = {key: value for key, value in request.items() if key != "shape"}
        steps = asked.engine.explain({"dataset": "sqlite", **given, "release": {"to": str(tmp_path / "x.csv")}})
        assert any(each.runs_in == "source" for each in steps), named
