"""Every page by every role, for own requests and others', with and without a session, by forged and stale forms.

The table of pages is written down a second time here: a page that is not in it fails.
"""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ordermade import Engine
from ordermade.demo.office import make_office
from ordermade.portal.application import application, declared
from ordermade.portal.options import PortalOptions
from ordermade.portal.request_form import filter_example
from ordermade.portal.routing import OPEN
from ordermade.portal.saved_files import file_answer
from ordermade.reports import sentences
from ordermade.reports.figures import CitedRelease
from ordermade.reports.file import Report
from ordermade.reports.language import Language
from ordermade.state.connection import connect
from tests.portal.office import PASSWORD, Browser, PortalOffice, inline, token_in

pytestmark = pytest.mark.slow

USER, REVIEWER, PROVIDER = "data-user", "reviewer", "provider"
BOTH = {USER, REVIEWER, PROVIDER}
MINE = {USER, PROVIDER}
VOTES = {REVIEWER, PROVIDER}
ANYBODY: set[str] = set()
PAGES: dict[tuple[str, str], set[str]] = {
    ("GET", "/"): BOTH,
    ("GET", "/login"): ANYBODY,
    ("POST", "/login"): ANYBODY,
    ("POST", "/logout"): BOTH,
    ("GET", "/language/{code}"): ANYBODY,
    ("GET", "/static/portal.css"): ANYBODY,
    ("GET", "/static/portal.js"): ANYBODY,
    ("GET", "/static/portal.svg"): ANYBODY,
    ("GET", "/catalogue"): BOTH,
    ("GET", "/catalogue/{name:path}"): BOTH,
    ("GET", "/releases/{number}"): BOTH,
    ("GET", "/releases/{number}/file"): BOTH,
    ("GET", "/releases/{number}/codebook.csv"): BOTH,
    ("GET", "/hierarchies"): MINE,
    ("POST", "/hierarchies"): MINE,
    ("POST", "/hierarchies/remove"): MINE,
    ("GET", "/requests"): MINE,
    ("GET", "/requests/new"): MINE,
    ("POST", "/requests/new"): MINE,
    ("POST", "/requests/forecast"): MINE,
    ("POST", "/requests/text"): MINE,
    ("GET", "/requests/{number}"): BOTH,
    ("GET", "/requests/{number}/offer"): BOTH,
    ("POST", "/requests/{number}/accept"): MINE,
    ("POST", "/requests/{number}/withdraw"): MINE,
    ("GET", "/requests/{number}/revise"): MINE,
    ("POST", "/requests/{number}/revise"): MINE,
    ("GET", "/requests/{number}/release"): MINE,
    ("GET", "/requests/{number}/release/file"): MINE,
    ("GET", "/requests/{number}/release/report"): MINE,
    ("GET", "/requests/{number}/release/codebook.csv"): MINE,
    ("GET", "/requests/{number}/release/certificate.json"): MINE,
    ("GET", "/reviews"): VOTES,
    ("GET", "/reviews/{number}"): VOTES,
    ("POST", "/reviews/{number}/vote"): VOTES,
    ("POST", "/reviews/{number}/propose"): {PROVIDER},
    ("GET", "/reviews/{number}/offers"): {PROVIDER},
    ("POST", "/reviews/{number}/offers"): {PROVIDER},
    ("GET", "/reviews/{number}/statements"): {PROVIDER},
    ("POST", "/requests/{number}/comment"): BOTH,
}
"""The pages with the roles that may use them; nobody's: everybody may."""
PUBLIC = "/releases/"
"""What every user may have, whoever requested it."""
NO_PAGES = ("/static", "/language")
NAMES = {"hana": USER, "ken": USER, "rei": REVIEWER, "pro": PROVIDER}


