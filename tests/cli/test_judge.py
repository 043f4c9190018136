"""`ordermade judge history`: for people, as JSON, with the manifest's columns or without; nothing of a customer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import MARKER, Program

ORIGINAL = f"""who,day,good,price,pieces
{MARKER}1,2011-01-30,mug,2.50,4
{MARKER}2,2011-01-31,pan,2.75,4
{MARKER}3,2011-03-09,mug,9.00,1
"""
RELEASE = """customer,day,good,price,pieces
2,[2011-01-30;2011-01-31],{mug;pan},[2.50;2.75],4
1,[2011-01-30;2011-01-31],{mug;pan},[2.50;2.75],4
*,*,*,*,*
"""
ROLES = ("--customer", "who", "--when", "day", "--item", "good", "--numbers", "price,pieces")


@pytest.fixture
def shop(ordermade: Program, folder: Path) -> Program:
    """The program in a folder with three purchases, their release row for row, and no state."""
    (folder / "T.csv").write_text(ORIGINAL, encoding="utf-8")
    (folder / "A.csv").write_text(RELEASE, encoding="utf-8")
    return ordermade


@pytest.mark.slow
def test_a_release_is_judged_without_a_state(shop: Program, folder: Path) -> None:
    done = shop("judge", "history", "T.csv", "A.csv", "--map", "rows", *ROLES)
    assert done.status == 0, done.err
    shown = [" ".join(line.split()) for line in done.out.splitlines()]
    for line in (
        "rows 3, of which 1 deleted (33.3 %)",
        "customers 3, of whom 2 in the release",
        "k 2",
        "histories 1, each of 2 customers",
        "safety 1/k 0.5000",
        "pieces 0.3333 1 0",
        "the 2 items sold most 2 2",
    ):
        assert line in shown, (line, shown)
    assert any(line.startswith("all together 2 ") for line in shown)
    assert not (folder / ".ordermade").exists()

    request = {"dataset": "t", "method": "history", "k": 2, "release": {"to": "A.csv"}}
    history = {"customer": "who", "when": "day", "item": "good", "numbers": {"PRICE": {"unit": "0.05"}, "pieces": {}}}
    manifest = folder / "A.csv.manifest.json"
    manifest.write_text(json.dumps({"request": {**request, "history": history}}), encoding="utf-8")
    found = shop("judge", "history", "T.csv", "A.csv", "--map", "rows", "--no-attacks", "--json").document
    assert (found["k"], found["pseudonyms"], found["attacks"]) == (2, 2, None)
    assert found["columns"]["numbers"] == [{"column": "price", "unit": 0.05}, {"column": "pieces", "unit": 1.0}]
    assert found["loss"]["total"] == pytest.approx(found["loss"]["utility"] + 0.5)
    assert set(found["loss"]["utility_by_column"]) == {"day", "good", "price", "pieces"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--map", "rows"), "no manifest of a history stands beside the release"),
        (("--map", "rows", *ROLES, "--level", "1"), "--level: there is no taxonomy to have such a level"),
        (("--map", "rows", *ROLES, "--no-attacks", "--attempts", "2"), "--attempts: no attack is run"),
        (("--map", "rows", *ROLES, "--unit", "price"), "--unit: a unit is a column and a number above 0"),
        (("--map", "rows", *ROLES[:-2], "--numbers", "prize"), "there is no column 'prize'. Did you mean 'price'?"),
    ],
)
def test_mistakes_are_told(shop: Program, arguments: tuple[str, ...], message: str) -> None:
    done = shop("judge", "history", "T.csv", "A.csv", *arguments)
    assert done.status == 2
    assert message in done.err
    assert not done.out
