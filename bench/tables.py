"""Tables with totals of Adult: what is suppressed beside the primary cells, and how wide every suppressed cell is.

E education, O occupation, M marital status, R race, N country; _H with the levels of E and N as subtotals.
A made table of 1,000,000 rows: 192 areas below 32 and 8 larger ones, 9 x 20 x 2 others. Each is protected from readers
who know no cell, and, as the tables of every request are, from those who are alone in cells too. Seconds are those of
the processor, one thread; each row is measured in a process of its own, whose peak memory it has.
"""

from __future__ import annotations

import csv
import multiprocessing
import resource
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np

from bench.figure import Figure, print_rows, processor_seconds
from ordermade.requests.table_options import Zeros
from ordermade.tables.cells import CellTable, summed_cells
from ordermade.tables.dimensions import dimension_of_levels
from ordermade.tables.intervals import intervals
from ordermade.tables.protected import CellRules, Guarded, protect, unproved
from ordermade.tables.tabulation import FinestCells, tabulate

ADULT = Path(__file__).resolve().parents[2] / "shared" / "data" / "arx" / "adult"
COLUMNS = {"E": "education", "O": "occupation", "M": "marital-status", "R": "race", "N": "native-country"}
MADE = "made"
TABLES: dict[str, tuple[int, ...]] = {
    "EO": (3, 5, 10),
    "EOM": (3, 5, 10),
    "EOM_H": (3, 10),
    "EON": (3, 5, 10),
    "EOMR": (3, 10),
    "EON_H": (3, 10),
    MADE: (3,),
}
BOUNDED = {"EO": 1.0, "EOM": 60.0}
"""The tables whose exact intervals are found by programs too, k = 3, and the most seconds for them."""
READERS: tuple[Zeros, ...] = ("hidden", "shown")
SEED = 43
MOST_SECONDARY: dict[tuple[str, int, str], int] = {("EOM", 3, "hidden"): 145, ("EOM", 3, "shown"): 300}
"""Beside readers who know no cell."""
MOST_SECONDS: dict[tuple[str, int, str], float] = {
    ("EO", 3, "hidden"): 1.0,
    ("EO", 3, "shown"): 1.0,
    ("EOM", 3, "hidden"): 60.0,
    ("EOM", 3, "shown"): 120.0,
    ("EOMR", 3, "hidden"): 60.0,
    ("EOMR", 3, "shown"): 60.0,
    ("EON_H", 3, "hidden"): 60.0,
    ("EON_H", 3, "shown"): 60.0,
    (MADE, 3, "hidden"): 300.0,
    (MADE, 3, "shown"): 300.0,
}
MOST_SECONDS_BESIDE_CONTRIBUTORS = MOST_SECONDS | {("EOM", 3, "hidden"): 120.0}
MOST_MEGABYTES = {"EOMR": 300.0, "EON_H": 300.0, MADE: 1024.0}
MOST_PER_PRIMARY: dict[Zeros, float] = {"hidden": 1.25, "shown": 1.55}
MOST_SHARE = 0.10
MOST_VERIFYING = 5.0
PAGE = {
    ("EO", 3, "hidden"): 18,
    ("EO", 3, "shown"): 25,
    ("EOM", 3, "hidden"): 135,
    ("EOM", 3, "shown"): 284,
    ("EOM_H", 3, "hidden"): 564,
    ("EOM_H", 3, "shown"): 756,
    ("EON", 3, "hidden"): 672,
    ("EON", 3, "shown"): 760,
    ("EOMR", 3, "hidden"): 1850,
    ("EOMR", 3, "shown"): 2044,
    ("EON_H", 3, "hidden"): 1683,
    ("EON_H", 3, "shown"): 1912,
    (MADE, 3, "hidden"): 41533,
    (MADE, 3, "shown"): 52389,
    ("EO", 10, "hidden"): 25,
    ("EO", 10, "shown"): 35,
    ("EOM", 10, "hidden"): 422,
    ("EOM", 10, "shown"): 461,
    ("EOM_H", 10, "hidden"): 670,
    ("EOM_H", 10, "shown"): 715,
    ("EON", 10, "hidden"): 402,
    ("EON", 10, "shown"): 417,
    ("EOMR", 10, "hidden"): 1414,
    ("EOMR", 10, "shown"): 1431,
    ("EON_H", 10, "hidden"): 1077,
    ("EON_H", 10, "shown"): 1065,
}
"""The first measurements: by programs of EOM with k = 3, by cubes alone of all others."""


