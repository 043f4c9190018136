"""A name in a request that is not there is said before any rule, beside those that the user may see."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine, initialise
from ordermade.errors import InputError, PolicyBroken, RequestError, UnknownName

REQUEST = {
    "dataset": "people",
    "k": 5,
    "quasi_identifiers": {"age": {"hierarchy": "age"}},
    "release": {"to": "people.csv"},
}
CALLS: tuple[Callable[[Engine, Any], object], ...] = (
    lambda engine, request: engine.submissions.submit(request),
    lambda engine, request: engine.submissions.forecast(request),
    lambda engine, request: engine.check(request),
)


@pytest.fixture
def provider(tmp_path: Path) -> Engine:
    """A dataset with a column that no request may use, and one that is open to somebody else alone."""
    table = tmp_path / "people.csv"
    table.write_text("age,town,ward\n" + "".join(f"{20 + n % 30},{n % 2},{n % 3}\n" for n in range(60)))
    initialise(tmp_path / "state.sqlite")
    engine = Engine(tmp_path / "state.sqlite")
    engine.sources.add("people", str(table))
    engine.datasets.add("people", source="people", table="people")
    engine.datasets.add("patients", source="people", table="people")
    engine.hierarchies.add("age", {"intervals": {"levels": [{"width": 5}, {"width": 10}]}})
    engine.policies.set({"dataset": "people", "k": 5, "never": {"ask": ["ward"]}})
    engine.policies.set({"dataset": "patients", "k": 5, "recipients": {"bob": {}}})
    engine.users.add("ann", ["data-user"])
    return engine


def refusals(provider: Engine, **changed: Any) -> set[tuple[type, str]]:
    """What submitting, a forecast and a check of a request say to a user."""
    user = Engine(provider.state, token=provider.users.token("ann").secret)
    found = set()
    for call in CALLS:
        with pytest.raises((InputError, PolicyBroken)) as refused:
            call(user, {**REQUEST, **changed})
        found.add((type(refused.value), str(refused.value)))
    return found


@pytest.mark.parametrize(
    ("where", "name"),
    [
        ("height > 3", "height"),
        ("NOT height BETWEEN 1 AND 5 OR age = 20", "height"),
        ("height + 1 > age", "height"),
        ("towns = 1", "towns"),
    ],
)
def test_a_filter_by_a_column_that_is_not_there_says_so_before_any_rule(
    provider: Engine, where: str, name: str
) -> None:
    ((kind, said),) = refusals(provider, where=where)
    assert kind is RequestError
    assert said.startswith(f"request: where: there is no column '{name}'; ")


def test_a_text_in_double_quotes_is_said_to_be_a_column(provider: Engine) -> None:
    ((_, said),) = refusals(provider, where='town = "Uji"')
    assert said.endswith("a text goes in single quotes.")


@pytest.mark.parametrize(
    "changed", [{"keep": ["wards"]}, {"identifiers": ["wards"]}, {"where": "wards = 1"}, {"where": "wards > age"}]
)
def test_a_column_that_is_closed_is_not_listed(provider: Engine, changed: dict[str, Any]) -> None:
    ((_, said),) = refusals(provider, **changed)
    assert said.partition("'wards'")[2] == "; known: 'age', 'town'."


def test_a_column_that_is_closed_is_answered_by_its_rule(provider: Engine) -> None:
    ((kind, said),) = refusals(provider, where="ward = 1")
    assert kind is PolicyBroken
    assert "no request may use the column 'ward'" in said


def test_a_user_of_some_columns_reads_the_same_of_every_other_name(provider: Engine) -> None:
    policy = {"dataset": "people", "k": 5, "recipients": {"ann": {"columns": ["age"]}}}
    provider.policies.set(policy)
    ((_, there),), ((_, missing),) = refusals(provider, keep=["town"]), refusals(provider, keep=["city"])
    assert there.replace("town", "city") == missing


def test_a_dataset_that_is_not_there_is_said_before_any_rule(provider: Engine) -> None:
    ((kind, said),) = refusals(provider, dataset="patient", where="height > 3")
    assert kind is UnknownName
    assert said == "there is no dataset 'patient'. Known: 'people'. Ask the provider which there are."


@pytest.mark.parametrize("changed", [{}, {"where": "height > 3"}, {"keep": ["towns"]}, {"k": 2}])
def test_a_dataset_for_others_is_as_one_that_is_not_there(provider: Engine, changed: dict[str, Any]) -> None:
    ((_, closed),) = refusals(provider, dataset="patients", **changed)
    ((_, missing),) = refusals(provider, dataset="persons", **changed)
    assert closed.replace("patients", "persons") == missing


def test_the_policy_of_a_dataset_for_others_is_as_one_that_is_not_there(provider: Engine) -> None:
    user = Engine(provider.state, token=provider.users.token("ann").secret)
    said = set()
    for name in ("patients", "patient", "persons"):
        with pytest.raises(UnknownName) as refused:
            user.policies.show(name)
        said.add(str(refused.value).replace(name, "it"))
    assert said == {"there is no dataset 'it'. Known: 'people'. Ask the provider which there are."}
    assert user.policies.show("people").policy.k == 5


def test_a_hierarchy_that_is_not_there_is_said_with_the_field_that_names_it(provider: Engine) -> None:
    ((_, said),) = refusals(provider, quasi_identifiers={"age": {"hierarchy": "ages"}}, k=2)
    assert said.startswith("request: quasi_identifiers.age.hierarchy: there is no hierarchy 'ages'; ")


def test_every_name_that_is_not_there_is_said_at_once(provider: Engine) -> None:
    ((_, said),) = refusals(provider, keep=["a", "b"], where="c > 1", quasi_identifiers={"age": {"hierarchy": "d"}})
    assert [f"'{each}'" in said for each in "abcd"] == [True] * 4
