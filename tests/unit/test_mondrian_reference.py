"""The page of Mondrian says of the rules file what its model says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ordermade.errors import RequestError
from ordermade.requests.rules import Rule, read_rules

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "mondrian.md"


@pytest.mark.parametrize("key", Rule.model_fields)
def test_every_key_of_a_rule_is_described_as_its_model_describes_it(key: str) -> None:
    (line,) = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith(f"| `{key}` |")]

    assert line.endswith(f"| {Rule.model_fields[key].description} |")


@pytest.mark.slow
def test_as_many_rules_are_read_as_the_page_says_and_no_more() -> None:
    (told,) = re.findall(r"a list of at most ([\d,]+):", PAGE.read_text(encoding="utf-8"))
    most = int(told.replace(",", ""))
    rules = "rules:\n" + "- {item: x, when: {sex: male}}\n" * most
    assert len(read_rules(rules).content.rules) == most
    with pytest.raises(RequestError, match=f"has more than {told} rules; write fewer"):
        read_rules(rules + "- {item: x, when: {sex: male}}\n")
