"""Hierarchies of users: whose they are, what they may group, and that uploading one tells nothing of the data."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from ordermade import Engine
from ordermade.catalogue.audit import Audit
from ordermade.errors import (
    HierarchyError,
    InputError,
    OrdermadeError,
    PolicyBroken,
    Refused,
    RequestError,
    UnknownName,
)
from ordermade.portal.hierarchy_pages import EXAMPLES
from ordermade.service.own_hierarchies import LARGEST_HIERARCHY, read_own
from ordermade.state import user_hierarchies
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile
from ordermade.state.replay import unlike_their_steps
from ordermade.state.seals import broken_chain, unlike_their_seals
from tests.portal.office import USERS, Browser, PortalOffice, made, token_in
from tests.portal.people import with_people

pytestmark = pytest.mark.slow

RULE = "intervals: {levels: [{width: 4, name: fours}, {width: 12, name: twelves}]}\n"
OTHER = RULE.replace("4", "6").replace("fours", "sixes")
ASKED = "dataset: {}\nk: 5\nquasi_identifiers: {{{}: {{hierarchy: {}}}}}\nrelease: {{to: x.csv}}\n"
DISTANCE = "sensitive: {age: [{model: t_closeness, t: 0.2, distance: hierarchical, hierarchy: ann/bands}]}\n"
TABLE = """
dataset: people
k: 5
dimensions: {age: {hierarchy: ann/bands, level: 1}}
rows: [age]
release: {to: x.csv}
"""
TOWNS = "mapping: {{Uji: [{0}], Otsu: [{0}]}}\n"


@dataclass
class Engines:
    """The provider's engine and one of each user by a token."""

    office: PortalOffice
    provider: Engine
    of: dict[str, Engine]


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Engines:
    folder = tmp_path_factory.mktemp("own")
    office = with_people(made(folder), folder)
    engine = office.engine
    engine.datasets.add("others", source="people", table="people")
    of = {name: Engine(office.state, token=engine.users.token(name).secret) for name in USERS}
    return Engines(office, engine, of)


@pytest.fixture
def ann(engines: Engines) -> Engine:
    """Ann, who has none of her own and whom no policy binds."""
    engines.provider.policies.set({"dataset": "people"})
    found = engines.of["ann"]
    for each in found.catalogue.hierarchies():
        found.catalogue.remove_hierarchy(each.name)
    return found


def refused(kind: type[OrdermadeError], call: Any, *given: Any) -> str:
    with pytest.raises(kind) as caught:
        call(*given)
    return str(caught.value)


def test_a_rule_of_a_user_generalises_the_users_release(engines: Engines, ann: Engine) -> None:
    added = ann.catalogue.add_hierarchy("people", "AGE", "bands", RULE)
    assert (added.name, added.user, added.dataset, added.column) == ("ann/bands", "ann", "people", "age")
    number = ann.submissions.submit(ASKED.format("people", "age", "ann/bands")).id
    assert [each.name for each in engines.of["rei"].submissions.hierarchies(number)] == ["ann/bands"]
    assert engines.of["rei"].submissions.hierarchies(number)[0].text == RULE
    engines.of["rei"].submissions.review(number, "approve")
    engines.provider.submissions.run(number)
    engines.provider.submissions.deliver(number)
    assert ann.submissions.get(number).submission.status == "delivered"
    kept = engines.provider.releases.get(engines.provider.releases.list()[-1].id)
    assert kept is not None


def test_nobody_else_names_it_or_learns_that_it_is_there(engines: Engines, ann: Engine) -> None:
    ann.catalogue.add_hierarchy("people", "age", "bands", RULE)
    bob = engines.of["bob"]
    there = refused(RequestError, bob.submissions.submit, ASKED.format("people", "age", "ann/bands"))
    none = refused(RequestError, bob.submissions.submit, ASKED.format("people", "age", "ann/bandy"))
    assert there.replace("ann/bands", "ann/bandy") == none
    assert refused(RequestError, bob.check, ASKED.format("people", "age", "ann/bands")) == there
    assert bob.catalogue.hierarchies() == ()
    names = [each.name for column in bob.catalogue.get("people").columns for each in column.hierarchies]
    assert names == ["age", "town"]
    assert bob.catalogue.get("people").others == engines.of["rei"].catalogue.get("people").others == ()
    there = refused(UnknownName, bob.catalogue.remove_hierarchy, "ann/bands")
    assert there.replace("ann/bands", "x") == refused(UnknownName, bob.catalogue.remove_hierarchy, "x")


