"""What reads the state alone imports nothing that counts: most of the time of such a command would be imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ordermade import initialise

HEAVY = ("numpy", "sqlglot", "duckdb", "yaml", "ordermade.offers", "ordermade.methods.shared.result")


@pytest.mark.parametrize("words", ["--help", "request list", "request show 1", "release list"])
def test_a_command_that_reads_the_state_imports_nothing_that_counts(words: str, tmp_path: Path) -> None:
    initialise(tmp_path / ".ordermade" / "state.sqlite")
    command = [sys.executable, "-X", "importtime", "-m", "ordermade", *words.split()]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stderr
    imported = {line.rpartition("|")[2].strip() for line in told.splitlines() if line.startswith("import time:")}
    assert "ordermade.cli.main" in imported
    assert imported.isdisjoint(HEAVY)


def test_the_schema_needs_no_extra(tmp_path: Path) -> None:
    without = ("numba", "scipy", "polars", "matplotlib", "xlsxwriter", "sqlalchemy", "psycopg", "pymysql", "pyspark")
    code = (
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({without!r}))\n"
        "from ordermade.cli.main import run\n"
        "sys.argv = ['ordermade', 'schema']\n"
        "run()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert '"$id": "urn:ordermade:output:1"' in done.stdout
