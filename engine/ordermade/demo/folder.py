"""The folder of a demo: made-up tables, database, state, and the steps that run in it."""

from __future__ import annotations

import csv
import io
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, cast

from sqlglot import exp

from ordermade import sql
from ordermade.engine import Engine
from ordermade.errors import InputError, SourceFault
from ordermade.files.private import private_umask
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.read import read_hierarchy
from ordermade.progress.waiting import COMPILING
from ordermade.requests.model import SMALLEST_K
from ordermade.search.problem import SoFar
from ordermade.sources.executor import Executor, Purpose, Statement
from ordermade.sources.limits import Limits
from ordermade.sources.open import kind_of_source
from ordermade.sources.spill_folder import SpillFolder
from ordermade.sources.workspace import connect
from ordermade.state.database import initialise

Notify = Callable[[str], None]
"""Receives the name of each step as it begins."""


@dataclass(frozen=True, slots=True)
class Timed:
    """A step of the demo and the seconds it took."""

    name: str
    seconds: float


class Stopwatch:
    """Times the steps of a request as they begin, and passes their names on."""

    def __init__(self, notify: Notify) -> None:
        self._notify = notify
        self._started: list[tuple[str, float]] = []
        self._has_compiled = False

    def step(self, name: str) -> None:
        """A step begins."""
        self._started.append((name, time.perf_counter()))
        self._notify(name)

    def nodes_left(self, count: int) -> None:
        """The search goes on."""
        self._notify(f"{self._started[-1][0]}: {count:,} left to settle")

    def so_far(self, compute: SoFar) -> None:
        """The bound of a search is not shown."""

    def records_left(self, count: int) -> None:
        """Records are put into groups."""
        self._notify(f"{self._started[-1][0]}: {count:,} records left")

    def compiling(self, begins: bool) -> None:
        """Functions of a method are compiled: a demo would be silent for long."""
        if begins and not self._has_compiled:
            self._has_compiled = True
            sys.stderr.write(f"{COMPILING}\n")
            sys.stderr.flush()

    def statement(self, statement: Statement) -> None:
        """Statements are not shown one by one."""

    def laps(self) -> tuple[Timed, ...]:
        """The steps so far, the last one until now."""
        ends = [*(start for _, start in self._started[1:]), time.perf_counter()]
        return tuple(Timed(name, end - start) for (name, start), end in zip(self._started, ends, strict=True))


SEED = 20131001

DATA = files("ordermade.demo") / "data"
MEMBERS = DATA / "members"
RECOMMEND = DATA / "recommend"
PURCHASES = DATA / "purchases"
"""The files that the folder of each demo gets a copy of: hierarchies, requests, rules."""


def make_members(path: Path, rows: int, *, seed: int = SEED, limits: Limits | None = None) -> None:
    """Writes `rows` made-up members into the table `members` of a new DuckDB file at `path`. Raises SourceFault."""
    create = sql.with_relations(sql.template("demo/create_members"), {"dataset": sql.select("demo/members")})
    _make_table(path, create, {**shares(), "rows": rows, "seed": seed}, limits)


def make_persons(path: Path, rows: int, *, seed: int = SEED, limits: Limits | None = None) -> None:
    """Writes `rows` made-up persons into the table `persons` of a new DuckDB file at `path`. Raises SourceFault."""
    create = sql.with_relations(sql.template("demo/create_persons"), {"dataset": sql.select("demo/persons")})
    _make_table(path, create, {"occupations": occupations(), "rows": rows, "seed": seed}, limits)


def make_purchases(path: Path, customers: int, *, seed: int = SEED, limits: Limits | None = None) -> None:
    """Writes the purchases of so many made-up customers into the table `purchases` of a new DuckDB file at `path`.

    Some 40 of each, of whom most have fewer. Raises SourceFault.
    """
    create = sql.with_relations(sql.template("demo/create_purchases"), {"dataset": sql.select("demo/purchases")})
    _make_table(path, create, {**goods(), "customers": customers, "seed": seed}, limits)


def goods() -> dict[str, list[Any]]:
    """The lists that goods are drawn from: kinds and designs by number, each in proportion to its share; and names."""
    kinds, designs = _lines("goods.csv"), _lines("designs.csv")
    drawn: dict[str, list[Any]] = {
        season: [number for number, kind in enumerate(kinds) if kind["season"] == season]
        for season in ("spring", "summer", "autumn", "winter")
    }
    return drawn | {
        "kinds": [number for number, kind in enumerate(kinds) for _ in range(int(kind["share"]))],
        "designs": [number for number, design in enumerate(designs) for _ in range(int(design["share"]))],
        "kind_names": [kind["kind"] for kind in kinds],
        "design_names": [design["design"] for design in designs],
        "prices": [float(kind["price"]) for kind in kinds],
    }