@dataclass
class Town:
    """The demo's office with a provider who has a password, and a browser of each user; requests of hana by state.

    `published`: the number of the release that everybody may have, of her request.
    """

    office: PortalOffice
    browsers: dict[str, Browser]
    of_hana: dict[str, int]
    published: int

    def path(self, pattern: str, number: int) -> str:
        if pattern.startswith(PUBLIC) and number == self.of_hana["delivered"]:
            number = self.published
        return pattern.replace("{number}", str(number)).replace("{name:path}", "members").replace("{code}", "en")

    def token(self, name: str) -> str:
        return token_in(self.browsers[name].get("/").text)


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Town:
    folder = tmp_path_factory.mktemp("town") / "demo"
    made = make_office(folder, rows=4_000)
    users = Engine(made.state).users
    users.add("pro", [PROVIDER])
    for name in NAMES:
        users.password(name, PASSWORD.format(name))
    office = PortalOffice(made.state, PortalOptions(made.state))
    own = {each.status: each.id for each in office.engine.submissions.list() if each.submitted_by == "hana"}
    (published,) = office.engine.catalogue.releases("members")
    return Town(office, {name: office.browser(name) for name in NAMES}, own, published.release)


@pytest.fixture(scope="module")
def no_session(town: Town) -> Browser:
    return town.office.browser()


@pytest.fixture(scope="module")
def ended_session(town: Town) -> str:
    """The cookie of a session that its user ended."""
    ended = town.office.browser("hana")
    ended.get("/")
    cookie = str(ended.client.cookies["ordermade"])
    ended.post("/logout")
    return cookie


def test_every_page_is_in_the_table_and_no_other() -> None:
    assert {(each.method, each.path) for each in declared()} == set(PAGES)


def test_the_application_has_no_page_beside_those_declared(town: Town) -> None:
    routes = {(method, each.path) for each in town.office.app.routes for method in each.methods}
    assert {each for each in routes if each[0] != "HEAD"} == set(PAGES)
    assert all(each.rule.is_form == (each.method == "POST") for each in declared())
    assert {(each.method, each.path) for each in declared() if each.rule.call == OPEN} == {
        page for page, roles in PAGES.items() if not roles
    }


@pytest.mark.parametrize(("method", "pattern"), [each for each, roles in PAGES.items() if roles])
def test_nobody_sees_a_page_without_a_session(
    town: Town, no_session: Browser, ended_session: str, method: str, pattern: str
) -> None:
    path = town.path(pattern, town.of_hana["delivered"])
    for cookie in ("", ended_session):
        browser = no_session
        browser.client.cookies.clear()
        if cookie:
            browser.client.cookies.set("ordermade", cookie)
        found = browser.client.request(method, path, data={"token": "x"} if method == "POST" else None)
        assert found.status_code == 303
        assert found.headers["location"].startswith("/login")


@pytest.mark.parametrize(("method", "pattern"), [each for each, roles in PAGES.items() if roles])
@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_for_the_roles_of_the_table(town: Town, method: str, pattern: str, name: str) -> None:
    browser, role = town.browsers[name], NAMES[name]
    path = town.path(pattern, town.of_hana["delivered"])
    if method == "GET":
        status = browser.get(path).status_code
        if role not in PAGES[method, pattern]:
            assert status == 403
        elif pattern.startswith(PUBLIC):
            assert status == 200
        elif name == "ken" and "{number}" in pattern:
            assert status == 404  # somebody else's
        else:
            assert status in (200, 303, 409)
    elif role not in PAGES[method, pattern]:
        assert browser.post(path, town.token(name)).status_code == 403


@pytest.mark.parametrize("pattern", [path for method, path in PAGES if method == "POST" and path != "/login"])
@pytest.mark.parametrize("name", NAMES)
def test_a_forged_form_is_refused_whoever_sends_it(town: Town, pattern: str, name: str) -> None:
    browser, other = town.browsers[name], "ken" if name != "ken" else "hana"
    path = town.path(pattern, town.of_hana["proposed"])
    for token in ("", "0" * 64, town.token(other)):
        assert browser.post(path, token).status_code == 403


@pytest.mark.parametrize(("method", "pattern"), PAGES)
def test_a_wrong_method_is_refused(town: Town, method: str, pattern: str) -> None:
    path = town.path(pattern, town.of_hana["delivered"])
    for other in ("PUT", "DELETE", "PATCH"):
        assert town.browsers["hana"].client.request(other, path).status_code == 405


