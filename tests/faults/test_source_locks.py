"""A source that other processes have open is waited for as the state is: in bounded time, told after a second."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import ReleaseFault, SourceFault
from tests.long import rounds
from tests.made import new_engine, write_hierarchy, write_table

pytestmark = pytest.mark.slow

HOLD = """
import sys
import duckdb
connection = duckdb.connect(sys.argv[1], read_only=sys.argv[2] == "reads")
print("held", flush=True)
sys.stdin.readline()
"""
VISIT = """
import sys, time
import duckdb
print("held", flush=True)
while True:
    try:
        with duckdb.connect(sys.argv[1], read_only=True) as connection:
            connection.execute("SELECT COUNT(*) FROM persons").fetchall()
    except duckdb.Error:
        pass
    time.sleep(0.1)
"""
READERS = 8


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    write_table(tmp_path / "s.duckdb", {"age": "INTEGER"}, [(i % 4 + 1,) for i in range(24)])
    made = new_engine(tmp_path, use_cache=False)
    made.sources.add("s", str(tmp_path / "s.duckdb"), writable=True)
    made.datasets.add("d", "s", table="persons")
    paths = [("1", "low"), ("2", "low"), ("3", "high"), ("4", "high")]
    made.hierarchies.add("age", write_hierarchy(tmp_path / "age.csv", ("value", "half"), paths))
    return made


def waiting(engine: Engine, seconds: float, told: list[str] | None = None) -> Engine:
    """The same engine with another wait."""
    return Engine(engine.state, use_cache=False, wait_seconds=seconds, notice=None if told is None else told.append)


def into(table: str) -> dict[str, Any]:
    release = {"to": {"table": table}, "shape": "table"}
    return {"dataset": "d", "k": 7, "quasi_identifiers": {"age": {"hierarchy": "age"}}, "release": release}


def tables(folder: Path) -> list[str]:
    with duckdb.connect(str(folder / "s.duckdb"), read_only=True) as connection:
        return sorted(row[0] for row in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall())


@contextmanager
def another_process(program: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
    finally:
        process.kill()
        process.communicate(timeout=60)


def let_go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


@pytest.mark.long
def test_every_release_into_a_table_succeeds_beside_readers_that_come_and_go(engine: Engine, tmp_path: Path) -> None:
    patient, times = waiting(engine, 120), rounds(3, 41)
    with ExitStack() as readers:
        for _ in range(READERS):
            readers.enter_context(another_process(VISIT, str(tmp_path / "s.duckdb")))
        for number in range(times):
            assert patient.run(into(f"out_{number}")).release is not None
    assert tables(tmp_path) == sorted([*(f"out_{number}" for number in range(times)), "persons"])


def test_the_wait_to_write_into_a_source_is_bounded_told_and_leaves_nothing(engine: Engine, tmp_path: Path) -> None:
    told: list[str] = []
    with another_process(HOLD, str(tmp_path / "s.duckdb"), "reads"):
        message = r"the source was held by another process for 0\.2 seconds.*--wait"
        with pytest.raises(ReleaseFault, match=message):
            waiting(engine, 0.2, told).run(into("out"))
    assert told == [f"waiting for the source {tmp_path / 's.duckdb'}: another process holds it"]
    assert tables(tmp_path) == ["persons"]


def test_the_wait_to_read_a_source_is_bounded_and_told(engine: Engine, tmp_path: Path) -> None:
    told: list[str] = []
    impatient = waiting(engine, 0.2, told)
    message = r"the source was held by another process for 0\.2 seconds.*--wait"
    with another_process(HOLD, str(tmp_path / "s.duckdb"), "writes"):
        for asked in (
            lambda: impatient.sources.show("s"),
            lambda: impatient.run(into("out")),
            lambda: impatient.measure(tmp_path / "s.duckdb", ["age"]),
            lambda: impatient.sources.add("t", str(tmp_path / "s.duckdb")),
        ):
            with pytest.raises(SourceFault, match=message):
                asked()
    assert told == [f"waiting for the source {tmp_path / 's.duckdb'}: another process holds it"] * 4


@pytest.mark.parametrize("way", ["reads", "writes"])
def test_a_request_goes_on_when_the_other_process_lets_go(engine: Engine, tmp_path: Path, way: str) -> None:
    with another_process(HOLD, str(tmp_path / "s.duckdb"), way) as holding:
        patient = Engine(engine.state, use_cache=False, wait_seconds=60, notice=lambda _: let_go(holding))
        assert patient.run(into("out")).release is not None
    assert tables(tmp_path) == ["out", "persons"]


def test_the_command_line_waits_for_a_source_as_long_as_it_says(engine: Engine, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ordermade", "--state", str(engine.state), "--wait", "0.1", "source", "show", "s"]
    with another_process(HOLD, str(tmp_path / "s.duckdb"), "writes"):
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 3
    assert "held by another process for 0.1 seconds" in ended.stderr
