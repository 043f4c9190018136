"""Every page of the portal in a browser, found by following links: nothing said, nobody else asked, A and AA kept.

No page is named here: the pages are those that the application declares, so that a new one is looked at by itself,
and fails where no link of any other page leads to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest

from ordermade.portal.application import declared
from tests.browser.portal_people import LANGUAGES, Person, made_office, people, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NO_PAGES = ("/static/", "/language/")
"""What is loaded by pages, and what leads back to the page that it is on."""
USERS = ("hana", "ken", "rei", "pro")
"""A data user whose requests are in every state, another one, a reviewer, a provider."""
LINKS = "[...document.querySelectorAll('a[href]')].map(a => a.href)"
STATE = "(document.querySelector('main .badge') || {textContent: ''}).textContent"
CONTRAST = ("color-contrast", "link-in-text-block")
"""The rules whose answer depends on light and dark."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A portal without a worker: its requests stay in the state that each is in."""
    with served(made_office(tmp_path_factory.mktemp("pages"), reviews=1), "--no-worker") as found:
        yield found


@dataclass
class Crawl:
    """The pages that a user reaches by links, each pattern once for each state that its pages say."""

    patterns: dict[str, re.Pattern[str]]
    reached: dict[str, list[str]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def pattern_of(self, path: str) -> str | None:
        return next((pattern for pattern, each in self.patterns.items() if each.fullmatch(path)), None)

    def walk(self, user: Person) -> None:
        """Follows links from the first page on, and looks at every page."""
        found, seen = ["/"], {"/"}
        shown: set[tuple[str, str]] = set()
        while found:
            at = found.pop(0)
            path = unquote(urlsplit(at).path)
            pattern = self.pattern_of(path)
            assert pattern is not None, f"{user.name} is led to {at}, which is no page"
            with_query = pattern + ("?" if urlsplit(at).query else "")
            self.reached.setdefault(pattern, []).append(path)
            if self._is_saved(user, at):
                continue
            status = user.page.goto(user.address + at)
            assert status is not None
            assert status.status == 200, f"{user.where()}: {status.status}"
            if "sandbox" in status.headers.get("content-security-policy", ""):
                text = status.text()
                user.page.goto("about:blank")  # nothing runs in a sandbox, axe neither
                user.page.set_content(text)
            else:
                own = [each for each in user.page.evaluate(LINKS) if each.startswith(user.address)]
                for each in dict.fromkeys(link.removeprefix(user.address).partition("#")[0] for link in own):
                    if each and each not in seen and not each.startswith(NO_PAGES):
                        seen.add(each)
                        found.append(each)
            kind = (with_query, user.page.evaluate(STATE))
            if kind not in shown:
                shown.add(kind)
                self.look(user)

    def look(self, user: Person) -> None:
        """Looks for faults of a page, in the light and in the dark."""
        self.faults += user.look(f"page-{user.name}-{urlsplit(user.page.url).path.strip('/').replace('/', '-')}")
        self.faults += user.faults()
        user.page.emulate_media(color_scheme="dark")
        self.faults += user.faults(*CONTRAST)
        user.page.emulate_media(color_scheme="light")

    def _is_saved(self, user: Person, at: str) -> bool:
        """Whether an address gives a file to be saved, which is no page to look at."""
        answer = user.page.request.get(user.address + at)
        return "attachment" in answer.headers.get("content-disposition", "")


def patterns() -> dict[str, re.Pattern[str]]:
    """The patterns of the pages that are looked at, each as an expression of its paths."""
    found = {}
    for each in declared():
        if each.method == "GET" and not each.path.startswith(NO_PAGES):
            parts = re.split(r"(\{\w+(?::path)?\})", each.path)
            whole = "".join(
                (".+" if ":path" in part else "[^/]+") if part.startswith("{") else re.escape(part) for part in parts
            )
            found[each.path] = re.compile(whole)
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_is_silent_accessible_and_reached_by_links(browser: Browser, address: str, language: str) -> None:
    crawl = Crawl(patterns())
    with people(browser, address) as crowd:
        stranger = crowd.person("", language)
        stranger.go("/")
        crawl.look(stranger)
        crawl.reached["/login"] = ["/login"]
        for name in USERS:
            user = crowd.person(name, language)
            user.log_in()
            crawl.walk(user)
        print(f"{sum(map(len, crawl.reached.values()))} pages of {len(crawl.reached)} kinds")
        assert crawl.faults == []
        assert crowd.noise() == []
    assert sorted(set(crawl.patterns) - set(crawl.reached)) == []


def test_pages_of_problems_are_silent_and_accessible(browser: Browser, address: str) -> None:
    """Errors are answers with a status of their own, which the console notes: nothing else is said."""
    crawl = Crawl(patterns())
    with people(browser, address) as crowd:
        hana: Person = crowd.person("hana", "en")
        hana.log_in()
        for path in ("/requests/99999", "/reviews", "/none"):
            hana.go(path)
            crawl.look(hana)
        hana.go("/requests/new?dataset=members")
        hana.labelled("Title").first.fill("Nothing is chosen")
        hana.button("Submit the request").first.click()
        hana.page.get_by_role("alert").wait_for()
        crawl.look(hana)
        stranger = crowd.person("", "en")
        stranger.go("/login")
        stranger.labelled("Name").fill("nobody")
        stranger.labelled("Password").fill("no password of anybody")
        stranger.button("Log in").click()
        stranger.page.get_by_role("alert").wait_for()
        crawl.look(stranger)
        assert crawl.faults == []
        said = [each for each in crowd.noise() if "the server responded with a status of" not in each]
        assert said == []


def test_a_browser_that_asks_another_host_or_speaks_is_noticed(browser: Browser, address: str) -> None:
    with people(browser, address) as crowd:
        ann: Person = crowd.person("hana", "en")
        ann.go("/login")
        ann.page.evaluate("console.error('a word')")
        ann.page.evaluate("fetch('http://127.0.0.1:59999/a').catch(() => null)")
        noise = " ".join(crowd.noise())
        assert "a word" in noise
        assert "Content Security Policy" in noise
        ann.page.evaluate("document.querySelector('label').remove()")
        assert any("label" in each for each in ann.faults())
        ann.page.evaluate("document.querySelector('main').style.width = '3000px'")
        assert any("too wide" in each for each in ann.look("too-wide"))
        with ann.page.expect_request("http://127.0.0.1:59999/b"):
            ann.page.evaluate("location.href = 'http://127.0.0.1:59999/b'")
        assert "request: http://127.0.0.1:59999/b" in " ".join(crowd.noise())
