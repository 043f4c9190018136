"""Whole processes beside ARX, in turns: the best node by Prec, from the start of the process to the written release.

ARX is built from its sources (see README.md in this folder). The environment variable ORDERMADE_BENCH_ARX names the
class path of the build; ORDERMADE_BENCH_LARGE adds ten million members. Both programs get the same rows, hierarchies,
k and suppression limit, and their nodes must have the same Prec, or the comparison stops.
"""

from __future__ import annotations

import compileall
import json
import math
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

import ordermade
from bench.arx_tables import RELEASE, REQUEST, STATE, K, L, Source, Table, Wanted, adult, members
from bench.figure import Figure, median, print_rows
from ordermade.files.file_reading import FileReading
from ordermade.sources.limits import Limits
from ordermade.sources.open import open_source

ARX = "ORDERMADE_BENCH_ARX"
LARGE = "ORDERMADE_BENCH_LARGE"
REPETITIONS = 5
MEMBERS, MANY_MEMBERS = 1_000_000, 10_000_000
MAX_MEMORY = 1.5
MAX_OF_DETECTED_READ = 2.5

ARX_ITSELF, BY_HAND = "ARX", "GROUP BY and copy"
NEW, AGAIN, SAME = "new", "again", "the same"
"""Nothing known; the same with `--again`, everything known; the same without it, which the state answers."""
TARGETS = {NEW: 0.5, AGAIN: 0.35, SAME: 0.25}
"""The most that the seconds of a run may be of ARX's."""
ADULT_LIMITS, MEMBERS_LIMITS = (0.0, 0.01, 0.05), (0.0, 0.01)
MOST_OF_COPY = 1.6
"""The most that the seconds of ten million members in a DuckDB file, new, may be of a GROUP BY and a copy of them."""


@dataclass(frozen=True)
class Finished:
    """A process that ended: its seconds, the most memory it held in GiB, its output; why it failed, if it did.

    `processor_seconds`: those of all its threads.
    """

    seconds: float
    memory: float
    output: str
    fault: str = ""
    processor_seconds: float = 0.0


@dataclass
class Runs:
    """The runs of one program on one task."""

    finished: list[Finished] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """The median; infinite where a run failed."""
        return math.inf if self.fault else median([each.seconds for each in self.finished])

    @property
    def processor_seconds(self) -> float:
        """The median of those of the processor."""
        return median([each.processor_seconds for each in self.finished])

    @property
    def least(self) -> float:
        return min(each.seconds for each in self.finished)

    @property
    def most(self) -> float:
        return max(each.seconds for each in self.finished)

    @property
    def fault(self) -> str:
        """Why a run failed, the first that did; empty if none did."""
        return next((each.fault for each in self.finished if each.fault), "")

    @property
    def memory(self) -> float:
        """The most that a run held, in GiB."""
        return max(each.memory for each in self.finished)

    @property
    def described(self) -> str:
        """The range of the seconds, or why a run failed."""
        return self.fault or f"{self.seconds:.2f} s ({self.least:.2f} to {self.most:.2f})"


def show() -> Sequence[Figure]:
    """Prints seconds and memory; seconds over those of ARX, and those of reading CSV over DuckDB's own read."""
    class_path = os.environ.get(ARX)
    if not class_path:
        print(f"\nbeside ARX: left out, {ARX} names no class path of a build (bench/README.md says how to make one)")
        return []
    figures: list[Figure] = []
    # As a wheel is when it is installed: an editable package may have no bytecode.
    compileall.compile_dir(Path(ordermade.__file__).parent, quiet=1)
    with TemporaryDirectory(prefix="ordermade-bench-") as name:
        folder = Path(name)
        run_arx = compiled(class_path, folder)
        table = adult()
        if table is None:
            print("\nbeside ARX, Adult: left out, it needs the public data sets in shared/data beside the repository")
        else:
            figures += _beside(table, ADULT_LIMITS, run_arx, folder / "adult")
        figures += _on_members(MEMBERS, run_arx, folder / "members")
        if os.environ.get(LARGE):
            figures += _on_members(MANY_MEMBERS, run_arx, folder / "many", many=True)
        else:
            print(f"\nbeside ARX, {MANY_MEMBERS:,} members: left out, {LARGE} is not set")
    return figures


