"""`make check`: every statement of the engine is a file that parses, says what it answers, and runs by hand.

For each file of `sql/`: sqlglot parses it, its header comment says what it answers and what one row is, it
runs in DuckDB, and the package uses it. It runs in a transaction that is rolled back, in an empty folder, on

* `sql/state/`: an in-memory state, made by the migrations in order,
* `sql/cache/`: an in-memory cache, made by `sql/cache/schema.sql`,
* every other folder: the stand-in tables of `sql/stand_ins.sql`,

and then on the rows of a `stand_ins.sql` of its own folder, if there is one. A parameter `$name` is bound to
the value that the header declares for it in a line `-- $name = <SQL literal>`. The other way round, no module
of the package holds SQL text. Prints one line a finding; exit status 1 if there are any.
"""

from __future__ import annotations

import ast
import contextlib
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

import duckdb
import sqlglot
from sqlglot.errors import SqlglotError

REPOSITORY = Path(__file__).resolve().parents[1]
SQL = REPOSITORY / "sql"
MIGRATIONS = REPOSITORY / "migrations"
PACKAGE = REPOSITORY / "engine" / "ordermade"

STAND_INS = "stand_ins.sql"
SCHEMA = "schema.sql"
DECLARATION = re.compile(r"\$(\w+) = (.+)")
SQL_TEXT = re.compile(
    r"\s*(?:"
    r"(?:SELECT|INSERT|CREATE|UPDATE|DELETE|WITH|DROP|COPY|ATTACH|ALTER)\s+\S"
    r"|(?i:select\s.+\sfrom\s|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s"
    r"|(?:create|drop|alter)\s+(?:or\s+replace\s+)?(?:temp\w*\s+)?(?:table|view|schema|index)\s)"
    r")",
    re.DOTALL,
)


@dataclass(frozen=True)
class Header:
    """The comment a file begins with: its prose, and the parameters it declares as SQL literals."""

    prose: str
    declared: dict[str, str]


def header_of(text: str) -> Header:
    """The leading `--` lines of a file."""
    prose: list[str] = []
    declared: dict[str, str] = {}
    for line in text.splitlines():
        if not line.startswith("--"):
            break
        comment = line.removeprefix("--").strip()
        if match := DECLARATION.fullmatch(comment):
            declared[match[1]] = match[2]
        else:
            prose.append(comment)
    return Header(" ".join(prose).strip(), declared)


def statements(connection: duckdb.DuckDBPyConnection, path: Path) -> list[duckdb.Statement]:
    """The statements of a file, as DuckDB parts them."""
    return connection.extract_statements(path.read_text(encoding="utf-8"))


def run_file(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Run a file that has no parameters: a migration, a schema, stand-ins."""
    for statement in statements(connection, path):
        connection.execute(statement)


@contextlib.contextmanager
def prepared(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """An in-memory database with what the files of `folder` are written for."""
    with duckdb.connect() as connection:
        own = folder / STAND_INS
        if folder.name == "state":
            before = sorted(MIGRATIONS.glob("*.sql"))
        elif folder.name == "cache":
            before = [folder / SCHEMA]
        else:
            before = [SQL / STAND_INS]
        for path in [*before, *([own] if own not in before else [])]:
            if path.is_file():
                run_file(connection, path)
        yield connection


def header_findings(header: Header) -> Iterator[str]:
    """What is missing from the header."""
    if not header.prose:
        yield "begins with no comment: say what it answers and what one row is"
    elif not re.search(r"\brows?\b", header.prose, re.IGNORECASE):
        yield "the header does not say what one row is"


def run_findings(connection: duckdb.DuckDBPyConnection, path: Path, header: Header) -> Iterator[str]:
    """Run one file in a transaction that is rolled back."""
    used: set[str] = set()
    connection.begin()
    try:
        values = {name: _value(connection, literal) for name, literal in header.declared.items()}
        for statement in statements(connection, path):
            names = set(statement.named_parameters)
            used |= names
            if undeclared := sorted(names - set(values)):
                yield f"${undeclared[0]} has no line `-- ${undeclared[0]} = <SQL literal>` in the header"
                return
            connection.execute(statement, {name: values[name] for name in names} or None).fetchall()
    except duckdb.Error as error:
        yield f"does not run: {one_line(error)}"
        return
    finally:
        connection.rollback()
    for name in sorted(set(values) - used):
        yield f"${name} is declared in the header and not used"


def _value(connection: duckdb.DuckDBPyConnection, literal: str) -> object:
    row = connection.execute(f"SELECT {literal}").fetchone()
    return row[0] if row else None


def file_findings(connection: duckdb.DuckDBPyConnection, path: Path) -> Iterator[str]:
    """Everything wrong with one file by itself."""
    text = path.read_text(encoding="utf-8")
    try:
        trees = sqlglot.parse(text, dialect="duckdb")
    except SqlglotError as error:
        yield f"sqlglot does not parse it: {one_line(error)}"
        return
    if not any(trees):
        yield "holds no statement"
        return
    header = header_of(text)
    yield from header_findings(header)
    if path.name not in {STAND_INS, SCHEMA}:
        yield from run_findings(connection, path, header)


def sql_findings(files: Sequence[Path], named: Set[str]) -> Iterator[str]:
    """What is wrong with the files, and which of them no string of the package names."""
    for folder in sorted({path.parent for path in files}):
        try:
            with prepared(folder) as connection:
                for path in (path for path in files if path.parent == folder):
                    where = path.relative_to(REPOSITORY)
                    for finding in file_findings(connection, path):
                        yield f"{where}: {finding}"
                    names = {path.stem, path.relative_to(SQL).with_suffix("").as_posix()}
                    if path.name != STAND_INS and not names & named:
                        yield f"{where}: no module of the package asks for it by name"
        except duckdb.Error as error:
            yield f"{folder.relative_to(REPOSITORY)}: its tables cannot be made: {one_line(error)}"


@dataclass(frozen=True)
class Text:
    """A string of a module of the package, docstrings aside, and where it stands."""

    value: str
    where: str


def strings_of_the_package() -> Iterator[Text]:
    """Every string of the package that is not a docstring, the parts of f-strings included."""
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
                yield Text(node.value, f"{path.relative_to(REPOSITORY)}:{node.lineno}")


def one_line(error: Exception) -> str:
    """The message of an error without its line breaks."""
    return " ".join(str(error).split())


def main() -> int:
    """Print the findings; 1 if there are any."""
    files = sorted(SQL.rglob("*.sql"))
    strings = list(strings_of_the_package())
    with tempfile.TemporaryDirectory() as empty, contextlib.chdir(empty):
        findings = list(sql_findings(files, {text.value for text in strings}))
    findings += [
        f"{text.where}: SQL in a string: make it a file in sql/"
        for text in strings
        if SQL_TEXT.match(text.value)
    ]
    print(*findings, sep="\n", end="\n" if findings else "")
    print(f"SQL: {len(files)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
