"""What ends with an interrupt: the statements of another thread and of Ctrl-C, and none that begins after it."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import duckdb
import pytest

from ordermade.cli.exit_status import exit_status_of
from ordermade.sources.executor import Executor, Purpose
from ordermade.sources.workspace import Interrupt

ENDLESS = "SELECT SUM(a.range + b.range) FROM RANGE(10000000) AS a, RANGE(10000000) AS b"


def test_a_statement_of_another_thread_is_ended() -> None:
    interrupt, begun = Interrupt(), threading.Event()

    def work() -> None:
        with duckdb.connect() as connection:
            interrupt.covers(connection)
            begun.set()
            Executor(connection, "workspace").rows(Purpose.MEASURE, ENDLESS)

    with ThreadPoolExecutor(1) as meanwhile:
        working = meanwhile.submit(work)
        assert begun.wait(10)
        while not working.done():  # it may come before the statement does
            interrupt.now()
        with pytest.raises(KeyboardInterrupt):
            working.result()
    interrupt.now()  # of a connection that is closed


def test_nothing_begins_after_it() -> None:
    interrupt = Interrupt()
    interrupt.now()
    with duckdb.connect() as connection, pytest.raises(KeyboardInterrupt):
        interrupt.covers(connection)


class Late(socket.socket):
    """Reads a signal as late as a thread that waits for a busy processor."""

    def recv(self, size: int, flags: int = 0) -> bytes:
        received = super().recv(size, flags)
        time.sleep(0.2)
        return received


@pytest.mark.slow
def test_ctrl_c_ends_no_statement_that_begins_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = socket.socketpair
    monkeypatch.setattr(socket, "socketpair", lambda: tuple(Late(fileno=each.detach()) for each in pair()))

    def answers() -> None:
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        until = time.monotonic() + 0.5
        with duckdb.connect() as connection:
            while time.monotonic() < until:
                Executor(connection, "workspace").rows(Purpose.MEASURE, "SELECT SUM(range) FROM RANGE(10000000)")

    assert exit_status_of(answers) == 0
