"""The edges of publishing: paths, names that are taken, what a run leaves behind, and who may read it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import InputError, OrdermadeError, Refused, ReleaseFault, RequestError
from ordermade.files.private import SPILL, OwnFolder, is_alive, sha256_of, taken
from ordermade.methods.shared import published, publishing
from ordermade.methods.shared.existing_release import ReturnedResult
from ordermade.release import files as staging
from ordermade.release.files import manifest_of
from ordermade.state.location import runs_folder
from ordermade.state.runs import Run, alive
from tests.conformance.prepared import copied, prepare
from tests.long import sampled
from tests.made import Row

pytestmark = pytest.mark.slow

COLUMNS = {"age": "INTEGER", "plan": "VARCHAR", "id": "INTEGER"}
ROWS: list[Row] = [(i % 4 + 1, "basic" if i % 3 else None, i) for i in range(48)]
AGES = ("value", "half"), [("1", "low"), ("2", "low"), ("3", "high"), ("4", "high")]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare(tmp_path_factory.mktemp("prepared"), COLUMNS, ROWS, {"age": AGES}, writable=True)


@pytest.fixture
def engine(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    made = copied(prepared, tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return made


def asked(to: str | Path | dict[str, str] = "out/r.parquet", k: int = 5, **more: Any) -> dict[str, Any]:
    release = {"to": to if isinstance(to, dict) else str(to), **more.pop("release", {})}
    return {"dataset": "d", "k": k, "quasi_identifiers": {"age": {"hierarchy": "age"}}, "release": release, **more}


def names_in(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()} if folder.exists() else set()


# ---- one absolute path ----------------------------------------------------------------------------------------------


def test_a_tilde_is_the_home_folder_for_everybody(engine: Engine, tmp_path: Path) -> None:
    result = engine.run(asked("~/deep/r.parquet"))
    released = tmp_path / "home" / "deep" / "r.parquet"
    assert result.release is not None
    assert result.release.path == str(released)
    assert sha256_of(released) == result.release.sha256
    assert duckdb.read_parquet(str(released)).count("*").fetchall() == [(48,)]
    assert not (tmp_path / "~").exists()
    assert names_in(released.parent) == {"r.parquet", "r.parquet.manifest.json"}
    assert engine.releases.verify(1).intact


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("file:/tmp/r.parquet", "not to a URL"),
        ("FILE:///tmp/r.parquet", "not to a URL"),
        ("s3://bucket/r.parquet", "not to a URL"),
        ("out/\u202egro.parquet", "right-to-left override"),
        ("out/\u200fr.parquet", "right-to-left mark"),
        ("out/a\nb.parquet", "U+000A"),
        ("out/a\u2028b.parquet", "line separator"),
        ("out/a\x00b.parquet", "U+0000"),
        ("~nobody-of-this-name/r.parquet", "home folder"),
    ],
)
def test_paths_that_mislead_are_refused_by_name(engine: Engine, path: str, said: str) -> None:
    with pytest.raises(RequestError) as refused:
        engine.run(asked(path))
    assert said in refused.value.message
    assert path not in refused.value.message
    assert engine.requests.list() == ()


def test_a_map_goes_by_the_same_rules(engine: Engine, tmp_path: Path) -> None:
    history = {"customer": "id", "when": "age", "item": "plan", "map": "file:/tmp/map.csv"}
    with pytest.raises(RequestError, match="not to a URL"):
        engine.check({"dataset": "d", "method": "history", "k": 5, "history": history, "release": {"to": "o.csv"}})
    assert names_in(tmp_path / "home") == set()


# ---- rows are written to the folder that was made, whatever has its path ---------------------------------------------


def swapped(workshop: Path, name: str) -> Path:
    """A file of anybody's at `name` in the place of a private folder, with a second name that stays."""
    workshop.rename(workshop.with_name("made before"))
    workshop.mkdir()
    other = workshop / name
    other.touch()
    stolen = workshop.with_name("stolen")
    os.link(other, stolen)
    return stolen