@pytest.mark.parametrize("action", ["accept", "withdraw", "revise"])
def test_a_request_of_another_is_as_one_that_is_not_there(town: Town, action: str) -> None:
    ken, fields = town.browsers["ken"], {"revision": "2", "status": "proposed", "text": "k: 10"}
    mine = ken.post(f"/requests/{town.of_hana['proposed']}/{action}", town.token("ken"), **fields)
    none = ken.post(f"/requests/99999/{action}", town.token("ken"), **fields)
    assert mine.status_code == none.status_code == 404
    strip = re.compile(r"visit \w+")
    assert strip.sub("", mine.text) == strip.sub("", none.text)


@pytest.mark.parametrize("fields", [{"revision": "1", "status": "proposed"}, {"revision": "2", "status": "revised"}])
def test_a_form_of_an_earlier_revision_moves_nothing(town: Town, fields: dict[str, str]) -> None:
    number = town.of_hana["proposed"]
    for action in ("accept", "withdraw", "revise"):
        found = town.browsers["hana"].post(f"/requests/{number}/{action}", town.token("hana"), **fields)
        assert found.status_code == 409
    assert town.office.engine.submissions.get(number).submission.status == "proposed"


def test_a_form_of_an_earlier_revision_is_refused_in_the_language_of_the_page(town: Town) -> None:
    fields = {"token": town.token("hana"), "revision": "1", "status": "proposed"}
    path = f"/requests/{town.of_hana['proposed']}/accept"
    found = town.browsers["hana"].client.post(path, data=fields, headers={"accept-language": "ja"})
    assert (found.status_code, "表示された後に" in found.text) == (409, True)
    assert '<span lang="en"' not in found.text


def test_a_vote_on_an_earlier_revision_counts_for_nothing(town: Town) -> None:
    number = town.of_hana["predicted"]
    found = town.browsers["rei"].post(f"/reviews/{number}/vote", town.token("rei"), revision="7", vote="approve")
    assert found.status_code == 409
    assert town.office.engine.submissions.get(number).votes == ()


@pytest.mark.parametrize(
    "path",
    ["/requests/0", "/requests/-1", "/requests/99999999999999999999", "/requests/x", "/catalogue/none", "/reviews/x"],
)
def test_what_is_not_there_is_not_found(town: Town, path: str) -> None:
    assert town.browsers["rei"].get(path).status_code == 404


def pages(town: Town) -> Iterator[tuple[str, str, Any]]:
    """Every page that is looked at, by whoever may; one in English, the next in Japanese, turned by user."""
    for turn, (name, browser) in enumerate(town.browsers.items()):
        numbers = [each.id for each in town.office.engine.submissions.list() if name != "ken"]
        for pattern in (
            path for method, path in PAGES if method == "GET" and not path.startswith(("/static", "/lang"))
        ):
            for place, number in enumerate(numbers if "{number}" in pattern else [0, 0], turn):
                language = ("en", "ja")[place % 2]
                found = browser.get(town.path(pattern, number), headers={"accept-language": language})
                yield name, found.request.url.path, found


def test_pages_have_nothing_inline_and_no_label_of_a_person(town: Town) -> None:
    folder = town.office.state.parents[1]
    labels = set()
    for file in (folder / "hierarchies").glob("*.csv"):
        with file.open(encoding="utf-8", newline="") as rows:
            labels |= {each[0] for each in list(csv.reader(rows))[1:]}
    assert len(labels) > 40
    listed = re.compile("|".join(rf"\b{re.escape(each)}\b" for each in sorted(labels) if len(each) > 3))
    looked = 0
    for _, path, found in pages(town):
        assert found.status_code < 500, path
        if "/release/" in path or not found.headers.get("content-type", "").startswith("text/html"):
            continue
        looked += 1
        assert inline(found.text) == [], path
        assert listed.findall(re.sub(r"<[^>]*>", " ", found.text)) == [], path
    print(f"{looked} pages looked at")
    assert looked > 140


