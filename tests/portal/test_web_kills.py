"""The web process killed, stopped and woken while users click: what was answered is there, and nothing is twice."""

from __future__ import annotations

import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from ordermade import Engine
from ordermade.demo.office import make_office
from ordermade.service.sessions import BrowserSessions
from ordermade.state.audit import AUDIT
from ordermade.state.authority import SHELL
from ordermade.state.inspection import verify
from ordermade.state.replay import unlike_their_steps
from tests.long import rounds
from tests.portal.office import token_in

pytestmark = pytest.mark.slow

KILLS, PARTS = rounds(1, 10), rounds(1, 10)
"""How often the server is killed, and how often it is stopped and woken, in each part."""
TEXT = "title: {}\ndataset: members\nk: 20\nquasi_identifiers: {{sex: {{hierarchy: sex}}}}\nrelease: {{to: x.csv}}\n"
USERS = ("hana", "rei", "pro")
OFFERED, APPROVED = "The provider made you an offer.", "Load this page again to see what came of it."
"""What the page of a request says of its state."""


@dataclass
class Server:
    """A server on a state, started anew after each kill on the same port."""

    state: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        words = [sys.executable, "-m", "ordermade", "--state", str(self.state), "serve", "--no-worker"]
        self.process = subprocess.Popen([*words, "--port", str(self.port)], stderr=subprocess.DEVNULL)
        self.wait()

    def wait(self) -> None:
        """Waits until it answers."""
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                httpx.get(f"http://127.0.0.1:{self.port}/static/portal.svg", timeout=5)
            except httpx.HTTPError:
                time.sleep(0.05)
            else:
                return
        raise AssertionError("the server does not answer")

    def signal(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def end(self) -> None:
        self.signal(signal.SIGKILL)
        assert self.process is not None
        self.process.wait()


@dataclass
class Clicks:
    """What users click, with what became of it: `answered` by the server, or cut off, by the step and its subject."""

    server: Server
    cookies: dict[str, str]
    answered: Counter[tuple[str, int]] = field(default_factory=Counter)
    cut: Counter[str] = field(default_factory=Counter)
    titles: dict[str, int] = field(default_factory=dict)
    files: int = 0
    sending: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)
    fault: BaseException | None = None

    def tried(self, step: str, call: Callable[[], httpx.Response]) -> httpx.Response | None:
        """The answer; None where the connection was cut, after which the server is waited for."""
        try:
            return call()
        except httpx.HTTPError:
            self.cut[step] += 1
            self.server.wait()
            return None

    def get(self, name: str, path: str) -> httpx.Response:
        """A page, loaded again until it is there."""
        while True:
            found = self.tried("look", lambda: self._client(name).get(path))
            if found is not None:
                return found

    def post(self, name: str, step: str, subject: int, path: str, **fields: str) -> httpx.Response | None:
        token = token_in(self.get(name, "/").text)
        self.sending.set()
        found = self.tried(step, lambda: self._client(name).post(path, data={"token": token, **fields}))
        self.sending.clear()
        if found is not None:
            assert found.status_code == 303, (step, subject, found.status_code, found.text)
            self.answered[step, subject] += 1
        return found

    def _client(self, name: str) -> Any:
        options: dict[str, Any] = {"cookies": {"ordermade": self.cookies[name]}, "timeout": 60}
        return httpx.Client(base_url=f"http://127.0.0.1:{self.server.port}", **options)

    def wait_for_a_form(self) -> None:
        """Waits until one more form is answered."""
        before, until = self.answered.total(), time.monotonic() + 60
        while self.answered.total() == before and self.fault is None and time.monotonic() < until:
            time.sleep(0.005)

    def go_on(self) -> None:
        """Clicks until it is over: a request is sent, offered, accepted and voted for; a release is downloaded."""
        try:
            for number, _ in enumerate(iter(self.over.is_set, True)):
                self._round(f"round {number}")
        except BaseException as error:  # noqa: BLE001 (raised by the test)
            self.fault = error
            self.sending.set()

    def _round(self, title: str) -> None:
        sent = self.post("hana", "submit", 0, "/requests/text", dataset="members", text=TEXT.format(title), terms="yes")
        listed = re.search(rf'href="/requests/(\d+)">(?:<[^>]*>)*{title}<', self.get("hana", "/requests").text)
        if sent is None and listed is None:
            return  # the page says that it was not submitted: the user may go on
        assert listed is not None, title
        number = self.titles[title] = int(listed[1])
        assert sent is None or sent.headers["location"] == f"/requests/{number}"
        offered = TEXT.format(title).replace("20", "50")
        page = f"/requests/{number}"  # which says whether what was cut off has happened: if not, it is done again
        while OFFERED not in self.get("hana", page).text:
            self.post("pro", "propose", number, f"/reviews/{number}/propose", last="1", text=offered, why="coarser")
        while OFFERED in self.get("hana", page).text:
            self.post("hana", "accept", number, f"{page}/accept", revision="2", status="proposed")
        while APPROVED not in self.get("hana", page).text:
            self.post("rei", "review", number, f"/reviews/{number}/vote", revision="2", vote="approve")
        found = self.tried("download", lambda: self._client("hana").get("/requests/1/release/file"))
        if found is not None:
            assert found.status_code == 200
            assert len(found.content) == int(found.headers["content-length"]) > 1_000
            self.files += 1


