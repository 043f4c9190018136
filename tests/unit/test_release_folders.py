"""Releases that are folders: their hash, their name, and what has it before."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from ordermade.errors import InputError, ReleaseFault
from ordermade.files.private import give_name, sha256_of
from ordermade.release.files import check_target, manifest_of
from ordermade.release.folders import StagedFolder


def folder(path: Path, **files: str) -> Path:
    path.mkdir()
    for name, text in files.items():
        (path / name).write_text(text, encoding="utf-8")
    return path


def texts(path: Path) -> dict[str, str]:
    return {each.name: each.read_text(encoding="utf-8") for each in path.iterdir()}


def test_the_hash_of_a_folder_is_that_of_the_hashes_and_names_of_its_files(tmp_path: Path) -> None:
    made = folder(tmp_path / "made", b="two", a="one")
    lines = "".join(f"{hashlib.sha256(text).hexdigest()}  {name}\n" for name, text in (("a", b"one"), ("b", b"two")))
    assert sha256_of(made) == hashlib.sha256(lines.encode()).hexdigest()
    (made / "b").rename(made / "c")
    assert sha256_of(made) != hashlib.sha256(lines.encode()).hexdigest()


def test_a_folder_gets_its_name_once_and_a_second_call_changes_nothing(tmp_path: Path) -> None:
    made, name = folder(tmp_path / "made", a="new"), tmp_path / "name"
    give_name(made, name, replace=True)
    give_name(made, name, replace=True)
    assert texts(name) == {"a": "new"}


def test_a_folder_takes_the_place_of_another_whole(tmp_path: Path) -> None:
    made, name = folder(tmp_path / "made", a="new"), folder(tmp_path / "name", a="old", b="old")
    give_name(made, name, replace=True)
    assert texts(name) == {"a": "new"}
    assert texts(tmp_path / "made.gone") == {"a": "old", "b": "old"}


def test_after_a_kill_between_its_two_renames_a_folder_gets_its_name(tmp_path: Path) -> None:
    made, name = folder(tmp_path / "made", a="new"), folder(tmp_path / "name", a="old")
    name.rename(tmp_path / "made.gone")
    give_name(made, name, replace=True)
    give_name(made, name, replace=True)
    assert texts(name) == {"a": "new"}


def test_a_folder_takes_no_others_place_unasked(tmp_path: Path) -> None:
    made, name = folder(tmp_path / "made", a="new"), folder(tmp_path / "name", a="old")
    with pytest.raises(FileExistsError):
        give_name(made, name, replace=False)
    assert texts(name) == {"a": "old"}


def test_folders_and_files_are_not_taken_for_one_another(tmp_path: Path) -> None:
    file, there = tmp_path / "file.parquet", folder(tmp_path / "there.parquet")
    file.touch()
    with pytest.raises(InputError, match="this is a folder, not a file"):
        check_target(there)
    with pytest.raises(InputError, match="this is a file, not a folder"):
        check_target(file, kind="folder")
    with pytest.raises(InputError, match="no release"):
        check_target(there, kind="folder")
    manifest_of(there).touch()
    check_target(there, kind="folder")


def test_a_staged_folder_loses_the_notes_of_its_source_and_must_stay_as_it_is(tmp_path: Path) -> None:
    made = folder(tmp_path / "made", **{"part-0.parquet": "x", "_SUCCESS": "", ".part-0.parquet.crc": ""})
    staged = StagedFolder(tmp_path / "name", made, 0o640)
    with pytest.raises(ReleaseFault, match="changed"):
        staged.require_untouched()  # it is not finished
    staged.finish()
    assert texts(made) == {"part-0.parquet": "x"}
    assert staged.sha256() == sha256_of(made)
    (made / "part-1.parquet").touch()
    with pytest.raises(ReleaseFault, match="changed"):
        staged.seal()
    (made / "part-1.parquet").unlink()
    staged.seal()
    assert made.stat().st_mode & 0o777 == 0o750
    assert (made / "part-0.parquet").stat().st_mode & 0o777 == 0o640


def test_a_folder_that_is_not_there_for_the_engine_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReleaseFault, match="not there for the engine"):
        StagedFolder(tmp_path / "name", tmp_path / "made").finish()
