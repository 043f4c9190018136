"""Row filters: what is allowed, how it is spelt at the end, and how each hostile one is refused."""

from __future__ import annotations

import duckdb
import pytest
import yaml
from sqlglot import exp

from ordermade.errors import FilterError
from ordermade.requests.where import canonical, in_a_request, parse_filter

COLUMNS = (
    "a",
    "b",
    "Name",
    "age",
    "d",
    "joined",
    "Sex",
    "sex",
    "x y",
    "active",
    "名前",
    "select",
    "a.b",
    'q"q',
)


def spelt(text: str) -> str:
    return canonical(parse_filter(text, COLUMNS))


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        ("joined >= DATE '2013-10-01'", "\"joined\" >= CAST('2013-10-01' AS DATE)"),
        ("joined >= '2013-10-01'::date", "\"joined\" >= CAST('2013-10-01' AS DATE)"),
        ("a = 1", '"a" = 1'),
        ("A  =  1", '"a" = 1'),
        ("((a)) = (1)", '"a" = 1'),
        ("a != 1", '"a" <> 1'),
        ("a is not null", 'NOT "a" IS NULL'),
        ("a is not distinct from 3", '"a" IS NOT DISTINCT FROM 3'),
        ("a is distinct from NULL", '"a" IS DISTINCT FROM NULL'),
        ("active is not true", 'NOT "active" IS TRUE'),
        ("a not in (1, -2, null)", 'NOT "a" IN (1, -2, NULL)'),
        ("a between 1 and 2 + 1", '"a" BETWEEN 1 AND 2 + 1'),
        ("name not like 'x%'", "NOT \"Name\" LIKE 'x%'"),
        ("NAME = 'O''Brien; -- x'", "\"Name\" = 'O''Brien; -- x'"),
        ("a / (2 * b) - -1 = 1", '"a" / (2 * "b") - -1 = 1'),
        ("a - (b - 1) = 0", '"a" - ("b" - 1) = 0'),
        ("- - a = 1", '-(-"a") = 1'),
        ("a = 1 or (b = 2 or d = 3)", '"a" = 1 OR "b" = 2 OR "d" = 3'),
        ("(a = 1 or b = 2) and not active", '("a" = 1 OR "b" = 2) AND NOT "active"'),
        ("not (a = 1 and b = 2)", 'NOT ("a" = 1 AND "b" = 2)'),
        ("(a > 1) is null", '("a" > 1) IS NULL'),
        ("extract(year from d) = 2013", 'EXTRACT(YEAR FROM "d") = 2013'),
        ("year(d) = 1 and Month(d) = 2 and day(d) = 3", 'YEAR("d") = 1 AND MONTH("d") = 2 AND DAY("d") = 3'),
        ("substring(name from 1 for 2) = 'x'", "SUBSTRING(\"Name\", 1, 2) = 'x'"),
        ("lower(trim(name)) = upper('x')", "LOWER(TRIM(\"Name\")) = UPPER('x')"),
        ("coalesce(active, false)", 'COALESCE("active", FALSE)'),
        ("abs(round(a, 1)) + floor(b) < ceil(3.5)", 'ABS(ROUND("a", 1)) + FLOOR("b") < CEIL(3.5)'),
        ("length(name) = 3", 'LENGTH("Name") = 3'),
        ('"x y" = 1', '"x y" = 1'),
        ("名前 = 'x'", "\"名前\" = 'x'"),
        ('"select" = 1', '"select" = 1'),
        ('"q""q" = 1', '"q""q" = 1'),
        ('"a.b" = 1', '"a.b" = 1'),
        ("active", '"active"'),
        ("true", "TRUE"),
        ("d < TIMESTAMPTZ '2013-10-01 10:00+09'", "\"d\" < CAST('2013-10-01 10:00+09' AS TIMESTAMPTZ)"),
        ("a::date = d", 'CAST("a" AS DATE) = "d"'),
    ],
)
def test_one_spelling(text: str, spelling: str):
    assert spelt(text) == spelling
    assert spelt(spelling) == spelling


def test_every_column_is_quoted_as_stored():
    tree = parse_filter("NAME = 'x' AND lower(\"SELECT\") = 'y'", COLUMNS)
    found = [(column.this.name, column.this.args["quoted"]) for column in tree.find_all(exp.Column)]
    assert found == [("Name", True), ("select", True)]


@pytest.mark.slow
def test_a_long_list_of_conditions_is_not_deep():
    text = " or ".join(f"a = {number}" for number in range(800))
    assert spelt(text).count(" OR ") == 799


