"""Tables of Adult protected by ordermade and by pytauargus 0.6 (MOD and OPT, each within a minute), side by side.

pytauargus marks cells as the rule FREQ(k, 30) does, which asks for a width of 2 in those of 1 or 2 and for none in the
other suppressed cells. How wide its cells are is found by ordermade's bounds, for readers who see no zeros and for
those who do; of ordermade's own cells the proved width counts. Seconds are the processor's.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.figure import Figure, print_rows, processor_seconds
from bench.tables import ADULT, table_of
from ordermade.requests.table_options import Zeros
from ordermade.tables.cells import CellTable, Whole, summed_cells
from ordermade.tables.dimensions import dimension_of_levels
from ordermade.tables.intervals import audited
from ordermade.tables.suppression import Protection, suppress

TABLES = ("EO", "EOM", "EOM_H")
K = 3
RULE = f"FREQ({K},30)"
METHODS = {"MOD": "MOD(1,1,1,1,1)", "OPT": "OPT(1,1)"}
"""With the protection of cells of one person that MOD has by default; the 1 before is the minutes it may take."""
MOST_OVER_OPT = 1.15
AUDITS, SEED = 100, 20261128
PYTHON = "ORDERMADE_BENCH_TAUARGUS"
"""The Python that has pytauargus; this one where it is not set."""
CHILD = Path(__file__).parent / "tauargus" / "protect.py"

Answer = Mapping[str, Any]


@dataclass(frozen=True)
class Suppressed:
    """The suppressed cells of a table, the seconds that it took to find them, and how wide they are, by reader.

    `widths`: of readers who see no zeros, and of those who do; None where they are not of interest.
    """

    primary: tuple[int, ...]
    secondary: tuple[int, ...]
    seconds: float
    widths: tuple[Sequence[float] | None, Sequence[float] | None]

    def row(self, name: str, who: str, table: CellTable) -> tuple[object, ...]:
        """Its number and size, the least width to both readers, and how many cells are narrower than k."""
        units = int(table.values[list(self.secondary)].sum())
        widths = (
            part
            for each in self.widths
            for part in ((None, None) if each is None else (min(each), sum(width < K for width in each)))
        )
        return name, who, len(self.primary), len(self.secondary), units, *widths, self.seconds


def _widths(table: CellTable, suppressed: Sequence[int], least: int) -> list[float]:
    lower = np.full(len(table.values), least, dtype=np.int64)
    found = audited(table.relations, table.values, suppressed, lower).intervals
    return [math.inf if each.width is None else each.width for each in found.values()]


def show() -> Sequence[Figure]:
    """Prints a row a table and program; the figures that have a target, or says why there are none."""
    reason = _missing()
    if reason:
        print(f"\nTables with totals beside pytauargus: left out, {reason}")
        return []
    figures: list[Figure] = []
    for name in TABLES:
        figures += _beside(name)
    return [*figures, *_audits()]


def _beside(name: str) -> Sequence[Figure]:
    """Prints a row a program for one table; its figures."""
    table = table_of(name)
    answers = [_answer(_asked(table, method)) for method in METHODS.values()]
    theirs = {
        method: _of_answer(table, answer)
        for method, answer in zip(METHODS, answers, strict=True)
        if not _failed(name, method, answer)
    }
    if not theirs:
        return []
    every_k = np.full(len(table.values), K)
    own = _ours(table, _widths_of_rule(table, answers), "hidden")
    rows = [
        _ours(table, every_k, "hidden").row(name, "zeros hidden", table),
        _ours(table, every_k, "shown").row(name, "zeros shown", table),
        own.row(name, "its widths", table),
        *(each.row(name, method, table) for method, each in theirs.items()),
    ]
    readers = "least width", f"below {K}", "least, zeros seen", f"below {K}, zeros seen"
    headings = "table", "by", "primary", "secondary", "units", *readers, "s"
    print_rows(f"{name} of Adult beside pytauargus, k = {K}, {RULE}", headings, rows)
    sys.stdout.flush()
    figures = []
    if "OPT" in theirs:
        ratio = len(own.secondary) / len(theirs["OPT"].secondary)
        figures.append(Figure(f"{name}: secondary cells at its widths, of OPT's", ratio, MOST_OVER_OPT))
    if "MOD" in theirs:
        figures.append(Figure(f"{name}: seconds at its widths, of MOD's", own.seconds / theirs["MOD"].seconds, 1))
    return figures


def _missing() -> str:
    """Why nothing can be compared; empty where it can."""
    if not ADULT.exists():
        return f"no data in {ADULT}"
    asked = [_python(), "-c", "import pytauargus"]
    try:
        found = subprocess.run(asked, capture_output=True, check=False).returncode == 0
    except OSError:
        found = False
    return "" if found else f"{_python()} has no pytauargus; name a Python that has it in {PYTHON}"


def _python() -> str:
    """The path of the Python that has pytauargus, to be run in any folder."""
    return str(Path.cwd() / (os.environ.get(PYTHON) or sys.executable))


def _answer(asked: Mapping[str, object]) -> Answer:
    """What pytauargus makes of a table, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:  # for what it writes wherever it stands
        ended = subprocess.run(
            [_python(), str(CHILD)], input=json.dumps(asked), capture_output=True, text=True, check=False, cwd=folder
        )
    if ended.returncode:
        return {"error": f"the exit status {ended.returncode}"}
    found: Answer = json.loads(ended.stdout.splitlines()[-1])
    return found


