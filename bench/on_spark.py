"""`python -m bench.on_spark [PIECE …]`: requests in a local Spark, against its own GROUP BY and a DuckDB's answers.

Pieces: decisions, shuffle, searches, models, persons; all of them where none is named. Each figure is printed as soon
as it is there. `ORDERMADE_BENCH_ROWS` rows (50,000,000). Spark is started once, and its start is in no figure.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast, get_args

import duckdb

from bench.members import Timeline
from ordermade import Engine, initialise
from ordermade.hierarchies.read import parse_yaml
from ordermade.requests.generalization import Algorithm
from ordermade.sources.executor import ExecutedStatement, Purpose

ROWS = int(os.environ.get("ORDERMADE_BENCH_ROWS", "50000000").replace("_", ""))
ROWS_OF_A_PERSON = 100
MASTER = "local[2]"
DRAWN: Mapping[str, str] = {
    "sex": "CASE WHEN {0} % 2 = 0 THEN 'f' ELSE 'm' END",
    "age": "CAST(18 + {0} % 60 AS BIGINT)",
    "prefecture": "printf('%02d', CAST(1 + {0} % 47 AS INTEGER))",
    "occupation": "printf('o%02d', CAST({0} % 9 AS INTEGER))",
    "plan": "printf('p%d', CAST({0} % 3 AS INTEGER))",
    "joined": "CAST(2010 + {0} % 10 AS BIGINT)",
}
"""Each column of a random number of its own: 1,522,800 combinations at most."""
RULES: Mapping[str, str] = {
    "sex": "mapping:\n  f: ['*']\n  m: ['*']\n",
    "age": "intervals:\n  levels:\n    - {width: 5}\n    - {width: 20}\n",
    "prefecture": "prefix:\n  keep: [1]\n",
    "occupation": "prefix:\n  keep: [2]\n",
    "plan": "prefix:\n  keep: [1]\n",
    "joined": "intervals:\n  levels:\n    - {width: 5}\n",
}
LIMITS: Mapping[str, Mapping[str, Any]] = {"limit 0": {}, "limit 1 %": {"suppression_limit": 0.01}}
FEW = ("sex", "age", "prefecture")
"""The quasi-identifiers of the requests that are there for their answers: the exhaustive search measures every node.

