"""`ordermade demo` from outside: what it shows, what it keeps, what it leaves behind."""

from __future__ import annotations

import os
import subprocess
import sys
import unicodedata
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
        "table C had every node",
        "Refused",
        "Nearest node that passes",
        "k = ",
        "requests/5-predicted-again.yaml",
        "predicted result",
        "nodes in table C, before and after",
    ):
        assert told in " ".join(done.stdout.split())
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert list(tmp_path.iterdir()) == []


@pytest.mark.thorough
def test_demo_of_recommendation_shows_two_releases_side_by_side_within_80_columns(tmp_path: Path) -> None:
    done = demo("recommend", "--rows", "5000", "--folder", "kept", folder=tmp_path)

    assert done.returncode == 0, done.stderr
    for told in ("by prec by tf-idf", "Clothes B", "birth: decade or finer", "総務省 日本標準職業分類"):
        assert told in " ".join(done.stdout.split())
    # A path is as long as it is.
    assert max(width(line) for line in done.stdout.splitlines() if str(tmp_path) not in line) <= 80
    for kept in ("persons.duckdb", "rules.yaml", "requests/2-tf-idf.yaml", "out/prec.parquet", "out/tf-idf.parquet"):
        assert (tmp_path / "kept" / kept).is_file()


def width(line: str) -> int:
    """The columns that a line takes: characters of East Asian scripts take two."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in line)


def test_demo_of_another_name_is_malformed_input(tmp_path: Path) -> None:
    done = demo("recomend", folder=tmp_path)

    assert done.returncode == 2
    assert "there is no demo 'recomend'. Did you mean 'recommend'?" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.thorough
def test_folder_is_kept_and_goes_on_from_there(tmp_path: Path) -> None:
    kept = tmp_path / "kept"

    done = demo("--rows", "20000", "--folder", "kept", folder=tmp_path)

    assert done.returncode == 0, done.stderr
    assert f"cd {kept}" in done.stdout
    verify = subprocess.run([PROGRAM, "release", "verify", "1"], cwd=kept, capture_output=True, text=True, check=False)
    assert verify.returncode == 0, verify.stderr
    assert "intact" in verify.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "rows"), [("members", "30"), pytest.param("recommend", "9", marks=pytest.mark.thorough)]
)
def test_few_persons_are_told_of_and_break_nothing(tmp_path: Path, name: str, rows: str) -> None:
    done = demo(name, "--rows", rows, folder=tmp_path)

    assert done.returncode == 0, done.stderr
    assert "rows remain, so nothing can be released" in " ".join(done.stdout.split())


@pytest.mark.slow
def test_fewer_customers_than_a_cluster_are_refused_and_break_nothing(tmp_path: Path) -> None:
    done = demo("purchases", "--rows", "3", folder=tmp_path)

    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Refused") == 3
    assert "The best k: least" not in done.stdout


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
