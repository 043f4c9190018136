"""`ordermade demo` from outside: what it shows, what it keeps, what it leaves behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PROGRAM = Path(sys.executable).parent / "ordermade"


def demo(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    own = {name: value for name, value in os.environ.items() if name != "ORDERMADE_STATE"}
    return subprocess.run(
        [PROGRAM, "demo", *arguments],
        cwd=folder,
        env={**own, "COLUMNS": "80", "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_demo_shows_five_answers_within_80_columns_and_leaves_nothing_behind(tmp_path: Path) -> None:
    done = demo("--rows", "20000", folder=tmp_path)

    assert done.returncode == 0, done.stderr
    for told in (
        "requests/1-members.yaml",
        "table C knew every node",
        "Refused",
        "Nearest node that passes",
        "k = ",
        "requests/5-predicted-again.yaml",
        "predicted came out",
        "nodes in table C, before and after",
    ):
        assert told in " ".join(done.stdout.split())
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_folder_is_kept_and_goes_on_from_there(tmp_path: Path) -> None:
    kept = tmp_path / "kept"

    done = demo("--rows", "20000", "--folder", "kept", folder=tmp_path)

    assert done.returncode == 0, done.stderr
    assert f"cd {kept}" in done.stdout
    verify = subprocess.run([PROGRAM, "release", "verify", "1"], cwd=kept, capture_output=True, text=True, check=False)
    assert verify.returncode == 0, verify.stderr
    assert "intact" in verify.stdout


@pytest.mark.slow
def test_few_members_are_told_of_and_break_nothing(tmp_path: Path) -> None:
    done = demo("--rows", "30", folder=tmp_path)

    assert done.returncode == 0, done.stderr
    assert "greater than the 30 row(s)" in " ".join(done.stdout.split())


@pytest.mark.parametrize("arguments", [("--rows", "0"), ("--rows", "many")])
def test_bad_number_of_members_is_malformed_input(tmp_path: Path, arguments: tuple[str, str]) -> None:
    done = demo(*arguments, folder=tmp_path)

    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_folder_in_use_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")

    done = demo("--folder", ".", folder=tmp_path)

    assert done.returncode == 2
    assert "empty folder" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
