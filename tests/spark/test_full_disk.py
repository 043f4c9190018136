"""A disk that is full while Spark spills or shuffles, and while it writes a release: said, and nothing left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.spark.started import NO_DISK

pytestmark = [pytest.mark.spark, pytest.mark.slow]
REPOSITORY = Path(__file__).resolve().parents[2]
MIB = 8
"""The size of the small disk: the shuffle of the table needs more."""


@pytest.fixture
def small_disk(spark: None, tmp_path: Path) -> Iterator[Path]:
    """A folder that holds `MIB` and no more; without the right to mount one, the test is skipped."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={MIB}m,mode=0700", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"{NO_DISK}: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.parametrize("full", ["shuffled", "written", "default"])
def test_a_full_disk_is_named_and_nothing_is_left(full: str, small_disk: Path, tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        query = "SELECT 18 + i % 60 AS age, sha256(i::VARCHAR) AS note FROM range(300000) r(i)"
        connection.execute(f"COPY ({query}) TO '{tmp_path / 't.parquet'}' (FORMAT parquet)")
    done = subprocess.run(
        [sys.executable, "-m", "tests.spark.fills_a_disk", full, str(tmp_path), str(small_disk)],
        cwd=REPOSITORY,
        env={**os.environ, "TMPDIR": str(small_disk if full == "default" else tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["kind"] in ("SourceFault", "ReleaseFault")
    assert "full" in said["message"], said["message"]
    assert said["left"] == []
    assert [each for each in small_disk.rglob("*") if each.is_file()] == []
    assert "No space" not in done.stderr
