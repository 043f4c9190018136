"""Hard lattices: the search alone beside ARX's, on tables drawn by a seed, whose columns no search was tuned on.

Six to twelve columns of two to six levels: alike, skewed or bent by one thing that all of them share; a thousand to a
million combinations; at most 0, 1 or 5 % of the rows suppressed. Rows and hierarchies are in memory on both sides, the
code is warm; the seconds are those of the clock, from the first question to the proof. Both find the least Prec, and
must find the same. Where the levels of a column do not nest, ARX is not compared: it takes a refinement for granted.
"""

from __future__ import annotations

import math
import os
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bench import beside_arx
from bench.arx_tables import Attribute, Table
from bench.figure import Figure, median, print_rows
from ordermade.counting.coverage import encode_counted
from ordermade.counting.dataset import Dataset, relation
from ordermade.counting.frequency_set import count_in_source
from ordermade.counting.oracle import Packed
from ordermade.hierarchies.read_csv import read_csv
from ordermade.lattice.lattice import Axis, Lattice, Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.lattice.proofs import Proofs, placed_in
from ordermade.loss.objectives import objective
from ordermade.prediction.prediction import Evidence
from ordermade.search import Outcome, SearchProblem, choose, drive
from ordermade.sources.duckdb_file import DuckDBFile
from ordermade.sources.limits import Limits

Codes = npt.NDArray[np.int64]

SEEDS = range(24)
K = 5
KINDS = ("like", "skewed", "correlated")
LIMITS = (0.0, 0.01, 0.05)
SMALLEST, LARGEST = 1_000, 100_000
"""Nodes of a lattice."""
MAX_SECONDS_OF_ARX = 60
MOST, USUAL = 1.0, 0.5
"""The most that the seconds of one search may be of ARX's, and their median."""


@dataclass(frozen=True)
class HardTable:
    """A table of a seed. `levels[i][l]`: the class of each value of column i at level l, `*` left out."""

    seed: int
    kind: str
    limit: float
    nested: bool
    levels: tuple[tuple[Codes, ...], ...]
    values: tuple[Codes, ...]

    @property
    def rows(self) -> int:
        return len(self.values[0])

    @property
    def columns(self) -> list[str]:
        return [f"c{place}" for place in range(len(self.values))]

    @property
    def combinations(self) -> int:
        return len(np.unique(np.column_stack(self.values), axis=0))


