"""`make check`: every statement of the engine is a section of a file, parses, states its rows, and runs by hand.

For each section of `sql/`: sqlglot parses it; the header comment states what the statement returns or writes and,
where it gives or keeps rows, what one row is; it runs in DuckDB, one of the state in SQLite; the package names it,
and names no other.
Each runs on a database of its own, in a folder of its own:

* `sql/state.sql`: in SQLite, on a new state; `.ordermade/state.sqlite` is another one,
* `sql/ledger.sql`: in SQLite, on a new ledger,
* `sql/convert.sql`: not here, but in the tests of `state convert`, which have a state of an earlier engine,
* `sql/cache.sql`: an empty database,
* `sql/postgres.sql`, `sql/mysql.sql`, `sql/spark.sql`: not here, but in the tests that need a server,
* every other file: the stand-in tables of `sql/stand_ins.sql` that the statement names, and what they are made of.

Two kinds of header lines say how to run it by hand: `-- $name = <SQL literal>`, a value for a parameter,
and `-- after: other, another`, the sections of the same file that are run before it. The other way round,
no module of the package holds SQL text but `state/table.py`, which makes it of the tables of the state. Prints one
line a finding; exit status 1 if there are any.
"""

from __future__ import annotations

import ast
import contextlib
import re
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Set
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, partial
from pathlib import Path

import duckdb
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from ordermade.files.resources import sections
from ordermade.state.authority import SHELL
from ordermade.state.connection import connect, file_address, run_script
from ordermade.state.database import initialise
from ordermade.state.statements import run as run_on_state

REPOSITORY = Path(__file__).resolve().parents[1]
SQL = REPOSITORY / "sql"
MIGRATIONS = REPOSITORY / "migrations"
PACKAGE = REPOSITORY / "engine" / "ordermade"

STAND_INS = "stand_ins"
IN_SQLITE = {"state", "ledger"}
"""The files of statements on databases of the engine's own, in SQLite."""
SCRIPTS = {"settings", "tables"}
"""Their sections of several statements."""
ELSEWHERE = {"postgres", "postgres_change_log", "mysql", "mysql_change_log", "spark", "convert"}
"""The files of statements that tests run, on servers and on earlier states; sqlglot does not parse each."""
PUT_TOGETHER = {"postgres", "postgres_change_log", "mysql", "mysql_change_log", "spark", "judging/attacks"}
"""The files that the package names apart from the section, where either is one of several."""
STATEMENT_NAME = re.compile(r"[a-z_]+(?:/[a-z0-9_]+)+")
LOADERS = {"template", "select", "script", "script_over", "foreign", "statement"}
"""The functions whose first argument is the name of a statement."""
MAKES_SQL = "engine/ordermade/state/table.py:"
"""The module that makes the statements on one table of the state."""
STAND_IN = re.compile(r"(?:CREATE (?:TEMPORARY )?(?:TABLE|MACRO)|ALTER TABLE|INSERT INTO|COPY \w+ TO) '?(\w+)")
"""How a statement of the stand-ins begins: its group is the table or the file that it makes or changes."""
WORD = re.compile(r"\w+")
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
    """The comment a statement begins with: prose, parameters as SQL literals, the sections to run before it."""

    prose: str
    declared: dict[str, str]
    after: tuple[str, ...]


def header_of(text: str) -> Header:
    """The leading `--` lines of a statement."""
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
    """A statement uses a parameter that its header gives no value, or names a section that is not there."""


def run_text(connection: duckdb.DuckDBPyConnection, text: str) -> set[str]:
    """Run a statement, or several, with the values that the header declares; the parameters it used."""
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


@cache
def stand_ins() -> tuple[tuple[str, str], ...]:
    """The statements of the stand-ins, each after the name of the table or the file that it makes or changes.

    Raises ValueError where one begins otherwise.
    """
    found = []
    for statement in duckdb.extract_statements((SQL / f"{STAND_INS}.sql").read_text(encoding="utf-8")):
        text = COMMENT.sub("", statement.query).strip()
        if not (match := STAND_IN.match(text)):
            raise ValueError(f"sql/{STAND_INS}.sql: makes no table and no file: {text}")
        found.append((match[1], text))
    return tuple(found)


