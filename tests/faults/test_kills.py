"""kill -9 at random moments of the program: no partial release, a state that opens, a next run that succeeds."""

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
from ordermade.files.private import sha256_of
from ordermade.release.files import manifest_of
from ordermade.state.authority import SHELL
from ordermade.state.inspection import verify
from tests.made import new_engine, write_hierarchy

ROWS = 60_000
KILLS_OF_THE_PROGRAM = 4


def provider(folder: Path, rows: int = ROWS) -> Engine:
    """A state with a table of made-up persons and three hierarchies."""
    with duckdb.connect(str(folder / "s.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE persons AS SELECT i AS id, i * 7919 % 61 AS age, 'p' || (i * 104729 % 47) AS place, "
            "'t' || (i * 1299709 % 30) AS trade FROM RANGE(?) AS t(i)",
            [rows],
        )
    engine = new_engine(folder)
    engine.sources.add("s", str(folder / "s.duckdb"))
    engine.datasets.add("persons", "s", table="persons", least_k=2)
    for name, leaves in (
        ("age", [str(n) for n in range(61)]),
        ("place", [f"p{n}" for n in range(47)]),
        ("trade", [f"t{n}" for n in range(30)]),
    ):
        paths = [(leaf, f"a{i // 5}", f"b{i // 20}") for i, leaf in enumerate(leaves)]
        engine.hierarchies.add(name, write_hierarchy(folder / f"{name}.csv", [name, "some", "few"], paths), "header")
    return engine


def request_file(folder: Path, number: int, k: int, to: Path) -> Path:
    """A request over a dataset of its own (its filter differs), so that every run has all its work to do."""
    file = folder / f"request{number}.yaml"
    content = {
        "dataset": "persons",
        "where": f"id >= {number}",
        "k": k,
        "quasi_identifiers": {name: {"hierarchy": name} for name in ("age", "place", "trade")},
        "release": {"to": str(to), "replace": True},
    }
    file.write_text(json.dumps(content), encoding="utf-8")  # JSON is YAML
    return file


def command(engine: Engine, file: Path) -> list[str]:
    return [sys.executable, "-m", "ordermade", "--state", str(engine.state_file.path), "request", "run", str(file)]


def whole_or_absent(target: Path) -> bool:
    """Whether there is no release, or one with its manifest and every row."""
    if not target.exists():
        return True
    manifest = json.loads(manifest_of(target).read_text(encoding="utf-8"))
    count = duckdb.execute("SELECT COUNT(*) FROM read_parquet(?)", [str(target)]).fetchall()[0][0]
    return bool(manifest["sha256"] == sha256_of(target) and count == manifest["rows"] > 0)


@pytest.mark.slow
def test_a_killed_program_leaves_nothing_half_done(tmp_path: Path, seed: int) -> None:
    moments = random.Random(seed)
    engine = provider(tmp_path)
    target = tmp_path / "out" / "release.parquet"
    started = time.monotonic()
    subprocess.run(command(engine, request_file(tmp_path, 0, 20, target)), capture_output=True, check=True)
    took = time.monotonic() - started
    killed = number = 0
    while number < KILLS_OF_THE_PROGRAM or not killed:  # whether one is depends on how fast the machine is now
        number += 1
        began = time.monotonic()
        file = request_file(tmp_path, number, 20, target)
        with subprocess.Popen(command(engine, file), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                process.wait(timeout=moments.uniform(0.4 * took, took))  # Python takes about half of it to start
                took = time.monotonic() - began
            except subprocess.TimeoutExpired:
                process.kill()
                killed += 1
        assert whole_or_absent(target)
        assert len(engine.requests.list()) <= number + 1
    assert verify(engine.state_file.path, SHELL) == ()
    _answered_after_all(engine, request_file(tmp_path, number + 1, 20, target), target)


def _answered_after_all(engine: Engine, file: Path, target: Path) -> None:
    """The next request is released, and what killed runs left beside the release is gone."""
    after = subprocess.run([*command(engine, file), "--json"], capture_output=True, check=True, text=True)
    assert json.loads(after.stdout)["status"] == "released"
    assert whole_or_absent(target)
    assert sorted(each.name for each in target.parent.iterdir()) == [target.name, manifest_of(target).name]
