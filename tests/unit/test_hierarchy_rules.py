"""Rule hierarchies: keys computed by the database, labels and classes computed from keys."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb
import pytest
from sqlglot import exp

from ordermade.errors import HierarchyError
from ordermade.hierarchies.column_types import type_in_words
from ordermade.hierarchies.hierarchy import NOT_COVERED
from ordermade.hierarchies.read import parse_yaml


def parse(text):
    return parse_yaml(text, "h", where="h.yaml")[0]


def codes(hierarchy, column_type, base, values):
    """The key of each value, computed by DuckDB on a column of this type."""
    expression = hierarchy.code(exp.column(exp.to_identifier("a b", quoted=True)), column_type, base)
    sql = expression.sql(dialect="duckdb")
    assert "//" not in sql
    rows = ", ".join(f"({number}, CAST({value} AS {column_type}))" for number, value in enumerate(values))
    query = f'SELECT {sql} FROM (SELECT n, v AS "a b" FROM (VALUES {rows}) t(n, v)) ORDER BY n'
    return [row[0] for row in duckdb.sql(query).fetchall()]


def labels(hierarchy, column_type, base, level, values):
    keys = codes(hierarchy, column_type, base, values)
    grounding = hierarchy.ground(base, sorted(set(keys), key=str))
    label_of = {
        key: grounding.labels[level][cell] for key, cell in zip(grounding.keys, grounding.cell_of_key, strict=True)
    }
    return [label_of[key] for key in keys]


AGES = "intervals: {levels: [{width: 5}, {width: 10}, {width: 25, name: quarter}]}"


def test_whole_numbers():
    assert labels(parse(AGES), "INTEGER", 1, 1, [0, 4, 5, -1, -5, "NULL"]) == [
        "[0, 5)", "[0, 5)", "[5, 10)", "[-5, 0)", "[-5, 0)", None,
    ]  # fmt: skip
    assert labels(parse(AGES), "BIGINT", 2, 3, [24, 25, -1]) == ["[0, 25)", "[25, 50)", "[-25, 0)"]
    assert labels(parse(AGES), "BIGINT", 4, 4, [24, 25, "NULL"]) == ["*", "*", "*"]


@pytest.mark.parametrize("column_type", ["DOUBLE", "FLOAT", "DECIMAL(9,3)"])
def test_decimals(column_type):
    hierarchy = parse("intervals: {origin: 0.05, levels: [{width: 0.1}, {width: 0.25, origin: 0}]}")
    values = [0.05, 0.15, 0.149, 0.3, 0.29, 0.95, -0.05, -0.051, "NULL"]
    assert labels(hierarchy, column_type, 1, 1, values) == [
        "[0.05, 0.15)", "[0.15, 0.25)", "[0.05, 0.15)", "[0.25, 0.35)", "[0.25, 0.35)", "[0.95, 1.05)",
        "[-0.05, 0.05)", "[-0.15, -0.05)", None,
    ]  # fmt: skip
    assert labels(hierarchy, column_type, 2, 2, [0.25, 0.249, 0.75]) == [
        "[0.25, 0.50)",
        "[0.00, 0.25)",
        "[0.75, 1.00)",
    ]


@pytest.mark.slow
def test_every_hundredth_lies_at_its_own_start():
    hierarchy = parse("intervals: {levels: [{width: 0.01}]}")
    values = [f"{number / 100:.2f}" for number in range(-3000, 3000)]
    starts = [Decimal(text[1:].split(",")[0]) for text in labels(hierarchy, "DOUBLE", 1, 1, values)]
    assert starts == [Decimal(value) for value in values]


def test_large_values():
    hierarchy = parse("intervals: {levels: [{width: 0.01}]}")
    values = ["10000000.29", "123456789.57", "1000000000.07"]
    assert [each[1:].split(",")[0] for each in labels(hierarchy, "DOUBLE", 1, 1, values)] == values
    whole = parse("intervals: {levels: [{width: 10}]}")
    assert labels(whole, "BIGINT", 1, 1, ["8999999999999999"]) == ["[8999999999999990, 9000000000000000)"]
    assert labels(whole, "DOUBLE", 1, 1, ["1000000000000.5", "12345678901"]) == [
        "[1000000000000, 1000000000010)", "[12345678900, 12345678910)",
    ]  # fmt: skip


@pytest.mark.parametrize("base", [1, 4])
def test_what_cannot_be_placed(base):
    values = ["'nan'", "'inf'", "'-inf'", "1e300", "NULL"]
    assert codes(parse(AGES), "DOUBLE", base, values) == [NOT_COVERED] * 4 + [None]
    assert codes(parse(AGES), "FLOAT", base, ["'nan'", "'inf'"]) == [NOT_COVERED] * 2
    assert codes(parse(AGES), "BIGINT", base, ["-9223372036854775808"]) == [NOT_COVERED]
    assert codes(parse(AGES), "UHUGEINT", base, ["340282366920938463463374607431768211455"]) == [NOT_COVERED]
    with pytest.raises(HierarchyError, match="cannot be placed"):
        parse(AGES).ground(base, [1, NOT_COVERED])


def test_keys_that_no_level_tells_apart_share_a_cell():
    grounding = parse(AGES).ground(2, [0, 1, 2, 3, 4, 5])  # keys of 5, levels of 10 and 25
    assert grounding.keys == (0, 1, 2, 3, 4, 5, None)
    assert grounding.cell_of_key == (0, 0, 1, 1, 2, 3, 4)
    assert grounding.classes == {2: (0, 1, 2, 2, 4), 3: (0, 0, 0, 3, 4), 4: (0, 0, 0, 0, 0)}


def test_dates():
    hierarchy = parse("date: [day, month, quarter, year, decade]")
    days = ["DATE '2013-10-01'", "DATE '2013-12-31'", "DATE '0999-01-31'", "NULL"]
    assert codes(hierarchy, "DATE", 1, days) == [20131001, 20131231, 9990131, None]
    assert codes(hierarchy, "TIMESTAMP", 2, days) == [201310, 201312, 99901, None]
    assert codes(hierarchy, "DATE", 3, days) == [20134, 20134, 9991, None]
    assert codes(hierarchy, "DATE", 4, days) == [2013, 2013, 999, None]
    assert codes(hierarchy, "DATE", 5, days) == [201, 201, 99, None]
    assert codes(hierarchy, "DATE", 6, days) == [0, 0, 0, None]
    shown = [labels(hierarchy, "DATE", 1, level, days) for level in range(1, 7)]
    assert [each[0] for each in shown] == ["2013-10-01", "2013-10", "2013-Q4", "2013", "2010s", "*"]
    assert [each[2] for each in shown] == ["0999-01-31", "0999-01", "0999-Q1", "0999", "0990s", "*"]
    assert [each[3] for each in shown] == [None] * 5 + ["*"]


def test_dates_that_cannot_be_placed():
    hierarchy = parse("date: [month]")
    for base in (1, 2):
        assert codes(hierarchy, "DATE", base, ["'infinity'::DATE", "DATE '10000-01-01'"]) == [NOT_COVERED] * 2


def test_prefixes():
    masked = parse('prefix: {keep: [3, 1], mask: "*", length: 5}')
    values = ["'12345'", "'12'", "'12*'", "''", "'東京都庁'", "NULL"]
    assert codes(masked, "VARCHAR", 1, values) == ["123", "12", "12*", "", "東京都", None]
    assert labels(masked, "VARCHAR", 1, 1, values) == ["123**", "12***", "12***", "*****", "東京都**", None]
    assert labels(masked, "VARCHAR", 1, 2, values) == ["1****", "1****", "1****", "*****", "東****", None]
    assert labels(parse("prefix: {keep: [2]}"), "INTEGER", 1, 1, [12345, -5, 7]) == ["12*", "-5*", "7*"]
    assert codes(masked, "VARCHAR", 3, values) == [0, 0, 0, 0, 0, None]


@pytest.mark.parametrize(
    ("rule", "fits", "does_not"),
    [
        (
            AGES,
            ["TINYINT", "UBIGINT", "DECIMAL(18,2)", "FLOAT", "DOUBLE"],
            ["VARCHAR", "DATE", "BOOLEAN", "INTEGER[]"],
        ),
        (
            "date: [year]",
            ["DATE", "TIMESTAMP", "TIMESTAMP_NS"],
            ["TIMESTAMP WITH TIME ZONE", "VARCHAR", "TIME"],
        ),
        (
            "prefix: {keep: [2]}",
            ["VARCHAR", "INTEGER", "UUID", "ENUM('a', 'b')"],
            ["DOUBLE", "DATE", "BLOB", "VARCHAR[]"],
        ),
    ],
)
def test_types(rule, fits, does_not):
    hierarchy = parse(rule)
    assert [hierarchy.check_type(each) for each in fits] == [None] * len(fits)
    assert all(type_in_words(each) in hierarchy.check_type(each) for each in does_not)


@pytest.mark.parametrize("rule", [AGES, "date: [year]", "prefix: {keep: [2]}"])
def test_the_labels_of_an_enum_are_in_no_message(rule):
    told = parse(rule).check_type("ENUM('Jane', 'O''Hara')[]")
    assert "this one is a binary or nested value" in told
    assert "Jane" not in told


def test_equal_rules_have_equal_hashes():
    def hashes(text):
        return [level.content_hash for level in parse(text).levels]

    one = hashes("intervals: {levels: [{width: 5}, {width: 10.0}]}")
    other = hashes("intervals: {origin: 20, levels: [{width: 10, name: tens}, {width: 5, origin: -15}]}")
    assert one == other
    assert hashes("intervals: {levels: [{width: 5}]}")[1] != hashes("intervals: {origin: 1, levels: [{width: 5}]}")[1]
    assert hashes("date: [year]")[1] == hashes("date: [year, month]")[2]
    assert hashes("prefix: {keep: [2]}")[1] != hashes("prefix: {keep: [2], mask: x}")[1]


def test_codes_print_for_other_databases():
    for rule in (AGES, "date: [quarter]", "prefix: {keep: [2]}"):
        expression = parse(rule).code(exp.column("x"), "DOUBLE", 1)
        for dialect in ("postgres", "mysql", "spark"):
            assert expression.sql(dialect=dialect)


@pytest.mark.parametrize(
    ("rule", "level", "label", "first", "after"),
    [
        ("date: [day, month, quarter, year, decade]", 1, "1972-02-29", "1972-02-29", "1972-03-01"),
        ("date: [day, month, quarter, year, decade]", 2, "1974-12", "1974-12-01", "1975-01-01"),
        ("date: [day, month, quarter, year, decade]", 3, "1974-Q4", "1974-10-01", "1975-01-01"),
        ("date: [day, month, quarter, year, decade]", 4, "1969", "1969-01-01", "1970-01-01"),
        ("date: [day, month, quarter, year, decade]", 5, "1970s", "1970-01-01", "1980-01-01"),
        ("date: [decade]", 1, "0000s", "0001-01-01", "0010-01-01"),
    ],
)
def test_a_part_of_the_calendar_tells_its_days(rule: str, level: int, label: str, first: str, after: str):
    hierarchy, _ = parse_yaml(rule, "birth", where="birth")
    days = [(date.fromisoformat(each) - date(1970, 1, 1)).days for each in (first, after)]
    assert hierarchy.span_of(label, level) == tuple(days)


def test_an_interval_tells_its_ends_and_the_last_day_is_in_the_last_decade():
    hierarchy, _ = parse_yaml("intervals: {levels: [{width: 0.5, origin: 0.25}, {width: 10}]}", "x", where="x")
    assert hierarchy.span_of("[-0.25, 0.25)", 1) == (Fraction(-1, 4), Fraction(1, 4))
    assert hierarchy.span_of("[-10, 0)", 2) == (-10, 0)
    decades, _ = parse_yaml("date: [decade]", "x", where="x")
    assert decades.span_of("9990s", 1)[1] == (date.max - date(1970, 1, 1)).days + 1
    listed, _ = parse_yaml("mapping: {a: [b]}", "x", where="x")
    assert listed.span_of("b", 1) is None


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("date: [month, year, decade]", {"2013-10": 1, "2013": 2, "2010s": 3, "2013-10-01": 0, "2013-Q4": 0}),
        ('prefix: {keep: [3, 1], mask: "*"}', {"123*": 1, "1*": 2, "1234": 0}),
        ('prefix: {keep: [3, 1], mask: "*", length: 5}', {"123**": 1, "1****": 2, "12345": 0}),
    ],
)
def test_a_label_shows_its_level(text: str, levels: dict[str, int]) -> None:
    hierarchy: Any = parse_yaml(text, "h", where="h")[0]
    assert {label: hierarchy.level_of(label) for label in levels} == levels
