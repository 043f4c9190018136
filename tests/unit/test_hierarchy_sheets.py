"""Hierarchies from a sheet: the same as from CSV, with the names of levels above or without, and refused by row."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from ordermade.errors import HierarchyError, UnknownName
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.read import read_hierarchy
from tests.workbooks import Formula, write_ods, write_workbook

PREFECTURES = [("Aomori", "Tohoku", "*"), ("Akita", "Tohoku", "*"), ("東京", "Kanto", "*"), (None, "none", "*")]
NAMES = ("prefecture", "region", "any")


def from_csv(folder: Path, rows: Sequence[Sequence[Any]], delimiter: str) -> ExplicitHierarchy:
    path = folder / "h.csv"
    path.write_text("".join(delimiter.join(cell or "" for cell in row) + "\n" for row in rows), encoding="utf-8")
    found = read_hierarchy(path, "h").hierarchy
    assert isinstance(found, ExplicitHierarchy)
    return found


@pytest.mark.parametrize("style", ["auto", "header"])
@pytest.mark.parametrize("write", [write_workbook, write_ods])
def test_a_sheet_with_names_is_the_csv_with_a_header(tmp_path: Path, style: Any, write: Any) -> None:
    path = write(tmp_path / ("h.xlsx" if write is write_workbook else "h.ods"), {"h": [NAMES, *PREFECTURES]})
    expected = from_csv(tmp_path, [NAMES, *PREFECTURES], ",")
    assert read_hierarchy(path, "h", style).hierarchy.content_hash == expected.content_hash
    assert [each.name for each in read_hierarchy(path, "h", style).hierarchy.levels] == [*NAMES]


@pytest.mark.parametrize("style", ["auto", "arx"])
def test_a_sheet_without_names_is_the_form_of_arx(tmp_path: Path, style: Any) -> None:
    path = write_workbook(tmp_path / "h.xlsx", {"h": PREFECTURES})
    assert read_hierarchy(path, "h", style).hierarchy.content_hash == from_csv(tmp_path, PREFECTURES, ";").content_hash


def test_numbers_days_and_truth_values_are_the_texts_of_columns_of_their_types(tmp_path: Path) -> None:
    rows = [("v", "l"), (1, "a"), (2.5, "a"), (date(2020, 2, 29), "b"), (True, "b"), (Formula.of("=1+2", 3), "b")]
    found = read_hierarchy(write_workbook(tmp_path / "h.xlsx", {"h": rows}), "h").hierarchy
    assert isinstance(found, ExplicitHierarchy)
    assert list(found.leaves) == ["1", "2.5", "2020-02-29", "true", "3"]


def test_of_several_sheets_one_is_named(tmp_path: Path) -> None:
    two = {"年齢": [("a", "b"), ("1", "x")], "Sex": [("c", "d"), ("m", "*"), ("f", "*")], "empty": []}
    path = write_workbook(tmp_path / "h.xlsx", {**two, "list": [("x", "y"), ("1", "2")]}, hidden=["list"])
    assert read_hierarchy(path, "h", sheet="sex").hierarchy.levels[0].name == "c"
    assert read_hierarchy(path, "h", sheet="list").hierarchy.levels[0].name == "x"
    with pytest.raises(HierarchyError, match=r"2 sheets with values .*--sheet: '年齢', 'Sex'"):
        read_hierarchy(path, "h")
    with pytest.raises(UnknownName, match="there is no sheet 'ages'"):
        read_hierarchy(path, "h", sheet="ages")
    with pytest.raises(HierarchyError, match="has no value"):
        read_hierarchy(path, "h", sheet="empty")


def test_what_no_hierarchy_is_is_refused_by_row(tmp_path: Path) -> None:
    cases = {
        "listed twice": [("a", "b"), (1, "x"), (), (1, "y")],
        "an error": [("a", "b"), (1, Formula.of("=NA()", "#N/A"))],
    }
    said = {}
    for case, rows in cases.items():
        path = write_workbook(tmp_path / "h.xlsx", {"h": rows})
        with pytest.raises(HierarchyError) as caught:
            read_hierarchy(path, "h")
        said[case] = caught.value.message
    assert "lines 2, 4" in said["listed twice"]
    assert "B2" in said["an error"]


def test_a_missing_file_and_a_sheet_of_no_workbook_are_named(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError, match="No such file"):
        read_hierarchy(tmp_path / "h.xlsx", "h")
    with pytest.raises(HierarchyError, match=r"Save it as \.xlsx"):
        read_hierarchy(tmp_path / "h.xls", "h")
    (tmp_path / "h.csv").write_text("a;b\n")
    with pytest.raises(HierarchyError, match="only a workbook has sheets"):
        read_hierarchy(tmp_path / "h.csv", "h", sheet="x")
