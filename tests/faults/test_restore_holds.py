"""What a restore of an earlier backup must not undo, and states that are missing or damaged."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from ordermade.errors import StateDamaged
from ordermade.files.private import sha256_of
from ordermade.state import audit, opt_outs, releases
from ordermade.state.authority import SHELL, Authority
from ordermade.state.backup import backup, restore, rewrite
from ordermade.state.database import StateFile
from ordermade.state.inspection import verify
from tests.made import new_state
from tests.noted import a_release
from tests.one_of_each_method import METHODS, provider
from tests.state_by_hand import by_hand

pytestmark = pytest.mark.slow


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return new_state(tmp_path / "state" / "state.sqlite")


def opt_out(path: Path, dataset: str, *persons: str) -> None:
    with StateFile(path, SHELL).writing() as connection:
        opt_outs.add(connection, dataset, persons)


def persons_of(path: Path) -> dict[str, int]:
    with StateFile(path, SHELL).reading() as connection:
        return {name: count for name, count, _ in opt_outs.listed(connection)}


def last_entry(path: Path) -> dict[str, object]:
    with StateFile(path, SHELL).reading() as connection:
        found: dict[str, object] = json.loads(audit.audit_entries(connection, 1)[0].data or "")
    return found


def test_persons_who_opted_out_since_a_backup_stay_out(state: Path, tmp_path: Path) -> None:
    opt_out(state, "visits", "1")
    copy = backup(state, tmp_path / "copy.sqlite", SHELL)
    opt_out(state, "visits", "2", "3")
    opt_out(state, "members", "1")

    made = restore(state, copy, SHELL)

    assert persons_of(state) == {"visits": 3, "members": 1}
    assert made.carried == ("1 opt-out of dataset 'members'", "2 opt-outs of dataset 'visits'")
    assert last_entry(state)["carried"] == list(made.carried)
    opt_out(state, "visits", "2")
    assert persons_of(state)["visits"] == 3
    assert verify(state, SHELL) == ()


def test_a_list_with_another_salt_is_named(state: Path, tmp_path: Path) -> None:
    copy = new_state(tmp_path / "copy.sqlite")
    opt_out(copy, "visits", "1")
    opt_out(state, "visits", "2", "3")

    made = restore(state, copy, SHELL, unrelated=True)

    assert made.carried == ()
    assert made.locked == "the backup is of another state"
    assert made.undone[0] == "all else of the state of before"
    assert "the opt-outs of dataset 'visits'" in made.undone[1]


@pytest.mark.parametrize("damage", ["missing", "folder", "cut", "empty", "no head"])
def test_a_missing_or_damaged_state_is_replaced(state: Path, tmp_path: Path, damage: str) -> None:
    opt_out(state, "visits", "1")
    copy = backup(state, tmp_path / "copy.sqlite", SHELL)
    if damage in ("missing", "folder"):
        state.unlink()
        if damage == "folder":
            state.parent.rmdir()
    elif damage == "no head":
        with by_hand(state) as connection:
            connection.execute("DELETE FROM audit_head")
    else:
        content = state.read_bytes()
        state.write_bytes({"cut": content[: len(content) // 2], "empty": b""}[damage])
    before = state.read_bytes() if state.exists() else None

    made = restore(state, copy, SHELL)

    if damage == "no head":
        assert [each.where for each in verify(made.kept, SHELL)] == ["audit"]
    else:
        assert (None if made.kept is None else made.kept.read_bytes()) == before
    assert persons_of(state) == {"visits": 1}
    assert last_entry(state)["locked"] == made.locked != ""
    assert verify(state, SHELL) == ()


def test_a_journal_beside_a_damaged_state_is_not_taken_into_the_restored_one(state: Path, tmp_path: Path) -> None:
    copy = backup(state, tmp_path / "copy.sqlite", SHELL)
    state.write_bytes(state.read_bytes()[:5_000])
    journal = state.with_name(f"{state.name}-journal")
    journal.write_bytes(b"left")

    made = restore(state, copy, SHELL)

    assert made.kept is not None
    assert not journal.exists()
    assert verify(state, SHELL) == ()


def test_a_database_that_is_no_state_is_never_replaced(state: Path, tmp_path: Path) -> None:
    copy = backup(state, tmp_path / "copy.sqlite", SHELL)
    other = tmp_path / "shop.duckdb"
    with by_hand(other) as connection:
        connection.execute("CREATE TABLE persons (id INTEGER)")
    before = other.read_bytes()

    with pytest.raises(StateDamaged, match="no state"):
        restore(other, copy, SHELL)

    assert other.read_bytes() == before


def test_a_file_that_is_no_state_is_never_replaced(state: Path, tmp_path: Path) -> None:
    copy = backup(state, tmp_path / "copy.sqlite", SHELL)
    notes = tmp_path / "notes.txt"
    notes.write_text("a,b\n" * 1_000, encoding="utf-8")

    with pytest.raises(StateDamaged, match="no state"):
        restore(notes, copy, SHELL)

    assert sorted(each.name for each in tmp_path.iterdir() if each.is_file()) == ["copy.sqlite", "notes.txt"]
    assert notes.read_text(encoding="utf-8") == "a,b\n" * 1_000


@pytest.mark.parametrize("write", [restore, lambda path, _, by: rewrite(path, by)], ids=["restore", "rewrite"])
def test_a_link_goes_on_leading_to_the_state(
    state: Path, tmp_path: Path, write: Callable[[Path, Path, Authority], object]
) -> None:
    copy = backup(state, tmp_path / "copy.sqlite", SHELL)
    before = state.stat().st_ino
    link = tmp_path / "state.sqlite"
    link.symlink_to(state)

    write(link, copy, SHELL)

    assert link.is_symlink()
    assert state.stat().st_ino == before
    assert verify(link, SHELL) == ()


@pytest.mark.skipif(os.geteuid() != 0, reason="a file is given to another user by root alone")
@pytest.mark.parametrize("write", [restore, lambda path, _, by: rewrite(path, by)], ids=["restore", "rewrite"])
def test_a_state_stays_its_owner_s(
    state: Path, tmp_path: Path, write: Callable[[Path, Path, Authority], object]
) -> None:
    copy = backup(state, tmp_path / "copy.sqlite", SHELL)
    os.chown(state, 1234, 1234)

    write(state, copy, SHELL)

    found = state.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (1234, 1234, 0o600)


@pytest.fixture
def released(tmp_path: Path) -> Path:
    """A state with a release to a file, and one to a folder."""
    place = tmp_path / "place"
    place.mkdir()
    engine = provider(place)
    release = {"to": str(place / "out.csv"), "replace": True}
    assert engine.run({"dataset": "purchases", "k": 5, "release": release, **METHODS["generalization"]}).released
    folder = place / "parts"
    folder.mkdir()
    for name in ("one", "two"):
        (folder / name).write_text(name)
    with engine.state_file.writing() as connection:
        noted = a_release(str(folder), kind="folder", sha256=sha256_of(folder), rows=2)
        releases.record(connection, 1, noted)
    return place / "state.sqlite"


def test_a_folder_is_verified_by_its_files(released: Path) -> None:
    assert verify(released, SHELL) == ()
    (released.parent / "parts" / "two").write_text("three")
    assert [each.what for each in verify(released, SHELL)] == ["the file is not as it was written"]


def test_a_backup_is_restored_where_the_file_of_a_release_is_a_later_one(released: Path, tmp_path: Path) -> None:
    copy = backup(released, tmp_path / "copy.sqlite", SHELL)
    (released.parent / "out.csv").write_text("of this month")

    restore(released, copy, SHELL)

    assert len(verify(released, SHELL)) == 1
