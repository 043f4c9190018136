"""Tables made by others: those of pgbench, of the servers' own catalogues, and Online Retail, asked of as DuckDB is."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import duckdb
import pytest
from sqlglot import exp

from ordermade import Engine, sql
from ordermade.counting.dataset import Dataset, relation
from ordermade.counting.encoding import encode_column, marginal_statement
from ordermade.errors import OrdermadeError
from ordermade.sources.backend import Backend, columns_of, find_table
from ordermade.sources.executor import Purpose
from tests.conformance.backends import Made, name, opened
from tests.conformance.test_tables_of_servers import of_schema
from tests.conformance.test_values_every_backend import SUPPRESSED
from tests.made import new_engine
from tests.online_retail import DATA
from tests.services.servers import POSTGRES, Kind, NoServer, Schema, Server, fresh_schema
from tests.services.skips import reason
from tests.services.throwaway import program

CATALOGUE = {
    "pg_class": "*",
    "pg_attribute": "attrelid, attname, atttypid, attlen, attnum, attndims, attnotnull, attidentity, attisdropped",
    "pg_proc": "*",
    "pg_type": "*",
    "pg_operator": "*",
    "pg_settings": "*",
    "pg_timezone_names": "*",
    "pg_stats": "schemaname, tablename, attname, inherited, null_frac, avg_width, n_distinct, correlation",
}
"""Tables and views of PostgreSQL's catalogue, of whose rows a copy is made; of the type anyarray no table can be."""
OF_MARIADB = {
    "mysql.help_topic": "help_topic_id, name, help_category_id, url",
    "mysql.help_keyword": "*",
    "mysql.help_relation": "*",
    "mysql.help_category": "*",
    "mysql.proc": "*",
    "mysql.global_priv": "*",
    "mysql.innodb_index_stats": "*",
    "information_schema.collations": "*",
    "information_schema.character_sets": "*",
    "information_schema.system_variables": "*",
    "information_schema.plugins": "*",
    "information_schema.keywords": "*",
}
"""Tables of MariaDB's own databases, of whose rows a copy is made."""
MAX_COLUMNS = 12
RULES = {
    "VARCHAR": "prefix:\n  keep: [3, 1]\n",
    "number": "intervals:\n  levels:\n    - {width: 10}\n    - {width: 1000}\n",
    "date": "date: [month, year]\n",
}
PURCHASES = """
SELECT InvoiceNo, StockCode, Description, Quantity, InvoiceDate, UnitPrice, CustomerID, Country
FROM read_parquet(?, file_row_number = true) WHERE file_row_number % 40 = 0
"""


@dataclass(frozen=True)
class Others:
    """A schema of a server that holds tables of others, a DuckDB file with their rows, and the columns of each."""

    there: Made
    here: Made
    columns: Mapping[str, Mapping[str, str]]


@pytest.fixture(scope="module")
def of_postgresql(postgres: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Others]:
    """Tables of pgbench and copies of PostgreSQL's catalogue."""
    with fresh_schema(postgres) as schema:
        _pgbench(schema)
        for table, columns in CATALOGUE.items():
            schema.run(f"CREATE TABLE copy_of_{table} AS SELECT {columns} FROM pg_catalog.{table}")
        yield _with_rows(schema, tmp_path_factory.mktemp("postgresql"))


@pytest.fixture(scope="module")
def of_mariadb(mariadb: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Others]:
    """Copies of MariaDB's own tables."""
    with fresh_schema(mariadb) as schema:
        for table, columns in OF_MARIADB.items():
            schema.run(f"CREATE TABLE {table.partition('.')[2]} AS SELECT {columns} FROM {table}")
        yield _with_rows(schema, tmp_path_factory.mktemp("mariadb"))


def _pgbench(schema: Schema) -> None:
    try:
        command = program(POSTGRES, "pgbench")
    except NoServer as none:
        pytest.skip(reason(POSTGRES, none))
    at = urlsplit(schema.server.url)
    options = ["-h", at.hostname or "", "-p", str(at.port or 5432), "-U", at.username or "", at.path.lstrip("/")]
    environment = {**os.environ, "PGOPTIONS": f"-csearch_path={schema.name}", "PGPASSWORD": at.password or ""}
    subprocess.run([command, "-i", "-q", "-I", "dtgp", *options], check=True, capture_output=True, env=environment)
    schema.run("INSERT INTO pgbench_history SELECT i % 10, 1, i, i % 7 - 3, TIMESTAMP '2020-01-01', NULL "
               "FROM generate_series(1, 500) AS i")  # fmt: skip


