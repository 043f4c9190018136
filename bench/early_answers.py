"""Answers before the proof: wide tables, a budget of 30 seconds; the gap that is left, seconds, memory.

Made tables of 12 to 30 columns, each with a hierarchy of four levels (six for 30 columns), of 2,000 and of 1,000,000
rows: lattices of 10^7 to 10^23 nodes. k = 5, a suppression limit of 2 %, by Prec, nothing known beforehand, no cache.
Each request is a process of its own, which notes best and bound before every count. ORDERMADE_BENCH_FIGURES names a
folder that gets the picture of the gap against time.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bench.any_table import REPOSITORY
from bench.beside_arx import Finished, process
from bench.figure import Figure, print_rows
from ordermade import Engine, initialise
from ordermade.plots.figures import BLUE, ORANGE, drawn
from ordermade.progress.waiting import Silent
from ordermade.search.problem import SoFar

FOLDER = "ORDERMADE_BENCH_FIGURES"
PICTURE = "early-answers.svg"
SEED = 19
ROWS = (2_000, 1_000_000)
COLUMNS = {12: 4, 15: 4, 20: 4, 30: 6}
"""Columns, and the levels of each."""
SECONDS = 30
LATEST = 45.0
"""Seconds of the whole process: the budget, the count that was under way, the release."""
MAX_MEMORY = 1.0
EVERY = 0.2
"""Seconds between two notes."""


@dataclass(frozen=True)
class Answered:
    """A request of one table: its process, its answer, and the gap as time went by: (seconds, best, bound)."""

    columns: int
    rows: int
    finished: Finished
    search: dict[str, Any]
    points: Sequence[tuple[float, float, float]]


def show() -> Sequence[Figure]:
    """Prints a line for each table; the seconds of the process and its memory have targets."""
    found = []
    with TemporaryDirectory(prefix="ordermade-bench-") as name:
        for rows in ROWS:
            for columns, levels in COLUMNS.items():
                folder = Path(name) / f"{columns}-{rows}"
                make(folder, columns, levels, rows)
                found.append(_answered(folder, columns, rows))
    print_rows(
        f"early answers: a budget of {SECONDS} s, load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores",
        ("rows", "QIs", "nodes", "measured", "best", "bound", "gap", "proved", "seconds", "GiB"),
        [_row(each) for each in found],
    )
    if os.environ.get(FOLDER):
        draw(found, Path(os.environ[FOLDER]) / PICTURE)
    return [figure for each in found for figure in _figures(each)]


def make(folder: Path, columns: int, levels: int, rows: int) -> None:
    """A CSV file of skewed columns, some of which hang together, a hierarchy, the state and the request."""
    folder.mkdir()
    chance = np.random.default_rng(SEED)
    values = 3 * 2 ** (levels - 1)
    shared = chance.integers(0, 6, rows)
    drawn_values = [chance.choice(values, rows, p=chance.dirichlet(np.full(values, 0.5))) for _ in range(columns)]
    table = [(each + shared * (number % 3 == 0)) % values for number, each in enumerate(drawn_values)]
    names = [f"c{number}" for number in range(columns)]
    np.savetxt(
        folder / "wide.csv", np.column_stack(table), fmt="%d", delimiter=",", header=",".join(names), comments=""
    )
    labels = [";".join([str(v), *(f"{up}:{v >> up}" for up in range(1, levels - 1)), "*"]) for v in range(values)]
    (folder / "levels.csv").write_text("\n".join(labels) + "\n", encoding="utf-8")
    initialise(folder / "state.sqlite")
    engine = Engine(folder / "state.sqlite")
    engine.sources.add("wide", str(folder / "wide.csv"))
    engine.datasets.add("wide", "wide", table="wide")
    engine.hierarchies.add("levels", folder / "levels.csv")
    request = {
        "dataset": "wide",
        "k": 5,
        "suppression_limit": 0.02,
        "quasi_identifiers": {each: {"hierarchy": "levels"} for each in names},
        "search": {"budget": {"seconds": SECONDS}},
        "release": {"to": str(folder / "released.csv")},
    }
    (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")


class Noted(Silent):
    """Notes best and bound as the search goes on."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.points: list[tuple[float, float, float]] = []

    def so_far(self, compute: SoFar) -> None:
        now = time.perf_counter() - self.began
        if self.points and now - self.points[-1][0] < EVERY:
            return
        found = compute()
        best, bound = found.score, found.bound
        if best is not None and bound is not None:
            self.points.append((now, float(best), float(bound)))  # type: ignore[arg-type]


