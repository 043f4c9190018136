"""A limit of time: with ORDERMADE_TESTS_UNTIL, in seconds since 1970, no file begins that would end later.

Files are run in an order that turns with each commit. The tests of those that do not begin are skipped, and these files
are listed at the end. `tests/conftest.py` loads it.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Mapping
from itertools import accumulate
from math import sqrt

import pytest

from tests.durations import NO_TIME, REPOSITORY, UNKNOWN, file_of, recorded, seconds_of_files


def turned(seconds: Mapping[str, float], turn: int) -> list[str]:
    """The files by name, from another place with each turn, so that every one soon comes first, however few are run.

    The places are multiples of the golden ratio: of any number of turns in a row they lie evenly over the whole.
    """
    files = sorted(seconds)
    place = turn * (sqrt(5) - 1) / 2 % 1 * sum(seconds.values())
    before = sum(end <= place for end in accumulate(seconds[each] for each in files))
    return files[before:] + files[:before]


class TimeLeft:
    """Leaves out the files that would end too late, by their seconds and by how slow those before them were."""

    def __init__(self, until: float, seconds: Mapping[str, float], now: Callable[[], float] = time.time) -> None:
        self._until, self._seconds, self._now = until, seconds, now
        self._began = now()
        self._begun: dict[str, bool] = {}

    def has(self, file: str) -> bool:
        """Whether the file may run; it is decided when it begins."""
        if file not in self._begun:
            now = self._now()
            done = sum(self._seconds[each] for each, runs in self._begun.items() if runs)
            slowness = max(1.0, (now - self._began) / done) if done else 1.0
            self._begun[file] = now + self._seconds[file] * slowness <= self._until
        return self._begun[file]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Skip a test of a file that may not run."""
        if not self.has(file_of(item)):
            pytest.skip(NO_TIME)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the files in their turn, and the limit into force, where the time is limited."""
    until = os.environ.get("ORDERMADE_TESTS_UNTIL")
    if until is None:
        return
    seconds = seconds_of_files(items, recorded(), UNKNOWN)
    commits = subprocess.run(
        ["git", "rev-list", "--count", "HEAD"], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    place = {file: number for number, file in enumerate(turned(seconds, int(commits.stdout)))}
    items.sort(key=lambda item: place[file_of(item)])
    config.pluginmanager.register(TimeLeft(float(until), seconds))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the files that were left out, each with the number of its tests."""
    left_out: dict[str, int] = {}
    for report in terminalreporter.stats.get("skipped", []):
        if isinstance(report.longrepr, tuple) and report.longrepr[2].endswith(NO_TIME):
            file = report.nodeid.partition("::")[0]
            left_out[file] = left_out.get(file, 0) + 1
    for file, tests in sorted(left_out.items()):
        terminalreporter.write_line(f"left out, {NO_TIME}: {file} ({tests} tests)")
