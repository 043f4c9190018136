"""`python -m bench.one_stream plain|generalization|mondrian ROWS FOLDER [COLUMN …]`: a release of many rows, or a copy.

In a process of its own, over the Parquet file `bench.streaming` makes: prints the seconds of the splitting (0 where
nothing is split), those from the decision to the measured release, both the median of three where something is split,
and the most memory it ever had, in MiB. `plain` copies the released columns, sorted, under the same limit of memory;
its seconds are those of the copy alone.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from bench.figure import median
from bench.streaming import COLUMNS, FEW, HIERARCHY, made
from ordermade import Engine, initialise
from ordermade.progress.waiting import Silent
from ordermade.sources.limits import DEFAULT_MEMORY

REPETITIONS = 3


class Watch(Silent):
    """Notes when each step of a request begins."""

    def __init__(self) -> None:
        self.began: list[tuple[str, float]] = []

    def step(self, name: str) -> None:
        """The step begins."""
        self.began.append((name, time.perf_counter()))

    def seconds(self, first: str, last: str | None = None) -> float:
        """From the beginning of a step to that of another, or to now; 0 where there was no such step."""
        started = next((at for name, at in self.began if name.startswith(first)), None)
        ended = next((at for name, at in self.began if name == last), time.perf_counter())
        return 0.0 if started is None else ended - started


def main(method: str, rows: str, folder: str, *kept: str) -> None:
    splitting, releasing = (
        (0.0, _copied(Path(folder), int(rows), kept))
        if method == "plain"
        else _released(method, Path(folder), int(rows), kept)
    )
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(splitting, releasing, most / (2**20 if sys.platform == "darwin" else 2**10))


def _copied(folder: Path, rows: int, kept: Sequence[str]) -> float:
    columns = ", ".join([f"CAST({name} AS VARCHAR) AS {name}" for name in COLUMNS] + list(kept))
    with TemporaryDirectory(dir=folder) as beside, duckdb.connect() as connection:
        connection.execute(f"SET memory_limit = '{DEFAULT_MEMORY}'; SET temp_directory = '{beside}'")
        started = time.perf_counter()
        source, target = made(folder, rows), Path(beside) / "plain.parquet"
        connection.execute(f"COPY (SELECT {columns} FROM '{source}' ORDER BY ALL) TO '{target}' (FORMAT parquet)")
        return time.perf_counter() - started


def _released(method: str, folder: Path, rows: int, kept: Sequence[str]) -> tuple[float, float]:
    """The second of two requests: the first leaves the counts in the cache."""
    with TemporaryDirectory(dir=folder) as beside:
        watch = Watch()
        engine = Engine(Path(beside) / "state.sqlite", progress=watch)
        initialise(engine.state_file.path)
        engine.sources.add("bench", str(made(folder, rows)))
        engine.datasets.add("rows", "bench", table=made(folder, rows).stem, least_k=2)
        (Path(beside) / "even.yaml").write_text(HIERARCHY, encoding="utf-8")
        engine.hierarchies.add("even", Path(beside) / "even.yaml")
        hierarchical = {"hierarchy": "even"} if method == "generalization" else {}
        request = {
            "title": "benchmark",
            "dataset": "rows",
            # Of Mondrian in proportion to the rows: the splits are the same, and only what counts the rows differs.
            "k": 10 * rows // FEW if method == "mondrian" else 10,
            "method": method,
            "quasi_identifiers": dict.fromkeys(COLUMNS, hierarchical),
            "keep": list(kept),
        }
        if method == "mondrian":
            counted = engine.run(request | {"release": {"to": str(Path(beside) / "first.parquet"), "shape": "table"}})
            assert counted.status == "released", counted.reason
        splitting, releasing = [], []
        for number in range(REPETITIONS if method == "mondrian" else 1):
            watch.began.clear()
            result = engine.run(request | {"release": {"to": str(Path(beside) / f"released_{number}.parquet")}})
            assert result.status == "released", result.reason
            splitting.append(watch.seconds("classes", "release"))
            releasing.append(watch.seconds("release"))
        return median(splitting), median(releasing)


if __name__ == "__main__":
    main(*sys.argv[1:])