def test_a_report_is_shown_in_a_sandbox_and_a_file_is_saved(town: Town) -> None:
    hana, number = town.browsers["hana"], town.of_hana["delivered"]
    report = hana.get(f"/requests/{number}/release/report")
    assert report.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    file = hana.get(f"/requests/{number}/release/file")
    assert file.headers["content-disposition"].startswith("attachment")
    assert file.headers["x-content-type-options"] == "nosniff"
    release = Engine(town.office.state).releases.list()[-1]
    assert file.content == Path(str(release.path)).read_bytes()
    book = hana.get(f"/requests/{number}/release/codebook.csv").text.splitlines()
    assert [line.split(",")[0] for line in book[1:]] == ["sex", "age", "prefecture"]


@pytest.mark.parametrize("page", ["/requests/{}/release/file", "/releases/{}/file"])
def test_a_file_that_goes_while_it_is_handed_over_is_whole_or_a_fault(
    town: Town, page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = town.published if page.startswith("/releases") else town.of_hana["delivered"]
    file = Path(str(Engine(town.office.state).releases.list()[-1].path))
    content, away = file.read_bytes(), tmp_path / "away"

    def gone_before(path: Path, name: str) -> Any:
        file.rename(away)
        try:
            return file_answer(path, name)
        finally:
            away.rename(file)

    def gone_after(path: Path, name: str) -> Any:
        answer = file_answer(path, name)
        shutil.copyfile(file, away)
        file.unlink()
        return answer

    module = "public_pages" if page.startswith("/releases") else "release_pages"
    monkeypatch.setattr(f"ordermade.portal.{module}.file_answer", gone_before)
    assert town.browsers["hana"].get(page.format(number)).status_code == 503
    monkeypatch.setattr(f"ordermade.portal.{module}.file_answer", gone_after)
    try:
        assert town.browsers["hana"].get(page.format(number)).content == content
    finally:
        away.rename(file)


def test_the_certificate_of_a_release_has_no_count_and_no_hash_of_labels(town: Town, tmp_path: Path) -> None:
    hana, number = town.browsers["hana"], town.of_hana["delivered"]
    path = f"/requests/{number}/release/certificate.json"
    assert path in hana.get(f"/requests/{number}/release").text
    found = hana.get(path)
    assert found.headers["content-disposition"] == f'attachment; filename="certificate-{number}.json"'
    content = found.json()
    assert content["for"] == "user"
    assert {key for each in content["evidence"] for key in each} == {"node", "why"}
    assert set(content["answer"]) == {"node"}
    assert {key for each in content["columns"] for key in each} == {"column", "hierarchy", "accepted"}
    assert not {"salt", "rows", "hash_sum"} & {*content, *content["version"]}
    copy = tmp_path / "certificate.json"
    copy.write_bytes(found.content)
    assert Engine(town.office.state).verify_certificate(copy).nodes > 1


def test_a_public_release_says_nothing_of_who_requested_it(town: Town) -> None:
    request = town.office.engine.submissions.get(town.of_hana["delivered"]).submission
    release = Path(town.office.engine.releases.get(town.published).name)
    for name, browser in town.browsers.items():
        page = browser.get(f"/releases/{town.published}").text
        text = re.sub(r"<[^>]*>", " ", page.partition("<main")[2])
        assert "Members by sex, age and half of the country" in text
        assert not {"hana", "yearbook", release.name} & set(re.findall(r"[\w.]+", text)), name
        assert f"/requests/{request.id}" not in page.partition("<main")[2]
        file = browser.get(f"/releases/{town.published}/file")
        assert file.headers["content-disposition"] == f'attachment; filename="release-{town.published}.csv"'
        assert file.content == release.read_bytes()
        book = browser.get(f"/releases/{town.published}/codebook.csv").text.splitlines()
        assert [line.split(",")[0] for line in book[1:]] == ["sex", "age", "prefecture"]


def test_what_leaves_the_catalogue_is_not_found_and_its_own_user_has_it(town: Town) -> None:
    engine, number, ken = town.office.engine, town.published, town.browsers["ken"]
    assert f'href="/releases/{number}"' in ken.get("/catalogue/members").text
    assert "1 public release" in ken.get("/catalogue").text
    title = engine.releases.unpublish(number).title
    try:
        for path in ("", "/file", "/codebook.csv"):
            assert ken.get(f"/releases/{number}{path}").status_code == 404
        assert "Public releases" not in ken.get("/catalogue/members").text
        assert town.browsers["hana"].get(f"/requests/{town.of_hana['delivered']}/release/file").status_code == 200
    finally:
        engine.releases.publish(number, title)


def test_a_public_file_that_was_changed_is_not_handed_out(town: Town) -> None:
    path = Path(town.office.engine.releases.get(town.published).name)
    content, ken = path.read_bytes(), town.browsers["ken"]
    try:
        path.write_bytes(content + b"x")
        assert ken.get(f"/releases/{town.published}/file").status_code == 503
    finally:
        path.write_bytes(content)


def test_a_certificate_that_was_changed_is_not_handed_over(town: Town) -> None:
    hana, number = town.browsers["hana"], town.of_hana["delivered"]
    (kept,) = (town.office.state.parent / "deliveries").rglob("*.certificate.json")
    text = kept.read_text(encoding="utf-8")
    try:
        kept.write_text(text.replace('"fails"', '"no better"'), encoding="utf-8")
        assert hana.get(f"/requests/{number}/release/certificate.json").status_code == 503
    finally:
        kept.write_text(text, encoding="utf-8")


def test_the_page_of_tables_says_what_they_are_and_how_to_cite_them(town: Town) -> None:
    hana, office = town.browsers["hana"], town.office.engine.submissions
    text = "dataset: members\nk: 20\nrows: [sex]\ncolumns: [plan]\nrelease: {to: tables.csv}\n"
    hana.get("/requests/new?dataset=members")
    number = int(hana.post("/requests/text", dataset="members", text=text).headers["location"].rpartition("/")[2])
    rei = town.browsers["rei"]
    rei.get(f"/reviews/{number}")
    assert rei.post(f"/reviews/{number}/vote", revision="1", vote="approve").status_code == 303
    assert "no copy is for users" in office.run(number, certifies=True).uncertified
    office.deliver(number)
    page = hana.get(f"/requests/{number}/release").text
    assert "Mark of suppressed cells" in page
    assert "cells of fewer than 20 suppressed" in page
    assert "@misc{ordermade-release-" in page
    assert "certificate.json" not in page
    for name in ("certificate.json", "codebook.csv"):
        assert hana.get(f"/requests/{number}/release/{name}").status_code == 409


def test_a_whole_negotiation_is_clicked_through(town: Town) -> None:
    ken, rei, pro = (town.browsers[name] for name in ("ken", "rei", "pro"))
    builder = ken.get("/requests/new?dataset=members").text
    columns = dict(re.findall(r'name="column\.(\d+)" value="(\w+)"', builder))
    fields = {f"column.{place}": name for place, name in columns.items()}
    place = {name: place for place, name in columns.items()}
    fields |= {f"use.{place['age']}": "at:2:age", f"use.{place['sex']}": "at:0:sex"}
    asked = fields | {
        "dataset": "members",
        "title": "Clicked",
        "k": "20",
        "limit": "0.02",
        "shape": "table",
        "why": "a map of ages",
    }
    sent = ken.post("/requests/new", **asked)
    assert sent.status_code == 303, sent.text
    number = int(sent.headers["location"].rpartition("/")[2])
    assert "waits for review" in ken.get(f"/requests/{number}").text
    assert f"/reviews/{number}" in rei.get("/reviews").text
    page = pro.get(f"/reviews/{number}").text
    last = re.search(r'name="last" value="(\d+)"', page)
    assert last is not None
    text = town.office.engine.submissions.get(number).in_force.request.replace("from: 2", "from: 3")
    offered = pro.post(f"/reviews/{number}/propose", token_in(page), last=last[1], text=text, why="coarser ages")
    assert offered.status_code == 303, offered.text
    assert "your turn" in ken.get("/requests").text
    offer = ken.get(f"/requests/{number}/offer").text
    assert "coarser ages" in offer
    assert ken.post(f"/requests/{number}/accept", revision="2", status="proposed").status_code == 303
    review = rei.get(f"/reviews/{number}").text
    assert "What differs from the revision before" in review
    assert "a map of ages" in review  # what it is for, in the place of the offer's reason
    assert rei.post(f"/reviews/{number}/vote", revision="2", vote="approve").status_code == 303
    Engine(town.office.state).submissions.run(number)
    Engine(town.office.state).submissions.deliver(number)
    assert "The release is there." in ken.get(f"/requests/{number}").text
    assert ken.get(f"/requests/{number}/release/file").text.startswith("sex,age,count")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"k": "11"}, "one of 10, 20, 50, 100"),
        ({"where": "name = 'Zqx'"}, "name"),
        ({"where": "age >="}, "where"),
        ({"use.1": "at:0:age"}, "level"),
        ({"use.0": "", "use.1": ""}, "no column is generalised"),
        ({"column.0": "other"}, "columns have changed"),
        ({"limit": "0.5"}, "suppression limit"),
        ({"shape": "cube"}, "shape"),
        ({"k": "many"}, "number"),
    ],
)
def test_a_mistake_in_the_builder_is_said_beside_what_was_chosen(
    town: Town, changed: dict[str, str], said: str
) -> None:
    hana = town.browsers["hana"]
    builder = hana.get("/requests/new?dataset=members").text
    fields = {f"column.{place}": name for place, name in re.findall(r'name="column\.(\d+)" value="(\w+)"', builder)}
    fields |= {"dataset": "members", "title": "Kept title", "k": "20", "limit": "0", "shape": "rows"}
    fields |= {"use.0": "at:0:sex", "use.1": "at:2:age"}
    before = len(town.office.engine.submissions.list())
    found = hana.post("/requests/new", **(fields | changed))
    assert found.status_code == 422
    assert said in found.text
    assert 'value="Kept title"' in found.text
    assert len(town.office.engine.submissions.list()) == before


