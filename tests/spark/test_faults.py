"""Faults in Spark: values stay out of every message, changes meanwhile are seen, what is missing is named."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from ordermade.counting.dataset import relation
from ordermade.errors import InputError, SourceFault, UnfitValue
from ordermade.files.file_reading import FileReading
from ordermade.sources.backend import columns_of
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.open import open_source
from tests.conformance.backends import Made, opened, the_table
from tests.spark.started import location_of

pytestmark = pytest.mark.spark
NAME = "Ann Other"


def parquet(path: Path, query: str) -> Path:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return path


def made(*paths: Path) -> Made:
    return Made(location_of(*paths), "spark", paths)


def test_a_value_that_fails_is_in_no_message_and_no_output(
    spark: None, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = parquet(tmp_path / "t.parquet", f"SELECT '{NAME}' AS name")
    with opened(made(path)) as backend:
        query = relation(the_table(backend).reference, None)
        from sqlglot import parse_one

        cast = parse_one("SELECT CAST(name AS BIGINT) AS name FROM t", dialect="duckdb")
        cast.args["from_"].set("this", the_table(backend).reference.copy())
        with pytest.raises(UnfitValue) as raised:
            backend.executor.rows(Purpose.COVERAGE, cast)
        assert columns_of(backend, query)
    shown = capfd.readouterr()
    assert NAME not in f"{raised.value}{raised.value.__cause__}{shown.out}{shown.err}"


def test_a_file_that_is_rewritten_or_joined_is_a_change(spark: None, tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    parquet(folder / "a.parquet", "SELECT 1 AS x")
    for change in ("rewritten", "one more", "one less"):
        with opened(made(folder)) as backend:
            query = relation(the_table(backend).reference, None)
            assert len(backend.executor.rows(Purpose.CATALOG, query)) >= 1
            assert not backend.changed()
            if change == "rewritten":
                parquet(folder / "a.parquet", "SELECT 2 AS x UNION ALL SELECT 3")
            elif change == "one more":
                parquet(folder / "b.parquet", "SELECT 4 AS x")
            else:
                (folder / "b.parquet").unlink()
            assert backend.changed()


def test_paths_that_are_not_there_and_other_masters_are_named(spark: None, tmp_path: Path) -> None:
    with pytest.raises(SourceFault, match="PATH_NOT_FOUND"), opened(made(tmp_path / "none.parquet")):
        pass
    there = parquet(tmp_path / "t.parquet", "SELECT 1 AS x")
    with pytest.raises(SourceFault, match="another master"), opened(Made(f"local[1]?path={there}", "spark", ())):
        pass
    twice = tmp_path / "again"
    twice.mkdir()
    shutil.copy(there, twice / "t.parquet")
    with pytest.raises(InputError, match="two paths"), opened(made(there, twice / "t.parquet")):
        pass


def test_columns_that_no_class_is_counted_by_are_refused_by_name(spark: None, tmp_path: Path) -> None:
    path = parquet(tmp_path / "t.parquet", "SELECT 1 AS x, [1, 2] AS list, {'a': 1} AS pair, MAP {'k': 1} AS map")
    with opened(made(path)) as backend:
        table = the_table(backend)
        with pytest.raises(SourceFault, match="no class can be counted by"):
            backend.executor.rows(Purpose.CATALOG, relation(table.reference, None))
        version = backend.version_statement(relation(table.reference, None), columns_of(backend, table.reference))
        assert backend.executor.rows(Purpose.VERSION, version)[0][0] == 1


def test_a_release_into_a_catalogue_in_memory_is_refused(spark: None, tmp_path: Path) -> None:
    path = parquet(tmp_path / "t.parquet", "SELECT 1 AS x")
    limits = Limits(memory="256MB", threads=1)
    backend = open_source(made(path).location, "spark", writable=True, reading=FileReading(), limits=limits)
    try:
        assert not backend.capabilities.releases_tables
    finally:
        backend.close()


@pytest.mark.slow
def test_without_java_the_reason_is_named(spark: None, tmp_path: Path) -> None:
    path = parquet(tmp_path / "t.parquet", "SELECT 1 AS x")
    code = (
        "from ordermade.sources.spark import Spark\n"
        "from ordermade.sources.limits import Limits\n"
        f"try: Spark('local[1]?path={path}', limits=Limits('256MB', 1))\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    env = {"PATH": "/usr/bin:/bin", "JAVA_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert "SourceFault" in done.stdout
    assert "Java" in done.stdout
    assert done.stderr == ""


def test_what_spark_spills_is_in_a_private_folder(spark: None, tmp_path: Path) -> None:
    path = parquet(tmp_path / "t.parquet", "SELECT 1 AS x")
    with opened(made(path)) as backend:
        assert backend.tables()
        from pyspark.sql import SparkSession

        folder = Path(str(SparkSession.builder.getOrCreate().sparkContext.getConf().get("spark.local.dir")))
    assert folder.stat().st_mode & 0o077 == 0
    assert list(folder.glob("blockmgr-*"))
