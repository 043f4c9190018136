"""What the demo does: makes the members, registers them and their hierarchies, and asks five requests."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import as_file
from pathlib import Path
from typing import Any, cast

from ordermade import sql
from ordermade.demo.members import DATA, make_members
from ordermade.engine import Engine
from ordermade.errors import InputError
from ordermade.generalization.predict import known_nodes
from ordermade.generalization.predicted import Predicted
from ordermade.generalization.result import GeneralizationResult
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.prediction.scores import Scores, scores
from ordermade.release.files import ending_of, read_statement
from ordermade.requests.read import of_generalization, read_request
from ordermade.sources.door import Door, Purpose, Statement
from ordermade.sources.workspace import Limits, SpillFolder, connect
from ordermade.state.migrations import initialise

DATABASE = "members.duckdb"
STATE = Path(".ordermade") / "state.duckdb"
QUASI_IDENTIFIERS = ("sex", "age", "prefecture", "occupation", "plan", "joined")
"""The columns that the demo has a hierarchy for."""

PREDICTED = frozenset({"4-predicted", "5-predicted-again"})
"""The requests that are predicted before they run."""

Told = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Timed:
    """A step of the demo and the seconds it took."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Foretold:
    """What was predicted of a request before it ran, and what table C learnt from it.

    `known_before`, `known_after`: nodes in table C. `scores`: predicted against measured k of the accepted nodes that
    were measured since; None if there are none.
    """

    predicted: Predicted
    known_before: int
    known_after: int
    scores: Scores | None


@dataclass(frozen=True, slots=True)
class Answer:
    """One request of the demo: its file, what came of it, its steps, and the first rows of its release.

    `foretold` is None for a request that was not predicted.
    """

    file: str
    text: str
    result: GeneralizationResult
    steps: tuple[Timed, ...]
    columns: tuple[str, ...] = ()
    first_rows: tuple[tuple[Any, ...], ...] = ()
    foretold: Foretold | None = None


class Stopwatch:
    """Times the steps of a request as they are told, and tells them on."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._started: list[tuple[str, float]] = []

    def step(self, name: str) -> None:
        """A step begins."""
        self._started.append((name, time.perf_counter()))
        self._told(name)

    def nodes_left(self, count: int) -> None:
        """The search goes on."""
        self._told(f"{self._started[-1][0]}: {count:,} left to settle")

    def records_left(self, count: int) -> None:
        """No request of the demo groups records."""

    def statement(self, statement: Statement) -> None:
        """Statements are not shown one by one."""

    def laps(self) -> tuple[Timed, ...]:
        """The steps so far, the last one until now."""
        ends = [*(start for _, start in self._started[1:]), time.perf_counter()]
        return tuple(Timed(name, end - start) for (name, start), end in zip(self._started, ends, strict=True))


@dataclass(frozen=True, slots=True)
class Demo:
    """The demo in a folder of its own. `told` hears what is being done."""

    folder: Path
    rows: int
    told: Told
    limits: Limits

    def set_up(self) -> Iterator[Timed]:
        """Makes files, members and state, one step at a time. Raises InputError if the folder is in use."""
        _require_empty(self.folder)
        for name, step in (
            (f"{self.rows:,} members made in {DATABASE}", self._make),
            ("state made; source, dataset and hierarchies added", self._register),
        ):
            self.told(name)
            started = time.perf_counter()
            step()
            yield Timed(name, time.perf_counter() - started)

    def answers(self) -> Iterator[Answer]:
        """The requests of the demo, asked one after the other from the demo's folder."""
        for file in sorted((self.folder / "requests").iterdir()):
            yield self._ask(file)

    def _make(self) -> None:
        with as_file(DATA) as data:
            for name in ("hierarchies", "requests"):
                shutil.copytree(data / name, self.folder / name)
        make_members(self.folder / DATABASE, self.rows, limits=self.limits)

    def _register(self) -> None:
        engine = self._engine
        initialise(engine.state_file.path)
        engine.sources.add("shop", str(self.folder / DATABASE))
        engine.datasets.add("members", "shop", table="members")
        for file in sorted((self.folder / "hierarchies").iterdir()):
            engine.hierarchies.add(file.stem, file)

    def _ask(self, file: Path) -> Answer:
        predicted = file.stem in PREDICTED
        watch = Stopwatch(self.told)
        if predicted:
            watch.step("prediction")
        with contextlib.chdir(self.folder):  # a release goes where the request says, from the folder it is asked in
            before = self._engine.predict(file) if predicted else None
            # every request of the demo generalises
            result = cast(GeneralizationResult, replace(self._engine, progress=watch).run(file))
        answer = Answer(file.relative_to(self.folder).as_posix(), file.read_text("utf-8"), result, watch.laps())
        if before is not None:
            measured = known_nodes(self._engine.state_file, of_generalization(read_request(file), "demo"))
            return replace(answer, foretold=_foretold(before, result, measured))
        if result.release is None:
            return answer
        columns, rows = _first_rows(self.folder / result.release.path, self.limits)
        return replace(answer, columns=columns, first_rows=rows)

    @property
    def _engine(self) -> Engine:
        return Engine(self.folder / STATE, self.limits)


def _foretold(predicted: Predicted, result: GeneralizationResult, known: Mapping[Node, Observation]) -> Foretold:
    """What was predicted, held against what table C knows after the request ran."""
    pairs = [
        (float(known[node].k), each.k)
        for each in predicted.nodes
        if (node := tuple(each.levels.values())) in known and each.k is not None and each.low != each.high
    ]
    before = 0 if predicted.basis is None else predicted.basis.observations
    return Foretold(predicted, before, before + result.search.nodes_measured, scores(pairs) if pairs else None)


def _require_empty(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(
            "the demo writes into an empty folder of its own",
            where=str(folder),
            next_step="Name a new folder, or empty this one.",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"the folder cannot be made ({error.strerror or type(error).__name__})",
            where=str(folder),
            next_step="Name a folder that can be written.",
        ) from None


def _first_rows(path: Path, limits: Limits) -> tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]:
    """The names of the columns of a released file, and its first rows."""
    released = read_statement(path, ending_of(path))
    query = sql.with_relations(sql.select("demo/first_rows"), {"released": released})
    described = sql.with_relations(sql.template("columns"), {"dataset": released})
    with SpillFolder() as spill, connect(None, spill, limits) as connection:
        door = Door(connection, "written release")
        names = tuple(str(row[0]) for row in door.rows(Purpose.CATALOG, described))
        return names, tuple(door.rows(Purpose.MEASURE, query))
