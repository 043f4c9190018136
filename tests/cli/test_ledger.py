"""The ledger on the command line: who gets a release, what is judged beside it, and what nobody has any more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Program

CITIES = """\
dataset: members
k: 5
{where}
quasi_identifiers: {{city: {{hierarchy: city, from: 0, to: 0}}}}
release: {{to: out/{name}.csv}}
"""


def cities(name: str, where: str = "") -> str:
    """A request file for the members of each city."""
    file = Path(f"{name}.yaml")
    file.write_text(CITIES.format(name=name, where=f"where: {json.dumps(where)}" if where else ""), encoding="utf-8")
    return str(file)


@pytest.fixture
def office(shop: Program) -> Program:
    """The shop with a policy, under which ann and bob may join what they have."""
    Path("policy.yaml").write_text(
        "dataset: members\nk: 5\npools: [[ann, bob]]\nfilters: {values: 1}\n", encoding="utf-8"
    )
    assert shop("policy", "set", "policy.yaml").status == 0
    return shop


@pytest.mark.slow
def test_a_release_is_judged_beside_what_the_pool_of_its_recipient_has(office: Program) -> None:
    assert office("request", "run", cities("all"), "--recipient", "ann").status == 0
    nearly = cities("nearly", "age <> 37")
    found = office("ledger", "check", nearly, "--recipient", "bob", "--json")
    assert (found.status, found.document["answer"], found.document["releases"]) == (1, "breach", [1])
    assert office("request", "run", nearly, "--recipient", "bob").status == 1
    assert not Path("out/nearly.csv").exists()
    assert office("request", "run", nearly, "--recipient", "eve").status == 0


@pytest.mark.slow
def test_the_list_says_what_each_recipient_has(office: Program) -> None:
    office("request", "run", cities("all"), "--recipient", "ann", "--recipient", "carol")
    office("request", "run", cities("again"))
    for recipient, has in (("ann", [2, 1]), ("carol", [2, 1]), ("eve", [2])):
        listed = office("ledger", "show", "--recipient", recipient, "--json").document["entries"]
        assert [each["id"] for each in listed] == has
    assert "ann, carol" in office("ledger", "show").out


@pytest.mark.slow
def test_what_was_destroyed_is_no_longer_judged_beside(office: Program) -> None:
    office("request", "run", cities("all"), "--recipient", "ann")
    nearly = cities("nearly", "age <> 37")
    assert office("request", "run", nearly, "--recipient", "ann").status == 1
    assert office("ledger", "destroyed", 1, "--why", "confirmed by letter").status == 0
    assert office("request", "run", nearly, "--recipient", "ann").status == 0
