"""Retention: what is older than a policy keeps it goes, what the audit and later requests need stays."""

from __future__ import annotations

import dataclasses
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from ordermade import Engine
from ordermade.catalogue.audit import Audit
from ordermade.errors import Refused
from ordermade.service import retention
from ordermade.state import policies, requests, statements, versions
from ordermade.state.audit import AUDIT
from ordermade.state.authority import SHELL
from ordermade.state.changes import StateChanges
from ordermade.state.inspection import verify
from ordermade.state.records.submissions import Revision as StoredRevision
from ordermade.state.records.submissions import Submission
from ordermade.state.replay import replayed
from ordermade.state.submissions import add, comment, get, revise
from ordermade.state.table import PRESENT
from ordermade.state.versions import DatasetVersion
from tests.one_of_each_method import METHODS, provider

pytestmark = pytest.mark.slow

POLICY = """\
dataset: purchases
filters: {apart: 20}
retention: {cache: 30 days, releases: 365 days, requests: 2 years}
"""
NOTHING = retention.Erased("purchases")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder with a state, a policy and two releases, `old.csv` and `other.csv`, and a copy of it.

    Each release is of a row filter of its own.
    """
    place = tmp_path_factory.mktemp("office") / "place"
    place.mkdir()
    engine = provider(place)
    engine.policies.set(POLICY)
    for name, age in (("old", 60), ("other", 30)):
        release = {"to": str(place / f"{name}.csv")}
        asked = {"dataset": "purchases", "k": 5, "where": f"age < {age}", "release": release}
        assert engine.run(asked | dict(METHODS["generalization"])).released
    copy = place.with_name("copy")
    shutil.copytree(place, copy)
    return place, copy


@pytest.fixture
def place(made: tuple[Path, Path]) -> Path:
    """The folder as it was made."""
    place, copy = made
    shutil.rmtree(place)
    shutil.copytree(copy, place)
    return place


@pytest.fixture
def office(place: Path) -> Engine:
    """An engine on the state."""
    return Engine(place / "state.sqlite")


def after(days: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets so many days pass for what is to be erased."""
    monkeypatch.setattr(retention, "utc_now", lambda: statements.utc_now() + timedelta(days=days))


def files(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir() if each.name.startswith(("old.", "other."))}


def is_sound(engine: Engine) -> bool:
    return not verify(engine.state_file.path, SHELL) and Audit(engine.state_file).verify().intact


def test_nothing_is_erased_before_its_time(office: Engine, place: Path) -> None:
    before = files(place)

    found = office.retention.apply()

    assert found.datasets == (NOTHING,)
    assert files(place) == before
    assert office.cache.contents().sets