def _with_rows(schema: Schema, folder: Path) -> Others:
    """The schema with a DuckDB file of the rows of its tables, each value by its text."""
    there = of_schema(schema)
    found: dict[str, dict[str, str]] = {}
    with opened(there) as backend:
        for table in [each for each in backend.tables() if each.schema == schema.name]:
            columns = columns_of(backend, relation(table.reference, None))
            usable = [each for each in columns if each.type != "BLOB"][:MAX_COLUMNS]
            found[table.name] = {each.name: each.type for each in usable}
    path = folder / "source.duckdb"
    with duckdb.connect(str(path)) as connection, contextlib.closing(schema.connect()) as server:
        for table_name, columns_there in found.items():
            _copy(connection, server, schema.server.kind, table_name, columns_there)
    return Others(there, Made(str(path), "duckdb", (path,)), found)


def _copy(
    connection: duckdb.DuckDBPyConnection, server: Any, kind: Kind, table: str, columns: Mapping[str, str]
) -> None:
    quote = '"' if kind is POSTGRES else "`"
    as_text = "TEXT" if kind is POSTGRES else "CHAR CHARACTER SET utf8mb4"
    values = ", ".join(f"CAST({quote}{each}{quote} AS {as_text})" for each in columns)
    with server.cursor() as cursor:
        cursor.execute(f"SELECT {values} FROM {quote}{table}{quote}")
        rows = cursor.fetchall()
    defined = ", ".join(f"{name(each)} {of}" for each, of in columns.items())
    connection.execute(f"CREATE TABLE {name(table)} ({defined})")
    if rows:
        cast = ", ".join(f"CAST(UNNEST(?::VARCHAR[]) AS {of})" for of in columns.values())
        connection.execute(f"INSERT INTO {name(table)} SELECT {cast}", [list(each) for each in zip(*rows, strict=True)])


def _marginals(backend: Backend, table: str, columns: Mapping[str, str]) -> dict[str, dict[Any, int]]:
    """How often each value of each column occurs."""
    query = exp.Select(expressions=[sql.column(each) for each in columns])
    rows = query.from_(find_table(backend, table).reference.copy())
    dataset = Dataset(table, backend, rows, columns_of(backend, rows))
    found: dict[str, dict[Any, int]] = {}
    for column in columns:
        attribute = encode_column(dataset, 1, column, SUPPRESSED, 0)
        backend.keep(Purpose.COVERAGE, "marginal_1", marginal_statement(dataset, attribute), part="counted")
        found[column] = dict(backend.connection.execute("SELECT key, n FROM marginal_1").fetchall())
    return found


def require_same_values(others: Others, least: int) -> None:
    """Every value of every table occurs as often there as in DuckDB."""
    assert len(others.columns) >= least
    with opened(others.there) as there, opened(others.here) as here:
        for table, columns in others.columns.items():
            assert _marginals(there, table, columns) == _marginals(here, table, columns), table


def _kind(column_type: str) -> str:
    if column_type in ("VARCHAR", "DATE", "TIMESTAMP"):
        return "VARCHAR" if column_type == "VARCHAR" else "date"
    numbers = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UINTEGER", "UBIGINT")
    return "number" if column_type in numbers else ""


def asked_for(columns: Mapping[str, str]) -> list[str]:
    """The columns that a request is for: three for which there are rules."""
    return [each for each, of in columns.items() if _kind(of)][:3]


def outcome(engine: Engine, folder: Path, table: str, columns: Mapping[str, str], where: str | None) -> Any:
    """The figures of a request for three columns of a table and the bytes of its release, or why there is none."""
    out = folder / "out.csv"
    request: dict[str, Any] = {
        "dataset": table.lower().replace(" ", "_"),
        "k": 2,
        "suppression_limit": 0.1,
        "quasi_identifiers": {each: {"hierarchy": _kind(columns[each]).lower()} for each in asked_for(columns)},
        "release": {"replace": True, "to": str(out)},
    }
    try:
        result = engine.run(request if where is None else {**request, "where": where})
    except OrdermadeError as error:
        return type(error), error.what
    return result.status, dict(result.levels), result.k, result.divisions, out.read_bytes()