def test_the_builder_forecasts_what_is_chosen_so_far(town: Town) -> None:
    hana = town.browsers["hana"]
    builder = hana.get("/requests/new?dataset=members").text
    assert re.search(r'role="status" aria-live="polite" data-forecast="/requests/forecast"></div>', builder)
    fields = {f"column.{place}": name for place, name in re.findall(r'name="column\.(\d+)" value="(\w+)"', builder)}
    fields |= {"dataset": "members", "k": "20", "limit": "0", "shape": "rows", "use.0": "at:0:sex"}
    token, before = token_in(builder), len(town.office.engine.submissions.list())
    found = hana.post("/requests/forecast", token, **fields)
    assert found.status_code == 200
    assert re.findall(r'<span class="badge (\w+)">(\w+)</span>', found.text) == [("good", "likely")] * 2
    assert "It needs a review." in found.text
    assert "<html" not in found.text
    assert inline(found.text) == []
    for changed, said in (({"k": "11"}, "one of 10, 20, 50, 100"), ({"where": "sex ="}, "where")):
        refused = hana.post("/requests/forecast", token, **(fields | changed))
        assert refused.status_code == 200, "the script shows it, and no console calls it an error"
        assert said in refused.text
        assert "badge" not in refused.text
    nothing = hana.post("/requests/forecast", token, **(fields | {"use.0": ""}))
    assert (nothing.status_code, nothing.text) == (204, "")
    cold = hana.post("/requests/forecast", token, **(fields | {"where": "sex = 'F'"}))
    assert re.findall(r"badge (\w+)", cold.text) == ["open", "open"]
    assert len(town.office.engine.submissions.list()) == before


