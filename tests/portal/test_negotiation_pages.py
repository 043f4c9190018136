"""Offers, evidence and comments in the portal: who may look for them, what they show, and what moves nothing."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.demo.office import make_office
from ordermade.errors import InputError
from ordermade.portal import offer_pages
from ordermade.portal.concessions import LevelSpan, compared
from ordermade.portal.options import PortalOptions
from ordermade.portal.statement_text import without_values
from ordermade.release.files import manifest_of
from ordermade.service.certifying import certificate_of
from ordermade.service.comments import LONGEST_COMMENT
from ordermade.service.sessions import BrowserSessions
from tests.portal.office import PASSWORD, Browser, PortalOffice, inline, token_in

pytestmark = pytest.mark.slow

NAMES = ("hana", "ken", "rei", "pro")
TOO_FINE = {
    "title": "Too fine",
    "dataset": "members",
    "k": 50,
    "quasi_identifiers": {
        "sex": {"hierarchy": "sex", "to": 0},
        "age": {"hierarchy": "age", "from": "5 years", "to": "10 years"},
    },
    "release": {"to": "data.csv"},
}


class Town:
    """The demo's office with a provider; `number`: a request of hana that fails, with comments of hers and rei's."""

    def __init__(self, folder: Path) -> None:
        made = make_office(folder, rows=1_500)
        users = Engine(made.state).users
        users.add("pro", ["provider"])
        for name in NAMES:
            users.password(name, PASSWORD.format(name))
        self.office = PortalOffice(made.state, PortalOptions(made.state))
        self.browsers: dict[str, Browser] = {name: self.office.browser(name) for name in NAMES}
        self.number = self.of("hana").submit(TOO_FINE, accept_terms=True).id

    def of(self, name: str) -> Any:
        secret = BrowserSessions(self.office.engine.state_file).enter(name)
        return Engine(self.office.state, token=secret).submissions

    def of_state(self, status: str) -> int:
        return int(next(each.id for each in self.office.engine.submissions.list() if each.status == status))

    def page(self, name: str, path: str, language: str = "en") -> str:
        found = self.browsers[name].get(path, headers={"accept-language": language})
        assert found.status_code == 200, found.text
        return str(found.text)

    def token(self, name: str) -> str:
        return token_in(self.browsers[name].get("/").text)

    def say(self, name: str, text: str, about: str = "request", **fields: str) -> int:
        given = {"of": "requests", "revision": "1", "about": about, "text": text} | fields
        path = f"/requests/{self.number}/comment"
        return int(self.browsers[name].post(path, self.token(name), **given).status_code)


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Town:
    return Town(tmp_path_factory.mktemp("town") / "demo")


def test_a_comment_stands_at_what_it_is_about_for_everybody_who_sees_the_request(town: Town) -> None:
    assert town.say("rei", "why not <b>by</b> decade?", "column:age", of="reviews") == 303
    assert town.say("hana", "the schools of one town", "check:ledger") == 303
    for name, path in (("hana", "requests"), ("rei", "reviews"), ("pro", "reviews")):
        for language in ("en", "ja"):
            page = town.page(name, f"/{path}/{town.number}", language)
            cell = page[page.index(">age<") :]
            assert "why not &lt;b&gt;by&lt;/b&gt; decade?" in cell[: cell.index("</tr>")]
            assert inline(page) == []
    assert "the schools of one town" in town.page("hana", f"/requests/{town.number}")
    evidence = town.page("rei", f"/reviews/{town.number}")
    assert "the schools of one town" in evidence[evidence.index("Beside earlier") : evidence.index("Statements")]


@pytest.mark.parametrize(
    ("name", "fields", "status"),
    [
        ("ken", {}, 404),
        ("hana", {"text": ""}, 422),
        ("hana", {"text": "x" * (LONGEST_COMMENT + 1)}, 422),
        ("hana", {"text": "x" * 10_000}, 422),
        ("hana", {"about": "column:income"}, 422),
        ("hana", {"of": "elsewhere"}, 422),
        ("hana", {"of": "//example.org/"}, 422),
        ("hana", {"revision": "7"}, 409),
        ("hana", {"revision": "x"}, 422),
    ],
)
def test_a_comment_that_is_refused_leaves_nothing(town: Town, name: str, fields: dict[str, str], status: int) -> None:
    before = town.office.engine.submissions.get(town.number)
    assert town.say(name, **({"text": "a word"} | fields)) == status
    assert town.office.engine.submissions.get(town.number) == before


def test_an_ended_request_has_no_form_for_comments(town: Town) -> None:
    ended = next(each.id for each in town.office.engine.submissions.list() if each.status == "withdrawn")
    assert "/comment" not in town.page("hana", f"/requests/{ended}")


def test_evidence_names_every_rule_and_what_the_ledger_decides(town: Town) -> None:
    page = town.page("rei", f"/reviews/{town.number}")
    for rule in ("the least k", "columns never used", "the finest levels", "the accepted terms"):
        assert rule in page
    assert "Least class" not in page
    assert "The SQL is the provider's to read." in page
    assert town.browsers["rei"].get(f"/reviews/{town.number}/statements").status_code == 403
    assert town.browsers["rei"].get(f"/reviews/{town.number}/offers").status_code == 403
    ran = next(each for each in town.office.engine.submissions.list() if each.status == "run")
    page = town.page("rei", f"/reviews/{ran.id}")
    release = town.office.engine.releases.get(ran.release_id)
    assert f"<dd>{release.k:,} <span" in page
    assert "the others tell up to" in page


def test_a_broken_rule_is_said_with_why(town: Town) -> None:
    policies = town.office.engine.policies
    before = policies.show("members").policy.model_dump(mode="json", exclude_unset=True) | {"suppression": "5 %"}
    policies.set(before | {"k": 100, "ks": [100]})
    try:
        page = town.page("rei", f"/reviews/{town.number}")
    finally:
        policies.set(before)
    assert re.search(r'badge bad">broken</span> the least k<br>k of 50 is below the least, 100', page)
    assert 'badge good">kept</span> the finest levels' in page


def test_the_difference_to_the_revision_that_a_reviewer_voted_on_is_shown(town: Town) -> None:
    hana, rei = town.of("hana"), town.of("rei")
    asked = dict(TOO_FINE) | {"title": "Voted on"}
    number = hana.submit(asked).id
    rei.review(number, "refuse", "too fine")
    hana.revise(number, asked | {"k": 20})
    hana.revise(number, asked | {"k": 10})
    page = town.page("rei", f"/reviews/{number}")
    assert "What differs from the revision before" in page
    later = page[page.index("What differs from revision 1, on which you voted last") :]
    assert re.search(r"- +k: 50", later)
    assert "voted last" not in town.page("pro", f"/reviews/{number}")


def test_the_report_has_the_number_of_the_request_that_every_page_has(town: Town) -> None:
    done = next(each for each in town.of("hana").list() if each.status == "delivered")
    assert done.request_id != done.id, "the run has a number of its own"
    report = town.page("hana", f"/requests/{done.id}/release/report")
    assert f"<dt>request</dt><dd>{done.id}</dd>" in re.sub(r"\s*\n\s*", "", report)
    assert town.office.engine.releases.report(done.release_id, "provider").request == done.id


def test_a_release_is_collected_with_its_certificate(town: Town, tmp_path: Path) -> None:
    noun = town.of("hana")
    (number, proof), *_ = (
        (each.id, found)
        for each in noun.list()
        if each.status == "delivered" and (found := noun.certificate(each.id)) is not None
    )
    copy = town.office.engine.submissions.collect(number, tmp_path / "mine.csv")
    beside = certificate_of(copy)
    assert beside.read_text(encoding="utf-8") == proof
    copy.unlink(), manifest_of(copy).unlink()  # as a copy that was killed leaves the certificate
    assert town.office.engine.submissions.collect(number, copy) == copy
    beside.write_text("another", encoding="utf-8")
    copy.unlink(), manifest_of(copy).unlink()
    with pytest.raises(InputError, match="a file of this name exists"):
        town.office.engine.submissions.collect(number, copy)
    assert (copy.exists(), beside.read_text(encoding="utf-8")) == (False, "another")


def test_statements_are_for_the_provider_and_have_no_value(town: Town) -> None:
    number = town.of("hana").submit(TOO_FINE | {"title": "Filtered", "where": "sex = 'Zq'"}).id
    page = town.page("pro", f"/reviews/{number}/statements")
    assert "GROUP BY" in page
    assert "Zq" not in page
    assert "Hokkaido" not in town.page("pro", f"/reviews/{town.of_state('refused')}/statements")
    assert inline(page) == []


def test_a_provider_finds_an_offer_and_proposes_it_and_its_user_sees_what_is_lost(town: Town) -> None:
    pro, number = town.browsers["pro"], town.of("hana").submit(TOO_FINE | {"title": "To be offered"}).id
    form = town.page("pro", f"/reviews/{number}/offers")
    assert "Look for offers" in form
    assert pro.post(f"/reviews/{number}/offers", last="7").status_code == 409
    pro.get(f"/reviews/{number}/offers")
    found = pro.post(f"/reviews/{number}/offers", last="1")
    assert found.status_code == 200, found.text
    assert inline(found.text) == []
    texts = [html.unescape(each) for each in re.findall(r'name="text" value="([^"]*)"', found.text)]
    reasons = [html.unescape(each) for each in re.findall(r'name="why" maxlength="500" value="([^"]*)"', found.text)]
    assert len(texts) == len(reasons) > 1
    assert "40 years" in found.text
    place = next(place for place, each in enumerate(reasons) if "40 years" in each)
    fields = {"text": texts[place], "why": reasons[place]}
    assert pro.post(f"/reviews/{number}/propose", last="1", **fields).status_code == 303
    proposal = town.office.engine.submissions.get(number).proposed
    assert proposal is not None
    assert (proposal.request.strip(), proposal.reason) == (texts[place].strip(), reasons[place])
    for language, word in (("en", "What it gives up"), ("ja", "あきらめる点")):
        offer = town.page("hana", f"/requests/{number}/offer", language)
        assert word in offer
        assert re.search(r'<svg class="ladder" role="img"[^>]* aria-label="age', offer)
    delivered = town.of_state("delivered")
    assert pro.get(f"/reviews/{delivered}/offers").status_code == 409
    assert pro.post(f"/reviews/{delivered}/offers", town.token("pro"), last="1").status_code == 409


def test_one_list_of_offers_is_made_at_a_time(town: Town) -> None:
    pro = town.browsers["pro"]
    pro.get(f"/reviews/{town.number}/offers")
    with offer_pages._ONE_AT_A_TIME:
        found = pro.post(f"/reviews/{town.number}/offers", last="1")
    assert found.status_code == 409
    assert "being looked for" in found.text


@pytest.mark.parametrize(
    ("sql", "shown"),
    [
        ("SELECT 'Ann' AS a, 12.5e3 FROM t1", "SELECT ? AS a, ? FROM t1"),
        ("x IN ('O''Hara', 'b', 7)", "x IN (?, ...)"),
        ('SELECT "it\'s" FROM "t 1" WHERE a = \'it"s\'', 'SELECT "it\'s" FROM "t 1" WHERE a = ?'),
        ("SELECT `it's` FROM t WHERE a = 'secret'", "SELECT `it's` FROM t WHERE a = ?"),
        ("SELECT 'a\\' , 'secret'", None),
        ("UNNEST(['a', 'b'], [1, 2])", "UNNEST([?, ...], [?, ...])"),
    ],
)
def test_every_value_of_a_statement_is_a_placeholder(sql: str, shown: str | None) -> None:
    assert without_values(sql) == shown


ASKED = """\
dataset: members
k: 20
quasi_identifiers:
  sex: {hierarchy: sex}
  age: {hierarchy: age, from: 5 years, to: 2}
release: {to: x.csv}
"""


@pytest.mark.parametrize(
    ("offered", "column", "spans"),
    [
        (ASKED.replace("to: 2", "to: 40 years"), "age", (LevelSpan(1, 2), LevelSpan(1, 4))),
        (ASKED.replace("from: 5 years", "from: 2"), "age", (LevelSpan(1, 2), LevelSpan(2, 2))),
        (ASKED.replace("  sex: {hierarchy: sex}\n", ""), "sex", (LevelSpan(0, 1), None)),
    ],
)
def test_a_ladder_has_the_places_that_both_requests_ask_for(
    town: Town, offered: str, column: str, spans: tuple[LevelSpan | None, ...]
) -> None:
    dataset = town.office.engine.catalogue.get("members")
    found = compared(ASKED, offered, dataset)
    (changed,) = [each for each in found.columns if each.differs]
    assert (changed.name, (changed.asked_span, changed.offered_span)) == (column, spans)
    assert found.differs
    assert not compared(ASKED, ASKED + "suppression_limit: 0\n", dataset).differs
    assert compared(ASKED, ASKED.replace("k: 20", "k: 10"), None).differs
