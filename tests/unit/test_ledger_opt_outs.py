"""Releases from before an opt-out are those of the same dataset: later ones are judged beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from tests.made import new_engine, write_hierarchy


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute("CREATE TABLE persons AS SELECT i AS id, i % 2 AS side FROM range(20) AS r (i)")
    engine = new_engine(tmp_path)
    engine.sources.add("s", str(tmp_path / "s.duckdb"))
    engine.datasets.add("persons", "s", table="persons", least_k=3, entity="id")
    engine.hierarchies.add(
        "side", write_hierarchy(tmp_path / "side.csv", ["value", "level 1"], [("0", "*"), ("1", "*")])
    )
    engine.policies.set({"dataset": "persons", "k": 3})
    return engine


def sides(folder: Path, name: str) -> dict[str, Any]:
    wanted = {"side": {"hierarchy": "side", "from": 0, "to": 0}}
    return {"dataset": "persons", "k": 3, "quasi_identifiers": wanted, "release": {"to": str(folder / name)}}


@pytest.mark.parametrize("opted_out", [1, 2])
def test_who_opted_out_since_is_told_by_the_release_before(engine: Engine, tmp_path: Path, opted_out: int) -> None:
    assert engine.run(sides(tmp_path, "before.csv")).beside == "safe"
    engine.datasets.opt_outs.add("persons", [str(2 * each) for each in range(opted_out)])
    found = engine.judge_request(sides(tmp_path, "after.csv"))
    assert (found.answer, found.releases, found.changed) == ("breach", (1,), True)


def test_a_release_from_before_an_opt_out_of_k_persons_is_not_forgotten(engine: Engine, tmp_path: Path) -> None:
    engine.run(sides(tmp_path, "before.csv"))
    engine.datasets.opt_outs.add("persons", [str(2 * each) for each in range(4)])
    found = engine.judge_request(sides(tmp_path, "after.csv"))
    assert (found.answer, found.releases) == ("undecided", (1,))  # it counts persons, who may have several rows
