"""The portal under load: 100 users who click through its pages for 5 minutes, beside a worker on a million rows.

A server is started as its command does, with its worker. Each user logs in once, in the first fifth of the time, and
then goes from page to page, thinking for 1 to 3 seconds, drawn with a seed. Every fifth user is a reviewer. Requests on
the million members are submitted by the provider, so that the worker always has one to run.

PORTAL_USERS, PORTAL_SECONDS, PORTAL_ROWS and PORTAL_SEED are numbers of the environment in the place of those here.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlencode

from bench.figure import Figure, print_rows
from bench.members import Bench
from ordermade import Engine
from ordermade.demo.tables import make_members
from ordermade.errors import OrdermadeError
from ordermade.portal.application import declared
from ordermade.service.sessions import sessions_of

USERS = int(os.environ.get("PORTAL_USERS", "100"))
SECONDS = float(os.environ.get("PORTAL_SECONDS", "300"))
ROWS = int(os.environ.get("PORTAL_ROWS", "1000000"))
SEED = int(os.environ.get("PORTAL_SEED", "45"))
SURVEY = 20_000
"""The rows of the dataset that the users ask of; the worker's has `ROWS`."""
THINKS = (1.0, 3.0)
PAGES_P95, FORECAST_P95 = 0.3, 0.2
MOST_MEMORY = 500.0
PASSWORD = "a password of {}"
FORECAST = "/requests/forecast"
FORM = "application/x-www-form-urlencoded"
POLICY: Mapping[str, Any] = {"k": 10, "ks": [10, 20, 50, 100], "suppression": "5 %", "never": {"ask": ["name"]}}
WAITING = 2
"""The requests that wait for the worker at any time."""
COLUMNS = ("sex", "age", "prefecture", "occupation", "plan", "joined")


