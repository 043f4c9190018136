"""A prediction says which table or column is gone, from the catalog of every kind of source that has one."""

from __future__ import annotations

import contextlib
import logging
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.catalogue.sources import opened
from ordermade.errors import InputError
from ordermade.methods.generalization.predicted import Predicted, predicted_facts
from ordermade.sources.kinds import kind_of
from ordermade.sources.limits import Limits
from tests.conformance.backends import Made, Table, name, the_table
from tests.made import new_engine, write_hierarchy
from tests.services.skips import OF_ANOTHER_SOURCE

pytestmark = pytest.mark.slow

Make = Callable[[Table], Made]

COLUMNS = {"id": "BIGINT", "age": "BIGINT", "plan": "VARCHAR", "paid": "NUMERIC"}
"""PostgreSQL finds the type of `paid` by the values that it stores, which no prediction reads."""
ROWS = [(i, 20 + i % 4, "basic" if i % 8 < 4 else "plus", i) for i in range(40)]
PERSONS = Table("persons", COLUMNS, ROWS)
QUERY = (
    "WITH adults AS (SELECT age AS years, plan, id FROM {table} WHERE age > 17) SELECT years AS age, plan FROM adults"
)


def registered(folder: Path, made: Made) -> Engine:
    """An engine with the table in the source `s`: as the dataset `d`, and by a query as `q`; both were counted."""
    folder.mkdir()
    engine = new_engine(folder, limits=Limits("256MB", 1))
    engine.sources.add("s", made.location)
    with opened(engine.sources.get("s"), engine.limits) as backend:
        table = the_table(backend).name
    engine.datasets.add("d", "s", table=table, least_k=2)
    engine.datasets.add("q", "s", query=QUERY.format(table=name(table)), entity=None, least_k=2)
    ages = [(str(age), "low" if age < 22 else "high", "*") for age in range(20, 24)]
    engine.hierarchies.add("age", write_hierarchy(folder / "age.csv", ("value", "half", "top"), ages))
    for dataset in ("d", "q"):
        engine.run(request(dataset, folder))
    return engine


def request(dataset: str, folder: Path) -> dict[str, Any]:
    qis = {"age": {"hierarchy": "age"}}
    return {
        "dataset": dataset,
        "k": 5,
        "where": "plan = 'basic'",
        "quasi_identifiers": qis,
        "release": {"to": str(folder / f"{dataset}.csv")},
    }


def altered(made: Made, change: str) -> None:
    """Changes the table `persons` of a source by `ALTER TABLE persons …`, or renames it away."""
    statement = f"ALTER TABLE persons {change}"
    if made.schema is not None:
        made.schema.run(statement)
        return
    (path,) = made.files[:1]
    if made.kind == "duckdb":
        with duckdb.connect(str(path)) as connection:
            connection.execute(statement)
    elif made.kind == "sqlite":
        with contextlib.closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(statement)
    else:
        with duckdb.connect() as connection:
            for each in made.files:
                connection.execute(f"CREATE OR REPLACE TABLE persons AS FROM '{each}'")
                connection.execute(statement)
                connection.execute(f"COPY persons TO '{each}' (FORMAT parquet)")


def predicted(engine: Engine, dataset: str, folder: Path, caplog: pytest.LogCaptureFixture) -> Predicted:
    """The prediction; no statement but of the catalog was sent for it."""
    caplog.clear()
    with caplog.at_level(logging.DEBUG, "ordermade.sql"):
        found = engine.predict(request(dataset, folder))
    sent = [each.getMessage() for each in caplog.records if each.getMessage().startswith("source: ")]
    assert [each for each in sent if not each.startswith(("source: catalog", "source: load"))] == []  # load: a view
    return found


def test_a_column_that_is_gone_is_named(make: Make, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    made = make(PERSONS)
    if not kind_of(made.kind).has_catalogue:
        pytest.skip(OF_ANOTHER_SOURCE + "opening it would read it")
    folder = tmp_path / "a"
    engine = registered(folder, made)
    before = {each: predicted(engine, each, folder, caplog) for each in ("d", "q")}
    assert [(each.verdict, each.gone, each.unchecked[1:]) for each in before.values()] == [("passes", (), ())] * 2

    altered(made, "DROP COLUMN paid")  # which no request names
    assert {each: predicted(engine, each, folder, caplog) for each in ("d", "q")} == before
    altered(made, "DROP COLUMN age")

    for dataset in ("d", "q"):
        found = predicted(engine, dataset, folder, caplog)
        (gone,) = found.gone
        assert gone.startswith("there is no column 'age' in the table")
        assert (found.verdict, found.chance, found.nodes, found.too_little) == ("fails", 0.0, (), gone)
        assert dict(predicted_facts(found))["will it pass"] == f"no: {gone}"
        assert engine.predict(request(dataset, folder), look=False) == before[dataset]
    with pytest.raises(InputError, match=r"there is no column 'age'"):
        engine.offers(request("d", folder))


def test_a_table_that_is_gone_is_named(make: Make, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    made = make(PERSONS)
    if made.kind not in ("duckdb", "sqlite", "postgresql", "mysql"):
        pytest.skip(OF_ANOTHER_SOURCE + "its one table is the file")
    folder = tmp_path / "a"
    engine = registered(folder, made)

    altered(made, "RENAME TO members")

    for dataset in ("d", "q"):
        found = predicted(engine, dataset, folder, caplog)
        assert (found.verdict, found.gone) == ("fails", ("there is no table 'persons' in the source 's'",))
        with pytest.raises(InputError, match=r"there is no table 'persons'"):
            engine.offers(request(dataset, folder))


def test_what_cannot_be_opened_is_predicted_all_the_same(make: Make, tmp_path: Path) -> None:
    made = make(PERSONS)
    folder = tmp_path / "a"
    engine = registered(folder, made)
    before = engine.predict(request("d", folder))
    if made.schema is not None:
        made.schema.run(
            f"DROP SCHEMA {made.schema.name} CASCADE"
            if made.kind == "postgresql"
            else f"DROP DATABASE {made.schema.name}"
        )
    elif made.kind == "spark":
        pytest.skip(OF_ANOTHER_SOURCE + "a session is not begun for a prediction")
    else:
        shutil.rmtree(made.files[0].parent)

    found = engine.predict(request("d", folder))

    if made.kind == "postgresql":  # the server answers, and the table is gone
        assert found.gone == ("there is no table 'persons' in the source 's'",)
        return
    assert (found.verdict, found.nodes, found.gone) == (before.verdict, before.nodes, ())
    (unseen,) = set(found.unchecked) - set(before.unchecked)
    assert unseen.startswith("whether table and columns are still there: the source could not be opened (")
    assert str(tmp_path) not in unseen
