"""Sixteen and 24 quasi-identifiers: the best node after 10 and 60 seconds beside ARX's heuristics at equal time.

All columns of two tables that came with ARX: sixteen of MACH (73,489 rows, 10^9 nodes), 24 of credit cards (30,000
rows, 10^13 nodes); k = 5, limits of 0, 5 and 100 %, by Loss, in which a suppressed row counts as `*`. ordermade has a
budget of so many seconds from the start of the request, within which it reads, hashes and counts the rows too; ARX has
as many for its search alone, top-down, bottom-up and genetic, which goes on beyond its 50 generations. A cell is won
where the best node is no worse than the best of any of them, to nine digits.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import beside_arx
from bench.any_table import ADULT
from bench.arx_tables import Table, Wanted, with_hierarchies
from bench.beside_arx import Finished, RunArx
from bench.figure import Figure, print_rows

TABLES: Mapping[str, Sequence[str]] = {
    "mach2019_int": (
        *("age", "familysize", "gender", "married", "race", "religion"),
        *(f"Q{number}A" for number in range(1, 11)),
    ),
    "creditcard_int": (
        *("LIMIT_BAL", "SEX", "EDUCATION", "MARRIAGE", "AGE"),
        *("PAY_0", "PAY_2", "PAY_3", "PAY_4", "PAY_5", "PAY_6"),
        *(f"BILL_AMT{number}" for number in range(1, 7)),
        *(f"PAY_AMT{number}" for number in range(1, 7)),
        "default-payment-next-month",
    ),
}
OBJECTIVE = "loss"
LIMITS = (0.0, 0.05, 1.0)
SECONDS = (10, 60)
ALGORITHMS = {
    "top-down": "BEST_EFFORT_TOP_DOWN",
    "bottom-up": "BEST_EFFORT_BOTTOM_UP",
    "genetic": "BEST_EFFORT_GENETIC",
}
ONLY = "ORDERMADE_BENCH_SECONDS"
SAME_SCORE = 1e-9
MOST_LOST = 2
"""Of all cells, so many may be lost."""


@dataclass(frozen=True)
class Cell:
    """The best scores of one table within some seconds; None where no node was found that passes."""

    table: Table
    wanted: Wanted
    mine: float | None
    bound: float | None
    measured: int
    of_arx: Mapping[str, float | None]
    seconds: float
    seconds_of_arx: float

    @property
    def best_of_arx(self) -> float | None:
        return min((each for each in self.of_arx.values() if each is not None), default=None)

    @property
    def won(self) -> bool:
        """Whether no search of ARX has found a better node."""
        theirs = self.best_of_arx
        return theirs is None or (self.mine is not None and self.mine <= theirs + SAME_SCORE)


def show() -> Sequence[Figure]:
    """Prints a line for each cell; how many were lost. ORDERMADE_BENCH_SECONDS: the cells of so many seconds alone."""
    class_path = os.environ.get(beside_arx.ARX)
    if not class_path:
        print(f"\nbeside ARX's heuristics: left out, {beside_arx.ARX} names no class path of a build")
        return []
    if not ADULT.is_file():
        print(
            "\nbeside ARX's heuristics: left out, they need the public data sets in shared/data beside the repository"
        )
        return []
    least, _, longest = os.getloadavg()
    print(f"\nbeside ARX's heuristics: load average {least:.1f} (1 minute), {longest:.1f} (15 minutes)")
    only = os.environ.get(ONLY)
    cells: list[Cell] = []
    with TemporaryDirectory(prefix="ordermade-bench-") as name:
        folder = Path(name)
        run_arx = {each: beside_arx.compiled(class_path, folder, algorithm) for each, algorithm in ALGORITHMS.items()}
        tables = {each: _registered(each, folder / each) for each in TABLES}
        for seconds in SECONDS:
            if only is not None and only != str(seconds):
                continue
            for each, table in tables.items():
                for limit in LIMITS:
                    wanted = Wanted(limit, OBJECTIVE, seconds=seconds)
                    cells.append(_cell(table, wanted, run_arx, folder / each, folder / "turn"))
                    print(*_row(cells[-1]), flush=True)
    print_rows(
        "the best Loss within so many seconds, k = 5",
        ("table", "QIs", "limit", "s", "best", "bound", "measured", *ALGORITHMS, "won", "whole s", "whole s of ARX"),
        map(_row, cells),
    )
    lost = sum(not each.won for each in cells)
    return [Figure(f"cells of {len(cells)} where a heuristic of ARX found a better node", lost, MOST_LOST, unit="")]


def _registered(name: str, state: Path) -> Table:
    csv = ADULT.parents[1] / name / f"{name}.csv"
    table = with_hierarchies(name, csv, f"{name}_hierarchy_", TABLES[name])
    table.registered(table.sources[0], state)
    return table


def _cell(table: Table, wanted: Wanted, run_arx: Mapping[str, RunArx], state: Path, turn: Path) -> Cell:
    table.asked(state, wanted, turn)
    mine = beside_arx.answered(turn)
    shutil.rmtree(turn)
    theirs: dict[str, Finished] = {}
    for each, run in run_arx.items():
        turn.mkdir()
        theirs[each] = run(table, wanted, turn)
        shutil.rmtree(turn)
    answer = json.loads(mine.output) if mine.output else {}
    search = answer.get("search") or {}
    best = (answer.get("loss") or {}).get(wanted.objective)
    return Cell(
        table,
        wanted,
        best,
        best if search.get("certified") else (search.get("gap") or {}).get("bound"),
        search.get("nodes_measured", 0),
        {each: _score(finished) for each, finished in theirs.items()},
        mine.seconds,
        max(each.seconds for each in theirs.values()),
    )


def _score(finished: Finished) -> float | None:
    """The score that a search of ARX found; None where it found no node."""
    if "no node that passes" in finished.fault:
        return None
    return beside_arx.levels_and_score(beside_arx.faultless(finished))[1]


def _row(each: Cell) -> tuple[object, ...]:
    return (
        each.table.name,
        len(each.table.attributes),
        f"{each.wanted.limit:.0%}",
        each.wanted.seconds,
        _shown(each.mine),
        _shown(each.bound),
        each.measured,
        *(_shown(score) for score in each.of_arx.values()),
        "yes" if each.won else "no",
        each.seconds,
        each.seconds_of_arx,
    )


def _shown(score: float | None) -> str:
    return "-" if score is None else f"{score:.5f}"
