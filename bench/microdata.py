"""Microaggregation of many rows: from a DuckDB table to the released Parquet file, and what blocks cost in loss."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import numpy as np
import numpy.typing as npt

from bench.figure import Figure, print_rows
from ordermade.methods.microaggregation.algorithm.grouping import blocks_of, grouped, joined
from ordermade.methods.microaggregation.algorithm.improving import improve
from ordermade.methods.microaggregation.algorithm.loss import information_loss, standardised
from ordermade.methods.microaggregation.algorithm.mdav_groups import mdav
from ordermade.methods.microaggregation.algorithm.methods import Options

Table = npt.NDArray[np.float64]

K = 5
ROWS, COLUMNS = 1_000_000, 8
VALUES = 10_000_000
WHOLE = 100_000
"""Records whose groups are found as a whole as well."""
BLOCKS = (8, 64)
"""Into so many blocks they are cut: eight is what `auto` does, 64 as many as it makes of a million."""
SECONDS = 30
MADE = """
CREATE TABLE records AS SELECT {columns} FROM (
  SELECT {draws}, HASH(i, 0) % 12 AS kind FROM RANGE({rows}) AS number(i)
)
"""


def show() -> Sequence[Figure]:
    """Prints the losses of blocks; the loss of blocks over that of the whole, seconds and memory of whole requests."""
    return [*_price_of_blocks(), *_from_table_to_release()]


def make(database: Path, rows: int, columns: int) -> None:
    """A table `records` of normal numbers around twelve places, correlated by pairs."""
    draws = ", ".join(
        f"SQRT(-2 * LN((HASH(i, {2 * j + 1}) % 1000003 + 1) / 1000004.0)) * COS(2 * PI() * (HASH(i, {2 * j + 2}) "
        f"% 1000003) / 1000003.0) AS draw{j}"
        for j in range(columns)
    )
    wanted = ", ".join(
        f"draw{j} + {'0.7 * draw' + str(j - 1) if j % 2 else '0'} + 3 * (HASH(kind, {j}) % 100) / 100.0 AS x{j}"
        for j in range(columns)
    )
    with duckdb.connect(str(database)) as connection:
        connection.execute(MADE.format(columns=wanted, draws=draws, rows=rows))


def _price_of_blocks() -> Sequence[Figure]:
    """The loss of groups made and improved in blocks, beside those of all records at once."""
    with TemporaryDirectory(prefix="ordermade-bench-") as folder:
        make(Path(folder) / "records.duckdb", WHOLE, COLUMNS)
        with duckdb.connect(str(Path(folder) / "records.duckdb")) as connection:
            columns = connection.execute("SELECT * FROM records").fetchnumpy()
    X = standardised(np.column_stack([columns[name] for name in sorted(columns)]))
    rows: list[tuple[object, ...]] = []
    figures = []
    whole, descended = 0.0, 0.0
    for blocks in (1, *BLOCKS):
        began = time.perf_counter()
        labels = _in_blocks(X, blocks)
        took = time.perf_counter() - began
        better = improve(X, labels, K)[0]
        loss, lower = 100 * information_loss(X, labels).loss, 100 * information_loss(X, better).loss
        if blocks == 1:
            whole, descended = loss, lower
        else:
            figures.append(
                Figure(f"{blocks} blocks of {WHOLE:,}: loss of the whole, improved", lower / descended, 1.05)
            )
        rows.append((blocks, took, loss, loss / whole, lower, lower / descended))
    found = grouped(X, K, Options())
    lost = 100 * information_loss(X, found.labels).loss
    rows.append((f"auto ({found.blocks})", Options().seconds, None, None, lost, lost / descended))
    headings = ("blocks", "seconds", "MDAV, %", "of the whole", "improved, %", "of the whole")
    print_rows(f"blocks: {WHOLE:,} x {COLUMNS}, k = {K}", headings, rows)
    return [*figures, Figure(f"auto at {WHOLE:,}: loss of the whole MDAV, improved", lost / descended, 1.05)]


def _in_blocks(X: Table, blocks: int) -> npt.NDArray[np.int32]:
    cut = blocks_of(X, np.arange(len(X)), K, -(-len(X) // blocks))
    return joined(cut, [mdav(X[rows], K)[0] for rows in cut])


def _from_table_to_release() -> Sequence[Figure]:
    figures = []
    asked = (
        (ROWS, COLUMNS, 10, 60.0),
        (ROWS, COLUMNS, SECONDS, 60.0),
        (VALUES, 1, 10, None),
    )
    for rows, columns, seconds, most in asked:
        with TemporaryDirectory(prefix="ordermade-bench-") as folder:
            make(Path(folder) / "records.duckdb", rows, columns)
            command = [sys.executable, "-m", "bench.one_grouping", folder, str(columns), str(seconds)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        took, memory, loss, chosen, blocks = done.stdout.split()
        name = f"{rows:,} x {columns}, {seconds} s for groups, to the release"
        note = f"{chosen} in {blocks} block(s), then improved: loss {100 * float(loss):.3f} %"
        figures.append(Figure(name, float(took), most, unit="s", note=note))
        figures.append(Figure(f"{rows:,} x {columns}: peak memory", float(memory) / 1024, 2.0 if most else None, "GiB"))
    return figures