def table_of(name: str) -> CellTable:
    """A table of Adult with its totals, or the made one."""
    finest = finest_of(name)
    return summed_cells(finest.dimensions, finest.leaves, finest.rows)


def finest_of(name: str) -> FinestCells:
    """The finest cells of a table of Adult, or of the made one; a row is a person."""
    if name == MADE:
        return made_cells()
    letters, _, levels_of = name.partition("_")
    with (ADULT / "adult.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter=";"))
    dimensions, columns = [], []
    for letter in letters:
        column = COLUMNS[letter]
        with (ADULT / f"adult_hierarchy_{column}.csv").open(encoding="utf-8") as lines:
            hierarchy = list(csv.reader(lines, delimiter=";"))
        depth = len(hierarchy[0]) - 1 if levels_of and letter in "EN" else 1
        levels = [[each[level] for each in hierarchy] for level in range(depth)]
        found = dimension_of_levels(column, levels, total="Total")
        places = dict(zip(levels[0], found.places[0], strict=True))
        dimensions.append(found.dimension)
        columns.append([places[each[column]] for each in rows])
    leaves, counts = np.unique(np.array(columns, dtype=np.int64).T, axis=0, return_counts=True)
    return FinestCells(tuple(dimensions), leaves, counts.astype(np.int64))


def made_cells(rows: int = 1_000_000) -> FinestCells:
    """The finest cells of rows over areas in three levels; of 20 values, the longest column, fifteen are rare."""
    random = np.random.default_rng(SEED)
    areas = range(192)
    places = [
        [f"{each:03d}" for each in areas],
        [f"P{each // 6}" for each in areas],
        [f"R{each // 24}" for each in areas],
    ]
    dimensions = [dimension_of_levels("area", places, total="Total")]
    dimensions += [
        dimension_of_levels(name, [[f"{name}{each}" for each in range(size)]], total="Total")
        for name, size in (("a", 9), ("o", 20), ("s", 2))
    ]
    shape = (192, 9, 20, 2)
    rare = 0.068
    sizes = random.normal(0, 0.5, 192)
    of_a = np.exp(-0.2 * np.arange(9)) * np.exp(random.normal(0, 0.2, (192, 9)))
    of_o = np.r_[np.array([0.4, 0.25, 0.15, 0.12, 0.08]) * (1 - rare), np.linspace(1.3, 0.7, 15) * rare / 15]
    of_o = of_o * np.exp(random.normal(0, 0.2, (192, 20)))
    shares = np.exp(sizes)[:, None, None, None] * of_a[:, :, None, None] * of_o[:, None, :, None]
    shares = shares * np.array([0.51, 0.49]) * np.exp(random.normal(0, 0.2, shape))
    counts = random.multinomial(rows, (shares / shares.sum()).ravel()).reshape(shape)
    at = np.argwhere(counts)
    leaves = np.stack([np.array(each.places[0])[at[:, place]] for place, each in enumerate(dimensions)], axis=1)
    return FinestCells(tuple(each.dimension for each in dimensions), leaves, counts[counts > 0])


@dataclass(frozen=True)
class Measured:
    """What a table needed: counts of cells, units, the least width, seconds, and the process's peak of memory."""

    cells: int
    units: int
    primary: int
    secondary: int
    secondary_units: int
    suppressed_units: int
    least_width: int | None
    families: int
    unproved: int
    programs: int
    seconds: float
    verifying: float
    bounding: float | None
    megabytes: float


def measured(name: str, k: int, zeros: Zeros, *, beside_contributors: bool) -> Measured:
    """A table protected and verified in this process; `beside_contributors`: from who are alone in cells, too."""
    tabulation = tabulate(finest_of(name))
    if not beside_contributors:
        tabulation = replace(tabulation, sole=np.full_like(tabulation.sole, -1))
    found, seconds = processor_seconds(lambda: protect(tabulation, CellRules(k, zeros), ("units",)))
    wrong, verifying = processor_seconds(lambda: unproved(found))
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    (guarded,), values = found.guarded, tabulation.units
    bounding = None
    if name in BOUNDED and k == 3 and not beside_contributors:
        lower = guarded.protection.lower
        _, bounding = processor_seconds(lambda: intervals(found.table.relations, values, found.suppressed, lower))
    secondary = sorted({*found.suppressed} - {*found.primary})
    return Measured(
        len(values),
        int(found.table.values.sum()),
        len(found.primary),
        len(secondary),
        int(values[secondary].sum()),
        int(values[list(found.suppressed)].sum()),
        min(_widths(guarded), default=None),
        len(guarded.families),
        wrong,
        guarded.pattern.programs,
        seconds,
        verifying,
        bounding,
        megabytes,
    )


def _widths(guarded: Guarded) -> Iterator[int]:
    """The width of each suppressed cell by each of its witnesses."""
    for cell, witness in guarded.pattern.witnesses.items():
        yield witness.width(cell)
    for cell, family in guarded.families.items():
        for each in family.witnesses:
            yield each.width(cell)


def show() -> Sequence[Figure]:
    """Prints a row a table, k and reader; the figures that have a target."""
    if not ADULT.exists():
        print(f"\nTables with totals: no data in {ADULT}")
        return []
    rows, figures = [], []
    one_each = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), max_tasks_per_child=1)
    with one_each as process:
        for name, ks in TABLES.items():
            for k, zeros, beside in product(ks, READERS, (False, True)):
                found = process.submit(measured, name, k, zeros, beside_contributors=beside).result()
                rows.append(_row(name, k, zeros, found, beside=beside))
                figures += _figures(name, k, zeros, found, beside=beside)
    headings = (
        "table",
        "cells",
        "k",
        "zeros",
        "contributors",
        "primary",
        "secondary",
        "first",
        "units",
        "suppressed %",
        "least width",
        "families",
        "unproved",
        "programs",
        "s",
        "verified s",
        "bounds s",
        "MB",
    )
    print_rows("Tables with totals; `first`: secondaries when first measured (another made table)", headings, rows)
    return figures


