"""`ordermade observations`: what was measured, for people, as JSON, as files; and how it is forgotten."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.cli.conftest import FIRST_PHONE, MARKER, Program, leaks

pytestmark = pytest.mark.slow


@pytest.fixture
def shop(shop: Program, folder: Path) -> Program:
    """The shop, its request answered by Incognito: that measures several nodes where `pak` needs one."""
    with (folder / "request.yaml").open("a", encoding="utf-8") as file:
        file.write("search: {algorithm: incognito}\n")
    return shop


@pytest.fixture
def measured(shop: Program) -> Program:
    """The shop, after a request."""
    assert shop("request", "run", "request.yaml").status == 0
    return shop


def test_nothing_was_measured_yet(shop: Program, folder: Path) -> None:
    assert shop("observations", "list").out == "Nothing was measured yet.\n"
    assert shop("observations", "list", "--dataset", "members").out == (
        "Nothing was measured of the dataset 'members'.\n"
    )
    assert shop("observations", "list", "--json").document["observations"] == []
    assert shop("observations", "export").out.count("\n") == 1
    assert shop("observations", "prune", "--all").out == ("0 observations of 0 dataset versions forgotten; 0 kept.\n")


def test_list_shows_the_nodes_in_words_and_all_of_them_as_json(measured: Program) -> None:
    report = measured("request", "show", "1", "--json").document
    documents = measured("observations", "list", "--json").document["observations"]
    assert len(documents) == report["nodes_measured"] > 1
    levels = {each["column"]: each for each in documents[0]["levels"]}
    assert set(levels) <= {"sex", "age", "city"}
    assert all(set(each) == {"column", "level", "level_name", "level_hash"} for each in levels.values())
    assert {(each["dataset"], each["is_latest"], each["request_id"]) for each in documents} == {("members", True, 1)}
    shown = measured("observations", "list", "--dataset", "members")
    assert "latest" in shown.out
    assert ", ".join(f"{column}: {level['level_name']}" for column, level in levels.items()) in shown.out


def test_a_long_list_is_shown_in_part_unless_all_is_asked(measured: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ordermade.cli.observations.MAX_ROWS", 1)
    number = len(measured("observations", "list", "--json").document["observations"])
    part, every = measured("observations", "list"), measured("observations", "list", "--all")
    assert part.err == f"The latest 1 of {number}; --all shows all.\n"
    assert every.err == ""
    assert (part.out.count("members"), every.out.count("members")) == (1, number)


def test_export_to_a_file_and_to_stdout_say_the_same(measured: Program, folder: Path) -> None:
    number = len(measured("observations", "list", "--json").document["observations"])
    done = measured("observations", "export", "measured.csv", "--dataset", "members")
    assert done.out == f"Wrote {number} rows to measured.csv.\n"
    text = (folder / "measured.csv").read_text(encoding="utf-8")
    assert measured("observations", "export").out == text
    assert not leaks(text)
    again = measured("observations", "export", "measured.csv")
    assert again.status == 2
    assert "never replaces a file" in again.err
    parquet = measured("observations", "export", "measured.parquet", "--by-attribute", "--json")
    assert parquet.document["path"] == "measured.parquet"
    levels = list(csv.DictReader(measured("observations", "export", "--by-attribute").out.splitlines()))
    assert len(levels) == parquet.document["rows"] > number


def test_bad_input_is_told_and_changes_nothing(measured: Program, folder: Path) -> None:
    before = measured("observations", "list", "--json").document["observations"]
    for command, says in {
        "list --dataset membres": "Did you mean 'members'",
        "export --dataset nobody": "there is no dataset 'nobody'",
        "export measured.xlsx": ".csv or .parquet",
        "export nowhere/measured.csv": "no such folder",
        "prune": "--all alone",
        "prune --all --earlier-versions": "only some of it",
        "prune --dataset membres": "Did you mean 'members'",
        "prune --before yesterday": "yesterday",
        "prune --before 2025-02-30": "2025-02-30",
    }.items():
        done = measured("observations", *command.split())
        assert (done.status, done.out) == (2, ""), command
        assert says in done.err
    failed = measured("observations", "export", "--json")
    assert (failed.status, failed.document["error"]["code"]) == (2, "input_error")
    assert "observations list --json" in failed.err
    assert measured("observations", "list", "--json").document["observations"] == before
    assert not list(folder.glob("measured.*"))


def test_prune_tells_exactly_what_it_forgot_and_a_request_measures_it_again(measured: Program) -> None:
    number = len(measured("observations", "list", "--json").document["observations"])
    kept = f"0 observations of 0 dataset versions forgotten; {number} kept.\n"
    assert measured("observations", "prune", "--earlier-versions").out == kept
    assert measured("observations", "prune", "--before", "2020-01-31", "--dataset", "members").out == kept
    would = measured("observations", "prune", "--before", "9000-01-01", "--dry-run").out
    assert would == f"{number} observations of 1 dataset version would be forgotten, and 0 kept. Nothing was changed.\n"
    done = measured("observations", "prune", "--dataset", "members", "--json")
    assert done.document == {
        "format": "ordermade-output/1",
        "command": "observations prune",
        "dry_run": False,
        "observations": number,
        "versions": 1,
        "left": 0,
    }
    assert measured("observations", "list", "--json").document["observations"] == []
    assert measured("request", "run", "request.yaml", "--again").status == 0
    assert len(measured("observations", "list", "--json").document["observations"]) == number
    assert measured("state", "verify").status == 0


def test_prune_keeps_the_latest_version(shop: Program, folder: Path) -> None:
    shop("source", "add", "here", "members.csv")
    shop("dataset", "add", "ours", "--source", "here", "--table", "members")
    request = (folder / "request.yaml").read_text(encoding="utf-8").replace("dataset: members", "dataset: ours")
    (folder / "ours.yaml").write_text(request, encoding="utf-8")
    assert shop("request", "run", "ours.yaml").status == 0
    number = len(shop("observations", "list", "--json").document["observations"])
    with (folder / "members.csv").open("a", encoding="utf-8") as file:
        file.write(f"{MARKER},{FIRST_PHONE},f,20,Oslo,a\n")
    assert shop("request", "run", "ours.yaml").status == 0
    listed = shop("observations", "list", "--json").document["observations"]
    assert {each["is_latest"] for each in listed} == {True, False}
    assert shop("observations", "prune", "--earlier-versions").out == (
        f"{number} observations of 1 dataset version forgotten; {len(listed) - number} kept.\n"
    )
    assert {each["is_latest"] for each in shop("observations", "list", "--json").document["observations"]} == {True}


def test_without_a_state_no_file_is_made(ordermade: Program, folder: Path) -> None:
    for command in ("list", "export", "export measured.csv", "prune --all", "prune --all --dry-run"):
        done = ordermade("observations", *command.split())
        assert done.status == 3, command
        assert "ordermade init" in done.err
    assert list(folder.iterdir()) == []
