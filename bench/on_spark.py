"""`python -m bench.on_spark [ROWS]`: a request in a local Spark up to its decision, against Spark's own GROUP BY.

Both in one process, in turns, once Spark has started; the answers are compared with those of a DuckDB of the same file.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from bench.members import Timeline
from ordermade import Engine
from ordermade.hierarchies.read import parse_yaml
from ordermade.state.database import initialise

ROWS = 50_000_000
REPETITIONS = 2
MASTER = "local[2]"
DRAWN: Mapping[str, str] = {
    "sex": "CASE WHEN {0} % 2 = 0 THEN 'f' ELSE 'm' END",
    "age": "CAST(18 + {0} % 60 AS BIGINT)",
    "prefecture": "printf('%02d', CAST(1 + {0} % 47 AS INTEGER))",
    "occupation": "printf('o%02d', CAST({0} % 9 AS INTEGER))",
    "plan": "printf('p%d', CAST({0} % 3 AS INTEGER))",
    "joined": "CAST(2010 + {0} % 10 AS BIGINT)",
}
"""Each column of a random number of its own: 1,522,800 combinations at most."""
RULES: Mapping[str, str] = {
    "sex": "mapping:\n  f: ['*']\n  m: ['*']\n",
    "age": "intervals:\n  levels:\n    - {width: 5}\n    - {width: 20}\n",
    "prefecture": "prefix:\n  keep: [1]\n",
    "occupation": "prefix:\n  keep: [2]\n",
    "plan": "prefix:\n  keep: [1]\n",
    "joined": "intervals:\n  levels:\n    - {width: 5}\n",
}
REQUESTS: Mapping[str, Mapping[str, Any]] = {
    "limit 0": {},
    "limit 1 %": {"suppression_limit": 0.01},
}


def make(path: Path, rows: int) -> None:
    """A Parquet file of that many rows."""
    columns = ", ".join(
        f"{text.format(f'(hash(i, {place}) % 1000003)')} AS {name}" for place, (name, text) in enumerate(DRAWN.items())
    )
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute("SET memory_limit = '1GB'; SET preserve_insertion_order = false")
        connection.execute(f"COPY (SELECT {columns} FROM range({rows}) r(i)) TO '{path}' (FORMAT parquet)")


def peaks() -> tuple[float, float]:
    """The most memory in GiB of this process, and of the Java that it started."""
    java = [each for each in _processes() if _parent(each) == os.getpid() or _parent(_parent(each)) == os.getpid()]
    return _most(os.getpid()), sum(map(_most, java))


def _processes() -> Iterator[int]:
    return (int(each.name) for each in Path("/proc").iterdir() if each.name.isdecimal())


def _field(process: int, name: str) -> str:
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return "0"
    return next((each.split()[1] for each in lines if each.startswith(f"{name}:")), "0")


def _parent(process: int) -> int:
    return int(_field(process, "PPid"))


def _most(process: int) -> float:
    return int(_field(process, "VmHWM")) / 2**20


def engine_of(folder: Path, name: str, location: str) -> Engine:
    """An engine on a new state with the table of that location."""
    engine = Engine(folder / name / "state.duckdb")
    initialise(engine.state_file.path)
    engine.sources.add("source", location)
    engine.datasets.add("persons", "source", table="persons", least_k=2)
    for column, text in RULES.items():
        parse_yaml(text, column, where=column)
        file = folder / f"{column}.yaml"
        file.write_text(text, encoding="utf-8")
        engine.hierarchies.add(column, file)
    return engine


def decided(engine: Engine, folder: Path, more: Mapping[str, Any]) -> tuple[Any, float]:
    """The result of a request and its seconds up to the decision."""
    timeline = Timeline()
    request = {
        "dataset": "persons",
        "k": 20,
        "quasi_identifiers": {column: {"hierarchy": column} for column in RULES},
        "release": {"to": str(folder / "out.parquet"), "replace": True},
        **more,
    }
    started = time.perf_counter()
    result = replace(engine, progress=timeline).run(request, again=True)
    steps = dict(timeline.steps)
    for each, _ in timeline.statements:
        if each.seconds > 0.5:
            print(f"    {each.purpose}: {each.seconds:.1f} s")
    return result, steps.get("release", time.perf_counter()) - started


def main(rows: int) -> None:
    """Measures and prints."""
    with TemporaryDirectory(prefix="ordermade-bench-") as name:
        folder = Path(name)
        path = folder / "persons.parquet"
        make(path, rows)
        location = f"{MASTER}?path={path}"
        started = time.perf_counter()
        engine = engine_of(folder, "spark", location)
        print(f"Spark starts and opens the source in {time.perf_counter() - started:.1f} s")
        from pyspark.sql import SparkSession

        session = SparkSession.builder.getOrCreate()
        listed = ", ".join(DRAWN)
        hand = f"SELECT {listed}, COUNT(*) AS n FROM parquet.`{path}` GROUP BY {listed}"
        own = engine_of(folder, "duckdb", str(path))
        for number in range(REPETITIONS):
            started = time.perf_counter()
            combinations = session.sql(hand).toArrow().num_rows
            by_hand = time.perf_counter() - started
            print(f"GROUP BY by hand {by_hand:.1f} s, {combinations:,} combinations", flush=True)
            for title, more in REQUESTS.items():
                engine = engine_of(folder, f"spark-{number}-{title}", location)
                result, seconds = decided(engine, folder, more)
                expected, there = decided(own, folder, more)
                same = (result.levels, result.k, result.loss) == (expected.levels, expected.k, expected.loss)
                print(
                    f"{title}: decided in {seconds:.1f} s, {seconds / by_hand:.2f} of it; DuckDB {there:.1f} s; "
                    f"{'identical' if same else 'DIFFERENT'}: {result.levels}",
                    flush=True,
                )
        print("peak GiB: engine {:.2f}, Java {:.2f}".format(*peaks()))


if __name__ == "__main__":
    main(int(sys.argv[1].replace("_", "")) if len(sys.argv) > 1 else ROWS)
