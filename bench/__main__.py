"""`python -m bench`: every benchmark, in one run. Ends with 1 if a target is missed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from bench import memory, repeats, request_cost, rolling_up, start_up
from bench.figure import Figure, print_table
from bench.members import COARSE, FINE, ROWS, MadeBench


def main() -> int:
    every: list[Figure] = []

    def show(title: str, figures: Sequence[Figure]) -> None:
        every.extend(figures)
        print_table(title, figures)
        sys.stdout.flush()

    print(f"{ROWS:,} made-up members, six quasi-identifiers, {os.cpu_count()} cores; medians of runs taken in turns")
    with MadeBench() as bench:
        show("one request, month of joining", request_cost.figures(bench, "month", FINE))
        show("one request, year of joining", request_cost.figures(bench, "year", COARSE))
        show("memory", memory.figures(bench))
        show("asking again", repeats.figures(bench))
        show("roll-up", rolling_up.figures(bench))
    show("start-up", start_up.figures())
    missed = [each for each in every if not each.met]
    print(f"\n{len(every)} figures, {len(missed)} of them miss their target")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
