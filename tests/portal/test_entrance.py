"""The entrance of the portal: sessions begin and end, forms are the portal's own, and errors say nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

import pytest

from ordermade import Engine
from ordermade.errors import InputError, Refused
from ordermade.portal.guard import HEADERS, LARGEST_BODY
from ordermade.portal.login_limit import MOST_OF_ADDRESS, MOST_OF_NAME, WINDOW, LoginLimit
from ordermade.portal.options import PortalOptions
from ordermade.portal.visits import local_path
from ordermade.service.sessions import BrowserSessions
from ordermade.state import sessions
from ordermade.state.audit import audit_entries
from ordermade.state.authority import hash_of
from ordermade.state.replay import unlike_their_steps
from ordermade.state.statements import utc_now
from tests.portal.office import PASSWORD, PortalOffice, inline, made, token_in

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> PortalOffice:
    return made(tmp_path_factory.mktemp("portal"))


@pytest.fixture
def passed() -> Iterator[list[timedelta]]:
    """The time that has passed beside the real one, in its one element."""
    found = [timedelta()]
    with patch("ordermade.state.sessions.utc_now", lambda: utc_now() + found[0]):
        yield found


def test_a_user_logs_in_looks_and_logs_out(office: PortalOffice) -> None:
    browser = office.browser()
    asked = browser.get("/")
    assert (asked.status_code, asked.headers["location"]) == (303, "/login")
    entered = browser.log_in("ann")
    assert (entered.status_code, entered.headers["location"]) == (303, "/")
    assert "ann" in browser.get("/").text
    secret = browser.client.cookies["ordermade"]
    assert browser.post("/logout").headers["location"] == "/login"
    browser.client.cookies.set("ordermade", secret)  # a copy of the cookie opens nothing either
    assert browser.get("/").status_code == 303


def test_the_state_has_the_hash_of_the_session_alone(office: PortalOffice) -> None:
    browser = office.browser("ann")
    secret = browser.client.cookies["ordermade"]
    with sqlite3.connect(office.state) as connection:
        hashes = {each for (each,) in connection.execute("SELECT session_hash FROM sessions")}
        passwords = [each for (each,) in connection.execute("SELECT password_hash FROM passwords")]
        everything = "\n".join(connection.iterdump())
    assert hash_of(secret) in hashes
    assert all(each.startswith("$argon2id$") for each in passwords)
    assert secret not in everything
    assert PASSWORD.format("ann") not in everything


@pytest.mark.parametrize("name", ["ann", "nix", "nobody", ""])
def test_whoever_is_not_let_in_reads_the_same_words(office: PortalOffice, name: str) -> None:
    browser = office.browser()
    found = browser.log_in(name or " ", "not the password")
    assert found.status_code == 403
    assert "The name or the password is wrong." in found.text
    assert "ordermade" not in browser.client.cookies


def test_too_many_tries_are_refused_unseen(tmp_path: Path) -> None:
    browser = made(tmp_path).browser()
    for _ in range(MOST_OF_NAME):
        assert browser.log_in("ann", "wrong wrong").status_code == 403
    assert browser.log_in("ann").status_code == 429  # although it is the password
    assert browser.log_in("bob").status_code == 303


def test_tries_are_counted_by_name_and_address_for_a_time() -> None:
    now = [0.0]
    limit = LoginLimit(clock=lambda: now[0])
    for number in range(MOST_OF_ADDRESS):
        assert not limit.is_over(f"user {number}", "192.0.2.1")
        limit.failed(f"user {number}", "192.0.2.1")
    assert limit.is_over("another", "192.0.2.1")
    assert not limit.is_over("another", "192.0.2.2")
    now[0] = WINDOW + 1
    assert not limit.is_over("another", "192.0.2.1")


def test_a_success_forgets_the_failures_before_it() -> None:
    limit = LoginLimit(clock=lambda: 0.0)
    for _ in range(MOST_OF_NAME):
        limit.failed("ann", "192.0.2.1")
    limit.succeeded("ann", "192.0.2.1")
    assert not limit.is_over("ann", "192.0.2.1")


def test_a_session_ends_when_idle_and_after_its_longest_time(office: PortalOffice, passed: list[timedelta]) -> None:
    browser = office.browser("ann")
    passed[0] = sessions.IDLE - timedelta(minutes=1)
    assert browser.get("/").status_code == 200
    passed[0] += sessions.IDLE - timedelta(minutes=1)  # the page before was noted
    assert browser.get("/").status_code == 200
    passed[0] += sessions.IDLE
    assert browser.get("/").status_code == 303
    passed[0] = timedelta()
    busy = office.browser("ann")
    while passed[0] < sessions.LONGEST - timedelta(minutes=20):
        assert busy.get("/").status_code == 200
        passed[0] += timedelta(minutes=20)
    passed[0] = sessions.LONGEST
    assert busy.get("/").status_code == 303


@pytest.mark.parametrize("ended", ["revoked", "removed", "another password"])
def test_a_session_ends_with_what_it_rests_on(tmp_path: Path, ended: str) -> None:
    office = made(tmp_path)
    browser, other = office.browser("ann"), office.browser("bob")
    users = office.engine.users
    {
        "revoked": lambda: users.revoke("ann"),
        "removed": lambda: users.remove("ann"),
        "another password": lambda: users.password("ann", "another password"),
    }[ended]()
    assert browser.get("/").status_code == 303
    assert other.get("/").status_code == 200


def test_a_token_of_the_command_line_is_no_session(office: PortalOffice) -> None:
    token = office.engine.users.token("ann").secret
    browser = office.browser()
    browser.client.cookies.set("ordermade", token)
    assert browser.get("/").status_code == 303


def test_a_session_that_is_over_acts_nowhere(office: PortalOffice) -> None:
    held = BrowserSessions(office.engine.state_file)
    secret = held.log_in("ann", PASSWORD.format("ann"))
    engine = Engine(office.state, token=secret)
    assert engine.submissions.list() == ()
    held.log_out(secret)
    with pytest.raises(Refused, match="this session is over"):
        engine.submissions.list()


@pytest.mark.parametrize("fault", ["no token", "of another session", "another site", "another origin", "no form"])
def test_a_form_of_another_page_is_refused(office: PortalOffice, fault: str) -> None:
    browser = office.browser("ann")
    page = browser.get("/")
    token = token_in(page.text)
    data: dict[str, str] | None = {"token": token}
    headers: dict[str, str] = {}
    if fault == "no token":
        data = {}
    elif fault == "of another session":
        data = {"token": token_in(office.browser("ann").get("/").text)}
    elif fault == "another site":
        headers = {"sec-fetch-site": "cross-site"}
    elif fault == "another origin":
        headers = {"origin": "http://elsewhere.example"}
    else:
        headers, data = {"content-type": "text/plain"}, None
    assert browser.client.post("/logout", data=data, headers=headers).status_code == 403
    assert browser.get("/").status_code == 200


def test_a_login_form_of_another_page_is_refused(office: PortalOffice) -> None:
    browser, other = office.browser(), office.browser()
    token = token_in(other.get("/login").text)
    browser.get("/login")
    found = browser.post("/login", token, name="ann", password=PASSWORD.format("ann"), then="/")
    assert found.status_code == 403
    assert browser.get("/").status_code == 303


def test_only_hosts_of_the_list_are_answered(office: PortalOffice, tmp_path: Path) -> None:
    named = made(tmp_path, names=("data.example.org",))
    for portal, host, status in (
        (office, "localhost:8000", 200),
        (office, "[::1]:8000", 200),
        (office, "data.example.org", 400),
        (office, "", 400),
        (office, "[", 400),
        (named, "DATA.example.org", 200),
        (named, "data.example.org.evil.example", 400),
    ):
        found = portal.browser().get("/login", headers={"host": host})
        assert found.status_code == status, host
        assert "evil" not in found.text


def test_cookies_go_by_tls_alone_where_the_portal_has_a_name(tmp_path: Path) -> None:
    office = made(tmp_path, names=("data.example.org",))
    page = office.browser().get("/login")
    assert "Secure" in page.headers["set-cookie"]
    begun = office.browser().log_in("ann", then="/")
    assert begun.status_code in (303, 403)  # the client sends no Secure cookie by http


def test_every_answer_has_the_headers(office: PortalOffice) -> None:
    browser = office.browser()
    for path in ("/login", "/", "/nowhere", "/static/portal.css"):
        found = browser.get(path)
        for name, text in HEADERS.items():
            assert name in found.headers, (path, name)
            assert name == "cache-control" or found.headers[name] == text
    assert "unsafe" not in HEADERS["content-security-policy"]


def test_errors_are_pages_that_say_nothing_of_the_machine(office: PortalOffice) -> None:
    browser = office.browser("ann")
    for path, method, status in (("/nowhere", "GET", 404), ("/", "PUT", 405), ("/login", "DELETE", 405)):
        found = browser.client.request(method, path)
        assert found.status_code == status
        assert "visit" in found.text
        assert inline(found.text) == []
    with patch("ordermade.portal.visits.Visit.login_page", side_effect=RuntimeError("Zqx at /srv/secret")):
        found = office.browser().get("/login")
    assert found.status_code == 500
    assert "Zqx" not in found.text
    assert "srv" not in found.text
    assert found.headers["content-security-policy"] == HEADERS["content-security-policy"]


def test_a_body_that_is_too_large_is_not_read(office: PortalOffice) -> None:
    browser = office.browser("ann")
    assert browser.client.post("/logout", content=b"a" * (LARGEST_BODY + 1)).status_code == 413
    form = {"content-type": "application/x-www-form-urlencoded"}
    parts = (b"a" * 100_000 for _ in range(20))  # in chunks, whose sum nobody says before
    assert browser.client.post("/logout", content=parts, headers=form).status_code == 413


def test_pages_speak_the_language_that_is_chosen(office: PortalOffice) -> None:
    browser = office.browser()
    assert "ログイン" in browser.get("/login", headers={"accept-language": "ja,en;q=0.5"}).text
    assert "Log in" in browser.get("/login", headers={"accept-language": "fr"}).text
    found = browser.get("/language/ja?then=/login")
    assert found.headers["location"] == "/login"
    assert '<html lang="ja">' in browser.get("/login").text
    assert browser.get("/language/xx?then=//evil.example").headers["location"] == "/"


@pytest.mark.parametrize("path", ["//evil.example", "/\\evil.example", "https://evil.example", "", "/a\nb", "evil"])
def test_no_form_goes_on_to_another_host(path: str) -> None:
    assert local_path(path) == "/"


def test_a_proxy_that_is_listed_names_the_user(tmp_path: Path) -> None:
    options = {"proxies": ("192.0.2.7",), "user_header": "X-Remote-User"}
    office = made(tmp_path, **options)
    behind = office.browser(client=("192.0.2.7", 1))
    assert "ann" in behind.get("/", headers={"x-remote-user": "ann"}).text
    assert "bob" in behind.get("/", headers={"x-remote-user": "bob"}).text  # in a session of its own
    assert behind.get("/", headers={"x-remote-user": "nobody"}).status_code == 403
    assert behind.get("/").status_code == 403
    assert office.browser(client=("192.0.2.8", 1)).get("/", headers={"x-remote-user": "ann"}).status_code == 403


def test_a_header_without_a_trusted_proxy_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no proxy is trusted"):
        PortalOptions(tmp_path / "state.sqlite", user_header="X-Remote-User")


def test_the_audit_has_every_beginning_and_end(tmp_path: Path) -> None:
    office = made(tmp_path)
    browser = office.browser("ann")
    browser.get("/")
    browser.post("/logout")
    with office.engine.state_file.reading() as connection:
        entries = [(each.actor, each.action) for each in audit_entries(connection)]
        assert list(unlike_their_steps(connection)) == []
    assert entries[:2] == [("ann", "user logout"), ("ann", "user login")]


def test_a_user_reads_whether_mail_comes_and_no_other_address(tmp_path: Path) -> None:
    office = made(tmp_path, sends_mail=True)
    office.engine.users.mail("ann", "ann.of.uji@example.org")
    for name, said in (
        ("ann", "goes to a…@example.org"),
        ("bob", "No mail goes to you"),
        ("rei", "No mail goes to you"),
    ):
        page = office.browser(name).get("/").text
        assert said in page
        assert "ann.of.uji" not in page
    office.engine.users.mail("ann", None)
    assert "No mail goes to you" in office.browser("ann").get("/").text


def test_a_portal_without_mail_says_so(tmp_path: Path) -> None:
    office = made(tmp_path)
    office.engine.users.mail("ann", "ann@example.org")
    page = office.browser("ann").get("/").text
    assert "sends no mail" in page
    assert "example.org" not in page
