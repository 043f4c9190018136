"""kill -9 while parts are counted: the next request has the answer of the whole, and counts no part that was kept."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

from ordermade import Engine
from ordermade.state.authority import SHELL
from ordermade.state.inspection import verify
from tests.long import rounds
from tests.made import new_engine, write_hierarchy

PARTS = 12


def provider(folder: Path) -> Engine:
    """A state with twelve Parquet files of made-up persons, as a dataset in parts and as a whole."""
    (folder / "parts").mkdir()
    for part in range(PARTS):
        duckdb.execute(
            f"COPY (SELECT i * 7919 % 61 AS age, 'p' || ((i * 104729 + {part}) % 47) AS place FROM RANGE(40000) r(i)) "
            f"TO '{folder / 'parts' / str(part)}.parquet'"
        )
    engine = new_engine(folder)
    engine.sources.add("s", str(folder / "parts" / "*.parquet"))
    engine.sources.add("t", str(folder / "parts" / "*.parquet"))
    engine.datasets.add("parts", "s", table="data", least_k=2, file_parts=True, version="fingerprint")
    engine.datasets.add("whole", "t", table="data", least_k=2)
    for name, leaves in (("age", [str(n) for n in range(61)]), ("place", [f"p{n}" for n in range(47)])):
        paths = [(leaf, f"a{i // 5}", f"b{i // 20}") for i, leaf in enumerate(leaves)]
        engine.hierarchies.add(name, write_hierarchy(folder / f"{name}.csv", [name, "some", "few"], paths), "header")
    return engine


def request_file(folder: Path, number: int, dataset: str) -> Path:
    """A request on a dataset of its own (its filter differs), so that every run has all its work to do."""
    file = folder / f"{dataset}{number}.yaml"
    content = {
        "dataset": dataset,
        "where": f"age >= {number % 50}",
        "k": 20 + number,
        "suppression_limit": 0.05,
        "quasi_identifiers": {name: {"hierarchy": name} for name in ("age", "place")},
        "release": {"to": str(folder / f"{dataset}.csv"), "replace": True},
    }
    file.write_text(json.dumps(content), encoding="utf-8")  # JSON is YAML
    return file


def command(engine: Engine, file: Path) -> list[str]:
    return [sys.executable, "-m", "ordermade", "--state", str(engine.state_file.path), "request", "run", str(file)]


@pytest.mark.slow
@pytest.mark.long
def test_a_killed_request_goes_on_with_the_parts_it_has(tmp_path: Path, seed: int) -> None:
    moments = random.Random(seed)
    engine = provider(tmp_path)
    cold = request_file(tmp_path, 1, "parts")
    started = time.monotonic()
    subprocess.run(command(engine, cold), capture_output=True, check=True)
    took = time.monotonic() - started
    for number in range(2, 2 + rounds(1, 200)):
        engine.cache.purge()
        file = request_file(tmp_path, number, "parts")
        with subprocess.Popen(command(engine, file), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                process.wait(timeout=moments.uniform(0.3 * took, took))  # Python takes about half of it to start
            except subprocess.TimeoutExpired:
                process.kill()
        kept = len(engine.cache.contents().twins)
        done = subprocess.run([*command(engine, file), "--json"], capture_output=True, check=True, text=True)
        found = json.loads(done.stdout)
        if kept < PARTS:  # else the killed request may have got so far that nothing is counted at all
            assert found["search"]["source_queries"] == PARTS - kept
        whole = subprocess.run(
            [*command(engine, request_file(tmp_path, number, "whole")), "--json"],
            capture_output=True,
            check=True,
            text=True,
        )
        expected = json.loads(whole.stdout)
        for key in ("status", "k", "classes", "columns", "rows", "suppressed_rows"):
            assert found[key] == expected[key]
        assert (tmp_path / "parts.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
        print(f"request {number}: {kept} of {PARTS} parts were there")
    assert verify(engine.state_file.path, SHELL) == ()