RunArx = Callable[[Table, Wanted, Path], Finished]
OPTIMAL = "OPTIMAL"


def compiled(class_path: str, folder: Path, algorithm: str = OPTIMAL, *, most_seconds: float | None = None) -> RunArx:
    """The request of ARX, compiled into the folder, so that compiling it is in no run's seconds.

    `algorithm`: as ARX names it. A run that is not over in `most_seconds` is killed, and ends with a fault.
    """
    whole_path = compiled_programs(class_path, folder)

    def run(table: Table, wanted: Wanted, where: Path) -> Finished:
        properties = {"objective": wanted.objective, "algorithm": algorithm, "l": L}
        if wanted.sensitive is not None:
            properties["sensitive"] = wanted.sensitive
        if wanted.seconds is not None:
            properties["seconds"] = wanted.seconds
        options = [f"-D{name}={value}" for name, value in properties.items()]
        given = [str(K), str(wanted.limit), RELEASE]
        command = ["java", *options, "-cp", whole_path, "Request", *_arguments(table, given)]
        return process(command, where, most_seconds=most_seconds)

    return run


def levels_and_score(finished: Finished) -> tuple[list[int], float]:
    """The node that a request of ARX printed, and its score."""
    levels, score = finished.output.splitlines()
    return [int(level) for level in levels.split()], float(score)


def warm_searches(class_path: str, table: Table, ks: Sequence[int], limits: Sequence[float]) -> list[list[float]]:
    """The seconds of ARX's search by itself, its code compiled and the rows loaded: for each limit those of every k."""
    with TemporaryDirectory(prefix="ordermade-bench-") as name:
        folder = Path(name)
        every = [",".join(map(str, ks)), ",".join(map(str, limits)), str(REPETITIONS)]
        lines = _arx(compiled_programs(class_path, folder), "Searches", table, every, folder).output.splitlines()
    seconds = [float(line.split()[-1]) / 1000 for line in lines]
    return [seconds[start : start + len(ks)] for start in range(0, len(seconds), len(ks))]


def warm_search(class_path: str, table: Table, k: int, limit: float, most: float) -> float:
    """The seconds of one search of ARX after one that is not counted; infinite where they are not over in `most`."""
    with TemporaryDirectory(prefix="ordermade-bench-") as name:
        folder = Path(name)
        compiled = compiled_programs(class_path, folder)
        columns = [text for each in table.attributes for text in (each.column, "0", str(each.for_arx))]
        command = ["java", "-Dwarm=1", "-cp", compiled, "Searches", str(table.csv), table.delimiter, str(k), str(limit)]
        try:
            done = subprocess.run(
                [*command, "1", *columns], check=True, capture_output=True, text=True, timeout=2 * most + 30
            )
        except subprocess.TimeoutExpired:
            return math.inf
    return float(done.stdout.split()[-1]) / 1000


def compiled_programs(class_path: str, folder: Path) -> str:
    """The class path with the programs of this folder, compiled."""
    sources = map(str, sorted((Path(__file__).parent / "arx").glob("*.java")))
    subprocess.run(["javac", "-cp", class_path, "-d", str(folder / "classes"), *sources], check=True)
    return os.pathsep.join((str(folder / "classes"), class_path))


def _arx(class_path: str, program: str, table: Table, asked: Sequence[str], where: Path) -> Finished:
    """A run of one of the programs; raises RuntimeError where it fails."""
    return faultless(process(["java", "-cp", class_path, program, *_arguments(table, asked)], where))


def faultless(finished: Finished) -> Finished:
    """A run of ARX; raises RuntimeError where it failed."""
    if finished.fault:
        raise RuntimeError(f"ARX ended with a fault: {finished.fault}")
    return finished


