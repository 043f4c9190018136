"""The figures of growth: the seconds of each step of a request of one size, read and written as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

STEPS: Mapping[str, str] = {
    "start": "the process and its imports, the state and the source opened, and the end",
    "version": "the rows hashed, the request noted in the state",
    "coverage": "how often each value occurs, and its labels",
    "count": "the frequency set, counted in the source",
    "choose": "the search choosing its questions, and the text of these",
    "check": "the questions: roll-ups and k-checks",
    "release": "the rows to release, decided, sorted and written",
    "verify": "the file measured again and hashed, its manifest",
    "record": "what was measured kept in the state",
}
"""The steps in their order, and the work in them."""

Part = tuple[str, str, float, float]
"""A step, the purpose of its statements (or none: the rest of the step), seconds of the clock and of the processor."""


@dataclass(frozen=True)
class Seconds:
    """Seconds of the clock, and those of the processor in all threads."""

    clock: float = 0.0
    processor: float = 0.0

    def __add__(self, other: Seconds) -> Seconds:
        return Seconds(self.clock + other.clock, self.processor + other.processor)

    def __sub__(self, other: Seconds) -> Seconds:
        return Seconds(self.clock - other.clock, self.processor - other.processor)


@dataclass(frozen=True)
class Grown:
    """A request of one size: the GROUP BY by hand, the whole process, its steps, its most memory in GiB.

    `combinations`: different ones in the rows. `questions`: nodes measured.
    """

    rows: int
    quasi_identifiers: int
    nodes: int
    questions: int
    combinations: int
    by_hand: Seconds
    whole: Seconds
    memory: float
    steps: Mapping[str, Seconds]

    @property
    def ratio(self) -> float:
        """The seconds of the whole process over those of the GROUP BY."""
        return self.whole.clock / self.by_hand.clock


def steps_of(parts: Iterable[Part], whole: Seconds) -> dict[str, Seconds]:
    """The seconds of each of `STEPS`, from the parts of a request; what no part has is the start."""
    steps = dict.fromkeys(STEPS, Seconds())
    for step, purpose, clock, processor in parts:
        steps[_step_of(step, purpose)] += Seconds(clock, processor)
    for each in list(steps.values()):
        whole -= each
    return {**steps, "start": whole}


def _step_of(step: str, purpose: str) -> str:
    match step, purpose:
        case (("dataset version" | "identifying columns"), _):
            return "version"
        case "coverage of the hierarchies", _:
            return "coverage"
        case "search", "":
            return "choose"
        case "search", "frequency set":
            return "count"
        case "search", _:
            return "check"
        case "release", "":
            return "verify"
        case (("release" | "record"), _):
            return step
    raise ValueError(f"a step that the table does not have: {step}")


_COUNTS = ("rows", "quasi_identifiers", "nodes", "questions", "combinations")
_TIMED = ("by_hand", "whole", *STEPS)


def write(found: Iterable[Grown], path: Path) -> None:
    """Writes figures as CSV: a line for each size, the seconds of the clock and of the processor side by side."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        headings = [f"{each}_{kind}" for each in _TIMED for kind in ("seconds", "processor_seconds")]
        writer.writerow([*_COUNTS, "GiB", *headings])
        for each in found:
            timed = (each.by_hand, each.whole, *(each.steps[step] for step in STEPS))
            seconds = (f"{one:.4f}" for both in timed for one in (both.clock, both.processor))
            writer.writerow([*(getattr(each, name) for name in _COUNTS), f"{each.memory:.3f}", *seconds])


def read(path: Path) -> list[Grown]:
    """The figures of a file that `write` wrote."""
    with path.open(encoding="utf-8", newline="") as file:
        return [_of_line(line) for line in csv.DictReader(file)]


def _of_line(line: Mapping[str, str]) -> Grown:
    by_hand, whole, *steps = (
        Seconds(float(line[f"{each}_seconds"]), float(line[f"{each}_processor_seconds"])) for each in _TIMED
    )
    rows, columns, nodes, questions, combinations = (int(line[name]) for name in _COUNTS)
    memory = float(line["GiB"])
    return Grown(
        rows, columns, nodes, questions, combinations, by_hand, whole, memory, dict(zip(STEPS, steps, strict=True))
    )
