"""Tables with totals of Adult: what is suppressed beside the primary cells, and how wide every suppressed cell is.

E education, O occupation, M marital status, N country; _H with the levels of the hierarchy of E as subtotals.
Seconds are those of the processor, one thread.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.figure import Figure, print_rows, processor_seconds
from ordermade.tables.cells import CellTable, summed_cells
from ordermade.tables.dimensions import dimension_of_levels
from ordermade.tables.suppression import Protection, Zeros, suppress
from ordermade.tables.verification import faults

ADULT = Path(__file__).resolve().parents[2] / "shared" / "data" / "arx" / "adult"
COLUMNS = {"E": "education", "O": "occupation", "M": "marital-status", "N": "native-country"}
TABLES = ("EO", "EOM", "EOM_H", "EON")
KS = (3, 10)
MOST_SECONDARY: dict[tuple[str, int, str], int] = {("EOM", 3, "hidden"): 145, ("EOM", 3, "shown"): 300}
MOST_SECONDS: dict[tuple[str, int, str], float] = {
    ("EO", 3, "hidden"): 1.0,
    ("EO", 3, "shown"): 1.0,
    ("EOM", 3, "hidden"): 60.0,
    ("EOM", 3, "shown"): 120.0,
}
PAGE = {
    ("EO", 3, "hidden"): 18,
    ("EO", 3, "shown"): 25,
    ("EOM", 3, "hidden"): 135,
    ("EOM", 3, "shown"): 284,
    ("EOM_H", 3, "hidden"): 564,
    ("EOM_H", 3, "shown"): 756,
    ("EON", 3, "hidden"): 672,
    ("EON", 3, "shown"): 760,
    ("EO", 10, "hidden"): 25,
    ("EO", 10, "shown"): 35,
    ("EOM", 10, "hidden"): 422,
    ("EOM", 10, "shown"): 461,
    ("EOM_H", 10, "hidden"): 670,
    ("EOM_H", 10, "shown"): 715,
    ("EON", 10, "hidden"): 402,
    ("EON", 10, "shown"): 417,
}
"""The first measurements: by programs of EOM with k = 3, by cubes alone of all others."""


def table_of(name: str) -> CellTable:
    """A table of Adult with its totals."""
    letters, _, levels_of = name.partition("_")
    with (ADULT / "adult.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter=";"))
    dimensions, columns = [], []
    for letter in letters:
        column = COLUMNS[letter]
        with (ADULT / f"adult_hierarchy_{column}.csv").open(encoding="utf-8") as lines:
            hierarchy = list(csv.reader(lines, delimiter=";"))
        depth = len(hierarchy[0]) - 1 if levels_of and letter == "E" else 1
        levels = [[each[level] for each in hierarchy] for level in range(depth)]
        found = dimension_of_levels(column, levels, total="Total")
        places = dict(zip(levels[0], found.places[0], strict=True))
        dimensions.append(found.dimension)
        columns.append([places[each[column]] for each in rows])
    return summed_cells(dimensions, np.array(columns, dtype=np.int64).T, np.ones(len(rows), dtype=np.int64))


def show() -> Sequence[Figure]:
    """Prints a row a table, k and reader; the figures that have a target."""
    if not ADULT.exists():
        print(f"\nTables with totals: no data in {ADULT}")
        return []
    rows, figures = [], []
    for name in TABLES:
        table = table_of(name)
        for k in KS:
            rows += [_row(name, table, k, "hidden", figures), _row(name, table, k, "shown", figures)]
    headings = (
        "table",
        "cells",
        "k",
        "zeros",
        "primary",
        "secondary",
        "first",
        "units",
        "least width",
        "unproved",
        "programs",
        "s",
        "verified s",
    )
    print_rows("Tables with totals of Adult; `first`: secondaries when first measured", headings, rows)
    return figures


def _row(name: str, table: CellTable, k: int, zeros: Zeros, figures: list[Figure]) -> tuple[object, ...]:
    n = len(table.values)
    protection = Protection(table, table.values < k, np.full(n, k, dtype=np.int64), zeros)
    pattern, seconds = processor_seconds(lambda: suppress(protection))
    found, verified = processor_seconds(
        lambda: faults(
            table.relations,
            table.values.tolist(),
            pattern.suppressed,
            protection.lower.tolist(),
            protection.widths.tolist(),
            pattern.witnesses,
        )
    )
    case = (name, k, zeros)
    title = f"{name}, k = {k}, zeros {zeros}"
    figures.append(Figure(f"{title}: cells without a proof", len(found), target=0, unit=""))
    if case in MOST_SECONDARY:
        figures.append(Figure(f"{title}: secondary cells", len(pattern.secondary), MOST_SECONDARY[case], unit=""))
    if case in MOST_SECONDS:
        figures.append(Figure(f"{title}: seconds", seconds, MOST_SECONDS[case], unit="s"))
    widths = [witness.width(cell) for cell, witness in pattern.witnesses.items()]
    units = int(table.values[list(pattern.secondary)].sum())
    return (
        name,
        n,
        k,
        zeros,
        len(pattern.primary),
        len(pattern.secondary),
        PAGE.get(case),
        units,
        min(widths, default=None),
        len(found),
        pattern.programs,
        seconds,
        verified,
    )
