"""Code lists in every kind of source: each is the hierarchy that a CSV file made by hand is."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.catalogue.sources import opened
from ordermade.errors import CodeListError
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.sources.limits import Limits
from tests.conformance.backends import Made, Table, the_table
from tests.made import new_engine

Make = Callable[[Table], Made]

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "occupation" / "jsoc2009_major_middle.csv"

TEXTS = {"code": "VARCHAR", "parent": "VARCHAR"}
NAMED = {**TEXTS, "name": "VARCHAR"}
DATED = {**NAMED, "valid_from": "DATE", "valid_to": "DATE"}


@dataclass(frozen=True)
class Case:
    """A table of codes, the options that take it, and the lines of the CSV made by hand: code, labels finest first."""

    columns: Mapping[str, str]
    rows: Sequence[tuple[Any, ...]]
    by_hand: Sequence[str]
    options: Mapping[str, Any] = field(default_factory=dict)


def _children(tree: Mapping[str, Sequence[str]]) -> list[tuple[str, str | None]]:
    rows: list[tuple[str, str | None]] = [(code, parent) for parent, codes in tree.items() for code in codes]
    below = {code for code, _ in rows}
    return [*((root, None) for root in tree if root not in below), *rows]


AREAS = Case(
    TEXTS,
    _children({"north": ["n1", "n2"], "south": ["s1"], "n1": ["n11", "n12"], "n2": ["n21"], "s1": ["s11", "s12"]}),
    ["n11;n1;north", "n12;n1;north", "n21;n2;north", "s11;s1;south", "s12;s1;south"],
)
"""Three levels: municipalities, districts, regions."""

INDUSTRY = Case(
    NAMED,
    [
        ("A", None, "Agriculture"),
        ("01", "A", "Crops"),
        ("011", "01", "Non-perennial crops"),
        ("0111", "011", "Cereals"),
        ("0112", "011", "Rice"),
        ("013", "01", "Plant propagation"),
        ("0130", "013", "Plant propagation"),
        ("C", None, "Manufacturing"),
        ("10", "C", "Food"),
        ("101", "10", "Meat"),
        ("1010", "101", "Meat"),
        ("30", "C", "Other"),
        ("S", None, "Services"),
        ("95", "S", "Other"),
        ("951", "95", "Computers"),
        ("9511", "951", "Computers"),
        ("9512", "951", "Telephones"),
        ("T", None, "Households"),
    ],
    [
        "0111;Non-perennial crops;Crops;Agriculture",
        "0112;Non-perennial crops;Crops;Agriculture",
        "0130;Plant propagation;Crops;Agriculture",
        "1010;Meat;Food;Manufacturing",
        "30;Other (30);Other (30);Manufacturing",
        "9511;Computers;Other (95);Services",
        "9512;Computers;Other (95);Services",
        "T;Households;Households;Households",
    ],
    {"label": "name"},
)
"""A tree like ISIC's, of four levels, ragged: a division and a section without anything below. Two have one name."""

PLANS = Case(
    TEXTS, _children({"paid": ["plus", "premium"], "free": ["basic"]}), ["plus;paid", "premium;paid", "basic;free"]
)
"""Two levels."""

OCCUPATION = Case(
    {"code": "BIGINT", "parent": "BIGINT"},
    [
        (int(code), int(code[:-1]) if len(code) > 1 else None)
        for code in ("2", "22", "221", "2211", "2212", "222", "2221", "0", "1", "11", "111", "1111")
    ],
    ["2211;221;22;2", "2212;221;22;2", "2221;222;22;2", "0;0;0;0", "1111;111;11;1"],
)
"""A tree like ISCO's, in whole numbers: the armed forces are a major group without anything below."""

MERGED = [
    ("13", None, "東京都", None, None),
    ("28", None, "兵庫県", None, None),
    ("34", None, "広島県", None, None),
    ("13206", "13", "府中市", date(1954, 4, 1), None),
    ("34208", "34", "府中市", None, None),
    ("34407", "34", "甲奴町", None, date(2004, 3, 31)),
    ("34209", "34", "三次市", None, date(2004, 3, 31)),
    ("34209", "34", "三次市", date(2004, 4, 1), None),
    ("28221", "28", "篠山市", date(1999, 4, 1), date(2019, 4, 30)),
    ("28221", "28", "丹波篠山市", date(2019, 5, 1), None),
]
"""Municipalities by JIS X 0402, without the check digit: one that was merged into another, one that was renamed."""

