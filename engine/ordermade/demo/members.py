"""The demo of members: makes them, registers them and their hierarchies, and runs five requests."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from ordermade import sql
from ordermade.demo.folder import STATE, Table, set_up
from ordermade.demo.steps import Notify, Stopwatch, Timed
from ordermade.demo.tables import MEMBERS, make_members
from ordermade.engine import Engine
from ordermade.generalization.predict import known_nodes
from ordermade.generalization.predicted import Predicted
from ordermade.generalization.result import GeneralizationResult
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.prediction.scores import Scores, scores
from ordermade.release.files import ending_of, read_statement
from ordermade.requests.read import of_generalization, read_request
from ordermade.sources.door import Door, Purpose
from ordermade.sources.workspace import Limits, SpillFolder, connect

QUASI_IDENTIFIERS = ("sex", "age", "prefecture", "occupation", "plan", "joined")
"""The columns with a hierarchy in the demo."""

PREDICTED = frozenset({"4-predicted", "5-predicted-again"})
"""The requests that are predicted before they run."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """A prediction made before a request ran, and the evidence that the run added to table C.

    `known_before`, `known_after`: nodes in table C. `scores`: predicted against measured k of the accepted nodes that
    were measured since; None if there are none.
    """

    predicted: Predicted
    known_before: int
    known_after: int
    scores: Scores | None


@dataclass(frozen=True, slots=True)
class Answer:
    """One request of the demo: its file, its result, its steps, and the first rows of its release.

    `forecast` is None for a request that was not predicted.
    """

    file: str
    text: str
    result: GeneralizationResult
    steps: tuple[Timed, ...]
    columns: tuple[str, ...] = ()
    first_rows: tuple[tuple[Any, ...], ...] = ()
    forecast: Forecast | None = None


@dataclass(frozen=True, slots=True)
class Members:
    """The demo in a folder of its own. `notify` receives the name of each step."""

    folder: Path
    rows: int
    notify: Notify
    limits: Limits

    def set_up(self) -> Iterator[Timed]:
        """Makes files, members and state, one step at a time. Raises InputError if the folder is in use."""
        table = Table("members", MEMBERS, lambda path: make_members(path, self.rows, limits=self.limits))
        yield from set_up(self.folder, table, self.rows, self.notify, self._engine)

    def answers(self) -> Iterator[Answer]:
        """The answers to the requests of the demo, run one after the other in the demo's folder."""
        for file in sorted((self.folder / "requests").iterdir()):
            yield self._answer(file)

    def _answer(self, file: Path) -> Answer:
        predicted = file.stem in PREDICTED
        watch = Stopwatch(self.notify)
        if predicted:
            watch.step("prediction")
        with contextlib.chdir(self.folder):  # the path of a release is relative to the working directory
            before = self._engine.predict(file) if predicted else None
            # every request of the demo generalises
            result = cast(GeneralizationResult, replace(self._engine, progress=watch).run(file))
        answer = Answer(file.relative_to(self.folder).as_posix(), file.read_text("utf-8"), result, watch.laps())
        if before is not None:
            measured = known_nodes(self._engine.state_file, of_generalization(read_request(file), "demo"))
            return replace(answer, forecast=_forecast(before, result, measured))
        if result.release is None:
            return answer
        columns, rows = _first_rows(self.folder / result.release.path, self.limits)
        return replace(answer, columns=columns, first_rows=rows)

    @property
    def _engine(self) -> Engine:
        return Engine(self.folder / STATE, self.limits)


def _forecast(predicted: Predicted, result: GeneralizationResult, known: Mapping[Node, Observation]) -> Forecast:
    """The prediction, compared with the nodes in table C after the request ran."""
    pairs = [
        (float(known[node].k), each.k)
        for each in predicted.nodes
        if (node := tuple(each.levels.values())) in known and each.k is not None and each.low != each.high
    ]
    before = 0 if predicted.basis is None else predicted.basis.observations
    return Forecast(predicted, before, before + result.search.nodes_measured, scores(pairs) if pairs else None)


def _first_rows(path: Path, limits: Limits) -> tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]:
    """The names of the columns of a released file, and its first rows."""
    released = read_statement(path, ending_of(path))
    query = sql.with_relations(sql.select("demo/first_rows"), {"released": released})
    described = sql.with_relations(sql.template("columns"), {"dataset": released})
    with SpillFolder() as spill, connect(None, spill, limits) as connection:
        door = Door(connection, "written release")
        names = tuple(str(row[0]) for row in door.rows(Purpose.CATALOG, described))
        return names, tuple(door.rows(Purpose.MEASURE, query))