def test_a_provider_offers_a_user_none_of_somebody_elses(engines: Engines, ann: Engine) -> None:
    ann.catalogue.add_hierarchy("people", "age", "bands", RULE)
    number = engines.of["bob"].submissions.submit(ASKED.format("people", "age", "age")).id
    offered = ASKED.format("people", "age", "ann/bands")
    with pytest.raises(PolicyBroken, match="another user's"):
        engines.provider.submissions.propose(number, request=offered)


def test_names_of_users_and_of_the_provider_never_meet(engines: Engines, ann: Engine) -> None:
    ann.catalogue.add_hierarchy("people", "age", "bands", RULE)
    assert "user's own" in refused(InputError, engines.provider.hierarchies.add, "ann/bands", RULE)
    engines.provider.hierarchies.add("ann/taken", RULE)
    try:
        assert "taken" in refused(InputError, ann.catalogue.add_hierarchy, "people", "age", "taken", RULE)
        assert refused(UnknownName, ann.catalogue.remove_hierarchy, "ann/taken")
    finally:
        engines.provider.hierarchies.remove("ann/taken")


def test_it_is_for_its_own_column_of_its_own_dataset_alone(engines: Engines, ann: Engine) -> None:
    ann.catalogue.add_hierarchy("people", "age", "bands", RULE)
    for asked, said in (
        (ASKED.format("others", "age", "ann/bands"), "alone"),
        (ASKED.format("people", "town", "ann/bands"), "alone"),
        (ASKED.format("people", "town", "town") + DISTANCE, "nowhere else"),
        (TABLE, "nowhere else"),
    ):
        assert said in refused(PolicyBroken, ann.submissions.submit, asked)


def test_a_column_with_a_finest_level_takes_none(engines: Engines, ann: Engine) -> None:
    fine = RULE.replace("width: 4, name: fours", "width: 1, name: 5 years")
    ann.catalogue.add_hierarchy("people", "age", "fine", fine)
    engines.provider.policies.set({"dataset": "people", "finest": {"age": "5 years"}})
    asked = ASKED.format("people", "age", "ann/fine")
    assert "coarser alone" in refused(PolicyBroken, ann.submissions.submit, asked)
    assert "coarser alone" in refused(PolicyBroken, ann.check, asked)
    assert "coarser alone" in refused(Refused, ann.catalogue.add_hierarchy, "people", "age", "again", fine)
    assert [each.name for each in ann.catalogue.get("people").columns[0].hierarchies] == ["age"]


def test_a_request_with_one_is_never_approved_without_a_review(engines: Engines, ann: Engine) -> None:
    ann.catalogue.add_hierarchy("people", "age", "bands", RULE)
    for policy in ({"reviews": 0}, {"automatic": {"k": 5, "columns": ["age"]}}):
        engines.provider.policies.set({"dataset": "people", **policy})
        with_own = ann.submissions.submit(ASKED.format("people", "age", "ann/bands"))
        without = ann.submissions.submit(ASKED.format("people", "age", "age"))
        assert (with_own.status, without.status) == ("predicted", "approved")


def test_one_that_is_replaced_or_removed_sends_what_was_approved_back(engines: Engines, ann: Engine) -> None:
    for change in (
        lambda: ann.catalogue.add_hierarchy("people", "age", "bands", OTHER),
        lambda: ann.catalogue.remove_hierarchy("ann/bands"),
    ):
        ann.catalogue.add_hierarchy("people", "age", "bands", RULE)
        number = ann.submissions.submit(ASKED.format("people", "age", "ann/bands")).id
        engines.of["rei"].submissions.review(number, "approve")
        change()
        with suppress(OrdermadeError):
            engines.provider.submissions.run(number)
        assert ann.submissions.get(number).submission.status == "in_review"


def test_a_filter_is_parted_at_the_borders_of_registered_hierarchies_alone(engines: Engines, ann: Engine) -> None:
    ann.catalogue.add_hierarchy("people", "age", "bands", RULE)
    asked = ASKED.format("people", "age", "ann/bands")
    with pytest.raises(PolicyBroken) as caught:
        ann.submissions.submit(f"{asked}where: age >= 24\n")
    assert caught.value.rules == ("filters.borders",)
    ann.submissions.submit(f"{asked}where: age >= 30\n")


