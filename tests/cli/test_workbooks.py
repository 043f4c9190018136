"""Workbooks from the command line: a sheet measured, registered, generalised by a sheet and released to a workbook."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Program
from tests.workbooks import Formula, write_workbook

REQUEST = """\
dataset: visits
k: 5
quasi_identifiers: {age: {hierarchy: half}}
keep: [kind]
release: {to: out/visits.xlsx}
"""


def made(folder: Path) -> None:
    visits = [("age", "kind"), *[(20 + i % 4, "first" if i % 2 else "again") for i in range(24)]]
    halves = [("age", "half"), *[(20 + i, "low" if i < 2 else "high") for i in range(4)]]
    bad = [("a",), (Formula.of("=NA()", "#N/A"),)]
    write_workbook(folder / "clinic.xlsx", {"2024 年": visits, "halves": halves, "bad": bad})
    (folder / "visits.yaml").write_text(REQUEST, encoding="utf-8")


@pytest.mark.slow
def test_a_workbook_goes_in_and_a_workbook_comes_out(shop: Program, folder: Path) -> None:
    made(folder)
    several = shop("measure", "clinic.xlsx", "--quasi-identifiers", "age")
    assert several.status == 2
    assert "there are 3 tables in it" in several.err
    measured = shop("measure", "clinic.xlsx", "--table", "2024 年", "--quasi-identifiers", "age", "--json")
    assert measured.document["rows"] == 24
    assert shop("source", "add", "clinic", "clinic.xlsx").status == 0
    shown = shop("source", "show", "clinic").out
    assert "A sheet is no table:" in shown
    assert "A2" in shown
    assert shop("source", "show", "clinic", "--json").document["tables"][2]["reason"]
    assert shop("measure", "clinic.bad", "--quasi-identifiers", "a").status == 3
    assert shop("dataset", "add", "visits", "--source", "clinic", "--table", "2024 年").status == 0
    assert shop("hierarchy", "add", "half", "clinic.xlsx").status == 2
    assert shop("hierarchy", "add", "half", "clinic.xlsx", "--sheet", "halves").status == 0
    assert shop("request", "run", "visits.yaml").status == 0
    released = shop("measure", "out/visits.xlsx", "--quasi-identifiers", "age", "--json")
    assert released.document["k"] >= 5
    listed = shop("release", "list", "--json").document["releases"]
    assert shop("release", "verify", str(listed[-1]["id"])).status == 0
