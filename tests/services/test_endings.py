"""Nothing is left of a throwaway server, neither a process nor a file, however the tests that started it end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.services.fixtures import throwaway
from tests.services.servers import KINDS, MARIADB, POSTGRES, Kind

pytestmark = pytest.mark.services

MOST = {POSTGRES: "SHOW max_connections", MARIADB: "SELECT @@max_connections"}


def is_running(process: int) -> bool:
    """Whether the process still does anything; one that nobody waits for may be listed for ever."""
    listed = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False)
    return bool(listed.stdout.strip()) and not listed.stdout.startswith("Z")


def in_time(holds: Callable[[], bool]) -> bool:
    give_up = time.monotonic() + 30
    while not holds() and time.monotonic() < give_up:
        time.sleep(0.05)
    return holds()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_nothing_is_left_of_a_throwaway_server(kind: Kind) -> None:
    with throwaway(kind, "--max_connections=17") as server:
        process, folder = server.process.id, server.process.folder
        assert process is not None
        assert is_running(process)
        assert str(server.run(MOST[kind])[0][0]) == "17"
        assert server.log.read_text(encoding="utf-8", errors="replace")

    assert not is_running(process)
    assert not folder.exists()


STARTS_ONE = """
import sys, time
from tests.services.servers import KINDS
from tests.services.throwaway import start_throwaway
kind = next(kind for kind in KINDS if kind.name == sys.argv[1])
with start_throwaway(kind) as server:
    print(server.process.id, server.process.folder, flush=True)
    time.sleep(600)
"""


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def starter(request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str]]:
    """A process that starts a server and then waits; where one can be had."""
    request.getfixturevalue(f"throwaway_{request.param.name}")
    process = subprocess.Popen(
        [sys.executable, "-c", STARTS_ONE, request.param.name], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True
    )
    yield process
    process.kill()
    process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_nothing_is_left_of_a_throwaway_server_of_tests_that_are_ended(
    starter: subprocess.Popen[str], number: signal.Signals
) -> None:
    assert starter.stdout is not None
    number_of_process, path = starter.stdout.readline().split(maxsplit=1)
    process, folder = int(number_of_process), Path(path.strip())
    assert is_running(process)
    assert folder.is_dir()

    os.kill(starter.pid, number)

    assert in_time(lambda: not is_running(process))
    assert in_time(lambda: not folder.exists())
