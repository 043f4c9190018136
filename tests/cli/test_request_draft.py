"""`ordermade request draft`: a request for a registered dataset, and the placeholders that no request may have."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Program, write_members
from tests.one_command import least_class


@pytest.mark.slow
def test_a_draft_runs_after_the_printed_commands(ordermade: Program, folder: Path) -> None:
    write_members(folder / "members.csv")
    ordermade("init")
    ordermade("source", "add", "shop", "members.csv")
    ordermade("dataset", "add", "members", "--source", "shop", "--table", "members")

    drafted = ordermade("request", "draft", "members", "--k", "6", "--to", "r.yaml")

    assert drafted.status == 0, drafted.err
    commands = [line.strip() for line in drafted.out.splitlines() if line.startswith("  ordermade")]
    assert commands[-1] == "ordermade request run r.yaml"
    for each in commands:
        ran = ordermade(*shlex.split(each)[1:])
        assert ran.status == 0, ran.err
    assert least_class(folder / "members.anonymized.csv", ["sex", "age", "city"]) >= 6
    again = ordermade("request", "draft", "members", "--to", "r.yaml")
    assert again.status == 2


@pytest.mark.slow
def test_registered_hierarchies_are_taken(shop: Program, folder: Path) -> None:
    drafted = shop("request", "draft", "members")

    assert drafted.status == 0, drafted.err
    assert "age: {hierarchy: age}" in drafted.out
    (folder / "drafted.yaml").write_text(drafted.out)
    assert shop("request", "check", "drafted.yaml").status == 2  # none is registered for plan
    (folder / "drafted.yaml").write_text(drafted.out.replace("  plan: {hierarchy: CHANGE ME}\n", ""))
    assert shop("request", "check", "drafted.yaml").status == 0


@pytest.mark.parametrize(
    ("place", "placeholder", "line"),
    [("{hierarchy: sex}", "{hierarchy: CHANGE ME}", 5), ("members", "…", 2), ("plan", "CHANGE ME", 9)],
)
def test_placeholders_are_refused_with_their_lines(
    shop: Program, folder: Path, place: str, placeholder: str, line: int
) -> None:
    text = (folder / "request.yaml").read_text()
    lines = text.splitlines()
    assert place in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(place, placeholder)
    (folder / "left.yaml").write_text("\n".join(lines) + "\n")

    found = shop("request", "check", "left.yaml")

    assert found.status == 2
    assert f"left.yaml:{line}:" in found.err
    assert "placeholder" in found.err
