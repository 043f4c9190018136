"""`python -m bench.one_frame FOLDER METHOD KIND`: a request on a frame of the bench, in a process of its own.

Prints, as JSON, the MiB of the frame, and those that the process held at most above what it held with the frame alone.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from typing import Any

MIB = 2**20


def loaded(file: Path, kind: str) -> tuple[Any, float]:
    """The table of a Parquet file as a frame of a kind, and its size in MiB."""
    if kind == "pandas":
        import pandas as pd

        pandas_frame = pd.read_parquet(file)
        return pandas_frame, pandas_frame.memory_usage(deep=True).sum() / MIB
    if kind == "polars":
        import polars as pl

        polars_frame = pl.read_parquet(file)
        return polars_frame, polars_frame.estimated_size() / MIB
    import pyarrow.parquet as pq

    table = pq.read_table(file)
    return table, table.nbytes / MIB


def held_now() -> float:
    """The MiB that the process holds at this moment."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / MIB


def main(folder: str, method: str, kind: str) -> None:
    from bench.frames import engine_of, request_of

    frame, size = loaded(Path(folder) / f"{'purchases' if method == 'history' else 'members'}.parquet", kind)
    before = held_now()
    Path("/proc/self/clear_refs").write_text("5")  # the most so far was held while the frame was loaded
    with engine_of() as engine:
        result = engine.run(request_of(method), data=frame)
        back = result.frame()
    if len(back) + result.suppressed_rows < len(frame) and method != "history":
        raise SystemExit(f"{len(back)} rows of {len(frame)} came back")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    print(json.dumps({"size": size, "above": most - before}))


if __name__ == "__main__":
    main(*sys.argv[1:])
