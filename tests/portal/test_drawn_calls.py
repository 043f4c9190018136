"""Calls that schemathesis draws from the application's own description, by every role: no fault, and nothing leaks.

The fields of forms are no part of that description: they are read from the pages that have the forms.
"""

from __future__ import annotations

import csv
import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import duckdb
import hypothesis
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from ordermade import Engine
from ordermade.demo.office import make_office
from ordermade.portal.application import declared
from ordermade.portal.options import PortalOptions
from ordermade.service.sessions import BrowserSessions
from tests.long import rounds
from tests.portal.office import Browser, PortalOffice, token_in

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of what it imports
    import schemathesis

pytestmark = pytest.mark.slow

CALLS, PARTS = rounds(200, 1_000), rounds(1, 10)
"""The calls of a part, and the parts, each from another seed."""
ROLES = {"hana": "data-user", "ken": "data-user", "rei": "reviewer", "pro": "provider", "": "nobody"}
FORM = "application/x-www-form-urlencoded"
BY_SCRIPT = ("/requests/forecast",)
"""The forms that no page sends by itself: those of the builder, by a script."""
UPLOADS = (
    b"intervals:\n  levels: [{width: 10}, {width: 20}]\n",
    b"value,half\n1,a\n2,b\n",
    b"a\xff\x00",
    b"",
    b"- [\n",
)
FILES = re.compile(r"/(release|releases/\d+)/(file|report|codebook\.csv|certificate\.json)\Z")
"""What has figures of a release, as its user may have them, and everybody those of a public one."""
LEAKS = re.compile(r"Traceback|site-packages|\.sqlite|\.duckdb|sqlite3|File \"|line \d+, in ")


