"""Releases that Spark writes as a folder: the rows of the engine's own release, in their order, and none collected."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import InputError, ReleaseFault
from ordermade.files.private import sha256_of
from ordermade.methods.shared.result import Result
from ordermade.release.files import read_manifest
from ordermade.sources.limits import Limits
from tests.conformance.test_every_method_in_sqlite import COLUMNS, RULES, _rows
from tests.made import new_engine
from tests.spark.started import location_of

pytestmark = pytest.mark.spark
QIS = {column: {"hierarchy": column} for column in RULES}
FEW = {column: QIS[column] for column in ("sex", "age")}
LEAST = 2
REQUESTS: dict[str, dict[str, Any]] = {
    "rows": {"k": 5, "quasi_identifiers": QIS, "keep": ["kept", "height"]},
    "suppressed": {"k": 4, "quasi_identifiers": QIS, "suppression_limit": 0.1, "keep": ["height"]},
    "model": {
        "k": 4,
        "quasi_identifiers": FEW,
        "suppression_limit": 0.1,
        "sensitive": {"ill": [{"model": "distinct_l", "l": 2}]},
    },
    "near": {
        "k": 4,
        "quasi_identifiers": FEW,
        "suppression_limit": 0.2,
        "sensitive": {"ill": [{"model": "t_closeness", "t": 0.3, "distance": "equal"}]},
    },
    "persons": {"dataset": "persons", "k": 3, "quasi_identifiers": QIS, "suppression_limit": 0.1, "keep": ["kept"]},
}


@pytest.fixture(scope="module")
def engine(spark: None, tmp_path_factory: pytest.TempPathFactory) -> Engine:
    folder = tmp_path_factory.mktemp("folders")
    path = folder / "t.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t ({', '.join(f'{name} {kind}' for name, kind in COLUMNS.items())})")
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(COLUMNS))})", _rows())
        connection.execute(f"COPY t TO '{path}' (FORMAT parquet)")
    made = new_engine(folder, use_cache=False, limits=Limits("256MB", 1))
    for name, location in (("spark", location_of(path)), ("file", str(path))):
        made.sources.add(name, location)
    made.datasets.add("rows", "spark", table="t", least_k=LEAST)
    made.datasets.add("persons", "spark", table="t", entity="who", least_k=LEAST)
    made.datasets.add("elsewhere", "file", table="t", least_k=LEAST)
    for column, text in RULES.items():
        (folder / f"{column}.yaml").write_text(text, encoding="utf-8")
        made.hierarchies.add(column, folder / f"{column}.yaml")
    return made


def run(engine: Engine, request: dict[str, Any], to: object, **options: Any) -> Result:
    release = {"to": to, **options}
    result = engine.run({"dataset": "rows", **request, "release": release}, again=True)
    assert isinstance(result, Result)
    return result


def rows_of(path: Path) -> list[tuple[Any, ...]]:
    files = f"{path}/*.parquet" if path.is_dir() else str(path)
    with duckdb.connect() as connection:
        return connection.execute(f"SELECT * FROM read_parquet('{files}')").fetchall()


@pytest.mark.parametrize("named", REQUESTS)
def test_spark_writes_the_rows_that_the_engine_writes(engine: Engine, named: str, tmp_path: Path) -> None:
    folder, file = tmp_path / "there.parquet", tmp_path / "here.parquet"
    there, here = run(engine, REQUESTS[named], {"path": str(folder)}), run(engine, REQUESTS[named], str(file))
    assert there.released
    assert rows_of(folder) == rows_of(file)
    assert (there.k, there.rows, there.loss, there.suppressed_rows) == (
        here.k,
        here.rows,
        here.loss,
        here.suppressed_rows,
    )
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {each.stat().st_mode & 0o777 for each in folder.iterdir()} == {0o600}
    said = subprocess.run(
        "LC_ALL=C sha256sum * | sha256sum", shell=True, cwd=folder, capture_output=True, text=True, check=True
    )
    assert said.stdout.split()[0] == sha256_of(folder) == read_manifest(folder)["sha256"]


def test_a_release_is_verified_and_seen_where_it_was_changed(engine: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "out.parquet"
    released = run(engine, REQUESTS["suppressed"], {"path": str(folder)}).release
    assert released is not None
    assert released.number is not None
    assert engine.releases.verify(released.number).intact
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT * FROM '{folder}/*.parquet' LIMIT 9) TO '{folder}/more.parquet'")
    assert not engine.releases.verify(released.number).intact


def test_a_folder_is_replaced_whole_and_none_of_others(engine: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "out.parquet"
    run(engine, REQUESTS["rows"], {"path": str(folder)})
    first = sha256_of(folder)
    with pytest.raises(InputError, match="of this name already"):
        run(engine, REQUESTS["suppressed"], {"path": str(folder)})
    run(engine, REQUESTS["suppressed"], {"path": str(folder)}, replace=True)
    assert sha256_of(folder) != first
    assert sorted(each.name for each in tmp_path.iterdir()) == ["out.parquet", "out.parquet.manifest.json"]
    own = tmp_path / "own.parquet"
    own.mkdir()
    (own / "photo").touch()
    with pytest.raises(InputError, match="no release"):
        run(engine, REQUESTS["rows"], {"path": str(own)}, replace=True)
    assert (own / "photo").exists()


@contextmanager
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The rows of every answer that comes from Spark to the driver."""
    from pyspark.sql.classic.dataframe import DataFrame

    rows: list[int] = []
    for name in ("toArrow", "collect", "toPandas", "_collect_as_arrow"):
        answered = getattr(DataFrame, name)

        def noted(frame: Any, *given: Any, _answered: Any = answered, **named: Any) -> Any:
            answer = _answered(frame, *given, **named)
            many = getattr(answer, "num_rows", None)
            rows.append(sum(getattr(each, "num_rows", 1) for each in answer) if many is None else many)
            return answer

        monkeypatch.setattr(DataFrame, name, noted)
    yield rows
    monkeypatch.undo()


