"""Whatever is written as a filter or a query, it is either refused by name or does no more than it may."""

from __future__ import annotations

import contextlib

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from ordermade.errors import FilterError, RequestError
from ordermade.requests.dataset_query import parse_dataset_query
from ordermade.requests.filter_parser import canonical
from ordermade.requests.filter_tree import comparisons
from ordermade.requests.read import read_request
from ordermade.requests.row_filter import parse_filter

COLUMNS = ("a", "b", "Name", "x y", "日付")
WORDS = st.sampled_from(
    [
        *[
            r"a",
            r"B",
            r"name",
            r"日付",
            r"1",
            r"-2.5",
            r"'x'",
            r"NULL",
            r"TRUE",
            r"(",
            r")",
            r"[",
            r"]",
            r"{",
            r"}",
            r",",
            r";",
            r".",
            r"=",
            r"<>",
            r"<",
            r">=",
            r"+",
            r"-",
            r"*",
            r"/",
            r"%",
            r"||",
            r"::",
            r"->",
            r"?",
            r"$1",
            r":x",
            r"@",
            r"#1",
            r"AND",
            r"OR",
            r"NOT",
            r"IS",
            r"IN",
            r"BETWEEN",
            r"LIKE",
            r"ESCAPE",
            r"CASE",
            r"WHEN",
            r"THEN",
            r"END",
            r"CAST(",
            r"AS",
            r"DATE",
            r"INTERVAL",
            r"INT",
            r"SELECT",
            r"FROM",
            r"WHERE",
            r"WITH",
            r"UNION",
            r"EXISTS",
            r"OVER",
            r"lower(",
            r"abs(",
            r"coalesce(",
            r"extract(",
            r"YEAR",
            r"read_csv(",
            r"getenv(",
            r"substring(",
            r"FOR",
            r"DISTINCT",
            r"ANY",
            r"--",
            r"/*",
            r"*/",
            r"$$",
            r"E'",
            r"'",
        ],
        '"x y"',
        '"',
        "\0",
    ]
)
SCRAPS = st.lists(WORDS, max_size=14).map(" ".join)
COLUMN = st.sampled_from(["a", "b", '"x y"', "日付", "(Name)"])
CONSTANT = st.sampled_from(["1", "-2", "2.5", "'o''x'", "DATE '2020-01-01'", "TRUE", "(3)"])
COMPARISONS = st.one_of(
    st.tuples(COLUMN, st.sampled_from(["=", "<", "!=", ">="]), CONSTANT).map(" ".join),
    st.tuples(CONSTANT, st.sampled_from(["=", ">", "<>"]), COLUMN).map(" ".join),
    st.tuples(COLUMN, CONSTANT).map(lambda parts: f"{parts[0]} NOT IN (1, {parts[1]})"),
    st.tuples(COLUMN, CONSTANT).map(lambda parts: f"{parts[0]} BETWEEN 1 AND {parts[1]}"),
    COLUMN.map(lambda each: f"{each} IS NOT NULL"),
    COLUMN.map(lambda each: f"{each} NOT LIKE 'x%'"),
    COLUMN,
)
CONDITIONS = st.recursive(
    COMPARISONS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["AND", "or"]), inner).map(lambda parts: f"({' '.join(parts)})"),
        inner.map(lambda part: f"NOT {part}"),
        inner.map(lambda part: f"(({part}))"),
    ),
    max_leaves=6,
)
ALLOWED = {
    exp.And, exp.Or, exp.Not, exp.Paren, exp.Column, exp.Identifier, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE,
    exp.In, exp.Between, exp.Like, exp.Is, exp.Literal, exp.Neg, exp.Null, exp.Boolean, exp.Cast, exp.DataType,
}  # fmt: skip


def check(text: str) -> None:
    with contextlib.suppress(FilterError):
        tree = parse_filter(text, COLUMNS)
        spelling = canonical(tree)
        assert canonical(parse_filter(spelling, COLUMNS)) == spelling
        assert {each.column for each, _ in comparisons(tree)} <= set(COLUMNS)
        assert {type(each) for each in sqlglot.parse_one(spelling, dialect="duckdb").walk()} <= ALLOWED


@given(st.text(max_size=60))
def test_any_text_is_refused_by_name_or_holds_comparisons_only(text: str):
    check(text)


@given(SCRAPS)
def test_any_scraps_of_sql_are_refused_by_name_or_hold_comparisons_only(text: str):
    check(text)


@pytest.mark.slow
@given(CONDITIONS)
def test_conditions_have_one_spelling(text: str):
    tree = parse_filter(text, COLUMNS)
    spelling = canonical(tree)
    assert canonical(parse_filter(spelling, COLUMNS)) == spelling
    assert canonical(parse_filter(f"( {text} )", COLUMNS)) == spelling


@given(st.one_of(st.text(max_size=60), SCRAPS, SCRAPS.map(lambda text: f"SELECT {text}")))
def test_any_dataset_query_is_refused_by_name_or_is_a_query(text: str):
    with contextlib.suppress(FilterError):
        assert isinstance(parse_dataset_query(text), exp.Query)


YAML = [
    *[
        "k:",
        "k",
        ":",
        "-",
        "[",
        "]",
        "{",
        "}",
        "&a",
        "*a",
        "!t",
        "?",
        "|",
        ">",
        "---",
        "...",
        "%",
        "dataset",
        "1",
        "~",
        "#",
        ",",
        "<<:",
        "\\",
        "'",
        '"',
    ],
    " ",
    "\n",
    "\t",
    "release: {to: x.csv}",
]


@given(st.one_of(st.text(max_size=80), st.lists(st.sampled_from(YAML), max_size=20).map("".join)))
def test_any_text_is_no_request_and_says_why(text: str):
    with pytest.raises(RequestError) as caught:
        read_request(text)
    assert caught.value.exit_status == 2
    assert str(caught.value)
