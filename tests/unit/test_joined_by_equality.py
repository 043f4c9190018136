"""Joins on keys of which one is NULL, by `=`: they find the same rows, and the plain statement is left as it is."""

from __future__ import annotations

import duckdb
import pytest
from sqlglot import exp

from ordermade import sql
from ordermade.sources.remote_source import joined_by_equality

TEMPLATES = (
    "counting/frequency_set",
    "counting/source_k_check",
    "classes/rows_of_node",
    "release/rows/classes",
    "local/counted",
    "measure/counted",
)
TABLES = {
    "dataset": "SELECT * FROM (VALUES ('east', 1, 'a'), ('west', 2, NULL), (NULL, 3, 'a'), (NULL, 3, 'a')) "
    "AS t(code, id, kept)",
    "keys": "SELECT * FROM (VALUES ('east', 0, 0), ('west', 1, 1), (NULL, 2, 1)) AS t(key, cell, level)",
    "labels": "SELECT * FROM (VALUES ('east', 'E'), ('west', NULL), (NULL, 'N')) AS t(key, label)",
}


@pytest.mark.parametrize("template", TEMPLATES)
def test_joins_by_equality_answer_alike(template: str) -> None:
    plain = sql.with_columns(sql.select(template), {"dataset.qi": "code"})
    before = plain.sql()
    equal = joined_by_equality(plain)
    assert plain.sql() == before
    assert not list(equal.find_all(exp.NullSafeEQ))
    with duckdb.connect() as connection:
        for name, query in TABLES.items():
            connection.execute(f"CREATE TABLE {name} AS {query}")
        found = [connection.execute(sql.text(each)).fetchall() for each in (plain, equal)]
    assert sorted(map(repr, found[1])) == sorted(map(repr, found[0]))
    assert found[0]
