"""`python -m bench.one_grouping FOLDER COLUMNS SECONDS`: the table `records` of a database, microaggregated.

In a process of its own: prints the seconds, the most memory that the process ever held in MiB, the loss, the method
whose groups were taken, and the blocks.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

from ordermade import Engine, initialise
from ordermade.methods.microaggregation.result import MicroaggregationResult


def main(folder: str, columns: str, seconds: str) -> None:
    engine = Engine(Path(folder) / "state.sqlite")
    initialise(engine.state_file.path)
    engine.sources.add("bench", str(Path(folder) / "records.duckdb"))
    engine.datasets.add("records", "bench", table="records", least_k=2)
    request = {
        "title": "benchmark",
        "dataset": "records",
        "k": 5,
        "method": "microaggregation",
        "attributes": {f"x{number}": {} for number in range(int(columns))},
        "microaggregation": {"budget": {"seconds": float(seconds)}},
        "release": {"to": str(Path(folder) / "release.parquet")},
    }
    started = time.perf_counter()
    result = engine.run(request)
    took = time.perf_counter() - started
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert isinstance(result, MicroaggregationResult)
    found = result.microaggregation
    assert found is not None, result.reason
    memory = most / (2**20 if sys.platform == "darwin" else 2**10)
    print(took, memory, result.loss["sse_over_sst"], found.algorithm, found.blocks)


if __name__ == "__main__":
    main(*sys.argv[1:])
