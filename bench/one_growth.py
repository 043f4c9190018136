"""`python -m bench.one_growth by-hand DATABASE COLUMNS`, or `… request FOLDER`: one run, in a process of its own.

The first groups by so many columns, as typed by hand; the second answers the request in the folder. Prints the seconds
of each step, of the clock and of the processor, and the figures of the run, as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.grown_members import REQUEST, STATE, grouping
from ordermade import Engine
from ordermade.progress.waiting import Silent
from ordermade.sources.executor import ExecutedStatement
from ordermade.sources.limits import Limits
from ordermade.sources.spill_folder import SpillFolder
from ordermade.sources.workspace import connect


@dataclass
class Clock(Silent):
    """Seconds of the clock and of the processor of each part of a request, in the order of their beginning.

    A part is a step, or the statements of one purpose within a step: (step, purpose), and (step, "") the rest of it.
    """

    parts: dict[tuple[str, str], tuple[float, float]] = field(default_factory=dict)
    _step: str = ""
    _since: tuple[float, float] = (0.0, 0.0)

    def step(self, name: str) -> None:
        """A step begins, and the one before it has ended."""
        now = time.perf_counter(), time.process_time()
        if self._step:
            self._add("", now[0] - self._since[0], now[1] - self._since[1])
        self._step, self._since = name.split(" (")[0], now

    def statement(self, statement: ExecutedStatement) -> None:
        """A statement ran: its seconds are not in the rest of the step."""
        if self._step:
            taken = statement.seconds, statement.processor_seconds
            self._add(statement.purpose, *taken)
            self._add("", -taken[0], -taken[1])

    def _add(self, purpose: str, seconds: float, of_processor: float) -> None:
        before = self.parts.get((self._step, purpose), (0.0, 0.0))
        self.parts[self._step, purpose] = before[0] + seconds, before[1] + of_processor


def by_hand(database: Path, columns: int) -> dict[str, Any]:
    """The combinations of so many columns, and the seconds of their GROUP BY within the limits of a request."""
    with SpillFolder() as spill:
        connection = connect(database, spill, Limits())
        started, worked = time.perf_counter(), time.process_time()
        ((combinations, _),) = connection.execute(grouping(columns)).fetchall()
        taken = time.perf_counter() - started, time.process_time() - worked
        connection.close()
    return {"parts": [("by hand", "", *taken)], "combinations": combinations}


def request(folder: Path) -> dict[str, Any]:
    """The parts of a request, and the figures of its search."""
    clock = Clock()
    engine = replace(Engine(folder / STATE / "state.sqlite"), progress=clock)
    result = engine.run(folder / REQUEST, again=True)
    clock.step("end")
    found = result.search
    assert result.status == "released"
    assert found.certified
    return {
        "parts": [(*part, *taken) for part, taken in clock.parts.items()],
        "nodes": found.nodes_in_lattice,
        "questions": found.nodes_measured,
        "levels": result.levels,
    }


if __name__ == "__main__":
    what, where, *columns = sys.argv[1:]
    found = request(Path(where)) if what == "request" else by_hand(Path(where), int(columns[0]))
    print(json.dumps(found))
