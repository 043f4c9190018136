"""Negotiations clicked through by three users at real browsers: a request that fails, an offer, votes, a release."""

from __future__ import annotations

import csv
import io
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from ordermade import Engine
from tests.browser.portal_people import LANGUAGES, PASSWORD, People, Person, made_office, people, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ASKING = {("en", "rows"): "ann", ("ja", "rows"): "bea", ("en", "table"): "cho", ("ja", "table"): "dan"}
"""Who asks in each negotiation: each of them for the first time, and so for terms to be accepted."""
TOO_DETAILED = {
    "title": "Ages and prefectures by month of joining",
    "dataset": "members",
    "k": 50,
    "quasi_identifiers": {
        "age": {"hierarchy": "age", "from": "5 years", "to": "5 years"},
        "prefecture": {"hierarchy": "prefecture", "to": "prefecture"},
        "joined": {"hierarchy": "joined", "to": "month"},
    },
    "release": {"to": "campaign.csv"},
}
"""Microdata that no node of the request gives: its forecast fails."""
COARSER = {
    "age": {"hierarchy": "age", "from": "20 years"},
    "prefecture": {"hierarchy": "prefecture", "from": "region"},
}
"""The columns of the provider's offer instead."""


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = made_office(tmp_path_factory.mktemp("portal"))
    engine = Engine(found)
    assert engine.run(TOO_DETAILED).status == "refused"  # by the provider: table C has it
    users = engine.users
    for name in (*ASKING.values(), "kei"):
        users.add(name, ["data-user"])
        users.password(name, PASSWORD.format(name))
    return found


@pytest.fixture(scope="module")
def address(state: Path) -> Iterator[str]:
    with served(state) as found:
        yield found


@pytest.fixture
def crowd(browser: Browser, address: str) -> Iterator[People]:
    with people(browser, address) as found:
        yield found


@pytest.mark.parametrize("language", LANGUAGES)
def test_microdata_whose_forecast_fails_are_offered_coarser_and_delivered(crowd: People, language: str) -> None:
    """The forecast fails, the provider makes an offer, the user accepts it, two reviewers approve, the worker runs."""
    misfits: list[str] = []
    ann = crowd.person(ASKING[language, "rows"], language)
    misfits += arrives(ann)
    submit_text(ann, TOO_DETAILED)
    number = number_of(ann)
    misfits += ann.look("rows-1-submitted")
    ann.sees("it fails")

    provider = crowd.person("pro", language)
    misfits += offers(provider, number, TOO_DETAILED | {"quasi_identifiers": COARSER, "k": 20})

    ann.page.get_by_role("navigation").get_by_role("link", name=ann.words("My requests")).click()
    ann.page.get_by_role("row").filter(has_text=ann.words("your turn")).get_by_role("link").click()
    ann.link("See what it gives up, and accept or decline it").click()
    misfits += ann.look("rows-2-offer")
    ann.button("Accept this offer").click()
    ann.sees("revised, waits for review")

    misfits += two_reviews(crowd, number, language, "rows", "for a campaign by mail")
    columns = takes_release(crowd, ann, "rows")
    assert columns[:2] == ["age", "prefecture"]
    assert misfits == []
    assert crowd.noise() == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_table_that_comes_back_from_its_run_is_revised_and_delivered(crowd: People, language: str) -> None:
    """The run of a filter that passes nobody sends it back to review, its user revises it, and accepts an offer."""
    misfits: list[str] = []
    cho = crowd.person(ASKING[language, "table"], language)
    misfits += arrives(cho)
    build(cho, "Sexes of the very old", {"sex": cho.words("original value"), "age": ""}, where="age >= 115")
    number = number_of(cho)
    misfits += two_reviews(crowd, number, language, "table-filtered", "for a talk about ageing")
    until(cho, "back to review")
    misfits += cho.look("table-1-back-to-review")

    cho.link("Revise it").click()
    field = cho.labelled("The request file (YAML)")
    text = yaml.safe_load(field.input_value())
    del text["where"]
    field.fill(yaml.safe_dump(text | {"title": "Sexes and ages"}, sort_keys=False))
    cho.labelled("Reason, for the reviewers").fill("all ages then")
    misfits += cho.look("table-2-revise")
    cho.button("Submit the revision").click()
    cho.sees("revised, waits for review")

    provider = crowd.person("pro", language)
    grouped = {"sex": {"hierarchy": "sex"}, "age": {"hierarchy": "age", "from": "20 years"}}
    misfits += offers(provider, number, text | {"quasi_identifiers": grouped} | {"where": None})
    cho.go(f"/requests/{number}/offer")
    misfits += cho.look("table-3-offer")
    cho.button("Accept this offer").click()
    cho.sees("revised, waits for review")

    misfits += two_reviews(crowd, number, language, "table", "all ages then")
    columns = takes_release(crowd, cho, "table")
    assert columns == ["sex", "age", "count"]
    assert misfits == []
    assert crowd.noise() == []


