"""The folder of a demo: its files, its database, and the state in which they are registered."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import as_file
from importlib.resources.abc import Traversable
from pathlib import Path

from ordermade.demo.steps import Notify, Timed
from ordermade.engine import Engine
from ordermade.errors import InputError
from ordermade.private_files import private_umask
from ordermade.requests.model import SMALLEST_K
from ordermade.state.migrations import initialise

STATE = Path(".ordermade") / "state.duckdb"
"""The path of a demo's state in its folder."""


@dataclass(frozen=True, slots=True)
class Table:
    """The table of a demo: its name, the files that come with it, and the function that makes its database file.

    `made`: the plural noun of its rows, its own name by default.
    """

    name: str
    files: Traversable
    make: Callable[[Path], None]
    made: str = ""


def set_up(folder: Path, table: Table, rows: int, notify: Notify, engine: Engine) -> Iterator[Timed]:
    """Makes files, database and state, one step at a time. Raises InputError if the folder is in use."""
    _require_empty(folder)
    database = folder / f"{table.name}.duckdb"
    steps: Sequence[tuple[str, Callable[[], None]]] = (
        (f"{rows:,} {table.made or table.name} made in {database.name}", lambda: _make(folder, table, database)),
        ("state made; all of it registered", lambda: _register(folder, table, database, engine)),
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


def _register(folder: Path, table: Table, database: Path, engine: Engine) -> None:
    initialise(engine.state_file.path)
    engine.sources.add("shop", str(database))
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
