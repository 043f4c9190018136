"""A version query gives the version of a dataset in every kind of source, and nothing hashes its rows there."""

from __future__ import annotations

import csv
import hashlib
import json
import logging
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.catalogue.sources import opened
from ordermade.counting.dataset import Version, version
from ordermade.errors import InputError
from ordermade.methods.generalization.result import GeneralizationResult
from ordermade.sources.limits import Limits
from tests.conformance.backends import Made, Table, name, the_table
from tests.made import new_engine, write_hierarchy

pytestmark = pytest.mark.slow

Make = Callable[[Table], Made]

COLUMNS = {"id": "BIGINT", "age": "BIGINT", "plan": "VARCHAR", "day": "DATE", "updated_at": "TIMESTAMP"}
ROWS = [
    (i, 20 + i % 4, "basic" if i % 8 < 4 else "plus", date(2024, 1, 1 + i % 9), datetime(2024, 1, 1, 10, 0, i))
    for i in range(40)
]
PERSONS = Table("Persons", COLUMNS, ROWS)
LATER = PERSONS.changed(rows=[*ROWS[:-1], (*ROWS[-1][:-1], datetime(2024, 1, 1, 11))])
QUERY = (
    'SELECT max(updated_at), count(*), sum("id"), min(day), max(Plan) FROM {table} '
    "UNION SELECT max(updated_at), count(*), sum(id), min(day), max(plan) FROM {table} -- as every day"
)


def registered(folder: Path, made: Made, query: str = QUERY, **more: Any) -> Engine:
    """An engine with the table in the source `s` and its dataset `d`, whose versions the query vouches for."""
    folder.mkdir()
    engine = new_engine(folder, use_cache=False, limits=Limits("256MB", 1))
    engine.sources.add("s", made.location, **more)
    with opened(engine.sources.get("s"), engine.limits) as backend:
        table = the_table(backend).name
    engine.datasets.add("d", "s", table=table, least_k=2, version_query=query.format(table=name(table)))
    ages = [(str(age), "low" if age < 22 else "high", "*") for age in range(20, 24)]
    engine.hierarchies.add("age", write_hierarchy(folder / "age.csv", ("value", "half", "top"), ages))
    plans = [("basic", "*"), ("plus", "*")]
    engine.hierarchies.add("plan", write_hierarchy(folder / "plan.csv", ("value", "top"), plans))
    return engine


def version_of(engine: Engine) -> Version:
    with engine.datasets.open("d") as found:
        return version(found.filtered(None))


def request(to: Any) -> dict[str, Any]:
    attributes = {"age": {"hierarchy": "age"}, "plan": {"hierarchy": "plan"}}
    return {"dataset": "d", "k": 5, "quasi_identifiers": attributes, "release": {"to": to}}


def test_the_same_answer_is_the_same_version_and_another_is_another(make: Make, tmp_path: Path) -> None:
    first = registered(tmp_path / "a", make(PERSONS))
    seen = version_of(first)
    assert (seen.rows, version_of(first)) == (40, seen)
    later, fewer = (PERSONS.changed(rows=rows) for rows in (LATER.rows, ROWS[:-1]))
    others = [version_of(registered(tmp_path / f"b{i}", make(each))) for i, each in enumerate((later, fewer))]
    assert {each.vouched_by for each in others} == {seen.vouched_by}
    assert len({seen.hash_sum, *(each.hash_sum for each in others)}) == 3


def test_a_repeat_evaluates_and_counts_nothing(make: Make, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    engine = registered(tmp_path / "a", make(PERSONS))
    with caplog.at_level(logging.DEBUG, "ordermade.sql"):
        results = [engine.run(request(str(tmp_path / to))) for to in ("a.csv", "b.csv")]
    for result, asked, counted in zip(results, (3, 2), (1, 0), strict=True):
        assert isinstance(result, GeneralizationResult)
        assert (result.k, result.search.version_queries, result.search.source_queries) == (5, asked, counted)
    ran = [each.getMessage() for each in caplog.records if each.getMessage().startswith("source: version")]
    assert len(ran) == 5
    assert ["hash" in each.replace(str(tmp_path), "").lower() for each in ran] == [False, True, False, False, False]
    query = engine.datasets.list()[0].version_query or ""
    manifest = json.loads((tmp_path / "a.csv.manifest.json").read_text(encoding="utf-8"))
    assert manifest["dataset_version"]["vouched_by"] == hashlib.sha256(query.encode()).hexdigest()
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.reader(file))) == 41


def test_a_query_that_gives_no_version_is_refused(make: Make, tmp_path: Path) -> None:
    engine = registered(tmp_path / "a", make(PERSONS))
    table = engine.datasets.list()[0].table_name or ""
    for query, said in {
        "SELECT age FROM {table}": "several rows",
        "SELECT max(age) FROM {table} HAVING count(*) > 1000": "no row",
        "SELECT max(age) FROM {table} WHERE age > 1000": "a NULL",
        "SELECT max(nothing) FROM {table}": "fails",
    }.items():
        with pytest.raises(InputError, match=said) as caught:
            engine.datasets.add("e", "s", table=table, version_query=query.format(table=name(table)))
        assert caught.value.where == "--version-query"


def test_what_is_explained_is_what_runs(make: Make, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    engine = registered(tmp_path / "a", make(PERSONS))
    shown = [each.sql for each in engine.explain(request("a.csv")) if each.title.startswith("dataset version: ")]
    assert len(shown) == 3
    with caplog.at_level(logging.DEBUG, "ordermade.sql"):
        version_of(engine)
    ran = ["".join(each.getMessage().split()) for each in caplog.records if "version in " in each.getMessage()]
    for each, statement in zip(ran, shown, strict=True):
        assert each.endswith("".join(statement.split()))


@pytest.mark.services
@pytest.mark.parametrize("make", ["postgresql", "mariadb"], indirect=True)
def test_a_table_released_on_a_server_is_checked_by_the_query(make: Make, tmp_path: Path) -> None:
    engine = registered(tmp_path / "a", make(PERSONS), writable=True)
    assert engine.run(request({"table": "released"})).released
    assert engine.releases.verify(1).intact
    assert engine.releases.verify(1).vouched_by == version_of(engine).vouched_by