@pytest.mark.parametrize("name", ["r.parquet", "r.csv", "r.csv.gz", "r.xlsx"])
def test_no_rows_are_written_into_a_folder_that_took_the_place_of_the_private_one(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    made, stolen = staging.StagedFile.made.__func__, []  # type: ignore[attr-defined]

    def then_swapped(run: Run, target: Path, *mode: int) -> Any:
        found = made(staging.StagedFile, run, target, *mode)
        if not stolen:
            stolen.append(swapped(found.path.parent, target.name))
        return found

    monkeypatch.setattr(staging.StagedFile, "made", then_swapped)
    with pytest.raises(ReleaseFault):
        engine.run(asked(f"out/{name}"))
    assert stolen[0].read_bytes() == b""
    assert not list((tmp_path / "out" / "made before").glob("*"))
    assert engine.releases.list() == ()


def test_no_rows_for_a_table_are_written_into_a_folder_that_took_the_place_of_the_private_one(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, stolen = publishing.new_private_file, []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def then_swapped(path: Path) -> int:
        found = made(path)
        stolen.append(swapped(path.parent.resolve(), path.name))
        return found

    monkeypatch.setattr(publishing, "new_private_file", then_swapped)
    with pytest.raises(OrdermadeError):
        engine.run(asked({"table": "out"}))
    assert stolen[0].read_bytes() == b""


def test_a_folder_of_another_owner_is_not_written_to(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OwnFolder, "has_made", lambda *_: False)
    with pytest.raises(ReleaseFault, match="another folder took the place"):
        engine.run(asked())
    assert names_in(tmp_path / "out") == set()


# ---- the file that is measured is the file that is published --------------------------------------------------------


@pytest.mark.parametrize("change", ["append", "replace"])
def test_a_file_that_changes_after_it_was_measured_is_not_published(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    measure = publishing.measure_file

    def then_changed(path: Path, *arguments: Any, **more: Any) -> Any:
        found = measure(path, *arguments, **more)
        if change == "append":
            path.write_bytes(path.read_bytes() + b" ")
        else:
            other = path.with_suffix(".other")
            other.write_bytes(path.read_bytes())
            other.replace(path)
        return found

    monkeypatch.setattr(publishing, "measure_file", then_changed)
    with pytest.raises(ReleaseFault, match="nothing was released"):
        engine.run(asked())
    assert names_in(tmp_path / "out") == set()
    assert [each.status for each in engine.requests.list()] == ["failed"]


def test_what_is_being_made_has_a_name_that_nobody_foresees_and_follows_no_link(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Path] = []
    measure = publishing.measure_file

    def noted(path: Path, *arguments: Any, **more: Any) -> Any:
        seen.append(path.parent.resolve())
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700
        return measure(path, *arguments, **more)

    monkeypatch.setattr(publishing, "measure_file", noted)
    engine.run(asked("out/a.csv"))
    engine.run(asked("out/b.csv"))
    assert len({each.name for each in seen}) == 2
    assert all(str(os.getpid()) != each.name.split("-")[-1] for each in seen)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        staging.new_private_file(link)
    assert not (tmp_path / "elsewhere").exists()


# ---- names that are taken -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["out/r.parquet", "out/r.parquet.manifest.json"])
def test_a_file_that_appears_while_the_request_runs_is_left(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    measure = publishing.measure_file

    def then_taken(*arguments: Any, **more: Any) -> Any:
        found = measure(*arguments, **more)
        Path(name).write_text("theirs", encoding="utf-8")
        return found

    monkeypatch.setattr(publishing, "measure_file", then_taken)
    with pytest.raises(InputError, match="appeared while the request ran"):
        engine.run(asked())
    assert names_in(tmp_path / "out") == {Path(name).name}
    assert Path(name).read_text(encoding="utf-8") == "theirs"
    assert engine.releases.list() == ()
    assert [each.status for each in engine.requests.list()] == ["failed"]


def test_a_file_that_appears_at_the_last_moment_is_left_and_the_release_withdrawn(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    carry_out = published.carry_out

    def taken_first(move: Any) -> None:
        if move.name.endswith(".parquet"):
            Path(move.name).write_text("theirs", encoding="utf-8")
        carry_out(move)

    monkeypatch.setattr(published, "carry_out", taken_first)
    with pytest.raises(InputError, match="appeared while the request ran"):
        engine.run(asked())
    assert Path("out/r.parquet").read_text(encoding="utf-8") == "theirs"
    (release,) = engine.releases.list()
    assert release.standing == "withdrawn"
    with pytest.raises(Refused, match="withdrawn"):
        engine.releases.verify(1)
    assert [each.status for each in engine.requests.list()] == ["failed"]
    assert names_in(tmp_path / "out") == {"r.parquet"}


@pytest.mark.parametrize("kind", sampled(["named pipe", "folder", "symbolic link", "socket"], 2))
@pytest.mark.parametrize("replace", [True, False])
def test_only_a_regular_file_may_have_the_name(engine: Engine, tmp_path: Path, kind: str, replace: bool) -> None:
    target = tmp_path / "out" / "r.csv"
    target.parent.mkdir()
    if kind == "named pipe":
        os.mkfifo(target)
    elif kind == "folder":
        target.mkdir()
    elif kind == "symbolic link":
        target.symlink_to(tmp_path / "elsewhere.csv")
    else:
        import socket

        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.path.relpath(target))
    with pytest.raises(InputError, match=f"this is a {kind}"):
        engine.run(asked(target, release={"replace": replace}))
    assert names_in(target.parent) == {"r.csv"}
    assert engine.requests.list() == ()


def test_an_existing_file_is_refused_without_replace_and_replaced_with_it(engine: Engine, tmp_path: Path) -> None:
    target = tmp_path / "r.csv"
    target.write_text("theirs", encoding="utf-8")
    with pytest.raises(InputError, match="a file of this name already") as refused:
        engine.run(asked(target))
    assert "replace: true" in refused.value.next_step
    engine.run(asked(target, release={"replace": True}))
    assert engine.releases.verify(1).intact


def test_files_that_the_engine_works_with_are_never_replaced(engine: Engine, tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_text("age\n" + "1\n2\n" * 10, encoding="utf-8")
    engine.sources.add("files", str(tmp_path / "dat*.csv"))
    before = data.read_bytes()
    with pytest.raises(InputError, match="a registered source"):
        engine.run(asked(data, release={"replace": True}))
    assert data.read_bytes() == before


def test_another_request_supersedes_only_with_replace(engine: Engine, tmp_path: Path) -> None:
    engine.run(asked())
    with pytest.raises(InputError, match="a file of this name already"):
        engine.run(asked(k=13))
    assert engine.releases.verify(1).intact
    engine.run(asked(k=13, release={"replace": True}))
    assert [each.standing for each in engine.releases.list()] == ["stands", "superseded by 2"]
    with pytest.raises(Refused, match="superseded by release 2"):
        engine.releases.verify(1)
    assert engine.releases.verify(2).intact
    with pytest.raises(InputError, match="a file of this name already"):
        engine.run(asked(), again=True)


@pytest.mark.parametrize("to", ["out/r.parquet", "out/r.csv.gz", {"table": "out"}])
def test_the_same_request_returns_the_release_that_stands(engine: Engine, tmp_path: Path, to: Any) -> None:
    first = engine.run(asked(to, keep=["plan"]))
    files = {each: each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()}
    second = engine.run(asked(to, keep=["plan"], title="by another title"))
    assert isinstance(second, ReturnedResult)
    assert (second.request, second.returned, second.k, second.divisions) == (1, 1, first.k, first.divisions)
    assert (dict(second.levels), dict(second.loss)) == (dict(first.levels), pytest.approx(dict(first.loss)))
    assert second.release == first.release
    assert {each: each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()} == files
    assert len(engine.requests.list()) == 1
    third = engine.run(asked(to, keep=["plan"]), again=True)
    assert (third.request, third.released) == (2, True)
    assert [each.standing for each in engine.releases.list()] == ["stands", "superseded by 2"]


def test_a_release_that_no_longer_verifies_is_not_returned(engine: Engine, tmp_path: Path) -> None:
    engine.run(asked("r.csv"))
    (tmp_path / "r.csv").write_text("age\n1\n", encoding="utf-8")
    with pytest.raises(InputError, match="it is not what was released: `--again`"):
        engine.run(asked("r.csv"))
    engine.run(asked("r.csv"), again=True)
    assert engine.releases.verify(2).intact
    (tmp_path / "r.csv").unlink()
    (tmp_path / "r.csv.manifest.json").unlink()
    assert engine.run(asked("r.csv")).request == 3


def test_a_changed_dataset_or_hierarchy_does_not_return_the_release(engine: Engine, tmp_path: Path) -> None:
    engine.run(asked("r.csv"))
    ages = tmp_path / "other.csv"
    ages.write_text("value,part\n1,a\n2,a\n3,a\n4,b\n", encoding="utf-8")
    engine.hierarchies.add("age", ages, "header")
    with pytest.raises(InputError, match="a hierarchy has changed"):
        engine.run(asked("r.csv"))
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute("INSERT INTO persons SELECT * FROM persons")
    with pytest.raises(InputError, match="the dataset has changed"):
        engine.run(asked("r.csv"))


def test_a_table_is_superseded_only_with_replace(engine: Engine) -> None:
    engine.run(asked({"table": "out"}))
    with pytest.raises(InputError, match="a release of that name already"):
        engine.run(asked({"table": "out"}, k=13))
    engine.run(asked({"table": "out"}, k=13, release={"replace": True}))
    assert [each.standing for each in engine.releases.list()] == ["stands", "superseded by 2"]
    assert engine.releases.verify(2).intact


# ---- who may read it ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("umask", [0o000, 0o777])
@pytest.mark.parametrize(("mode", "kept"), [(None, 0o600), ("0644", 0o644), ("640", 0o640)])
def test_a_release_has_the_mode_that_was_asked_for_whatever_the_umask(
    engine: Engine, tmp_path: Path, umask: int, mode: str | None, kept: int
) -> None:
    before = os.umask(umask)
    try:
        engine.run(asked(release={} if mode is None else {"mode": mode}))
    finally:
        os.umask(before)
    for each in (tmp_path / "out").iterdir():
        assert each.stat().st_mode & 0o777 == kept
    assert engine.releases.verify(1).intact


@pytest.mark.parametrize("mode", ["0444", "0060", "0900", "rw-r--r--", "4755"])
def test_a_mode_that_is_none_is_refused(engine: Engine, mode: str) -> None:
    with pytest.raises(RequestError, match="mode"):
        engine.run(asked(release={"mode": mode}))


# ---- what a killed process leaves -----------------------------------------------------------------------------------

CHILD = """
import json, os, signal, sys
from pathlib import Path
from ordermade import Engine
from ordermade.methods.shared import published, publishing, recorder

state, where, request = sys.argv[1:]

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

if where == "measured":
    publishing.measure_file = die
elif where == "recorded":
    published.Published.carry_out = die
elif where == "first move":
    real = published.carry_out
    def once(move):
        real(move)
        die()
    published.carry_out = once
elif where == "decided":
    recorder.Recorder._note_end = die
Engine(Path(state)).run(json.loads(request))
"""


def killed(engine: Engine, where: str, to: str | dict[str, str]) -> None:
    """Runs the request in a process that is killed at a moment."""
    command = [sys.executable, "-c", CHILD, str(engine.state_file.path), where, json.dumps(asked(to))]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr


@pytest.mark.parametrize("where", ["measured", "decided", "recorded", "first move"])
def test_after_a_kill_the_next_command_finishes_the_release_or_removes_it(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    spilled = tmp_path / "spilled"  # other tests have folders in the temporary one of all
    spilled.mkdir()
    monkeypatch.setenv("TMPDIR", str(spilled))
    monkeypatch.setattr(tempfile, "tempdir", str(spilled))
    killed(engine, where, "out/r.parquet")
    (request,) = engine.requests.list()
    released = where in ("recorded", "first move")
    assert request.status == ("released" if released else "interrupted")
    assert names_in(tmp_path / "out") == ({"r.parquet", "r.parquet.manifest.json"} if released else set())
    if released:
        assert engine.releases.verify(1).intact
    assert names_in(tmp_path / "state") <= {"state.sqlite", "cache.duckdb", "ledger.sqlite"}
    assert not [each for each in spilled.glob(f"{SPILL}*") if not _is_locked(each)]
    assert alive(engine.state_file.path) == frozenset()


@pytest.mark.parametrize("where", ["measured", "decided", "recorded"])
def test_after_a_kill_a_table_that_was_not_committed_is_withdrawn(engine: Engine, tmp_path: Path, where: str) -> None:
    killed(engine, where, {"table": "out"})
    (request,) = engine.requests.list()
    assert request.status == ("failed" if where == "recorded" else "interrupted")
    assert [each.standing for each in engine.releases.list()] == (["withdrawn"] if where == "recorded" else [])
    with duckdb.connect(str(tmp_path / "s.duckdb"), read_only=True) as connection:
        assert connection.execute("SHOW TABLES").fetchall() == [("persons",)]
    assert engine.run(asked({"table": "out"})).released


def test_a_name_that_was_taken_after_a_kill_is_left_and_the_release_withdrawn(engine: Engine, tmp_path: Path) -> None:
    killed(engine, "recorded", "out/r.parquet")
    (tmp_path / "out" / "r.parquet").write_text("theirs", encoding="utf-8")
    (release,) = engine.releases.list()
    assert release.standing == "withdrawn"
    assert (tmp_path / "out" / "r.parquet").read_text(encoding="utf-8") == "theirs"


def _is_locked(folder: Path) -> bool:
    from ordermade.files.private import is_alive

    return is_alive(folder)


def test_what_a_living_process_has_is_left_alone(engine: Engine, tmp_path: Path) -> None:
    run = Run(engine.state_file.path)
    run.begin()
    workshop = run.workshop(tmp_path).path
    (workshop / "data").touch()
    assert engine.requests.list() == ()
    assert workshop.exists()
    assert alive(engine.state_file.path) == {run.name}
    run.end()
    assert not workshop.exists()
    assert alive(engine.state_file.path) == frozenset()


@pytest.mark.parametrize("removes", [True, False], ids=["removes it", "looks at it alone"])
def test_a_folder_that_another_process_locks_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, removes: bool
) -> None:
    real = Path.mkdir
    others: list[threading.Timer] = []

    def locked_first(self: Path, *args: Any, **kwargs: Any) -> None:
        real(self, *args, **kwargs)
        if others:
            return
        lock = taken(self)
        assert lock is not None
        other = OwnFolder(self, lock)
        others.append(threading.Timer(0.05, other.remove if removes else other.leave))
        others[0].start()

    monkeypatch.setattr(Path, "mkdir", locked_first)
    made = OwnFolder.made(tmp_path / "own")
    others[0].join()
    assert made.path.is_dir()
    assert is_alive(made.path)
    made.remove()
    assert not made.path.exists()


def test_a_folder_that_is_removed_before_it_is_opened_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.mkdir
    times: list[Path] = []

    def removed_once(self: Path, *args: Any, **kwargs: Any) -> None:
        real(self, *args, **kwargs)
        times.append(self)
        if len(times) == 1:
            self.rmdir()

    monkeypatch.setattr(Path, "mkdir", removed_once)
    made = OwnFolder.made(tmp_path / "own")
    assert len(times) == 2
    assert is_alive(made.path)
    made.remove()


def test_a_private_folder_goes_where_the_one_above_it_was_swapped_for_another(tmp_path: Path) -> None:
    out, other = tmp_path / "out", tmp_path / "other"
    out.mkdir()
    other.mkdir()
    made = OwnFolder.made(out / "own")
    (made.path / "deep").mkdir()
    for name in ("released", "deep/released"):
        (made.path / name).write_text("of persons")
    (other / made.path.name).mkdir()
    out.rename(tmp_path / "swapped")
    out.symlink_to(other)
    made.remove()
    assert names_in(tmp_path / "swapped") == set()


def test_a_journal_that_cannot_be_read_is_said_and_left(engine: Engine) -> None:
    folder = runs_folder(engine.state_file.path) / "f0f0"
    folder.mkdir(parents=True)
    (folder / "journal.json").write_text("{", encoding="utf-8")
    said: list[str] = []
    assert Engine(engine.state_file.path, notice=said.append).requests.list() == ()
    assert any("journal" in each for each in said)
    assert folder.exists()


def test_no_manifest_names_the_folder_it_was_made_in(engine: Engine, tmp_path: Path) -> None:
    engine.run(asked())
    manifest = json.loads(manifest_of(tmp_path / "out" / "r.parquet").read_text(encoding="utf-8"))
    assert not any(".ordermade-" in each for each in manifest["sql"])
    assert any("r.parquet" in each for each in manifest["sql"])


def test_a_full_disk_at_the_last_moment_withdraws_the_release(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(published, "give_name", full)
    with pytest.raises(OrdermadeError, match="No space left"):
        engine.run(asked())
    assert [each.standing for each in engine.releases.list()] == ["withdrawn"]
    assert names_in(tmp_path / "out") == set()
