"""Growth by one thing at a time: rows, combinations, columns, levels, values and observations; seconds and memory.

A made table in a DuckDB file (the base: 100,000 rows of 10,000 combinations, six columns of 64 values, four levels
each), and the best node by Prec at k = 5 and a suppression limit of 1 %, written to Parquet, nothing known: whole
processes. Of observations, `request predict` on the state of `bench/large_state.py`. Each is run three times where it
takes less than ten seconds. A cliff is a step where the seconds grow faster than what grows; by columns and by levels
that is the nodes of the lattice. ORDERMADE_BENCH_FIGURES names a folder that gets the picture.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import yaml

from bench import large_state
from bench.arx_tables import REQUEST, STATE
from bench.beside_arx import Finished, answered, process
from bench.figure import Figure, median, print_rows
from ordermade import Engine, initialise
from ordermade.plots.figures import BLUE, ORANGE, drawn, plain_logarithms

FOLDER = "ORDERMADE_BENCH_FIGURES"
PICTURE = "each-growth.svg"
TURNS = 3
SHORT = 10.0
STEEPEST = 1.5
"""The most that the seconds may grow between two sizes, beside what grows: a process has its start besides."""
MADE = "CREATE TABLE made AS SELECT {columns} FROM (SELECT HASH(i) % {combinations} AS kind FROM RANGE({rows}) AS t(i))"


@dataclass(frozen=True)
class Size:
    """The size of a table: `values` of its first column, of the others those of the base."""

    rows: int = 100_000
    combinations: int = 10_000
    columns: int = 6
    levels: int = 4
    values: int = 64

    @property
    def nodes(self) -> int:
        return self.levels**self.columns


BASE = Size()
SIZES: Mapping[str, Sequence[Size]] = {
    "rows": [replace(BASE, rows=each) for each in (10_000, 100_000, 1_000_000, 10_000_000)],
    "combinations": [replace(BASE, rows=1_000_000, combinations=each) for each in (1_000, 10_000, 100_000, 1_000_000)],
    "columns": [replace(BASE, columns=each) for each in (3, 4, 5, 6, 7, 8)],
    "levels": [replace(BASE, levels=each) for each in (2, 3, 4, 5, 6, 7)],
    "values": [replace(BASE, values=each) for each in (100, 1_000, 10_000, 100_000, 1_000_000)],
}
VERSIONS = (2, 20, 200)
"""So many dataset versions in the state, of `large_state.OBSERVATIONS` observations each."""


@dataclass(frozen=True)
class Grown:
    """What grew, how large it is, by how much that weighs on a search, and the processes of that size."""

    by: str
    size: int
    weight: int
    registered: float | None
    finished: Sequence[Finished]

    @property
    def seconds(self) -> float:
        return median([each.seconds for each in self.finished])

    @property
    def processor_seconds(self) -> float:
        return median([each.processor_seconds for each in self.finished])

    @property
    def memory(self) -> float:
        """The most that a process held, in GiB."""
        return max(each.memory for each in self.finished)


def show() -> Sequence[Figure]:
    """Prints a line for each size; the steepest step of each thing that grows."""
    least, _, longest = os.getloadavg()
    print(f"\ngrowth by each: load average before it {least:.1f} (1 minute), {longest:.1f} (15 minutes)")
    found: list[Grown] = []
    for by, sizes in SIZES.items():
        for size in sizes:
            found.append(_of_table(by, size))
            print(*_row(found[-1]), flush=True)
    for versions in VERSIONS:
        found.append(_of_observations(versions))
        print(*_row(found[-1]), flush=True)
    headings = ("by", "size", "nodes", "s", "of processor", "GiB", "registered in s")
    print_rows("growth by each", headings, map(_row, found))
    if os.environ.get(FOLDER):
        draw(found, Path(os.environ[FOLDER]) / PICTURE)
    return [_steepest(by, [each for each in found if each.by == by]) for by in (*SIZES, "observations")]


def _of_table(by: str, size: Size) -> Grown:
    with TemporaryDirectory(prefix="ordermade-bench-") as name:
        folder = Path(name)
        # In a process of its own: those that it starts are counted with what this one holds as they begin.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as another:
            registered = another.submit(_made, folder, size).result()

        def run() -> Finished:
            turn = folder / "turn"
            shutil.copytree(folder / STATE, turn / STATE)
            (turn / REQUEST).write_text(yaml.safe_dump(_request(size), sort_keys=False), encoding="utf-8")
            finished = answered(turn)
            shutil.rmtree(turn)
            return finished

        weight = size.nodes if by in ("columns", "levels") else getattr(size, by)
        return Grown(by, getattr(size, by), weight, registered, _turns(run, f"{getattr(size, by)} {by}"))


def _turns(run: Callable[[], Finished], what: str) -> list[Finished]:
    """The runs of one size: three, or one where that takes long. Raises RuntimeError where one fails."""
    finished: list[Finished] = []
    while not finished or (len(finished) < TURNS and finished[0].seconds < SHORT):
        finished.append(run())
        if finished[-1].fault:
            raise RuntimeError(f"{what}: {finished[-1].fault}")
    return finished


def _made(folder: Path, size: Size) -> float:
    """The table, its hierarchies and the state; the seconds that the hierarchies took to register."""
    database = folder / "made.duckdb"
    values = [size.values, *[BASE.values] * (size.columns - 1)]
    columns = ", ".join(f"HASH(kind, {place}) % {each} AS c{place}" for place, each in enumerate(values))
    with duckdb.connect(str(database)) as connection:
        connection.execute(MADE.format(columns=columns, combinations=size.combinations, rows=size.rows))
    engine = Engine(folder / STATE / "state.sqlite")
    initialise(engine.state_file.path)
    engine.sources.add("source", str(database))
    engine.datasets.add("made", "source", table="made", least_k=2)
    for name, number in {"first": size.values, "other": BASE.values}.items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8") as file:
            file.writelines(f"{';'.join(_labels(value, number, size.levels))}\n" for value in range(number))
    started = time.perf_counter()
    for name in ("first", "other"):
        engine.hierarchies.add(name, folder / f"{name}.csv", "arx")
    return time.perf_counter() - started


def _labels(value: int, values: int, levels: int) -> list[str]:
    """A value and its labels: each level below `*` has the same share of the classes of the one before it."""
    bits = (values - 1).bit_length()
    shifts = [bits * level // (levels - 1) for level in range(1, levels - 1)]
    return [str(value), *(f"{level}:{value >> shift}" for level, shift in enumerate(shifts, start=1)), "*"]


def _request(size: Size) -> dict[str, object]:
    return {
        "dataset": "made",
        "k": 5,
        "suppression_limit": 0.01,
        "quasi_identifiers": {
            f"c{place}": {"hierarchy": "other" if place else "first"} for place in range(size.columns)
        },
        "search": {"objective": "prec"},
        "release": {"to": "release.parquet"},
    }


def _of_observations(versions: int) -> Grown:
    with TemporaryDirectory(prefix="ordermade-bench-") as name:
        folder = Path(name)
        state = large_state.made_state(folder, versions)
        program = str(Path(sys.executable).parent / "ordermade")
        command = [program, "--state", str(state), "request", "predict", str(folder / "predict.yaml")]
        number = versions * large_state.OBSERVATIONS
        finished = _turns(lambda: process(command, folder), f"{number} observations")
        return Grown("observations", number, number, None, finished)


def _row(each: Grown) -> tuple[object, ...]:
    nodes = each.weight if each.by in ("columns", "levels") else None
    return each.by, each.size, nodes, each.seconds, each.processor_seconds, each.memory, each.registered


def _steepest(by: str, sizes: Sequence[Grown]) -> Figure:
    steps = [
        (larger.seconds / smaller.seconds / (larger.weight / smaller.weight), smaller, larger)
        for smaller, larger in pairwise(sizes)
    ]
    steep, smaller, larger = max(steps, key=lambda each: each[0])
    note = f"from {smaller.size:,} ({smaller.seconds:.2f} s) to {larger.size:,} ({larger.seconds:.2f} s)"
    return Figure(f"by {by}: the steepest step, seconds / what grows", steep, STEEPEST, note=note)


def draw(found: Sequence[Grown], path: Path) -> None:
    """Draws a panel for each thing that grows: seconds and memory of the whole process."""
    path.unlink(missing_ok=True)
    things = list(dict.fromkeys(each.by for each in found))
    with drawn(path, len(things), across=3, size=(10.4, 6.4)) as axes:
        for place, by in zip(axes, things, strict=True):
            of_it = [each for each in found if each.by == by]
            sizes = [each.size for each in of_it]
            plain_logarithms(place)
            place.plot(sizes, [each.seconds for each in of_it], color=BLUE, marker="o", ms=4, label="seconds")
            place.plot(sizes, [each.memory for each in of_it], color=ORANGE, marker="^", ms=4, label="GiB")
            place.set_title(by)
        handles, labels = axes[0].get_legend_handles_labels()
        axes[0].figure.legend(handles, labels, loc="outside lower center", ncols=2)
