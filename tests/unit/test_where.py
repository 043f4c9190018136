"""Row filters: what is allowed, how it is spelt at the end, and how each other one is refused."""

from __future__ import annotations

import duckdb
import pytest
import yaml

from ordermade.errors import FilterError
from ordermade.requests.dataset_query import parse_dataset_query
from ordermade.requests.filter_parser import canonical, in_a_request
from ordermade.requests.filter_tree import All, AnyOf, Constant, FilterComparison, Not, columns_of_filter, comparisons
from ordermade.requests.row_filter import parse_filter

COLUMNS = ("a", "b", "Name", "age", "d", "Sex", "sex", "x y", "active", "名前", "select", "a.b", 'q"q')


def spelt(text: str) -> str:
    return canonical(parse_filter(text, COLUMNS))


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        ("d >= DATE '2013-10-01'", "\"d\" >= CAST('2013-10-01' AS DATE)"),
        ("d >= '2013-10-01'::date", "\"d\" >= CAST('2013-10-01' AS DATE)"),
        ("d < TIMESTAMPTZ '2013-10-01 10:00+09'", "\"d\" < CAST('2013-10-01 10:00+09' AS TIMESTAMPTZ)"),
        ("A  =  1", '"a" = 1'),
        ("((a)) = (1)", '"a" = 1'),
        ("1 <> a", '"a" <> 1'),
        ("18 <= age", '"age" >= 18'),
        ("a != -1.50", '"a" <> -1.50'),
        ("a is not null", 'NOT "a" IS NULL'),
        ("active is not true", 'NOT "active" IS TRUE'),
        ("active = false", '"active" = FALSE'),
        ("a not in (1, -2)", 'NOT "a" IN (1, -2)'),
        ("a not between 1 and 2", 'NOT "a" BETWEEN 1 AND 2'),
        ("name not like 'x%'", "NOT \"Name\" LIKE 'x%'"),
        ("NAME = 'O''Brien; -- x'", "\"Name\" = 'O''Brien; -- x'"),
        ("a = 1 or (b = 2 or d = 3)", '"a" = 1 OR "b" = 2 OR "d" = 3'),
        ("(a = 1 or b = 2) and not active", '("a" = 1 OR "b" = 2) AND NOT "active"'),
        ("not (a = 1 and b = 2)", 'NOT ("a" = 1 AND "b" = 2)'),
        ("not not active", 'NOT (NOT "active")'),
        ('"x y" = 1', '"x y" = 1'),
        ("名前 = 'x'", "\"名前\" = 'x'"),
        ('"select" = 1', '"select" = 1'),
        ('"q""q" = 1', '"q""q" = 1'),
        ('"a.b" = 1', '"a.b" = 1'),
        ("active", '"active"'),
    ],
)
def test_one_spelling(text: str, spelling: str) -> None:
    assert spelt(text) == spelling
    assert spelt(spelling) == spelling


def test_a_filter_is_read_as_comparisons_of_columns_with_constants() -> None:
    tree = parse_filter("NAME LIKE 'x%' AND NOT (age IN (1, 2) OR \"SELECT\" IS NULL)", COLUMNS)
    like = FilterComparison("Name", "LIKE", (Constant("text", "x"),))
    ages = FilterComparison("age", "IN", (Constant("number", "1"), Constant("number", "2")))
    null = FilterComparison("select", "IS NULL")
    assert tree == All((like, Not(AnyOf((ages, null)))))
    assert list(comparisons(tree)) == [(like, False), (ages, True), (null, True)]
    assert columns_of_filter(tree) == ("Name", "age", "select")


@pytest.mark.slow
def test_a_long_list_of_conditions_is_not_deep() -> None:
    text = " or ".join(f"a = {number}" for number in range(800))
    assert spelt(text).count(" OR ") == 799


def test_the_spelling_means_the_same_to_a_database() -> None:
    rows = "SELECT * FROM (VALUES (1, 2, TRUE), (3, 0, FALSE), (NULL, 5, NULL), (-4, -4, TRUE)) t(a, b, active)"
    texts = [
        "not a = 1 or active and b > 0",
        "not (active or a = 1)",
        "a not between 1 and 3",
        "(a = 1 or b = 0) and not active is true",
        "2 > a and (3 <= b or not not active)",
    ]
    for text in texts:
        plain = duckdb.sql(f"SELECT * FROM ({rows}) WHERE {text} ORDER BY ALL").fetchall()
        respelt = canonical(parse_filter(text, ("a", "b", "active")))
        assert duckdb.sql(f"SELECT * FROM ({rows}) WHERE {respelt} ORDER BY ALL").fetchall() == plain, text