GUESSES = [
    TOWNS.format("Kansai"),  # every value, and no other
    TOWNS.format("Kansai").replace("Uji", "Uzi"),
    "mapping: {Uji: [K]}\n",
    "mapping: {Nara: [K], Kobe: [K], Gifu: [K]}\n",
    "value,area\nUji,K\nOtsu,K\n",
    "value,area\nUji,K\nNara,K\n",
    "ordered: {values: [Uji, Otsu], levels: [{cuts: [Otsu]}]}\n",
]


def test_guesses_of_values_are_all_answered_alike(ann: Engine) -> None:
    said = {
        refused(
            Refused, ann.catalogue.add_hierarchy, "people", "town", "towns", each, "csv" if "," in each[:9] else "yaml"
        )
        for each in GUESSES
    }
    assert len(said) == 1
    assert "not read by users" in said.pop()
    assert ann.catalogue.hierarchies() == ()
    assert ann.catalogue.get("people").columns[1].values == ()


def test_values_that_everybody_knows_are_held_against_the_registered_ones(engines: Engines, ann: Engine) -> None:
    engines.provider.policies.set({"dataset": "people", "labels": ["Town"]})
    assert ann.catalogue.get("people").columns[1].values == ("Uji", "Otsu")
    add = ann.catalogue.add_hierarchy
    assert "missing: 1, values that the column does not have: 1" in refused(
        HierarchyError, add, "people", "town", "t", GUESSES[1]
    )
    assert "missing: 1, values that the column does not have: 0" in refused(
        HierarchyError, add, "people", "town", "t", GUESSES[2]
    )
    add("people", "town", "t", GUESSES[0])
    add("people", "town", "c", "value,area\n" + "Uji,Kinki\nOtsu,Kinki\n".replace("\n", "\r\n"), "csv")
    number = ann.submissions.submit(ASKED.format("people", "town", "ann/t")).id
    assert ann.submissions.hierarchies(number)[0].kind == "explicit"


def test_a_list_is_held_against_the_registered_values_of_the_day(engines: Engines, ann: Engine) -> None:
    asked = ASKED.format("people", "town", "ann/t")
    engines.provider.policies.set({"dataset": "people", "labels": ["town"]})
    ann.catalogue.add_hierarchy("people", "town", "t", GUESSES[0])
    number = ann.submissions.submit(asked).id
    engines.of["rei"].submissions.review(number, "approve")
    engines.provider.policies.set({"dataset": "people"})
    closed = refused(PolicyBroken, ann.submissions.submit, asked)
    assert "are not those of" in closed
    with suppress(OrdermadeError):
        engines.provider.submissions.run(number)
    assert ann.submissions.get(number).submission.status == "in_review"
    engines.provider.policies.set({"dataset": "people", "labels": ["town"]})
    ann.submissions.submit(asked)
    engines.provider.hierarchies.add("town", {"Uji": "Kyoto", "Otsu": "Shiga", "Nara": "Nara"})
    try:
        assert refused(PolicyBroken, ann.submissions.submit, asked) == closed
    finally:
        engines.provider.hierarchies.add("town", {"Uji": "Kyoto", "Otsu": "Shiga"})


def test_a_column_without_a_registered_hierarchy_takes_none(engines: Engines, ann: Engine) -> None:
    removed = engines.provider.hierarchies.get("age")
    engines.provider.hierarchies.remove("age")
    try:
        said = refused(Refused, ann.catalogue.add_hierarchy, "people", "age", "bands", RULE)
        assert "no hierarchy is registered" in said
    finally:
        engines.provider.hierarchies.add(
            "age", "intervals: {levels: [{width: 5, name: 5 years}, {width: 10, name: 10 years}]}\n"
        )
    assert engines.provider.hierarchies.get("age").content_hash == removed.content_hash


@pytest.mark.parametrize(("dataset", "column"), [("none", "age"), ("people", "none"), ("", ""), ("people", "age ")])
def test_what_is_not_there_takes_none(ann: Engine, dataset: str, column: str) -> None:
    refused(InputError, ann.catalogue.add_hierarchy, dataset, column, "bands", RULE)


