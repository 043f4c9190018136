"""Versions that a provider's query vouches for: what is refused, what a request runs, what is noted and seen."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.counting.dataset import Version, version
from ordermade.errors import FilterError, InputError, ReleaseMismatch, SourceChanged, SourceFault, UnknownName
from ordermade.methods.generalization.result import GeneralizationResult
from ordermade.release import into_source
from ordermade.requests.row_filter import row_condition
from ordermade.sources import executor
from tests.conformance.prepared import WHERE, copied
from tests.long import sampled
from tests.made import new_engine, write_hierarchy, write_table

pytestmark = pytest.mark.slow

COLUMNS = {"id": "INTEGER", "age": "INTEGER", "plan": "VARCHAR", "updated_at": "TIMESTAMPTZ", "day": "DATE"}
FIRST, LATER = "2024-01-01 10:00:00.000001+02", "2024-01-01 10:00:00.000002+02"
QUERY = "SELECT max(updated_at), count(*) FROM persons"
SECRET = "4711"
"""A value of the data, which no message may have."""


def made_in(folder: Path) -> Engine:
    """An engine with forty persons in a source: five of each of four ages with each of two plans."""
    made = new_engine(folder)
    rows = [(i, 20 + i % 4, "basic" if i % 8 < 4 else "plus", FIRST, "2024-01-01") for i in range(40)]
    write_table(folder / "s.duckdb", COLUMNS, rows)
    made.sources.add("s", f"${{{WHERE}}}/s.duckdb", writable=True)
    ages = [(str(age), "low" if age < 22 else "high", "*") for age in range(20, 24)]
    made.hierarchies.add("age", write_hierarchy(folder / "age.csv", ("value", "half", "top"), ages))
    plans = [("basic", "*"), ("plus", "*")]
    made.hierarchies.add("plan", write_hierarchy(folder / "plan.csv", ("value", "top"), plans))
    return made


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(WHERE, str(folder))
        made_in(folder)
    return folder


@pytest.fixture
def engine(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    return copied(prepared, tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def refusing(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine that every query is refused by."""
    with pytest.MonkeyPatch.context() as patch:
        yield copied(prepared, tmp_path_factory.mktemp("refusing"), patch)


def changed(tmp_path: Path, statement: str) -> None:
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute(statement)


def request(to: Any, **more: Any) -> dict[str, Any]:
    attributes = {"age": {"hierarchy": "age"}, "plan": {"hierarchy": "plan"}}
    return {"dataset": "d", "k": 5, "quasi_identifiers": attributes, "release": {"to": to}, **more}