def stand_ins_for(texts: Iterable[str]) -> list[str]:
    """The statements of the stand-ins that make what the texts name, and what those are made of, in their order.

    A statement names a few of a hundred tables, and to make them all takes longer than to run it.
    """
    named = {word for text in texts for word in WORD.findall(text)}
    size = 0
    while size < (size := len(named)):
        named.update(word for name, text in stand_ins() if name in named for word in WORD.findall(text))
    return [text for name, text in stand_ins() if name in named]


def in_order(section: str, texts: Mapping[str, str]) -> list[str]:
    """The sections of a file, `texts`, that `section` is run after, each after its own, and `section` last."""
    order: list[str] = []

    def place(name: str, above: tuple[str, ...]) -> None:
        if name in above or name not in texts:
            raise NotDeclared(f"`-- after: {name}`: " + ("in a circle" if name in above else "no such section"))
        for each in header_of(texts[name]).after:
            place(each, (*above, name))
        if name not in order:
            order.append(name)

    place(section, ())
    return order


class Ground:
    """The ground of the sections of one file, by their names: a database for each."""

    def __init__(self, file: str, texts: Mapping[str, str], home: Path) -> None:
        self.file = file
        self.texts = texts
        self._state = home / f"{file}.sqlite"
        if file == "state":
            initialise(self._state, SHELL)
        if file == "ledger":
            with contextlib.closing(sqlite3.connect(self._state)) as connection:
                connection.executescript(texts["tables"])

    def run(self, section: str) -> set[str]:
        """Run a section, after those it is run after, in an empty folder; the parameters it used."""
        with tempfile.TemporaryDirectory() as empty, contextlib.chdir(empty):
            Path(".ordermade").mkdir()
            if self.file in IN_SQLITE:
                return self._run_on_state(section)
            texts = [self.texts[name] for name in in_order(section, self.texts)]
            with duckdb.connect("database.duckdb") as connection:
                for text in stand_ins_for(texts) if self.file != "cache" else ():
                    connection.execute(text)
                return [run_text(connection, text) for text in texts][-1]

    def _run_on_state(self, section: str) -> set[str]:
        """The same on a state, as the engine runs it."""
        for copied in (Path(".ordermade") / "state.sqlite", Path("state.sqlite")):
            shutil.copy(self._state, copied)
        used: set[str] = set()
        with (
            duckdb.connect() as literals,
            contextlib.closing(connect(file_address(Path("state.sqlite"), read_only=False))) as connection,
        ):
            for name in in_order(section, self.texts):
                text = self.texts[name]
                used = set(PARAMETER.findall(COMMENT.sub("", text)))
                declared = header_of(text).declared
                for each in sorted(used - set(declared)):
                    raise NotDeclared(f"${each} has no line `-- ${each} = <SQL literal>` in the header")
                values = {each: _value(literals, literal) for each, literal in declared.items()}
                if name in SCRIPTS:
                    run_script(connection, text)
                else:
                    run_on_state(connection, f"{self.file}/{name}", **values)
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


def section_findings(ground: Ground, section: str) -> Iterator[str]:
    """Everything wrong with one section by itself."""
    text = ground.texts[section]
    if ground.file in ELSEWHERE:
        yield from header_findings(header_of(text), ())
        return
    try:
        trees = sqlglot.parse(text, dialect="sqlite" if ground.file in IN_SQLITE else "duckdb")
    except SqlglotError as error:
        yield f"sqlglot does not parse it: {one_line(error)}"
        return
    if not any(trees):
        yield "holds no statement"
        return
    header = header_of(text)
    yield from header_findings(header, trees)
    try:
        used = ground.run(section)
    except NotDeclared as error:
        yield str(error)
    except (duckdb.Error, sqlite3.Error) as error:
        yield f"does not run: {one_line(error)}"
    else:
        yield from (f"${name} is declared in the header and not used" for name in sorted(set(header.declared) - used))


def listed_findings(ground: Ground, section: str) -> list[str]:
    """Everything wrong with one section, in a process of its own: it runs in a folder that it changes to."""
    return list(section_findings(ground, section))