Their k is so large that the finest nodes fail.
"""
MODELS: Mapping[str, Mapping[str, Any]] = {
    "distinct_l of plan, limit 1 %": {
        "suppression_limit": 0.01,
        "sensitive": {"plan": [{"model": "distinct_l", "l": 2}]},
    }
}


def search_requests() -> dict[str, dict[str, Any]]:
    """A request for each algorithm, at both limits where it takes them."""
    found = {}
    for algorithm in get_args(Algorithm):
        search = {"algorithm": algorithm, **({"objective": "classes"} if algorithm.startswith("paper-") else {})}
        for title, more in LIMITS.items():
            if not (more and algorithm.startswith("paper-")):
                found[f"{algorithm}, {title}"] = {**more, "search": search}
    return found


def make(path: Path, rows: int, drawn_by: str = "i") -> None:
    """A Parquet file of that many rows, whose values are drawn by the number of the row, or of its person."""
    columns = ", ".join(
        f"{text.format(f'(hash({drawn_by}, {place}) % 1000003)')} AS {name}"
        for place, (name, text) in enumerate(DRAWN.items())
    )
    if drawn_by != "i":
        columns += f", {drawn_by} AS who"
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute("SET memory_limit = '1GB'; SET preserve_insertion_order = false")
        connection.execute(f"COPY (SELECT {columns} FROM range({rows}) r(i)) TO '{path}' (FORMAT parquet)")


def peaks() -> tuple[float, float]:
    """The most memory in GiB of this process, and of the Java that it started."""
    java = [each for each in _processes() if _parent(each) == os.getpid() or _parent(_parent(each)) == os.getpid()]
    return _most(os.getpid()), sum(map(_most, java))


def _processes() -> Iterator[int]:
    return (int(each.name) for each in Path("/proc").iterdir() if each.name.isdecimal())


def _field(process: int, name: str) -> str:
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return "0"
    return next((each.split()[1] for each in lines if each.startswith(f"{name}:")), "0")


def _parent(process: int) -> int:
    return int(_field(process, "PPid"))


def _most(process: int) -> float:
    return int(_field(process, "VmHWM")) / 2**20


@dataclass
class Shuffled(Timeline):
    """A timeline with the records that Spark wrote for a shuffle in each statement."""

    records: list[tuple[Purpose, int, int]] = field(default_factory=list)
    _stages: set[int] = field(default_factory=set)

    def statement(self, statement: ExecutedStatement) -> None:
        super().statement(statement)
        new = {each: written for each, written in stages().items() if each not in self._stages}
        self._stages |= set(new)
        if new:
            sums = (sum(each[place] for each in new.values()) for place in (0, 1))
            self.records.append((statement.purpose, *cast("tuple[int, int]", tuple(sums))))


def stages() -> dict[int, tuple[int, int]]:
    """The records and bytes that each stage of Spark wrote for a shuffle, by its number."""
    from pyspark.sql import SparkSession

    context = SparkSession.builder.getOrCreate().sparkContext
    scala, java = context._jsc.sc(), cast("Any", context._jvm)
    scala.listenerBus().waitUntilEmpty(60_000)
    none = context._gateway.new_array(java.double, 0)
    listed = scala.statusStore().stageList(None, False, False, none, java.java.util.ArrayList())
    found = (listed.apply(place) for place in range(listed.size()))
    return {each.stageId(): (each.shuffleWriteRecords(), each.shuffleWriteBytes()) for each in found}


def engine_of(folder: Path, name: str, location: str, entity: str | None = None) -> Engine:
    """An engine on a new state with the table of that location."""
    engine = Engine(folder / name / "state.sqlite")
    initialise(engine.state_file.path)
    engine.sources.add("source", location)
    engine.datasets.add("persons", "source", table=Path(location).stem, entity=entity, least_k=2)
    for column, text in RULES.items():
        parse_yaml(text, column, where=column)
        file = folder / f"{column}.yaml"
        file.write_text(text, encoding="utf-8")
        engine.hierarchies.add(column, file)
    return engine


def decided(engine: Engine, folder: Path, more: Mapping[str, Any], timeline: Timeline) -> tuple[Any, float]:
    """The result of a request and its seconds up to the decision."""
    is_few = "search" in more or "sensitive" in more
    columns = FEW if is_few else tuple(RULES)
    request = {
        "dataset": "persons",
        "k": max(20, ROWS // 1_000) if is_few else 20,
        "quasi_identifiers": {column: {"hierarchy": column} for column in columns},
        "release": {"to": str(folder / "out.parquet"), "replace": True},
        **more,
    }
    started = time.perf_counter()
    result = replace(engine, progress=timeline).run(request, again=True)
    steps = dict(timeline.steps)
    return result, steps.get("release", time.perf_counter()) - started


@dataclass(eq=False)
class OnSpark:
    """The bench in its folder. `numbers` makes the name of each state."""

    folder: Path
    numbers: Iterator[int] = field(default_factory=lambda: iter(range(10_000)))

    @cache  # noqa: B019  # there is one
    def path(self, name: str) -> Path:
        """A file: `rows` of rows, `visits` of those of persons."""
        path = self.folder / f"{name}.parquet"
        drawn_by = "i" if name == "rows" else f"i // {ROWS_OF_A_PERSON}"
        started = time.perf_counter()
        make(path, ROWS, drawn_by)
        say(f"{name}: {ROWS:,} rows made in {time.perf_counter() - started:.0f} s")
        return path

    @cache  # noqa: B019
    def by_hand(self) -> float:
        """The seconds of Spark's own GROUP BY, once it has warmed up on the file."""
        from pyspark.sql import SparkSession

        listed = ", ".join(DRAWN)
        hand = f"SELECT {listed}, COUNT(*) AS n FROM parquet.`{self.path('rows')}` GROUP BY {listed}"
        started = time.perf_counter()
        combinations = SparkSession.builder.getOrCreate().sql(hand).toArrow().num_rows
        seconds = time.perf_counter() - started
        say(f"GROUP BY by hand: {seconds:.1f} s, {combinations:,} combinations")
        return seconds

    def asked(
        self, name: str, title: str, more: Mapping[str, Any], entity: str | None = None
    ) -> tuple[Shuffled, float]:
        """Runs a request in Spark and in DuckDB, and says whether their answers are the same."""
        path, number = self.path(name), next(self.numbers)
        watched = Shuffled(_stages=set(stages()))
        there = engine_of(self.folder, f"spark-{number}", f"{MASTER}?path={path}", entity)
        result, seconds = decided(there, self.folder, more, watched)
        here = engine_of(self.folder, f"duckdb-{number}", str(path), entity)
        expected, in_duckdb = decided(here, self.folder, more, Timeline())
        figures = [
            (each.status, getattr(each, "levels", None), each.k, each.divisions, each.loss, each.suppressed_rows)
            for each in (result, expected)
        ]
        same = "identical" if figures[0] == figures[1] else f"DIFFERENT: {figures}"
        say(f"{title}: decided in {seconds:.1f} s, DuckDB {in_duckdb:.1f} s: {same}; {result.status}, k {result.k}")
        say_peaks()
        return watched, seconds

    def decisions(self) -> None:
        """A request at each limit, against the GROUP BY."""
        hand = self.by_hand()
        for title, more in LIMITS.items():
            watched, seconds = self.asked("rows", title, more)
            for statement, _ in watched.statements:
                if statement.seconds > hand / 20:
                    say(f"    {statement.purpose}: {statement.seconds:.1f} s")
            say(f"{title}: {seconds / hand:.2f} of GROUP BY by hand (at most 2)")

    def shuffle(self) -> None:
        """The records that were shuffled, against the distinct combinations of each map task."""
        from pyspark.sql import SparkSession

        watched, _ = self.asked("rows", "shuffle, limit 0", {})
        for purpose, records, size in watched.records:
            say(f"    {purpose}: {records:,} records shuffled, {size / 2**20:.1f} MiB")
        listed = ", ".join(DRAWN)
        each_task = f"SELECT DISTINCT spark_partition_id() AS task, {listed} FROM parquet.`{self.path('rows')}`"
        session = SparkSession.builder.getOrCreate()
        counted = session.sql(f"SELECT COUNT(*), COUNT(DISTINCT task) FROM ({each_task})").collect()[0]
        most = max(records for _, records, _ in watched.records)
        say(
            f"shuffled {most:,} records; {counted[1]} map tasks have {counted[0]:,} distinct combinations in all: "
            f"{most / counted[0]:.3f} (at most 1.05)"
        )

    def searches(self) -> None:
        """Every algorithm."""
        for title, more in search_requests().items():
            self.asked("rows", title, more)

    def models(self) -> None:
        """A model of a sensitive column."""
        for title, more in MODELS.items():
            self.asked("rows", title, more)

    def persons(self) -> None:
        """Persons with many rows each."""
        for title, more in LIMITS.items():
            self.asked("visits", f"persons, {title}", more, "who")


PIECES: Mapping[str, Callable[[OnSpark], None]] = {
    "decisions": OnSpark.decisions,
    "shuffle": OnSpark.shuffle,
    "searches": OnSpark.searches,
    "models": OnSpark.models,
    "persons": OnSpark.persons,
}


def say(line: str) -> None:
    """Prints a figure at once."""
    print(line, flush=True)


def say_peaks() -> None:
    """Prints the most memory so far."""
    say("    peak so far, GiB: engine {:.2f}, Java {:.2f} (at most 1.8)".format(*peaks()))


def main(pieces: list[str]) -> None:
    """Measures and prints."""
    begun = time.perf_counter()
    with TemporaryDirectory(prefix="ordermade-bench-") as name:
        bench = OnSpark(Path(name))
        first = bench.path("visits" if pieces == ["persons"] else "rows")
        started = time.perf_counter()
        engine_of(bench.folder, "start", f"{MASTER}?path={first}")
        say(f"Spark starts and opens the source in {time.perf_counter() - started:.1f} s")
        say_peaks()
        for each in pieces or PIECES:
            since = time.perf_counter()
            PIECES[each](bench)
            say(f"piece {each}: {time.perf_counter() - since:.0f} s")
    say(f"all: {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