def test_a_dry_run_lists_what_goes_and_changes_nothing(
    office: Engine, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    after(800, monkeypatch)
    before = {each: each.read_bytes() for each in place.rglob("*") if each.is_file()}

    listed = office.retention.apply(dry_run=True)

    assert before == {each: each.read_bytes() for each in place.rglob("*") if each.is_file()}
    assert (listed.datasets[0].releases, listed.datasets[0].requests) == ((1, 2), (1, 2))
    assert listed.datasets[0].frequency_sets > 0
    done = office.retention.apply()
    assert done == dataclasses.replace(listed, dry_run=False)


def test_what_is_needed_later_stays(office: Engine, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    after(800, monkeypatch)
    before = office.releases.get(1)

    office.retention.apply()

    assert not files(place)
    assert office.cache.contents().version_ids == frozenset()
    assert office.releases.get(1) == dataclasses.replace(before, ended="erased")
    with pytest.raises(Refused, match="erased as the policy"):
        office.releases.verify(1)
    with office.state_file.reading() as connection:
        assert policies.released_filters(connection, "purchases") == ('"age" < 30', '"age" < 60')
        asked = requests.get(connection, 1)
        assert asked.request is None
    assert asked.quasi_identifiers == ()
    assert (asked.title, asked.target_path) == ("erased by policy", None)
    assert asked.request_hash
    assert office.retention.apply().datasets == (NOTHING,)
    (entry,) = [each for each in Audit(office.state_file).list() if each.action == "retention apply"]
    assert entry.subject == "purchases"
    assert (entry.detail or "").startswith("releases 1, 2; requests 1, 2; ")
    assert is_sound(office)


def test_the_offers_of_a_request_go_with_it(office: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = {name: {**each, "to": 0} for name, each in METHODS["generalization"]["quasi_identifiers"].items()}
    release = {"to": "offered.csv"}
    asked = {"dataset": "purchases", "k": 50, "where": "age < 60", "quasi_identifiers": columns, "release": release}
    assert office.offers(asked).offers
    after(800, monkeypatch)

    office.retention.apply()

    with office.state_file.reading() as connection:
        assert connection.execute("SELECT COUNT(*) FROM offer_lists").fetchall() == [(0,)]
    assert is_sound(office)


def test_a_request_stays_as_long_as_its_release(office: Engine, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    office.policies.set(POLICY.replace("releases: 365 days, ", ""))
    after(800, monkeypatch)

    found = office.retention.apply().datasets[0]

    assert (found.releases, found.requests) == ((), ())
    assert office.releases.verify(1).intact


def test_another_file_in_the_place_of_a_release_is_left(
    office: Engine, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    after(400, monkeypatch)
    (place / "old.csv").write_text("something else", encoding="utf-8")
    (place / "other.csv").unlink()

    found = office.retention.apply().datasets[0]

    assert [each.release for each in found.left] == [1]
    assert found.releases == (2,)
    assert (place / "old.csv").read_text(encoding="utf-8") == "something else"


@pytest.mark.parametrize("at", ["releases.note_erased", "old_requests.erase", "cache_ages.erase"])
def test_a_killed_one_is_finished_by_the_next(
    at: str, office: Engine, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    after(800, monkeypatch)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(f"ordermade.service.retention.{at}", killed)
        with pytest.raises(KeyboardInterrupt):
            office.retention.apply()

    assert is_sound(office)
    office.retention.apply()
    assert not files(place)
    assert office.releases.get(2).ended == "erased"
    assert office.cache.contents().version_ids == frozenset()
    assert office.retention.apply(dry_run=True).datasets == (NOTHING,)
    assert is_sound(office)


def test_texts_of_submitted_requests_go_and_the_audit_follows(office: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    now = statements.utc_now()
    asked = Submission(0, "Ages", "purchases", "ann", "withdrawn", 1, now, now)
    with office.state_file.writing() as connection:
        changes = StateChanges(connection, "ann")
        number = add(changes, asked)
        revise(changes, StoredRevision(number, 1, "title: Ages", "h", "m", "it may pass", 0.5, "ann", now))
        comment(changes, get(connection, number), "filter", "why age < 45 alone")
        changes.audited("request submit", str(number))
    after(800, monkeypatch)

    found = office.retention.apply().datasets[0]

    assert found.submitted == (number,)
    with office.state_file.reading() as connection:
        revision, (said,) = get(connection, number).in_force, get(connection, number).comments
        steps = [data for (data,) in AUDIT.read(connection, ("data",), data=PRESENT)]
    assert (revision.request, revision.prediction, revision.request_hash) == ("", "", "h")
    assert (said.about, said.made_by, said.text) == ("filter", "ann", "")
    assert b"why age < 45" not in office.state_file.path.read_bytes()
    assert replayed(steps)["submission_revisions"][number, 1]["request_hash"] == "h"
    assert office.submissions.allowed(number) == ()
    assert is_sound(office)


def test_filters_that_were_erased_are_nowhere_in_the_state(
    office: Engine, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = '"age" < 45'
    finest = {name: {"hierarchy": name, "to": 0} for name in ("age", "place")}
    release = {"to": str(place / "secret.csv")}
    refused = {"dataset": "purchases", "k": 50, "where": secret, "quasi_identifiers": finest, "release": release}
    office.run(refused)
    assert secret.encode() in office.state_file.path.read_bytes()
    now = [each.filter for each in seen(office)]
    office.retention.apply()
    assert [each.filter for each in seen(office)] == now
    mode = office.state_file.path.stat().st_mode
    after(800, monkeypatch)

    office.retention.apply()

    assert secret.encode() not in office.state_file.path.read_bytes()
    assert b"secret.csv" not in office.state_file.path.read_bytes()
    assert office.state_file.path.stat().st_mode == mode
    assert sorted(str(each.filter) for each in seen(office)) == ['"age" < 30', '"age" < 60', "erased by policy"]
    assert is_sound(office)
    office.run(refused)
    assert secret in {each.filter for each in seen(office)}
    assert is_sound(office)


def seen(engine: Engine) -> tuple[DatasetVersion, ...]:
    """The versions of the dataset under any filter."""
    with engine.state_file.reading() as connection:
        return versions.under_any_filter(connection, 1)
