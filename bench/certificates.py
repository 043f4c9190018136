"""Proofs and certificates of the tables that came with ARX: seconds to the proof, evidence, seconds to verify.

Adult with nine quasi-identifiers, FARS with eight, MACH with nine, credit cards with ten; k = 5, by Prec, limits
of 0 and 2 %, nothing known beforehand. A certificate is verified in this process; beside its seconds stand those of the
statements that ran for it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.any_table import ADULT
from bench.figure import Figure, print_rows
from bench.local import COLUMNS
from ordermade import Engine, initialise
from ordermade.methods.generalization.result import GeneralizationResult
from ordermade.progress.waiting import Silent
from ordermade.sources.executor import ExecutedStatement

TABLES: Mapping[str, tuple[str, Sequence[str]]] = {
    "adult": ("adult_hierarchy_", COLUMNS),
    "fars_subset": (
        "fars_hierarchy_",
        ("iage", "irace", "isex", "ihispanic", "istatenum", "iinjury", "ideathmon", "ideathday"),
    ),
    "mach2019_int": ("mach2019_int_hierarchy_", tuple(f"Q{number}A" for number in range(1, 10))),
    "creditcard_int": (
        "creditcard_int_hierarchy_",
        (
            *("LIMIT_BAL", "SEX", "EDUCATION", "MARRIAGE", "AGE"),
            *("PAY_0", "PAY_2", "PAY_3", "BILL_AMT1", "PAY_AMT1"),
        ),
    ),
}
"""The folder of each table: how the names of its hierarchies begin, and its quasi-identifiers."""
LIMITS = (0.0, 0.02)
SECONDS = 60.0
MAX_BYTES = 100_000
MAX_OF_STATEMENTS = 1.3
REPETITIONS = 3


@dataclass
class Clock(Silent):
    """Adds up the seconds of the statements that ran."""

    seconds: list[float] = field(default_factory=list)

    def statement(self, statement: ExecutedStatement) -> None:
        self.seconds.append(statement.seconds)


def show() -> Sequence[Figure]:
    """Prints a line for each table and limit; slowest proof, longest file and slowest check have targets."""
    folder = ADULT.parents[1]
    if not folder.is_dir():
        print("\ncertificates: left out, they need the public data sets in shared/data beside the repository")
        return []
    with TemporaryDirectory(prefix="ordermade-bench-") as made:
        rows = [_row(folder, table, limit, Path(made)) for table in TABLES for limit in LIMITS]
    headings = (
        "table",
        "limit",
        "nodes",
        "measured",
        "proved in s",
        "evidence",
        "bytes",
        "verified in s",
        "statements s",
    )
    print_rows("Proofs by Prec, and their certificates", headings, rows)
    ratio = max(row[7] / row[8] for row in rows)
    return [
        Figure("the slowest proof", max(row[4] for row in rows), SECONDS, "s"),
        Figure("the longest certificate", max(row[6] for row in rows), MAX_BYTES, "bytes", digits=0),
        Figure("verifying / the statements that it runs", ratio, MAX_OF_STATEMENTS),
    ]


def _row(folder: Path, table: str, limit: float, made: Path) -> tuple[Any, ...]:
    prefix, columns = TABLES[table]
    clock = Clock()
    engine = Engine(made / f"{table}-{limit}.duckdb", progress=clock)
    initialise(engine.state_file.path)
    engine.sources.add("source", str(folder / table / f"{table}.csv"))
    engine.datasets.add("rows", "source", table=table, least_k=2)
    tops = [
        engine.hierarchies.add(each, folder / table / f"{prefix}{each}.csv", "arx").hierarchy.top for each in columns
    ]
    request = {
        "dataset": "rows",
        "k": 5,
        "suppression_limit": limit,
        "quasi_identifiers": {each: {"hierarchy": each} for each in columns},
        "search": {"objective": "prec"},
        "release": {"to": str(made / f"{table}-{limit}.csv")},
    }
    started = time.perf_counter()
    result = engine.run(request)
    proved = time.perf_counter() - started
    assert isinstance(result, GeneralizationResult)
    assert result.search.certified
    path = made / f"{table}-{limit}.json"
    written = engine.certify(request, result, path)
    taken = []
    for _ in range(REPETITIONS):
        clock.seconds.clear()
        started = time.perf_counter()
        engine.verify_certificate(path)
        taken.append((time.perf_counter() - started, math.fsum(clock.seconds)))
    verified, statements = sorted(taken)[REPETITIONS // 2]
    nodes = math.prod(top + 1 for top in tops)
    size = path.stat().st_size
    return table, limit, nodes, result.search.nodes_measured, proved, written.evidence, size, verified, statements