def test_the_spelling_means_the_same_to_a_database():
    rows = "SELECT * FROM (VALUES (1, 2, TRUE), (3, 0, FALSE), (NULL, 5, NULL), (-4, -4, TRUE)) t(a, b, active)"
    texts = [
        "not a = 1 or active and b > 0",
        "a - (b - 1) > 2 - (3 - a)",
        "not (active or a = 1)",
        "(a > 1) is null",
        "a not between b and 3",
        "a * (b + 1) / 2 >= 1 and not active is true",
        "-a < 3 - -b",
        "not not active",
    ]
    for text in texts:
        plain = duckdb.sql(f"SELECT * FROM ({rows}) WHERE {text} ORDER BY ALL").fetchall()
        respelt = canonical(parse_filter(text, ("a", "b", "active")))
        assert duckdb.sql(f"SELECT * FROM ({rows}) WHERE {respelt} ORDER BY ALL").fetchall() == plain, text


QUERY = (
    "a query, list or row inside a filter is not allowed. "
    "Compare columns with values; ask the provider for a dataset that is prepared so."
)
SEMICOLON = (
    "the filter holds a semicolon, and is one expression only. Write one expression such as age >= 18 AND sex = 'f'."
)
CLOCK = "a filter that changes with the clock is not allowed. Write the date itself, such as DATE '2013-10-01'."
VALUE = "the filter is a value and not a condition. Compare something, such as age >= 18."
SPELLING = "this spelling of a text is not allowed. Write it between single quotes, 'like this'."
TABLE = "a column is written without a table. Write the column's name alone, in double quotes if it holds a dot."
PARAMETER = "a filter has no parameters. Write the value itself."
CHAIN = "a condition stands where a value is compared. Join conditions with AND and OR: 1 < age AND age < 9."
NO_DATE = "is no date or time. Write DATE '2013-10-01'."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1=1; DROP TABLE x", SEMICOLON),
        ("a = 1;", SEMICOLON),
        ("(SELECT 1)", QUERY),
        ("EXISTS (SELECT 1)", QUERY),
        ("a IN (SELECT b FROM t)", "this form of IN is not allowed. Write sex IN ('f', 'm')."),
        ("a = ANY (SELECT 1)", QUERY),
        ("(a, b) = (1, 2)", QUERY),
        ("name LIKE ANY ('x')", QUERY),
        ("a IN (b)", "IN takes a list of values. Write sex IN ('f', 'm')."),
        ("a = 1 -- x", "the filter holds a comment. Take the comment out."),
        ("a /* x */ = 1", "the filter holds a comment. Take the comment out."),
        ("a = 1\0", "the filter holds a control character at character 6. Take it out."),
        ("\ud800 = 1", "the filter holds a control character at character 1. Take it out."),
        ("", "the filter is empty. Write an expression, or leave it out."),
        ("-- x", "the filter is empty. Write an expression, or leave it out."),
        ("5", VALUE),
        ("a + 1", VALUE),
        ("'x'", VALUE),
        ("NULL", VALUE),
        ("DATE '2013-10-01'", VALUE),
        ("agee = 1", "there is no column 'agee'. Did you mean 'age'?"),
        ("a\u200b = 1", "there is no column 'a\\u200b'. Did you mean 'a'?"),
        (
            "SEX = 'f'",
            ("'SEX' may be any of the columns 'Sex', 'sex'. Write the name with the same capitals as the column."),
        ),
        (
            'name = "Nme"',
            (
                "there is no column 'Nme'. Did you mean 'Name'? "
                "Double quotes are for columns; a text goes in single quotes."
            ),
        ),
        ("t.a = 1", TABLE),
        ("x.y.z.t.a = 1", TABLE),
        ("a = ?", PARAMETER),
        ("a = $1", PARAMETER),
        ("a = :x", PARAMETER),
        ("count(*) OVER () = 1", "a filter has no window function. Compare columns with values."),
        ("*", "a filter has no *. Name the columns."),
        ("d = current_date", CLOCK),
        (
            "d > DATE '2020-01-01' - INTERVAL 1 YEAR",
            "a filter has no INTERVAL. Write the date itself, such as DATE '2013-10-01'.",
        ),
        ("1 < a < 9", CHAIN),
        ("name = E'x'", SPELLING),
        ("name = $$x$$", SPELLING),
        ("name = 'x' 'y'", SPELLING),
        ("name ILIKE 'a%'", "ILIKE is not allowed. Write LOWER(name) LIKE 'a%'."),
        ("name LIKE 'a!%' ESCAPE '!'", "LIKE … ESCAPE is not allowed. Write the pattern without it."),
        ("name LIKE lower(name)", "LIKE takes a text in quotes. Write name LIKE 'A%'."),
        (
            "CAST(a AS INT) = 1",
            "a filter converts values to DATE and TIMESTAMP only. Compare the column as it is.",
        ),
        ("TRY_CAST(a AS DATE) = d", "this conversion is not allowed. Compare the column as it is."),
        ("d = DATE 'abc'", f"'abc' {NO_DATE}"),
        ("d = DATE '2013-02-30'", f"'2013-02-30' {NO_DATE}"),
        (
            "d = CAST(lower(name) AS DATE)",
            "only a column or a text is read as a date or time. Write DATE '2013-10-01'.",
        ),
        ("a = 1e999", "a number is too large or too long. Write at most 40 digits."),
        (
            "CASE WHEN a = 1 THEN true END",
            "CASE is not allowed in a filter. Join conditions with AND and OR.",
        ),
        ("a IS 5", "this form of IS is not allowed. Write IS NULL, IS NOT NULL, IS TRUE or IS FALSE."),
        ("a = 'x", "the filter cannot be read as SQL. Check that every quote is closed."),
        (
            "a AND 5",
            "AND, OR and NOT join conditions, and one of them is a value. Compare it, such as age >= 18.",
        ),
        ("a" * 10_001, "the filter is longer than 10,000 characters. Write a shorter one."),
        ("(" * 5_000, "the filter is nested too deeply. Use at most 20 brackets inside one another."),
        (
            "not " * 2_000 + "active",
            "the filter is nested too deeply. Write it with fewer steps inside one another.",
        ),
        (
            "+".join(["a"] * 4_000) + " = 1",
            "the filter is nested too deeply. Write it with fewer steps inside one another.",
        ),
    ],
)
def test_what_is_refused_and_how(text: str, message: str):
    with pytest.raises(FilterError) as caught:
        parse_filter(text, COLUMNS)
    assert str(caught.value) == message
    assert caught.value.exit_status == 2


