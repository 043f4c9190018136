"""A small disk that is full while a form is sent, or the worker works: a page that says so, nothing half done."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.demo.office import make_office
from ordermade.portal.options import PortalOptions
from ordermade.service.worker import Worker
from ordermade.state import sessions
from ordermade.state.authority import SHELL
from ordermade.state.inspection import verify
from ordermade.state.replay import unlike_their_steps
from tests.long import rounds
from tests.portal.office import PASSWORD, Browser, PortalOffice, token_in
from tests.small_disk import small_disk

pytestmark = pytest.mark.slow

SIZE = 48 * 2**20
PAGE = 4096
STEPS = rounds(2, 40)
"""How many amounts of space are left free, a page of the file system more each time."""
TEXT = "title: {}\ndataset: members\nk: 20\nquasi_identifiers: {{sex: {{hierarchy: sex}}}}\nrelease: {{to: x.csv}}\n"


class Town:
    """An office on the small disk, and what fills that."""

    def __init__(self, disk: Path) -> None:
        made = make_office(disk / "demo", rows=500)
        users = Engine(made.state).users
        users.add("pro", ["provider"])
        for name in ("hana", "rei", "pro"):
            users.password(name, PASSWORD.format(name))
        self.disk, self.office = disk, PortalOffice(made.state, PortalOptions(made.state, wait_seconds=2.0))
        self.hana, self.rei, self.pro = (self.office.browser(name) for name in ("hana", "rei", "pro"))

    @property
    def engine(self) -> Engine:
        return Engine(self.office.state)

    def submitted(self, title: str) -> int:
        found = self.engine.submissions.submit(TEXT.format(title), accept_terms=True)
        return found.id

    def fill(self, left: int) -> Path:
        """Fills the disk but for so many bytes."""
        path, of = self.disk / "filled", os.statvfs(self.disk)
        path.write_bytes(bytes(max(of.f_bavail * of.f_frsize - left, 0)))
        return path

    def status(self, number: int) -> str:
        return self.engine.submissions.get(number).submission.status

    def is_sound(self) -> bool:
        with self.engine.state_file.reading() as connection:
            return verify(self.office.state, SHELL) == () and list(unlike_their_steps(connection)) == []


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A small file system in memory."""
    place = tmp_path_factory.mktemp("disk")
    with small_disk(place, SIZE) as found:
        yield found


@pytest.fixture(scope="module")
def offices(disk: Path) -> Town:
    return Town(disk)


@pytest.fixture
def town(offices: Town) -> Iterator[Town]:
    """The office, whose disk has space again after the test."""
    yield offices
    (offices.disk / "filled").unlink(missing_ok=True)


def post(browser: Browser, path: str, **fields: str) -> Any:
    """Sends a form with the token of a page that is looked at first, which a full disk lets be looked at."""
    page = browser.get("/")
    assert page.status_code == 200
    return browser.post(path, token_in(page.text), **fields)


def submit(town: Town, title: str) -> Callable[[], Any]:
    text = TEXT.format(title)
    return lambda: post(town.hana, "/requests/text", dataset="members", text=text, terms="yes")


def vote(town: Town, title: str) -> Callable[[], Any]:
    number = town.submitted(title)
    return lambda: post(town.rei, f"/reviews/{number}/vote", revision="1", vote="approve")


def accept(town: Town, title: str) -> Callable[[], Any]:
    assert submit(town, title)().status_code == 303
    number = town.engine.submissions.list()[0].id
    town.engine.submissions.propose(number, request=TEXT.format(f"{title} offered").replace("20", "50"))
    return lambda: post(town.hana, f"/requests/{number}/accept", revision="2", status="proposed")


def withdraw(town: Town, title: str) -> Callable[[], Any]:
    assert submit(town, title)().status_code == 303
    number = town.engine.submissions.list()[0].id
    return lambda: post(town.hana, f"/requests/{number}/withdraw", revision="1", status="predicted")


def log_in(town: Town, _: str) -> Callable[[], Any]:
    return lambda: town.office.browser().log_in("hana")


def propose(town: Town, title: str) -> Callable[[], Any]:
    number = town.submitted(title)
    text = TEXT.format(title).replace("20", "50")
    return lambda: post(town.pro, f"/reviews/{number}/propose", last="1", text=text, why="coarser")


DEEDS = (submit, vote, accept, withdraw, propose, log_in)


def test_a_form_on_a_full_disk_is_answered_by_a_page_that_says_so(town: Town) -> None:
    full = done = 0
    for step in range(STEPS):
        for deed in DEEDS:
            send = deed(town, f"{deed.__name__} {step}")
            before = town.engine.submissions.list()
            filled = town.fill(step * PAGE)
            found = send()
            assert found.status_code in (303, 503), (deed, step, found.status_code)
            assert town.is_sound(), (deed, step)
            assert town.hana.get("/requests").status_code == 200
            filled.unlink()
            if found.status_code == 503:
                full += 1
                assert re.search("disk (may be|is) full", found.text)
                assert "/" not in found.text.partition("visit ")[2].partition("<")[0]
                assert town.engine.submissions.list() == before  # nothing was changed, as the page says
                assert send().status_code == 303
            else:
                done += 1
    print(f"{full} times full, {done} times done all the same")
    assert full >= len(DEEDS)
    assert town.is_sound()


def test_pages_are_looked_at_on_a_full_disk_although_no_use_is_noted(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "_NOTED_EVERY", sessions.IDLE - sessions.IDLE)
    town.fill(0)
    for path in ("/", "/catalogue", "/requests", "/requests/1", "/requests/1/release/file"):
        assert town.hana.get(path).status_code == 200, path


@pytest.mark.long
def test_a_worker_goes_on_after_the_disk_was_full(town: Town) -> None:
    ended, before = [], Worker(town.engine.submissions)
    while before.step():  # what other tests had approved
        pass
    for step in range(rounds(2, 24)):
        number = town.submitted(f"run {step}")
        assert post(town.rei, f"/reviews/{number}/vote", revision="1", vote="approve").status_code == 303
        filled = town.fill(step * 4 * PAGE)
        Worker(town.engine.submissions).step()
        Worker(town.engine.submissions).step()
        assert town.is_sound()
        at = town.status(number)
        assert at in ("approved", "in_review", "run", "delivered")
        assert town.pro.get(f"/requests/{number}").status_code == 200
        filled.unlink()
        if at == "in_review":  # where a fault of a run leads; the reviewers look, and vote again
            assert post(town.rei, f"/reviews/{number}/vote", revision="1", vote="approve").status_code == 303
        for _ in range(4):
            Worker(town.engine.submissions).step()
        assert town.status(number) == "delivered", at
        file = town.engine.submissions.delivered_file(number)
        assert file.is_file()
        ended.append(at)
        file.unlink()
        town.engine.submissions.withdraw(number)
    print({each: ended.count(each) for each in set(ended)})
    assert set(ended) - {"delivered"}
    assert town.is_sound()
