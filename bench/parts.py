"""A table in Parquet parts: a request up to its decision beside DuckDB's own GROUP BY of the same columns over all.

Both in processes of their own, in turns, with the same limit of memory; the GROUP BY is one statement, typed by hand.
Then one part more, and one changed, beside the counting of that part; and growth by rows and by combinations.
The part is counted by hand before and after the request. ORDERMADE_BENCH_ROWS and ORDERMADE_BENCH_PARTS give the size,
100,000,000 rows in 4 parts unless set: a billion in 20 takes 3 GB of disk. ORDERMADE_BENCH_GROWTH adds the growth, up
to the rows that it names; ORDERMADE_BENCH_FIGURES names a folder that gets the picture of it.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.any_table import REPOSITORY
from bench.beside_arx import process
from bench.figure import Figure, print_rows
from bench.made_parts import SIZES, STATE, MadeParts
from bench.parts_picture import GrownParts, draw

ROWS, PARTS, GROWTH = "ORDERMADE_BENCH_ROWS", "ORDERMADE_BENCH_PARTS", "ORDERMADE_BENCH_GROWTH"
FOLDER = "ORDERMADE_BENCH_FIGURES"
LIMITS = ("0", "0.01")
GIB = 1.2
MAX_TIMES, MAX_TIMES_OF_A_PART = 1.7, 1.3
REPETITIONS = 3


@dataclass(frozen=True)
class GrownByOne:
    """Seconds of counting and merging one part, of counting it alone, and up to the decision; statements elsewhere."""

    counting: float
    alone: float
    of_processor: float
    decided: float
    others: int

    @property
    def ratio(self) -> float:
        return self.counting / self.alone


def show() -> Sequence[Figure]:
    """Prints seconds and memory; the ratios to the GROUP BY, and to the counting of a part."""
    rows, parts = int(os.environ.get(ROWS, 100_000_000)), int(os.environ.get(PARTS, 4))
    print(f"\nparts: {rows:,} rows in {parts} parts, load average {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    with TemporaryDirectory(prefix="ordermade-bench-") as name:
        made = MadeParts(Path(name) / "made", parts, rows // parts)
        made.make()
        figures = [*_beside_group_by(made), *_grown(made)]
        shutil.rmtree(made.folder)
        if os.environ.get(GROWTH):
            _growth(Path(name), int(os.environ[GROWTH]))
    return figures


def _beside_group_by(made: MadeParts) -> list[Figure]:
    figures = []
    for limit in LIMITS:
        by_hand, answered = _by_hand(made), _anew(made, limit)
        _require_rows(by_hand, made)
        note = (
            f"{answered['seconds']:.1f} s beside {by_hand['seconds']:.1f} s; of the processor "
            f"{answered['processor']:.1f} s and {by_hand['processor']:.1f} s; {by_hand['combinations']:,} combinations"
        )
        ratio = answered["seconds"] / by_hand["seconds"]
        figures.append(Figure(f"limit {limit}: request / GROUP BY", ratio, target=MAX_TIMES, note=note, digits=2))
        note = f"the GROUP BY {by_hand['memory']:.2f} GiB"
        figures.append(Figure(f"limit {limit}: peak memory", answered["memory"], target=GIB, unit="GiB", note=note))
    return figures


def _grown(made: MadeParts) -> list[Figure]:
    """One part more, and one changed: the counting of it, and the merge, beside the bare counting of that part.

    The median of REPETITIONS of each: the same counting takes a tenth more or less from one time to the next.
    """
    more = [_one_grown(made, made.parts + each, 0) for each in range(REPETITIONS)]
    changed = [_one_grown(made, 1, each + 1) for each in range(REPETITIONS)]
    return [_times_of_a_part(*each) for each in (("one part more", more), ("one part changed", changed))]


def _one_grown(made: MadeParts, number: int, seed: int) -> GrownByOne:
    """A request after this part was made: it alone is to be counted."""
    path = made.make_part(number, seed)
    before = _run("by-hand", str(path), *made.columns)
    answered = _run("request", str(made.folder), LIMITS[-1])
    after = _run("by-hand", str(path), *made.columns)
    if len(answered["counted"]) != 1:
        raise RuntimeError(f"part {number}: {len(answered['counted'])} parts were counted")
    alone, of_processor = ((before[each] + after[each]) / 2 for each in ("seconds", "counting_processor"))
    others = len(set(answered["parts"]) - {path.stem})
    return GrownByOne(
        answered["counting"], alone, answered["counting_processor"] / of_processor, answered["seconds"], others
    )


def _times_of_a_part(what: str, found: Sequence[GrownByOne]) -> Figure:
    typical = sorted(found, key=lambda each: each.ratio)[len(found) // 2]
    note = (
        f"counting and merging {typical.counting:.2f} s, counting that part alone {typical.alone:.2f} s "
        f"({typical.of_processor:.2f} x its seconds of the processor); the request up to its decision "
        f"{typical.decided:.2f} s; statements to the other parts: {sum(each.others for each in found)}; "
        f"of {len(found)}: {', '.join(f'{each.ratio:.2f}' for each in found)}"
    )
    return Figure(f"{what} / that part", typical.ratio, target=MAX_TIMES_OF_A_PART, note=note, digits=2)


def _growth(folder: Path, most: int) -> None:
    """Seconds, memory and bytes by rows and by combinations."""
    found = []
    cases = [(rows, 1_584_000) for rows in (1_000_000, 10_000_000, 100_000_000, 1_000_000_000) if rows <= most]
    by_rows = len(cases)
    cases += [(min(most, 100_000_000), each) for each in SIZES if each != 1_584_000]
    for rows, combinations in cases:
        made = MadeParts(folder / "grown", max(1, rows // 50_000_000), min(rows, 50_000_000), combinations)
        made.make()
        by_hand, answered = _by_hand(made), _anew(made, LIMITS[-1])
        size = sum(each.stat().st_size for each in (made.folder / "parts").iterdir())
        found.append(
            GrownParts(
                rows,
                by_hand["combinations"],
                by_hand["seconds"],
                answered["seconds"],
                sum(answered["counted"]),
                answered["memory"],
                size / 2**20,
                answered["spilled"] / 2**20,
            )
        )
        shutil.rmtree(made.folder)
    columns = ("rows", "combinations", "GROUP BY s", "decided s", "counting s", "GiB", "MiB read", "MiB spilled")
    whole = "{:,.0f}".format
    listed = [
        (
            *map(whole, (each.rows, each.combinations)),
            *(each.by_hand, each.decided, each.counting, each.memory),
            *map(whole, (each.read, each.spilled)),
        )
        for each in found
    ]
    print_rows("parts: growth", columns, listed)
    if FOLDER in os.environ:
        path = Path(os.environ[FOLDER]) / "parts.svg"
        path.unlink(missing_ok=True)
        draw(found, by_rows, path)


def _by_hand(made: MadeParts) -> dict[str, Any]:
    return _run("by-hand", made.glob, *made.columns)


def _anew(made: MadeParts, limit: str) -> dict[str, Any]:
    """The request on a new state, nothing known."""
    shutil.rmtree(made.folder / STATE, ignore_errors=True)
    made.register()
    return _run("request", str(made.folder), limit)


def _require_rows(by_hand: dict[str, Any], made: MadeParts) -> None:
    if by_hand["rows"] != made.parts * made.rows:
        raise RuntimeError("the GROUP BY did not count every row")


def _run(*asked: str) -> dict[str, Any]:
    with TemporaryDirectory(prefix="ordermade-bench-") as name:
        finished = process([sys.executable, "-m", "bench.one_parted", *asked], Path(name), within=REPOSITORY)
    if finished.fault:
        raise RuntimeError(f"{asked[0]} ended with a fault: {finished.fault}")
    answer: dict[str, Any] = json.loads(finished.output)
    return answer