def test_a_column_that_no_request_uses_is_as_one_that_is_not_there(engines: Engines, ann: Engine) -> None:
    engines.provider.policies.set({"dataset": "people", "never": {"ask": ["town"]}})
    add = ann.catalogue.add_hierarchy
    there = refused(InputError, add, "people", "town", "t", GUESSES[0])
    assert there.replace("town", "torn") == refused(InputError, add, "people", "torn", "t", GUESSES[0])


NAMES = [
    *(
        "",
        " ",
        "a" * 200,
        "../x",
        "/etc/passwd",
        "a/b",
        "..",
        ".x",
        "a\\b",
        "nul\0",
        "line\nbreak",
        "\u202eltr",
        "a\u200bb",
    ),
    *("=1+1", "@x", "+x", "-x", " padded", "padded ", "<b>", '"', "|", "?", "*", "~$", "…"),
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_could_mislead_is_refused(ann: Engine, name: str) -> None:
    refused(InputError, ann.catalogue.add_hierarchy, "people", "age", name, RULE)
    assert ann.catalogue.hierarchies() == ()


@pytest.mark.parametrize("name", ["bands", "年齢区分", "age bands (4 years)", "é-2"])
def test_plain_names_are_taken_in_any_script(ann: Engine, name: str) -> None:
    assert ann.catalogue.add_hierarchy("people", "age", name, RULE).name == f"ann/{name}"


LEVELS = ", ".join(f"{{width: {n}}}" for n in range(1, 3_001))
TEXTS = {
    "empty": ("", "yaml"),
    "empty CSV": ("", "csv"),
    "a NUL": (RULE + "#\0", "yaml"),
    "turned letters": (RULE + "# \u202e", "yaml"),
    "half a character": (RULE + "# \ud800", "yaml"),
    "thousands of levels": (f"intervals: {{levels: [{LEVELS}]}}\n", "yaml"),
    "thousands of columns": ("v" + ",l" * 3_000 + "\nUji" + ",K" * 3_000 + "\n", "csv"),
    "nested deeply": ("[" * 3_000, "yaml"),
    "an alias": ("intervals: &a {levels: [{width: 4}]}\n", "yaml"),
    "another form": (RULE, "csv"),
    "a value twice": ("value,area\nUji,K\nUji,K\n", "csv"),
    "an empty label": ("value,area\nUji,\n", "csv"),
    "a formula as a label": ("mapping: {Uji: ['=1+1'], Otsu: [K]}\n", "yaml"),
    "a formula as a unit": ("intervals: {unit: '=cmd', levels: [{width: 4}]}\n", "yaml"),
    "a formula as a level": (RULE.replace("fours", "'@SUM'"), "yaml"),
    "a label that is too long": (RULE.replace("fours", "f" * 201), "yaml"),
    "too many bytes": (RULE + "#" * LARGEST_HIERARCHY, "yaml"),
}


@pytest.mark.parametrize("what", TEXTS)
def test_a_text_that_is_no_hierarchy_is_refused(engines: Engines, ann: Engine, what: str) -> None:
    engines.provider.policies.set({"dataset": "people", "labels": ["town"]})
    text, form = TEXTS[what]
    column = "age" if "intervals" in text else "town"
    refused(HierarchyError, ann.catalogue.add_hierarchy, "people", column, "bad", text, form)
    assert ann.catalogue.hierarchies() == ()


def test_a_text_of_the_most_bytes_is_read(ann: Engine) -> None:
    text = RULE + "#" * (LARGEST_HIERARCHY - len(RULE))
    assert ann.catalogue.add_hierarchy("people", "age", "full", text).size == LARGEST_HIERARCHY


def test_hierarchies_are_counted_with_those_that_were_lately_removed(
    engines: Engines, ann: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = sum(
        1
        for _ in sqlite3.connect(engines.office.state).execute("SELECT 1 FROM user_hierarchies WHERE user_name = 'ann'")
    )
    monkeypatch.setattr(user_hierarchies, "MOST", known + 2)
    add = ann.catalogue.add_hierarchy
    add("people", "age", "one", RULE)
    add("people", "age", "one", OTHER)  # another content counts, in the place of the first as it may be
    said = refused(Refused, add, "people", "age", "two", RULE)
    ann.catalogue.remove_hierarchy("ann/one")
    assert refused(Refused, add, "people", "age", "two", RULE) == said
    monkeypatch.setattr(user_hierarchies, "MOST", 1_000)
    monkeypatch.setattr(user_hierarchies, "MOST_BYTES", 10)
    refused(Refused, add, "people", "age", "two", RULE)


def test_the_audit_has_who_uploaded_what_for_which_column(engines: Engines, ann: Engine) -> None:
    ann.catalogue.add_hierarchy("people", "age", "noted", RULE)
    ann.catalogue.add_hierarchy("people", "age", "noted", RULE)  # the same again: nothing
    ann.catalogue.remove_hierarchy("ann/noted")
    steps = [each for each in Audit(StateFile(engines.office.state, SHELL)).list() if each.subject == "ann/noted"]
    assert [(each.action, each.actor, each.detail) for each in reversed(steps)] == [
        ("hierarchy upload", "ann", "added, for age of people"),
        ("hierarchy discard", "ann", None),
    ]


def test_the_state_is_whole_after_all_that(engines: Engines) -> None:
    with StateFile(engines.office.state, SHELL).reading() as connection:
        assert [*unlike_their_seals(connection), *broken_chain(connection)] == []
        assert list(unlike_their_steps(connection)) == []


def page(browser: Browser) -> str:
    return browser.get("/hierarchies?dataset=people").text


def sent(browser: Browser, content: bytes, file: str = "x.yaml", **fields: str) -> Any:
    token = token_in(page(browser))
    data = {"token": token, "dataset": "people", "column": "age", "name": "bands", **fields}
    return browser.client.post("/hierarchies", data=data, files=[("file", (file, content))])


def test_a_file_is_uploaded_shown_to_reviewers_and_removed_in_a_browser(engines: Engines, ann: Engine) -> None:
    browser = engines.office.browser("ann")
    answer = sent(browser, b"\xef\xbb\xbf" + RULE.replace("\n", "\r\n").encode())
    assert answer.status_code == 303, answer.text
    assert "ann/bands" in page(browser)
    assert "ann/bands" in browser.get("/requests/new?dataset=people").text
    assert "ann/bands" not in engines.office.browser("bob").get("/requests/new?dataset=people").text
    number = ann.submissions.submit(ASKED.format("people", "age", "ann/bands")).id
    review = engines.office.browser("rei").get(f"/reviews/{number}").text
    assert "Hierarchies of the user" in review
    assert "width: 4" in review
    page(browser)
    bob = engines.office.browser("bob")
    bob.get("/hierarchies")
    assert bob.post("/hierarchies/remove", token_in(page(bob)), name="ann/bands").status_code == 404
    assert browser.post("/hierarchies/remove", token_in(page(browser)), name="ann/bands").status_code == 303
    assert ann.catalogue.hierarchies() == ()


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (RULE.encode(), "x.xlsx", "does not end in"),
        (RULE.encode("utf-16"), "x.yaml", ""),
        (b"\x00\x01\xff\xfe" * 9, "x.csv", "text"),
        (b"", "x.yaml", "mapping"),
        (b"#" * (LARGEST_HIERARCHY + 1), "x.yaml", "larger"),
        (b"value,area\nUji,K\n", "x.csv", "not read by users"),
    ],
)
def test_a_file_that_is_no_hierarchy_is_refused_beside_what_was_chosen(
    engines: Engines, ann: Engine, content: bytes, name: str, said: str
) -> None:
    column = "town" if b"Uji" in content else "age"
    answer = sent(engines.office.browser("ann"), content, name, name="kept name", column=column)
    if not said:  # its mark says how it is written, as for the provider
        assert answer.status_code == 303
        return
    assert answer.status_code == 422
    assert said in answer.text
    assert 'value="kept name"' in answer.text
    assert ann.catalogue.hierarchies() == ()


def test_values_that_everybody_knows_are_in_the_catalogue(engines: Engines, ann: Engine) -> None:
    browser = engines.office.browser("ann")
    assert "Otsu" not in browser.get("/catalogue/people").text
    engines.provider.policies.set({"dataset": "people", "labels": ["town"]})
    assert "Otsu" in browser.get("/catalogue/people").text


@pytest.mark.parametrize(("kind", "text"), EXAMPLES.items())
def test_every_example_on_the_page_is_a_hierarchy_of_its_kind(kind: str, text: str) -> None:
    assert read_own(text, "yaml", "ann/x").hierarchy.kind == kind