def test_a_request_is_submitted_by_the_keyboard_alone(crowd: People) -> None:
    kei = crowd.person("kei", "en")
    press = kei.page.keyboard
    kei.go("/")
    kei.tab_to(kei.labelled("Name"))
    press.type("kei")
    kei.tab_to(kei.labelled("Password"))
    press.type(PASSWORD.format("kei"))
    press.press("Enter")
    kei.button("Log out").wait_for()
    kei.tab_to(kei.page.get_by_role("navigation").get_by_role("link", name="Catalogue"))
    press.press("Enter")
    kei.page.wait_for_url("**/catalogue")
    kei.tab_to(kei.link("members"))
    press.press("Enter")
    kei.tab_to(kei.link("Ask for data"))
    press.press("Enter")
    kei.page.wait_for_url("**/requests/new?**")
    kei.tab_to(kei.labelled("Title"))
    press.type("By the keyboard alone")
    kei.tab_to(kei.page.get_by_role("combobox", name=re.compile("^sex")))
    for _ in range(2):  # past "release as it is"
        press.press("ArrowDown")
    kei.tab_to(kei.page.get_by_role("checkbox", name=kei.words("I accept these terms")).first)
    press.press("Space")
    kei.tab_to(kei.button("Submit the request").first)
    with kei.page.expect_navigation():
        press.press("Enter")
    number_of(kei)
    assert "By the keyboard alone" in kei.heading()
    assert crowd.noise() == []


def arrives(user: Person) -> list[str]:
    """Logs in, and looks into the catalogue and at the builder."""
    user.go("/")
    misfits = user.look("1-login")
    user.log_in()
    misfits += user.look("2-first")
    user.page.get_by_role("navigation").get_by_role("link", name=user.words("Catalogue")).click()
    user.page.wait_for_url("**/catalogue")
    misfits += user.look("3-catalogue")
    user.link("members").click()
    user.page.wait_for_url("**/catalogue/members")
    misfits += user.look("4-dataset")
    user.link("Ask for data").click()
    user.page.wait_for_url("**/requests/new?**")
    return misfits + user.look("5-builder")


def build(user: Person, title: str, columns: dict[str, str], where: str) -> None:
    """Fills the builder in for a table, and submits it."""
    form = user.page.locator("form.builder")
    user.labelled("Title", form).fill(title)
    user.labelled("Reason, for the reviewers", form).fill("for a talk about ageing")
    for column, option in columns.items():
        user.choose(column, option or user.words("10 years"))
    user.labelled("Only the rows with", form).fill(where)
    user.labelled("table: each combination with its count", form).check()
    user.labelled("I accept these terms", form).check()
    with user.page.expect_navigation():
        form.get_by_role("button", name=user.words("Submit the request")).click()


def submit_text(user: Person, asked: dict[str, object]) -> None:
    """Types a request file, and submits it."""
    user.page.get_by_text(user.words("Or submit a request file"), exact=True).click()
    form = user.page.locator("form", has=user.page.locator("textarea"))
    user.labelled("The request file (YAML)", form).fill(yaml.safe_dump(asked, sort_keys=False))
    user.labelled("Reason, for the reviewers", form).fill("for a campaign by mail")
    user.labelled("I accept these terms", form).check()
    with user.page.expect_navigation():
        form.get_by_role("button", name=user.words("Submit the request")).click()


