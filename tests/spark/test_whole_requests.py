"""Every method through the whole engine in Spark: the releases of a DuckDB file, to the byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade.sources.limits import Limits
from tests.conformance.backends import CLUSTERS, Table
from tests.conformance.test_every_method_in_sqlite import COLUMNS, REQUESTS, RULES, Asked, _rows, release
from tests.made import new_engine

TRIED = ("rows", "filtered", "limit", "models", "mondrian", "microaggregation", "local")


@pytest.fixture(scope="module")
def asked(spark: None, tmp_path_factory: pytest.TempPathFactory) -> Asked:
    folder = tmp_path_factory.mktemp("methods")
    with duckdb.connect(str(folder / "s.duckdb")) as connection:
        connection.execute(f"CREATE TABLE t ({', '.join(f'{name} {kind}' for name, kind in COLUMNS.items())})")
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(COLUMNS))})", _rows())
    engine = new_engine(folder, use_cache=False, limits=Limits("256MB", 1))
    made = CLUSTERS["spark"](folder, Table("t", COLUMNS, _rows()))
    for kind, location in (("duckdb", str(folder / "s.duckdb")), ("spark", made.location)):
        engine.sources.add(kind, location)
        engine.datasets.add(kind, kind, table="t", least_k=2)
        engine.datasets.add(f"persons-{kind}", kind, table="t", entity="who", least_k=2)
    for column, text in RULES.items():
        (folder / f"{column}.yaml").write_text(text, encoding="utf-8")
        engine.hierarchies.add(column, folder / f"{column}.yaml")
    return Asked(engine, folder)


@pytest.mark.parametrize("named", TRIED)
def test_a_release_is_the_same_to_the_byte(asked: Asked, named: str, tmp_path: Path) -> None:
    one, expected = release(asked, "duckdb", REQUESTS[named], tmp_path / "one.csv")
    other, found = release(asked, "spark", REQUESTS[named], tmp_path / "other.csv")
    assert found == expected
    assert (other.k, other.rows, other.loss) == (one.k, one.rows, one.loss)


@pytest.mark.parametrize("named", ["rows", "limit"])
def test_persons_are_released_alike(asked: Asked, named: str, tmp_path: Path) -> None:
    request: dict[str, Any] = {**REQUESTS[named], "k": 3}
    one, expected = release(asked, "persons-duckdb", request, tmp_path / "one.csv")
    other, found = release(asked, "persons-spark", request, tmp_path / "other.csv")
    assert (other.k, other.loss) == (one.k, one.loss)
    assert len(found.splitlines()) == len(expected.splitlines())
