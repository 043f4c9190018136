"""What a dataset's name stands for: the right table, the right query, the right column."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import duckdb
import pytest
from sqlglot import exp

from ordermade import Engine
from ordermade.catalogue.open_dataset import OpenDataset
from ordermade.errors import InputError, SourceFault, UnknownName
from ordermade.requests.model import InlineDataset
from ordermade.sources.backend import Backend
from ordermade.state.sources import Source
from tests.long import sampled
from tests.made import new_engine

pytestmark = pytest.mark.slow


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    made = new_engine(tmp_path)
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute("CREATE TABLE persons AS SELECT i AS age, i % 2 = 0 AS consent FROM range(10) AS t(i)")
        connection.execute("CREATE VIEW grown AS SELECT * FROM persons WHERE age >= 5")
        connection.execute("CREATE SCHEMA other")
        connection.execute("CREATE TABLE other.only_here AS SELECT 1 AS x FROM range(3)")
        connection.execute("CREATE TABLE other.persons AS SELECT 1 AS x FROM range(7)")
    made.sources.add("s", str(tmp_path / "s.duckdb"), allow_inline=True)
    return made


def rows(engine: Engine, **asked: str) -> int:
    engine.datasets.add("d", "s", **asked)
    return engine.datasets.show("d").rows


@pytest.mark.parametrize(
    ("table", "expected"),
    sampled([
        ("grown", 5),
        ("GROWN", 5),
        ("only_here", 3),
        ("other.only_here", 3),
        ("other.persons", 7),
        ("main.persons", 10),
        ("persons", 10),
    ], 2),
)  # fmt: skip
def test_a_table_is_the_one_that_is_named(engine: Engine, table: str, expected: int) -> None:
    assert rows(engine, table=table) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    sampled([
        ("SELECT * FROM main.persons WHERE consent", 5),
        ("WITH some AS (SELECT * FROM main.persons WHERE age < 3) SELECT * FROM some", 3),
        ("SELECT p.age FROM main.persons AS p JOIN grown AS g ON p.age = g.age", 5),
        ("SELECT persons.age FROM main.persons UNION ALL SELECT x FROM other.only_here", 13),
        ("SELECT age, hash(consent) AS h FROM main.persons -- with a comment", 10),
        ("WITH Some AS (SELECT * FROM main.persons WHERE age < 3) SELECT * FROM some", 3),
        ("WITH Grown AS (SELECT * FROM main.persons WHERE age > 7) SELECT * FROM GROWN", 2),
    ], 2),
)  # fmt: skip
def test_a_query_reads_what_it_says(engine: Engine, query: str, expected: int) -> None:
    assert rows(engine, query=query) == expected


def test_a_near_miss_is_named(engine: Engine) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'grown'"):
        engine.datasets.add("d", "s", table="grwn")
    with pytest.raises(UnknownName, match="Did you mean 'age'"):
        engine.datasets.add("d", "s", table="grown", entity="aeg")
    with pytest.raises(InputError, match="not both"):
        engine.datasets.add("d", "s", table="grown", query="SELECT 1")


def test_the_column_that_tells_persons_apart_is_the_stored_one_and_part_of_the_identity(engine: Engine) -> None:
    assert engine.datasets.add("rows", "s", table="grown").entity_column is None
    assert engine.datasets.add("persons", "s", table="grown", entity="AGE").entity_column == "age"
    assert engine.datasets.show("persons").dataset.entity_column == "age"
    inline = InlineDataset(source="s", table="grown", entity="Age")
    identities = []
    for reference in ("rows", "persons", inline):
        with engine.datasets.open(reference) as found:
            identities.append((found.entity, found.identity(None)))
    assert [entity for entity, _ in identities] == [None, "age", "age"]
    rows_of, persons_of, inline_of = (identity for _, identity in identities)
    assert persons_of == inline_of != rows_of


def test_an_entity_column_that_is_not_there_is_told(engine: Engine) -> None:
    inline = InlineDataset(source="s", table="grown", entity="aeg")
    with (
        pytest.raises(UnknownName, match=r"entity: there is no column 'aeg'\. Did you mean 'age'\?"),
        engine.datasets.open(inline),
    ):
        pass
    with pytest.raises(UnknownName, match=r"--entity: there is no column 'aeg'"):
        engine.datasets.add("d", "s", query="SELECT age FROM persons", entity="aeg")


def test_a_dataset_without_persons_keeps_its_identity() -> None:
    """What a state has measured stays what was measured: the hash is the one that earlier versions wrote."""
    source = Source(1, "s", "duckdb", "/data/s.duckdb", False, None, datetime(2026, 1, 1, tzinfo=UTC), None)
    origin = exp.to_table("persons")
    written = "6:duckdb\n14:/data/s.duckdb\n7:persons\n7:age > 5"
    found = OpenDataset("d", 1, source, cast("Backend", None), origin, ())
    assert found.identity("age > 5") == hashlib.sha256(written.encode()).hexdigest()
    assert replace(found, entity="id").identity("age > 5") != found.identity("age > 5")


def test_a_source_that_is_not_there_or_not_a_database_is_a_fault(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(SourceFault, match="no such file"):
        engine.sources.add("x", str(tmp_path / "missing.duckdb"))
    (tmp_path / "text.duckdb").write_text("not a database" * 1000, encoding="utf-8")
    with pytest.raises(SourceFault, match="not a DuckDB database"):
        engine.sources.add("x", str(tmp_path / "text.duckdb"))
    (tmp_path / "text.parquet").write_text("not parquet", encoding="utf-8")
    with pytest.raises(SourceFault):
        engine.sources.add("x", str(tmp_path / "text.parquet"))
    assert [each.name for each in engine.sources.list()] == ["s"]


def test_a_location_may_name_environment_variables(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_DATA", str(tmp_path))
    assert engine.sources.add("x", "${SHOP_DATA}/s.duckdb").location == "${SHOP_DATA}/s.duckdb"
    assert {each.name for each in engine.sources.show("x").tables} == {"persons", "grown", "only_here"}
    monkeypatch.delenv("SHOP_DATA")
    with pytest.raises(SourceFault, match="SHOP_DATA is not set"):
        engine.sources.show("x")