def added(engine: Engine, query: str | None = QUERY, **more: Any) -> None:
    engine.datasets.add("d", "s", table="persons", least_k=2, version_query=query, **more)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT age FROM persons", "gives several rows"),
        ("SELECT age FROM persons GROUP BY age", "gives several rows"),
        ("SELECT max(age) FROM persons HAVING count(*) > 1000", "gives no row"),
        ("SELECT max(age), max(age) FROM persons WHERE age > 1000", "gives a NULL"),
        ("SELECT count(*), max(CASE WHEN age > 1000 THEN age END) FROM persons", "gives a NULL"),
        ("SELECT max(nothing) FROM persons", "fails"),
        (f"SELECT max(CAST(plan || '{SECRET}' AS INTEGER)) FROM persons", "fails"),
        ("SELECT max([age]) FROM persons", "gives a INTEGER[], of which not every change would show"),
        ("SELECT max([CAST(age AS DECIMAL(4, 1))]) FROM persons", "not every change would show"),
        ("SELECT max(CAST(day AS TIMESTAMP_NS)) FROM persons", "gives a TIMESTAMP_NS"),
        ("SELECT max(CASE WHEN age > 0 THEN TIMESTAMP 'infinity' END) FROM persons", "beyond the years 1 to 9999"),
        ("SELECT 1", "reads no table of the source"),
        ("SELECT max(age) FROM persons; SELECT 1", "the version query holds more than one statement"),
        ("DELETE FROM persons", "the version query is not a SELECT"),
        ("WITH gone AS (SELECT 1) DELETE FROM persons", "the version query"),
        ("CREATE TABLE x AS SELECT 1", "the version query is not a SELECT"),
        ("SELECT max(age) FROM persons WHERE (", "the version query cannot be read as SQL"),
        ("", "the version query is empty"),
        ("SELECT max(age), now() FROM persons", "a version query may not call the function"),
        ("SELECT age FROM persons LIMIT 1", "LIMIT is not allowed in a version query"),
        ("SELECT count(*) FROM read_csv('x.csv')", "the table function is not allowed in a version query"),
        ("SELECT count(*) FROM 'x.csv'", "there is no table 'x.csv'"),
        ("SELECT count(*) FROM elsewhere", "there is no table 'elsewhere'"),
    ],
)
def test_a_query_that_does_not_give_one_row_is_refused(refusing: Engine, query: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        added(refusing, query)
    assert said in str(caught.value)
    assert SECRET not in str(caught.value)
    assert caught.value.next_step
    assert isinstance(caught.value, UnknownName) or caught.value.where == "--version-query"
    assert refusing.datasets.list() == ()


def test_a_query_with_no_fault_is_kept_as_it_was_written(engine: Engine) -> None:
    added(engine, f"{QUERY}; ")
    assert engine.datasets.list()[0].version_query == f"{QUERY}; "
    assert engine.datasets.show("d").dataset.version_query == f"{QUERY}; "


def test_a_repeat_runs_no_hash_and_counts_nothing(engine: Engine, tmp_path: Path, statements: list[str]) -> None:
    added(engine)
    assert asked(engine, tmp_path / "a.csv") == (3, 1)  # every column is evaluated once
    statements.clear()
    assert asked(engine, tmp_path / "b.csv") == (2, 0)
    returned = engine.run(request(str(tmp_path / "b.csv")))
    assert getattr(returned, "returned", None) is not None
    assert statements
    assert not [each for each in statements if "HASH(" in each.upper()]


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of the statements that run in a DuckDB source."""
    ran: list[str] = []

    def noted(purpose: Any, text: str, *seconds: float) -> executor.ExecutedStatement:
        ran.append(text)
        return made(purpose, text, *seconds)

    made = executor.ExecutedStatement
    monkeypatch.setattr(executor, "ExecutedStatement", noted)
    return ran


def asked(engine: Engine, to: Path) -> tuple[int, int]:
    """The statements that a request runs in the source for the version, and to count."""
    result = engine.run(request(str(to)))
    assert isinstance(result, GeneralizationResult)
    return result.search.version_queries, result.search.source_queries


def versions(engine: Engine, condition: str | None = None) -> Version:

    with engine.datasets.open("d") as opened:
        return version(opened.filtered(None if condition is None else row_condition(condition, COLUMNS)[0]))


@pytest.mark.parametrize(
    "change",
    [
        f"UPDATE persons SET updated_at = '{LATER}' WHERE id = 7",
        "DELETE FROM persons WHERE id = 7",
        f"INSERT INTO persons VALUES (99, 21, 'plus', '{FIRST}', '2024-01-01')",
    ],
)
def test_another_answer_is_another_version(engine: Engine, tmp_path: Path, change: str) -> None:
    added(engine)
    before = versions(engine)
    assert versions(engine) == before
    assert asked(engine, tmp_path / "a.csv") == (3, 1)
    changed(tmp_path, change)
    assert versions(engine) != before
    assert asked(engine, tmp_path / "b.csv") == (3, 1)


def test_the_types_the_text_and_every_column_are_part_of_the_version(engine: Engine) -> None:
    seen = []
    for query in (
        "SELECT max(age) FROM persons",
        "SELECT CAST(max(age) AS BIGINT) FROM persons",
        "SELECT max(age) FROM persons ",
        "SELECT max(age), min(age) FROM persons",
        "SELECT min(age), max(age) FROM persons",
        "SELECT max(plan), 'a' FROM persons",
    ):
        added(engine, query)
        seen.append(versions(engine))
        engine.datasets.remove("d")
    assert len({each.hash_sum for each in seen}) == len(seen)
    assert all(-(2**127) <= each.hash_sum < 2**127 for each in seen)
    assert {each.rows for each in seen} == {40}


def test_the_query_speaks_for_the_whole_dataset_and_rows_are_those_of_the_filter(
    engine: Engine, tmp_path: Path
) -> None:
    added(engine)
    whole, part = versions(engine), versions(engine, "plan = 'plus'")
    assert (whole.rows, part.rows) == (40, 20)
    assert whole.hash_sum == part.hash_sum
    changed(tmp_path, f"UPDATE persons SET updated_at = '{LATER}' WHERE id = 0")  # of the basic plan
    assert versions(engine, "plan = 'plus'").hash_sum != part.hash_sum


@pytest.mark.parametrize(
    ("change", "said"),
    sampled(
        [
            ("DELETE FROM states", "the version query gives no row"),
            ("INSERT INTO states VALUES (4711, 1)", "the version query gives several rows"),
            ("UPDATE states SET number = NULL", "the version query gives a NULL"),
            ("ALTER TABLE states DROP COLUMN number", "the version query fails"),
            ("DROP TABLE states", "there is no table 'states'"),
            ("ALTER TABLE states ALTER number TYPE INTEGER[] USING [number]", "not every change would show"),
        ],
        2,
    ),
)
def test_a_query_that_gives_no_version_any_more_fails_the_request(
    engine: Engine, tmp_path: Path, change: str, said: str
) -> None:
    changed(tmp_path, "CREATE TABLE states AS SELECT 4711 AS number, 1 AS other")
    added(engine, "SELECT number FROM states")
    changed(tmp_path, change)
    with pytest.raises(SourceFault) as caught:
        engine.run(request(str(tmp_path / "a.csv")))
    message = str(caught.value)
    assert said in message
    assert caught.value.where == "dataset 'd': version query"
    assert caught.value.next_step
    assert SECRET not in message
    assert not (tmp_path / "a.csv").exists()


def test_a_change_that_the_query_does_not_show_never_releases_a_class_below_k(engine: Engine, tmp_path: Path) -> None:
    added(engine, "SELECT count(*) FROM persons")
    assert engine.run(request(str(tmp_path / "a.csv"))).k == 5
    # Each age and each plan stays as frequent as it was; two of their combinations have four persons.
    changed(tmp_path, "UPDATE persons SET plan = CASE id WHEN 0 THEN 'plus' ELSE 'basic' END WHERE id IN (0, 5)")
    with pytest.raises(ReleaseMismatch):
        engine.run(request(str(tmp_path / "b.csv")))
    assert not (tmp_path / "b.csv").exists()
    measured = engine.run(request(str(tmp_path / "b.csv")))
    assert (measured.status, measured.k) == ("released", 10)


def test_a_table_released_into_the_source_is_checked_by_the_query(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    added(engine)
    assert engine.run(request({"table": "released"})).released
    assert engine.releases.verify(1).vouched_by == hashlib.sha256(QUERY.encode()).hexdigest()
    writing = into_source._writing

    def after_a_change(database: Path, *more: Any) -> Any:
        changed(tmp_path, f"UPDATE persons SET updated_at = '{LATER}' WHERE id = 7")
        return writing(database, *more)

    monkeypatch.setattr(into_source, "_writing", after_a_change)
    with pytest.raises(SourceChanged):
        engine.run(request({"table": "second"}))


def test_the_manifest_names_the_query_by_its_hash_and_has_none_of_its_values(engine: Engine, tmp_path: Path) -> None:
    added(engine)
    engine.run(request(str(tmp_path / "a.csv")))
    manifest = json.loads((tmp_path / "a.csv.manifest.json").read_text(encoding="utf-8"))
    digest = hashlib.sha256(QUERY.encode()).hexdigest()
    assert manifest["dataset_version"]["vouched_by"] == digest
    assert sorted(manifest["dataset_version"]) == ["columns_hash", "proof", "rows", "vouched_by"]
    assert manifest["dataset_version"]["proof"] == "query"
    assert "2024-01-01" not in json.dumps(manifest)
    assert engine.releases.verify(1).vouched_by == digest
    engine.datasets.remove("d")
    added(engine, None)
    engine.run(request(str(tmp_path / "b.csv")))
    manifest = json.loads((tmp_path / "b.csv.manifest.json").read_text(encoding="utf-8"))
    assert sorted(manifest["dataset_version"]) == ["columns_hash", "proof", "rows"]
    assert engine.releases.verify(2).vouched_by is None
    assert engine.releases.verify(1).vouched_by == digest


def test_explain_shows_the_statements_that_run(engine: Engine) -> None:
    added(engine)
    steps = {each.title: each for each in engine.explain(request("a.csv"))}
    shown = steps["dataset version: vouched for by the provider's query"]
    assert shown.runs_in == "source"
    assert "MAX(UPDATED_AT)" in shown.sql.upper()
    assert "COUNT(*)" in steps["dataset version: its rows"].sql
    assert "dataset version" not in steps


def test_a_check_of_the_data_shows_no_hash_that_the_answer_could_be_guessed_from(engine: Engine) -> None:
    added(engine)
    assert engine.check_data(request("a.csv")).hash_sum is None


METHODS: dict[str, dict[str, Any]] = {
    "microaggregation": {"method": "microaggregation", "attributes": {"age": {}}},
    "mondrian": {"method": "mondrian", "quasi_identifiers": {"age": {}}},
    "history": {
        "method": "history",
        "history": {"customer": "id", "when": "day", "item": "plan", "numbers": ["age"]},
    },
}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_takes_its_version_from_the_query(
    engine: Engine, tmp_path: Path, statements: list[str], method: str
) -> None:
    added(engine)
    request = {"dataset": "d", "k": 5, "release": {"to": str(tmp_path / "a.csv")}, **METHODS[method]}
    assert engine.run(request).released
    assert len([each for each in statements if "HASH_SUM" in each.upper()]) == 1  # every column is evaluated once
    assert engine.releases.verify(1).vouched_by is not None


def test_a_dataset_with_a_version_query_is_the_same_dataset(engine: Engine) -> None:
    def identity() -> str:
        with engine.datasets.open("d") as opened:
            return opened.identity(None)

    added(engine)
    vouched = identity()
    engine.datasets.remove("d")
    added(engine, None)
    assert identity() == vouched


def test_sources_of_other_tables_are_allowed(engine: Engine, tmp_path: Path) -> None:
    changed(tmp_path, "CREATE TABLE loads AS SELECT 3 AS number")
    added(engine, "WITH last AS (SELECT max(number) AS n FROM loads) SELECT n FROM last")
    assert versions(engine) == versions(engine)


def test_messages_call_a_dataset_query_by_its_name(engine: Engine) -> None:
    with pytest.raises(FilterError, match="the dataset query is not a SELECT"):
        engine.datasets.add("d", "s", query="DELETE FROM persons")
