"""A mutant: one small fault put into the engine, and the tests that are to find it. `every.yaml` lists them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

REPOSITORY = Path(__file__).resolve().parents[2]
EVERY = Path(__file__).with_name("every.yaml")


class Stale(Exception):
    """The text that a mutant changes does not stand exactly once in its file."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault in words: in a `file` of the engine or of `sql/`, `old` becomes `new`. One of the `tests` is to fail."""

    fault: str
    file: str
    old: str
    new: str
    tests: Sequence[str]

    def applied(self, text: str) -> str:
        """The text of the file with the fault in it. Raises Stale where `old` does not stand in it exactly once."""
        found = text.count(self.old)
        if found != 1:
            raise Stale(f"{self.fault}: {self.file} has the text {found} times: {self.old!r}")
        return text.replace(self.old, self.new)


def mutants() -> list[Mutant]:
    """Every mutant of the list."""
    return [Mutant(**each) for each in yaml.safe_load(EVERY.read_text(encoding="utf-8"))]
