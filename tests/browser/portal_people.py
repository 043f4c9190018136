"""A portal that `ordermade serve` serves with its worker, and people who use it in browsers of their own.

Each person clicks and types by what a page says (roles, labels, words of the language). What their browsers say on the
console, and whatever they ask of another host, is noted. With ORDERMADE_SHOTS a picture of every page that is looked at
goes into that folder, at three widths, light and dark.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

import yaml
from axe_playwright_python.sync_playwright import Axe

from ordermade import Engine
from ordermade.demo.office import make_office
from ordermade.portal.words import PORTAL
from ordermade.reports.language import Language

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Dialog, Locator, Page, Request

SHOTS = "ORDERMADE_SHOTS"
"""The variable that names the folder of pictures; none are drawn where it is not set."""
WIDTHS = (375, 768, 1_440)
HEIGHT = 900
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
LANGUAGES = ("en", "ja")
PASSWORD = "a password of {}"
USERS = {"rei": "reviewer", "sei": "reviewer", "pro": "provider"}
"""The users beside data users, hana and ken of the demo among these."""
WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
"""The tags of the rules of A and AA."""
SECONDS = 20.0
"""How long a step may take."""

_AXE = Axe()
_ADDRESS = re.compile(r"The portal is at (http://\S+?)\. ")
_OVERFLOW = """() => {
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide <= 0) return [];
  const edge = document.documentElement.clientWidth;
  const found = [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > edge + 1);
  return [`${wide} pixels too wide`, ...found.slice(0, 5).map(e => `${e.tagName}.${e.className}`)];
}"""
_IS_FOCUSED = "e => e === document.activeElement"
_OUTLINE = "() => getComputedStyle(document.activeElement).outlineStyle"


def made_office(folder: Path, *, reviews: int = 2, rows: int = 3_000) -> Path:
    """The state of the demo's office with the users of the tests, each with a password known to them."""
    made = make_office(folder / "office", rows=rows)
    engine = Engine(made.state)
    policy = yaml.safe_load(engine.policies.show("members").content)
    engine.policies.set(policy | {"reviews": reviews})
    for name, role in USERS.items():
        if name not in {each.name for each in made.accounts}:
            engine.users.add(name, [role])
    for name in {*USERS, *(each.name for each in made.accounts)}:
        engine.users.password(name, PASSWORD.format(name))
    return made.state


@contextmanager
def served(state: Path, *options: str) -> Iterator[str]:
    """The address of the portal on a state, in processes of its own that end with the block."""
    command = [sys.executable, "-m", "ordermade", "serve", "--port", "0", *options]
    environment = {**os.environ, "ORDERMADE_STATE": str(state), "OPENBLAS_NUM_THREADS": "1"}
    environment.pop("ORDERMADE_TOKEN", None)
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            found = next(filter(None, map(_ADDRESS.search, server.stderr)), None)
            assert found is not None, "the portal did not start"
            yield found[1]
        finally:
            server.send_signal(signal.SIGINT)
            try:
                server.wait(30)
            except subprocess.TimeoutExpired:
                server.kill()


