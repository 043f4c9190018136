"""Mondrian on many records, from the database to the release; and what it would take to ask the database for medians.

Eight quasi-identifiers as service data has them: age, birth date, area, income, visits, height, weight and a score;
some even, some skewed, two that depend on others.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from bench.figure import Figure, print_rows

K = 10
ROWS = 1_000_000
MANY = 10_000_000
COLUMNS = ("age", "born", "area", "income", "visits", "height", "weight", "score")
WIDTHS: Mapping[str, tuple[int, int]] = {
    "age": (5, 20),
    "area": (10, 100),
    "income": (100, 1000),
    "visits": (10, 50),
    "height": (5, 20),
    "weight": (5, 20),
    "score": (10, 50),
}
"""The intervals of the numbers' hierarchies; dates have months, years and decades."""
MADE = """
CREATE TABLE records AS SELECT
  CAST(18 + HASH(i, 1) % 1000003 % 72 AS INTEGER) AS age,
  CAST(DATE '1944-01-29' + CAST(HASH(i, 2) % 1000003 % 18263 AS INTEGER) AS DATE) AS born,
  CAST(POW((HASH(i, 3) % 1000003) / 1000003.0, 2) * 1000 AS INTEGER) AS area,
  CAST(EXP(6 + 0.6 * SQRT(-2 * LN((HASH(i, 4) % 1000003 + 1) / 1000004.0))
    * COS(2 * PI() * (HASH(i, 5) % 1000003) / 1000003.0)) AS INTEGER) AS income,
  CAST(-20 * LN((HASH(i, 6) % 1000003 + 1) / 1000004.0) AS INTEGER) AS visits,
  CAST(140 + (HASH(i, 7) % 1000003 % 26) + (HASH(i, 8) % 1000003 % 26) AS INTEGER) AS height,
  CAST(40 + (HASH(i, 7) % 1000003 % 26) + (HASH(i, 9) % 1000003 % 30) AS INTEGER) AS weight,
  CAST((HASH(i, 10) % 1000003 % 101) AS INTEGER) AS score
FROM RANGE({rows}) AS number(i)
"""
ASKED = 200
"""The number of medians that the database really computes."""
MEDIAN = """
SELECT QUANTILE_DISC({column}, 0.5), MIN({column}), MAX({column}), COUNT(*) FROM records
WHERE age BETWEEN $low AND $high AND score BETWEEN $least AND $most
"""


def show() -> Sequence[Figure]:
    """Prints whole requests of both variants; their seconds and memory, and ten times the rows over one sort."""
    figures: list[Figure] = []
    rows: list[tuple[object, ...]] = []
    seconds: dict[tuple[str, int], float] = {}
    for number, most in ((ROWS, {"median": 10.0, "hierarchy": 20.0}), (MANY, {})):
        with TemporaryDirectory(prefix="ordermade-bench-") as folder:
            make(Path(folder), number)
            for variant in ("median", "hierarchy"):
                took, memory, classes, made, loss, in_order = _one(folder, variant)
                seconds[variant, number] = took
                rows.append((f"{number:,}", variant, took, in_order, took / in_order, memory, classes, made, loss))
                name = f"{variant} Mondrian, {number:,} x {len(COLUMNS)}"
                figures.append(Figure(f"{name}, k = {K}", took, most.get(variant), "s"))
                limit = 2.0 if number == ROWS else None
                figures.append(Figure(f"{name}: peak memory", memory / 1024, limit, "GiB"))
                figures.append(Figure(f"{name}, over one sort of the rows", took / in_order))
                if (number, variant) == (ROWS, "median"):
                    figures.append(_asking(Path(folder), int(made), took))
    headings = ("rows", "variant", "seconds", "one sort", "ratio", "MiB", "classes", "splits", "loss")
    print_rows(f"Mondrian, from the table to the release, k = {K}", headings, rows)
    for variant in ("median", "hierarchy"):
        growth = seconds[variant, MANY] / seconds[variant, ROWS]
        figures.append(Figure(f"{variant} Mondrian: ten times the rows take", growth, 13.0))
    return figures


def make(folder: Path, rows: int) -> None:
    """The table `records`, made by hashes of row numbers."""
    with duckdb.connect(str(folder / "records.duckdb")) as connection:
        connection.execute(MADE.format(rows=rows))


def hierarchies(folder: Path) -> Mapping[str, Path]:
    """The hierarchies, written as files."""
    texts = {"born": "date: [month, year, decade]\n"}
    for name, (fine, coarse) in WIDTHS.items():
        texts[name] = f"intervals:\n  levels: [{{width: {fine}}}, {{width: {coarse}}}]\n"
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.yaml" for name in texts}


def _one(folder: str, variant: str) -> tuple[float, ...]:
    command = [sys.executable, "-m", "bench.one_partition", folder, variant, str(K)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return tuple(float(each) for each in done.stdout.split())


def _asking(folder: Path, splits: int, pulled: float) -> Figure:
    """The time the database would take for the median of one column in one partition, for every split that was made.

    A few hundred are really computed, of boxes that halve, and their mean is taken for all of them.
    """
    with duckdb.connect(str(folder / "records.duckdb"), read_only=True) as connection:
        connection.execute("SET threads = 2")
        started = time.perf_counter()
        for number in range(ASKED):
            share = 2.0 ** -(number % 8)
            box = {"low": 18, "high": 18 + int(72 * share), "least": 0, "most": int(101 * share)}
            connection.execute(MEDIAN.format(column=COLUMNS[number % len(COLUMNS)]), box).fetchall()
        each = (time.perf_counter() - started) / ASKED
    note = f"{1000 * each:.2f} ms a median, one for each of the {splits:,} splits made, over the seconds of the request"
    return Figure("medians asked of the database, over pulling once", each * splits / pulled, note=note)