def number_of(user: Person) -> int:
    """The number of the request whose page is shown now."""
    assert re.search(r"/requests/\d+$", user.page.url), user.page.locator("main").inner_text()
    return int(user.page.url.rpartition("/")[2])


def offers(provider: Person, number: int, instead: dict[str, object]) -> list[str]:
    """The provider looks at the request in the queue, and makes a counter-offer."""
    provider.log_in("/reviews")
    misfits = provider.look("6-queue")
    provider.page.locator(f"a[href='/reviews/{number}']").click()
    provider.page.wait_for_url(f"**/reviews/{number}")
    misfits += provider.look("7-review-by-the-provider")
    provider.page.get_by_text(provider.words("Make a counter-offer"), exact=True).click()
    text = yaml.safe_dump({name: each for name, each in instead.items() if each is not None}, sort_keys=False)
    provider.labelled("The request file (YAML)").fill(text)
    provider.labelled("What is given up, for the user").fill("ages by 20 years: fewer are not shared by enough")
    provider.button("Offer this").click()
    provider.sees("an offer was made")
    return misfits


def two_reviews(crowd: People, number: int, language: str, shot: str, purpose: str) -> list[str]:
    """Two reviewers find the request in the queue, read what it is for, and approve it."""
    misfits: list[str] = []
    for name in ("rei", "sei"):
        reviewer = crowd.person(name, language)
        reviewer.log_in()
        reviewer.page.get_by_role("navigation").get_by_role("link", name=reviewer.words("Reviews")).click()
        reviewer.page.locator(f"a[href='/reviews/{number}']").click()
        reviewer.page.wait_for_url(f"**/reviews/{number}")
        misfits += reviewer.look(f"{shot}-review-by-{name}")
        reviewer.page.get_by_role("definition").filter(has_text=purpose).wait_for()
        reviewer.labelled("Reason (needed to refuse; the user sees it)").fill("the purpose is plain")
        reviewer.button("Approve").click()
        reviewer.page.wait_for_url(f"**/reviews/{number}")
    return misfits


def until(user: Person, message: str, seconds: float = 120) -> None:
    """Loads the page of the request again until it says something: the worker is at it."""
    number = user.page.url.rstrip("/").split("/requests/")[1].split("/")[0]
    latest = time.monotonic() + seconds
    while True:
        user.go(f"/requests/{number}")
        if user.page.get_by_text(user.words(message)).count():
            return
        assert time.monotonic() < latest, user.page.locator("main").inner_text()
        time.sleep(0.5)


def takes_release(crowd: People, user: Person, shape: str) -> list[str]:
    """Waits for the release, and takes all that its page has; the names of the file's columns."""
    until(user, "The release is there.")
    assert user.look(f"{shape}-8-delivered") == []
    user.link("To the release").click()
    user.page.wait_for_url("**/release")
    assert user.look(f"{shape}-9-release") == []
    with user.page.expect_download() as download:
        user.page.get_by_role("link", name=re.compile(user.words("Download %(file)s", file=""))).click()
    rows = list(csv.reader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8"))))
    assert len(rows) > 2
    if shape == "table":
        assert all(int(each[-1]) >= 10 for each in rows[1:])
    with user.page.expect_download() as download:
        user.link("Codebook (CSV)").click()
    book = list(csv.reader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8"))))
    assert {each[0] for each in book[1:]} >= set(rows[0]) - {"count"}
    assert "@" in user.page.get_by_role("region", name="BibTeX").inner_text()
    user.link("Report").click()
    user.page.wait_for_url("**/release/report")
    assert user.page.get_by_role("heading").count() > 3
    assert user.look(f"{shape}-report") == []
    user.page.go_back()
    user.page.wait_for_url("**/release")
    return rows[0]
