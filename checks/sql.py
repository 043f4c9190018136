"""`make check`: every statement of the engine is a file that parses, states its rows, and runs by hand.

For each file of `sql/`: sqlglot parses it; the header comment states what the statement returns or writes and,
where it gives or keeps rows, what one row is; it runs in DuckDB, one of the state in SQLite; the package names it.
Each runs on a database of its own, in a folder of its own:

* `sql/state/`: in SQLite, on a new state; `.ordermade/state.sqlite` is another one,
* `sql/convert/`: not here, but in the tests of `state convert`, which have a state of an earlier engine,
* `sql/cache/`: an empty database,
* `sql/postgres/`, `sql/mysql/`, `sql/spark/`: not here, but in the tests that need a server,
* every other folder: the stand-in tables of `sql/stand_ins.sql`.

Two kinds of header lines say how to run it by hand: `-- $name = <SQL literal>`, a value for a parameter,
and `-- after: other, another`, the files of the same folder that are run before it. The other way round,
no module of the package holds SQL text. Prints one line a finding; exit status 1 if there are any.
"""

from __future__ import annotations

import ast
import contextlib
import re
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence, Set
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path

import duckdb
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from ordermade.state.authority import SHELL
from ordermade.state.connection import connect, file_address, run_script
from ordermade.state.database import initialise
from ordermade.state.statements import run as run_on_state

REPOSITORY = Path(__file__).resolve().parents[1]
SQL = REPOSITORY / "sql"
MIGRATIONS = REPOSITORY / "migrations"
PACKAGE = REPOSITORY / "engine" / "ordermade"

STAND_INS = "stand_ins.sql"
ELSEWHERE = {"postgres", "mysql", "spark", "convert"}
"""The folders of statements that tests run, on servers and on earlier states; sqlglot does not parse each."""
PARAMETER = re.compile(r"\$(\w+)")
COMMENT = re.compile(r"^--.*$", re.MULTILINE)
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
    """The comment a file begins with: prose, parameters as SQL literals, the files to run before it."""

    prose: str
    declared: dict[str, str]
    after: tuple[str, ...]


def header_of(text: str) -> Header:
    """The leading `--` lines of a file."""
    prose: list[str] = []
    declared: dict[str, str] = {}
    after: tuple[str, ...] = ()
    for line in text.splitlines():
        if not line.startswith("--"):
            break
        comment = line.removeprefix("--").strip()
        if match := DECLARATION.fullmatch(comment):
            declared[match[1]] = match[2]
        elif comment.startswith("after:"):
            after += tuple(name.strip() for name in comment.removeprefix("after:").split(","))
        else:
            prose.append(comment)
    return Header(" ".join(prose).strip(), declared, after)


class NotDeclared(Exception):
    """A file uses a parameter that its header gives no value, or names a file that is not there."""


def run_file(connection: duckdb.DuckDBPyConnection, path: Path) -> set[str]:
    """Run a file with the values its header declares; the parameters it used."""
    text = path.read_text(encoding="utf-8")
    values = {name: _value(connection, literal) for name, literal in header_of(text).declared.items()}
    used: set[str] = set()
    for statement in connection.extract_statements(text):
        names = set(statement.named_parameters)
        for name in sorted(names - set(values)):
            raise NotDeclared(f"${name} has no line `-- ${name} = <SQL literal>` in the header")
        connection.execute(statement, {name: values[name] for name in names} or None).fetchall()
        used |= names
    return used


def _value(connection: duckdb.DuckDBPyConnection, literal: str) -> object:
    row = connection.execute(f"SELECT {literal}").fetchone()
    return _plain(row[0]) if row else None


def _plain(value: object) -> object:
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return float(value) if isinstance(value, Decimal) else value


def in_order(path: Path) -> list[Path]:
    """The files that `path` is run after, each after its own, and `path` last."""
    order: list[Path] = []

    def place(file: Path, above: tuple[Path, ...]) -> None:
        if file in above or not file.is_file():
            raise NotDeclared(f"`-- after: {file.stem}`: " + ("in a circle" if file in above else "no such file"))
        for name in header_of(file.read_text(encoding="utf-8")).after:
            place(file.with_name(f"{name}.sql"), (*above, file))
        if file not in order:
            order.append(file)

    place(path, ())
    return order


def prepare(connection: duckdb.DuckDBPyConnection, kind: str) -> None:
    """Make in `connection` what the files of a folder of this name are written for."""
    if kind != "cache":
        run_file(connection, SQL / STAND_INS)


