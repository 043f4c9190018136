"""Reading hierarchies from YAML: every kind, text kept as written, and everything that is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ordermade.errors import HierarchyError
from ordermade.files.yaml_documents import PYTHON_PARSER
from ordermade.hierarchies import read
from ordermade.hierarchies.read import parse_yaml, read_hierarchy


def parse(text):
    return parse_yaml(text, "h", where="h.yaml")


def names(hierarchy):
    return [level.name for level in hierarchy.levels]


def test_intervals():
    hierarchy, notes = parse(
        "intervals:\n  origin: 0\n  levels: [{width: 10}, {width: 5}, {width: 25, origin: 0, name: quarter_century}]\n"
    )
    assert hierarchy.kind == "interval"
    assert names(hierarchy) == ["value", "level1", "level2", "quarter_century", "*"]
    assert notes == (
        "the level of width 5 is now number 1, by refinement",
        "the level of width 10 is now number 2, by refinement",
    )
    assert hierarchy.order.refines(1, 3)
    assert not hierarchy.order.refines(2, 3)


def test_dates():
    hierarchy, notes = parse("date: [year, month, {part: quarter, name: term}]")
    assert hierarchy.parts == ("month", "quarter", "year")
    assert names(hierarchy) == ["value", "month", "term", "year", "*"]
    assert "level 'month' is now number 1, by refinement" in notes


def test_prefix():
    hierarchy, notes = parse('prefix: {keep: [1, 3], mask: "#", length: 7, names: [region, city]}')
    assert (hierarchy.keep, hierarchy.mask, hierarchy.length) == ((3, 1), "#", 7)
    assert names(hierarchy) == ["value", "city", "region", "*"]
    assert len(notes) == 2


def test_mapping_keeps_what_is_written():
    hierarchy, _ = parse(
        "mapping:\n  yes: [01]\n  01: [no]\n  1.0: [x]\n  2013-01-01: [x]\n"
        "  null: [unknown]\n  'null': [x]\nlevels: [group]\n"
    )
    assert hierarchy.leaves == ("yes", "01", "1.0", "2013-01-01", None, "null")
    assert hierarchy.labels[0] == ("01", "no", "x", "x", "unknown", "x")
    assert names(hierarchy) == ["value", "group", "*"]


def test_mapping_is_renumbered():
    _, notes = parse("mapping:\n  a: [x, 1]\n  b: [x, 2]\n  c: [y, 3]\nlevels: [age2, age1]")
    assert "level 'age1' is now number 1, by refinement" in notes


def test_ordered():
    hierarchy, _ = parse(
        "ordered:\n  values: [a, b, c, d]\n  levels:\n    - cuts: [d, b]\n"
        "    - {cuts: [b], labels: [first, rest], name: two}\n"
    )
    assert hierarchy.labels == (("a", "b..c", "b..c", "d"), ("first", "rest", "rest", "rest"), ("*",) * 4)
    assert names(hierarchy) == ["value", "level1", "two", "*"]


def test_a_file(tmp_path):
    path = tmp_path / "member.YML"
    path.write_text("\ufeffdate: [year]\n", encoding="utf-8")
    assert read_hierarchy(path, "joined").hierarchy.kind == "date"


BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nmapping: *b"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (BOMB, "h.yaml:1: anchors and aliases"),
        ("mapping:\n  a: !!python/object:os.system [x]", "h.yaml:2: tags"),
        ("mapping:\n  a: ! [x]", "h.yaml:2: tags"),
        ("date: [year]\n---\ndate: [year]", "second document"),
        ("mapping: " + "[" * 5000, "nested more than 20 deep"),
        ("mapping: [", "not YAML"),
        ("date: [year]\x07", "h.yaml:1: it holds characters that YAML does not allow"),
        ("mapping:\n  é: [x]\n  b: [\x07]", "h.yaml:3: it holds characters that YAML does not allow"),
        ("", "not a mapping"),
        ("- a", "not a mapping"),
        ("date: ~", "needs exactly one kind of hierarchy, and has none"),
        ("levels: [a]", "has none"),
        ("date: [year]\nprefix: {keep: [1]}", "has date and prefix"),
        ("date: [year]\nlevels: [a]", "h.yaml:2: 'levels' beside the rule"),
        ("interval: {levels: []}", "Did you mean 'intervals'?"),
        ("intervals:\n  levels:\n    - {widht: 3}", "h.yaml:3"),
        ("intervals:\n  levels:\n    - {width: 3, widht: 3}", "Did you mean 'width'?"),
        ("intervals: {levels: []}", "there is no level"),
        ("intervals: {levels: [{width: 0}]}", "not above 0"),
        ("intervals: {levels: [{width: -5}]}", "not above 0"),
        ("intervals: {levels: [{width: NaN}]}", "plain number"),
        ("intervals: {levels: [{width: 1e5}]}", "plain number"),
        ("intervals: {levels: [{width: ten}]}", "plain number"),
        ("intervals: {levels: [{width: 0.12345678901}]}", "more than 9 decimals"),
        ("intervals: {levels: [{width: 1000000000.0001}]}", "larger than"),
        ("intervals: {levels: [{width: 5}, {width: 5.0, origin: 10}]}", "same intervals"),
        ("intervals: {levels: [{width: 5, name: 7}]}", "is a number"),
        ("date: [yaer]", "Did you mean 'year'? There are day, month, quarter, year, decade."),
        ("date: [year, year]", "listed twice"),
        ("date: []", "there is no level"),
        ("prefix: {keep: [0]}", "0 characters cannot be kept"),
        ("prefix: {keep: [9], length: 7}", "9 characters cannot be kept"),
        ("prefix: {keep: [x]}", "whole number"),
        ("prefix: {keep: [3], length: 7, mask: xx}", "not one character"),
        ("prefix: {keep: [3], names: [a, b]}", "2 names for 1 levels"),
        ("mapping:\n  a: [x]\n  b: [x, y]", "h.yaml:3: the value has 2 labels"),
        ("mapping:\n  a: [x]\n  a: [y]", "h.yaml:3: 'a' is listed twice"),
        ("mapping:\n  a: [x]\n  b: [~]", "h.yaml:3"),
        ("mapping:\n  a: x", "h.yaml:2"),
        ("mapping: {}", "lists no values"),
        ("mapping:\n  [a]: [x]", "a key is a list"),
        ("ordered: {values: [a, b], levels: [{cuts: [c]}]}", "the cut 'c' is not one of the values"),
        ("ordered: {values: [a, b], levels: [{cuts: [b], labels: [x]}]}", "1 labels for 2 ranges"),
        ("ordered: {values: [a, b, c], levels: [{cuts: [b, c], labels: [x, y, x]}]}", "same label"),
        ("ordered: {values: [a, b, a], levels: []}", "listed twice"),
    ],
)
def test_refused(text, told):
    with pytest.raises(HierarchyError) as raised:
        parse(text)
    assert told in str(raised.value)
    assert "h.yaml" in str(raised.value)


@pytest.mark.parametrize("text", [BOMB, "mapping: [", '"\\UFFFFFFFF": [x]', '"\\ud800": [x]', "a: \x07", "[" * 5000])
def test_without_libyaml_the_same_is_refused(text, monkeypatch):
    monkeypatch.setattr(read, "DIALECT", replace(read.DIALECT, parser=PYTHON_PARSER))
    with pytest.raises(HierarchyError, match=r"h\.yaml"):
        parse(text)


def test_too_large(tmp_path):
    path = tmp_path / "large.yaml"
    with path.open("wb") as file:
        file.truncate(11 * 2**20)
    with pytest.raises(HierarchyError, match="larger than 10 MiB"):
        read_hierarchy(path, "h")
