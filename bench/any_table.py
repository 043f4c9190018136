"""Measuring a table as it is: Adult against pycanon, and ten million rows against one GROUP BY of the same columns.

pycanon 1.3 needs exact, older releases of numpy, pandas, scipy and typer, so it cannot share an environment with this
project, and is no extra of it. The environment variable ORDERMADE_BENCH_PYCANON names an interpreter that has it.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from bench.figure import Figure, median
from ordermade import Engine
from ordermade.counting.table_figures import MeasuredTable

REPOSITORY = Path(__file__).resolve().parents[1]
ADULT = REPOSITORY.parent / "shared" / "data" / "arx" / "adult" / "adult.csv"
QUASI_IDENTIFIERS = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "salary-class",
)
SENSITIVE = "occupation"
PYCANON = "ORDERMADE_BENCH_PYCANON"
REPETITIONS = 3

ROWS = 10_000_000
TURNS = 2
MADE = """
COPY (
  SELECT
    CASE WHEN HASH(i, 1) % 2 = 0 THEN 'female' ELSE 'male' END AS sex,
    CAST(18 + HASH(i, 2) % 70 AS INTEGER) AS age,
    'prefecture ' || FLOOR(47 * POWER(HASH(i, 3) % 100000 / 100000.0, 2))::INTEGER AS prefecture,
    'occupation ' || FLOOR(20 * POWER(HASH(i, 4) % 100000 / 100000.0, 2))::INTEGER AS occupation,
    'education ' || FLOOR(16 * POWER(HASH(i, 5) % 100000 / 100000.0, 3))::INTEGER AS education,
    'marital ' || FLOOR(5 * POWER(HASH(i, 6) % 100000 / 100000.0, 2))::INTEGER AS marital,
    'country ' || FLOOR(40 * POWER(HASH(i, 7) % 100000 / 100000.0, 8))::INTEGER AS country,
    'diagnosis ' || FLOOR(30 * POWER(HASH(i, 8) % 100000 / 100000.0, 2))::INTEGER AS diagnosis,
    CAST(FLOOR(1000 * POWER(HASH(i, 9) % 100000 / 100000.0, 2)) * 10 AS INTEGER) AS income
  FROM RANGE({rows}) AS number(i)
) TO '{path}' (FORMAT parquet)
"""


def show() -> Sequence[Figure]:
    return [*against_pycanon(), *many_rows()]


def against_pycanon() -> Sequence[Figure]:
    """k, l and t of Adult: this engine reads the file too, pycanon has it in memory already."""
    if not ADULT.is_file():
        print("\nmeasure, Adult: left out, it needs the public data sets in shared/data beside the repository")
        return []
    taken: list[float] = []
    for _ in range(REPETITIONS):
        started = time.perf_counter()
        found = Engine().measure(ADULT, QUASI_IDENTIFIERS, [SENSITIVE])
        taken.append(time.perf_counter() - started)
    seconds = median(taken)
    other = pycanon()
    if other is None:
        print(
            f"\nmeasure, Adult: {seconds:.2f} s; pycanon is not installed: name an interpreter that has it in {PYCANON}"
        )
        return []
    note = f"{seconds:.2f} s for these, alpha, beta, delta, risks and reading; {other['seconds']:.1f} s"
    return [
        Figure("k, l, t of Adult: figures that differ from pycanon's", differences(found, other), target=0, unit=""),
        Figure("measure Adult / pycanon's k, l and t", seconds / other["seconds"], target=0.1, note=note, digits=4),
    ]


def pycanon() -> dict[str, Any] | None:
    """The figures of pycanon, and its time; None where it is not installed."""
    interpreter = os.environ.get(PYCANON)
    if interpreter is None:
        if importlib.util.find_spec("pycanon") is None:
            return None
        interpreter = sys.executable
    script = str(Path(__file__).with_name("pycanon_times.py"))
    command = [interpreter, script, str(ADULT), SENSITIVE, *QUASI_IDENTIFIERS]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def differences(found: MeasuredTable, other: dict[str, Any]) -> int:
    (figures,) = found.sensitive
    return (found.k != other["k"]) + (figures.distinct_l != other["l"]) + (abs(figures.t - other["t"]) > 1e-9)


def many_rows() -> Sequence[Figure]:
    """Ten million rows of nine columns, nearly all of them unique, in processes of their own."""
    with TemporaryDirectory(prefix="ordermade-bench-") as folder:
        path = Path(folder) / "many.parquet"
        with duckdb.connect(config={"memory_limit": "1GB"}) as connection:
            connection.execute(MADE.format(rows=ROWS, path=path))
        measured, plain = zip(*((alone(path, "measure"), alone(path, "plain")) for _ in range(TURNS)), strict=True)
    seconds, grouped = (median([each[0] for each in some]) for some in (measured, plain))
    most, least = (max(each[1] for each in some) for some in (measured, plain))
    note = f"{seconds:.1f} s with two sensitive columns, {grouped:.1f} s; the GROUP BY holds {least / 1024:.2f} GiB"
    return [
        Figure(f"peak memory of measuring {ROWS:,} rows", most / 1024, target=2.0, unit="GiB"),
        Figure("measure / one GROUP BY of the same columns", seconds / grouped, note=note),
    ]


def alone(path: Path, what: str) -> tuple[float, float]:
    """Seconds and MiB of a process of its own."""
    command = [sys.executable, "-m", "bench.one_measure", str(path), what]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=REPOSITORY)
    seconds, most = map(float, done.stdout.split())
    return seconds, most
