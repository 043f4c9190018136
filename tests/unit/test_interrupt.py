"""Work of another thread on its connection ends once it is no longer wanted, and does not begin after that."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import duckdb
import pytest

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