def test_forecasts_end_in_words_and_submitting_goes_on(town: Town) -> None:
    engine, ken = town.office.engine, town.browsers["ken"]
    rules = engine.policies.show("members").policy
    engine.policies.set(rules.model_dump(exclude_defaults=True) | {"forecasts": {"most": 1, "per": "day"}})
    builder = ken.get("/requests/new?dataset=members").text
    fields = {f"column.{place}": name for place, name in re.findall(r'name="column\.(\d+)" value="(\w+)"', builder)}
    fields |= {"dataset": "members", "title": "t", "limit": "0", "shape": "rows", "use.0": "at:0:sex"}
    token = token_in(builder)
    assert "0 more forecasts are left." in ken.post("/requests/forecast", token, **fields, k="20").text
    for _ in range(2):
        found = ken.post("/requests/forecast", token, **fields, k="50")
        assert found.status_code == 200
        assert "No more forecasts for now." in found.text
    assert ken.post("/requests/new", token, **fields, k="50").status_code == 303
    engine.policies.set(rules.model_dump(exclude_defaults=True))


def test_a_request_that_a_reviewer_voted_on_does_not_wait_for_that_reviewer(town: Town) -> None:
    waiting, _, others = town.browsers["rei"].get("/reviews").text.partition("<h2>Under way</h2>")
    assert "you voted" not in waiting
    assert "you voted" in others


