"""MDAV beside a plain scan of all unassigned records (compiled, too): seconds in turns, equal labels, growth."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from bench.figure import Figure, print_rows
from ordermade.methods.microaggregation.algorithm.mdav_groups import mdav
from ordermade.methods.microaggregation.algorithm.vmdav_groups import vmdav
from tests.plain_scans.mdav import plain_mdav, plain_vmdav

COLUMNS, K, GAMMA, TURNS = 8, 5, 0.2, 2
ROWS = (10_000, 30_000, 100_000)
MOST = 0.35

Labels = npt.NDArray[np.int32]


def show() -> Sequence[Figure]:
    """Prints seconds by number of records; the ratio at 100,000, and what ten times the records cost."""
    rng = np.random.default_rng(0)
    small = rng.normal(size=(50, COLUMNS))
    for compiled_first in (_mdav, _plain_mdav, _vmdav, _plain_vmdav):
        compiled_first(small)
    rows = []
    seconds: dict[int, tuple[float, float]] = {}
    for n in ROWS:
        X = rng.normal(size=(n, COLUMNS))
        seconds[n] = _in_turns(X, _mdav, _plain_mdav)
        rows.append(("MDAV", n, *seconds[n], seconds[n][0] / seconds[n][1]))
    X = rng.normal(size=(ROWS[1], COLUMNS))
    rows.append(("V-MDAV", ROWS[1], *(variable := _in_turns(X, _vmdav, _plain_vmdav)), variable[0] / variable[1]))
    headings = ("method", "records", "seconds", "plain scan", "ratio")
    print_rows(f"normal records, {COLUMNS} columns, k = {K}; labels are the same", headings, rows)
    fast, plain = seconds[ROWS[-1]]
    growth, growth_plain = fast / seconds[ROWS[0]][0], plain / seconds[ROWS[0]][1]
    return [
        Figure(f"MDAV of {ROWS[-1]:,} x {COLUMNS} / the plain scan", fast / plain, MOST),
        Figure(f"MDAV of {ROWS[-1]:,} records / of {ROWS[0]:,}", growth, note=f"the plain scan: {growth_plain:.0f} x"),
        Figure(f"V-MDAV of {ROWS[1]:,} x {COLUMNS} / the plain scan", variable[0] / variable[1]),
    ]


def _in_turns(
    X: npt.NDArray[np.float64],
    one: Callable[[npt.NDArray[np.float64]], Labels],
    other: Callable[[npt.NDArray[np.float64]], Labels],
) -> tuple[float, float]:
    """The least seconds of each, whose labels must be equal."""
    least = [float("inf"), float("inf")]
    found: list[Labels] = [np.empty(0, np.int32)] * 2
    for _ in range(TURNS):
        for place, method in enumerate((one, other)):
            started = time.perf_counter()
            found[place] = method(X)
            least[place] = min(least[place], time.perf_counter() - started)
    assert (found[0] == found[1]).all()
    return least[0], least[1]


def _mdav(X: npt.NDArray[np.float64]) -> Labels:
    return mdav(X, K)[0]


def _plain_mdav(X: npt.NDArray[np.float64]) -> Labels:
    return plain_mdav(X, K, False)


def _vmdav(X: npt.NDArray[np.float64]) -> Labels:
    return vmdav(X, K, GAMMA)[0]


def _plain_vmdav(X: npt.NDArray[np.float64]) -> Labels:
    return plain_vmdav(X, K, GAMMA)