@pytest.fixture
def clicks(tmp_path: Path) -> Iterator[Clicks]:
    made = make_office(tmp_path / "demo", rows=500)
    engine = Engine(made.state)
    engine.users.add("pro", ["provider"])
    sessions = BrowserSessions(engine.state_file)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    server = Server(made.state, port)
    server.start()
    try:
        yield Clicks(server, {name: sessions.enter(name) for name in USERS})
    finally:
        server.end()


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_a_server_killed_stopped_and_woken_at_random_loses_and_doubles_nothing(clicks: Clicks, part: int) -> None:
    drawn = random.Random(45 + part)
    moments = ["kill", "stop"] * KILLS
    drawn.shuffle(moments)
    before = {each.id for each in Engine(clicks.server.state).submissions.list()}
    user = threading.Thread(target=clicks.go_on)
    user.start()
    try:
        for moment in moments:
            if clicks.fault is not None:
                break
            for _ in range(drawn.randrange(5)):  # with none it may be before it answers at all
                clicks.wait_for_a_form()
            clicks.sending.wait(60)  # a form is on its way, or is answered
            time.sleep(drawn.uniform(0.0, 0.1))
            if moment == "kill":
                clicks.server.end()
                clicks.server.start()
            else:
                clicks.server.signal(signal.SIGSTOP)
                time.sleep(drawn.uniform(0.05, 0.4))
                clicks.server.signal(signal.SIGCONT)
        for _ in range(8):  # one more round of each step at least
            clicks.wait_for_a_form()
    finally:
        clicks.over.set()
        user.join()
    if clicks.fault is not None:
        raise clicks.fault
    engine = Engine(clicks.server.state)
    made = {each.title: each for each in engine.submissions.list() if each.id not in before}
    assert {title: each.id for title, each in made.items()} == clicks.titles  # what its pages said, no more and no less
    assert len(engine.submissions.list()) == len(before) + len(made)
    with engine.state_file.reading() as connection:
        steps = Counter(
            (each.action.removeprefix("request "), int(each.subject))
            for each in AUDIT.select(connection)
            if str(each.subject).isdecimal()
        )
        assert list(unlike_their_steps(connection)) == []
    for (step, number), times in clicks.answered.items():
        if step != "submit":
            assert steps[step, number] == times == 1, (step, number)
    *done, last = clicks.titles.values()
    for number in done:
        assert [steps[step, number] for step in ("submit", "propose", "accept", "review", "approve")] == [1] * 5
    assert all(steps[step, last] <= 1 for step in ("submit", "propose", "accept", "review", "approve"))
    assert verify(clicks.server.state, SHELL) == ()
    print(
        f"{KILLS} kills, {KILLS} stops; {len(made)} requests, {sum(clicks.answered.values())} forms answered, "
        f"{clicks.files} files; cut off: {dict(clicks.cut)}"
    )
    assert clicks.answered
