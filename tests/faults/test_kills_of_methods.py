"""kill -9 at random moments of requests of every method, into files and tables, with a map: nothing, or a release."""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import multiprocessing
import random
import tempfile
import time
from collections.abc import Iterator, Mapping
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import OrdermadeError
from ordermade.files.private import remove_abandoned
from ordermade.release.files import manifest_of
from ordermade.state.authority import SHELL
from ordermade.state.inspection import verify
from tests.long import rounds
from tests.made import new_engine, write_hierarchy

SAMPLE, EVERYTHING = 4, 500
"""The kills of each part."""
CUSTOMERS = 60
PROCESSES = multiprocessing.get_context("forkserver")
"""Processes of their own that have imported all a request does: only requests are killed, not Python as it starts."""
PRELOADED = (
    "ordermade.engine",
    "ordermade.methods.generalization.answer",
    "ordermade.methods.microaggregation.answer",
    "ordermade.methods.mondrian.answer",
    "ordermade.methods.histories.answer",
    "scipy.special",
    "scipy.optimize",
    "pandas",
    "pyarrow.pandas_compat",
    "tests.faults.compiler",
    "tests.made",
    "pytest",
)
ROWS = (
    "CREATE TABLE purchases AS SELECT i AS id, 'c' || (i % $customers) AS customer, i * 7919 % 61 AS age, "
    "'p' || (i * 104729 % 12) AS place, DATE '2024-01-01' + CAST(i * 31 % 300 AS INTEGER) AS day, "
    "'i' || (i * 17 % 9) AS item, CAST(i * 13 % 50 AS INTEGER) AS price FROM RANGE($customers * 8) AS t(i)"
)

METHODS: Mapping[str, Mapping[str, Any]] = {
    "generalization": {"quasi_identifiers": {name: {"hierarchy": name} for name in ("age", "place")}},
    "microaggregation": {
        "attributes": {"age": {}, "price": {}},
        "microaggregation": {"algorithm": "mdav", "improve": False},
    },
    "mondrian": {"quasi_identifiers": {"age": {}, "place": {"hierarchy": "place"}}},
    "history": {
        "history": {"customer": "customer", "when": "day", "item": "item", "numbers": ["price"], "cluster": "rank"}
    },
}
KEPT = {
    *("state.sqlite", "state.sqlite-journal", "ledger.sqlite", "ledger.sqlite-journal"),
    *("cache.duckdb", "cache.duckdb.wal"),
}
"""The files beside the state. A write-ahead log is part of its file: the next command that writes takes it in."""
TARGETS = ("parquet", "csv", "table")
"""Releases into files and into the source; those of histories into files have a map."""


def provider(folder: Path) -> Engine:
    """A state with a writable table of purchases and hierarchies of two of its columns."""
    with duckdb.connect(str(folder / "s.duckdb")) as connection:
        connection.execute(ROWS, {"customers": CUSTOMERS})
    engine = new_engine(folder)
    engine.sources.add("s", str(folder / "s.duckdb"), writable=True)
    engine.datasets.add("purchases", "s", table="purchases")
    for name, leaves in (("age", [str(n) for n in range(61)]), ("place", [f"p{n}" for n in range(12)])):
        paths = [(leaf, f"a{i // 5}", f"b{i // 20}") for i, leaf in enumerate(leaves)]
        engine.hierarchies.add(name, write_hierarchy(folder / f"{name}.csv", [name, "some", "few"], paths), "header")
    return engine


def asked(folder: Path, number: int, method: str, target: str, *, takes_the_place: bool) -> dict[str, Any]:
    """A request over a dataset of its own (its filter differs), so that every run has all its work to do."""
    name = f"{method}-{target}" if takes_the_place else f"{method}-{target}-{number}"
    to: Any = {"table": name} if target == "table" else str(folder / "out" / f"{name}.{target}")
    content = {name: dict(part) for name, part in METHODS[method].items()}
    if method == "history" and target != "table":
        content["history"]["map"] = str(folder / "out" / f"{name}.map.csv")
    return {
        "dataset": "purchases",
        "method": method,
        "where": f"id >= {number % 40}",
        "k": 5 + number % 3,
        "release": {"to": to, "replace": takes_the_place},
        **content,
    }


