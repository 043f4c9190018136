"""A release as a table of Spark's catalogue, replaced by the next one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

pytestmark = [pytest.mark.spark, pytest.mark.slow]
REPOSITORY = Path(__file__).resolve().parents[2]


def test_a_release_is_a_table_that_the_next_one_replaces(spark: None, tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        query = (
            "SELECT 20 + i % 40 AS age, DATE '2020-01-01' + CAST(i % 3 AS INTEGER) AS day, "
            "TIMESTAMP '2020-01-01 10:00:00' AS at, CAST(i % 5 AS DECIMAL(9, 2)) AS price FROM range(400) r(i)"
        )
        connection.execute(f"COPY ({query}) TO '{tmp_path / 't.parquet'}' (FORMAT parquet)")
    done = subprocess.run(
        [sys.executable, "-m", "tests.spark.into_hive", str(tmp_path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["released"]
    assert said["tables"] == ["released"]
    assert said["rows"] == 400
    types = [["age", "string"], ["day", "date"], ["at", "timestamp_ntz"], ["price", "decimal(9,2)"]]
    assert said["types"][1:] == types[1:]