def test_a_withdrawn_request_expires_no_more_and_takes_no_comments(town: Town) -> None:
    found = next(each for each in town.office.engine.submissions.list() if each.status == "withdrawn")
    page = town.browsers[found.submitted_by].get(f"/requests/{found.id}").text
    assert "<h2>History</h2>" in page
    assert "<dt>Expires</dt>" not in page
    assert 'id="comments"' not in page


def test_the_script_is_the_only_one_and_short(town: Town) -> None:
    files = list((Path(__file__).parents[2] / "engine/ordermade/portal").rglob("*.js"))
    assert [each.name for each in files] == ["portal.js"]
    assert len(files[0].read_text(encoding="utf-8").splitlines()) <= 300
    served = town.browsers["hana"].get("/static/portal.js")
    assert served.headers["content-type"].startswith("text/javascript")
    assert re.findall(r"<script[^>]*>", town.browsers["hana"].get("/").text) == [
        '<script src="/static/portal.js" defer>'
    ]


def built(town: Town, **chosen: str) -> Any:
    """What the builder answers hana, who chooses these fields and leaves the others as they are."""
    page = town.browsers["hana"].get("/requests/new?dataset=members").text
    columns = dict(re.findall(r'name="(column\.\d+)" value="([^"]+)"', page))
    fields = columns | {"dataset": "members", "title": "x", "k": "20", "limit": "0", "shape": "table"} | chosen
    return town.browsers["hana"].post("/requests/new", **fields)


def test_a_table_releases_no_column_as_it_is(town: Town) -> None:
    found = built(town, **{"use.0": "keep", "use.2": "at:1:prefecture"})
    assert found.status_code == 422
    assert "a table of counts does not release" in found.text


def test_mistakes_of_a_form_name_no_line_of_a_file(town: Town) -> None:
    found = built(town, where="age >>> 3", **{"use.2": "at:1:prefecture"})
    assert found.status_code == 422
    assert "cannot be read as SQL" in found.text
    assert not re.search(r"request:\d", found.text)


def test_the_example_of_a_filter_is_accepted_at_every_level(town: Town) -> None:
    page = town.browsers["hana"].get("/requests/new?dataset=members").text
    assert "<code>age &gt;= 80</code>" in page
    for level in re.findall(r'value="(at:\d:age)"', page):
        found = built(town, where="age >= 80", **{"use.1": level, "use.2": "at:1:prefecture"})
        assert found.status_code == 303, level


@pytest.mark.parametrize(
    ("columns", "example"),
    [
        ({"年齢": "40歳未満"}, "年齢 >= 40"),
        ({"kg": "1.5kg以上2.5kg未満"}, "kg >= 1.5"),
        ({"two words": "[20, 40)"}, '"two words" >= 20'),
        ({"income": "", "age": "[20, 40)"}, "age >= 20"),
        ({"income": ""}, ""),
    ],
)
def test_the_example_of_a_filter_parts_where_a_class_begins(columns: dict[str, str], example: str) -> None:
    offered = [
        SimpleNamespace(name=name, kind="number", filtered=True, hierarchies=[intervals(label)] if label else [])
        for name, label in columns.items()
    ]
    dataset: Any = SimpleNamespace(columns=offered)
    assert filter_example(dataset) == example