CASES: Mapping[str, Case] = {
    "three levels": AREAS,
    "four levels, ragged": INDUSTRY,
    "two levels": PLANS,
    "whole numbers": OCCUPATION,
    "before a merger": Case(
        DATED,
        MERGED,
        ["13206;東京都", "28221;兵庫県", "34208;広島県", "34209;広島県", "34407;広島県"],
        {"label": "name", "valid_on": date(2004, 3, 31)},
    ),
    "after a merger": Case(
        DATED,
        MERGED,
        ["13206;東京都", "28221;兵庫県", "34208;広島県", "34209;広島県"],
        {"label": "name", "valid_on": date(2004, 4, 1), "valid_from": "valid_from", "valid_to": "valid_to"},
    ),
    "codes above others are values": Case(
        TEXTS,
        [("a", None), ("a1", "a"), ("a2", "a"), ("b", "b")],
        ["a;a", "a1;a", "a2;a", "b;b"],
        {"inner_codes": True},
    ),
    "by bytes": Case(
        TEXTS,
        [("x", None), ("X", None), ("a", "x"), ("A", "X"), ("é", "x"), ("e", "X"), ("a ", "X")],
        ["a;x", "A;X", "é;x", "e;X", "a ;X"],
    ),
}


def _table(case: Case) -> Table:
    return Table("Codes", case.columns, case.rows)


def _engine(folder: Path, made: Made) -> tuple[Engine, str]:
    """An engine with the source `db`, and the name of its table."""
    engine = new_engine(folder, use_cache=False, limits=Limits("256MB", 1))
    engine.sources.add("db", made.location)
    with opened(engine.sources.get("db"), engine.limits) as backend:
        return engine, the_table(backend).name


def _by_hand(engine: Engine, folder: Path, lines: Sequence[str]) -> Hierarchy:
    file = folder / "by-hand.csv"
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return engine.hierarchies.add("by hand", file, "arx").hierarchy


def _same_content(found: Hierarchy, by_hand: Hierarchy) -> None:
    assert [each.content_hash for each in found.levels] == [each.content_hash for each in by_hand.levels]
    assert found.content_hash == by_hand.content_hash
    assert found.order.is_chain()


@pytest.mark.parametrize("called", CASES)
def test_a_list_of_parents_is_the_hierarchy_made_by_hand(make: Make, tmp_path: Path, called: str) -> None:
    case = CASES[called]
    made = make(_table(case))
    engine, table = _engine(tmp_path, made)
    if made.schema is not None:
        table = f"{made.schema.name}.{table}"
    added = engine.hierarchies.add_code_list("h", "db", table, code="code", parent="parent", **case.options)
    _same_content(added.hierarchy, _by_hand(engine, tmp_path, case.by_hand))
    assert engine.hierarchies.get("h") == added.hierarchy
    assert engine.hierarchies.refresh("h").outcome == "unchanged"


def test_the_occupations_of_japan_by_columns_are_the_file_itself(make: Make, tmp_path: Path) -> None:
    if not DATA.exists():
        pytest.skip("the shared data set occupation is not beside the repository")
    with DATA.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    columns = dict.fromkeys(header, "VARCHAR")
    engine, table = _engine(tmp_path, make(Table("Jobs", columns, [tuple(each) for each in rows])))
    added = engine.hierarchies.add_code_list("h", "db", table, code="middle_code", levels=["middle", "major"])
    by_hand = [f"{middle_code};{middle};{major}" for _, major, middle_code, middle in rows]
    levels = _by_hand(engine, tmp_path, by_hand).levels
    assert [each.content_hash for each in added.hierarchy.levels] == [each.content_hash for each in levels]
    assert added.levels == ("middle_code", "middle", "major", "*")


def test_faults_of_a_list_are_alike(make: Make, tmp_path: Path) -> None:
    rows = [("a", "b"), ("b", "a"), ("c", None), ("d", "c")]
    engine, table = _engine(tmp_path, make(Table("Codes", TEXTS, rows)))
    with pytest.raises(CodeListError, match="1 cycle of parents leads to no root") as fault:
        engine.hierarchies.add_code_list("h", "db", table, code="code", parent="parent")
    assert fault.value.reason == "'a' below 'b' below 'a'"


def test_codes_that_the_list_lacks_are_counted_and_changes_are_said(make: Make, tmp_path: Path) -> None:
    engine, table = _engine(tmp_path, make(_table(PLANS)))
    engine.hierarchies.add_code_list("h", "db", table, code="code", parent="parent")
    engine.datasets.add("d", "db", table=table, least_k=2)
    checked = engine.hierarchies.check("h", "d", "code", show_values=True)
    assert checked.report.missing_values == 2
    assert {value for value, _ in checked.missing} == {"paid", "free"}
    assert checked.notes == ()
    hierarchy = engine.hierarchies.get("h")
    assert isinstance(hierarchy, ExplicitHierarchy)
    engine.hierarchies.add_code_list("h", "db", table, code="code", parent="parent", inner_codes=True)
    assert engine.hierarchies.check("h", "d", "code").usable
