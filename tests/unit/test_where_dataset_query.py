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
    "OVER (ORDER BY …)": "from t qualify row_number() over (order by a) = 1",
}
_UNLISTED = {
    "TABLESAMPLE": "from t tablesample 10%",
    "PIVOT": "from t pivot (count(*) for a in (1, 2))",
    "LATERAL": "select * from t, lateral (select t.a as b) as u",
    "CUBE": "select a, count(*) as n from t group by cube (a)",
    "ROLLUP": "select a, count(*) as n from t group by rollup (a)",
    "GROUPINGSETS": "select a, count(*) as n from t group by grouping sets ((a), ())",
    "RECURSIVE": "with recursive x as (select 1 as a union all select a + 1 from x) select * from x",
    "INTO": "select a into b from c",
    "DELETE": "with x as (delete from t returning *) select * from x",
    "LOCK": "select * from t for update",
    "PLACEHOLDER": "select * from t where a = ?",
    "HISTORICALDATA": "select a from t at (version => 1)",
    "the table function": "select * from range(3)",
    "the table function 'glob'": "select * from glob('*')",
    "the table function 'pragma_table_info'": "select * from pragma_table_info('t')",
    "the table function 'read_text'": "select * from t where a in (select b from read_text('x'))",
}
_MOMENTS = {
    "the text 'today'": "select * from t where d >= 'today'",
    "the text ' Now '": "select cast(' Now ' as timestamp) as d from t",
    "the text 'tomorrow 10:00 utc'": "select date 'tomorrow 10:00 utc' as d from t",
    "the text 'now'": "select date('now') as d from t",
    "the text 'yesterday'": "select cast(coalesce(d, 'yesterday') as date) as d from t",
}
_FUNCTIONS = {
    "getenv": "select getenv('X')",
    "getenv ": "select 'X'.getenv()",
    " getenv": "select system.main.getenv('X')",
    "first": "select first(b) from t group by a",
    "last": "select last(b) from t group by a",
    "any_value": "select any_value(b) from t group by a",
    "array_agg": "select list(b) from t group by a",
    "group_concat": "select string_agg(b, ',') from t group by a",
    "row_number": "select row_number() over () as n from t",
    "rand": "select random() as r from t",
    "now": "select now() as r from t",
    "lowr": "select lowr(a) from t",
}


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
        *(
            (text, f"{name} is not allowed in a dataset query")
            for name, text in (_ORDERED | _UNLISTED | _MOMENTS).items()
        ),
        *((text, f"a dataset query may not call the function '{name.strip()}'") for name, text in _FUNCTIONS.items()),
        ("select a from t\0", "the dataset query holds a control character at character 16"),
        ("(" * 5_000, "the dataset query is nested too deeply"),
        ("select * from", "the dataset query cannot be read as SQL near 'from' (line 1, character 13)"),
    ],
)
def test_everything_else_is_refused(text: str, what: str):
    with pytest.raises(FilterError) as caught:
        parse_dataset_query(text)
    assert caught.value.what == what
    assert caught.value.next_step
    assert caught.value.exit_status == 2


def test_every_function_is_on_the_page_of_request_files():
    page = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "request.md").read_text(encoding="utf-8")
    assert [name for name in sorted(ALLOWED) if f"`{name.upper()}`" not in page] == []


@pytest.mark.parametrize(
    "text",
    [
        "select lower(a) || substr(b, 1, 2) as x, cast(c as integer) as y, d::date as z from t",
        "select a from t where b = 'closed today' or b like '%now%' or b in ('nowhere', 'open')",
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