def hard_table(seed: int) -> HardTable:
    """The table of a seed."""
    chance, rng = random.Random(seed), np.random.default_rng(seed)
    kind, limit, nested = KINDS[seed % 3], LIMITS[seed // 3 % 3], seed % 8 != 7
    columns = chance.randint(6, 12)
    levels: list[tuple[Codes, ...]] = []
    while len(levels) < columns:
        heights = [len(each) + 1 for each in levels]
        room = LARGEST / math.prod(heights) / 2 ** (columns - len(levels) - 1)
        height = 4 if kind == "like" and columns <= 8 else 3 if kind == "like" else chance.randint(2, 6)
        levels.append(_levels(chance, max(2, min(height, int(room))), nested, alike=kind == "like"))
    rows = round(2_000 * 500 ** chance.random())
    shared = rng.normal(size=rows)
    values = tuple(_drawn(rng, kind, len(each[0]), rows, shared, chance.uniform(0.5, 2)) for each in levels)
    return HardTable(seed, kind, limit, nested, tuple(levels), values)


def _levels(chance: random.Random, height: int, nested: bool, *, alike: bool) -> tuple[Codes, ...]:
    """The classes of a column's values at each level below `*`."""
    wide = 2 if alike else chance.randint(2, 3)
    values = np.arange(wide ** (height - 1) if height > 2 else chance.randint(2, 9))
    if nested:
        return tuple(values // wide**level for level in range(height - 1))
    return tuple(values // (level + 1) if level else values for level in range(height - 1))


def _drawn(rng: np.random.Generator, kind: str, count: int, rows: int, shared: Codes, bend: float) -> Codes:
    if kind == "like":
        return np.floor(count * rng.random(rows) * rng.random(rows)).astype(np.int64)
    if kind == "skewed":
        return np.floor(count * rng.random(rows) ** (1 + bend)).astype(np.int64)
    mixed = 0.6 * shared + 0.8 * rng.normal(size=rows)
    return np.clip(np.floor((mixed + 2.5) / 5 * count), 0, count - 1).astype(np.int64)


def written(made: HardTable, folder: Path) -> Table:
    """The rows as CSV and its hierarchies, as ARX reads them."""
    file = folder / "rows.csv"
    with duckdb.connect() as connection:
        rows = pa.table(dict(zip(made.columns, made.values, strict=True)))
        connection.register("made", rows)
        connection.execute(f"COPY made TO '{file}' (HEADER, DELIMITER ';')")
    attributes = []
    for column, levels in zip(made.columns, made.levels, strict=True):
        hierarchy = folder / f"{column}.csv"
        lines = [
            [str(value), *(f"l{n}_{each[value]}" for n, each in enumerate(levels[1:])), "*"] for value in levels[0]
        ]
        hierarchy.write_text("".join(f"{';'.join(line)}\n" for line in lines), encoding="utf-8")
        attributes.append(Attribute(column, 0, len(levels), hierarchy, hierarchy))
    return Table(f"seed {made.seed}", "made", file, ";", attributes, [])


@dataclass(frozen=True)
class Search:
    """A search: its outcome, questions, rounds, and the seconds of the clock."""

    outcome: Outcome
    questions: int
    rounds: int
    seconds: float


def searched(made: HardTable, folder: Path) -> Search:
    """The engine's search by its default algorithm, after one that is not counted."""
    database = folder / "made.duckdb"
    with duckdb.connect(str(database)) as connection:
        rows = pa.table(dict(zip(made.columns, made.values, strict=True)))
        connection.register("arrived", rows)
        connection.execute("CREATE TABLE made AS SELECT COLUMNS(*)::VARCHAR FROM arrived")
    backend = DuckDBFile(database, writable=False, limits=Limits())
    (table,) = backend.tables()
    dataset = Dataset("made", backend, relation(table.reference, None), table.columns)
    attributes = tuple(
        encode_counted(dataset, place, column, read_csv(folder / f"{column}.csv", column, "arx")[0], 0)
        for place, column in enumerate(made.columns, start=1)
    )
    axes = (Axis(each.column, each.hierarchy.order, (*each.levels, each.hierarchy.top)) for each in attributes)
    lattice = Lattice(tuple(axes))
    required = Requirement(K, int(made.rows * Fraction(str(made.limit))))
    top = lattice.top
    alone = [
        ((*top[:place], level, *top[place + 1 :]), Observation.from_histogram(sizes))
        for place, each in enumerate(attributes)
        for level, sizes in each.marginal.items()
    ]
    proofs = Proofs(lattice, made.rows, placed_in(lattice, alone), required.most_suppressed)
    evidence = Evidence(lattice, made.rows, proofs, marginals=tuple(dict(each.marginal) for each in attributes))
    count_in_source(dataset, attributes)
    best: Search | None = None
    for _ in range(2):
        measurer = Packed(dataset, attributes, lattice, lambda: None)
        sizes: list[int] = []

        def measure(batch: Sequence[Node], measurer: Packed = measurer, sizes: list[int] = sizes) -> list[Observation]:
            measured = measurer.measure(batch)
            sizes.append(len(batch))
            return [measured[node] for node in batch]

        begun = time.perf_counter()
        problem = SearchProblem(lattice, required, objective("prec", lattice, None, required), evidence)
        algorithm = choose(None, lattice, required, "prec")
        with measurer.searching():
            outcome = drive(algorithm.start(problem), measure)
        best = Search(outcome, sum(sizes), len(sizes), time.perf_counter() - begun)
    backend.close()
    assert best is not None
    return best


def show() -> Sequence[Figure]:
    """Prints the table; the seconds over those of ARX, the greatest and the median."""
    class_path = os.environ.get(beside_arx.ARX)
    rows: list[tuple[object, ...]] = []
    ratios: list[float] = []
    for seed in SEEDS:
        with tempfile.TemporaryDirectory(prefix="ordermade-bench-") as name:
            folder = Path(name)
            made = hard_table(seed)
            table = written(made, folder)
            mine = searched(made, folder)
            theirs: float | None = None
            if class_path and made.nested:
                theirs = beside_arx.warm_search(class_path, table, K, made.limit, MAX_SECONDS_OF_ARX)
            ratio = None if theirs is None or not mine.outcome.certified else mine.seconds / theirs
            if ratio is not None:
                ratios.append(ratio)
            nodes = math.prod(len(each) + 1 for each in made.levels)
            kind = made.kind if made.nested else f"{made.kind}, not nested"
            row = (seed, kind, len(made.columns), nodes, made.rows, made.combinations, f"{made.limit:.0%}")
            proved = "yes" if mine.outcome.certified else "no"
            rows.append((*row, mine.questions, mine.rounds, proved, mine.seconds, theirs or "-", ratio or "-"))
            print(*rows[-1], flush=True)
    headings = ("seed", "columns are", "columns", "nodes", "rows", "combinations", "limit", "questions", "rounds")
    print_rows("hard lattices, k = 5, by Prec", (*headings, "proved", "s", "s of ARX", "ratio"), rows)
    if not ratios:
        print(f"\nbeside ARX: left out, {beside_arx.ARX} names no class path of a build")
        return []
    return [
        Figure("hard lattices: the greatest seconds / ARX's, warm", max(ratios), MOST),
        Figure("hard lattices: the median seconds / ARX's, warm", median(ratios), USUAL),
    ]