ONE = "Write one expression such as age >= 18 AND sex = 'f'."
QUERY = f"a query or row inside a filter is not allowed. {ONE}"
SEMICOLON = f"the filter holds a semicolon, and is one expression only. {ONE}"
CLOCK = "a filter that changes with the clock is not allowed. Write the date itself, such as DATE '2013-10-01'."
VALUE = f"the filter is a value and not a condition. {ONE}"
TABLE = "a column is written without a table. Write the column's name alone, in double quotes if it holds a dot."
PARAMETER = "a filter has no parameters. Write the value itself."
QUOTES = "Double quotes are for columns; a text goes in single quotes."
NULL = "nothing is equal to NULL. Write IS NULL or IS NOT NULL."
LIKE = (
    "LIKE takes the beginning of a text and one %. "
    "Write name LIKE 'A%', without another %, _ or \\; for the whole text, name = 'A'."
)
NO_DATE = "is no date or time. Write DATE '2013-10-01'."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1=1; DROP TABLE x", SEMICOLON),
        ("a = 1;", SEMICOLON),
        ("(SELECT 1)", QUERY),
        ("EXISTS (SELECT 1)", QUERY),
        ("a IN (SELECT b FROM t)", QUERY),
        ("a = ANY (SELECT 1)", QUERY),
        ("(a, b) = (1, 2)", QUERY),
        ("a = 1 -- x", "the filter holds a comment. Take the comment out."),
        ("a = 1\0", "the filter holds a control character at character 6. Take it out."),
        ("", "the filter is empty. Write an expression, or leave it out."),
        ("5", VALUE),
        ("'x'", VALUE),
        ("NULL", VALUE),
        ("1 = 1", VALUE),
        ("TRUE", VALUE),
        ("random() < 0.5", VALUE),
        ("a = NULL", NULL),
        ("a IN (1, NULL)", NULL),
        ("agee = 1", "there is no column 'agee'. Did you mean 'age'?"),
        ("year(agee) = 1", "there is no column 'agee'. Did you mean 'age'?"),
        ("a\u200b = 1", "there is no column 'a\\u200b'. Did you mean 'a'?"),
        (
            "SEX = 'f'",
            "'SEX' may be any of the columns 'Sex', 'sex'. Write the name with the same capitals as the column.",
        ),
        (
            'name = "Nme"',
            f"there is no column 'Nme'. Did you mean 'Name'? {QUOTES}",
        ),
        ("t.a = 1", TABLE),
        ("a = ?", PARAMETER),
        ("a = $1", PARAMETER),
        ("a = :x", PARAMETER),
        ("*", "a filter has no *. Name the columns."),
        ("d = current_date", CLOCK),
        ("d > DATE '2020-01-01' - INTERVAL 1 YEAR", CLOCK),
        ("name LIKE 'a'", LIKE),
        ("name LIKE 'ab'", LIKE),
        ("name LIKE '%a%'", LIKE),
        ("name LIKE '%'", LIKE),
        ("name LIKE 'a_%'", LIKE),
        ("name LIKE 'a\\%'", LIKE),
        ("a IS DISTINCT FROM 5", "IS DISTINCT FROM is not allowed in a filter. Write age <> 5 OR age IS NULL."),
        ("a IS NOT DISTINCT FROM 5", "IS NOT DISTINCT FROM is not allowed in a filter. Write age = 5, or age IS NULL."),
        ("d = DATE 'abc'", f"'abc' {NO_DATE}"),
        ("d = DATE '2013-02-30'", f"'2013-02-30' {NO_DATE}"),
        ("d = DATE 'infinity'", f"'infinity' {NO_DATE}"),
        (
            "1 < a < 9",
            "a condition stands where a value is compared. Join conditions with AND and OR: 1 < age AND age < 9.",
        ),
        ("a = 1e999", "a number is too large or too long. Write at most 40 digits."),
        ("a IS JSON", "this form of IS is not allowed. Write IS NULL, IS NOT NULL, IS TRUE or IS FALSE."),
        ("a = 'x", "the filter cannot be read as SQL. Check that every quote is closed."),
        ("a" * 10_001, "the filter is longer than 10,000 characters. Write a shorter one."),
        ("(" * 5_000, "the filter is nested too deeply. Use at most 20 brackets inside one another."),
        ("not " * 61 + "active", "the filter is nested too deeply. Write it with fewer steps inside one another."),
    ],
)
def test_what_is_refused_and_how(text: str, message: str) -> None:
    with pytest.raises(FilterError) as caught:
        parse_filter(text, COLUMNS)
    assert str(caught.value) == message
    assert caught.value.exit_status == 2


