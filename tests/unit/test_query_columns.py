"""Which columns a dataset query misses in its tables, by what is in scope where it names them."""

from __future__ import annotations

import pytest
from sqlglot import exp

from ordermade.requests.dataset_query import parse_dataset_query
from ordermade.requests.query_columns import made_by, missing_columns

TABLES = {"a": {"id", "age", "place"}, "b": {"id", "town"}}


def missing(query: str) -> list[str]:
    def columns_of(table: exp.Table) -> set[str]:
        return TABLES[table.name]

    return list(dict.fromkeys(missing_columns(parse_dataset_query(query), columns_of)))


@pytest.mark.parametrize(
    ("query", "gone"),
    {
        "as it is": ("SELECT id, AGE FROM a", []),
        "gone": ("SELECT id, sex FROM a", ["sex"]),
        "gone, and made anew under its name": ("SELECT CAST(sex AS VARCHAR) AS sex FROM a", ["sex"]),
        "a name made before": ("SELECT age + 1 AS older, older * 2 AS oldest FROM a", []),
        "of the other table": ("SELECT a.id, a.town FROM a JOIN b ON a.id = b.id", ["town"]),
        "of either table": ("SELECT town, sex FROM a JOIN b ON a.id = b.id", ["sex"]),
        "part of a structure": ("SELECT place.street FROM a", []),
        "part of a structure that is gone": ("SELECT home.street FROM a", ["street"]),
        "in a WITH": ("WITH w AS (SELECT sex AS s, id FROM a) SELECT s, id, nothing FROM w", ["sex"]),
        "in parentheses": ("SELECT s FROM (SELECT sex AS s FROM a) AS w", ["sex"]),
        "of a query around": ("SELECT id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.id = age)", []),
        "in a condition": ("SELECT id FROM a WHERE sex = 'f'", ["sex"]),
        "in a union": ("SELECT id FROM a UNION ALL SELECT sex FROM b", ["sex"]),
        "renamed columns": ("SELECT x FROM a AS t(x, y, z)", []),
        "a row as a whole": ("SELECT count(t) FROM a AS t", []),
        "all": ("SELECT * FROM a", []),
    }.values(),
)
def test_a_column_that_no_table_in_scope_has_is_missing(query: str, gone: list[str]) -> None:
    assert missing(query) == gone


def test_names_that_a_query_makes_are_known() -> None:
    made = made_by(parse_dataset_query("SELECT *, age AS Older FROM a AS t(x, y)"))
    assert made == {"older", "t", "x", "y"}
