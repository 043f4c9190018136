"""The time until the program answers: `ordermade --help` against an interpreter that imports DuckDB, in turns."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench.figure import Figure, median

REPETITIONS = 11


def figures() -> Sequence[Figure]:
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
    return [Figure("ordermade --help / python -c 'import duckdb'", helped / imported, target=2.0, note=note)]
