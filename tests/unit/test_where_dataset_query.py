"""A provider's dataset query: one SELECT over the tables of the source."""

from __future__ import annotations

from pathlib import Path

import pytest

from ordermade.errors import FilterError
from ordermade.requests.dataset_query import ALLOWED, parse_dataset_query
from ordermade.sql import text as sql_text

_ORDERED = {
    "LIMIT": "from t limit 3",
    "OFFSET": "from t offset 3",
    "FETCH": "from t order by a fetch first 3 rows only",
    "DISTINCT ON": "select distinct on (a) b from t",
    "rowid": "select rowid as r from t",
    "FIRST": "select first(b) from t group by a",
    "LAST": "select last(b) from t group by a",
    "ANY_VALUE": "select any_value(b) from t group by a",
    "ARBITRARY": "select arbitrary(b) from t group by a",
    "LIST (ARRAY_AGG)": "select list(b) from t group by a",
    "STRING_AGG (GROUP_CONCAT)": "select string_agg(b, ',') from t group by a",
    "ROW_NUMBER OVER (ORDER BY …)": "from t qualify row_number() over (order by a) = 1",
    "ROW_NUMBER": "select row_number() over () as n from t",
    "SUM OVER (ORDER BY …)": "select sum(a) over (order by b) as s from t",
}
_ORDER_DEPENDENT = [
    (text, f"{name} is not allowed in a dataset query: it depends on the order of rows, and may read differently")
    for name, text in _ORDERED.items()
]


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("select a from t;", "SELECT a FROM t"),
        ("from t", "SELECT * FROM t"),
        ("(select 1 as a)", "(SELECT 1 AS a)"),
        (
            "with x as (select 1 as a) select * from x union all select 2",
            "WITH x AS (SELECT 1 AS a) SELECT * FROM x UNION ALL SELECT 2",
        ),
        ("select a, -- the column\n b from main.t -- the end", "SELECT a, b FROM main.t"),
        (
            "select count(*) over (partition by a) as n from t join u using (id) where a is not null",
            "SELECT COUNT(*) OVER (PARTITION BY a) AS n FROM t JOIN u USING (id) WHERE NOT a IS NULL",
        ),
        ("select * from (values (1)) v(a)", "SELECT * FROM (VALUES (1)) AS v(a)"),
        ("select a from t where b = 'x; drop table y'", "SELECT a FROM t WHERE b = 'x; drop table y'"),
    ],
)
def test_one_select_is_read(text: str, printed: str):
    assert sql_text(parse_dataset_query(text)) == printed


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "the dataset query is empty"),
        ("-- only a comment", "the dataset query is empty"),
        ("drop table x", "the dataset query is not a SELECT"),
        ("values (1)", "the dataset query is not a SELECT"),
        ("explain select 1", "the dataset query is not a SELECT"),
        ("copy t to 'x'", "the dataset query is not a SELECT"),
        ("attach 'x'", "the dataset query is not a SELECT"),
        ("create table x as select 1", "the dataset query is not a SELECT"),
        ("select", "the dataset query selects nothing"),
        ("select 1; select 2", "the dataset query holds more than one statement"),
        ("select 1; drop table x", "the dataset query holds more than one statement"),
        ("select a into b from c", "INTO is not allowed in the dataset query"),
        (
            "with x as (delete from t returning *) select * from x",
            "DELETE is not allowed in the dataset query",
        ),
        ("select * from t for update", "LOCK is not allowed in the dataset query"),
        ("select * from t where a = ?", "PLACEHOLDER is not allowed in the dataset query"),
        ("select * from t tablesample 10%", "TABLESAMPLE is not allowed in the dataset query"),
        ("select * from 'f.csv'", "'f.csv' names a file and not a table of the source"),
        ('select * from "F.Parquet"', "'F.Parquet' names a file and not a table of the source"),
        ("from data.csv", "'data.csv' names a file and not a table of the source"),
        ("select * from t, '/etc/passwd' p", "'/etc/passwd' names a file and not a table of the source"),
        ("select * from 's3://x'", "'s3://x' names a file and not a table of the source"),
        ("select * from read_csv('x')", "a table function is not allowed in the dataset query"),
        ("select * from main.read_csv('x')", "a table function is not allowed in the dataset query"),
        ("select * from range(3)", "a table function is not allowed in the dataset query"),
        ("select * from glob('*')", "the table function 'glob' is not allowed in the dataset query"),
        (
            "select * from pragma_table_info('t')",
            "the table function 'pragma_table_info' is not allowed in the dataset query",
        ),
        (
            "select * from t where a in (select b from read_text('x'))",
            "the table function 'read_text' is not allowed in the dataset query",
        ),
        ("select getenv('X')", "the function 'getenv' is not allowed in the dataset query"),
        ("select 'X'.getenv()", "the function 'getenv' is not allowed in the dataset query"),
        ("select system.main.getenv('X')", "the function 'getenv' is not allowed in the dataset query"),
        *_ORDER_DEPENDENT,
        ("select lowr(a) from t", "a dataset query may not call the function 'lowr'"),
        ("select random() as r from t", "the function 'rand' answers differently each time"),
        ("select a from t\0", "the dataset query holds a control character at character 16"),
        ("(" * 5_000, "the dataset query is nested too deeply"),
        ("select * from", "the dataset query cannot be read as SQL near 'from' (line 1, character 13)"),
    ],
)
def test_everything_else_is_refused(text: str, what: str):
    with pytest.raises(FilterError) as caught:
        parse_dataset_query(text)
    assert caught.value.what.removesuffix(" each time") == what.removesuffix(" each time")
    assert caught.value.next_step
    assert caught.value.exit_status == 2


def test_every_function_is_on_the_page_of_request_files():
    page = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "request.md").read_text(encoding="utf-8")
    assert [name for name in sorted(ALLOWED) if f"`{name.upper()}`" not in page] == []


@pytest.mark.parametrize(
    "text",
    [
        "select lower(a) || substr(b, 1, 2) as x, cast(c as integer) as y, d::date as z from t",
        "select case when a > 1 then coalesce(b, 'x') else nullif(c, '') end as x, if(a, b, c) as y from t",
        "select count(*) as n, sum(a) as s, min(b) as l, max(b) as m, avg(a) as v, median(a) as q from t group by c",
        "select date_trunc('month', d) as m, year(d) as y, date_diff('day', d, e) as n, strftime(d, '%Y') as t from t",
        "select date_part('year', d) as y, extract(month from d) as m, try_cast(a as date) as n from t",
        "select round(a, 1) as r, floor(a / 10.0) * 10 as f, greatest(a, b) as g, hash(a) as h from t",
        "select regexp_replace(a, 'x', 'y') as r, split_part(a, '-', 1) as p, trim(a) as t from t",
    ],
)
def test_the_usual_functions_are_allowed(text: str):
    assert parse_dataset_query(text)
