"""The servers' own logs of hostile requests: every statement there has the shape of one that the engine wrote down."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlglot.dialects import Dialect
from sqlglot.tokens import TokenType

from ordermade import sql
from tests.conformance.backends import opened
from tests.conformance.test_hostile_names_and_values import answer, put, requests, tables
from tests.services.fixtures import throwaway
from tests.services.servers import MARIADB, POSTGRES, fresh_schema

pytestmark = pytest.mark.services

REQUESTS = 30
VALUES = {TokenType.STRING, TokenType.NUMBER, TokenType.NATIONAL_STRING, TokenType.BYTE_STRING, TokenType.HEX_STRING}
COPY = sql.script("postgres/copy").partition("TABLE query")
OF_THE_DRIVERS = {
    "postgres": (
        "BEGIN",
        "ROLLBACK",
        "SAVEPOINT",
        "RELEASE",
        "SELECT\n    typname",
        "select pg_catalog.version()",
        "show ",
        "select current_schema()",
    ),
    "mysql": (
        "SET AUTOCOMMIT",
        "SET NAMES",
        "ROLLBACK",
        "COMMIT",
        "SELECT @@",
        "SELECT VERSION()",
        "SELECT DATABASE()",
    ),
}
"""The beginnings of statements that drivers send by themselves."""


def shape(statement: str, dialect: str) -> tuple[str, ...]:
    """The tokens of a statement, one mark for each value."""
    tokens = Dialect.get_or_raise(dialect).tokenize(re.sub(r"\$\d", "''", statement))
    texts = ["?" if each.token_type in VALUES else each.text for each in tokens]
    return tuple(texts)


def written(ledger: list[str], dialect: str) -> set[tuple[str, ...]]:
    """The shapes of statements of a ledger, as the server gets them."""
    found = set()
    for each in ledger:
        bound = re.sub(r"(?<!%)%\(\w+\)s", "''", each).replace("%%", "%")
        for text in {each, bound}:
            found |= {shape(text, dialect), shape(COPY[0] + text + COPY[2], dialect)}
    return found


def logged_by_postgresql(log: Path) -> Iterator[str]:
    """The statements of the engine's sessions in PostgreSQL's log; further lines of one begin with a tab."""
    lines = re.split(r"\n(?!\t)", log.read_text(encoding="utf-8", errors="replace"))
    for each in lines:
        found = re.match(r"ordermade\|\s*LOG:\s+(?:statement|execute \S+): (.*)", each, re.DOTALL)
        if found:
            yield found[1].replace("\n\t", "\n")


def unknown(logged: list[str], ledger: list[str], dialect: str) -> list[str]:
    """The statements of a log that neither the engine wrote down nor a driver sends."""
    known = written(ledger, dialect)
    return [
        each
        for each in logged
        if not each.lstrip().startswith(OF_THE_DRIVERS[dialect]) and shape(each, dialect) not in known
    ]


def test_postgresql_logs_no_statement_but_the_engine_s() -> None:
    draw = random.Random("logged by postgres")
    made = tables(draw, "postgres")
    options = ("-c", "log_statement=all", "-c", "log_line_prefix=%a|")
    with throwaway(POSTGRES, *options) as server, fresh_schema(server) as schema:
        with opened(put(schema, made)) as backend:
            for number, each in enumerate(requests(draw, made, REQUESTS)):
                answer(backend, each, is_grounded=number % 5 == 0)
            ledger = [each.text for each in backend.executor.ledger]
        logged = list(logged_by_postgresql(server.log))
    assert len(logged) >= REQUESTS
    assert unknown(logged, ledger, "postgres") == []


def test_mariadb_logs_no_statement_but_the_engine_s() -> None:
    draw = random.Random("logged by mariadb")
    made = tables(draw, "mariadb")
    with throwaway(MARIADB) as server, fresh_schema(server) as schema:
        there = put(schema, made)
        server.run("SET GLOBAL log_output = 'TABLE'")
        server.run("SET GLOBAL general_log = 1")
        with opened(there) as backend:
            for number, each in enumerate(requests(draw, made, REQUESTS)):
                answer(backend, each, is_grounded=number % 5 == 0)
            ledger = [each.text for each in backend.executor.ledger]
        rows = server.run("SELECT argument FROM mysql.general_log WHERE command_type = 'Query'")
        server.run("SET GLOBAL general_log = 0")
    logged = [each.decode() if isinstance(each, bytes) else each for (each,) in rows]
    assert len(logged) >= REQUESTS
    settings = [part for script in ("settings", "snapshot") for part in sql.script(f"mysql/{script}").split(";")]
    of_the_test = [each for each in logged if "general_log" in each]
    assert unknown([each for each in logged if each not in of_the_test], [*ledger, *settings], "mysql") == []
