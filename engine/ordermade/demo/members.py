"""The demo of members: five requests on made-up persons, and their answers on a terminal."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from ordermade import sql
from ordermade.demo.folder import LOADED, MEMBERS, STATE, Notify, Stopwatch, Table, Timed, make_members, set_up
from ordermade.demo.terminal import Terminal
from ordermade.engine import Engine
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation
from ordermade.methods.generalization.predict import known_nodes
from ordermade.methods.generalization.predicted import Predicted, expected_k, percent
from ordermade.methods.generalization.result import GeneralizationResult
from ordermade.prediction.prediction import Scores, scores
from ordermade.release.files import ending_of, read_statement
from ordermade.requests.read import of_generalization, read_request
from ordermade.sources.executor import Executor, Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.spill_folder import SpillFolder
from ordermade.sources.workspace import connect

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
    """The demo in a folder of its own, its members in another database where `on` names one.

    `notify` receives the name of each step.
    """

    folder: Path
    rows: int
    notify: Notify
    limits: Limits
    on: str = ""

    def set_up(self) -> Iterator[Timed]:
        """Makes files, members and state, one step at a time. Raises InputError if the folder is in use."""
        table = Table("members", MEMBERS, lambda path: make_members(path, self.rows, limits=self.limits), on=self.on)
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
            result = cast("GeneralizationResult", replace(self._engine, progress=watch).run(file))
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
    described = sql.with_relations(sql.template("duckdb/columns"), {"dataset": released})
    with SpillFolder() as spill, connect(None, spill, limits, reads=[path]) as connection:
        executor = Executor(connection, "written release")
        names = tuple(str(row[0]) for row in executor.rows(Purpose.CATALOG, described))
        return names, tuple(executor.rows(Purpose.MEASURE, query))


HEADINGS = (
    "1 · A release of persons",
    "2 · The same again, as a statistical table",
    "3 · More detail than these members bear",
    "4 · Predicted before anything is counted",
    "5 · Predicted again, with more evidence",
)
FURTHER = (
    ("ordermade request explain requests/1-members.yaml", "the SQL of every step"),
    ("ordermade request list", "all requests"),
    ("ordermade release verify 1", "measure the release again"),
    ("ordermade request predict requests/5-predicted-again.yaml", "edit k first"),
    ("ordermade hierarchy show prefecture", "a hierarchy"),
    ("ordermade request run requests/3-too-detailed.yaml", "edit it first"),
)


def show(folder: Path, rows: int, *, kept: bool, on: str = "", console: Console | None = None) -> None:
    """Runs the demo in `folder` and shows it. Raises OrdermadeError.

    `kept`: whether the folder stays, and the table of members in the database that `on` names.
    """
    screen = _Screen(console)
    started = time.perf_counter()
    with contextlib.ExitStack() as stack:
        notify = stack.enter_context(screen.status())
        demo = Members(folder, rows, notify, Limits(), on)
        screen.opening(rows)
        for step in demo.set_up():
            if on and not kept and step.name.startswith(LOADED):
                from ordermade.demo.loading import drop

                stack.callback(drop, on, "members")
            screen.step(step)
        for heading, answer in zip(HEADINGS, demo.answers(), strict=True):
            screen.answer(heading, answer)
    screen.closing(folder, time.perf_counter() - started, FURTHER, "ordermade demo --folder my-demo", kept=kept)


class _Screen(Terminal):
    """Prints the parts of the demo."""

    def opening(self, rows: int) -> None:
        self.heading("ordermade demo")
        self.say(
            f"A provider has {rows:,} members (made up by this program) and may only release them k-anonymised. "
            "A user sends five requests."
        )

    def answer(self, heading: str, answer: Answer) -> None:
        self.heading(heading)
        self.file(answer.file, answer.text)
        if answer.forecast is not None:
            self._forecast(answer, answer.forecast)
        elif answer.result.released:
            self._released(answer)
        else:
            self._refused(answer)
        self._effort(answer)
        if answer.forecast is not None:
            self._learnt(answer.forecast)

    def _released(self, answer: Answer) -> None:
        result, release = answer.result, answer.result.release
        if release is None or result.divisions is None:
            return
        self.verdict("Released", f"{release.path}: measured again when written, k = {result.k:,}", "green")
        self.figures(
            [
                ("rows of the dataset, all released", f"{result.rows:,}"),
                ("rows in the file", f"{release.rows:,}"),
                ("classes (least has k rows)", f"{result.divisions:,}"),
                ("loss: Prec (0 = as it was, 1 = nothing left)", f"{result.loss['prec']:.3f}"),
                *((f"released level of {column}", name) for column, name in result.level_names.items()),
            ]
        )
        self.blank()
        self.say("Its first rows:")
        self.table(_rows(answer))

    def _refused(self, answer: Answer) -> None:
        result = answer.result
        self.verdict("Refused", "nothing is written; the exit status of `request run` would be 1", "red")
        reason = result.reason or ""
        self.say(reason[:1].upper() + reason[1:] + ("" if reason.endswith(".") else "."))

    def _forecast(self, answer: Answer, forecast: Forecast) -> None:
        """The prediction beside the result."""
        before, result = forecast.predicted, answer.result
        self.verdict("Predicted", _sureness(before), "blue")
        if result.released and result.release is not None and result.k is not None:
            self.verdict("Released", f"{result.release.path}: measured again when written", "green")
        else:
            self.verdict("Refused", result.reason or "", "red")
        expected = before.expected
        if expected is None and not result.released:
            return
        self.blank()
        rows = [
            (
                f"level of {column}",
                expected.level_names[column] if expected else "-",
                result.level_names.get(column, "-"),
            )
            for column in (before.finest.levels if before.finest else result.level_names)
        ]
        k = "-" if expected is None else expected_k(expected)
        self._beside([*rows, ("k", k, "-" if result.k is None else f"{result.k:,}")])

    def _beside(self, rows: Sequence[tuple[str, str, str]]) -> None:
        table = RichTable(box=None, padding=(0, 2), header_style="bold")
        for heading in ("", "predicted", "result"):
            table.add_column(Text(heading), no_wrap=True, overflow="ellipsis")
        for name, predicted, measured in rows:
            table.add_row(Text(name), Text(predicted), Text(measured, style="bold"))
        self.table(table)

    def _learnt(self, forecast: Forecast) -> None:
        """The nodes that table C gained, and the error of the prediction."""
        scores = forecast.scores
        figures = [("nodes in table C, before and after", f"{forecast.known_before:,} → {forecast.known_after:,}")]
        if scores is not None:
            name = f"mean ratio error of the predicted k, {scores.nodes:,} nodes"
            figures.append((name, f"{scores.mean_ratio_error:.2f}"))
        self.figures(figures)

    def _effort(self, answer: Answer) -> None:
        search = answer.result.search
        steps = ", ".join(f"{step.name} {step.seconds:.2f} s" for step in answer.steps)
        self.blank()
        self.figures(
            [
                ("nodes the user accepts", f"{search.nodes_in_lattice:,}"),
                ("nodes measured for this answer", f"{search.nodes_measured:,}"),
                ("counting queries to the source", f"{search.source_queries:,}"),
                ("seconds", f"{search.seconds:.2f}"),
            ]
        )
        if not search.nodes_measured and not search.source_queries and answer.result.released:
            self.say("Nothing was counted again: table C had every node that the search wanted.")
        self.say(steps, style="dim")


def _sureness(predicted: Predicted) -> str:
    """The certainty that the expected node passes, and its basis; or that none passes."""
    expected = predicted.expected
    by = "" if predicted.predictor is None else f", by {predicted.predictor.name}"
    if expected is None:
        return {"fails": "no node passes, proved", "open": "nothing can be predicted yet"}.get(
            predicted.verdict, f"a node passes with a chance of {percent(predicted.chance)}{by}"
        )
    if expected.low == expected.high:
        return "the levels below pass: table C knows their k"
    if expected.proved:
        return f"the levels below pass, proved; their k is expected{by}"
    return f"the levels below pass with a chance of {percent(expected.chance)}{by}"


def _rows(answer: Answer) -> RichTable:
    table = RichTable(box=None, padding=(0, 2), header_style="bold")
    for column in answer.columns:
        table.add_column(Text(column), no_wrap=True, overflow="ellipsis")
    for row in answer.first_rows:
        table.add_row(*(Text("NULL" if value is None else str(value)) for value in row))
    return table
