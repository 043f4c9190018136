"""`python -m bench.one_partition FOLDER VARIANT K`: the table `records` of a database, released by Mondrian.

In a process of its own: prints the seconds, the most memory that the process ever held in MiB, the classes, the splits
made, the loss, and the seconds of one sort of the same rows by the same columns, which is run after it.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import duckdb

from bench.partitions import COLUMNS, hierarchies
from ordermade import Engine, initialise
from ordermade.methods.mondrian.result import MondrianResult


def main(folder: str, variant: str, k: str) -> None:
    engine = Engine(Path(folder) / f"{variant}.duckdb")
    initialise(engine.state_file.path)
    engine.sources.add("bench", str(Path(folder) / "records.duckdb"))
    engine.datasets.add("records", "bench", table="records", least_k=2)
    for name, path in hierarchies(Path(folder)).items():
        engine.hierarchies.add(name, path)
    request = {
        "title": "benchmark",
        "dataset": "records",
        "k": int(k),
        "method": "mondrian",
        "quasi_identifiers": {name: {"hierarchy": name} if variant == "hierarchy" else {} for name in COLUMNS},
        "mondrian": {"variant": variant},
        "release": {"to": str(Path(folder) / f"{variant}.parquet")},
    }
    started = time.perf_counter()
    result = engine.run(request)
    took = time.perf_counter() - started
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert isinstance(result, MondrianResult)
    found = result.mondrian
    assert found is not None, result.reason
    memory = most / (2**20 if sys.platform == "darwin" else 2**10)
    print(took, memory, result.divisions, found.made, result.loss["loss"], _sorted(Path(folder)))


def _sorted(folder: Path) -> float:
    """The seconds of one sort of the rows."""
    with duckdb.connect(str(folder / "records.duckdb"), read_only=True) as connection:
        connection.execute("SET threads = 2")
        started = time.perf_counter()
        connection.execute(f"CREATE TEMP TABLE in_order AS SELECT * FROM records ORDER BY {', '.join(COLUMNS)}")
        return time.perf_counter() - started


if __name__ == "__main__":
    main(*sys.argv[1:])
