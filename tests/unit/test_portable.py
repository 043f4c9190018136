"""What is printed for databases other than DuckDB: values of one kind beside one another; all else is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from ordermade import sql
from ordermade.errors import SourceFault
from ordermade.requests.filter_parser import compiled
from ordermade.requests.row_filter import parse_filter
from ordermade.sources.backend import CatalogTable, Column
from ordermade.sources.mysql import MySQL
from ordermade.sources.portable import DatabaseFunctions
from ordermade.sources.postgresql import PostgreSQL
from ordermade.sources.server_text import SOURCE, Printer, ServerTable
from ordermade.sources.spark_text import translated
from ordermade.sources.sqlite_text import printed

TYPES = {
    "id": "BIGINT",
    "n": "INTEGER",
    "price": "DECIMAL(9,2)",
    "height": "DOUBLE",
    "f": "FLOAT",
    "name": "VARCHAR",
    "born": "DATE",
    "seen": "TIMESTAMP",
    "tz": "TIMESTAMP WITH TIME ZONE",
    "active": "BOOLEAN",
}
IN_SQLITE = {name: kind for name, kind in TYPES.items() if name not in ("price", "f", "tz")}


def _server(database: str, dialect: str, translate: Callable[[exp.Expr], exp.Expr]) -> Callable[[exp.Expr], str]:
    columns = tuple(Column(name, kind) for name, kind in TYPES.items())
    listed = CatalogTable("t", "main", columns, exp.table_("t", db="main", catalog=SOURCE), False)
    table = ServerTable(listed, "main", "t", dict.fromkeys(TYPES), {})
    printer = Printer(database, dialect, {("main", "t"): table}, lambda name: None, translate)
    return lambda tree: printer.text(tree).text


def _in_sqlite(tree: exp.Expr) -> str:
    own = tree.copy()
    for each in own.find_all(exp.Table):
        if each.name == "t":
            each.replace(sql.table("t", schema=SOURCE))
    return printed(own, SOURCE, {"t": IN_SQLITE})


def _of(kind: type[Any], database: str) -> Callable[[exp.Expr], exp.Expr]:
    made = SimpleNamespace(database=database)
    made.translate = lambda node: kind.translate(made, node)
    return made.translate  # type: ignore[no-any-return]


PRINTERS = {
    "sqlite": _in_sqlite,
    "postgres": _server("PostgreSQL", "postgres", _of(PostgreSQL, "PostgreSQL")),
    "mysql": _server("MariaDB", "mysql", _of(MySQL, "MariaDB")),
    "spark": _server("Spark", "spark", translated),
}
SERVERS = ("postgres", "mysql", "spark")


def tree_of(text: str) -> exp.Expr:
    tree = sqlglot.parse_one(text, dialect="duckdb")
    for each in tree.find_all(exp.Table):
        if each.name == "t":
            each.replace(exp.table_("t", db="main", catalog=SOURCE, quoted=True, alias=each.alias or None))
    return tree


def where(database: str, condition: str) -> str:
    """The condition of a printed statement, without quotes around names."""
    text = PRINTERS[database](tree_of(f"SELECT t.id FROM t WHERE {condition}"))
    return text.partition(" WHERE ")[2].replace('"', "").replace("`", "")


def typed(text: str) -> str:
    """A printed text without the casts that PostgreSQL needs: a fraction alone is a NUMERIC there."""
    return re.sub(r"CAST\(([0-9.]+e0) AS DOUBLE PRECISION\)", r"\1", text)


@pytest.mark.parametrize("database", PRINTERS)
@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        ("height > 2", "height > 2.0e0"),
        ("2 < height", "2.0e0 < height"),
        ("height IN (1, -2.5)", "height IN (1.0e0, -2.5e0)"),
        ("COALESCE(height, 0) > 1.5e0", "COALESCE(height, 0.0e0) > 1.5e0"),
        ("id > 5", "id > 5"),
        ("SUM(n) > 5", "SUM(n) > 5"),
        ("name = 'x'", "name = 'x'"),
        ("id + n * 2 = 7", "id + n * 2 = 7"),
    ],
)
def test_a_constant_has_the_type_of_the_column_beside_it(database: str, condition: str, kept: str) -> None:
    assert typed(where(database, condition)).replace("t.", "") == kept


@pytest.mark.parametrize(
    ("database", "condition", "kept"),
    [
        ("sqlite", "born >= '1990-01-01'", "born >= '1990-01-01'"),
        ("sqlite", "seen >= DATE '2020-01-02'", "seen >= '2020-01-02 00:00:00'"),
        ("sqlite", "seen >= TIMESTAMP '2020-01-02 10:30:00.5'", "seen >= '2020-01-02 10:30:00.500000'"),
        ("postgres", "seen < '2020-01-02 10:30'", "seen < CAST('2020-01-02 10:30:00' AS TIMESTAMP)"),
        ("postgres", "tz < '2020-01-02 10:30:00+09:00'", "tz < CAST('2020-01-02 01:30:00+00:00' AS TIMESTAMPTZ)"),
        ("mysql", "tz < '2020-01-02 10:30:00+09:00'", "tz < CAST('2020-01-02 01:30:00' AS DATETIME(6))"),
        ("mysql", "born = DATE '2020-01-02'", "born = CAST('2020-01-02' AS DATE)"),
        ("spark", "seen < '2020-01-02'", "seen < CAST('2020-01-02 00:00:00' AS TIMESTAMP_NTZ)"),
    ],
)
def test_a_day_or_moment_is_printed_as_the_database_has_it(database: str, condition: str, kept: str) -> None:
    assert where(database, condition) == kept


FILTERS = (
    "height BETWEEN -1 AND 1.7976931348623157e308",
    "name LIKE 'a%' OR name IN ('b', 'c')",
    "NOT (active OR born <> DATE '2020-01-02')",
    "id >= -9223372036854775808 AND n IS NOT NULL",
    "seen >= '2020-01-02 10:30:00.000001'",
)
OF_SERVERS = (
    "f > 0.1 AND price >= 12.5",
    "tz BETWEEN '2020-01-02 00:00:00Z' AND TIMESTAMPTZ '2020-01-03 00:00:00+09:00'",
)


@pytest.mark.parametrize(
    ("database", "text"),
    [
        *((each, text) for each in PRINTERS for text in FILTERS),
        *((each, text) for each in SERVERS for text in OF_SERVERS),
    ],
)
def test_a_filter_is_printed_for_every_database(database: str, text: str) -> None:
    condition = compiled(parse_filter(text, tuple(TYPES)), TYPES)
    passed = exp.Coalesce(this=exp.Paren(this=condition), expressions=[exp.false()])
    assert "WHERE COALESCE(" in PRINTERS[database](tree_of("SELECT id FROM t").where(passed))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT id FROM t WHERE name = 1", "compare a text with a number"),
        ("SELECT id FROM t WHERE id = 1.5e0", "compare a number with a fraction"),
        ("SELECT id FROM t WHERE id = height", "compare a number with a fraction"),
        ("SELECT id FROM t WHERE born = seen", "compare a day with a moment"),
        ("SELECT NULLIF(id, 'x') AS id FROM t", "compare a number with a text"),
        ("SELECT COALESCE(name, id) AS id FROM t", "compare a text with a number"),
        ("SELECT CASE WHEN active THEN id ELSE height END AS id FROM t", "compare a number with a fraction"),
        ("SELECT CASE WHEN n THEN 1 END AS id FROM t", "a condition of a value that is no truth value"),
        ("SELECT id FROM t WHERE name", "a condition of a value that is no truth value"),
        ("SELECT id FROM t WHERE active AND n", "a condition of a value that is no truth value"),
        ("SELECT height + 1 AS id FROM t", "ADD of values that are no whole numbers"),
        ("SELECT n * 1.5 AS id FROM t", "MUL of values that are no whole numbers"),
        ("SELECT CAST(height AS BIGINT) AS id FROM t", "a cast"),
        ("SELECT CAST(height AS VARCHAR) AS id FROM t", "a cast"),
        ("SELECT CAST(active AS BIGINT) AS id FROM t", "a cast"),
        ("SELECT CAST(name AS TIMESTAMPTZ) AS id FROM t", "a cast"),
        ("SELECT DATE 'tomorrow' AS id FROM t", "a literal that is no day or moment"),
        ("SELECT TRIM(name) AS id FROM t", "TRIM of such values"),
        ("SELECT REPLACE(name, '', 'x') AS id FROM t", "REPLACE of such values"),
        ("SELECT SUBSTRING(name, 0, 2) AS id FROM t", "SUBSTRING of such values"),
        ("SELECT SPLIT_PART(name, '--', 1) AS id FROM t", "SPLITPART of such values"),
        ("SELECT TRANSLATE(name, name, 'x') AS id FROM t", "TRANSLATE of such values"),
        ("SELECT id || name AS id FROM t", "|| of such values"),
        ("SELECT id / 2 AS id FROM t", "DIV"),
        ("SELECT upper(name) AS id FROM t", "UPPER"),
        ("SELECT d.a FROM (SELECT MAX(height) AS a FROM t) AS d WHERE d.a = '5'", "compare a fraction with a text"),
    ],
)
def test_what_a_database_would_answer_otherwise_is_refused(query: str, message: str) -> None:
    for database in PRINTERS:
        assert message in refusal(database, query), database


def refusal(database: str, query: str) -> str:
    """What a query is refused with; empty where it is printed."""
    try:
        PRINTERS[database](tree_of(query))
    except SourceFault as refused:
        return refused.what
    return ""


def test_a_type_is_found_through_the_queries_that_pass_a_column_on() -> None:
    around = "WITH w AS (SELECT * FROM t) SELECT d.a FROM (SELECT w.height AS a FROM w) AS d WHERE d.a > 2"
    for database in PRINTERS:
        assert typed(PRINTERS[database](tree_of(around))).endswith("> 2.0e0")


def test_a_reading_within_a_reading_fails_for_other_texts_in_sqlite() -> None:
    text = "SELECT CAST(CAST(CAST(SUBSTRING(name, 2) AS BIGINT) + 1867 AS VARCHAR) || '-01-01' AS DATE) AS a FROM t"
    assert "READ_WHOLE(SUBSTRING(name, 2)) + 1867" in _in_sqlite(tree_of(text))


@pytest.mark.parametrize("number", ["1.23456789012345678", "9223372036854775809"])
def test_sqlite_takes_no_exact_number_that_it_would_round(number: str) -> None:
    with pytest.raises(SourceFault, match="exact numbers that are not whole or of more than 8 bytes"):
        _in_sqlite(tree_of(f"SELECT COUNT(*) > {number} AS a FROM t"))


@pytest.mark.parametrize(
    ("literal", "kind"),
    [
        ("9" * 38, "number"),
        ("0" + "9" * 38, "number"),
        ("9" * 39, "fraction"),
        ("9" * 37 + ".5", "decimal"),
        ("9" * 38 + ".5", "fraction"),
        ("1e2", "fraction"),
    ],
)
def test_a_number_of_more_digits_than_a_decimal_has_is_a_fraction(literal: str, kind: str) -> None:
    assert DatabaseFunctions("X", "F", lambda _: None).kind(exp.Literal.number(literal)) == kind