def statements(root: Path = SQL) -> tuple[dict[str, dict[str, str]], list[str]]:
    """The sections of the files of a folder, by file (without `.sql`) and name; what is wrong with whole files."""
    found: dict[str, dict[str, str]] = {}
    wrong: list[str] = []
    for path in sorted(root.rglob("*.sql")):
        file, text = path.relative_to(root).with_suffix("").as_posix(), path.read_text(encoding="utf-8")
        if file == STAND_INS:
            continue
        try:
            found[file] = dict(sections(text))
        except ValueError as error:
            wrong.append(f"sql/{file}.sql: {error}")
            continue
        if not found[file]:
            wrong.append(f"sql/{file}.sql: has no line `-- name: <name>`")
        if not text.startswith("-- ") or text.startswith("-- name:"):
            wrong.append(f"sql/{file}.sql: begins with no comment that says what it is about")
    return found, wrong


def sql_findings(texts: Mapping[str, Mapping[str, str]], named: Set[str], home: Path, pool: Executor) -> Iterator[str]:
    """The mistakes in the sections, which `pool` looks at, and the sections that no string of the package names."""
    for file, beside in texts.items():
        try:
            ground = Ground(file, beside, home)
        except (duckdb.Error, sqlite3.Error) as error:
            yield f"sql/{file}.sql: its tables cannot be made: {one_line(error)}"
            continue
        for section, found in zip(beside, pool.map(partial(listed_findings, ground), beside), strict=True):
            yield from (f"sql/{file}.sql, {section}: {finding}" for finding in found)
        for section in beside:
            if not is_named(file, section, named):
                yield f"sql/{file}.sql, {section}: no module of the package names it"


def is_named(file: str, section: str, named: Set[str]) -> bool:
    """Whether a section is one of the strings of the package; the stand-ins of a file are run before others."""
    alone = {section, f"/{section}"} if file in PUT_TOGETHER else set()
    return section == STAND_INS or not named.isdisjoint(alone | {f"{file}/{section}"})


def unknown_names(texts: Mapping[str, Mapping[str, str]], strings: Iterable[Text]) -> Iterator[str]:
    """The names of statements among the strings of the package that are of none."""
    known = {f"{file}/{section}" for file, beside in texts.items() for section in beside}
    places = {file.partition("/")[0] for file in texts}
    for text in strings:
        like_one = STATEMENT_NAME.fullmatch(text.value) and text.value.partition("/")[0] in places
        if (like_one or text.is_loaded) and text.value not in known:
            yield f"{text.where}: no section of sql/ is called {text.value}"


@dataclass(frozen=True)
class Text:
    """A string of a module of the package, and where it stands. `is_loaded`: a statement is loaded by this name."""

    value: str
    where: str
    is_loaded: bool = False


def strings_of_the_package() -> Iterator[Text]:
    """Every string of the package, the parts of f-strings included, that is not prose."""
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        left_out = {id(part) for node in ast.walk(tree) if is_prose(node) for part in ast.walk(node)}
        loaded = {id(node.args[0]) for node in ast.walk(tree) if isinstance(node, ast.Call) and is_loading(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
                yield Text(node.value, f"{path.relative_to(REPOSITORY)}:{node.lineno}", id(node) in loaded)


def is_loading(call: ast.Call) -> bool:
    """Whether a call is of a function that loads a statement: of `sql`, or by its name alone."""
    function = call.func
    if isinstance(function, ast.Attribute):
        of_sql = isinstance(function.value, ast.Name) and function.value.id == "sql"
        return of_sql and function.attr in LOADERS and bool(call.args)
    return isinstance(function, ast.Name) and function.id in LOADERS and bool(call.args)


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
    texts, findings = statements()
    strings = list(strings_of_the_package())
    with tempfile.TemporaryDirectory() as home, ProcessPoolExecutor() as pool:
        findings += sql_findings(texts, {text.value for text in strings}, Path(home), pool)
    findings += unknown_names(texts, strings)
    findings += [
        f"{text.where}: SQL in a string: make it a section in sql/"
        for text in strings
        if SQL_TEXT.match(text.value) and not text.where.startswith(MAKES_SQL)
    ]
    print(*findings, sep="\n", end="\n" if findings else "")
    print(f"SQL: {sum(map(len, texts.values()))} statements in {len(texts)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
