"""An edit by somebody who makes the seals fit: the audit, replayed, does not give the rows that are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from ordermade import Engine
from ordermade.catalogue.audit import Audit
from ordermade.state import seals
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile
from ordermade.state.inspection import verify
from tests.made import new_state
from tests.state_by_hand import by_hand

EDITS = {
    "UPDATE users SET roles = '[\"provider\",\"reviewer\"]' WHERE name = 'rei'": ("users 2", "roles"),
    "UPDATE tokens SET expires_at = '2099-01-01 00:00:00.000000'": ("tokens 1", "expires_at"),
    "DELETE FROM tokens": ("tokens 1", "in the audit alone"),
    "INSERT INTO users SELECT 9, 'eve', roles, added_at, NULL, NULL FROM users LIMIT 1": (
        "users 9",
        "not in the audit",
    ),
}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    path = new_state(tmp_path / "state.sqlite")
    engine = Engine(path)
    engine.users.add("ann", ["data-user"])
    engine.users.add("rei", ["reviewer"])
    engine.users.token("rei")
    return path


@pytest.mark.slow
def test_what_commands_wrote_is_what_their_steps_give(state: Path) -> None:
    assert Audit(StateFile(state, SHELL)).verify().intact


@pytest.mark.slow
@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_with_seals_that_fit_is_named(state: Path, edit: str) -> None:
    where, what = EDITS[edit]
    with by_hand(state) as connection:
        connection.execute(edit)
        connection.execute("DELETE FROM seals")
        seals.seal_rows(connection)
    assert verify(state, SHELL) == ()
    (found,) = Audit(StateFile(state, SHELL)).verify().findings
    assert (found.where, what in found.what) == (where, True)
