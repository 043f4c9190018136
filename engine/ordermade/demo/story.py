"""A demo: its table, made in a folder of its own, its requests, run one after the other, and what is shown of them."""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import as_file
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import ClassVar, Generic, TypeVar, cast

from rich.console import Console

from ordermade.demo.terminal import Notify, Terminal, Timed
from ordermade.engine import Engine
from ordermade.errors import InputError, SourceFault
from ordermade.files.private import private_umask
from ordermade.methods.shared.result import Result
from ordermade.progress.waiting import COMPILING, Silent
from ordermade.requests.model import SMALLEST_K
from ordermade.sources.limits import Limits
from ordermade.sources.open import kind_of_source
from ordermade.state.database import initialise

Released = TypeVar("Released", bound=Result)
"""The result of the one method of a demo."""

LOADED = "loaded into"
"""The beginning of the name of the step that loads a table into another database."""
STATE = Path(".ordermade") / "state.sqlite"
"""The path of a demo's state in its folder."""


class Stopwatch(Silent):
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

    def records_left(self, count: int) -> None:
        """Records are put into groups."""
        self._notify(f"{self._started[-1][0]}: {count:,} records left")

    def compiling(self, begins: bool) -> None:
        """Functions of a method are compiled: a demo would be silent for long."""
        if begins and not self._has_compiled:
            self._has_compiled = True
            sys.stderr.write(f"{COMPILING}\n")
            sys.stderr.flush()

    def laps(self) -> tuple[Timed, ...]:
        """The steps so far, the last one until now."""
        ends = [*(start for _, start in self._started[1:]), time.perf_counter()]
        return tuple(Timed(name, end - start) for (name, start), end in zip(self._started, ends, strict=True))


@dataclass(frozen=True)
class Answer(Generic[Released]):
    """One request of a demo: its file, its text, its result, and its steps."""

    file: str
    text: str
    result: Released
    steps: tuple[Timed, ...]


@dataclass(frozen=True, slots=True)
class DemoTable:
    """The table of a demo: its name, the files that come with it, and the function that makes its database file.

    `made`: the plural noun of what is counted as its rows.
    """

    name: str
    files: Traversable
    make: Callable[..., None]
    made: str


@dataclass(frozen=True, slots=True)
class Demo(ABC, Generic[Released]):
    """A demo in a folder of its own, its table in another database where `on` names one.

    `rows` of the table are made up; `notify` receives the name of each step.
    """

    folder: Path
    rows: int
    notify: Notify
    limits: Limits
    on: str = ""

    command: ClassVar[str]
    table: ClassVar[DemoTable]
    opening: ClassVar[str]
    """What is shown before the first step, with the place of `rows`."""
    headings: ClassVar[tuple[str, ...]]
    """One for each request."""
    further: ClassVar[tuple[tuple[str, str], ...]]
    """Commands to go on with, each with a note."""

    @abstractmethod
    def show(self, screen: Terminal) -> None:
        """Runs the requests and shows their answers."""

    def set_up(self) -> Iterator[Timed]:
        """Makes files, table and state, one step at a time. Raises InputError if the folder is in use."""
        _require_empty(self.folder)
        steps: Sequence[tuple[str, Callable[[], None]]] = (
            (f"{self.rows:,} {self.table.made} made in {self.database.name}", self._make),
            *([(f"{LOADED} {kind_of_source(self.on)}", self._load)] if self.on else []),
            ("state made; all of it registered", self._register),
        )
        for name, step in steps:
            self.notify(name)
            started = time.perf_counter()
            step()
            yield Timed(name, time.perf_counter() - started)

    def run(self, file: Path, watch: Stopwatch) -> Answer[Released]:
        """The answer to a request of the demo, run in the demo's folder."""
        with contextlib.chdir(self.folder):  # the path of a release is relative to the working directory
            # Every request of a demo is of its method.
            result = cast("Released", replace(self.engine, progress=watch).run(file))
        return Answer(file.relative_to(self.folder).as_posix(), file.read_text("utf-8"), result, watch.laps())

    @property
    def requests(self) -> Sequence[Path]:
        """The request files, in their order."""
        return sorted((self.folder / "requests").iterdir())

    @property
    def database(self) -> Path:
        """The DuckDB file of the table."""
        return self.folder / f"{self.table.name}.duckdb"

    @property
    def engine(self) -> Engine:
        """An engine with the state of the demo."""
        return Engine(self.folder / STATE, self.limits)

    def _make(self) -> None:
        with private_umask():
            with as_file(self.table.files) as given:
                # The contents alone: the files of the package may be for everybody to read.
                shutil.copytree(given, self.folder, dirs_exist_ok=True, copy_function=shutil.copyfile)
            self.table.make(self.database, self.rows, limits=self.limits)

    def _load(self) -> None:
        try:
            from ordermade.demo.loading import load
        except ImportError:
            raise SourceFault(
                "SQLAlchemy, which loads the members, is not installed",
                where="--on",
                next_step="Install it: pip install 'ordermade[postgres]' or 'ordermade[mysql]'.",
            ) from None
        load(self.on, self.database, self.table.name, self.engine.limits)

    def _register(self) -> None:
        engine = self.engine
        initialise(engine.state_file.path, engine.state_file.authority)
        engine.sources.add("shop", self.on or str(self.database))
        engine.datasets.add(self.table.name, "shop", table=self.table.name, least_k=SMALLEST_K)
        for file in sorted((self.folder / "hierarchies").glob("*")):
            engine.hierarchies.add(file.stem, file)


def play(
    kind: type[Demo[Released]], folder: Path, rows: int, *, kept: bool, on: str = "", console: Console | None = None
) -> None:
    """Runs a demo in `folder` and shows it. Raises OrdermadeError.

    `kept`: whether the folder stays, and the table in the database that `on` names.
    """
    screen = Terminal(console)
    started = time.perf_counter()
    with contextlib.ExitStack() as stack:
        demo = kind(folder, rows, stack.enter_context(screen.status()), Limits(), on)
        screen.heading(kind.command)
        screen.say(kind.opening.format(rows=f"{rows:,}"))
        for step in demo.set_up():
            if on and not kept and step.name.startswith(LOADED):
                from ordermade.demo.loading import drop

                stack.callback(drop, on, kind.table.name)
            screen.step(step)
        demo.show(screen)
    screen.closing(folder, time.perf_counter() - started, kind.further, f"{kind.command} --folder my-demo", kept=kept)


def show_request(screen: Terminal, heading: str, answer: Answer[Released], first: Answer[Released] | None) -> None:
    """One request and its outcome; of one after the first only the lines that differ."""
    screen.heading(heading)
    if first is None:
        screen.file(answer.file, answer.text)
    else:
        known = set(first.text.splitlines())
        differing = [line for line in answer.text.splitlines() if line not in known]
        screen.file(f"{answer.file}: the same, but for", "\n".join(differing))
    screen.outcome(answer.result)
    screen.steps(answer.steps)


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
