"""The requests of the benchmarks: the demo's million members, their hierarchies, and requests of six columns."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from importlib.resources import as_file
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ordermade import Engine, initialise
from ordermade.demo.tables import MEMBERS, make_members
from ordermade.methods.generalization.result import GeneralizationResult
from ordermade.progress.waiting import Silent
from ordermade.sources.executor import ExecutedStatement, Purpose

ROWS = 1_000_000
K = 50

FINE: Mapping[str, Mapping[str, Any]] = {
    "sex": {},
    "age": {"from": "5 years"},
    "prefecture": {},
    "occupation": {},
    "plan": {},
    "joined": {"from": "month"},
}
"""Six columns whose frequency set is nearly as long as the table."""

COARSE: Mapping[str, Mapping[str, Any]] = {**FINE, "joined": {"from": "year"}}
"""The same with the year of joining."""


@dataclass(frozen=True)
class Bench:
    """A folder with the members in it, in which engines with states of their own are made."""

    folder: Path

    @property
    def database(self) -> Path:
        return self.folder / "members.duckdb"

    def engine(self, name: str) -> Engine:
        """An engine on a new state, everything registered, nothing measured."""
        engine = Engine(self.folder / name / "state.sqlite")
        initialise(engine.state_file.path)
        engine.sources.add("shop", str(self.database))
        engine.datasets.add("members", "shop", table="members", least_k=2)
        with as_file(MEMBERS) as data:
            for file in sorted((data / "hierarchies").iterdir()):
                engine.hierarchies.add(file.stem, file)
        return engine

    def request(self, columns: Mapping[str, Mapping[str, Any]], name: str, k: int = K) -> dict[str, Any]:
        """A request for these columns at these levels, released beside the state of that name."""
        return {
            "title": "benchmark",
            "dataset": "members",
            "k": k,
            "quasi_identifiers": {column: {"hierarchy": column, **levels} for column, levels in columns.items()},
            "identifiers": ["member_id", "name"],
            "release": {"to": str(self.folder / name / "release.parquet"), "replace": True},
        }


class MadeBench(AbstractContextManager["Bench"]):
    """A bench in a temporary folder, removed at the end."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="ordermade-bench-")

    def __enter__(self) -> Bench:
        bench = Bench(Path(self._folder.name))
        make_members(bench.database, ROWS)
        return bench

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()


@dataclass
class Timeline(Silent):
    """When each step of a request began and each statement ended."""

    steps: list[tuple[str, float]] = field(default_factory=list)
    statements: list[tuple[ExecutedStatement, float]] = field(default_factory=list)

    def step(self, name: str) -> None:
        self.steps.append((name, time.perf_counter()))

    def statement(self, statement: ExecutedStatement) -> None:
        self.statements.append((statement, time.perf_counter()))

    def seconds_of_first(self, purpose: Purpose) -> float:
        return next(each.seconds for each, _ in self.statements if each.purpose is purpose)


@dataclass(frozen=True)
class Run:
    """A request that was run: its result, how long it took, and its timeline."""

    result: GeneralizationResult
    seconds: float
    timeline: Timeline
    ended: float


def timed(engine: Engine, request: Mapping[str, Any], *, roll_up: bool = True) -> Run:
    """Runs the request and times it."""
    timeline = Timeline()
    listening = replace(engine, progress=timeline)
    started = time.perf_counter()
    result = listening.run(request, roll_up=roll_up, again=True)
    ended = time.perf_counter()
    return Run(result, ended - started, timeline, ended)
