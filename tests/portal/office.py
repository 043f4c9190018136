"""A portal with users of every role, on a state of its own, and browsers of theirs."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from ordermade import Engine, initialise
from ordermade.portal.application import application
from ordermade.portal.options import PortalOptions

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the next client of Starlette is not there yet
    from fastapi.testclient import TestClient

PASSWORD = "a password of {}"
USERS = {"ann": "data-user", "bob": "data-user", "rei": "reviewer", "pro": "provider"}


@dataclass
class Browser:
    """A browser that keeps its cookies and follows nothing by itself."""

    client: TestClient
    last: Any = None

    def get(self, path: str, **options: Any) -> Any:
        self.last = self.client.get(path, **options)
        return self.last

    def post(self, path: str, token: str | None = None, **fields: Any) -> Any:
        """Sends a form with the token of the page looked at last, unless another is given."""
        found = token_in(self.last.text) if token is None and self.last is not None else token
        self.last = self.client.post(path, data={"token": found or "", **fields})
        return self.last

    def log_in(self, name: str, password: str | None = None, then: str = "/") -> Any:
        self.get("/login")
        return self.post("/login", name=name, password=password or PASSWORD.format(name), then=then)


@dataclass
class PortalOffice:
    """The portal, its state, and what browsers of it are made of."""

    state: Path
    options: PortalOptions
    app: Any = field(init=False)

    def __post_init__(self) -> None:
        self.app = application(self.options)

    @property
    def engine(self) -> Engine:
        return Engine(self.state)

    def browser(self, name: str | None = None, **options: Any) -> Browser:
        client = TestClient(
            self.app, base_url="http://localhost", follow_redirects=False, raise_server_exceptions=False, **options
        )
        browser = Browser(client)
        if name is not None:
            assert browser.log_in(name).status_code == 303
        return browser


def made(folder: Path, **options: Any) -> PortalOffice:
    """A portal on a new state with a user of each role, one more, and one without a password."""
    path = folder / "state.sqlite"
    initialise(path)
    users = Engine(path).users
    for name, role in USERS.items():
        users.add(name, [role])
        users.password(name, PASSWORD.format(name))
    users.add("nix", ["data-user"])
    return PortalOffice(path, PortalOptions(path, **options))


def token_in(page: str) -> str:
    """The token of the forms of a page; empty where it has none."""
    found = re.search(r'name="token" value="(\w+)"', page)
    return found[1] if found else ""


class _Inline(HTMLParser):
    """Everything in a page that a policy without `unsafe-inline` would not run, or that asks another host."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, text in attrs:
            if name == "style" or name.startswith("on"):
                self.found.append(f"<{tag} {name}>")
            if name in ("src", "href", "action") and (":" in (text or "") or (text or "").startswith("//")):
                self.found.append(f"<{tag} {name}={text}>")
        if tag == "style" or (tag == "script" and "src" not in dict(attrs)):
            self.found.append(f"<{tag}>")


def inline(page: str) -> list[str]:
    """What a page has inline, and the addresses in it that are not of the portal."""
    parser = _Inline()
    parser.feed(page)
    return parser.found