def answer(folder: Path) -> dict[str, Any]:
    """Answers the request of a folder: its search, and the gap as time went by."""
    noted = Noted()
    engine = Engine(folder / "state.sqlite", use_cache=False, progress=noted)
    result = engine.run(json.loads((folder / "request.json").read_text(encoding="utf-8")))
    return {"search": result.as_dict()["search"], "points": noted.points}


def _answered(folder: Path, columns: int, rows: int) -> Answered:
    finished = process([sys.executable, "-m", "bench.early_answers", str(folder)], folder, within=REPOSITORY)
    if finished.fault:
        raise RuntimeError(f"{columns} columns of {rows} rows: {finished.fault}")
    found = json.loads(finished.output)
    return Answered(columns, rows, finished, found["search"], [tuple(each) for each in found["points"]])


def _row(each: Answered) -> tuple[Any, ...]:
    gap = each.search["gap"] or {}
    last = each.points[-1] if each.points else (0.0, float("nan"), float("nan"))
    best, bound = (gap.get("score") or last[1], gap.get("bound")) if gap else (last[1], None)
    return (
        f"{each.rows:,}",
        each.columns,
        f"{float(each.search['nodes_in_lattice']):.1e}",
        each.search["nodes_measured"],
        f"{best:.4f}",
        "" if bound is None else f"{bound:.4f}",
        "0" if bound is None else f"{best - bound:.4f}",
        "yes" if each.search["certified"] else "no",
        f"{each.finished.seconds:.1f}",
        f"{each.finished.memory:.2f}",
    )


def _figures(each: Answered) -> Sequence[Figure]:
    name = f"{each.columns} columns of {each.rows:,} rows"
    return [
        Figure(f"{name}: the whole process", each.finished.seconds, LATEST, "s"),
        Figure(f"{name}: memory", each.finished.memory, MAX_MEMORY, "GiB"),
    ]


def draw(found: Sequence[Answered], path: Path) -> None:
    """Draws best and bound against the seconds since the process began to answer, a panel for each table."""
    path.unlink(missing_ok=True)
    with drawn(path, len(found), across=len(COLUMNS), size=(12.0, 6.4)) as axes:
        for place, each in zip(axes, found, strict=True):
            seconds = [point[0] for point in each.points]
            place.step(seconds, [point[1] for point in each.points], where="post", color=BLUE, label="best so far")
            place.step(seconds, [point[2] for point in each.points], where="post", color=ORANGE, label="bound")
            place.fill_between(
                seconds,
                [point[1] for point in each.points],
                [point[2] for point in each.points],
                step="post",
                color=ORANGE,
                alpha=0.15,
            )
            place.set_title(f"{each.columns} columns, {each.rows:,} rows")
            place.set_xlim(0, SECONDS)
            place.set_ylim(0, 1)
        for place in axes[-len(COLUMNS) :]:
            place.set_xlabel("seconds")
        for place in axes[:: len(COLUMNS)]:
            place.set_ylabel("Prec (0: as it was)")
        handles, labels = axes[0].get_legend_handles_labels()
        axes[0].figure.legend(handles, labels, loc="outside lower center", ncols=2)


if __name__ == "__main__":
    print(json.dumps(answer(Path(sys.argv[1]))))
