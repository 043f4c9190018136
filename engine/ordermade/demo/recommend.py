"""The demo of recommendation: made-up persons, five rules, and Mondrian guided by precision and by the rules.

Persons, hierarchies and rules are those of Arai, Kono and Babaguchi 2015 (Tables 5 and 6), with more persons.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from ordermade.demo.folder import STATE, Table, set_up
from ordermade.demo.steps import Notify, Stopwatch, Timed
from ordermade.demo.tables import RECOMMEND, make_persons
from ordermade.engine import Engine
from ordermade.multidimensional.result import MondrianResult
from ordermade.sources.workspace import Limits

RULES = "rules.yaml"


@dataclass(frozen=True, slots=True)
class Answer:
    """One request of the demo: its file, its text, its result, and its steps."""

    file: str
    text: str
    result: MondrianResult
    steps: tuple[Timed, ...]


@dataclass(frozen=True, slots=True)
class Recommend:
    """The demo in a folder of its own. `notify` receives the name of each step."""

    folder: Path
    rows: int
    notify: Notify
    limits: Limits

    def set_up(self) -> Iterator[Timed]:
        """Makes files, persons and state, one step at a time. Raises InputError if the folder is in use."""
        table = Table("persons", RECOMMEND, lambda path: make_persons(path, self.rows, limits=self.limits))
        yield from set_up(self.folder, table, self.rows, self.notify, self._engine)

    @property
    def rules(self) -> str:
        """The text of the rules file."""
        return (self.folder / RULES).read_text(encoding="utf-8")

    def answers(self) -> Iterator[Answer]:
        """The answers to the requests of the demo, run one after the other in the demo's folder."""
        for file in sorted((self.folder / "requests").iterdir()):
            watch = Stopwatch(self.notify)
            with contextlib.chdir(self.folder):  # the path of a release is relative to the working directory
                # every request of the demo is one for Mondrian
                result = cast(MondrianResult, replace(self._engine, progress=watch).run(file))
            name = file.relative_to(self.folder).as_posix()
            yield Answer(name, file.read_text("utf-8"), result, watch.laps())

    @property
    def _engine(self) -> Engine:
        return Engine(self.folder / STATE, self.limits)
