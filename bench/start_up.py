"""The time until the program answers: `ordermade --help`, and a request that was answered before, made anew.

`--help` runs in turns with an interpreter that imports DuckDB. The request is that of the best node of Adult by
Prec, from Parquet, with `--again`: the whole process, from its start to the written release and its printed result.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from bench.arx_tables import Source, Wanted, adult
from bench.beside_arx import Finished, answered
from bench.figure import Figure, median

REPETITIONS = 11
SECONDS = 0.7
"""The most that a process may take that makes a release of Adult anew."""
STATEMENTS = {"version_queries": 1, "coverage_queries": 0, "source_queries": 0, "release_queries": 1}
"""The statements that it may send to the source, by what they are for."""


def figures() -> Sequence[Figure]:
    return [_help(), *_made_anew()]


def as_installed(folder: Path) -> Mapping[str, str]:
    """The environment of an installed program: its modules are compiled once, by the first run, into this folder."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return environment | {"PYTHONPYCACHEPREFIX": str(folder / "compiled")}


def _help() -> Figure:
    program = [str(Path(sys.executable).parent / "ordermade"), "--help"]
    yardstick = [sys.executable, "-c", "import duckdb"]
    taken: dict[int, list[float]] = {0: [], 1: []}
    for number in range(2 * REPETITIONS):
        which = number % 2
        started = time.perf_counter()
        subprocess.run((program, yardstick)[which], capture_output=True, check=True)
        taken[which].append(time.perf_counter() - started)
    helped, imported = median(taken[0]), median(taken[1])
    note = f"{helped:.3f} s against {imported:.3f} s"
    return Figure("ordermade --help / python -c 'import duckdb'", helped / imported, target=2.0, note=note)


def _made_anew() -> list[Figure]:
    table = adult()
    if table is None:
        print("\nstart-up, Adult: left out, it needs the public data sets in shared/data beside the repository")
        return []
    with TemporaryDirectory(prefix="ordermade-bench-") as name:
        folder = Path(name)
        file = folder / "adult.parquet"
        with duckdb.connect() as connection:
            read = f"READ_CSV('{table.csv}', delim = '{table.delimiter}')"
            connection.execute(f"COPY (FROM {read}) TO '{file}' (FORMAT parquet)")
        source = Source("Parquet", file)
        table = replace(table, sources=[source])
        table.registered(source, folder / "registered")
        table.asked(folder / "registered", Wanted(0.0), folder / "asked")
        environment = as_installed(folder)
        first = _run(folder / "asked", environment)
        again = [_run(folder / "asked", environment, "--again") for _ in range(REPETITIONS)]
    seconds, processor = median([each.seconds for each in again]), median([each.processor_seconds for each in again])
    note = (
        f"{min(each.seconds for each in again):.2f} to {max(each.seconds for each in again):.2f} s; "
        f"{processor:.2f} s of the processor; {first.seconds:.2f} s with nothing known and nothing compiled; "
        f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    sent = json.loads(again[-1].output)["search"]
    return [
        Figure("Adult from Parquet, --again: the whole process", seconds, SECONDS, "s", note),
        *(
            Figure(f"Adult from Parquet, --again: {each.replace('_', ' ')}", sent[each], most, "")
            for each, most in STATEMENTS.items()
        ),
    ]


def _run(folder: Path, environment: Mapping[str, str], *options: str) -> Finished:
    ended = answered(folder, *options, environment=environment)
    if ended.fault:
        raise RuntimeError(f"the request failed: {ended.fault}")
    return ended