def _arguments(table: Table, given: Sequence[str]) -> list[str]:
    """The arguments of a program of ARX: the file, those given, and the columns."""
    of_columns = ((each.column, str(each.least_level), str(each.for_arx)) for each in table.attributes)
    return [str(table.csv), table.delimiter, *given, *(text for each in of_columns for text in each)]


def process(
    command: Sequence[str],
    folder: Path,
    within: Path | None = None,
    environment: Mapping[str, str] | None = None,
    most_seconds: float | None = None,
) -> Finished:
    """Runs a command in a folder, or `within` another, and waits for its end; its output is kept in the first.

    `environment`: instead of this process's own. `most_seconds`: it is killed after so many.
    """
    with (folder / "stdout").open("w+") as output, (folder / "stderr").open("w+") as errors:
        started = time.perf_counter()
        child = subprocess.Popen(
            command,
            cwd=within or folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            env=environment,
        )
        killing = threading.Timer(most_seconds or 0, child.kill)
        if most_seconds is not None:
            killing.start()
        _, status, usage = os.wait4(child.pid, 0)
        killing.cancel()
        seconds = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        memory = usage.ru_maxrss / (2**30 if sys.platform == "darwin" else 2**20)
        fault = f"exit status {child.returncode}: {' '.join(errors.read().split())[:300]}" if child.returncode else ""
        return Finished(seconds, memory, output.read(), fault, usage.ru_utime + usage.ru_stime)


def _on_members(rows: int, run_arx: RunArx, folder: Path, *, many: bool = False) -> Sequence[Figure]:
    folder.mkdir()
    table = members(rows, folder)
    found = [*_beside(table, MEMBERS_LIMITS, run_arx, folder / "runs", many=many), _reading(table)]
    shutil.rmtree(folder)
    return found


def _beside(
    table: Table, limits: Sequence[float], run_arx: RunArx, folder: Path, *, many: bool = False
) -> Sequence[Figure]:
    """Runs all programs on a table, in turns, at every limit; where it has `many` rows, GROUP BY and copy too."""
    states = {source: folder / f"registered-{source.name}" for source in table.sources}
    for source, state in states.items():
        table.registered(source, state)
    _print_load(table)
    runs: dict[tuple[float, str], Runs] = {}
    for _ in range(REPETITIONS):
        for limit in limits:
            ended = _turn(table, Wanted(limit), states, run_arx, folder / "turn")
            if many:
                ended[BY_HAND] = _copied(table, folder / "turn")
            for program, finished in ended.items():
                runs.setdefault((limit, program), Runs()).finished.append(finished)
    print_rows(
        f"beside ARX: {table.name}, {len(table.attributes)} quasi-identifiers, k = {K}, by Prec",
        ("program", "limit", "median s", "least s", "most s", "of processor", "GiB"),
        [
            (program, f"{limit:.0%}", each.seconds, each.least, each.most, each.processor_seconds, each.memory)
            for (limit, program), each in runs.items()
        ],
    )
    mine = {(limit, program): each for (limit, program), each in runs.items() if program not in (ARX_ITSELF, BY_HAND)}
    figures = [_ratio(table, limit, program, each, runs[limit, ARX_ITSELF]) for (limit, program), each in mine.items()]
    if many:
        figures += [
            Figure(f"{table.name}, {program}, limit {limit:.0%}: peak memory", each.memory, MAX_MEMORY, "GiB")
            for (limit, program), each in mine.items()
        ]
        figures += [_over_copy(table, limit, runs) for limit in limits]
    return figures


