"""`python -m bench.one_history FOLDER`: the purchases of `many.duckdb`, released by rank as the paper does.

In a process of its own: prints the seconds, the most memory that the process ever held in MiB, the utility, the deleted
share, and the seconds of one sort of the same rows, which is run after it.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import duckdb

from bench.purchases import BY_RANK, K, engine_on, request


def main(folder: str) -> None:
    engine = engine_on(Path(folder), Path(folder) / "many.duckdb")
    started = time.perf_counter()
    result = engine.run(request(Path(folder), K, BY_RANK))
    took = time.perf_counter() - started
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert result.released, result.reason
    memory = most / (2**20 if sys.platform == "darwin" else 2**10)
    print(took, memory, result.loss["utility"], result.loss["deleted_share"], _sorted(Path(folder)))


def _sorted(folder: Path) -> float:
    """The seconds of one sort of the rows, by customer and as the paper sorts their purchases."""
    with duckdb.connect(str(folder / "many.duckdb"), read_only=True) as connection:
        connection.execute("SET threads = 2")
        started = time.perf_counter()
        order = "CustomerID, Price DESC, Quantity DESC, Day, GoodsID"
        connection.execute(f"CREATE TEMP TABLE in_order AS SELECT * FROM purchases ORDER BY {order}")
        return time.perf_counter() - started


if __name__ == "__main__":
    main(*sys.argv[1:])
