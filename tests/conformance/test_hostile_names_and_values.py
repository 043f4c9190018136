"""Requests with hostile names and values: a server answers each as DuckDB does, and nothing changes there."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade.counting.coverage import encode_counted
from ordermade.counting.dataset import Dataset, relation, version
from ordermade.counting.encoding import encode_column, marginal_statement
from ordermade.counting.oracle import InSource
from ordermade.errors import FilterError
from ordermade.hierarchies.explicit import ListedLevel, explicit_hierarchy
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.read import parse_yaml
from ordermade.lattice.lattice import Axis, Lattice
from ordermade.requests.row_filter import row_condition
from ordermade.sources.backend import Backend, columns_of, find_table, row_count
from ordermade.sources.executor import Purpose
from tests.conformance.backends import Made, Table, content, in_mariadb, in_postgresql, name, opened
from tests.long import rounds
from tests.services.servers import POSTGRES, Schema
from tests.stored_sets import packed

pytestmark = [pytest.mark.services, pytest.mark.long]
REQUESTS = rounds(300, 10_000)
GROUNDED = 10
"""One request of so many also grounds a hierarchy, rolls it up and counts its nodes in the source."""
TABLES, COLUMNS, ROWS = 8, 5, 40
LONGEST_FILE = 220
LONGEST = {"postgres": 63, "mariadb": 64}
"""The bytes of a name in PostgreSQL, the characters in MariaDB."""
PIECES = (
    "'", '"', "`", ";", "--", "-- ", "/*", "*/", "\\", "\\'", '\\"', "\\n", "%", "%s", "%(x)s", "%(keys_1_rows)s", "%%",
    "%d", ":name", ":x", "$1", "$$", "${HOME}", "{0}", "{x}", "@a", "@@version", "?", "#", "\n", "\r\n", "\t", " ",
    "é", "e\u0301", "東京", "\u202e", "\u200b", "\u2028", "NULL", "select", "' OR '1'='1",
    "'; DROP TABLE t; --", '"; DROP TABLE t; --', "a", "B", "b", "_", "0", "0x41", "[", "]", "(", ")", ",", ".", "=",
    "|", "~", "!", "E'", "\\x00", "p0123456789abcdef_", "keys_1", "frequency_set", "dataset", "counted", "CASE",
    "source",
)  # fmt: skip
OF_VALUES = (*PIECES, "😀", "\U0010ffff", "\x01", "\x7f")
"""MariaDB has no characters beyond the first 65,536 in names, and a filter takes no control character."""


def text(draw: random.Random, most: int) -> str:
    """A text of hostile pieces."""
    return "".join(draw.choice(OF_VALUES) for _ in range(draw.randrange(most)))


def names(draw: random.Random, count: int, kind: str) -> list[str]:
    """Hostile names, which differ in more than case; the first is as long as names may be."""
    found: dict[str, str] = {}
    while len(found) < count:
        made = "".join(draw.choice(PIECES) for _ in range(draw.randrange(1, 6)))
        made = (made * 64 if not found else made)[: LONGEST[kind]]
        cut = made.encode()[: LONGEST[kind]].decode(errors="ignore")
        made = cut if kind == "postgres" else made[: _fitting(made)]
        made = made.strip(" \t\r\n") or "x"
        found.setdefault(made.casefold(), made)
    return list(found.values())


def _fitting(called: str) -> int:
    """So many characters of a name fit into the name of a file, where MariaDB writes most as five."""
    ends = accumulate(1 if each.isascii() and each.isalnum() else 5 for each in called)
    return sum(end <= LONGEST_FILE for end in ends)


def tables(draw: random.Random, kind: str) -> list[Table]:
    """Tables of hostile texts under hostile names; a number of the row comes last."""
    made = []
    for called in names(draw, TABLES, kind):
        pool = ["", *(text(draw, 6) for _ in range(9)), None]
        columns = [each for each in names(draw, COLUMNS, kind) if each.casefold() != "nr"]
        rows = [(*(draw.choice(pool) for _ in columns), row) for row in range(ROWS)]
        made.append(Table(called, {**dict.fromkeys(columns, "VARCHAR"), "nr": "BIGINT"}, rows))
    return made


@dataclass(frozen=True)
class Request:
    """A request for one or two columns of a table, and its row filter."""

    table: Table
    where: str
    columns: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]


def literal(value: str) -> str:
    """A text as a filter has it."""
    return "'" + value.replace("'", "''") + "'"


def condition(draw: random.Random, table: Table) -> str:
    """One or two comparisons of columns with values, most of which are in the table."""

    def value() -> str:
        cell = draw.choice(draw.choice(table.rows)[:-1]) if draw.random() < 0.8 else text(draw, 5)
        return literal(cell or "")

    def one() -> str:
        column = name(draw.choice(list(table.columns)[:-1]))
        kind = draw.randrange(6)
        if kind == 0:
            return f"{column} {draw.choice(['=', '<>', '<', '>=', 'IS DISTINCT FROM'])} {value()}"
        if kind == 1:
            return f"{column} {draw.choice(['', 'NOT '])}IN ({value()}, {value()})"
        if kind == 2:
            pattern = f"{draw.choice(['%', '', '_'])}{value()[1:-1]}{draw.choice(['%', ''])}"
            return f"{column} {draw.choice(['', 'NOT '])}LIKE '{pattern}'"
        if kind == 3:
            return f"{column} BETWEEN {value()} AND {value()}"
        if kind == 4:
            return f"COALESCE({column}, {value()}) = {value()}"
        return f"{column} IS {draw.choice(['', 'NOT '])}NULL OR nr < {draw.randrange(ROWS)}"

    return draw.choice([one, lambda: f"({one()}) {draw.choice(['AND', 'OR'])} NOT ({one()})"])()


def hierarchy(draw: random.Random, table: Table, column: str) -> Hierarchy:
    """A prefix of each value, or its listed values in two hostile classes."""
    if draw.random() < 0.5:
        found, _ = parse_yaml("prefix:\n  keep: [2, 1]\n", "h", where="h")
        return found
    place = list(table.columns).index(column)
    leaves: list[str | None] = sorted({row[place] for row in table.rows if row[place] is not None})
    classes = [text(draw, 4) or "x", text(draw, 4) + "y"]
    labels = tuple(classes[each % 2] for each in range(len(leaves) + 1))
    return explicit_hierarchy("h", (*leaves, None), [ListedLevel("class", labels)])[0]


def requests(draw: random.Random, of: list[Table], count: int) -> Iterator[Request]:
    """Requests over the tables, at random."""
    for _ in range(count):
        table = draw.choice(of)
        columns = tuple(draw.sample(list(table.columns)[:-1], 2))
        hierarchies = tuple(hierarchy(draw, table, each) for each in columns)
        yield Request(table, condition(draw, table), columns, hierarchies)


def answer(backend: Backend, asked: Request, *, is_grounded: bool) -> dict[str, Any]:
    """The figures of a request: rows and values that pass the filter, and of some the observations of nodes."""
    reference = find_table(backend, asked.table.name).reference
    columns = columns_of(backend, relation(reference, None))
    try:
        rows = relation(reference, row_condition(asked.where, {each.name: each.type for each in columns})[0])
    except FilterError as error:
        return {"refused": error.message}
    dataset = Dataset(asked.table.name, backend, rows, columns)
    attribute = encode_column(dataset, 1, asked.columns[0], asked.hierarchies[0], 0)
    backend.keep(Purpose.COVERAGE, "marginal_1", marginal_statement(dataset, attribute), part="counted")
    values = dict(backend.connection.execute("SELECT key, n FROM marginal_1").fetchall())
    found: dict[str, Any] = {"values": values, "rows": sum(values.values())}
    if not is_grounded or not values:
        return found
    counted = row_count(backend, rows)
    pairs = list(zip(asked.columns, asked.hierarchies, strict=True))
    attributes = tuple(encode_counted(dataset, place, column, each, 0) for place, (column, each) in enumerate(pairs, 1))
    lattice = Lattice(tuple(Axis(column, each.order, tuple(range(each.top + 1))) for column, each in pairs))
    nodes = [(0, 0), (1, 0), (1, 1)]
    measured = packed(dataset, attributes, lattice).measure(nodes)
    assert InSource(dataset, attributes, lattice).measure(nodes[1:]) == {each: measured[each] for each in nodes[1:]}
    assert version(dataset).rows == counted == found["rows"]
    return {**found, "nodes": measured}


def put(schema: Schema, of: list[Table]) -> Made:
    """The tables in a schema of a server."""
    made = [in_postgresql(schema, each) if schema.server.kind is POSTGRES else in_mariadb(schema, each) for each in of]
    return made[0]


def put_in_duckdb(folder: Path, of: list[Table]) -> Made:
    """The same in a DuckDB file."""
    path = folder / "source.duckdb"
    with duckdb.connect(str(path)) as connection:
        for each in of:
            columns = ", ".join(f"{name(column)} {kind}" for column, kind in each.columns.items())
            connection.execute(f"CREATE TABLE {name(each.name)} ({columns})")
            connection.executemany(
                f"INSERT INTO {name(each.name)} VALUES ({', '.join('?' * len(each.columns))})", each.rows
            )
    return Made(str(path), "duckdb", (path,))


@pytest.mark.parametrize("kind", ["postgres", "mariadb"])
def test_every_hostile_request_is_answered_as_by_duckdb(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    schema: Schema = request.getfixturevalue(f"{kind}_schema")
    draw = random.Random(f"hostile {kind}")
    made = tables(draw, kind)
    there = put(schema, made)
    before = content(schema)
    asked = list(requests(draw, made, REQUESTS))
    with contextlib.ExitStack() as stack:
        right, server = (stack.enter_context(opened(each)) for each in (put_in_duckdb(tmp_path, made), there))
        for number, each in enumerate(asked):
            is_grounded = number % GROUNDED == 0
            expected = answer(right, each, is_grounded=is_grounded)
            assert answer(server, each, is_grounded=is_grounded) == expected, (each.table.name, each.where)
        ran = {statement.text.lstrip().split(None, 1)[0].upper() for statement in server.executor.ledger}
    assert ran <= {"SELECT", "WITH"}
    assert content(schema) == before
