"""Each entry of the audit that a visit of the portal made has the id that the log has of the visit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ordermade.catalogue.audit import Audit
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile
from ordermade.state.records.audit import AuditEntry
from tests.portal.clinic import clinic, submitted
from tests.portal.office import PASSWORD, PortalOffice

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> PortalOffice:
    return clinic(tmp_path_factory.mktemp("clinic"))


def visits(caplog: pytest.LogCaptureFixture, page: str) -> list[str]:
    """The ids of the visits of a page that the log has."""
    return [each.visit for each in caplog.records if getattr(each, "page", None) == page]


def entries(office: PortalOffice, visit: str) -> list[AuditEntry]:
    found = Audit(StateFile(office.state, SHELL)).list(1_000)
    return [each for each in reversed(found) if each.visit == visit]


def test_a_form_is_in_the_audit_under_the_id_of_its_visit(
    office: PortalOffice, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="ordermade.portal")
    number = submitted(office)
    (login,), (submit,) = visits(caplog, "POST /login"), visits(caplog, "POST /requests/text")
    assert [(each.actor, each.action) for each in entries(office, login)] == [("ann", "user login")]
    made = [(each.actor, each.action, each.subject) for each in entries(office, submit)]
    assert made == [("ann", f"request {move}", str(number)) for move in ("submit", "predict")]
    reviewer = office.browser("rei")
    reviewer.get(f"/reviews/{number}")
    reviewer.post(f"/reviews/{number}/vote", vote="approve", revision=1)
    (vote,) = visits(caplog, "POST /reviews/{number}/vote")
    assert [each.action for each in entries(office, vote)] == ["request review", "request approve"]
    user = office.browser("ann")
    user.get(f"/requests/{number}")
    user.post(f"/requests/{number}/withdraw", revision=1, status="approved")
    (withdraw,) = visits(caplog, "POST /requests/{number}/withdraw")
    assert [(each.actor, each.action) for each in entries(office, withdraw)] == [("ann", "request withdraw")]
    reviewer.get("/")
    reviewer.post("/logout")
    (logout,) = visits(caplog, "POST /logout")
    assert [each.action for each in entries(office, logout)] == ["user logout"]


def test_what_is_done_at_the_shell_is_of_no_visit(office: PortalOffice) -> None:
    office.engine.users.revoke("ann")
    assert Audit(StateFile(office.state, SHELL)).list(1)[0].visit is None


def test_the_hash_of_an_entry_covers_its_visit(tmp_path: Path) -> None:
    office = clinic(tmp_path)
    submitted(office)
    file = StateFile(office.state, SHELL)
    assert Audit(file).verify().intact
    exported = tmp_path / "audit.jsonl"
    Audit(file).export(exported)
    lines = [json.loads(each)["entry"] for each in exported.read_text(encoding="utf-8").splitlines()]
    with_visits = [each["number"] for each in lines if "visit" in each]
    assert with_visits == [each.id for each in reversed(Audit(file).list(1_000)) if each.visit is not None]
    assert len(with_visits) == 3  # the login, and two steps of the request
    with file.writing() as connection:
        connection.execute("UPDATE audit SET visit = 'another' WHERE id = ?", (with_visits[0],))
    assert [each.where for each in Audit(file).verify().findings] == [f"audit {with_visits[0]}"]


def test_a_proxy_that_names_the_user_begins_a_session_in_the_visit(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="ordermade.portal")
    office = clinic(tmp_path, proxies=("testclient",), user_header="X-Remote-User")
    assert office.browser().get("/", headers={"x-remote-user": "ann"}).status_code == 200
    (visit,) = visits(caplog, "GET /")
    assert [each.action for each in entries(office, visit)] == ["user login"]
    assert PASSWORD.format("ann") not in caplog.text