def _turn(
    table: Table, wanted: Wanted, states: Mapping[Source, Path], run_arx: RunArx, folder: Path
) -> dict[str, Finished]:
    """One run of each program, in a folder that is removed afterwards."""
    ended: dict[str, Finished] = {}
    for source, state in states.items():
        table.asked(state, wanted, folder)
        ended[_program(source.name, NEW)] = answered(folder)
        ended[_program(source.name, AGAIN)] = answered(folder, "--again")
        ended[_program(source.name, SAME)] = answered(folder)
        shutil.rmtree(folder)
    folder.mkdir()
    ended[ARX_ITSELF] = faultless(run_arx(table, wanted, folder))
    shutil.rmtree(folder)
    best = table.prec(levels_and_score(ended[ARX_ITSELF])[0])
    for program, finished in ended.items():
        if program != ARX_ITSELF and not finished.fault:
            levels = json.loads(finished.output)["levels"]
            assert table.prec([levels[each.column] for each in table.attributes]) == best, f"{program}: another Prec"
    return ended


def _program(source: str, known: str) -> str:
    return f"{source}, {known}"


def _copied(table: Table, folder: Path) -> Finished:
    """A run of the GROUP BY and the copy that are typed by hand."""
    folder.mkdir()
    (database,) = (each.location for each in table.sources if each.name == "DuckDB")
    command = [sys.executable, "-m", "bench.one_copy", str(database), str(folder / "copied.csv")]
    finished = process(command, folder, within=Path(__file__).resolve().parents[1])
    shutil.rmtree(folder)
    if finished.fault:
        raise RuntimeError(f"GROUP BY and copy ended with a fault: {finished.fault}")
    return finished


def answered(folder: Path, *options: str, environment: Mapping[str, str] | None = None) -> Finished:
    """A run of the program that answers the request of a folder. `environment`: instead of this process's own."""
    program = str(Path(sys.executable).parent / "ordermade")
    state = str(folder / STATE / "state.sqlite")
    return process(
        [program, "--state", state, "request", "run", REQUEST, "--json", *options], folder, None, environment
    )


def _ratio(table: Table, limit: float, program: str, mine: Runs, theirs: Runs) -> Figure:
    name = f"{table.name}, {program}, limit {limit:.0%}: seconds / ARX's"
    target = TARGETS[program.split(", ")[-1]]
    note = f"{mine.described}; ARX {theirs.described}"
    return Figure(name, mine.seconds / theirs.seconds, target, note=note)


def _over_copy(table: Table, limit: float, runs: Mapping[tuple[float, str], Runs]) -> Figure:
    mine, theirs = runs[limit, _program("DuckDB", NEW)], runs[limit, BY_HAND]
    name = f"{table.name}, DuckDB, new, limit {limit:.0%}: seconds / GROUP BY and copy"
    note = f"{mine.described}; GROUP BY and copy {theirs.described}"
    return Figure(name, mine.seconds / theirs.seconds, MOST_OF_COPY, note=note)


def _reading(table: Table) -> Figure:
    """Opening a CSV source that nothing is kept of, over DuckDB's own read with detected types into a table."""
    mine, theirs = [], []
    for _ in range(REPETITIONS):
        started = time.perf_counter()
        open_source(str(table.csv), "csv", writable=False, reading=FileReading(), limits=Limits()).close()
        opened = time.perf_counter()
        with duckdb.connect() as connection:
            connection.execute("CREATE TABLE detected AS FROM READ_CSV($path)", {"path": str(table.csv)})
        mine.append(opened - started)
        theirs.append(time.perf_counter() - opened)
    note = f"{median(mine):.2f} s against {median(theirs):.2f} s"
    name = f"{table.name}: reading the CSV / DuckDB's own detected read"
    return Figure(name, median(mine) / median(theirs), MAX_OF_DETECTED_READ, note=note)


def _print_load(table: Table) -> None:
    """Other work slows the threads of ARX more than ordermade: ratios of a busy machine flatter."""
    least, _, longest = os.getloadavg()
    print(
        f"\nbeside ARX: {table.name}: load average before it {least:.1f} (1 minute), {longest:.1f} (15 minutes); "
        f"{os.cpu_count()} cores; medians of {REPETITIONS} runs in turns"
    )
