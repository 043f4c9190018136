"""The optimum of ten million values: from unsorted values to labels, beside numpy's argsort and microagg1d.

Seconds are those of the processor (each uses one thread), so that a busy machine does not tell in the ratios.
microagg1d is not needed by the project, and is no extra of it. The environment variable ORDERMADE_BENCH_MICROAGG1D
names an interpreter that has it.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.figure import Figure, print_rows, processor_seconds
from ordermade.methods.microaggregation.algorithm.loss import information_loss
from ordermade.methods.microaggregation.algorithm.one_dimension import optimal_1d

VALUES = 10_000_000
KS = (5, 100)
TURNS = 3
MICROAGG1D = "ORDERMADE_BENCH_MICROAGG1D"


def show() -> Sequence[Figure]:
    """Prints the table; our seconds as a multiple of argsort's, and of microagg1d's if it is there."""
    values = np.random.default_rng(0).normal(size=VALUES)
    optimal_1d(values[:1000], 3)
    rows, figures = [], []
    for k in KS:
        sorting, ours, theirs = [], [], []
        with TemporaryDirectory(prefix="ordermade-bench-") as folder:
            np.save(Path(folder) / "values.npy", values)
            for turn in range(TURNS):
                sorting.append(processor_seconds(lambda: np.argsort(values))[1])
                (_, report), seconds = processor_seconds(lambda k=k: optimal_1d(values, k))
                ours.append(seconds)
                if os.environ.get(MICROAGG1D) and turn < 2:
                    theirs.append(_other(os.environ[MICROAGG1D], Path(folder), k))
            sse = report.figures["sse"]
            other_sse = information_loss(values, np.load(Path(folder) / "labels.npy")).sse if theirs else None
        rows.append((k, min(sorting), min(ours), min(theirs, default=None), f"{sse:.9g}", _nine_digits(other_sse)))
        figures.append(Figure(f"optimum, k = {k} / np.argsort", min(ours) / min(sorting), target=3.0))
        if other_sse is not None:
            figures.append(Figure(f"optimum, k = {k} / microagg1d", min(ours) / min(theirs), target=1.0))
            figures.append(
                Figure(f"SSE, k = {k} / microagg1d's", sse / other_sse, target=1 + 1e-9, digits=6, note="its defaults")
            )
    headings = ("k", "argsort s", "optimum s", "microagg1d s", "SSE", "microagg1d's SSE")
    print_rows(f"{VALUES:,} normal values, unsorted, to labels; the least of {TURNS} turns", headings, rows)
    if not os.environ.get(MICROAGG1D):
        print(f"  microagg1d is left out: name an interpreter that has it in {MICROAGG1D}")
    return figures


def _other(interpreter: str, folder: Path, k: int) -> float:
    script = str(Path(__file__).with_name("microagg1d_times.py"))
    command = [interpreter, script, str(folder / "values.npy"), str(folder / "labels.npy"), str(k)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout.splitlines()[-1])["seconds"])


def _nine_digits(number: float | None) -> str | None:
    return None if number is None else f"{number:.9g}"
