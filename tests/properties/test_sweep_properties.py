"""A sweep against requests: every k has the figures of its release, or the reason of its refusal; nothing is made."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.privacy.least_k import shown
from ordermade.progress.waiting import Silent
from tests.long import sampled
from tests.made import new_engine, write_hierarchy, write_table

COLUMNS = {"sex": "VARCHAR", "age": "INTEGER", "ill": "VARCHAR", "days": "INTEGER", "person": "INTEGER", "day": "DATE"}
ROWS = 150
SEX = {"sex": {"hierarchy": "sex"}}
BOTH = SEX | {"age": {"hierarchy": "age"}}
ILL = {"ill": [{"model": "distinct_l", "l": 2}]}
GROUPED = {"algorithm": "mdav", "budget": {"rounds": 1}}

OFTEN = ("a node of persons, some suppressed", "groups", "strict splits", "histories")
"""The requests of `ASKED`, one a method and more, that `make test` sweeps."""

ASKED: dict[str, dict[str, Any]] = {
    "a node": {"quasi_identifiers": BOTH | {"age": {"hierarchy": "age", "to": 2}}, "sensitive": ILL, "keep": ["days"]},
    "a node of persons, some suppressed": {
        "dataset": "persons",
        "quasi_identifiers": BOTH,
        "suppression_limit": 0.1,
        "search": {"objective": "dm"},
    },
    "several nodes of persons": {
        "dataset": "persons",
        "quasi_identifiers": BOTH,
        "suppression_limit": 0.05,
        "recoding": "local",
        "keep": ["days"],
    },
    "groups": {
        "method": "microaggregation",
        "attributes": {"age": {"hierarchy": "age", "aggregate": "ancestor"}, "days": {}},
        "within": {"sex": {"hierarchy": "sex", "level": 0}},
        "microaggregation": GROUPED,
        "keep": ["ill"],
    },
    "strict splits": {"method": "mondrian", "quasi_identifiers": SEX | {"age": None}, "keep": ["ill"]},
    "histories": {
        "method": "history",
        "history": {
            "customer": "person",
            "when": "day",
            "item": "ill",
            "numbers": ["days"],
            "match": "rank",
            "cluster": "rank",
        },
    },
    "relaxed splits of persons": {
        "dataset": "persons",
        "method": "mondrian",
        "quasi_identifiers": SEX | {"age": None},
        "sensitive": ILL,
        "keep": ["days"],
        "mondrian": {"strict": False},
    },
}
SUPPRESSING = {"a node of persons, some suppressed", "several nodes of persons", "histories"}
"""The requests that may suppress rows: a sweep hides a number of them below the least k, 0 too."""
LEAST_K = 2
KS = (2, 7, 80)
"""Of the last one half of the requests are refused."""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory, seed: int) -> Engine:
    folder = tmp_path_factory.mktemp("swept")
    draw = random.Random(seed)
    ages = range(40)
    rows = [
        (
            draw.choice("fm"),
            draw.choice(ages),
            draw.choice("abc"),
            draw.randrange(900),
            draw.randrange(75),
            f"2024-03-{draw.randrange(1, 31):02}",
        )
        for _ in range(ROWS)
    ]
    write_table(folder / "s.duckdb", COLUMNS, rows)
    made = new_engine(folder, use_cache=False)
    made.sources.add("s", str(folder / "s.duckdb"))
    made.datasets.add("rows", "s", table="persons", least_k=2)
    made.datasets.add("persons", "s", table="persons", entity="person", least_k=2)
    sexes = write_hierarchy(folder / "sex.csv", ("value", "top"), [("f", "*"), ("m", "*")])
    made.hierarchies.add("sex", sexes, "header")
    paths = [(age, f"a{age // 5}", f"b{age // 20}", "*") for age in ages]
    made.hierarchies.add(
        "age", write_hierarchy(folder / "age.csv", ("value", "five", "twenty", "top"), paths), "header"
    )
    return made


def request(folder: Path, named: str, k: int) -> dict[str, Any]:
    release, asked = {"replace": True, "to": str(folder / "out.csv")}, ASKED[named]
    allowed = [*asked.get("keep", ()), *asked.get("sensitive", ())]
    return {"dataset": "rows", "k": k, "release": release, "allow_identifying": allowed} | asked


def hidden(named: str, suppressed: int | None) -> int | None:
    """The number that a sweep shows of suppressed rows or persons."""
    return shown(suppressed, LEAST_K) if named in SUPPRESSING and suppressed is not None else suppressed


@pytest.mark.slow
@pytest.mark.parametrize(
    "named", sampled([pytest.param(each, marks=[pytest.mark.thorough] * (each not in OFTEN)) for each in ASKED], 2)
)
def test_every_k_has_the_figures_of_its_own_release(named: str, engine: Engine, tmp_path: Path) -> None:
    before = len(engine.requests.list())
    found = engine.sweep(request(tmp_path, named, 3), KS)
    assert found.cost.source_queries + found.cost.release_queries <= 2  # a frequency set, or what is released; or both
    assert len(engine.requests.list()) == before
    assert not (tmp_path / "out.csv").exists()
    for point in found.points:
        result = engine.run(request(tmp_path, named, point.k))
        assert (point.loss is not None, point.reason) == (result.released, result.reason)
        assert dict(point.losses) == dict(result.loss)
        assert (point.measured_k, point.divisions) == (result.k, result.divisions)
        if result.released:
            assert point.suppressed_rows == hidden(named, result.suppressed_rows)
            assert point.suppressed_persons == hidden(named, result.suppressed_persons)
            assert point.loss == result.loss[found.metric]
    assert found.metric == ("loss" if "search" in ASKED[named] else found.metric)
    assert found.points[0].loss is not None


class Stopping(Silent):
    """Ctrl-C, when the last k begins."""

    def step(self, name: str) -> None:
        if name.startswith(f"k = {KS[-1]}"):
            raise KeyboardInterrupt


@pytest.mark.slow
def test_what_was_measured_is_known_to_the_next_though_the_sweep_was_stopped(engine: Engine, tmp_path: Path) -> None:
    of_its_own = request(tmp_path, "a node", 3) | {"where": "days < 800"}
    before = len(engine.requests.list()), len(engine.releases.list())
    with pytest.raises(KeyboardInterrupt):
        Engine(engine.state, use_cache=False, progress=Stopping()).sweep(of_its_own, KS)
    assert (len(engine.requests.list()), len(engine.releases.list())) == before
    assert engine.sweep(of_its_own, KS[:2]).cost.source_queries == 0
