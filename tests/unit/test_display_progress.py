"""The progress of an engine's calls: a line in a notebook, on a terminal where it is wanted, elsewhere nothing."""

from __future__ import annotations

import sys
import time
from fractions import Fraction
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from ordermade import Engine, ProgressLine, RequestError, Silent
from ordermade.progress import line as progress_line
from ordermade.progress.notebook import NotebookProgress, in_notebook
from ordermade.progress.so_far import ProgressSoFar
from ordermade.progress.terminal import TerminalProgress
from ordermade.search.problem import SearchProgress


@pytest.fixture
def displays(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """A kernel of a notebook, and what it was asked to display."""
    asked: list[dict[str, Any]] = []
    ipython, display = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython = lambda: SimpleNamespace(kernel=object())  # type: ignore[attr-defined]
    display.display = lambda data, **options: asked.append({"data": data, **options})  # type: ignore[attr-defined]
    ipython.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return asked


def test_a_notebook_has_one_line_that_is_updated_and_emptied(displays: list[dict[str, Any]]) -> None:
    with NotebookProgress(after=0, every=0) as progress:
        progress.step("counting <script>\x1b[31m")
        progress.nodes_left(1_200)
        progress.statement(None)  # type: ignore[arg-type]
    assert [each["update"] for each in displays] == [False, True, True, True]
    assert len({each["display_id"] for each in displays}) == 1
    assert "counting &lt;script&gt;\\x1b[31m, 1,200 nodes left, 1 query" in displays[2]["data"]["text/html"]
    assert displays[-1]["data"] == {"text/plain": "", "text/html": ""}


def test_a_request_that_takes_no_time_shows_nothing(displays: list[dict[str, Any]]) -> None:
    with NotebookProgress() as progress:
        progress.step("counting")
    assert displays == []


def test_an_engine_in_a_notebook_shows_its_progress_without_being_told(displays: list[dict[str, Any]]) -> None:
    assert in_notebook()
    assert isinstance(Engine().progress, ProgressLine)
    assert isinstance(Engine(progress=Silent()).progress, Silent)


def test_an_engine_elsewhere_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert not in_notebook()
    assert isinstance(Engine().progress, Silent)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))  # type: ignore[arg-type]
    assert not in_notebook()


class Recorded(ProgressSoFar):
    """Notes when it is entered, told and left."""

    said: list[str]

    def __enter__(self) -> Recorded:
        self.said.append("begins")
        return self

    def __exit__(self, *_: object) -> None:
        self.said.append("ends")

    def _changed(self) -> None:
        self.said.append(self.figures)


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    Recorded.said = []
    monkeypatch.setattr(progress_line, "_line_here", Recorded)
    return Recorded.said


def test_the_line_of_a_call_ends_with_it_even_where_it_fails(said: list[str], tmp_path: Path) -> None:
    engine = Engine(tmp_path / "state.sqlite", progress=ProgressLine())
    with pytest.raises(RequestError, match="is empty"):
        engine.run({"dataset": "nowhere", "k": 2, "quasi_identifiers": {}, "release": {"to": "x.csv"}})
    assert said[0] == "begins"
    assert said[-1] == "ends"


def test_a_call_within_a_call_keeps_the_line(said: list[str]) -> None:
    line = ProgressLine()
    with line:
        with line:
            line.records_left(3)
        line.so_far(lambda: SearchProgress(Fraction(1, 2), Fraction(1, 4)))
    line.step("after the end")
    assert said == ["begins", "3 records left, 0 queries", "3 records left, best 0.5, bound 0.25, gap 0.25, 0 queries",
                    "ends"]  # fmt: skip


def test_a_score_that_is_proved_is_said_in_place_of_the_gap(said: list[str]) -> None:
    line = ProgressLine()
    with line:
        line.so_far(lambda: SearchProgress(Fraction(1, 2), Fraction(1, 2), score_proved=True))
    assert said[1] == "best 0.5, proved to be the least score: the first of its ties is left, 0 queries"


def test_a_pipe_gets_no_line_and_a_terminal_gets_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: False))
    assert progress_line._line_here() is None
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: True, write=len, flush=time.time))
    monkeypatch.setenv("TERM", "xterm")
    assert isinstance(progress_line._line_here(), TerminalProgress)
    monkeypatch.setenv("TERM", "dumb")
    assert progress_line._line_here() is None