@dataclass(slots=True)
class SentForm(HTMLParser):
    """A form of a page: where it is sent, and what each field may be there: the values that the page offers."""

    action: str = ""
    files: list[str] = field(default_factory=list)
    fields: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    found: list[SentForm] = field(default_factory=list)
    _named: str = ""

    def __post_init__(self) -> None:
        HTMLParser.__init__(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        of = {name: text or "" for name, text in attrs}
        if tag == "form":
            self.found.append(SentForm(of.get("action", "")))
        if not self.found:
            return
        fields = self.found[-1].fields
        if tag in ("select", "textarea"):
            self._named = of.get("name", "")
        if of.get("type") == "file":
            self.found[-1].files.append(of["name"])
        elif tag == "option" and self._named:
            fields[self._named].append(of.get("value", ""))
        elif tag in ("input", "button") and of.get("name"):
            fields[of["name"]].append(of.get("value", "yes" if of.get("type") == "checkbox" else ""))
        elif tag == "textarea" and self._named:
            fields[self._named].append("")

    def handle_data(self, data: str) -> None:
        if self._named and self.found and self.found[-1].fields.get(self._named, [""])[-1] == "" and data.strip():
            self.found[-1].fields[self._named].append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("select", "textarea"):
            self._named = ""


def forms_of(page: str) -> list[SentForm]:
    """The forms of a page."""
    parser = SentForm()
    parser.feed(page)
    return parser.found


@dataclass(slots=True)
class Street:
    """A portal with users of each role in sessions of theirs, the forms of its pages, and what no answer may have."""

    office: PortalOffice
    sessions: BrowserSessions
    browsers: dict[str, Browser]
    numbers: list[int]
    labels: frozenset[str]
    forms: dict[str, list[SentForm]] = field(default_factory=lambda: defaultdict(list))
    tokens: dict[str, str] = field(default_factory=dict)
    answered: Counter[tuple[str, int]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def enter(self, name: str) -> None:
        """Begins a session, and reads the token of its forms."""
        browser = self.browsers[name] = self.office.browser()
        if name:
            browser.client.cookies.set(self.office.app.state.portal.cookie, self.sessions.enter(name))
        self.tokens[name] = token_in(browser.get("/" if name else "/login").text)

    def read_forms(self) -> None:
        """Reads the forms of every page, each by the pattern of the page that it is sent to."""
        gets = [each.path for each in declared() if each.method == "GET" and not each.path.startswith("/static")]
        for name, browser in self.browsers.items():
            for pattern in gets:
                for number in self.numbers if "{number}" in pattern else [0]:
                    path = pattern.replace("{number}", str(number)).replace("{name:path}", "members")
                    query = "" if "{number}" in pattern else "?dataset=members"
                    if "/release" in path or "{" in path or not name:
                        continue
                    for form in forms_of(browser.get(path + query).text):
                        self.forms[re.sub(r"/\d+", "/{number}", form.action)].append(form)
        self.forms["/login"] += forms_of(self.browsers[""].get("/login").text)
        for path in BY_SCRIPT:
            self.forms[path] += self.forms["/requests/new"]

    def described(self) -> dict[str, Any]:
        """The description of the application, with the fields of its forms, and numbers and names that there are."""
        found: dict[str, Any] = self.office.app.openapi()
        for path, methods in found["paths"].items():
            for method, operation in methods.items():
                for each in operation.get("parameters", ()):
                    each["schema"] = {"anyOf": [{"enum": self._known(each["name"])}, _bare(each["schema"])]}
                if method == "post":
                    fields = {
                        name: {"anyOf": [{"enum": sorted(set(values))}, {"type": "string", "maxLength": 300}]}
                        for form in self.forms[path]
                        for name, values in form.fields.items()
                    }
                    content = {"schema": {"type": "object", "properties": fields}}
                    operation["requestBody"] = {"content": {FORM: content}, "required": True}
        return found

    def _known(self, name: str) -> list[Any]:
        known: dict[str, list[Any]] = {
            "number": self.numbers,
            "code": ["en", "ja"],
            "name": ["members"],
            "dataset": ["members"],
            "then": ["/", "/requests"],
        }
        return known.get(name, [""])

    def leaks(self, path: str, text: str, sent: str) -> list[str]:
        """What an answer has that it must not, but for what was sent with it."""
        shown = text if FILES.search(path) else re.sub(r"<[^>]*>", " ", text)
        found = {each for each in (*LEAKS.findall(shown), str(self.office.state.parent)) if each in shown}
        if not FILES.search(path):
            found |= self.labels & set(re.findall(r"[\w-]{4,}", shown))
        return sorted(each for each in found if each not in sent)


def _bare(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {name: text for name, text in schema.items() if name == "type"}


@pytest.fixture(scope="module")
def street(tmp_path_factory: pytest.TempPathFactory) -> Street:
    folder = tmp_path_factory.mktemp("street") / "demo"
    made = make_office(folder, rows=2_000)
    engine = Engine(made.state)
    engine.users.add("pro", ["provider"])
    office = PortalOffice(made.state, PortalOptions(made.state))
    found = Street(
        office,
        BrowserSessions(engine.state_file),
        {},
        sorted(each.id for each in engine.submissions.list()),
        frozenset(_persons(folder)) | frozenset(_labels(folder)),
    )
    for name in ROLES:
        found.enter(name)
    hana = replace(engine, token=found.sessions.enter("hana"))
    hana.catalogue.add_hierarchy("members", "joined", "joined by decades", "date: [decade]\n", "yaml")
    found.read_forms()
    return found


def _persons(folder: Path) -> Iterator[str]:
    """The words of the names of the made-up members."""
    (file,) = folder.glob("*.duckdb")
    with duckdb.connect(str(file), read_only=True) as connection:
        for (name,) in connection.execute("SELECT DISTINCT name FROM members").fetchall():
            yield from re.findall(r"[\w-]{4,}", name)


def _labels(folder: Path) -> Iterator[str]:
    for file in (folder / "hierarchies").glob("*.csv"):
        with file.open(encoding="utf-8", newline="") as rows:
            for each in list(csv.reader(rows))[1:]:
                yield from (word for word in re.findall(r"[\w-]{4,}", each[0]) if word == each[0])


def test_every_form_of_a_page_is_read(street: Street) -> None:
    posts = {each.path for each in declared() if each.method == "POST"}
    assert posts <= {path for path, forms in street.forms.items() if forms}
    assert len(street.labels) > 100


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_drawn_calls_find_no_fault_and_no_leak(street: Street, part: int) -> None:
    street.answered.clear()
    described = schemathesis.openapi.from_dict(street.described())
    operations = [each.ok() for each in described.get_all_operations()]
    drawn = {each.label: each.as_strategy() for each in operations}
    done = 0

    @hypothesis.seed(part)
    @settings(
        max_examples=CALLS,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(data=st.data())
    def call(data: st.DataObject) -> None:
        nonlocal done
        operation, name = data.draw(st.sampled_from(operations)), data.draw(st.sampled_from(list(ROLES)))
        done += 1
        case = data.draw(drawn[operation.label])
        if "number" in case.path_parameters and data.draw(st.integers(0, 3)):
            case.path_parameters["number"] = data.draw(st.sampled_from(street.numbers))
        sent = case.as_transport_kwargs(base_url="http://localhost")
        if operation.method == "post":
            fields = dict(case.body) if isinstance(case.body, dict) else {}
            if data.draw(st.integers(0, 3)):  # mostly a form as a page has it, with some fields of others
                form = data.draw(st.sampled_from(street.forms[operation.path]))
                kept = data.draw(st.sets(st.sampled_from(sorted(fields)), max_size=3)) if fields else set()
                offered = {key: data.draw(st.sampled_from(each)) for key, each in form.fields.items()}
                fields = offered | {key: fields[key] for key in kept}
                sent["url"] = f"http://localhost{form.action}"
            if data.draw(st.integers(0, 4)):
                fields["token"] = street.tokens[name]
            sent["data"] = fields
            sent.pop("json", None)
        check(street, name, operation.path, sent)

    call()
    by_kind = Counter(status // 100 for (_, status), n in street.answered.items() for _ in range(n))
    print(f"{done} calls: " + ", ".join(f"{kind}xx {n}" for kind, n in sorted(by_kind.items())))
    assert street.faults == []
    assert done >= CALLS
    left_out = {each.path for each in operations} - {path for path, _ in street.answered}
    assert len(left_out) < len(operations) // 4 if CALLS < 1_000 else left_out == set(), left_out
    assert by_kind[2] > CALLS // 40
    assert any(status == 303 for path, status in street.answered if path == "/requests/new") or CALLS < 1_000


def check(street: Street, name: str, path: str, sent: dict[str, Any]) -> None:
    """Makes a call, and looks at its answer."""
    browser = street.browsers[name]
    method, url = sent.pop("method"), sent.pop("url")
    headers = {key: text for key, text in sent.pop("headers", {}).items() if key.lower() in ("accept", "content-type")}
    options = {key: each for key, each in sent.items() if key in ("params", "data", "content", "files")}
    found = browser.client.request(method, url, headers=headers, **options)
    street.answered[path, found.status_code] += 1
    leaks = street.leaks(url.partition("?")[0], found.text, f"{url} {options}")
    if found.status_code >= 500 or leaks:
        street.faults.append(f"{name}: {method} {url} {options}: {found.status_code}, {leaks}")
    if name and (path == "/logout" or found.headers.get("location", "").startswith("/login")):
        street.enter(name)