class Ground:
    """The ground of the files of one folder: a database for each file."""

    def __init__(self, kind: str, home: Path) -> None:
        self._kind = kind
        self._state = home / "state.sqlite"
        if kind == "state":
            initialise(self._state, SHELL)

    def run(self, path: Path) -> set[str]:
        """Run `path`, after the files it is run after, in an empty folder; the parameters it used."""
        with tempfile.TemporaryDirectory() as empty, contextlib.chdir(empty):
            Path(".ordermade").mkdir()
            if self._kind == "state":
                return self._run_on_state(path)
            with duckdb.connect("database.duckdb") as connection:
                prepare(connection, self._kind)
                used: set[str] = set()
                for file in in_order(path):
                    used = run_file(connection, file)
                return used

    def _run_on_state(self, path: Path) -> set[str]:
        """The same on a state, as the engine runs it."""
        for each in (Path(".ordermade") / "state.sqlite", Path("state.sqlite")):
            shutil.copy(self._state, each)
        used: set[str] = set()
        with (
            duckdb.connect() as literals,
            contextlib.closing(connect(file_address(Path("state.sqlite"), read_only=False))) as connection,
        ):
            for file in in_order(path):
                text = file.read_text(encoding="utf-8")
                used = set(PARAMETER.findall(COMMENT.sub("", text)))
                declared = header_of(text).declared
                for name in sorted(used - set(declared)):
                    raise NotDeclared(f"${name} has no line `-- ${name} = <SQL literal>` in the header")
                values = {name: _value(literals, literal) for name, literal in declared.items()}
                if file.stem == "settings":
                    run_script(connection, text)
                else:
                    run_on_state(connection, f"state/{file.stem}", **values)
        return used


def header_findings(header: Header, trees: Iterable[exp.Expr | None]) -> Iterator[str]:
    """The missing parts of a header."""
    if not header.prose:
        yield "begins with no comment: say what it answers and what one row is"
    elif any(map(_has_rows, trees)) and not re.search(r"\brows?\b", header.prose, re.IGNORECASE):
        yield "the header does not say what one row is"


def _has_rows(tree: exp.Expr | None) -> bool:
    """Whether a statement gives rows, or makes a table of them."""
    makes = isinstance(tree, exp.Create) and tree.kind == "TABLE"
    return makes or isinstance(tree, exp.Query | exp.Describe) or bool(tree and tree.args.get("returning"))


def file_findings(ground: Ground, path: Path) -> Iterator[str]:
    """Everything wrong with one file by itself."""
    text = path.read_text(encoding="utf-8")
    if path.parent.name in ELSEWHERE:
        yield from header_findings(header_of(text), ())
        return
    try:
        trees = sqlglot.parse(text, dialect="sqlite" if path.parent.name == "state" else "duckdb")
    except SqlglotError as error:
        yield f"sqlglot does not parse it: {one_line(error)}"
        return
    if not any(trees):
        yield "holds no statement"
        return
    header = header_of(text)
    yield from header_findings(header, trees)
    if path == SQL / STAND_INS:
        return
    try:
        used = ground.run(path)
    except NotDeclared as error:
        yield str(error)
    except (duckdb.Error, sqlite3.Error) as error:
        yield f"does not run: {one_line(error)}"
    else:
        yield from (f"${name} is declared in the header and not used" for name in sorted(set(header.declared) - used))


def listed_findings(ground: Ground, path: Path) -> list[str]:
    """Everything wrong with one file, in a process of its own: it runs in a folder that it changes to."""
    return list(file_findings(ground, path))


def sql_findings(files: Sequence[Path], named: Set[str], home: Path, pool: Executor) -> Iterator[str]:
    """The mistakes in the files, which `pool` looks at, and the files that no string of the package names."""
    for folder in sorted({path.parent for path in files}):
        try:
            ground = Ground(folder.name, home)
        except (duckdb.Error, sqlite3.Error) as error:
            yield f"{folder.relative_to(REPOSITORY)}: its tables cannot be made: {one_line(error)}"
            continue
        beside = [path for path in files if path.parent == folder]
        for path, found in zip(beside, pool.map(partial(listed_findings, ground), beside), strict=True):
            where = path.relative_to(REPOSITORY)
            yield from (f"{where}: {finding}" for finding in found)
            names = {path.stem, path.relative_to(SQL).with_suffix("").as_posix()}
            if path.name != STAND_INS and not names & named:
                yield f"{where}: no module of the package asks for it by name"


@dataclass(frozen=True)
class Text:
    """A string of a module of the package, and where it stands."""

    value: str
    where: str


def strings_of_the_package() -> Iterator[Text]:
    """Every string of the package, the parts of f-strings included, that is not prose."""
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        left_out = {id(part) for node in ast.walk(tree) if is_prose(node) for part in ast.walk(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
                yield Text(node.value, f"{path.relative_to(REPOSITORY)}:{node.lineno}")


def is_prose(node: ast.AST) -> bool:
    """A docstring, or the `examples=` of what a user may write."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.keyword) and node.arg == "examples"


def one_line(error: Exception) -> str:
    """The message of an error without its line breaks."""
    return " ".join(str(error).split())


def main() -> int:
    """Print the findings; 1 if there are any."""
    files = sorted(SQL.rglob("*.sql"))
    strings = list(strings_of_the_package())
    with tempfile.TemporaryDirectory() as home, ProcessPoolExecutor() as pool:
        findings = list(sql_findings(files, {text.value for text in strings}, Path(home), pool))
    findings += [
        f"{text.where}: SQL in a string: make it a file in sql/" for text in strings if SQL_TEXT.match(text.value)
    ]
    print(*findings, sep="\n", end="\n" if findings else "")
    print(f"SQL: {len(files)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
