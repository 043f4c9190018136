"""The check of screens finds the faults that it is for, and every command has its scenes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from checks.pseudo_terminal import Emulated, Screen, screen_of
from checks.screen_pictures import picture
from checks.screen_scenes import SCENES, Scene, unplayed
from checks.screens import broken_words, environment, faults, main, needed
from ordermade.cli.main import _Commands, app
from tests.long import rounds

COLUMNS = 40


def seen(output: str, status: int = 0) -> Screen:
    emulated = Emulated(COLUMNS)
    emulated.feed(output.replace("\n", "\r\n"))
    return emulated.screen(status)


@pytest.mark.slow
def test_every_command_has_a_good_and_a_failing_scene() -> None:
    assert unplayed(typer.main.get_command(app)) == []
    assert len({scene.name for scene in SCENES}) == len(SCENES)


@pytest.mark.parametrize("noun", ["", *_Commands.NOUNS])
def test_no_description_in_a_list_of_commands_is_cut(noun: str) -> None:
    shown = CliRunner().invoke(app, [*noun.split(), "--help"], terminal_width=80).output
    assert "Commands:" in shown
    assert "..." not in shown.partition("Commands:")[2]


def test_a_command_without_a_scene_is_found() -> None:
    new = typer.Typer()
    new.command("first")(lambda: None)
    new.command("second")(lambda: None)
    assert unplayed(typer.main.get_command(new))[0] == "`ordermade first` has no scene with a good outcome"


@pytest.mark.parametrize(
    ("output", "status", "fault"),
    [
        ("a line that is a good deal wider than that terminal\n", 0, "line 1 is wider"),
        ("fine\n", 3, "exit status 3 instead of 0"),
        ("Traceback (most recent call last)\n", 0, "a traceback"),
        ("name   kind\n────────────\nprefec   csv\nture\n\n", 0, "the word 'prefecture' is broken"),
    ],
)
def test_a_fault_is_found(output: str, status: int, fault: str) -> None:
    assert any(fault in each for each in faults(Scene("it", "ordermade it"), seen(output, status)))


def test_a_text_folded_between_words_is_no_fault() -> None:
    lines = ["name   title", "─────────────────", "shop   the first", "       of two", ""]
    assert broken_words(lines) == []


def test_numbers_below_each_other_are_no_broken_word() -> None:
    lines = ["rule        means  right", "───────────────────────", "a magazine  980   100 %", "the charm   110", ""]
    assert broken_words(lines) == []


def test_a_line_that_changed_is_seen_as_it_ended() -> None:
    screen = seen("counting…\r\x1b[Kdone\n\x1b[1mbold\x1b[0m 会員\n")
    assert screen.lines == ("done", "bold 会員")
    assert screen.bold[1][:5] == (True, True, True, True, False)


def test_a_picture_has_no_time_and_escapes_what_it_shows() -> None:
    drawn = picture("ordermade list", seen("<b> & 2026-11-25 16:26\n"), {})
    assert "&lt;b&gt; &amp; 2026-01-01 00:00" in drawn
    assert drawn == picture("ordermade list", seen("<b> & 2025-01-25 09:26\n"), {})


def test_scenes_are_played_after_those_that_they_need() -> None:
    names = [scene.name for scene in needed([next(each for each in SCENES if each.name == "dataset show in Japanese")])]
    assert names[-1] == "dataset show in Japanese"
    assert "source add in Japanese" in names
    assert "source list" not in names


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, pytest.param(160, marks=pytest.mark.thorough)])
def test_a_sample_of_screens_has_no_fault(tmp_path: Path, columns: int) -> None:
    sample = [each for each in SCENES if each.folder == "gone" and "demo" not in each.typed]
    sample += [each for each in SCENES if each.name in ("help", "no such noun", "microaggregation methods")]
    found = []
    for scene in sample:
        command = [sys.executable, "-m", "ordermade", *scene.words]
        found += faults(scene, screen_of(command, tmp_path, columns, environment(tmp_path)))
    assert found == []


@pytest.mark.long
@pytest.mark.skipif(not rounds(0, 1), reason="`make long` plays every scene, which takes minutes")
@pytest.mark.parametrize("columns", [80, 160])
def test_all_screens_have_no_fault(tmp_path: Path, columns: int, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["--columns", str(columns), "--to", str(tmp_path / "screens")])
    assert status == 0, capsys.readouterr().out
