"""`python -m bench.one_frame FOLDER METHOD KIND`: a request on a frame of the bench, in a process of its own.

Prints, as JSON, the MiB of the frame, and those that the process held at most above what it held with the frame alone.
"""

from __future__ import annotations

import json
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


def held(field: str) -> float:
    """The MiB that the process holds now (`VmRSS`), or held at most since that was forgotten (`VmHWM`).

    Not `ru_maxrss`, which a process inherits from the one that started it.
    """
    line = next(each for each in Path("/proc/self/status").read_text().splitlines() if each.startswith(field))
    return int(line.split()[1]) / 2**10


def main(folder: str, method: str, kind: str) -> None:
    # The code of the engine is no memory of the request.
    from bench.frames import engine_of, request_of

    frame, size = loaded(Path(folder) / f"{'purchases' if method == 'history' else 'members'}.parquet", kind)
    before = held("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the most so far was held while the frame was loaded
    with engine_of() as engine:
        result = engine.run(request_of(method), data=frame)
        back = result.frame()
    if len(back) + result.suppressed_rows < len(frame) and method != "history":
        raise SystemExit(f"{len(back)} rows of {len(frame)} came back")
    print(json.dumps({"size": size, "above": held("VmHWM") - before}))


if __name__ == "__main__":
    main(*sys.argv[1:])