def run(state: Path, temporary: Path, request: Mapping[str, Any]) -> None:
    """Runs the request; if it cannot be answered it leaves no release."""
    tempfile.tempdir = str(temporary)
    with contextlib.suppress(OrdermadeError):
        Engine(state).run(dict(request))


def names_of(request: Mapping[str, Any]) -> tuple[Path, ...]:
    """The files of a release, those of its map among them."""
    data = [Path(request["release"]["to"])]
    if "map" in request.get("history", {}):
        data.append(Path(request["history"]["map"]))
    return tuple(each for path in data for each in (path, manifest_of(path)))


def held_against_the_state(engine: Engine, request: Mapping[str, Any]) -> None:
    """Asserts that under the final names there is nothing, or a release that verifies."""
    to = request["release"]["to"]
    name = f"s.main.{to['table']}" if isinstance(to, dict) else str(to)
    stands = [each for each in engine.releases.list() if each.name == name and each.ended is None]
    assert len(stands) <= 1
    if isinstance(to, dict):
        with duckdb.connect(str(engine.sources.get("s").location), read_only=True) as connection:
            tables = {row[0] for row in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
        assert (to["table"] in tables) == bool(stands)
    else:
        there = [each for each in names_of(request) if each.exists()]
        assert there == (list(names_of(request)) if stands else [])
    for each in stands:
        assert engine.releases.verify(each.id).intact


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    assert [each for each in PRELOADED if importlib.util.find_spec(each) is None] == []  # the server would not tell
    # The server of processes has its socket in the temporary folder of now, whose path is short enough for one.
    PROCESSES.set_forkserver_preload(list(PRELOADED))
    forkserver.ensure_running()
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    remove_abandoned(folder, "ordermade-")


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("part", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_a_killed_request_of_any_method_leaves_nothing_or_a_release(
    tmp_path: Path, temporary: Path, seed: int, part: int
) -> None:
    moments = random.Random(seed + part)
    engine = provider(tmp_path)
    state = engine.state_file.path
    every = list(itertools.product(METHODS, TARGETS))
    kinds = moments.sample(every, rounds(SAMPLE, len(every)))
    lasted: dict[tuple[str, str], float] = {}
    """Seconds of the last request of each kind that ended by itself."""
    compiling = [(method, TARGETS[0]) for method in METHODS]  # where nothing is kept; they are run once more
    for number, (method, target) in enumerate([*compiling, *kinds]):
        request = asked(tmp_path, number, method, target, takes_the_place=True)
        started = time.monotonic()
        process = PROCESSES.Process(target=run, args=(state, temporary, {**request, "k": 9 + number}))
        process.start()
        process.join()
        lasted[method, target] = time.monotonic() - started
        held_against_the_state(engine, request)
    assert len(engine.releases.list()) == len(compiling) + len(kinds)
    killed, total = 0, 0
    # How many are killed depends on how fast the machine is now, and was when the first ones were timed.
    while total < rounds(SAMPLE, EVERYTHING) or not killed:
        method, target = moments.choice(kinds)
        request = asked(tmp_path, total, method, target, takes_the_place=moments.random() < 0.5)
        process = PROCESSES.Process(target=run, args=(state, temporary, request))
        process.start()
        # The end is where names are given: half of the kills are there.
        first = moments.choice([0.02, 0.6]) * lasted[method, target]
        started = time.monotonic()
        process.join(timeout=moments.uniform(first, 1.1 * lasted[method, target]))
        if process.is_alive():
            process.kill()
            killed += 1
        else:
            lasted[method, target] = time.monotonic() - started
        process.join()
        total += 1
        assert "running" not in {each.status for each in engine.requests.list()}
        held_against_the_state(engine, request)
        assert not [each for each in (tmp_path / "out").iterdir() if each.name.startswith(".")]
        assert {each.name for each in state.parent.iterdir()} <= KEPT
        assert not list(temporary.glob("ordermade-*"))
    print(f"{killed} of {total} requests were killed")
    assert verify(state, SHELL) == ()
    assert {each.mode for each in _modes(tmp_path)} == {0o600}


def _modes(folder: Path) -> list[Any]:
    from types import SimpleNamespace

    kept = [*(folder / "out").iterdir(), *(folder / "state").iterdir()]
    return [SimpleNamespace(name=each, mode=each.stat().st_mode & 0o777) for each in kept]