def intervals(label: str) -> SimpleNamespace:
    """A hierarchy of intervals, of which the coarsest level has this label for an example."""
    return SimpleNamespace(kind="interval", levels=[SimpleNamespace(example=each) for each in ("", label, "")])


def test_a_request_file_is_read_by_the_same_parser(town: Town) -> None:
    hana = town.browsers["hana"]
    hana.get("/requests/new?dataset=members")
    found = hana.post("/requests/text", dataset="members", text="dataset: members\nk: 20\nrelease: {to: x.csv}\n")
    assert found.status_code == 422
    assert "quasi_identifiers" in found.text


@pytest.mark.parametrize(("language", "said"), [("en", "<dd>90 days</dd>"), ("ja", "<dd>90 日</dd>")])
def test_a_length_of_time_is_in_the_language_of_the_page(town: Town, language: str, said: str) -> None:
    assert said in town.browsers["hana"].get("/catalogue/members", headers={"accept-language": language}).text


def test_terms_are_accepted_with_the_first_request(town: Town) -> None:
    users = town.office.engine.users
    users.add("new", [USER])
    users.password("new", PASSWORD.format("new"))
    new = town.office.browser("new")
    page = new.get("/requests/new?dataset=members").text
    assert "I accept these terms" in page
    text = "dataset: members\nk: 20\nquasi_identifiers: {sex: {hierarchy: sex}}\nrelease: {to: x.csv}\n"
    assert new.post("/requests/text", dataset="members", text=text).status_code == 422
    assert new.post("/requests/text", dataset="members", text=text, terms="yes").status_code == 303
    assert "I accept these terms" not in new.get("/requests/new?dataset=members").text


def test_the_application_is_made_for_a_current_state_alone(tmp_path: Path) -> None:
    from ordermade.errors import StateMissing

    with pytest.raises(StateMissing):
        application(PortalOptions(tmp_path / "none.sqlite"))


def test_the_steps_of_the_engine_are_in_the_language_of_the_page(town: Town) -> None:
    for number in (each.id for each in town.office.engine.submissions.list()):
        page = town.browsers["rei"].get(f"/reviews/{number}", headers={"accept-language": "ja"}).text
        history = page[page.index('<ol class="history">') :]
        assert re.findall(r"\b(?:approvals|release \d|measured|its time|superseded|looks at)\b", history) == []


MOST_CONNECTIONS = 2
"""Those of a page to the state: one that its calls share, that to find the session among them, one within another."""


@pytest.mark.parametrize("pattern", [path for method, path in PAGES if method == "GET" and PAGES[method, path]])
def test_the_calls_of_a_page_share_a_connection(town: Town, pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    def noted(address: str) -> Any:
        opened.append(address)
        return connect(address)

    name = "rei" if pattern.startswith("/reviews") else "hana"
    monkeypatch.setattr("ordermade.state.database.connect", noted)
    town.browsers[name].get(town.path(pattern, town.of_hana["delivered"]))
    assert 1 <= len(opened) <= MOST_CONNECTIONS


@pytest.mark.parametrize("audience", ["user", "provider"])
def test_a_release_is_cited_without_its_rows_as_its_report_cites_it(town: Town, audience: Any) -> None:
    releases, say = town.office.engine.releases, Language.of("en")
    number = releases.list()[-1].id
    report, found = releases.report(number, audience), releases.cited(number, audience)
    assert isinstance(report, Report)
    assert isinstance(found, CitedRelease)
    assert sentences.cited(found, say) == sentences.cited(report, say)
    assert sentences.bibtex(found, say) == sentences.bibtex(report, say)
    columns = [(each.name, each.role, each.hierarchy, each.level, each.level_name) for each in report.columns]
    assert [(each.name, each.role, each.hierarchy, each.level, each.level_name) for each in found.columns] == columns
    assert (found.file, found.k, found.standing) == (report.file, report.given.k, report.standing)
