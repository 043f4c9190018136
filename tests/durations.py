"""How long the files of tests take, as the last whole run recorded it."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
RECORDED = REPOSITORY / "tests" / "durations.json"
UNKNOWN = 10.0
"""The seconds of a file that no run recorded."""
NO_TIME = "no time is left"
"""The reason of tests that `tests/time_left.py` leaves out."""
PARTS = ("spark", "browser", "services", "thorough")
"""The marks that part the suite, the first one of a test deciding; a test without is of the part `test`."""

Durations = Mapping[str, Mapping[str, float]]


def recorded() -> Durations:
    """The seconds of each file in each part."""
    found: Durations = json.loads(RECORDED.read_text(encoding="utf-8"))
    return found


def file_of(item: pytest.Item) -> str:
    """The path of a test's file within the repository."""
    return _within_repository(item.path)


@functools.cache
def _within_repository(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


def part_of(item: pytest.Item) -> str:
    """The part of the suite that a test is of."""
    return next((part for part in PARTS if item.get_closest_marker(part) is not None), "test")


def seconds_of_files(items: Iterable[pytest.Item], durations: Durations, unknown: float = 0.0) -> dict[str, float]:
    """The seconds of each file, of those of its parts that are to be run."""
    parts: dict[str, set[str]] = {}
    for item in items:
        parts.setdefault(file_of(item), set()).add(part_of(item))
    return {file: sum(durations.get(file, {}).get(part, unknown) for part in each) for file, each in parts.items()}
