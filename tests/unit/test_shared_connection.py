"""The transactions of one request share a connection to the state, and see what becomes of it between them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ordermade import Engine
from ordermade.errors import Refused, StateFault, StateMissing, StateNewer
from ordermade.state import database
from ordermade.state.audit import add_audit_entry, audit_entries
from ordermade.state.authority import SHELL, OfUser, hash_of
from ordermade.state.connection import StateConnection, connect
from ordermade.state.database import StateFile
from tests.made import new_state
from tests.state_by_hand import by_hand


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return new_state(tmp_path / "state.sqlite")


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses of the connections that are opened."""
    found: list[str] = []

    def counted(address: str) -> StateConnection:
        found.append(address)
        return connect(address)

    monkeypatch.setattr(database, "connect", counted)
    return found


def note(state: StateFile, action: str) -> None:
    with state.writing() as connection:
        add_audit_entry(connection, action, "state")


def actions(state: StateFile) -> list[str]:
    with state.reading() as connection:
        return [each.action for each in audit_entries(connection)]


def test_one_connection_serves_all_transactions(state: Path, opened: list[str]) -> None:
    with StateFile(state, SHELL).sharing() as shared:
        assert opened == []
        note(shared, "first")
        assert actions(shared) == ["first"]
        note(shared, "second")
        assert len(opened) == 1
    assert actions(shared) == ["second", "first"]  # a result may look into the state later
    assert len(opened) == 2


def test_a_transaction_within_another_takes_its_own(state: Path, opened: list[str]) -> None:
    with StateFile(state, SHELL).sharing() as shared, shared.reading() as outer:
        before = audit_entries(outer)
        assert actions(shared) == []
        assert audit_entries(outer) == before
    assert len(opened) == 2


@pytest.mark.parametrize("stop", [KeyboardInterrupt, ValueError])
def test_an_exception_rolls_back_and_the_next_goes_on(state: Path, stop: type[BaseException]) -> None:
    def stopped(shared: StateFile) -> None:
        with shared.writing() as connection:
            add_audit_entry(connection, "never", "state")
            raise stop

    with StateFile(state, SHELL).sharing() as shared:
        with pytest.raises(stop):
            stopped(shared)
        assert actions(shared) == []
        note(shared, "next")
    assert actions(StateFile(state, SHELL)) == ["next"]


def test_what_reads_cannot_write(state: Path) -> None:
    with StateFile(state, SHELL).sharing() as shared:
        note(shared, "first")
        with pytest.raises(StateFault), shared.reading() as connection:
            connection.execute("DELETE FROM audit")
        note(shared, "second")
        assert actions(shared) == ["second", "first"]


def test_a_state_that_was_put_in_place_meanwhile_is_the_one_that_is_read(state: Path, tmp_path: Path) -> None:
    other = new_state(tmp_path / "other.sqlite")
    note(StateFile(other, SHELL), "other")
    with StateFile(state, SHELL).sharing() as shared:
        note(shared, "first")
        other.replace(state)
        assert actions(shared) == ["other"]
        state.unlink()
        with pytest.raises(StateMissing):
            actions(shared)


def test_a_state_that_was_migrated_meanwhile_is_refused(state: Path) -> None:
    with StateFile(state, SHELL).sharing() as shared:
        note(shared, "first")
        with by_hand(state) as connection:
            connection.execute("CREATE TABLE later (id INTEGER)")
            connection.execute(
                "INSERT INTO migrations SELECT MAX(number) + 1, 'later', 'f0', MAX(applied_at) FROM migrations"
            )
        with pytest.raises(StateNewer):
            note(shared, "second")


def test_a_token_that_was_revoked_meanwhile_is_refused(state: Path) -> None:
    engine = Engine(state)
    engine.users.add("pia", ["provider"])
    token = engine.users.token("pia").secret
    with StateFile(state, OfUser(hash_of(token))).sharing() as shared:
        assert "user add" in actions(shared)
        engine.users.revoke("pia")
        with pytest.raises(Refused):
            actions(shared)
