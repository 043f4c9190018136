"""The contract of a source: `read`, `upload` and `keep`, where source and workspace are one and where they are two."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from ordermade.errors import SourceFault
from ordermade.sources.backend import Backend, PushdownHint
from ordermade.sources.duckdb_file import DuckDBFile
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.remote_source import RemoteSource
from ordermade.sources.sqlite_file import SQLiteFile
from tests.conformance.two_databases import TwoDatabases

LIMITS = Limits("256MB", 1)
COUNTED = """
SELECT LN(counted.n) + $more AS logarithm, counted.sex
FROM (SELECT sex, COUNT(*) AS n FROM source.persons GROUP BY sex) AS counted
ORDER BY counted.sex
"""


def query(text: str) -> exp.Query:
    tree = sqlglot.parse_one(text, dialect="duckdb")
    assert isinstance(tree, exp.Query)
    return tree


@pytest.fixture(params=["duckdb", "apart", "sqlite"])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    """The same thousand persons in each kind of source, under one name."""
    path = tmp_path / "source.duckdb"
    with duckdb.connect(str(path)) as connection:
        made = "SELECT i AS id, chr(CAST(97 + i % 2 AS INTEGER)) AS sex FROM range(1000) AS t(i)"
        connection.execute(f"CREATE TABLE persons AS {made}")
    with contextlib.closing(sqlite3.connect(tmp_path / "source.sqlite")) as written, written:
        written.execute("CREATE TABLE persons (id INTEGER, sex TEXT)")
        written.executemany("INSERT INTO persons VALUES (?, ?)", [(i, "ab"[i % 2]) for i in range(1000)])
    opened: Backend
    if request.param == "sqlite":
        opened = SQLiteFile(tmp_path / "source.sqlite", limits=LIMITS)
    else:
        kinds = {"duckdb": DuckDBFile, "apart": TwoDatabases}
        opened = kinds[request.param](path, writable=False, limits=LIMITS)
    yield opened
    opened.close()


def test_an_answer_is_kept_in_its_order(backend: Backend) -> None:
    backend.keep(Purpose.RECORDS, "kept", query("SELECT id, sex FROM source.persons ORDER BY sex DESC, id"))
    kept = backend.workspace.rows(Purpose.RECORDS, "SELECT id FROM kept")
    assert kept == [(each,) for each in (*range(1, 1000, 2), *range(0, 1000, 2))]
    assert backend.executor.count([Purpose.RECORDS]) == 1


def test_an_answer_without_rows_keeps_its_columns(backend: Backend) -> None:
    backend.keep(Purpose.RECORDS, "kept", query("SELECT id, sex FROM source.persons WHERE id < 0"))
    described = backend.workspace.rows(Purpose.RECORDS, "DESCRIBE kept")
    assert [row[:2] for row in described] == [("id", "BIGINT"), ("sex", "VARCHAR")]


def test_the_workspace_calculates_around_the_part_that_the_source_answers(backend: Backend) -> None:
    backend.keep(Purpose.COVERAGE, "kept", query(COUNTED), {"more": 1}, part="counted")
    kept = backend.workspace.rows(Purpose.COVERAGE, "SELECT round(logarithm, 6), sex FROM kept")
    assert kept == [(7.214608, "a"), (7.214608, "b")]
    read = backend.read(Purpose.COVERAGE, query(COUNTED.replace("$more", "1")), part="counted").read_all()
    assert read.column("sex").to_pylist() == ["a", "b"]


def test_an_uploaded_table_is_joined_in_the_source_and_may_be_replaced(backend: Backend) -> None:
    joined = query("SELECT COUNT(*) AS n FROM source.persons AS p JOIN keys_1 ON p.sex = keys_1.key")
    for keys in (["a"], ["a", "b"], []):
        backend.workspace.store(Purpose.STORE, "keys_1", query(f"SELECT UNNEST(CAST({keys} AS VARCHAR[])) AS key"))
        backend.upload("keys_1")
        assert backend.executor.rows(Purpose.K_CHECK, joined) == [(500 * len(keys),)]


BY_GROUP = """
SELECT keys_1.cell AS sex, keys_2.cell AS half, COUNT(*) AS n
FROM source.persons AS p JOIN keys_1 ON p.sex = keys_1.key JOIN keys_2 ON p.id = keys_2.key
GROUP BY keys_1.cell, keys_2.cell
"""
SHARES = {"none": PushdownHint(), "sexes": PushdownHint(frozenset({"keys_1"})), "rows": PushdownHint(rows=True)}


@pytest.mark.parametrize("name", SHARES)
def test_a_workspace_codes_what_does_not_merge_values_and_counts_alike(
    backend: Backend, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    if isinstance(backend, RemoteSource):
        monkeypatch.setattr(backend, "capabilities", replace(backend.capabilities, codes_in_workspace=True))
        monkeypatch.setattr(backend, "has_few_groups", lambda values: False)
    keys = "SELECT chr(CAST(97 + i AS INTEGER)) AS key, i AS cell FROM range(2) AS t(i)"
    backend.workspace.store(Purpose.STORE, "keys_1", query(keys))
    backend.workspace.store(
        Purpose.STORE, "keys_2", query("SELECT i AS key, i // 500 AS cell FROM range(1000) AS t(i)")
    )
    for table in ("keys_1", "keys_2"):
        backend.upload(table)
    backend.keep(Purpose.K_CHECK, "kept", query(BY_GROUP), share=SHARES[name])
    assert backend.workspace.rows(Purpose.K_CHECK, "FROM kept ORDER BY ALL") == [
        (sex, half, 250) for sex in (0, 1) for half in (0, 1)
    ]
    if isinstance(backend, RemoteSource):
        in_source = {"none": ["keys_1", "keys_2"], "sexes": ["keys_2"], "rows": []}[name]
        asked = backend.planned(query(BY_GROUP), share=SHARES[name])[0].text
        assert [each for each in ("keys_1", "keys_2") if each in asked] == in_source


def test_a_source_apart_knows_no_table_that_was_not_uploaded(backend: Backend) -> None:
    backend.workspace.store(Purpose.STORE, "keys_1", query("SELECT 1 AS key"))
    if isinstance(backend, RemoteSource):
        with pytest.raises(SourceFault, match="the source could not answer the k-check statement"):
            backend.executor.rows(Purpose.K_CHECK, query("SELECT key FROM keys_1"))
    else:
        assert backend.executor.rows(Purpose.K_CHECK, query("SELECT key FROM keys_1")) == [(1,)]


@pytest.mark.parametrize("keep", [True, False])
def test_what_goes_wrong_in_the_middle_of_an_answer_is_the_sources_fault(backend: Backend, keep: bool) -> None:
    if isinstance(backend, SQLiteFile):
        failing = query("SELECT id + 9223372036854775000 AS x FROM source.persons")
    else:
        failing = query("SELECT CAST(CASE WHEN id > 990 THEN sex ELSE '1' END AS BIGINT) AS x FROM source.persons")
    asked: Callable[[], object] = (
        (lambda: backend.keep(Purpose.RECORDS, "kept", failing))
        if keep
        else (lambda: backend.read(Purpose.RECORDS, failing).read_all())
    )
    with pytest.raises(SourceFault, match="in the records statement") as caught:
        asked()
    assert "'a'" not in str(caught.value)
    assert "e+18" not in str(caught.value)


@pytest.mark.slow
def test_a_statement_that_ran_has_the_seconds_of_the_processor(backend: Backend) -> None:
    counted = query("SELECT COUNT(DISTINCT one.id + other.id) AS n FROM source.persons AS one, source.persons AS other")
    assert [n for (n,) in backend.executor.rows(Purpose.RECORDS, counted)] == [1999]
    ran = backend.executor.ledger[-1]
    assert ran.processor_seconds > 0
