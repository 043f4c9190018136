"""Rules held against quasi-identifiers: what they mean exactly, and every mistake with its line in the rules file."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ordermade.errors import RequestError
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.read import parse_yaml
from ordermade.requests.resolve_rules import AmongColumns, ResolvedRules, Span, resolve_rules
from ordermade.requests.rules import read_rules


def hierarchy(name: str, text: str) -> Hierarchy:
    return parse_yaml(text, name, where=name)[0]


QUASI_IDENTIFIERS: tuple[tuple[str, str, Hierarchy | None], ...] = (
    ("Sex", "VARCHAR", None),
    ("birth", "DATE", hierarchy("birth", "date: [year, decade]")),
    ("seen", "TIMESTAMP", None),
    ("job", "ENUM('a1', 'a2', 'b1')", hierarchy("jobs", "mapping: {a1: [Arts], a2: [Arts], b1: [Books]}")),
    ("height", "INTEGER", None),
    ("score", "DOUBLE", None),
    ("smokes", "BOOLEAN", None),
    ("floor", "INTEGER", hierarchy("floors", "mapping: {'1': [low], '2': [low], '30': [high]}")),
)


def resolved(when: str, *others: str) -> ResolvedRules:
    lines = [f"  - {{item: a, when: {each}}}\n" for each in (when, *others)]
    return resolve_rules(read_rules("rules:\n" + "".join(lines)), QUASI_IDENTIFIERS)


def condition(when: str) -> Span | AmongColumns | None:
    """What a rule asks of the one column that it asks of."""
    (found,) = (each for each in resolved(when).rules[0].conditions if each is not None)
    return found


def days(first: int, last: Fraction | int | None) -> Span:
    return Span(Fraction(first), None if last is None else Fraction(last))


@pytest.mark.parametrize(
    ("when", "asked"),
    [
        ("{sex: male}", AmongColumns(("male",))),
        ("{job: [Arts, b1, b1]}", AmongColumns(("Arts", "b1"))),
        ("{birth: [1974-01-01, 1979-12-31], sex: '*'}", days(1461, 3651)),
        ("{birth: 1970-01-02}", days(1, 1)),
        ("{birth: ['1969-12-31', null]}", days(-1, None)),
        ("{seen: 1970-01-02}", days(1, 2 - Fraction(1, 86_400 * 10**9))),
        ("{seen: ['1970-01-02 06:00', '1970-01-02T12:00:00.5']}", Span(Fraction(5, 4), Fraction(259_201, 172_800))),
        ("{height: [null, 170], score: [null, null]}", Span(None, Fraction(170))),
        ("{height: 170.0}", Span(Fraction(170), Fraction(170))),
        ("{score: [0.1, 1e3]}", Span(Fraction(1, 10), Fraction(1000))),
        ("{smokes: true}", AmongColumns(("true",))),
        ("{floor: [2, 29]}", Span(Fraction(2), Fraction(29))),
    ],
)
def test_what_is_asked_is_exact(when: str, asked: Span | AmongColumns) -> None:
    assert condition(when) == asked


def test_rules_say_the_same_however_they_are_written() -> None:
    first, second = resolved("{sex: [b, a], height: 2, birth: '*'}"), resolved("{height: [2.0, 2], SEX: [a, b]}")
    assert first.columns == tuple(column for column, _, _ in QUASI_IDENTIFIERS)
    assert first.rules[0].conditions != second.rules[0].conditions
    assert first.canonical == second.canonical
    assert first.canonical != resolved("{sex: a, height: 2}").canonical


MISTAKES = """\
rules:
  - item: a
    when:
      sexs: male
      birth: [1979-12-31, 1974-01-01]
      seen: [1974, 1975-02-30]
      job: [Art, Xylophone]
      height: [1.2, 1.8]
      score: abc
      smokes: 3
      floor: [3, 29]
  - {item: b, when: {sex: '*', height: [null, null]}}
  - {item: c, when: {sex: [1, 2], height: [1, 2, 3], score: [true, 2]}}
  - {item: d, when: {sex: 1.50, SEX: a, birth: '1974-01-01 10:00'}}
  - {item: e, when: {}}
"""


def test_every_mistake_has_its_line() -> None:
    with pytest.raises(RequestError) as caught:
        resolve_rules(read_rules(MISTAKES), QUASI_IDENTIFIERS)
    everybody = (
        "when: has no condition, so the rule covers everybody; add a condition on at least one of "
        "'Sex', 'birth', 'seen', 'job', 'height', 'score', 'smokes', 'floor'"
    )
    a_date = "write a date such as 1974-01-01"
    assert [each.removeprefix("rules:") for each in caught.value.problems] == [
        "4: rules[0].when.sexs: 'sexs' is no quasi-identifier of the request; did you mean 'Sex'?",
        "5: rules[0].when.birth: the interval is empty: its low end is above its high one; write [low, high]",
        f"6: rules[0].when.seen[0]: 1974 is no date, and the column is a date with a time; {a_date}",
        f"6: rules[0].when.seen[1]: the text '1975-02-30' is no date, and the column is a date with a time; {a_date}",
        "7: rules[0].when.job[0]: the hierarchy 'jobs' has no value and no class 'Art'; did you mean 'Arts'?",
        "7: rules[0].when.job[1]: the hierarchy 'jobs' has no value and no class 'Xylophone'; write one that it lists",
        "8: rules[0].when.height: no whole number is meant, and the column has no others; write whole numbers",
        (
            "9: rules[0].when.score: expected a number, not the text 'abc': the column is a number; "
            "write a number such as 170, or [low, high]"
        ),
        "10: rules[0].when.smokes: expected a text, not 3: the column is a truth value; write true or false",
        "11: rules[0].when.floor: no value that the hierarchy 'floors' lists is meant; write values that it lists",
        f"12: rules[1].{everybody}",
        (
            "13: rules[2].when.sex: an interval is of numbers and dates, and the column is a text; "
            "list the values that are meant, each in quotes"
        ),
        "13: rules[2].when.height: an interval has two ends; write [low, high], null being an open end, or one value",
        (
            "13: rules[2].when.score[0]: expected a number, not true: the column is a number; "
            "write a number such as 170, or [low, high]"
        ),
        "14: rules[3].when.sex: expected a text, not 1.5: the column is a text; write it in quotes: '1.5'",
        "14: rules[3].when.SEX: the column 'Sex' is named twice; name it in one place",
        f"14: rules[3].when.birth: the text '1974-01-01 10:00' is no date, and the column is a date; {a_date}",
        f"15: rules[4].{everybody}",
    ]
