"""Whatever is written as a filter or a query, it is either refused by name or holds allowed nodes only."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from ordermade.errors import FilterError, RequestError
from ordermade.requests.read import read_request
from ordermade.requests.where import ALLOWED_NODES, canonical, parse_dataset_query, parse_filter

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
OPERANDS = st.sampled_from(["a", "b", '"x y"', "日付", "1", "-2", "2.5", "'o''x'", "abs(a)", "lower(Name)", "NULL"])


def _conditions(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, st.sampled_from(["AND", "or"]), inner).map(lambda parts: f"({' '.join(parts)})"),
        inner.map(lambda part: f"NOT {part}"),
        inner.map(lambda part: f"(({part}))"),
        inner.map(lambda part: f"({part}) IS NULL"),
    )


VALUES = st.recursive(
    OPERANDS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda parts: f"({' '.join(parts)})"),
        inner.map(lambda part: f"- {part}"),
    ),
    max_leaves=4,
)
COMPARISONS = st.one_of(
    st.tuples(VALUES, st.sampled_from(["=", "<", "!=", "IS DISTINCT FROM"]), VALUES).map(" ".join),
    VALUES.map(lambda part: f"{part} NOT IN (1, 'x', NULL)"),
    VALUES.map(lambda part: f"{part} BETWEEN 1 AND {part}"),
)
CONDITIONS = st.recursive(COMPARISONS, _conditions, max_leaves=6)


def check(text: str) -> None:
    with contextlib.suppress(FilterError):
        check_tree(parse_filter(text, COLUMNS))


def check_tree(tree: exp.Expression) -> None:
    spelling = canonical(tree)
    assert canonical(parse_filter(spelling, COLUMNS)) == spelling
    for node in tree.walk():
        assert type(node) in ALLOWED_NODES
        if isinstance(node, exp.Column):
            assert node.name in COLUMNS
            assert node.this.args["quoted"]


@given(st.text(max_size=60))
def test_any_text_is_refused_by_name_or_holds_allowed_nodes_only(text: str):
    check(text)


@given(SCRAPS)
def test_any_scraps_of_sql_are_refused_by_name_or_hold_allowed_nodes_only(text: str):
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
