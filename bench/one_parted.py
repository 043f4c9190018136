"""`python -m bench.one_parted by-hand GLOB …COLUMNS`, or `… request FOLDER LIMIT`: one run, in a process of its own.

The first groups by the columns, as typed by hand, over all parts in one statement; the second answers a request up to
the decision, before anything is released. Prints seconds and figures, and the most memory ever held, in GiB, as JSON.
"""

from __future__ import annotations

import json
import re
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest import mock

from bench.made_parts import STATE, MadeParts
from ordermade import Engine
from ordermade.counting.part_counts import PartCounts
from ordermade.files.private import SPILL
from ordermade.progress.waiting import Silent
from ordermade.sources.executor import ExecutedStatement, Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.spill_folder import SpillFolder
from ordermade.sources.workspace import connect


class Decided(Exception):
    """The search has ended, and a release would begin."""


@dataclass
class UpToTheDecision(Silent):
    """Ends a request when its release begins; notes the statements that counted parts, and when each step began."""

    steps: list[tuple[str, float]] = field(default_factory=list)
    counted: list[float] = field(default_factory=list)
    parts: set[str] = field(default_factory=set)
    spilled: int = 0

    def step(self, name: str) -> None:
        self.steps.append((name, time.perf_counter()))
        if name == "release":
            raise Decided

    def statement(self, statement: ExecutedStatement) -> None:
        if statement.purpose is Purpose.FREQUENCY_SET and "READ_PARQUET" in statement.text.upper():
            self.counted.append(statement.seconds)
        if statement.purpose is not Purpose.LOAD:
            self.parts |= set(re.findall(r"(\d{4})\.parquet", statement.text))
        folders = Path(tempfile.gettempdir()).glob(f"{SPILL}*/*.tmp")
        self.spilled = max(self.spilled, sum(each.stat().st_size for each in folders))


def by_hand(glob: str, columns: list[str]) -> dict[str, Any]:
    """The seconds and combinations of one GROUP BY over all parts, its answer kept as a table."""
    named = ", ".join(columns)
    with SpillFolder() as spill:
        connection = connect(None, spill, Limits())
        started, began = time.perf_counter(), time.process_time()
        connection.execute(
            f"CREATE TEMP TABLE counted AS SELECT {named}, COUNT(*) AS n FROM READ_PARQUET('{glob}') GROUP BY {named}"
        )
        seconds, counting = time.perf_counter() - started, time.process_time() - began
        ((combinations, rows),) = connection.execute("SELECT COUNT(*), SUM(n) FROM counted").fetchall()
        connection.close()
    return {"seconds": seconds, "counting_processor": counting, "combinations": combinations, "rows": int(rows)}


def request(folder: Path, limit: str) -> dict[str, Any]:
    """The seconds of a request up to the decision, and of counting and merging its parts; the parts that it read."""
    made = MadeParts(folder, 0, 0)
    progress = UpToTheDecision()
    counting = processor = 0.0

    def timed(counts: PartCounts, merge: Callable[[PartCounts], None] = PartCounts.merge) -> None:
        nonlocal counting, processor
        began, of_processor = time.perf_counter(), time.process_time()
        merge(counts)
        counting += time.perf_counter() - began
        processor += time.process_time() - of_processor

    engine = replace(Engine(folder / STATE / "state.sqlite"), progress=progress)
    started = time.perf_counter()
    try:
        with mock.patch.object(PartCounts, "merge", timed):
            result = engine.run(made.request(limit), again=True)
        raise RuntimeError(f"no release began: {getattr(result, 'reason', None)}")
    except Decided:
        seconds = time.perf_counter() - started
    steps = [(name, round(at - started, 3)) for name, at in progress.steps]
    return {
        "seconds": seconds,
        "counting": counting,
        "counting_processor": processor,
        "counted": progress.counted,
        "parts": sorted(progress.parts),
        "spilled": progress.spilled,
        "steps": steps,
    }


if __name__ == "__main__":
    what, where, *rest = sys.argv[1:]
    found = request(Path(where), rest[0]) if what == "request" else by_hand(where, rest)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        json.dumps(
            {**found, "processor": time.process_time(), "memory": most / (2**30 if sys.platform == "darwin" else 2**20)}
        )
    )
