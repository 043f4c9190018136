"""The line of progress on a terminal: within its width, gone at the end, and never in a table."""

from __future__ import annotations

import io
import sys
import threading
import time

import pytest

from checks.pseudo_terminal import Emulated
from ordermade.progress import terminal as terminal_progress
from ordermade.progress.terminal import TerminalProgress, fitted
from ordermade.records.cells import width_of
from ordermade.search.problem import SearchProgress


class Terminal(io.StringIO):
    """One terminal that stdout and stderr both are."""

    def isatty(self) -> bool:
        return True


def begun(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal of 40 columns that stdout and stderr are from now on."""
    made = Terminal()
    monkeypatch.setenv("COLUMNS", "40")
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, made)
    monkeypatch.setattr(terminal_progress, "_SHOWN_AFTER", 0.0)
    monkeypatch.setattr(terminal_progress, "_SHOWN_EVERY", -1.0)  # the thread may have drawn since
    monkeypatch.setattr(terminal_progress, "_TICKS_EVERY", 0.01)
    return made


def shown(terminal: Terminal) -> Emulated:
    found = Emulated(40)
    found.feed(terminal.getvalue().replace("\n", "\r\n"))
    return found


def test_the_line_stays_within_the_width_and_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = begun(monkeypatch)
    with TerminalProgress() as progress:
        progress.step("a step whose name is longer than any terminal would be, 会員の一覧表" * 3)
        progress.nodes_left(1_200_000)
        during = shown(terminal).screen(0)
    assert during.lines[0].endswith("…")
    assert during.overlong == ()
    assert shown(terminal).screen(0).lines == ()
    assert "\x1b[3" not in terminal.getvalue()  # no colour, whatever NO_COLOR says


def test_a_table_is_printed_above_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = begun(monkeypatch)
    with TerminalProgress() as progress:
        progress.step("counting")
        for number in range(3):
            sys.stdout.write(f"row {number}\n")
            progress.nodes_left(number)
            sys.stderr.write(f"note {number}\n")
        time.sleep(0.05)
    assert shown(terminal).screen(0).lines == ("row 0", "note 0", "row 1", "note 1", "row 2", "note 2")


def test_the_line_waits_while_a_question_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = begun(monkeypatch)
    with TerminalProgress() as progress:
        sys.stderr.write("Password: ")
        progress.step("counting")
        time.sleep(0.05)
        assert shown(terminal).screen(0).lines == ("Password:",)


def test_a_block_within_a_block_keeps_the_line_and_the_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = begun(monkeypatch)
    with TerminalProgress() as progress:
        with progress:
            progress.step("inside")
        progress.step("outside")
        assert "outside" in shown(terminal).screen(0).text
    assert sys.stdout is terminal
    assert sys.stderr is terminal
    assert shown(terminal).screen(0).lines == ()


def test_a_stdout_that_is_no_terminal_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    begun(monkeypatch)
    file = io.StringIO()
    monkeypatch.setattr(sys, "stdout", file)
    with TerminalProgress() as progress:
        progress.step("counting")
        assert sys.stdout is file


def test_figures_are_computed_by_the_thread_of_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    begun(monkeypatch)
    threads = set()

    def compute() -> SearchProgress:
        threads.add(threading.current_thread())
        return SearchProgress(None, None)

    with TerminalProgress() as progress:
        progress.so_far(compute)
        time.sleep(0.05)
    assert threads == {threading.current_thread()}


def test_compiling_is_in_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = begun(monkeypatch)
    with TerminalProgress() as progress:
        progress.compiling(True)
        assert "compiling" in shown(terminal).screen(0).text
        progress.compiling(False)
        assert "compiling" not in shown(terminal).screen(0).text


@pytest.mark.parametrize(("text", "columns", "kept"), [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("会員表", 5, "会員…")])
def test_what_does_not_fit_is_cut_off(text: str, columns: int, kept: str) -> None:
    assert fitted(text, columns) == kept
    assert width_of(kept) <= columns