def engine_of(folder: Path, made: Made, tables: Mapping[str, Mapping[str, str]]) -> Engine:
    """An engine that knows these columns of the tables."""
    folder.mkdir()
    engine = new_engine(folder)
    engine.sources.add("s", made.location)
    for kind, rule in RULES.items():
        file = folder / f"{kind}.yaml"
        file.write_text(rule, encoding="utf-8")
        engine.hierarchies.add(kind.lower(), file)
    for table, columns in tables.items():
        query = f"SELECT {', '.join(map(name, columns))} FROM {name(table)}"
        engine.datasets.add(table.lower().replace(" ", "_"), "s", query=query, least_k=2)
    return engine


def require_same_answers(
    others: Others, folder: Path, tables: Sequence[str], where: Mapping[str, str] | None = None
) -> int:
    """Requests over the tables have the same outcome there as in DuckDB; how many of them were released."""
    chosen = {table: others.columns[table] for table in tables}
    there = engine_of(folder / "there", others.there, chosen)
    here = engine_of(folder / "here", others.here, chosen)
    released = 0
    for table, columns in chosen.items():
        condition = (where or {}).get(table)
        expected = outcome(here, folder / "here", table, columns, condition)
        assert outcome(there, folder / "there", table, columns, condition) == expected, table
        released += expected[0] == "released"
    return released


def test_every_value_of_pgbench_and_the_catalogue_is_counted_as_in_duckdb(of_postgresql: Others) -> None:
    require_same_values(of_postgresql, least=12)


def test_every_value_of_mariadbs_own_tables_is_counted_as_in_duckdb(of_mariadb: Others) -> None:
    require_same_values(of_mariadb, least=12)


def test_requests_over_ten_tables_of_postgresql_are_answered_as_by_duckdb(
    of_postgresql: Others, tmp_path: Path
) -> None:
    tables = [each for each, columns in of_postgresql.columns.items() if asked_for(columns)][:10]
    where = {"pgbench_accounts": "aid <= 5000", "copy_of_pg_class": "relname LIKE 'pg%' AND relpages < 100"}
    assert len(tables) == 10
    assert require_same_answers(of_postgresql, tmp_path, tables, where) >= 5


def test_requests_over_ten_tables_of_mariadb_are_answered_as_by_duckdb(of_mariadb: Others, tmp_path: Path) -> None:
    tables = [each for each, columns in of_mariadb.columns.items() if asked_for(columns)][:10]
    where = {"help_keyword": "name >= 'A' AND name < 'N'", "help_topic": "help_category_id IN (1, 2, 3, 4, 5, 6)"}
    assert len(tables) == 10
    assert require_same_answers(of_mariadb, tmp_path, tables, where) >= 5


@pytest.mark.services
@pytest.mark.parametrize("kind", ["postgres", "mariadb"])
def test_requests_over_online_retail_are_answered_as_by_duckdb(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    schema: Schema = request.getfixturevalue(f"{kind}_schema")
    if not DATA.exists():
        pytest.skip("the shared data set online_retail is not beside the repository")
    with duckdb.connect() as connection:
        rows = connection.execute(PURCHASES, [str(DATA / "online_retail.parquet")]).fetchall()
    kinds = (
        "VARCHAR(20)",
        "VARCHAR(20)",
        "VARCHAR(200)",
        "INTEGER",
        "TIMESTAMP",
        "NUMERIC(10, 2)",
        "INTEGER",
        "VARCHAR(40)",
    )
    names = ("InvoiceNo", "StockCode", "Description", "Quantity", "InvoiceDate", "UnitPrice", "CustomerID", "Country")
    quote = '"' if kind == "postgres" else "`"
    kinds = tuple("DATETIME" if kind == "mariadb" and each == "TIMESTAMP" else each for each in kinds)
    defined = ", ".join(f"{quote}{called}{quote} {of}" for called, of in zip(names, kinds, strict=True))
    with contextlib.closing(schema.connect()) as server, server.cursor() as cursor:
        cursor.execute(f"CREATE TABLE retail ({defined})")
        cursor.executemany(f"INSERT INTO retail VALUES ({', '.join(['%s'] * len(names))})", rows)
    others = _with_rows(schema, tmp_path)
    require_same_values(others, least=1)
    chosen = ("Country", "InvoiceDate", "StockCode")
    columns = {each: others.columns["retail"][each] for each in chosen}
    of_retail = Others(others.there, others.here, {"retail": columns})
    where = {"retail": "InvoiceDate >= TIMESTAMP '2011-06-01 00:00:00'"}
    assert require_same_answers(of_retail, tmp_path, ["retail"], where) == 1
