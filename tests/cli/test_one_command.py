"""One command each for tables as people have them: k-anonymous by a count of pandas' own (thorough)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.one_command import least_class, messy_shift_jis, sqlite_file, wide_csv, workbook

pytestmark = pytest.mark.thorough
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
SLOWEST = 120
"""Seconds; the bench holds the figure of 20 on a machine that does nothing else."""

Made = Callable[[Path], str]
TABLES: dict[str, tuple[Made, tuple[str, ...]]] = {
    "adult": (lambda _: str(DATA / "arx" / "adult" / "adult.csv"), ()),
    "customers": (lambda _: str(DATA / "online_retail" / "pwscup2018_customers.csv"), ("--quasi-identifiers", "round")),
    "census": (lambda _: str(DATA / "census" / "japan_census_pref_sex_age5.csv"), ()),
    "microdata": (lambda _: str(DATA / "microdata" / "census.csv"), ()),
    "shift-jis": (lambda folder: str(messy_shift_jis(folder / "messy.csv")), ()),
    "workbook": (lambda folder: str(workbook(folder / "hospital.xlsx")), ()),
    "sqlite": (lambda folder: str(sqlite_file(folder / "hospital.sqlite")), ()),
    "wide": (lambda folder: str(wide_csv(folder / "wide.csv")), ()),
}


@pytest.mark.parametrize("name", TABLES)
def test_one_command_from_file_to_release(tmp_path: Path, name: str) -> None:
    made, options = TABLES[name]
    table = made(tmp_path)
    if not Path(table).exists():
        pytest.skip(f"needs {table}")
    program = str(Path(sys.executable).parent / "ordermade")
    environment = {name: value for name, value in os.environ.items() if name != "ORDERMADE_STATE"}

    began = time.monotonic()
    ran = subprocess.run(
        [program, "anonymize", table, "--k", "5", "--accept-roles", "--to", "release.csv", "--json", *options],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
        check=False,
    )

    assert ran.returncode == 0, ran.stderr
    assert time.monotonic() - began < SLOWEST
    document = json.loads(ran.stdout)
    columns = [each["column"] for each in document["roles"] if each["role"] == "quasi-identifier"]
    assert least_class(tmp_path / "release.csv", columns) >= 5
    assert document["suppressed_rows"] <= document["rows"] * 0.02
    assert not (tmp_path / ".ordermade").exists()