@pytest.mark.parametrize(
    "most", ["not " * 60 + "active", "(" * 20 + "active" + ")" * 20, "a = 1".ljust(10_000)], ids=["not", "()", "long"]
)
def test_a_filter_may_be_as_deep_and_long_as_the_limit(most: str) -> None:
    assert spelt(most)


MORE = "a filter compares a column with constants of its type, and does no more than that"


@pytest.mark.parametrize(
    "text",
    [
        "a = b",
        "a + 1 > 2",
        "a = 1 + 1",
        "a = - -1",
        "a BETWEEN 1 AND b",
        "b IN (a, 1)",
        "a IN (1 + 1)",
        "lower(name) = 'x'",
        "length(name) = 3",
        "coalesce(a, 0) = 0",
        "abs(a) = 1",
        "month(d) = 4",
        "CAST(a AS INT) = 1",
        "(a = 1) IS NULL",
        "(a = 1) = active",
        "CASE WHEN a = 1 THEN true END",
        "name ILIKE 'a%'",
        "name LIKE 'a!%' ESCAPE '!'",
        "name || 'x' = 'xx'",
        "a % 2 = 1",
        "active AND (a > 1 OR a * a > 5)",
    ],
)
def test_what_calculates_is_refused_with_the_dataset_query_that_does_it(text: str) -> None:
    with pytest.raises(FilterError, match=MORE) as caught:
        parse_filter(text, COLUMNS, "people")
    said, _, query = (caught.value.next_step or "").partition(": ")
    assert said == "A dataset query of the provider's can, for the filter `chosen`"
    assert parse_dataset_query(query)
    people = "CREATE TABLE people (a INT, b INT, Name VARCHAR, d DATE, active BOOLEAN)"
    with duckdb.connect() as connection:
        connection.execute(people)
        connection.execute("INSERT INTO people VALUES (1, 2, 'x', '2020-04-01', true), (3, 3, 'y', NULL, NULL)")
        condition = text.rpartition("OR ")[2].rstrip(")") if "OR" in text else text
        expected = connection.execute(f"SELECT a FROM people WHERE {condition}").fetchall()
        assert connection.execute(f"SELECT a FROM ({query}) WHERE chosen").fetchall() == expected


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("year(d) = 2013", "\"d\" >= CAST('2013-01-01' AS DATE) AND \"d\" < CAST('2014-01-01' AS DATE)"),
        ("substring(name, 1, 2) = 'ab'", "\"Name\" LIKE 'ab%'"),
        ("CAST(d AS DATE) > '2013-10-01'", "\"d\" >= CAST('2013-10-02' AS DATE)"),
    ],
)
def test_what_a_comparison_can_say_is_refused_with_the_comparison(text: str, instead: str) -> None:
    with pytest.raises(FilterError, match=MORE) as caught:
        parse_filter(text, COLUMNS)
    assert caught.value.next_step == f"Write {instead}."


@pytest.mark.parametrize(
    "text",
    [
        "getenv('HOME') = name",
        "read_text('x') = name",
        "current_user = name",
        "name COLLATE nocase = 'x'",
        "a = ALL (SELECT 1)",
        "UNNEST([a]) = 1",
        "name ~ 'x'",
        "a[1] = 1",
        "a = [1]",
        "a = {'x': 1}",
        "a -> 1",
        "x -> x",
        "name SIMILAR TO 'x'",
        "#1 = 1",
        "COLUMNS('a') = 1",
        "a BETWEEN SYMMETRIC 1 AND 2",
        "a := 1",
        "a = 1 LIMIT 1",
        "a = 1 ORDER BY a",
        "DROP TABLE x",
        "a = 1 a = 2",
        "a = 1 AND",
        "a = 1)",
        "x'00' = name",
        "name = E'x'",
        "name = 'x' 'y'",
        "rowid = 1",
        "a IN ()",
        "a = 0x1F",
        "DISTINCT a",
        "count(*) OVER () = a",
        "a AND 5",
    ],
)
def test_everything_else_is_refused(text: str) -> None:
    with pytest.raises(FilterError) as caught:
        parse_filter(text, COLUMNS)
    assert caught.value.next_step


@pytest.mark.parametrize("text", ['"x y" is not null', "\"it's\" <> 'a''b'", "a > 1 and # not 'this'", "null"])
def test_a_filter_told_as_a_line_of_a_request_is_read_as_that_filter(text: str) -> None:
    assert yaml.safe_load(in_a_request(text)) == {"where": text}