def _figures(name: str, k: int, zeros: Zeros, found: Measured, *, beside: bool) -> list[Figure]:
    """The figures of one row that have a target."""
    case, title = (name, k, zeros), f"{name}, k = {k}, zeros {zeros}{', contributors' if beside else ''}"
    figures = [Figure(f"{title}: cells without a proof", found.unproved, target=0, unit="")]
    narrowest = k - 1 if beside else k
    if found.least_width is not None:
        figures.append(Figure(f"{title}: width missing", max(0, narrowest - found.least_width), target=0, unit=""))
    if case in MOST_SECONDARY and not beside:
        figures.append(Figure(f"{title}: secondary cells", found.secondary, MOST_SECONDARY[case], unit=""))
    most = (MOST_SECONDS_BESIDE_CONTRIBUTORS if beside else MOST_SECONDS).get(case)
    if most is not None:
        figures.append(Figure(f"{title}: seconds", found.seconds, most, unit="s"))
    if found.bounding is not None:
        figures.append(Figure(f"{title}: exact intervals by programs", found.bounding, BOUNDED[name], unit="s"))
    if name in MOST_MEGABYTES:
        figures.append(Figure(f"{title}: peak memory", found.megabytes, MOST_MEGABYTES[name], unit="MB"))
    if name == MADE:
        per_primary = found.secondary / found.primary
        share = 100 * found.suppressed_units / found.units
        figures.append(Figure(f"{title}: secondary to primary cells", per_primary, MOST_PER_PRIMARY[zeros]))
        figures.append(Figure(f"{title}: suppressed units", share, 100 * MOST_SHARE, unit="%"))
        figures.append(Figure(f"{title}: verified", found.verifying, MOST_VERIFYING, unit="s"))
    return figures


def _row(name: str, k: int, zeros: Zeros, found: Measured, *, beside: bool) -> tuple[object, ...]:
    return (
        name,
        found.cells,
        k,
        zeros,
        "know" if beside else "-",
        found.primary,
        found.secondary,
        None if beside else PAGE.get((name, k, zeros)),
        found.secondary_units,
        100 * found.suppressed_units / found.units,
        found.least_width,
        found.families,
        found.unproved,
        found.programs,
        found.seconds,
        found.verifying,
        found.bounding,
        found.megabytes,
    )