@dataclass(slots=True)
class Person:
    """A user of the portal: its name, its role, and the numbers of its requests by their state."""

    name: str
    role: str
    requests: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Measured:
    """The seconds of every answer by page, answers that are none of what is expected, and what went wrong at all."""

    seconds: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: its status, its headers that matter, its text."""

    status: int
    location: str
    cookies: tuple[str, ...]
    text: str


@dataclass(slots=True)
class Client:
    """A browser: one connection that is kept, cookies, and the token of the page looked at last."""

    port: int
    measured: Measured
    cookies: dict[str, str] = field(default_factory=dict)
    token: str = ""
    _reader: asyncio.StreamReader | None = None
    _writer: asyncio.StreamWriter | None = None

    async def get(self, name: str, path: str, *, expected: Sequence[int] = (200,)) -> Answer:
        return await self._timed(name, "GET", path, "", expected)

    async def post(self, page: str, path: str, expected: Sequence[int] = (303,), /, **fields: str) -> Answer:
        return await self._timed(page, "POST", path, urlencode({"token": self.token, **fields}), expected)

    async def _timed(self, name: str, method: str, path: str, body: str, expected: Sequence[int]) -> Answer:
        began = time.perf_counter()
        try:
            found = await self._sent(method, path, body)
        except (OSError, asyncio.IncompleteReadError, ValueError) as error:
            self.measured.errors[f"{name}: {type(error).__name__}"] += 1
            self._writer = None
            return Answer(0, "", (), "")
        self.measured.seconds[name].append(time.perf_counter() - began)
        if found.status not in expected:
            self.measured.errors[f"{name}: {found.status}"] += 1
        for each in found.cookies:
            key, _, text = each.partition(";")[0].partition("=")
            self.cookies[key] = text
        given = re.search(r'name="token" value="(\w+)"', found.text)
        self.token = given[1] if given else self.token
        return found

    async def _sent(self, method: str, path: str, body: str) -> Answer:
        """Sends a request; by another connection where the server closed the one before, as it does when idle."""
        kept = self._writer is not None and self._reader is not None and not self._reader.at_eof()
        for is_kept in (kept, False) if kept else (False,):
            if not is_kept:
                self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self.port)
            try:
                return await self._exchanged(method, path, body)
            except (ConnectionError, asyncio.IncompleteReadError):
                if not is_kept or method == "POST":
                    raise
        raise ConnectionError

    async def _exchanged(self, method: str, path: str, body: str) -> Answer:
        assert self._reader is not None
        assert self._writer is not None
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost", "Accept-Language: en"]
        if self.cookies:
            lines.append("Cookie: " + "; ".join(f"{name}={text}" for name, text in self.cookies.items()))
        if method == "POST":
            lines += [f"Content-Type: {FORM}", f"Content-Length: {len(body)}"]
        self._writer.write(("\r\n".join(lines) + "\r\n\r\n" + body).encode())
        await self._writer.drain()
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = [(name.lower(), text) for name, _, text in (each.partition(": ") for each in head[1:] if each)]
        of = dict(headers)
        content = await self._reader.readexactly(int(of.get("content-length", "0")))
        cookies = tuple(text for name, text in headers if name == "set-cookie")
        return Answer(int(head[0].split(" ")[1]), of.get("location", ""), cookies, content.decode("utf-8", "replace"))


def show() -> Sequence[Figure]:
    """Prints the seconds of each page, and the work of the worker meanwhile; the targets."""
    print(f"{USERS} users, {SECONDS:g} s, {ROWS:,} rows, seed {SEED}; load before: {_load()}")
    with TemporaryDirectory(prefix="ordermade-bench-") as name:
        began = time.perf_counter()
        engine, people = _office(Path(name))
        print(f"made in {time.perf_counter() - began:.0f} s")
        measured = Measured()
        with _serving(engine) as (port, server):
            worker = _children(server)
            feeder = _Feeder(engine)
            began = time.perf_counter()
            before = _processor(server), _processor(worker)
            asyncio.run(_clicked(port, people, measured, feeder))
            lasted = time.perf_counter() - began
            work = _processor(server) - before[0], _processor(worker) - before[1]
            memory, of_worker = _peak(server), _peak(worker)
        done = feeder.done()
        idle = Figure("looks at which the worker had nothing to run", feeder.idle, 0, "", f"of {feeder.looks}")
    return [*_pages(measured, lasted), *_machine(measured, lasted, work, (memory, of_worker), done), idle]


def _office(folder: Path) -> tuple[Engine, list[Person]]:
    """The state: two datasets, the users, and for each an offer, a release and a request that waits."""
    bench = Bench(folder)
    make_members(bench.database, ROWS)
    engine = replace(bench.engine("portal"), wait_seconds=30.0)
    survey = folder / "survey.duckdb"
    make_members(survey, SURVEY)
    engine.sources.add("survey", str(survey))
    engine.datasets.add("survey", "survey", table="members", least_k=2)
    engine.policies.set({"dataset": "survey", **POLICY, "reviews": 1})
    engine.policies.set({"dataset": "members", **POLICY, "reviews": 0, "refusals": {"most": 10_000}})
    sessions = sessions_of(engine.state_file)
    people = [Person(f"user {n:03}", "reviewer" if n % 5 == 4 else "data-user") for n in range(USERS)]
    for each in [*people, Person("voter", "reviewer")]:
        engine.users.add(each.name, [each.role])
    for each in people:
        engine.users.password(each.name, PASSWORD.format(each.name))
    voter = replace(engine, token=sessions.enter("voter")).submissions
    for place, each in enumerate(people):
        if each.role == "data-user":
            own = replace(engine, token=sessions.enter(each.name)).submissions
            each.requests = _asked(engine, own, voter, place)
    return engine, people


def _asked(engine: Engine, own: Any, voter: Any, place: int) -> dict[str, int]:
    """Requests of a user: delivered, with an offer, and waiting for a vote."""
    office, k = engine.submissions, (10, 20, 50, 100)[place % 4]
    delivered = own.submit(_request("survey", k, {"sex": 0, "prefecture": "region"}, "table"), "for the yearbook").id
    voter.review(delivered, "approve")
    office.run(delivered)
    office.deliver(delivered)
    proposed = own.submit(_request("survey", k, {"occupation": 0, "joined": "month"})).id
    office.propose(proposed, request=_request("survey", k, {"occupation": 0, "joined": "year"}), why="by year")
    waits = own.submit(_request("survey", k, {"age": "10 years", "plan": 0})).id
    return {"delivered": delivered, "proposed": proposed, "waits": waits}


def _request(dataset: str, k: int, columns: Mapping[str, int | str], shape: str = "rows") -> dict[str, Any]:
    return {
        "title": f"{', '.join(columns)} of the {dataset}",
        "dataset": dataset,
        "k": k,
        "quasi_identifiers": {name: {"hierarchy": name, "from": level} for name, level in columns.items()},
        "release": {"to": "data.csv", "shape": shape},
    }


@dataclass(slots=True)
class _Feeder:
    """Submits requests on the many members, each of other columns or another k, so that the worker never waits."""

    engine: Engine
    submitted: list[int] = field(default_factory=list)
    idle: int = 0
    looks: int = 0
    _left: Iterator[tuple[tuple[str, ...], int]] = field(init=False)

    def __post_init__(self) -> None:
        every = [each for n in (4, 5, 3) for each in itertools.combinations(COLUMNS, n)]
        drawn = [(columns, k) for k in (10, 20, 50, 100) for columns in every]
        random.Random(SEED).shuffle(drawn)
        self._left = iter(drawn)

    def step(self) -> None:
        """Submits what is missing, and withdraws what was delivered, whose file goes."""
        noun = self.engine.submissions
        found = {each.id: each.status for each in noun.list() if each.dataset_name == "members"}
        waiting = sum(each in ("approved", "run") for each in found.values())
        self.looks += 1
        self.idle += self.looks > 1 and waiting == 0
        for number, status in found.items():
            if status == "delivered":
                noun.withdraw(number)
        for _ in range(waiting, WAITING):
            columns, k = next(self._left)
            request = _request("members", k, dict.fromkeys(columns, 0) | ({"joined": 1} if "joined" in columns else {}))
            try:
                self.submitted.append(noun.submit(request).id)
            except OrdermadeError as error:
                raise AssertionError(f"{request}: {error}") from error

    async def work(self, until: float) -> None:
        while time.perf_counter() < until:
            await asyncio.to_thread(self.step)
            await asyncio.sleep(1.0)

    def done(self) -> Counter[str]:
        """The requests of the worker by what became of them."""
        noun = self.engine.submissions
        return Counter(noun.get(each).submission.status for each in self.submitted)


@contextmanager
def _serving(engine: Engine) -> Iterator[tuple[int, int]]:
    """A server on the state, as the command starts it: its port, its number."""
    program = Path(sys.executable).parent / "ordermade"
    words = [str(program), "--state", str(engine.state_file.path), "serve", "--port", "0"]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert server.stdout is not None
        port = next(int(found[1]) for line in server.stdout if (found := re.search(r"127\.0\.0\.1:(\d+)", line)))
        while not _children(server.pid):
            time.sleep(0.1)
        yield port, server.pid
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()


async def _clicked(port: int, people: Sequence[Person], measured: Measured, feeder: _Feeder) -> None:
    """Everybody clicks until the time is over."""
    until = time.perf_counter() + SECONDS
    users = [_person(Client(port, measured), each, place, until) for place, each in enumerate(people)]
    await asyncio.gather(feeder.work(until), *users)


async def _person(browser: Client, person: Person, place: int, until: float) -> None:
    drawn = random.Random(f"{SEED} {place}")
    await asyncio.sleep(drawn.uniform(0, SECONDS / 5))
    await browser.get("login page", "/login")
    name = person.name
    await browser.post("log in", "/login", name=name, password=PASSWORD.format(name), then="/")
    walk = _reviewing if person.role == "reviewer" else _asking
    while time.perf_counter() < until:
        for click in walk(browser, person, drawn):
            await asyncio.sleep(drawn.uniform(*THINKS))
            if time.perf_counter() >= until:
                return
            await click()


Click = Callable[[], Awaitable[object]]


def _asking(browser: Client, person: Person, drawn: random.Random) -> Iterator[Click]:
    """A round of a user: from the catalogue to the release, with a request that is submitted and withdrawn."""
    own, builder = person.requests, "/requests/new?dataset=survey"
    shown: list[Answer] = []

    async def build() -> None:
        shown.append(await browser.get("builder", builder))

    def form() -> dict[str, str]:
        columns = {name: n for n, name in re.findall(r'name="column\.(\d+)" value="(\w+)"', shown[-1].text)}
        if not columns:  # the page was an error, which is counted
            return {}
        fields = {f"column.{n}": name for name, n in columns.items()} | {f"use.{n}": "" for n in columns.values()}
        fields |= {f"use.{columns['age']}": "at:2:age", f"use.{columns['sex']}": "at:0:sex"}
        k = drawn.choice(("10", "20", "50", "100"))
        return fields | {"dataset": "survey", "title": "Clicked", "k": k, "limit": "0", "shape": "table", "why": "why"}

    async def submit() -> None:
        sent = await browser.post("submit", "/requests/new", **form())
        own["sent"] = int(sent.location.rpartition("/")[2]) if sent.location else 0

    async def withdraw() -> None:
        page = await browser.get("request", f"/requests/{own['sent']}")
        fields = dict(re.findall(r'name="(revision|status)" value="(\w+)"', page.text))
        await browser.post("withdraw", f"/requests/{own['sent']}/withdraw", **fields)

    yield lambda: browser.get("home", "/")
    yield lambda: browser.get("catalogue", "/catalogue")
    yield lambda: browser.get("dataset", "/catalogue/survey")
    yield build
    if _has_forecast():
        for _ in range(2):
            yield lambda: browser.post("forecast", FORECAST, (200,), **form())
    if drawn.random() < 0.2:
        yield submit
        yield withdraw
    yield lambda: browser.get("my requests", "/requests")
    yield lambda: browser.get("request", f"/requests/{own['waits']}")
    yield lambda: browser.get("offer", f"/requests/{own['proposed']}/offer")
    yield lambda: browser.get("request", f"/requests/{own['delivered']}")
    yield lambda: browser.get("release", f"/requests/{own['delivered']}/release")
    yield lambda: browser.get("download", f"/requests/{own['delivered']}/release/file")


def _reviewing(browser: Client, _: Person, drawn: random.Random) -> Iterator[Click]:
    """A round of a reviewer: the queue, and some of what waits in it."""
    shown: list[Answer] = []

    async def queue() -> None:
        shown.append(await browser.get("reviews", "/reviews"))

    def one() -> str:
        return drawn.choice(re.findall(r'href="/reviews/(\d+)"', shown[-1].text) or ["1"])

    yield lambda: browser.get("home", "/")
    for _ in range(2):
        yield queue
        yield lambda: browser.get("review", f"/reviews/{one()}")
        yield lambda: browser.get("review", f"/reviews/{one()}")
        yield lambda: browser.get("request", f"/requests/{one()}")


def _has_forecast() -> bool:
    return any(each.path == FORECAST for each in declared())


def _pages(measured: Measured, lasted: float) -> Iterator[Figure]:
    rows = []
    for name, found in sorted(measured.seconds.items()):
        ordered = sorted(found)
        in_ms = [1000 * each for each in (statistics.median(ordered), _p95(ordered), ordered[-1])]
        rows.append((name, len(found), *(round(each) for each in in_ms)))
    print_rows("answers, in milliseconds", ("page", "answers", "p50", "p95", "max"), rows)
    looked = [each for name, found in measured.seconds.items() if name not in ("forecast", "log in") for each in found]
    yield Figure("pages and forms, p95", _p95(sorted(looked)), PAGES_P95, "s", digits=3)
    slowest = max(_p95(sorted(found)) for name, found in measured.seconds.items() if name not in ("forecast", "log in"))
    yield Figure("the page whose p95 is the longest", slowest, PAGES_P95, "s", digits=3)
    if forecasts := sorted(measured.seconds["forecast"]):
        yield Figure("forecast, p95", _p95(forecasts), FORECAST_P95, "s", digits=3)
    yield Figure("requests a second", sum(map(len, measured.seconds.values())) / lasted, unit="/s", digits=1)


def _machine(
    measured: Measured,
    lasted: float,
    work: tuple[float, float],
    memory: tuple[float, float],
    done: Counter[str],
) -> Iterator[Figure]:
    answered = "; ".join(f"{name} {count}" for name, count in measured.errors.most_common())
    yield Figure("errors", sum(measured.errors.values()), 0, "", answered)
    yield Figure("peak memory of the web process", memory[0], MOST_MEMORY, "MiB", digits=0)
    yield Figure("peak memory of the worker", memory[1], unit="MiB", digits=0)
    yield Figure("cores of the web process", work[0] / lasted)
    yield Figure("cores of the worker", work[1] / lasted)
    ended = ", ".join(f"{name} {count}" for name, count in sorted(done.items()))
    yield Figure(f"requests of {ROWS:,} rows that were run", done["withdrawn"] + done["refused"], unit="", note=ended)
    print(f"load after: {_load()}")


def _p95(ordered: Sequence[float]) -> float:
    return ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]


def _load() -> str:
    return " ".join(f"{each:.2f}" for each in os.getloadavg())


def _children(process: int) -> int:
    """The worker of a server: its child; 0 where it has none yet."""
    listed = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    for task in Path(f"/proc/{process}/task").iterdir():
        listed += (task / "children").read_text().split()
    return int(listed[0]) if listed else 0


def _peak(process: int) -> float:
    """The most memory that a process has had, in MiB."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def _processor(process: int) -> float:
    """The seconds of the processor that a process has had."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
