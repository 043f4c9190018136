"""The wheel works where the repository is not: `sql/`, `migrations/` and demo files inside, the command on the PATH."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow

MEMBERS = "sex,age\n" + "".join(f"{sex},{age}\n" for sex in "fm" for age in (31, 31, 32, 45, 45, 46))
AGES = "age,ten\n" + "".join(f"{age},{age // 10 * 10}s\n" for age in range(30, 50))
REQUEST = """\
title: Members by age
dataset: members
k: 4
quasi_identifiers:
  age: {hierarchy: age}
release: {to: released.csv}
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the working tree."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, REPOSITORY]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def binaries(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a new environment: the wheel, and this one's dependencies without the repository.

    The dependencies come by a line in a .pth file. Other .pth files in the folder it names, such as that of
    the editable install, are not read.
    """
    home = tmp_path_factory.mktemp("elsewhere") / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    python = home / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python, "install"]
    subprocess.run([*install, "--quiet", "--no-deps", "--no-index", wheel], check=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(home)}))
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return home / "bin"


def run(program: Path, *arguments: str, cwd: Path) -> str:
    """What the program prints; it must end with 0."""
    clean = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "ORDERMADE_STATE"}}
    done = subprocess.run([program, *arguments], cwd=cwd, env=clean, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(arguments)}: {done.stdout}{done.stderr}"
    return done.stdout


def test_wheel_holds_the_sql_the_migrations_the_demos_and_the_type_marker(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())

    for folder in ("sql", "migrations"):
        files = [path.relative_to(REPOSITORY).as_posix() for path in (REPOSITORY / folder).rglob("*.sql")]
        assert files
        assert {f"ordermade/{name}" for name in files} <= names
    demos = REPOSITORY / "engine" / "ordermade" / "demo" / "data"
    given = [path.relative_to(REPOSITORY / "engine").as_posix() for path in demos.rglob("*") if path.is_file()]
    assert "ordermade/demo/data/recommend/hierarchies/occupation.yaml" in given
    assert set(given) <= names
    reports = REPOSITORY / "engine" / "ordermade" / "reports"
    pages = [each for each in reports.rglob("*") if each.suffix in (".j2", ".css", ".po")]
    assert len(pages) > 5
    assert {each.relative_to(REPOSITORY / "engine").as_posix() for each in pages} <= names
    assert {"ordermade/py.typed", "ordermade/methods/histories/taxonomies/keywords.yaml"} <= names
    assert "ordermade/drafts/column_words.toml" in names
    assert not [name for name in names if name.startswith(("engine/", "tests/", "bench/"))]


@pytest.mark.thorough
def test_installed_wheel_is_the_one_that_is_imported(binaries: Path, tmp_path: Path) -> None:
    where = run(binaries / "python", "-c", "import ordermade; print(ordermade.__file__)", cwd=tmp_path)

    assert Path(where.strip()).is_relative_to(binaries.parent)


@pytest.mark.thorough
def test_installed_wheel_answers_a_request(binaries: Path, tmp_path: Path) -> None:
    (tmp_path / "members.csv").write_text(MEMBERS, encoding="utf-8")
    (tmp_path / "ages.csv").write_text(AGES, encoding="utf-8")
    (tmp_path / "request.yaml").write_text(REQUEST, encoding="utf-8")
    ordermade = binaries / "ordermade"

    assert "request" in run(ordermade, "--help", cwd=tmp_path)
    run(ordermade, "init", cwd=tmp_path)
    run(ordermade, "source", "add", "files", "members.csv", cwd=tmp_path)
    run(
        ordermade,
        "dataset",
        "add",
        "members",
        "--source",
        "files",
        "--table",
        "members",
        "--least-k",
        "2",
        cwd=tmp_path,
    )
    run(ordermade, "hierarchy", "add", "age", "ages.csv", cwd=tmp_path)
    result = json.loads(run(ordermade, "request", "run", "request.yaml", "--json", cwd=tmp_path))

    assert result["status"] == "released"
    assert result["levels"] == {"age": 1}
    assert (result["k"], result["rows"]) == (6, 12)
    assert (tmp_path / "released.csv").read_text(encoding="utf-8").splitlines()[0] == "age"