def _lines(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((DATA / name).read_text(encoding="utf-8"))))


def shares() -> dict[str, list[str]]:
    """The lists that values of members are drawn from: each name in proportion to its share."""
    drawn: dict[str, list[str]] = {}
    for line in _lines("shares.csv"):
        drawn.setdefault(line["list"], []).extend([line["name"]] * int(line["share"]))
    return drawn


def occupations() -> list[str]:
    """The middle groups of Japan's standard classification of occupations, in its order."""
    with as_file(RECOMMEND / "hierarchies" / "occupation.yaml") as file:
        hierarchy = cast("ExplicitHierarchy", read_hierarchy(file, file.stem).hierarchy)  # the file lists them
    return [str(value) for value in hierarchy.leaves]


def _make_table(path: Path, create: exp.Expr, values: Mapping[str, Any], limits: Limits | None) -> None:
    attach = sql.with_literal(sql.template("demo/attach"), ":memory:", exp.Literal.string(str(path)))
    with SpillFolder() as spill, connect(None, spill, limits or Limits(), reads=[path.parent]) as connection:
        executor = Executor(connection, "demo")
        executor.rows(Purpose.STORE, attach)
        executor.rows(Purpose.STORE, create, values)
        executor.rows(Purpose.STORE, sql.template("demo/detach"))


LOADED = "loaded into"
"""The beginning of the name of the step that loads a table into another database."""
STATE = Path(".ordermade") / "state.sqlite"
"""The path of a demo's state in its folder."""


@dataclass(frozen=True, slots=True)
class Table:
    """The table of a demo: its name, the files that come with it, and the function that makes its database file.

    `made`: the plural noun of its rows, its own name by default. `on`: the database that it is loaded into and read
    from, as `load` takes it; the file itself by default.
    """

    name: str
    files: Traversable
    make: Callable[[Path], None]
    made: str = ""
    on: str = ""


def set_up(folder: Path, table: Table, rows: int, notify: Notify, engine: Engine) -> Iterator[Timed]:
    """Makes files, database and state, one step at a time. Raises InputError if the folder is in use."""
    _require_empty(folder)
    database = folder / f"{table.name}.duckdb"
    steps: Sequence[tuple[str, Callable[[], None]]] = (
        (f"{rows:,} {table.made or table.name} made in {database.name}", lambda: _make(folder, table, database)),
        *([(f"{LOADED} {kind_of_source(table.on)}", lambda: _load(table, database, engine))] if table.on else []),
        ("state made; all of it registered", lambda: _register(folder, table, table.on or str(database), engine)),
    )
    for name, step in steps:
        notify(name)
        started = time.perf_counter()
        step()
        yield Timed(name, time.perf_counter() - started)


def _make(folder: Path, table: Table, database: Path) -> None:
    with private_umask():
        with as_file(table.files) as given:
            # The contents alone: the files of the package may be for everybody to read.
            shutil.copytree(given, folder, dirs_exist_ok=True, copy_function=shutil.copyfile)
        table.make(database)


def _load(table: Table, database: Path, engine: Engine) -> None:
    try:
        from ordermade.demo.loading import load
    except ImportError:
        raise SourceFault(
            "SQLAlchemy, which loads the members, is not installed",
            where="--on",
            next_step="Install it: pip install 'ordermade[postgres]' or 'ordermade[mysql]'.",
        ) from None
    load(table.on, database, table.name, engine.limits)


def _register(folder: Path, table: Table, source: str, engine: Engine) -> None:
    initialise(engine.state_file.path, engine.state_file.authority)
    engine.sources.add("shop", source)
    engine.datasets.add(table.name, "shop", table=table.name, least_k=SMALLEST_K)
    for file in sorted((folder / "hierarchies").glob("*")):
        engine.hierarchies.add(file.stem, file)


def _require_empty(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(
            "the demo writes into an empty folder of its own",
            where=str(folder),
            next_step="Name a new folder, or empty this one.",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"the folder cannot be made ({error.strerror or type(error).__name__})",
            where=str(folder),
            next_step="Name a folder that can be written.",
        ) from None