def test_no_row_comes_to_the_driver(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, many = tmp_path / "many.parquet", 20_000
    with duckdb.connect() as connection:
        query = f"SELECT i % 2 AS half, 20 + i % 40 AS age, i * 0.5 AS score FROM range({many}) r(i)"
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    engine.sources.add("many", location_of(path))
    engine.datasets.add("many", "many", table="many", least_k=LEAST)
    request: dict[str, Any] = {
        "dataset": "many",
        "k": 20,
        "quasi_identifiers": {"age": {"hierarchy": "age"}},
        "keep": ["score"],
    }
    request["allow_identifying"] = ["score"]
    with watched(monkeypatch) as rows:
        result = run(engine, request, {"path": str(tmp_path / "out.parquet")})
    assert result.released
    assert rows
    assert max(rows) <= 40  # the ages
    assert len(rows_of(tmp_path / "out.parquet")) == many


def test_what_spark_does_not_write_is_refused_before_anything_is_counted(engine: Engine, tmp_path: Path) -> None:
    to, few = {"path": str(tmp_path / "out.parquet")}, REQUESTS["rows"]
    for more, words in (
        ({"dataset": "elsewhere"}, "does not write folders"),
        ({"suppression_limit": 0.1, "suppressed": "star"}, "rows as"),
        ({"suppression_limit": 0.1, "recoding": "local"}, "local recoding"),
    ):
        with pytest.raises(InputError, match=words):
            run(engine, {**few, **more}, to)
    with pytest.raises(InputError, match="statistical table"):
        run(engine, {**few, "keep": []}, to, shape="table")
    with pytest.raises(InputError, match="Parquet"):
        run(engine, few, {"path": str(tmp_path / "out.csv")})
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_changed_before_its_name_is_not_released(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ordermade.release.folders import StagedFolder

    finish = StagedFolder.finish

    def with_more(staged: StagedFolder) -> None:
        finish(staged)
        (staged.path / "part-9.parquet").write_bytes(next(staged.path.iterdir()).read_bytes())

    monkeypatch.setattr(StagedFolder, "finish", with_more)
    with pytest.raises(ReleaseFault):
        run(engine, REQUESTS["rows"], {"path": str(tmp_path / "out.parquet")})
    assert list(tmp_path.iterdir()) == []
