"""Policies: read with every mistake, decided rule by rule, compared, and kept by every kind of request."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import jsonschema
import pytest

from ordermade import Engine
from ordermade.catalogue.audit import Audit
from ordermade.errors import InputError, PolicyBroken, ReleasedMeanwhile, RequestError, UnknownName
from ordermade.hierarchies.read import parse_yaml
from ordermade.methods.mondrian.suggest import RulesOptions
from ordermade.policies.decision import RULES, Requester, broken_rules, is_automatic
from ordermade.policies.difference import changes
from ordermade.policies.policy import Policy, read_policy, stored_policy
from ordermade.policies.schema import json_schema, policy_reference
from ordermade.policies.written import yaml_of
from ordermade.requests.read import read_mapping
from ordermade.service.effective_policy import EffectivePolicy
from ordermade.sources.executor import ExecutedStatement
from ordermade.state.authority import SHELL
from ordermade.state.backup import backup, restore
from ordermade.state.inspection import verify
from tests.made import new_state
from tests.state_by_hand import by_hand

AGE = "intervals: {levels: [{width: 5, name: 5 years}, {width: 10, name: decade}]}\n"
HIERARCHIES = {"age": parse_yaml(AGE, "age", where="age")[0]}
TWO = "{model: distinct_l, l: 2}"
NOW = datetime(2026, 5, 1, tzinfo=UTC)
EVERYTHING = """\
dataset: members
k: 5
ks: [5, 10]
suppression: 2 %
scales: {suppression: [0, 1 %, 2 %], risks: [0.1], sampling: [1, 0.1], t: [0.2], c: [3], alpha: [0.5], l: [2, 2.5]}
models: {plan: [{model: t_closeness, t: 0.20, distance: equal}]}
never: {ask: [name], keep: [income], filter: [city]}
finest: {age: 5 years}
filters: {persons: 20, apart: 20, values: 10, borders: {age: age}, released_only: true}
recipients: {hokkaido: {k: 10, columns: [age], requests: 5, per: week}}
quota: {requests: 20, per: month}
refusals: {most: 5, per: week}
terms: Nobody is looked for.
reviews: 2
automatic: {k: 10, suppression: 0 %, columns: [age]}
retention: {cache: 30 days, releases: 365 days, requests: 5 years}
expiry: 90 days
"""


def policy_of(text: str) -> Policy:
    return read_policy(f"dataset: members\n{text}").policy


def request(**fields: Any) -> Any:
    """A request on the ages of the members, with other fields beside or instead."""
    given = {"dataset": "members", "k": 10, "quasi_identifiers": {"age": {"hierarchy": "age"}}}
    content = given | {"release": {"to": "out.csv"}} | fields
    return read_mapping({key: each for key, each in content.items() if each is not None}).request


def standing(**fields: Any) -> Requester:
    return Requester(**({"recipient": "hokkaido", "now": NOW} | fields))


AT_LEVELS = {"age": {"hierarchy": "age", "from": 1, "to": "decade"}}
MONDRIAN = {"method": "mondrian", "quasi_identifiers": {"age": {}}}
HISTORY = {"method": "history", "quasi_identifiers": None, "history": {"customer": "id", "when": "day", "item": "age"}}
TARGET = {"variant": "hierarchy", "split": "information-gain", "target": "name"}
MICROAGGREGATION: dict[str, Any] = {"method": "microaggregation", "quasi_identifiers": None}


def under(**model: Any) -> dict[str, Any]:
    """Plans as a sensitive column, under one model."""
    return {"plan": [model]}


BROKEN: tuple[tuple[str, str, Any, Requester | None], ...] = (
    ("k", "k: 11", request(), None),
    ("ks", "ks: [5, 20]", request(), None),
    ("suppression", "suppression: 2 %", request(suppression_limit=0.021), None),
    ("ks", "ks: [5, 10, 20]\nscales: {risks: [0.077]}", request(risk={"highest": 0.077}), None),
    ("ks", "ks: [5, 10, 40]", request(risk={"highest": 0.05}), None),
    ("scales.suppression", "k: 5", request(suppression_limit=0.03), None),
    ("scales.suppression", "suppression: 3 %", request(suppression_limit=0.025), None),
    ("scales.risks", "k: 5", request(risk={"highest": 0.07}), None),
    ("scales.risks", "k: 5", request(risk={"average": 0.013}), None),
    ("scales.sampling", "k: 5", request(risk={"sampling_fraction": 0.9, "highest": 0.1}), None),
    ("scales.t", "k: 5", request(sensitive=under(model="t_closeness", t=0.21, distance="equal")), None),
    ("scales.c", "k: 5", request(sensitive=under(model="recursive_cl", c=2.9, l=2)), None),
    ("scales.alpha", "k: 5", request(sensitive=under(model="alpha_k", alpha=0.55)), None),
    ("scales.l", "k: 5", request(sensitive=under(model="distinct_l", l=7)), None),
    ("scales.l", "k: 5", request(sensitive=under(model="entropy_l", l=2.1)), None),
    ("scales.l", "scales: {l: [2]}", request(**MONDRIAN, sensitive=under(model="distinct_l", l=3)), None),
    ("models", "models: {plan: [{model: distinct_l, l: 3}]}", request(keep=["Plan"]), None),
    (
        "models",
        "models: {plan: [{model: distinct_l, l: 3}]}",
        request(sensitive={"plan": [{"model": "distinct_l", "l": 2}]}),
        None,
    ),
    ("models", "models: {age: [{model: distinct_l, l: 3}]}", request(), None),
    ("models", "models: {plan: [{model: distinct_l, l: 3}]}", request(where="plan = 'a'"), None),
    ("models", "models: {age: [{model: distinct_l, l: 3}]}", request(**HISTORY), None),
    ("never.ask", "never: {ask: [age]}", request(), None),
    ("never.ask", "never: {ask: [name]}", request(keep=["NAME"]), None),
    ("never.ask", "never: {ask: [name]}", request(where="\"name\" = 'ann'"), None),
    ("never.ask", "never: {ask: [name]}", request(**MONDRIAN, mondrian=TARGET), None),
    ("never.ask", "never: {ask: [day]}", request(**HISTORY), None),
    ("never.keep", "never: {keep: [income]}", request(keep=["income"]), None),
    (
        "never.keep",
        "never: {keep: [income]}",
        request(sensitive={"income": [{"model": "distinct_l", "l": 2}]}),
        None,
    ),
    ("never.filter", "never: {filter: [age]}", request(where="NOT (sex = 'f' AND age BETWEEN 3 AND 4)"), None),
    ("finest", "finest: {age: 5 years}", request(quasi_identifiers={"age": {"hierarchy": "age", "from": 0}}), None),
    ("finest", "finest: {age: decade}", request(quasi_identifiers={"age": {"hierarchy": "age", "to": 1}}), None),
    ("finest", "finest: {age: month}", request(), None),
    ("finest", "finest: {age: 5 years}", request(quasi_identifiers={"sex": {"hierarchy": "sex"}}, keep=["age"]), None),
    ("finest", "finest: {age: 5 years}", request(**MONDRIAN), None),
    ("finest", "finest: {age: 5 years}", request(**MICROAGGREGATION, attributes={"age": {}}), None),
    (
        "finest",
        "finest: {age: 5 years}",
        request(**MICROAGGREGATION, attributes={"pay": {}}, within={"age": {"hierarchy": "age", "level": 0}}),
        None,
    ),
    ("finest", "finest: {age: 5 years}", request(**HISTORY), None),
    ("finest", "finest: {age: 5 years}", request(where="age = 37"), None),
    ("finest", "finest: {age: 5 years}", request(where="age >= 37"), None),
    ("finest", "finest: {age: 5 years}", request(where="NOT (age IS NULL OR age > 35)"), None),
    ("finest", "finest: {age: 5 years}", request(where="age <= 35"), None),
    (
        "finest",
        "finest: {age: 5 years}",
        request(quasi_identifiers={"sex": {"hierarchy": "sex"}}, where="age >= 35"),
        None,
    ),
    ("filters.released_only", "filters: {released_only: true}", request(where="pay > 3"), None),
    ("filters.released_only", "filters: {released_only: true}", request(where="age >= 30"), None),
    (
        "filters.released_only",
        "filters: {released_only: true}",
        request(quasi_identifiers=AT_LEVELS, where="age >= 35"),
        None,
    ),
    ("filters.borders", "k: 5", request(where="pay > 3"), standing()),
    ("filters.borders", "k: 5", request(where="NOT (sex = 'f' AND age >= 37)"), standing()),
    ("filters.borders", "k: 5", request(where="age = 37"), standing()),
    ("filters.borders", "k: 5", request(where="age BETWEEN 30 AND 39"), standing()),
    ("filters.borders", "filters: {borders: {age: bands}}", request(where="age >= 35"), standing()),
    ("recipients", "recipients: {aomori: {}}", request(), standing()),
    ("recipients.k", "recipients: {hokkaido: {k: 11}}", request(), standing()),
    ("recipients.columns", "recipients: {hokkaido: {columns: [age]}}", request(where="pay = 3"), standing()),
    (
        "recipients.requests",
        "recipients: {hokkaido: {requests: 2, per: week}}",
        request(),
        standing(submitted=(NOW - timedelta(days=6), NOW - timedelta(days=1))),
    ),
    (
        "quota",
        "quota: {requests: 1, per: day}",
        request(),
        standing(submitted=(NOW - timedelta(hours=23),)),
    ),
    (
        "refusals",
        "refusals: {most: 2, per: day}",
        request(),
        standing(refused=(NOW - timedelta(hours=23), NOW - timedelta(hours=1))),
    ),
    ("refusals", "k: 5", request(), standing(refused=tuple(NOW - timedelta(days=each) for each in range(10)))),
    ("search.budget", "k: 5", request(search={"budget": {"questions": 7}}), standing()),
    ("search.budget", "k: 5", request(search={"budget": {"seconds": 0.5}}), standing()),
    ("terms", "terms: Nobody is looked for.", request(), standing(accepted=frozenset(["00"]))),
)


@pytest.mark.parametrize("at", range(len(BROKEN)), ids=[f"{rule} {at}" for at, (rule, *_) in enumerate(BROKEN)])
def test_every_rule_is_broken_by_a_request_and_by_it_alone(at: int) -> None:
    rule, text, asked, who = BROKEN[at]

    (broken,) = broken_rules(policy_of(text), asked, who, HIERARCHIES)

    assert broken.rule == rule
    assert broken.message
    assert broken.next_step


def test_the_table_has_every_rule() -> None:
    assert {rule for rule, *_ in BROKEN} == set(RULES)


KEPT: tuple[tuple[str, Any, Requester | None], ...] = (
    (EVERYTHING.partition("\n")[2], request(quasi_identifiers=AT_LEVELS, where="age >= 30 AND age < 70"), None),
    ("never: {filter: [age], keep: [age]}", request(), None),
    ("models: {plan: [{model: alpha_k, alpha: 0.5}]}", request(sensitive={"plan": [
        {"model": "distinct_l", "l": 2}, {"model": "alpha_k", "alpha": 0.4}]}), None),
    ("k: 5", request(suppression_limit=0.05, risk={"highest": 0.05, "average": 0.01}), None),
    ("k: 5\nks: [10, 20]", request(risk={"highest": 0.05}), None),
    ("k: 5\nks: [10]", request(risk={"highest": 0.2}), None),
    ("suppression: 3 %", request(suppression_limit=0.03), None),
    ("scales: {suppression: [0.5 %]}", request(suppression_limit=0.005), None),
    ("models: {pay: [{model: alpha_k, alpha: 0.55}]}", request(sensitive=under(model="alpha_k", alpha=0.55)), None),
    ("k: 5", request(where="age >= 35 AND age < 40 AND sex = 'f' AND pay = 3 AND age IS NOT NULL"), standing()),
    ("filters: {borders: {pay: age}}", request(where="pay < 15"), standing()),
    ("k: 5", request(where="age = 37 AND pay > 3"), None),
    ("finest: {age: 5 years}", request(where="NOT (age >= 35) OR 45 > age"), None),
    ("finest: {age: 5 years}", request(where="age IS NOT NULL"), None),
    ("finest: {age: 5 years}", request(), None),
    ("filters: {released_only: true}", request(keep=["pay"], where="pay > 3"), None),
    (
        "recipients: {hokkaido: {requests: 2, per: week}}",
        request(),
        standing(submitted=(NOW - timedelta(days=8), NOW - timedelta(days=1))),
    ),
    (
        "refusals: {most: 2, per: day}",
        request(),
        standing(refused=(NOW - timedelta(hours=25), NOW - timedelta(hours=1))),
    ),
    ("recipients: {aomori: {k: 100}}\nquota: {requests: 1}\nterms: These", request(), None),
)  # fmt: skip


@pytest.mark.parametrize("at", range(len(KEPT)))
def test_a_request_within_the_rules_breaks_none(at: int) -> None:
    text, asked, who = KEPT[at]

    assert broken_rules(policy_of(text), asked, who, HIERARCHIES) == ()


def test_no_class_below_the_finest_level_is_a_border() -> None:
    policy = policy_of("finest: {AGE: decade}")
    wheres = ("age >= 35", "age >= 37")

    begun, parted = (broken_rules(policy, request(where=each), standing(), HIERARCHIES) for each in wheres)

    assert begun == parted
    assert [each.rule for each in begun] == ["finest", "filters.borders"]
    assert not broken_rules(policy, request(where="age >= 30"), standing(), HIERARCHIES)


def test_every_reason_comes_at_once() -> None:
    policy = read_policy(EVERYTHING).policy
    asked = request(k=4, suppression_limit=0.5, keep=["name", "income", "plan"], where="city = 'a' AND age = 3")

    rules = [each.rule for each in broken_rules(policy, asked, standing(recipient="x"), HIERARCHIES)]

    assert {"k", "suppression", "models", "never.ask", "never.keep", "never.filter", "finest"} < set(rules)
    assert {"filters.released_only", "recipients", "terms"} < set(rules)


def test_the_reference_and_the_schema_are_those_of_the_model() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "policy.md").read_text("utf-8")
    schema = jsonschema.Draft202012Validator(json_schema())

    assert page == policy_reference()
    schema.validate({"dataset": "members", "suppression": "2 %", "recipients": {"a": {"per": "week"}}})
    assert not schema.is_valid({"dataset": "members", "k": 1})
    assert not schema.is_valid({"dataset": "members", "sup": 1})
    assert schema.is_valid(json.loads(read_policy(EVERYTHING).policy.canonical))


@pytest.mark.parametrize(("reviews", "direction"), [(0, ["looser"]), (1, []), (2, ["stricter"])])
def test_a_first_policy_is_compared_with_the_one_review_without_any(reviews: int, direction: list[str]) -> None:
    found = changes(None, policy_of(f"reviews: {reviews}"))

    assert [each.direction for each in found if each.field == "reviews"] == direction


def test_as_many_reviews_are_needed_without_a_policy_as_with_one_that_says_nothing() -> None:
    assert EffectivePolicy("d").reviews == policy_of("k: 5").reviews


def test_terms_are_accepted_by_their_hash() -> None:
    policy = policy_of("terms: Nobody is looked for.")
    accepted = standing(accepted=frozenset([policy.terms_hash or ""]))

    assert broken_rules(policy, request(), accepted) == ()


def test_a_request_is_automatic_within_the_bounds_alone() -> None:
    policy = policy_of("automatic: {k: 10, suppression: 1 %, columns: [Age]}")

    assert is_automatic(policy, request())
    assert is_automatic(policy, request(suppression_limit=0.01, where="age > 3", identifiers=["name"]))
    assert not is_automatic(policy, request(k=9))
    assert not is_automatic(policy, request(suppression_limit=0.02))
    assert not is_automatic(policy, request(where="sex = 'f'"))
    assert not is_automatic(policy, request(keep=["plan"]))
    assert not is_automatic(policy_of("k: 5"), request())
    assert not is_automatic(policy_of("never: {filter: [age]}\nautomatic: {k: 10, columns: [age]}"),
                            request(where="age > 3"))  # fmt: skip


def test_a_policy_is_the_same_after_its_canonical_json_and_its_file() -> None:
    policy = read_policy(EVERYTHING).policy

    assert stored_policy(policy.canonical) == policy
    assert read_policy(yaml_of(policy)).policy == policy
    assert policy_of("suppression: 0.02").hash == policy_of("suppression: 2.0 %").hash
    assert json.loads(policy.canonical)["models"]["plan"][0]["t"] == 0.2
    assert policy.kept_for("requests") == timedelta(days=5 * 365)
    assert policy.expires_after() == timedelta(days=90)


def test_every_mistake_has_its_line_and_its_correction(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(
        "k: 1\ndataset: members\nsupression: 2 %\nsuppression: two\nnever:\n  keep: income\n"
        "filters: {persons: 0}\nexpiry: soon\nmodels: {plan: []}\nfinest: {age: 1.5}\n"
        "recipients: {a: {per: hour}}\n",
        encoding="utf-8",
    )

    with pytest.raises(RequestError) as caught:
        read_policy(path)

    problems = caught.value.problems
    assert len(problems) == 9
    lines = [int(each.removeprefix(f"{path}:").partition(":")[0]) for each in problems]
    assert lines == [1, 3, 4, 6, 7, 8, 9, 10, 11]
    assert all("; " in each for each in problems)


def test_terms_are_read_from_a_file_beside_the_policy(tmp_path: Path) -> None:
    (tmp_path / "terms.txt").write_text("Nobody is looked for.\n", encoding="utf-8")
    (tmp_path / "policy.yaml").write_text("dataset: members\nterms: terms.txt\n", encoding="utf-8")

    assert read_policy(tmp_path / "policy.yaml").policy.terms == "Nobody is looked for.\n"
    (tmp_path / "terms.txt").unlink()
    with pytest.raises(RequestError):
        read_policy(tmp_path / "policy.yaml")


@pytest.mark.parametrize(
    ("before", "after", "field", "direction"),
    [
        ("k: 5", "k: 6", "k", "stricter"),
        ("k: 5", "reviews: 1", "k", "looser"),
        ("ks: [5, 6]", "ks: [5]", "ks", "stricter"),
        ("ks: [5, 6]", "ks: [5, 7]", "ks", "other"),
        ("suppression: 2 %", "suppression: 1 %", "suppression", "stricter"),
        ("k: 5", "scales: {suppression: [0]}", "scales.suppression", "stricter"),
        ("scales: {t: [0.2]}", "scales: {t: [0.2, 0.21]}", "scales.t", "looser"),
        (
            "models: {a: [{model: distinct_l, l: 2}]}",
            "models: {a: [{model: distinct_l, l: 3}]}",
            "models.a",
            "stricter",
        ),
        ("never: {ask: [a, b]}", "never: {ask: [a]}", "never.ask", "looser"),
        ("finest: {a: x}", "finest: {a: y}", "finest.a", "other"),
        ("filters: {persons: 5}", "filters: {persons: 4}", "filters.persons", "looser"),
        ("filters: {}", "filters: {released_only: true}", "filters.released_only", "stricter"),
        ("k: 5", "refusals: {most: 9}", "refusals", "stricter"),
        ("k: 5", "k: 5\nrecipients: {a: {}}", "recipients", "stricter"),
        ("recipients: {a: {}}", "recipients: {a: {}, b: {}}", "recipients.b", "looser"),
        ("recipients: {a: {k: 5}}", "recipients: {a: {k: 6}}", "recipients.a.k", "stricter"),
        ("quota: {requests: 5, per: week}", "quota: {requests: 5, per: month}", "quota", "stricter"),
        ("quota: {requests: 5, per: week}", "quota: {requests: 9, per: month}", "quota", "other"),
        ("reviews: 2", "reviews: 1", "reviews", "looser"),
        ("k: 5", "k: 5\nautomatic: {k: 9, columns: [a]}", "automatic", "looser"),
        ("automatic: {k: 9, columns: [a]}", "automatic: {k: 8, columns: [a]}", "automatic.k", "looser"),
        ("expiry: 90 days", "expiry: 2 months", "expiry", "stricter"),
    ],
)
def test_a_difference_says_what_gets_stricter(before: str, after: str, field: str, direction: str) -> None:
    found = {each.field: each.direction for each in changes(policy_of(before), policy_of(after))}

    assert found[field] == direction


class Statements:
    """Progress that keeps the statements that ran in a source."""

    def __init__(self) -> None:
        self.seen: list[ExecutedStatement] = []

    def step(self, name: str) -> None:
        """Nothing."""

    def nodes_left(self, count: int) -> None:
        """Nothing."""

    def records_left(self, count: int) -> None:
        """Nothing."""

    def so_far(self, compute: Any) -> None:
        """Nothing."""

    def statement(self, statement: ExecutedStatement) -> None:
        self.seen.append(statement)


@pytest.fixture(scope="module")
def registered(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder where members of every age from 20 to 79 are registered, five of each: 300 persons; and a copy of it."""
    folder = tmp_path_factory.mktemp("shop")
    with duckdb.connect(folder / "shop.duckdb") as database:
        database.execute(
            "CREATE TABLE members AS SELECT i AS id, 20 + i % 60 AS Age, CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END "
            "AS sex, i * 7919 % 1000 AS income, 'p' || i % 3 AS plan FROM range(300) AS t(i)"
        )
    (folder / "age.yaml").write_text(AGE, encoding="utf-8")
    (folder / "sex.csv").write_text("f;*\nm;*\n", encoding="utf-8")
    engine = Engine(new_state(folder / "state.sqlite"))
    engine.sources.add("shop", str(folder / "shop.duckdb"))
    engine.datasets.add("members", "shop", table="members", least_k=5)
    engine.hierarchies.add("age", folder / "age.yaml")
    engine.hierarchies.add("sex", folder / "sex.csv")
    return folder, shutil.copytree(folder, tmp_path_factory.mktemp("copy") / "shop")


