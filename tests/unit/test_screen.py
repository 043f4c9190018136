"""Tables and messages on a terminal of a given width, and on a pipe."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable

import pytest

from ordermade.records.cells import counted, width_of
from ordermade.views import screen
from ordermade.views.screen import folded, print_table, say


class Terminal(io.StringIO):
    """A stdout that is a terminal; its width is that of COLUMNS."""

    def isatty(self) -> bool:
        return True

    @property
    def lines(self) -> list[str]:
        """What is seen, without the signs for bold."""
        return re.sub(r"\x1b\[[\d;]*m", "", self.getvalue()).splitlines()


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Terminal]:
    def made(columns: int) -> Terminal:
        monkeypatch.setenv("COLUMNS", str(columns))
        stdout = Terminal()
        monkeypatch.setattr(sys, "stdout", stdout)
        return stdout

    return made


SOURCES = [
    ("shop", "duckdb", True, None, "members.duckdb"),
    ("会員の一覧表", "csv", False, 12, "a folder with a long name/and another one/members.csv"),
]
HEADINGS = ("name", "kind", "writable", "rows", "location")


@pytest.mark.parametrize("columns", [20, 40, 80, 160])
def test_no_line_of_a_table_is_wider_than_the_terminal(terminal: Callable[[int], Terminal], columns: int) -> None:
    stdout = terminal(columns)
    print_table(HEADINGS, SOURCES)
    assert max(map(width_of, stdout.lines)) <= columns


def test_cells_are_folded_between_words(terminal: Callable[[int], Terminal]) -> None:
    stdout = terminal(60)
    print_table(HEADINGS, SOURCES)
    assert {"name/and", "one/members.csv", "会員の一覧表", "writable", 60 * "─"} <= set(" ".join(stdout.lines).split())


def test_a_table_that_is_too_wide_becomes_records(terminal: Callable[[int], Terminal]) -> None:
    stdout = terminal(40)
    print_table(HEADINGS, SOURCES)
    lines = stdout.lines
    assert "name      shop" in lines
    assert "rows      12" in lines
    assert lines.count("") == 2  # before the table, and between the records
    assert sum(line.startswith("rows") for line in lines) == 1  # where there is no number, there is no line


def test_nothing_is_blank_on_a_terminal_and_a_field_in_a_file(
    terminal: Callable[[int], Terminal], capsys: pytest.CaptureFixture[str]
) -> None:
    print_table(("name", "rows"), [("shop", None), ("visits", 3)])
    assert capsys.readouterr().out.splitlines()[3].split() == ["shop", "-"]
    stdout = terminal(80)
    print_table(("name", "rows"), [("shop", None), ("visits", 3)])
    assert stdout.lines[3] == "shop"


def test_a_table_in_a_file_is_not_folded(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("title",), [("word " * 100,)])
    assert len(capsys.readouterr().out.splitlines()) == 4


def test_numbers_with_units_and_bounds_stand_to_the_right(terminal: Callable[[int], Terminal]) -> None:
    stdout = terminal(80)
    print_table(("share", "rows"), [("6.13 %", "fewer than 5"), ("100.00 %", "1,200")])
    assert stdout.lines[3:] == ["  6.13 %   fewer than 5", "100.00 %          1,200"]
    assert not screen.is_numeric(["12", "a"])
    assert not screen.is_numeric(["", "-"])


def test_messages_are_folded_by_the_columns_that_they_take() -> None:
    assert folded("会員の一覧表 は ここに ある", 16) == "会員の一覧表 は\n  ここに ある"
    assert folded("  one two three", 10) == "  one two\n    three"
    assert folded("a " + "path/" * 10, 12) == "a\n  " + "path/" * 10


def test_a_wide_message_on_a_terminal_has_no_line_that_is_wider(terminal: Callable[[int], Terminal]) -> None:
    stdout = terminal(30)
    say("会員の一覧表 " * 12)
    assert max(map(width_of, stdout.lines)) <= 30


@pytest.mark.parametrize(
    ("number", "noun", "words"), [(1, "class", "1 class"), (0, "class", "0 classes"), (1_200, "row", "1,200 rows")]
)
def test_one_is_singular(number: int, noun: str, words: str) -> None:
    assert counted(number, noun) == words


def test_a_notice_is_shown_once_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    for notice in (screen.notices(), screen.notices()):
        for message in ("no finer levels", "waiting", "no finer levels"):
            notice(message)
    assert capsys.readouterr().err.splitlines() == ["no finer levels", "waiting"] * 2