def _failed(name: str, method: str, answer: Answer) -> bool:
    if "error" in answer:
        print(f"{name}: {method} ended with {answer['error']}")
    return "error" in answer


def _asked(table: CellTable, method: str) -> dict[str, object]:
    """A table of counts as its rows, each code by its number."""
    finest = np.flatnonzero(
        np.all([np.isin(table.cells[:, at], each.leaves) for at, each in enumerate(table.dimensions)], axis=0)
    )
    rows = np.repeat(table.cells[finest], table.values[finest], axis=0)
    return {
        "columns": [[_code(each) for each in column] for column in rows.T.tolist()],
        "parents": [
            {_code(code): _code(parent) if parent >= 0 else "" for code, parent in enumerate(each.parents)}
            for each in table.dimensions
        ],
        "rule": RULE,
        "method": method,
    }


def _code(number: int) -> str:
    return f"c{number:04}" if number else "Total"


def _cell(table: CellTable, codes: Sequence[str]) -> int:
    """The number of the cell with these codes."""
    wanted = [0 if each == "Total" else int(each[1:]) for each in codes]
    (found,) = np.flatnonzero(np.all(table.cells == wanted, axis=1))
    return int(found)


def _of_answer(table: CellTable, answer: Answer) -> Suppressed:
    marked = {"U": list[int](), "M": list[int]()}
    for codes, count, status, *_ in answer["cells"]:
        cell = _cell(table, codes)
        assert table.values[cell] == count, "both count the same rows"
        if status in marked:
            marked[status].append(cell)
    suppressed = [*marked["U"], *marked["M"]]
    widths = _widths(table, suppressed, 0), _widths(table, suppressed, 1)
    return Suppressed(tuple(marked["U"]), tuple(marked["M"]), answer["seconds"], widths)


def _widths_of_rule(table: CellTable, answers: Sequence[Answer]) -> Whole:
    """The widths that pytauargus asks for: both protection levels of a primary cell, no exact value of another."""
    found = np.ones(len(table.values), dtype=np.int64)
    answer = next(each for each in answers if "cells" in each)
    for codes, _, status, lower, upper in answer["cells"]:
        if status == "U":
            found[_cell(table, codes)] = math.ceil(lower + upper)
    return found


def _ours(table: CellTable, widths: Whole, zeros: Zeros) -> Suppressed:
    protection = Protection(table, table.values < K, widths, zeros)
    pattern, seconds = processor_seconds(lambda: suppress(protection))
    proved = [pattern.witnesses[cell].width(cell) if cell in pattern.witnesses else 0 for cell in pattern.suppressed]
    widths = (proved, None) if zeros == "hidden" else (None, proved)
    return Suppressed(pattern.primary, pattern.secondary, seconds, widths)


def _audits() -> Sequence[Figure]:
    """The bounds by both programs of the cells that OPT suppresses in random tables; MOD crashes on such small ones."""
    random = np.random.default_rng(SEED)
    tables = [_random_table(random) for _ in range(AUDITS)]
    cells = differing = 0
    for at, table in enumerate(tables):
        answer = _answer(_asked(table, METHODS["OPT"]))
        if _failed(f"random table {at}", "OPT", answer):
            continue
        theirs = {_cell(table, codes): (low, high) for codes, low, high in answer["audit"]}
        if not theirs:
            continue
        lower = np.zeros(len(table.values), dtype=np.int64)
        ours = audited(table.relations, table.values, sorted(theirs), lower).intervals
        for cell, (low, high) in theirs.items():
            cells += 1
            whole = math.ceil(low - 1e-6), math.floor(high + 1e-6)
            differing += whole != (ours[cell].least, ours[cell].most)
    return [Figure(f"bounds that differ of {cells} cells, {AUDITS} tables", differing, 0, unit="")]


def _random_table(random: np.random.Generator) -> CellTable:
    """Counts of two or three dimensions with totals, the first one with groups every other time."""
    sizes = [int(random.integers(3, 7)) for _ in range(int(random.integers(2, 4)))]
    dimensions = []
    for at, size in enumerate(sizes):
        levels = [[f"{leaf}" for leaf in range(size)]]
        if at == 0 and random.random() < 0.5:
            levels.append([f"group {leaf // 2}" for leaf in range(size)])
        dimensions.append(dimension_of_levels("abc"[at], levels, total="Total").dimension)
    counts = random.poisson(random.gamma(1.0, 5.0, sizes))
    places = np.argwhere(counts > 0)
    leaves = np.stack([np.array(each.leaves)[places[:, at]] for at, each in enumerate(dimensions)], axis=1)
    return summed_cells(dimensions, leaves.astype(np.int64), counts[counts > 0].astype(np.int64))