@dataclass
class Person:
    """A user at a browser. `noise`: what the browser said, and asked of another host."""

    page: Page
    address: str
    language: str
    name: str
    noise: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(SECONDS * 1_000)
        self.page.on("console", lambda said: self._heard(said.type, said.text))
        self.page.on("pageerror", lambda error: self.noise.append(f"error: {error}"))
        self.page.on("dialog", self._interrupted)
        self.page.on("request", self._asked)

    def _interrupted(self, dialog: Dialog) -> None:
        self.noise.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _asked(self, asked: Request) -> None:
        if urlsplit(asked.url).netloc not in (urlsplit(self.address).netloc, ""):
            self.noise.append(f"request: {asked.url}")

    def _heard(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.noise.append(f"{kind} at {urlsplit(self.page.url).path}: {text}")

    def words(self, message: str, **figures: object) -> str:
        """A text of the portal in the person's language, as it is shown."""
        return Language.of(self.language, markup=False, catalogue=PORTAL).text(message, **figures)

    def go(self, path: str) -> None:
        """Types an address."""
        self.page.goto(self.address + path)

    def link(self, message: str, **figures: object) -> Locator:
        """The link of these words."""
        return self.page.get_by_role("link", name=self.words(message, **figures), exact=True)

    def button(self, message: str) -> Locator:
        """The button of these words."""
        return self.page.get_by_role("button", name=self.words(message), exact=True)

    def labelled(self, message: str, within: Locator | None = None) -> Locator:
        """The field of this label."""
        return (within or self.page).get_by_label(self.words(message), exact=True)

    def heading(self) -> str:
        """The words of the page's first heading."""
        return self.page.get_by_role("heading", level=1).inner_text()

    def sees(self, message: str, **figures: object) -> None:
        """Waits for words on the page."""
        self.page.get_by_text(self.words(message, **figures)).first.wait_for()

    def log_in(self, then: str = "/") -> None:
        """Logs in by the form."""
        self.go(then)
        self.labelled("Name").fill(self.name)
        self.labelled("Password").fill(PASSWORD.format(self.name))
        self.button("Log in").click()
        self.button("Log out").wait_for()

    def choose(self, column: str, option: str) -> None:
        """Chooses the option of a column that begins with these words."""
        field_of = self.page.get_by_role("combobox", name=re.compile(rf"^{re.escape(column)}\b"))
        texts = field_of.locator("option").all_inner_texts()
        field_of.select_option(label=next(each for each in texts if each.startswith(option)))

    def tab_to(self, target: Locator, most: int = 120) -> None:
        """Presses Tab until the target has the focus, which has to be seen."""
        for _ in range(most):
            self.page.keyboard.press("Tab")
            if target.evaluate(_IS_FOCUSED):
                assert self.page.evaluate(_OUTLINE) != "none", target
                return
        raise AssertionError(f"{target} is not reached by Tab")

    def faults(self, *rules: str) -> list[str]:
        """What axe finds against A and AA, or against these rules alone."""
        only = {"type": "rule", "values": rules} if rules else {"type": "tag", "values": WCAG}
        found = _AXE.run(self.page, options={"resultTypes": ["violations"], "runOnly": only}).response["violations"]
        return [
            f"{self.where()}: {each['id']}: {each['help']}: {node['html']}" for each in found for node in each["nodes"]
        ]

    def where(self) -> str:
        """The page with the language, for a message."""
        return f"{self.name} {self.language} {urlsplit(self.page.url).path}"

    def look(self, name: str) -> list[str]:
        """What does not fit at each width, light and dark; draws the page where ORDERMADE_SHOTS names a folder."""
        found: list[str] = []
        for width in WIDTHS:
            self.page.set_viewport_size({"width": width, "height": HEIGHT})
            found += [f"{self.where()} at {width}: {each}" for each in self.page.evaluate(_OVERFLOW)]
            for scheme in SCHEMES if SHOTS in os.environ else ():
                self.page.emulate_media(color_scheme=scheme)
                shot = Path(os.environ[SHOTS]) / f"{name}-{self.language}-{width}-{scheme}.png"
                self.page.screenshot(path=shot, full_page=True, caret="initial")
        self.page.emulate_media(color_scheme="light")
        return found


@dataclass
class People:
    """The people of a portal, each with a browser of their own that ends with the block."""

    browser: Browser
    address: str
    came: list[Person] = field(default_factory=list)
    _contexts: list[BrowserContext] = field(default_factory=list)

    def person(self, name: str, language: str) -> Person:
        """Somebody who has a browser of a language."""
        locale = {"en": "en-GB", "ja": "ja-JP"}[language]
        context = self.browser.new_context(
            locale=locale, viewport={"width": 1_440, "height": HEIGHT}, reduced_motion="reduce"
        )
        self._contexts.append(context)
        self.came.append(Person(context.new_page(), self.address, language, name))
        return self.came[-1]

    def noise(self) -> list[str]:
        """What the browsers of all of them said, and asked of other hosts."""
        return [f"{each.name}: {said}" for each in self.came for said in each.noise]

    def leave(self) -> None:
        """Ends their browsers."""
        for each in self._contexts:
            each.close()


@contextmanager
def people(browser: Browser, address: str) -> Iterator[People]:
    """The people of a portal."""
    found = People(browser, address)
    try:
        yield found
    finally:
        found.leave()
