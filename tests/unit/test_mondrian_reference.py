"""The page of Mondrian says of the rules file what its model says."""

from __future__ import annotations

from pathlib import Path

import pytest

from ordermade.requests.numbers import MOST_RULES
from ordermade.requests.rules import Rule

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "mondrian.md"


@pytest.mark.parametrize("key", Rule.model_fields)
def test_every_key_of_a_rule_is_described_as_its_model_describes_it(key: str) -> None:
    (line,) = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith(f"| `{key}` |")]

    assert line.endswith(f"| {Rule.model_fields[key].description} |")


def test_most_rules_are_told() -> None:
    assert f"a list of at most {MOST_RULES:,}:" in PAGE.read_text(encoding="utf-8")