@pytest.fixture
def shop(registered: tuple[Path, Path]) -> tuple[Engine, Statements, Path]:
    """The registered folder as it was."""
    folder, copy = registered
    shutil.rmtree(folder)
    shutil.copytree(copy, folder)
    seen = Statements()
    return Engine(folder / "state.sqlite", progress=seen), seen, folder


def asked(folder: Path, name: str = "out", **fields: Any) -> dict[str, Any]:
    content = {
        "dataset": "members",
        "k": 5,
        "quasi_identifiers": {"age": {"hierarchy": "age"}, "sex": {"hierarchy": "sex"}},
        "release": {"to": str(folder / f"{name}.csv")},
    } | fields
    return {key: each for key, each in content.items() if each is not None}


@pytest.mark.slow
def test_names_are_looked_up_when_a_policy_is_set(shop: tuple[Engine, Statements, Path]) -> None:
    engine, _, _ = shop
    with pytest.raises(RequestError) as caught:
        engine.policies.set(
            "dataset: members\nnever: {keep: [incom]}\nfinest: {age: 6 years}\n"
            "models: {plan: [{model: t_closeness, t: 0.2, distance: hierarchical, hierarchy: plans}]}\n"
        )
    assert len(caught.value.problems) == 3
    assert "did you mean 'income'" in caught.value.problems[0].lower()
    with pytest.raises(UnknownName):
        engine.policies.set("dataset: membres\nk: 5\n")
    assert engine.policies.check("dataset: membres\nk: 5\n").notes
    assert engine.policies.get("members") is None


