"""The demo of members: five requests on made-up persons, and their answers on a terminal."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.text import Text

from ordermade import sql
from ordermade.demo.story import Answer, Demo, DemoTable, Stopwatch
from ordermade.demo.tables import MEMBERS, make_members
from ordermade.demo.terminal import Terminal, columns_of
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation
from ordermade.methods.generalization.predict import known_nodes
from ordermade.methods.generalization.predicted import Predicted, expected_k
from ordermade.methods.generalization.result import GeneralizationResult
from ordermade.methods.shared.verdict import chance_in_words
from ordermade.prediction.prediction import Scores, scores
from ordermade.release.files import ending_of, read_statement
from ordermade.requests.read import of_generalization, read_request
from ordermade.sources.executor import Executor, Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.spill_folder import SpillFolder
from ordermade.sources.workspace import connect

PREDICTED = frozenset({"4-predicted", "5-predicted-again"})
"""The requests that are predicted before they run."""


@dataclass(frozen=True, slots=True)
class ForecastDemo:
    """A prediction made before a request ran, and the evidence that the run added to table C.

    `known_before`, `known_after`: nodes in table C. `scores`: predicted against measured k of the accepted nodes that
    were measured since; None if there are none.
    """

    predicted: Predicted
    known_before: int
    known_after: int
    scores: Scores | None


@dataclass(frozen=True)
class MembersAnswer(Answer[GeneralizationResult]):
    """An answer with the first rows of its release; `forecast` is None for a request that was not predicted."""

    columns: tuple[str, ...] = ()
    first_rows: tuple[tuple[Any, ...], ...] = ()
    forecast: ForecastDemo | None = None


class Members(Demo[GeneralizationResult]):
    """Members, generalised by five requests."""

    command = "ordermade demo"
    table = DemoTable("members", MEMBERS, make_members, "members")
    opening = (
        "A provider has {rows} members (made up by this program) and may only release them k-anonymised. "
        "A user sends five requests."
    )
    headings = (
        "1 · A release of persons",
        "2 · The same again, as a statistical table",
        "3 · More detail than these members bear",
        "4 · Predicted before anything is counted",
        "5 · Predicted again, with more evidence",
    )
    further = (
        ("ordermade request explain requests/1-members.yaml", "the SQL of every step"),
        ("ordermade request list", "all requests"),
        ("ordermade release verify 1", "measure the release again"),
        ("ordermade request predict requests/5-predicted-again.yaml", "edit k first"),
        ("ordermade hierarchy show prefecture", "a hierarchy"),
        ("ordermade request run requests/3-too-detailed.yaml", "edit it first"),
    )

    def answers(self) -> Iterator[MembersAnswer]:
        """The answers to the requests, run one after the other; the last ones are predicted before."""
        for file in self.requests:
            yield self._answer(file)

    def show(self, screen: Terminal) -> None:
        """The requests and their answers."""
        for heading, answer in zip(self.headings, self.answers(), strict=True):
            screen.heading(heading)
            screen.file(answer.file, answer.text)
            if answer.forecast is not None:
                _show_forecast(screen, answer, answer.forecast)
            elif answer.result.released:
                _show_released(screen, answer)
            else:
                _show_refused(screen, answer)
            _show_effort(screen, answer)
            if answer.forecast is not None:
                _show_learnt(screen, answer.forecast)

    def _answer(self, file: Path) -> MembersAnswer:
        watch, before = Stopwatch(self.notify), None
        if file.stem in PREDICTED:
            watch.step("prediction")
            with contextlib.chdir(self.folder):
                found = self.engine.predict(file)
            before = found if isinstance(found, Predicted) else None
        answer = self.run(file, watch)
        if before is not None:
            measured = known_nodes(self.engine.state_file, of_generalization(read_request(file), "demo"))
            return MembersAnswer(**vars(answer), forecast=_forecast(before, answer.result, measured))
        if answer.result.release is None:
            return MembersAnswer(**vars(answer))
        columns, rows = _first_rows(self.folder / answer.result.release.path, self.limits)
        return MembersAnswer(**vars(answer), columns=columns, first_rows=rows)


def _forecast(predicted: Predicted, result: GeneralizationResult, known: Mapping[Node, Observation]) -> ForecastDemo:
    """The prediction, compared with the nodes in table C after the request ran."""
    pairs = [
        (float(known[node].k), each.k)
        for each in predicted.nodes
        if (node := tuple(each.levels.values())) in known and each.k is not None and each.low != each.high
    ]
    before = 0 if predicted.basis is None else predicted.basis.observations
    return ForecastDemo(predicted, before, before + result.search.nodes_measured, scores(pairs) if pairs else None)


def _first_rows(path: Path, limits: Limits) -> tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]:
    """The names of the columns of a released file, and its first rows."""
    released = read_statement(path, ending_of(path))
    query = sql.with_relations(sql.select("demo/first_rows"), {"released": released})
    described = sql.with_relations(sql.template("duckdb/columns"), {"dataset": released})
    with SpillFolder() as spill, connect(None, spill, limits, reads=[path]) as connection:
        executor = Executor(connection, "written release")
        names = tuple(str(row[0]) for row in executor.rows(Purpose.CATALOG, described))
        return names, tuple(executor.rows(Purpose.MEASURE, query))


def _show_released(screen: Terminal, answer: MembersAnswer) -> None:
    result, release = answer.result, answer.result.release
    if release is None or result.divisions is None:
        return
    screen.verdict("Released", f"{release.path}: measured again when written, k = {result.k:,}", "green")
    screen.figures(
        [
            ("rows of the dataset, all released", f"{result.rows:,}"),
            ("rows in the file", f"{release.rows:,}"),
            ("classes (least has k rows)", f"{result.divisions:,}"),
            ("loss: Prec (0 = as it was, 1 = nothing left)", f"{result.loss['prec']:.3f}"),
            *((f"released level of {column}", name) for column, name in result.level_names.items()),
        ]
    )
    screen.blank()
    screen.say("Its first rows:")
    table = columns_of(*answer.columns)
    for row in answer.first_rows:
        table.add_row(*(Text("NULL" if value is None else str(value)) for value in row))
    screen.table(table)


def _show_refused(screen: Terminal, answer: MembersAnswer) -> None:
    result = answer.result
    screen.verdict("Refused", "nothing is written; the exit status of `request run` would be 1", "red")
    reason = result.reason or ""
    screen.say(reason[:1].upper() + reason[1:] + ("" if reason.endswith(".") else "."))


def _show_forecast(screen: Terminal, answer: MembersAnswer, forecast: ForecastDemo) -> None:
    """The prediction beside the result."""
    before, result = forecast.predicted, answer.result
    screen.verdict("Predicted", _sureness(before), "blue")
    if result.released and result.release is not None and result.k is not None:
        screen.verdict("Released", f"{result.release.path}: measured again when written", "green")
    else:
        screen.verdict("Refused", result.reason or "", "red")
    expected = before.expected
    if expected is None and not result.released:
        return
    screen.blank()
    rows = [
        (
            f"level of {column}",
            expected.level_names[column] if expected else "-",
            result.level_names.get(column, "-"),
        )
        for column in (before.finest.levels if before.finest else result.level_names)
    ]
    k = "-" if expected is None else expected_k(expected)
    _show_beside(screen, [*rows, ("k", k, "-" if result.k is None else f"{result.k:,}")])


def _show_beside(screen: Terminal, rows: Sequence[tuple[str, str, str]]) -> None:
    table = columns_of("", "predicted", "result")
    for name, predicted, measured in rows:
        table.add_row(Text(name), Text(predicted), Text(measured, style="bold"))
    screen.table(table)


def _show_learnt(screen: Terminal, forecast: ForecastDemo) -> None:
    """The nodes that table C gained, and the error of the prediction."""
    scores = forecast.scores
    figures = [("nodes in table C, before and after", f"{forecast.known_before:,} → {forecast.known_after:,}")]
    if scores is not None:
        name = f"mean ratio error of the predicted k, {scores.nodes:,} nodes"
        figures.append((name, f"{scores.mean_ratio_error:.2f}"))
    screen.figures(figures)


def _show_effort(screen: Terminal, answer: MembersAnswer) -> None:
    search = answer.result.search
    screen.blank()
    screen.figures(
        [
            ("nodes the user accepts", f"{search.nodes_in_lattice:,}"),
            ("nodes measured for this answer", f"{search.nodes_measured:,}"),
            ("counting queries to the source", f"{search.source_queries:,}"),
            ("seconds", f"{search.seconds:.2f}"),
        ]
    )
    if not search.nodes_measured and not search.source_queries and answer.result.released:
        screen.say("Nothing was counted again: table C had every node that the search wanted.")
    screen.steps(answer.steps)


def _sureness(predicted: Predicted) -> str:
    """The certainty that the expected node passes, and its basis; or that none passes."""
    expected = predicted.expected
    by = "" if predicted.predictor is None else f", by {predicted.predictor.name}"
    if expected is None:
        return {"fails": "no node passes, proved", "open": "nothing can be predicted yet"}.get(
            predicted.verdict, f"a node passes with a chance of {chance_in_words(predicted.chance)}{by}"
        )
    if expected.low == expected.high:
        return "the levels below pass: table C knows their k"
    if expected.proved:
        return f"the levels below pass, proved; their k is expected{by}"
    return f"the levels below pass with a chance of {chance_in_words(expected.chance)}{by}"
