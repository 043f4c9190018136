"""A list has one list of columns: what Python shows of it is what the screen prints."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from ordermade.records.listing import Listing
from ordermade.views.screen import print_list


@dataclass(frozen=True, slots=True)
class _Kept:
    number: int
    what: str


COLUMNS = {"id": "number", "name": "what"}


def test_python_and_the_screen_show_the_same_columns(capsys: pytest.CaptureFixture[str]) -> None:
    records = Listing((_Kept(1, "one"), _Kept(2, "two")), "records", COLUMNS)
    print_list(COLUMNS, records, instead={"name": lambda each: each.what.upper()})
    lines = capsys.readouterr().out.split("\n")
    words = [line.split() for line in lines if line.strip()]
    assert words[0] == ["id", "name"]
    assert [row for row in words if row[0].isdecimal()] == [["1", "ONE"], ["2", "TWO"]]
    assert all(heading in repr(records) for heading in COLUMNS)


def test_an_empty_list_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    print_list(COLUMNS, (), empty="Nothing yet.")
    assert capsys.readouterr().out == "Nothing yet.\n"