@pytest.mark.slow
def test_each_set_is_a_version_in_the_audit_and_the_last_one_is_in_force(
    shop: tuple[Engine, Statements, Path],
) -> None:
    engine, _, _ = shop
    first = engine.policies.set({"dataset": "members", "k": 10, "never": {"ask": ["INCOME"]}})
    again = engine.policies.set({"dataset": "members", "k": 10, "never": {"ask": ["income"]}})
    second = engine.policies.set({"dataset": "members", "k": 8})

    assert (first.version, again.version, second.version) == (1, 1, 2)
    assert first.policy.never.ask == ("income",)
    assert engine.policies.show("members", 1).hash == first.hash
    assert [each.version for each in engine.policies.list()] == [2]
    difference = engine.policies.diff("members")
    assert {each.field: each.direction for each in difference.changes} == {"k": "looser", "never.ask": "looser"}
    assert [each.field for each in engine.policies.diff("members", {"dataset": "members", "k": 9}).of("stricter")] == [
        "k"
    ]
    assert engine.policies.diff("members", versions=(0, 1)).of("stricter")
    with pytest.raises(InputError):
        engine.policies.show("members", 3)
    with engine.state_file.reading() as connection:
        entries = connection.execute("SELECT subject FROM audit WHERE action = 'policy set'").fetchall()
    assert entries == [("members",), ("members",)]


