"""The log of the program: lines of JSON that hold neither values nor paths."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ordermade.cli.log import KEYS
from tests.cli.conftest import Program, leaks, write_request

pytestmark = pytest.mark.slow


def lines(text: str) -> list[dict[str, Any]]:
    """The events of a log; messages for people are left out."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def test_a_request_leaves_its_events(shop: Program, folder: Path) -> None:
    done = shop("--log", "json", "request", "run", "request.yaml")

    events = lines(done.err)
    statements = [each for each in events if each["event"] == "statement"]
    started = next(place for place, each in enumerate(events) if each["event"] == "request started")
    ended = next(place for place, each in enumerate(events) if each["event"] == "request ended")
    assert done.status == 0
    assert all(tuple(each) == ("time", "level", *KEYS) for each in events)
    assert "frequency set" in {each["statement"] for each in statements if each["on"] == "source"}
    assert all(each["seconds"] >= 0 for each in statements)
    assert {each["request"] for each in events[:started]} == {None}
    assert {each["request"] for each in events[started : ended + 1]} == {1}
    assert (events[-1]["event"], events[-1]["command"], events[-1]["exit_status"]) == (
        "command ended",
        "request run",
        0,
    )


def test_no_value_and_no_path_is_in_it(shop: Program, folder: Path) -> None:
    request = write_request(folder / "request.yaml")
    request.write_text(request.read_text("utf-8") + "where: city <> 'Kyoto'\n", "utf-8")

    done = shop("--log", "json", "request", "run", "request.yaml")

    log = "".join(f"{json.dumps(each)}\n" for each in lines(done.err))
    assert log
    assert not leaks(log)
    assert not [each for each in ("Kyoto", "SELECT", "members", str(folder)) if each in log]


def test_a_failure_has_its_code(shop: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORDERMADE_LOG", "json")

    done = shop("request", "show", "7")

    failed, ended = lines(done.err)
    assert (failed["level"], failed["error"]) == ("error", "unknown_name")
    assert (ended["event"], ended["exit_status"]) == ("command ended", 2)
    assert "Error: " in done.err


def test_the_option_wins_over_the_variable_and_ends_with_the_command(
    shop: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORDERMADE_LOG", "debug")
    as_json = shop("--log", "json", "source", "show", "shop")
    as_text = shop("source", "show", "shop")
    monkeypatch.delenv("ORDERMADE_LOG")

    assert all(line.startswith("{") for line in as_json.err.splitlines())
    assert "ordermade.sql source: " in as_text.err
    assert "request started" not in as_text.err
    assert shop("source", "show", "shop").err == ""
