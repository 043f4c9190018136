"""Why tests marked `services` were skipped, and which of them a server that answers could have run."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.durations import NO_TIME
from tests.services.servers import Kind, NoServer
from tests.services.throwaway import NotInstalled, NotStarted

LINES_OF_LOG = 5
NO_DATA = ("needs the public data sets", "the shared data set ", NO_TIME)
"""The beginnings of reasons of tests that need data that the project does not ship, or more time."""
OF_ANOTHER_SOURCE = "not of this kind of source: "
"""The beginning of reasons of tests of what a kind of source has not, whatever server answers."""


def reason(kind: Kind, none: NoServer) -> str:
    """What a test says that is skipped because there is no server of the kind."""
    if isinstance(none, NotInstalled):
        return f"no programs for {kind.title}: {none}"
    if isinstance(none, NotStarted):
        return f"no {kind.title}: {none}; {' | '.join(none.log.splitlines()[-LINES_OF_LOG:])}"
    return f"no {kind.title}: {none}"


def is_excused(reason: str, kind: Kind, answers: bool) -> bool:
    """Whether a test skipped for this reason lacked a server of this kind, which answers in this run or does not.

    Where one answers, throwaway servers may still lack their programs; one that is installed and fails is no excuse.
    """
    lacking = [f"no programs for {kind.title}: "] + [f"no {kind.title}: "] * (not answers)
    return reason.startswith(tuple(lacking))


class Skips:
    """A plugin of pytest that notes each test that was skipped, and why."""

    def __init__(self) -> None:
        self.reasons: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a test that was skipped; one that fails as expected is none."""
        if report.skipped and not hasattr(report, "wasxfail") and isinstance(report.longrepr, tuple):
            self.reasons[report.nodeid] = report.longrepr[2].removeprefix("Skipped: ")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a file that was skipped as a whole."""
        if report.skipped and isinstance(report.longrepr, tuple):
            self.reasons[report.nodeid] = report.longrepr[2].removeprefix("Skipped: ")

    def unexcused(self, answering: Mapping[Kind, bool]) -> dict[str, str]:
        """The tests that were skipped though a server answers that they could have been run against."""
        if not any(answering.values()):
            return {}
        return {
            test: reason
            for test, reason in self.reasons.items()
            if not reason.startswith((*NO_DATA, OF_ANOTHER_SOURCE))
            and not any(is_excused(reason, kind, answers) for kind, answers in answering.items())
        }
