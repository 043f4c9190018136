"""The rules file: what is read, and every mistake told with its line and what to write instead."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from ordermade.errors import RequestError
from ordermade.requests.rules import read_rules

EXAMPLE = """\
rules:
  - item: Clothes B
    weight: 2
    when: {birth: [1974-01-01, 1979-12-31], height: [167, null]}
  - item: Magazine
    when:
      sex: male
      occupation: [A, B]
      score: 1.50
      smokes: true
"""


def problems(text: str) -> list[str]:
    with pytest.raises(RequestError) as caught:
        read_rules(text)
    return [each.removeprefix("rules:") for each in caught.value.problems]


def test_the_example_is_read_with_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text(EXAMPLE, encoding="utf-8")
    read = read_rules(path)
    clothes, magazine = read.content.rules
    assert (clothes.item, clothes.weight, magazine.weight) == ("Clothes B", 2, 1)
    assert clothes.when == {"birth": ("1974-01-01", "1979-12-31"), "height": (Decimal(167), None)}
    assert magazine.when == {"sex": "male", "occupation": ("A", "B"), "score": Decimal("1.5"), "smokes": True}
    assert (read.text, read.path, read.where) == (EXAMPLE, path, str(path))
    assert read.line(("rules", 1, "when", "occupation", 1)) == 8
    assert read.line(("rules", 0, "when", "sex")) == 4


def test_every_mistake_is_told_with_its_line() -> None:
    text = """\
rules:
  - item: 5
    when: {a: , b: [], c: [1, [2]], d: {x: 1}, e: .inf, f: ['*', 3], g: ''}
  - wieght: 2
    weight: 0
    item: x
  - {item: '', when: [a]}
"""
    assert problems(text) == [
        "2: rules[0].item: expected a text, not 5; write it in quotes: '5'",
        "3: rules[0].when.a: is empty; write '*' where any value will do, or take the column out",
        "3: rules[0].when.b: is an empty list, so it means nobody; write the values that count",
        "3: rules[0].when.c: expected a value, not a list; write a value or a list of values",
        "3: rules[0].when.d: expected a value, not a mapping; write a value or a list of values",
        "3: rules[0].when.e: is no number; write null for an end that is open",
        "3: rules[0].when.f: has '*' beside values; write '*' by itself where any value will do",
        "3: rules[0].when.g: is empty; write a value, or '*' where any will do",
        "4: rules[1].when: is missing; write for example when: {birth: [1974-01-01, 1979-12-31], height: [167, 188]}",
        "4: rules[1].wieght: there is no field 'wieght' here; did you mean 'weight'?",
        "5: rules[1].weight: a weight is above 0; write a number such as 2, or leave out what does not matter",
        "7: rules[2].item: is empty; write a name or take the field out",
        (
            "7: rules[2].when: expected a mapping, not a list; write for example "
            "{birth: [1974-01-01, 1979-12-31], height: [167, 188]}"
        ),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "the rules file is empty; write rules: and under it"),
        ("- a", "a rules file is a mapping of fields; write rules:"),
        ("rules: []", "1: rules: is empty; write a rule, such as - {item: Magazine, when: {sex: male}}"),
        ("rules: [a]", "1: rules[0]: expected a mapping, not the text 'a'; write for example {item: Magazine"),
        ("rules: []\nrulez: 1", "2: rulez: there is no field 'rulez' here; did you mean 'rules'?"),
        ("rules: &a []", "1: rules: the anchor &a is not allowed; take it out"),
        ("rules: [" + "{item: a, when: {b: c}}, " * 1001 + "]", "1: rules: has more than 1,000 rules; write fewer"),
        ("rules: [{item: a, when: {b: [" + "c, " * 10_001 + "]}}]", "b: has more than 10,000 values; name classes"),
    ],
)
def test_what_is_no_list_of_rules(text: str, told: str) -> None:
    assert any(told in each for each in problems(text))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(EXAMPLE, encoding="utf-8")
    with pytest.raises(RequestError, match=r"there is no such file. Did you mean 'rules.yaml'"):
        read_rules(tmp_path / "ruls.yaml")
    with pytest.raises(RequestError, match="this is a folder, not a rules file"):
        read_rules(tmp_path)
