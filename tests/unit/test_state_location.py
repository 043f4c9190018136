"""The state is looked for in the working directory and above, as git looks for `.git`."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from ordermade import StateMissing, initialise
from ordermade.errors import InputError, StateFault
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile
from ordermade.state.location import locate_state, look_up

NOBODY = 65534
pytestmark = pytest.mark.usefixtures("no_state_named")


@pytest.fixture
def no_state_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ORDERMADE_STATE", raising=False)
    monkeypatch.delenv("SUDO_UID", raising=False)


@pytest.fixture
def below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, two folders below one with a state."""
    initialise(tmp_path / ".ordermade" / "state.sqlite")
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.slow
def test_the_nearest_state_above_is_found(below: Path, tmp_path: Path) -> None:
    assert locate_state() == tmp_path / ".ordermade" / "state.sqlite"
    assert look_up().above
    initialise(tmp_path / "a" / ".ordermade" / "state.sqlite")
    assert locate_state() == tmp_path / "a" / ".ordermade" / "state.sqlite"
    initialise(below / ".ordermade" / "state.sqlite")
    assert locate_state() == below / ".ordermade" / "state.sqlite"
    assert not look_up().above


@pytest.mark.slow
def test_what_is_named_goes_first(below: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert locate_state("given.duckdb") == below / "given.duckdb"
    monkeypatch.setenv("ORDERMADE_STATE", "named.duckdb")
    assert locate_state() == below / "named.duckdb"


@pytest.mark.slow
def test_a_folder_without_a_state_in_it_hides_none(below: Path, tmp_path: Path) -> None:
    (below / ".ordermade").mkdir()
    assert locate_state() == tmp_path / ".ordermade" / "state.sqlite"
    (tmp_path / "a" / ".ordermade").write_text("a file")
    assert locate_state() == tmp_path / ".ordermade" / "state.sqlite"


@pytest.mark.slow
def test_a_link_to_nowhere_is_no_reason_to_take_another_state(below: Path) -> None:
    (below / ".ordermade").mkdir()
    (below / ".ordermade" / "state.sqlite").symlink_to("gone.duckdb")
    with pytest.raises(StateMissing, match="no state here"), StateFile(locate_state(), SHELL).reading():
        pass


@pytest.mark.slow
def test_a_linked_working_directory_is_where_it_is(
    below: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = tmp_path_factory.mktemp("elsewhere") / "link"
    link.symlink_to(below)
    monkeypatch.chdir(link)
    assert locate_state() == below.parents[1] / ".ordermade" / "state.sqlite"


@pytest.mark.slow
def test_a_link_of_ones_own_leads_to_a_state_of_anybody(below: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (tmp_path / ".ordermade").rename(other)
    (tmp_path / ".ordermade").symlink_to(other)
    if os.geteuid() == 0:
        os.chown(other / "state.sqlite", NOBODY, NOBODY)
    assert look_up().path == tmp_path / ".ordermade" / "state.sqlite"


@pytest.mark.slow
def test_another_users_folder_ends_the_search(below: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: NOBODY)
    found = look_up()
    assert found.path is None
    assert found.stopped.startswith(f"{tmp_path / 'a'} belongs to another user")
    assert locate_state() == below / ".ordermade" / "state.sqlite"
    with pytest.raises(StateMissing, match=f"nor in a folder above .{tmp_path / 'a'} belongs to another user"):
        StateFile(locate_state(), SHELL).reading().__enter__()


@pytest.mark.slow
def test_the_error_says_that_a_state_was_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    initialise(tmp_path / ".ordermade" / "state.sqlite")
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    monkeypatch.setattr(os, "geteuid", lambda: NOBODY)
    with pytest.raises(StateMissing, match="name its state with --state if you trust it"):
        StateFile(locate_state(), SHELL).reading().__enter__()


@pytest.mark.slow
def test_another_users_state_in_a_folder_of_ones_own_is_refused(below: Path, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    for each in (".ordermade/state.sqlite", ".ordermade"):
        os.chown(tmp_path / each, NOBODY, NOBODY)
        assert "belongs to another user" in look_up().stopped
        os.chown(tmp_path / each, 0, 0)
    assert look_up().path is not None


@pytest.mark.slow
def test_the_working_directory_may_be_anybodys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    initialise(tmp_path / ".ordermade" / "state.sqlite")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: NOBODY)
    assert locate_state() == tmp_path / ".ordermade" / "state.sqlite"


@pytest.mark.slow
def test_sudo_sees_the_callers_folders(below: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    if os.getuid() == 0:
        for each in (tmp_path, tmp_path / "a", tmp_path / ".ordermade", tmp_path / ".ordermade" / "state.sqlite"):
            os.chown(each, NOBODY, NOBODY)
        assert look_up().path is None
        monkeypatch.setenv("SUDO_UID", str(NOBODY))
    else:
        monkeypatch.setenv("SUDO_UID", str(os.getuid()))
    assert look_up().path == tmp_path / ".ordermade" / "state.sqlite"


@pytest.mark.slow
def test_another_file_system_ends_the_search(below: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.stat

    class Elsewhere:
        st_dev, st_uid = -1, os.geteuid()

    monkeypatch.setattr(Path, "stat", lambda self, **options: Elsewhere if self == tmp_path else real(self, **options))
    assert look_up().stopped == f"{tmp_path} is on another file system"


def test_a_working_directory_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    with pytest.raises(InputError, match="the working directory is gone"):
        locate_state()
    with pytest.raises(InputError, match="the working directory is gone"):
        locate_state("relative.duckdb")
    assert locate_state("/absolute.duckdb") == Path("/absolute.duckdb")
    monkeypatch.chdir(tmp_path)


def test_a_folder_that_cannot_be_read_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root becomes another user")
    # Not in the folder of tests: nobody else may go through that.
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        shut = Path(made) / "shut"
        (shut / ".ordermade").mkdir(parents=True)
        (shut / "below").mkdir()
        for each in (shut, shut / "below"):
            os.chown(each, NOBODY, NOBODY)
        (shut / ".ordermade").chmod(0o700)  # of root
        monkeypatch.chdir(shut / "below")
        os.seteuid(NOBODY)
        try:
            found = look_up()
        finally:
            os.seteuid(0)
        assert found.path is None
        assert found.stopped == f"{shut} cannot be read"
        monkeypatch.undo()


@pytest.mark.slow
def test_an_absolute_path_is_where_it_is(below: Path, tmp_path: Path) -> None:
    assert locate_state(tmp_path / "elsewhere.duckdb") == tmp_path / "elsewhere.duckdb"
    assert locate_state(Path("relative.duckdb")) == below / "relative.duckdb"


def test_a_place_that_no_file_system_has_for_a_state_is_named_in_words() -> None:
    with pytest.raises(StateFault) as caught:
        initialise(Path("/proc/state.sqlite"))
    assert "no state can be made here" in caught.value.message
    assert "FileNotFoundError" not in caught.value.message


def test_a_file_in_the_way_of_the_folder_is_named_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StateFault, match="a file is in the way"):
        initialise(tmp_path / "file" / "state.sqlite")
