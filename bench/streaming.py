"""The release of many rows beside a sorted copy of them, and Mondrian's splits of combinations whose counts are cached.

Six quasi-identifiers with 1,584,000 combinations and a column to keep, as Parquet. Every release and every copy is a
process of its own, so that its memory is its own. `ORDERMADE_BENCH_LARGE`: 100,000,000 rows, not 20,000,000. Mondrian's
k is in proportion to the rows, so that both make the same splits: with one k more rows can be split further.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from bench.figure import Figure, print_rows

DOMAINS = {"a": 12, "b": 10, "c": 11, "d": 8, "e": 15, "f": 10}
COLUMNS = tuple(DOMAINS)
HIERARCHY = "intervals:\n  levels: [{width: 2}, {width: 4}]\n"
LARGE = "ORDERMADE_BENCH_LARGE" in os.environ
FEW, MANY = (10_000_000, 100_000_000) if LARGE else (2_000_000, 20_000_000)
GIB = 2.0


def made(folder: Path, rows: int) -> Path:
    """The Parquet file of so many rows."""
    return folder / f"rows_{rows}.parquet"


def make(folder: Path, rows: int) -> None:
    """Write the file: each row has a combination by the hash of its number."""
    columns, below = [], 1
    for name, values in DOMAINS.items():
        columns.append(f"CAST(number // {below} % {values} AS INTEGER) AS {name}")
        below *= values
    query = (
        f"SELECT {', '.join(columns)}, CAST(hashed % 1000 AS INTEGER) AS kept FROM "
        f"(SELECT HASH(i) % {prod(DOMAINS.values())} AS number, HASH(i, 7) AS hashed FROM RANGE({rows}) AS t(i))"
    )
    with duckdb.connect() as connection:
        connection.execute("SET memory_limit = '1GB'; SET preserve_insertion_order = false")
        connection.execute(f"COPY ({query}) TO '{made(folder, rows)}' (FORMAT parquet)")


def show() -> Sequence[Figure]:
    """Prints seconds and memory of copies and releases; releases over copies, and splits of many rows over few."""
    found: dict[tuple[str, ...], tuple[float, float, float]] = {}
    with TemporaryDirectory(prefix="ordermade-bench-") as folder:
        for rows in (FEW, MANY):
            make(Path(folder), rows)
            for method in ("plain", "generalization", "mondrian"):
                for kept in ((), ("kept",)) if method != "mondrian" else ((),):
                    command = [sys.executable, "-m", "bench.one_stream", method, str(rows), folder, *kept]
                    done = subprocess.run(command, capture_output=True, text=True, check=True)
                    splitting, releasing, memory = map(float, done.stdout.split())
                    found[method, f"{rows:,}", *kept] = splitting, releasing, memory
    rows_of = [(*key[:2], " ".join(key[2:]), *each) for key, each in found.items()]
    print_rows("releases and copies", ("what", "rows", "kept", "splitting s", "release s", "MiB"), rows_of)
    few, many = f"{FEW:,}", f"{MANY:,}"
    figures = [
        Figure(
            f"release of {many} rows{', one column kept' if kept else ''}, over a sorted copy",
            found["generalization", many, *kept][1] / found["plain", many, *kept][1],
            2.0,
        )
        for kept in ((), ("kept",))
    ]
    split, before = found["mondrian", many], found["mondrian", few]
    figures.append(Figure(f"Mondrian, counts cached: splits of {many} rows over {few}", split[0] / before[0], 1.2))
    most = max(each[2] for each in found.values()) / 1024
    figures.append(Figure("peak memory of the largest", most, GIB, "GiB"))
    return figures
