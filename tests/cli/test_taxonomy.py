"""Taxonomies from the command line: drafted, read back, checked; no item is printed unless it is asked for."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from ordermade.hierarchies.read import read_hierarchy
from tests.cli.conftest import MARKER, Program

SOLD = f"""\
code,words,buyer
10,RED MUG,1
10,RED MUG,2
10,red thing,3
11,CANDLE,1
12,"CUSTOM ORDER OF {MARKER}",1
13,,1
,POSTAGE,2
"""
SUGGEST = ("taxonomy", "suggest", "sold.csv", "--item", "code", "--description", "words")
CHECK = ("taxonomy", "check", "categories.csv", "sold.csv", "--item", "code")
KEYWORDS = "categories:\n  kitchen: {keywords: [mug]}\n  light: {keywords: [candles]}\n  toys: {keywords: [doll]}\n"


@pytest.fixture
def sold(ordermade: Program, folder: Path) -> Program:
    """The program in a folder with what was sold, and a list of keywords."""
    (folder / "sold.csv").write_text(SOLD, encoding="utf-8")
    (folder / "ours.yaml").write_text(KEYWORDS, encoding="utf-8")
    return ordermade


@pytest.mark.slow
def test_a_draft_is_written_read_back_and_checked(sold: Program, folder: Path) -> None:
    done = sold(*SUGGEST, "--keywords", "ours.yaml", "--to", "categories.csv")
    assert done.status == 0, done.err
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    for line in (
        "items 4 in 6 records",
        "items without a description 1",
        "records without an item 1",
        "by keywords 2 (50.0 %)",
        "left 2 (50.0 %), 2 (33.3 %) of the records",
        "kitchen 1 1 0 3",
        "other 2 - - 2",
    ):
        assert line in lines
    file = folder / "categories.csv"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text(encoding="utf-8") == "item,category\n10,kitchen\n11,light\n12,other\n13,other\n"
    assert [each.name for each in read_hierarchy(file, "x").hierarchy.levels] == ["item", "category", "*"]
    assert sold("init").status == 0
    assert sold("hierarchy", "add", "categories", "categories.csv").status == 0
    assert sold(*CHECK).status == 0
    assert "a draft never replaces a file" in sold(*SUGGEST, "--to", "categories.csv").err
    assert "a draft is CSV" in sold(*SUGGEST, "--to", "categories.yaml").err


@pytest.mark.slow
def test_items_with_no_category_are_counted_and_listed_where_asked(sold: Program, folder: Path) -> None:
    (folder / "categories.csv").write_text("code,kind\n10,kitchen\n99,toys\n11,light\n", encoding="utf-8")
    done = sold(*CHECK, "--json")
    assert done.status == 1
    assert "2 of 4 goods have no category" in done.err
    document = done.document
    assert document["no_category"] == {
        "goods": 2,
        "records": 2,
        "share_of_goods": 0.5,
        "share_of_records": 2 / 6,
        "items": [],
    }
    assert document["records_without_item"] == 1
    assert (document["categories_used"], document["categories_never_used"]) == (2, 1)
    assert document["categories"][0] == {"category": "kitchen", "goods": 1, "records": 3, "listed": 1}
    listed = sold(*CHECK, "--list", "--level", "kind", "--where", "code < 13")
    assert [line.split() for line in listed.out.splitlines()][-1:] == [["12", "1"]]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((*CHECK[:4], "--item", "cod"), "Did you mean 'code'?"),
        ((*CHECK, "--level", "3"), "from 1 to 1"),
        ((*SUGGEST[:4], "code", "--description", "code"), "is the item too"),
        ((*SUGGEST, "--keywords", "none.yaml"), "there is no such file"),
        ((*SUGGEST, "--likeness", "0"), "likeness is a probability"),
        ((*SUGGEST, "--where", "code > 99"), "there are no items to sort"),
    ],
)
def test_what_cannot_be_asked_is_told(sold: Program, folder: Path, arguments: tuple[str, ...], told: str) -> None:
    (folder / "categories.csv").write_text("code,kind\n10,kitchen\n11,light\n", encoding="utf-8")
    done = sold(*arguments)
    assert done.status == 2
    assert told in done.err


def test_a_rule_is_no_taxonomy_and_the_list_can_be_taken_away(sold: Program, folder: Path) -> None:
    (folder / "categories.yaml").write_text("prefix: {keep: [1]}\n", encoding="utf-8")
    refused = sold("taxonomy", "check", "categories.yaml", *CHECK[3:])
    assert refused.status == 2
    assert "a taxonomy lists items" in refused.err
    assert sold("taxonomy", "keywords", "--to", "mine.yaml").status == 0
    assert (folder / "mine.yaml").read_text(encoding="utf-8") == sold("taxonomy", "keywords").out