DEEP = "the filter is nested too deeply. "


@pytest.mark.parametrize(
    ("most", "one_more", "message"),
    [
        ("not " * 60 + "active", "not " * 61 + "active", f"{DEEP}Write it with fewer steps inside one another."),
        (
            "+".join(["a"] * 60) + " = 1",
            "+".join(["a"] * 61) + " = 1",
            f"{DEEP}Write it with fewer steps inside one another.",
        ),
        (
            "(" * 20 + "active" + ")" * 20,
            "(" * 21 + "active" + ")" * 21,
            f"{DEEP}Use at most 20 brackets inside one another.",
        ),
        (
            "a = 1".ljust(10_000),
            "a = 1".ljust(10_001),
            "the filter is longer than 10,000 characters. Write a shorter one.",
        ),
    ],
    ids=["steps", "sums", "brackets", "characters"],
)
def test_a_filter_may_be_as_deep_and_long_as_the_limit_and_no_more(most: str, one_more: str, message: str):
    assert spelt(most)
    with pytest.raises(FilterError) as caught:
        parse_filter(one_more, COLUMNS)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "text",
    [
        "getenv('HOME') = 'x'",
        "date(a) = 1",
        "regexp_matches(name, 'x')",
        "read_text('x') = 'y'",
        "random() < 0.5",
        "current_user = name",
        "ltrim(name) = ''",
        "trim(both 'x' from name) = ''",
        "struct_extract(a, 'b') = 1",
        "name COLLATE nocase = 'x'",
        "a || b = 'x'",
        "a % 2 = 1",
        "a // 2 = 1",
        "a ^ 2 = 1",
        "name ~ 'x'",
        "a[1] = 1",
        "a = [1]",
        "a = {'x': 1}",
        "a -> 1",
        "x -> x",
        "name SIMILAR TO 'x'",
        "a IS JSON",
        "#1 = 1",
        "COLUMNS('a') = 1",
        "a BETWEEN SYMMETRIC 1 AND 2",
        "extract(epoch from d) = 1",
        "a := 1",
        "a = 1 LIMIT 1",
        "a = 1 ORDER BY a",
        "DROP TABLE x",
        "a = 1 a = 2",
        "a = 1 AND",
        "a = 1)",
        "a = 1,",
        "x'00' = name",
        "rowid = 1",
        "a IN ()",
        "substring(name) = 'x'",
        "lower() = 'x'",
        "a = ALL (SELECT 1)",
        "UNNEST([1]) = 1",
        "a = 0x1F",
        "DISTINCT a",
    ],
)
def test_everything_else_is_refused(text: str):
    with pytest.raises(FilterError) as caught:
        parse_filter(text, COLUMNS)
    assert caught.value.next_step


@pytest.mark.parametrize("text", ['"x y" is not null', "\"it's\" <> 'a''b'", "a > 1 and # not 'this'", "null"])
def test_a_filter_told_as_a_line_of_a_request_is_read_as_that_filter(text):
    assert yaml.safe_load(in_a_request(text)) == {"where": text}
