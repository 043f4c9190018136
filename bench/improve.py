"""`improve` from MDAV and from NPN-MHM on the three real data sets: its loss beside its start's, and the target."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bench.figure import Figure, print_rows
from ordermade.methods.microaggregation.algorithm.grouping import grouped
from ordermade.methods.microaggregation.algorithm.improving import improve
from ordermade.methods.microaggregation.algorithm.loss import information_loss
from ordermade.methods.microaggregation.algorithm.mdav_groups import mdav
from ordermade.methods.microaggregation.algorithm.methods import Options
from ordermade.methods.microaggregation.algorithm.paths import mhm, npn_path
from tests.papers.real_records import DATA, TARGETS, real_records

Table = npt.NDArray[np.float64]

SECONDS = 5.0
LARGE = (100_000, 8, 5)
"""Records, columns and k of normal numbers, for how long a descent takes."""


def show() -> Sequence[Figure]:
    """Prints the table; the information loss from the better start, by data and k."""
    figures = []
    for data, targets in TARGETS.items():
        if not (DATA / f"{data}.csv").exists():
            print(f"\nimprove: no data in {DATA}")
            continue
        X = real_records(data)
        rows = []
        for k, most in targets.items():
            found = []
            for name, labels in (("MDAV", mdav(X, k)[0]), ("NPN-MHM", mhm(X, npn_path(X)[0], k)[0])):
                descent = improve(X, labels, k)[0]
                better, report = improve(X, labels, k, seconds=SECONDS)
                found.append(_loss(X, better))
                kept = [int(report.figures[each]) for each in ("moves", "swaps", "dissolved", "split", "rounds")]
                rows.append((k, name, _loss(X, labels), _loss(X, descent), found[-1], *kept))
            figures.append(Figure(f"improve {data}, k = {k}: information loss, %", min(found), most, digits=4))
            figures.append(_of_auto(data, X, k, most))
        headings = ("k", "start", "its loss, %", "descent", f"{SECONDS:g} s", "moves", "swaps", "dissolved", "split")
        print_rows(f"improve: {data}, {X.shape[0]:,} x {X.shape[1]}", (*headings, "rounds"), rows)
    _show_large()
    return figures


def _of_auto(data: str, X: Table, k: int, most: float) -> Figure:
    began = time.perf_counter()
    found = grouped(X, k, Options())
    took = time.perf_counter() - began
    note = f"{took:.1f} s with reading what is compiled, {found.rounds:,} rounds from {found.algorithm}"
    return Figure(f"auto {data}, k = {k}: information loss, %", _loss(X, found.labels), most, note=note, digits=4)


def _show_large() -> None:
    records, columns, k = LARGE
    X = np.random.default_rng(0).normal(size=(records, columns))
    labels = mdav(X, k)[0]
    rows = []
    for seconds in (None, SECONDS, 4 * SECONDS):
        began = time.perf_counter()
        better = improve(X, labels, k, seconds=seconds)[0]
        took = time.perf_counter() - began
        rows.append(("descent" if seconds is None else f"{seconds:g} s", _loss(X, labels), _loss(X, better), took))
    print_rows(
        f"improve: normal numbers, {records:,} x {columns}, k = {k}", ("budget", "MDAV", "loss, %", "took"), rows
    )


def _loss(X: Table, labels: npt.NDArray[np.int32]) -> float:
    return 100 * information_loss(X, labels).loss