REFUSED: Mapping[str, Mapping[str, Any]] = {
    "generalization": {},
    "mondrian": {"method": "mondrian", "quasi_identifiers": {"sex": {}}},
    "microaggregation": {"method": "microaggregation", "quasi_identifiers": None, "attributes": {"age": {}}},
    "history": HISTORY,
}


@pytest.mark.slow
@pytest.mark.parametrize("method", REFUSED)
def test_every_method_is_refused_with_every_reason_before_the_source_is_opened(
    shop: tuple[Engine, Statements, Path], method: str
) -> None:
    engine, seen, folder = shop
    engine.policies.set({"dataset": "members", "k": 7, "never": {"keep": ["plan"]}})
    seen.seen.clear()
    (folder / "shop.duckdb").rename(folder / "elsewhere.duckdb")  # nothing can be read
    request = asked(folder, k=6, keep=["plan"], **REFUSED[method])

    for act in (engine.run, engine.check, engine.check_data, engine.explain, lambda each: engine.sweep(each, [7])):
        with pytest.raises(PolicyBroken) as caught:
            act(request)
        assert caught.value.rules == ("k", "never.keep")
    if method == "generalization":
        for act in (engine.predict, engine.offers):
            with pytest.raises(PolicyBroken):
                act(request)
    assert not seen.seen


