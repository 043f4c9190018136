"""How visits are served: in few threads, by modules that are there before them, beside others that write."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from fastapi.responses import Response

from ordermade import Engine
from ordermade.demo.office import make_office
from ordermade.portal import routing
from ordermade.portal.application import declared
from ordermade.portal.visits import Visit
from ordermade.service.sessions import sessions_of
from ordermade.state.sessions import SESSIONS
from ordermade.state.statements import utc_now, without_zone
from tests.portal.office import PortalOffice, made

pytestmark = pytest.mark.slow

VISITED = """
import json, sys
from pathlib import Path
from ordermade.portal.application import application
from ordermade.portal.options import PortalOptions
from ordermade.portal.serving import load_ahead
from starlette.testclient import TestClient

app = application(PortalOptions(Path(sys.argv[1])))
load_ahead()
before, late = set(sys.modules), {}
for secret, paths in json.loads(sys.argv[2]).items():
    client = TestClient(app, base_url="http://localhost", cookies={"ordermade": secret}, follow_redirects=False)
    for path in paths:
        status = client.get(path).status_code
        late[path] = [status, sorted(each for each in set(sys.modules) - before if each.startswith("ordermade."))]
        before = set(sys.modules)
print(json.dumps(late))
"""
NOT_LOOKED_AT = ("/login", "/static", "/language", "/requests/{number}/offer")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return Engine(make_office(tmp_path_factory.mktemp("serving") / "demo", rows=2_000).state)


@pytest.fixture
def office(tmp_path: Path) -> PortalOffice:
    return made(tmp_path)


def test_no_visit_waits_for_a_module_to_be_imported(demo: Engine) -> None:
    delivered = next(each.id for each in demo.submissions.list() if each.status == "delivered")
    paths: dict[str, list[str]] = {"hana": [], "rei": []}
    for each in declared():
        if each.method == "GET" and not each.path.startswith(NOT_LOOKED_AT):
            path = each.path.replace("{number}", str(delivered)).replace("{name:path}", "members")
            name = "rei" if path.startswith("/reviews") else "hana"
            paths[name].append(f"{path}?dataset=members" if path == "/requests/new" else path)
    sessions = sessions_of(demo.state_file)
    given = {sessions.enter(name): listed for name, listed in paths.items()}
    code = [sys.executable, "-W", "ignore", "-c", VISITED, str(demo.state_file.path), json.dumps(given)]
    late = json.loads(subprocess.run(code, capture_output=True, text=True, check=True).stdout)
    assert {path: modules for path, (_, modules) in late.items() if modules} == {}
    assert sum(status == 200 for status, _ in late.values()) >= 12


@pytest.mark.parametrize(("method", "most"), [("GET", routing.PAGES_AT_ONCE), ("POST", routing.FORMS_AT_ONCE)])
def test_few_visits_are_answered_at_once(
    office: PortalOffice, method: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, now, lock = [0], Counter[str](), threading.Lock()

    def counted(page: routing.DeclaredPage, visit: Visit, **given: object) -> Response:
        with lock:
            now[page.method] += 1
            seen.append(now[method])
        time.sleep(0.02)
        with lock:
            now[page.method] -= 1
        return answer(page, visit, **given)

    answer = routing.DeclaredPage._answer
    monkeypatch.setattr(routing.DeclaredPage, "_answer", counted)
    with office.browser("ann").client as client, ThreadPoolExecutor(8) as threads:
        sent = [threads.submit(client.request, method, "/requests/new") for _ in range(16)]
        assert {each.result().status_code for each in sent} == {200 if method == "GET" else 403}
    assert max(seen) == most


def test_a_page_does_not_wait_to_note_that_its_session_is_used(
    office: PortalOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_pause(_: float) -> None:
        raise AssertionError("a page waited for a process that writes")

    browser, state = office.browser("ann"), office.engine.state_file
    with state.writing() as connection:
        [(number, used)] = SESSIONS.read(connection, ("id", "used_at"))
        SESSIONS.update(connection, {"id": number}, used_at=without_zone(used) - timedelta(minutes=15))
    with monkeypatch.context() as patched, state.writing():
        patched.setattr("ordermade.progress.waiting.time.sleep", no_pause)
        assert browser.get("/").status_code == 200
    assert _used_at(office) < utc_now() - timedelta(minutes=10)
    assert browser.get("/").status_code == 200
    assert _used_at(office) > utc_now() - timedelta(minutes=10)


def _used_at(office: PortalOffice) -> datetime:
    with office.engine.state_file.reading() as connection:
        [(used,)] = SESSIONS.read(connection, ("used_at",))
    return without_zone(used)
