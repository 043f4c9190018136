"""Growth: the seconds of each step of a request, by rows and by quasi-identifiers, beside the bare GROUP BY.

Made members with four more columns (see `bench/grown_members.py`) in a DuckDB file; the best node by Prec at k = 5 and
a suppression limit of 1 %, nothing known beforehand. The GROUP BY is of the same columns at their least accepted
levels, typed by hand, with the same memory limit and threads, and keeps nothing but the number of classes and the
smallest. Both in processes of their own, in turns. ORDERMADE_BENCH_LARGE adds ten million rows;
ORDERMADE_BENCH_FIGURES names a folder that gets the figures as CSV and the picture of them.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.any_table import REPOSITORY
from bench.beside_arx import LARGE, Finished, process
from bench.figure import Figure, print_rows
from bench.grown_members import LIMIT, GrownMembers, K
from bench.growth_figures import STEPS, Grown, Seconds, steps_of, write
from bench.growth_picture import draw

FOLDER = "ORDERMADE_BENCH_FIGURES"
FIGURES, PICTURE = "growth.csv", "growth.svg"
TURNS = 3
ROWS = (10_000, 100_000, 1_000_000)
MANY_ROWS = 10_000_000
QUASI_IDENTIFIERS = (4, 6, 8, 10)


def show() -> Sequence[Figure]:
    """Prints the sizes and the seconds of each step; the whole process over the GROUP BY, which has no target."""
    asked = (*ROWS, MANY_ROWS) if os.environ.get(LARGE) else ROWS
    least, _, longest = os.getloadavg()
    print(
        f"\ngrowth: load average before it {least:.1f} (1 minute), {longest:.1f} (15 minutes); {os.cpu_count()} cores; "
        f"the median of {TURNS} runs in turns"
    )
    found: list[Grown] = []
    with TemporaryDirectory(prefix="ordermade-bench-") as name:
        for rows in asked:
            members = GrownMembers(Path(name) / str(rows), rows)
            members.make()
            found += [measured(members, columns, Path(name) / "turn") for columns in QUASI_IDENTIFIERS]
            shutil.rmtree(members.folder)
    if MANY_ROWS not in asked:
        print(f"growth, {MANY_ROWS:,} rows: left out, {LARGE} is not set")
    _print(found)
    if os.environ.get(FOLDER):
        _keep(found, Path(os.environ[FOLDER]))
    return [_figure(each) for each in found]


def measured(members: GrownMembers, columns: int, folder: Path) -> Grown:
    """The GROUP BY and the request of so many columns in turns; of each, the run of median seconds."""
    counted: list[tuple[Seconds, int]] = []
    answered: list[Grown] = []
    for _ in range(TURNS):
        members.turn(columns, folder)
        by_hand = _answer(_run(folder, "by-hand", str(members.database), str(columns)))
        ((_, _, clock, processor),) = by_hand["parts"]
        counted.append((Seconds(clock, processor), by_hand["combinations"]))
        finished = _run(folder, "request", str(folder))
        answer = _answer(finished)
        whole = Seconds(finished.seconds, finished.processor_seconds)
        answered.append(
            Grown(
                rows=members.rows,
                quasi_identifiers=columns,
                nodes=answer["nodes"],
                questions=answer["questions"],
                combinations=by_hand["combinations"],
                by_hand=Seconds(),
                whole=whole,
                memory=finished.memory,
                steps=steps_of(answer["parts"], whole),
            )
        )
        shutil.rmtree(folder)
    return _median(answered, [seconds for seconds, _ in counted])


def _median(answered: Sequence[Grown], by_hand: Sequence[Seconds]) -> Grown:
    middle = sorted(answered, key=lambda each: each.whole.clock)[len(answered) // 2]
    return replace(
        middle,
        by_hand=sorted(by_hand, key=lambda each: each.clock)[len(by_hand) // 2],
        memory=max(each.memory for each in answered),
    )


def _run(folder: Path, *asked: str) -> Finished:
    finished = process([sys.executable, "-m", "bench.one_growth", *asked], folder, within=REPOSITORY)
    if finished.fault:
        raise RuntimeError(f"{asked[0]} ended with a fault: {finished.fault}")
    return finished


def _answer(finished: Finished) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(finished.output)
    return answer


def _print(found: Sequence[Grown]) -> None:
    print_rows(
        f"growth: members with more columns, DuckDB file, k = {K}, limit {LIMIT:.0%}, by Prec",
        ("rows", "QIs", "nodes", "questions", "combinations", "GROUP BY s", "whole s", "of processor", "GiB"),
        [
            (
                f"{each.rows:,}",
                each.quasi_identifiers,
                each.nodes,
                each.questions,
                each.combinations,
                each.by_hand.clock,
                each.whole.clock,
                each.whole.processor,
                each.memory,
            )
            for each in found
        ],
    )
    for kind in ("clock", "processor"):
        print_rows(
            f"growth: seconds of each step, by the {kind}",
            ("rows", "QIs", "GROUP BY", *STEPS, "whole"),
            [
                (
                    f"{each.rows:,}",
                    each.quasi_identifiers,
                    *(
                        seconds_text(getattr(seconds, kind))
                        for seconds in (each.by_hand, *each.steps.values(), each.whole)
                    ),
                )
                for each in found
            ],
        )
    print("".join(f"\n  {step:<9} {work}" for step, work in STEPS.items()))


def seconds_text(seconds: float) -> str:
    """Seconds in three digits, or to the millisecond."""
    return f"{seconds:.3f}" if seconds < 1 else f"{seconds:.2f}" if seconds < 10 else f"{seconds:.1f}"


def _figure(each: Grown) -> Figure:
    name = f"{each.rows:,} rows x {each.quasi_identifiers}: whole process / bare GROUP BY"
    slowest = max(each.steps, key=lambda step: each.steps[step].clock)
    note = (
        f"{each.whole.clock:.2f} s, {each.whole.processor:.2f} s of the processor; most of it: {slowest}, "
        f"{each.steps[slowest].clock:.2f} s; GROUP BY {each.by_hand.clock:.3f} s"
    )
    return Figure(name, each.ratio, note=note, digits=1)


def _keep(found: Sequence[Grown], folder: Path) -> None:
    write(found, folder / FIGURES)
    (folder / PICTURE).unlink(missing_ok=True)
    draw(found, folder / PICTURE)
    print(f"\n{folder / FIGURES}\n{folder / PICTURE}")