@pytest.mark.slow
def test_rules_are_not_mined_against_the_policy(shop: tuple[Engine, Statements, Path]) -> None:
    engine, seen, _ = shop
    engine.policies.set(
        {"dataset": "members", "k": 10, "never": {"ask": ["income"], "keep": ["plan"]}, "finest": {"age": "decade"}}
    )
    seen.seen.clear()
    with pytest.raises(PolicyBroken) as caught:
        engine.suggest_rules("members", RulesOptions("plan", ["sex", "age"]), where="income > 3")
    assert set(caught.value.rules) == {"never.ask", "never.keep", "finest"}
    assert not seen.seen


@pytest.mark.slow
def test_of_policy_and_options_of_the_dataset_the_stricter_holds(shop: tuple[Engine, Statements, Path]) -> None:
    engine, _, folder = shop
    engine.datasets.add("strict", "shop", table="members", least_k=20, where_columns=["age"])
    engine.policies.set({"dataset": "strict", "k": 10})
    engine.policies.set({"dataset": "members", "k": 10})

    assert engine.datasets.get("strict").terms.least_k == 20
    assert engine.datasets.get("members").terms.least_k == 10
    with pytest.raises(PolicyBroken):
        engine.run(asked(folder, dataset="strict", k=15))
    with pytest.raises(RequestError):
        engine.check(asked(folder, dataset="strict", k=20, where="sex = 'f'"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "rules",
    [
        {"finest": {"age": "decade", "AGE": "5 years"}},
        {"models": {"plan": [{"model": "distinct_l", "l": 3}], "Plan": [{"model": "distinct_l", "l": 2}]}},
    ],
)
def test_a_column_has_rules_under_one_spelling(shop: tuple[Engine, Statements, Path], rules: dict[str, Any]) -> None:
    engine, _, _ = shop

    with pytest.raises(RequestError, match="are the same column"):
        engine.policies.set({"dataset": "members", **rules})


@pytest.mark.slow
def test_levels_finer_than_the_finest_are_cut_off_and_it_is_said(shop: tuple[Engine, Statements, Path]) -> None:
    _, _, folder = shop
    told: list[str] = []
    engine = Engine(folder / "state.sqlite", notice=told.append)
    free = engine.run(asked(folder, "free"))
    assert free.levels["Age"] == 0
    engine.policies.set({"dataset": "members", "finest": {"age": "5 years"}})

    found = engine.run(asked(folder))

    assert found.levels["Age"] == 1
    assert any("5 years" in each for each in told)


@pytest.mark.slow
def test_offers_keep_the_policy(shop: tuple[Engine, Statements, Path]) -> None:
    engine, _, folder = shop
    engine.policies.set({"dataset": "members", "ks": [5, 8, 300], "suppression": 0, "finest": {"age": "5 years"}})
    fixed = {"age": {"hierarchy": "age", "to": "5 years"}, "sex": {"hierarchy": "sex", "to": 0}}

    offers = engine.offers(asked(folder, k=300, quasi_identifiers=fixed)).offers

    assert offers
    for each in offers:
        request: Any = each.read.request
        assert request.k in (5, 8, 300)
        assert not getattr(request, "suppression_limit", 0)
        assert not broken_rules(engine.policies.show("members").policy, request, None, HIERARCHIES)
    assert any(each.changes.get("k") == 8 for each in offers)
    promised = engine.offered(asked(folder, k=300, quasi_identifiers=fixed), 1)
    assert engine.run(promised.read).released


@pytest.mark.slow
def test_a_sweep_takes_the_allowed_values_of_k_alone(shop: tuple[Engine, Statements, Path]) -> None:
    engine, _, folder = shop
    engine.policies.set({"dataset": "members", "ks": [5, 10]})

    assert len(engine.sweep(asked(folder), [5, 10]).points) == 2
    assert [each.reason is None for each in engine.sweep(asked(folder), [5, 6, 10]).points] == [True, False, True]
    with pytest.raises(RequestError):
        engine.sweep(asked(folder), [6])


@pytest.mark.slow
@pytest.mark.parametrize("entity", [None, "id"])
def test_a_filter_needs_enough_persons_on_both_sides(shop: tuple[Engine, Statements, Path], entity: str | None) -> None:
    engine, _, folder = shop
    engine.datasets.add("counted", "shop", table="members", entity=entity)
    engine.policies.set({"dataset": "counted", "filters": {"persons": 20}})
    base = asked(folder, dataset="counted")

    messages = set()
    for where in ("age < 23", "age >= 23", "age < 20", "age = 20"):
        with pytest.raises(PolicyBroken) as caught:
            engine.run(base | {"where": where})
        assert caught.value.rules == ("filters.persons",)
        messages.add(str(caught.value))
    assert len(messages) == 1  # neither a side nor a count
    assert engine.run(base | {"where": "age < 24"}).released
    with pytest.raises(PolicyBroken):
        engine.check_data(base | {"where": "age < 23"})
    engine.check(base | {"where": "age < 23"})  # nothing is counted


@pytest.mark.slow
def test_rows_of_which_a_filter_says_nothing_differ_from_those_that_pass(
    shop: tuple[Engine, Statements, Path],
) -> None:
    """Five persons have no age, and every age is below 1,000: only these are left out."""
    engine, _, folder = shop
    with duckdb.connect(folder / "shop.duckdb") as database:
        database.execute(
            "CREATE TABLE unsaid AS SELECT * REPLACE (CASE WHEN id < 5 THEN NULL ELSE age END AS age) FROM members"
        )
    engine.datasets.add("unsaid", "shop", table="unsaid")
    engine.policies.set({"dataset": "unsaid", "filters": {"apart": 20}})
    of = {"dataset": "unsaid", "quasi_identifiers": {"sex": {"hierarchy": "sex"}}}
    assert engine.run(asked(folder, **of)).released

    with pytest.raises(PolicyBroken, match="differ from those of an earlier release"):
        engine.run(asked(folder, "near", where="age < 1000", **of))


@pytest.mark.slow
@pytest.mark.parametrize("entity", [None, "id"])
def test_a_filter_names_values_that_enough_persons_have(
    shop: tuple[Engine, Statements, Path], entity: str | None
) -> None:
    engine, _, folder = shop
    engine.datasets.add("counted", "shop", table="members", entity=entity)
    engine.policies.set({"dataset": "counted", "filters": {"values": 20}})
    base = asked(folder, dataset="counted")

    messages = set()
    for where in ("age = 20", "age <> 999", "NOT (age > 30 OR age IN (20, 21))", "age IS NULL"):
        with pytest.raises(PolicyBroken) as caught:
            engine.run(base | {"where": where})
        assert caught.value.rules == ("filters.values",)
        messages.add(str(caught.value))
    assert len(messages) == 1  # neither a count nor whether anybody has it
    assert engine.run(base | {"where": "age < 60"}).released


@pytest.mark.slow
def test_statements_that_decide_on_a_filter_are_explained(shop: tuple[Engine, Statements, Path]) -> None:
    engine, _, folder = shop
    engine.policies.set({"dataset": "members", "filters": {"persons": 20, "apart": 20}})
    assert engine.run(asked(folder, "whole")).released

    filters = ("age < 23", "age < 77", "age < 70")
    explained = [engine.explain(asked(folder, "near", where=each)) for each in filters]
    with duckdb.connect(folder / "shop.duckdb", read_only=True) as database:
        answers = [
            [database.execute(each.sql).fetchall() for each in steps if each.title.startswith("policy, ")]
            for steps in explained
        ]
    # Of the persons that pass, then of the earlier release.
    assert answers == [[[(1,)], [(0,)]], [[(1,)], [(1,)]], [[(0,)], [(0,)]]]


@pytest.mark.slow
def test_rows_differ_from_those_of_a_release_by_enough_persons(shop: tuple[Engine, Statements, Path]) -> None:
    engine, _, folder = shop
    engine.policies.set({"dataset": "members", "filters": {"apart": 20}})
    engine.run(asked(folder, "whole"))

    for number, where in enumerate(("age <> 20", "age < 77")):
        with pytest.raises(PolicyBroken) as caught:
            engine.run(asked(folder, f"near{number}", where=where))
        assert caught.value.rules == ("filters.apart",)
    assert engine.run(asked(folder, "again")).released
    assert engine.run(asked(folder, "far", where="age < 70")).released
    with pytest.raises(PolicyBroken):
        engine.run(asked(folder, "nearer", where="age < 71"))


@pytest.mark.slow
def test_a_release_that_an_older_backup_does_not_know_is_compared_with_after_a_restore(
    shop: tuple[Engine, Statements, Path],
) -> None:
    engine, _, folder = shop
    engine.policies.set({"dataset": "members", "filters": {"apart": 20}})
    state = folder / "state.sqlite"
    copy = backup(state, folder / "copy.sqlite", SHELL)
    assert engine.run(asked(folder, "whole")).released

    assert "1 release" in restore(state, copy, SHELL).carried
    assert verify(state, SHELL) == ()
    with pytest.raises(PolicyBroken) as caught:
        engine.run(asked(folder, "near", where="age <> 20"))
    assert caught.value.rules == ("filters.apart",)


@pytest.mark.slow
@pytest.mark.parametrize(("where", "released"), [("age <> 20", False), ("age < 70", False), (None, True)])
def test_a_release_made_meanwhile_is_not_passed_over(
    shop: tuple[Engine, Statements, Path], monkeypatch: pytest.MonkeyPatch, where: str | None, released: bool
) -> None:
    engine, _, folder = shop
    engine.policies.set({"dataset": "members", "filters": {"apart": 20}})
    assert engine.run(asked(folder, "whole")).released
    # As if that release were not there yet when the next request opens its dataset.
    monkeypatch.setattr("ordermade.catalogue.registered._released_filters", lambda *_: ())

    if released:
        assert engine.run(asked(folder, "late", where=where)).released
        return
    with pytest.raises(ReleasedMeanwhile, match="released meanwhile") as caught:
        engine.run(asked(folder, "late", where=where))
    assert caught.value.rules == ("filters.apart",)
    assert sorted(each.name for each in folder.glob("*.csv*")) == ["sex.csv", "whole.csv", "whole.csv.manifest.json"]
    assert [each.status for each in engine.requests.list()] == ["failed", "released"]
    assert len(engine.releases.list()) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edit", "where"),
    [
        ("UPDATE policies SET policy = '{}' WHERE version = 2", "policies 2"),
        ("UPDATE policies SET policy = '{}', policy_hash = 'e0e0' WHERE version = 2", "policies 2"),
        ("UPDATE policies SET version = -version; UPDATE policies SET version = 3 + version", "policies 1"),
        ("DELETE FROM policies WHERE version = 2", "policies members, 2"),
        (
            "INSERT INTO policies SELECT 3, dataset_name, 3, policy, policy_hash, set_at FROM policies LIMIT 1",
            "policies 3",
        ),
    ],
)
def test_an_edited_policy_is_not_what_the_audit_says(
    shop: tuple[Engine, Statements, Path], edit: str, where: str
) -> None:
    engine, _, folder = shop
    for k in (5, 10):
        engine.policies.set({"dataset": "members", "k": k})
    assert Audit(engine.state_file).verify().intact
    with by_hand(folder / "state.sqlite") as connection:
        connection.executescript(edit)

    assert where in {each.where for each in Audit(engine.state_file).verify().findings}
