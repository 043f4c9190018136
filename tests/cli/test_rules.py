"""Rules from the command line: drafted, read back, checked; what cannot be asked for is told; nothing of a person."""

from __future__ import annotations

import inspect
import stat
from pathlib import Path

import pytest

from ordermade.cli import rules
from ordermade.methods.mondrian.suggest import DEFAULTS, RulesOptions
from ordermade.requests.rules import read_rules
from tests.cli.conftest import Program

SUGGEST = ("rules", "suggest", "members", "--target", "plan", "--k", "4", "--support", "0.02")
REQUEST = """\
dataset: members
method: mondrian
k: {k}
quasi_identifiers: {{sex: {{hierarchy: sex}}, age: , city: {{hierarchy: city, from: 1}}}}
mondrian: {{variant: hierarchy{rules}}}
release: {{to: out/members.csv}}
"""
RULES = """\
rules:
  - {item: x, weight: 2, when: {age: [20, 29], sex: m}}
  - {item: y, when: {age: 20, city: Norway, sex: m}}
  - {item: z, when: {city: Oslo}}
  - {item: nobody, when: {age: [90, null]}}
"""


@pytest.mark.slow
def test_rules_are_drafted_and_read_back(shop: Program, folder: Path) -> None:
    done = shop(*SUGGEST, "--columns", "age,SEX", "--where", "age < 24", "--to", "rules.yaml")
    assert done.status == 0, done.err
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    for line in (
        "columns age (age), sex (sex)",
        "rows about 16",
        "thresholds lift 1.5, support 0.02, k 4",
        "rules 4 of 4",
    ):
        assert line in lines
    assert "item when lift confidence support rows, about" in lines
    assert "a age 20 2 1 0.25 4" in lines
    assert stat.S_IMODE((folder / "rules.yaml").stat().st_mode) == 0o600
    read = read_rules(folder / "rules.yaml").content.rules
    assert [(each.item, dict(each.when)) for each in read] == [
        (item, {"age": age}) for item, age in zip("abab", range(20, 24), strict=True)
    ]
    assert '# Only rows with "\\"age\\" < 24".' in (folder / "rules.yaml").read_text(encoding="utf-8")
    again = shop(*SUGGEST, "--columns", "age", "--to", "rules.yaml")
    assert again.status == 2
    assert "a draft never replaces a file" in again.err
    document = shop(
        *SUGGEST, "--columns", "age", "--where", "age < 24", "--most", "1", "--attributes", "1", "--json"
    ).document
    assert document["found"] == 4
    assert document["thresholds"] == {"k": 4, "support": 0.02, "lift": 1.5, "attributes": 1}
    assert [each["when"] for each in document["rules"]] == [{"age": 20}]


@pytest.mark.slow
def test_where_no_rule_is_found_nothing_is_written(shop: Program, folder: Path) -> None:
    none = shop(*SUGGEST, "--columns", "sex")
    assert none.status == 0
    assert "No rule has that lift and support. Lower --lift" in none.out
    refused = shop(*SUGGEST, "--columns", "sex", "--to", "rules.yaml")
    assert refused.status == 1
    assert "so nothing was written" in refused.err
    assert not (folder / "rules.yaml").exists()


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (["--columns", "agee"], "--columns: there is no column 'agee'. Did you mean 'age'?"),
        (["--columns", "age,plan"], "'plan' is the target too"),
        (["--columns", "age,AGE"], "'age' is named twice"),
        (["--columns", "age", "--target", "nobody"], "--target: there is no column 'nobody'"),
        (["--columns", "phone"], "Name a hierarchy for it: --hierarchies phone=NAME"),
        (["--columns", "age", "--hierarchies", "age"], "Write birth=birth"),
        (["--columns", "age", "--hierarchies", "age=aeg"], "there is no hierarchy 'aeg'. Did you mean 'age'?"),
        (["--columns", "age", "--lift", "0"], "--lift: a lift is a number above 0"),
        (["--columns", "age", "--lift", "nan"], "--lift: a lift is a number above 0"),
        (["--columns", "age", "--k", "1"], "--k: k is a whole number of at least 2"),
        (["--columns", "age", "--support", "1.5"], "--support: a support is a share"),
        (["--columns", "age", "--attributes", "0"], "--attributes: a rule has at least 1 condition"),
        (["--columns", "age", "--most", "1001"], "--most: a rules file has 1 to 1,000 rules"),
        (["--columns", "age", "--where", "agee > 3"], "--where: "),
        (
            ["--columns", "age", "--where", "city > 3"],
            "--where: the column 'city' cannot have a value that the filter compares it with",
        ),
        (["--columns", "age", "--to", "rules.txt"], "a draft is YAML"),
    ],
)
def test_what_cannot_be_asked_for_is_told(shop: Program, asked: list[str], told: str) -> None:
    refused = shop(*SUGGEST, *asked)
    assert refused.status == 2
    assert told in refused.err
    assert not refused.out


@pytest.mark.slow
def test_rules_of_a_request_are_checked(shop: Program, folder: Path) -> None:
    (folder / "rules.yaml").write_text(RULES, encoding="utf-8")
    asked = folder / "mondrian.yaml"
    asked.write_text(REQUEST.format(k=4, rules=", rules: rules.yaml"), encoding="utf-8")
    done = shop("rules", "check", asked)
    assert done.status == 0, done.err
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    assert "rule item weight rows meant, about can be served" in lines
    assert "1 x 2 20 maybe" in lines
    assert "2 y 1 fewer than 4 maybe" in lines
    assert "3 z 1 36 maybe" in lines
    assert "4 nobody 1 fewer than 4 maybe" in lines  # as of a rule that means a few
    assert lines[-1] == "0 of 4 rules cannot be served by any release of this request."
    second, _, last = shop("rules", "check", asked, "--json").document["rules"][1:]
    assert (second["about"], second["fewer_than_k"], second["can_be_served"]) == (None, True, True)
    assert (last["about"], last["fewer_than_k"], last["can_be_served"]) == (None, True, True)
    assert not (folder / "out").exists()

    asked.write_text(REQUEST.format(k=4, rules=""), encoding="utf-8")
    assert "names no rules to check; write rules: FILE under mondrian" in shop("rules", "check", asked).err
    assert "`rules check` is for requests whose method is mondrian" in shop("rules", "check", "request.yaml").err
    asked.write_text(REQUEST.format(k=145, rules=", rules: rules.yaml"), encoding="utf-8")
    too_few = shop("rules", "check", asked)
    assert too_few.status == 1
    assert "fewer than 145 rows remain" in too_few.err
    asked.write_text(REQUEST.format(k=4, rules=", rules: rules.yaml") + "where: age > 200\n", encoding="utf-8")
    nobody = shop("rules", "check", asked)
    assert nobody.status == 1
    assert "fewer than 4 rows remain, so nothing can be released. Ask for a smaller k, or of more" in nobody.err


def test_the_command_and_the_library_draft_by_the_same_thresholds() -> None:
    asked = {name: each.default for name, each in inspect.signature(rules.suggest).parameters.items()}
    named = {"k": "k", "support": "support", "lift": "lift", "attributes": "conditions"}
    assert {of: asked[name] for name, of in named.items()} == {of: getattr(DEFAULTS, of) for of in named.values()}
    assert asked["most"] == RulesOptions("plan", ("sex",)).most
