"""Ctrl-C in the middle of a statement: every statement that runs ends at once.

Python calls its handler of a signal between two steps of the main thread. While that waits in DuckDB for another thread
of DuckDB, there is no such step. So the program has a thread of its own that learns of the signal.
"""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Protocol


class Interruptible(Protocol):
    """A connection whose statement another thread may end."""

    def interrupt(self) -> None:
        """Ends the statement that runs, which raises an error of its library."""


_RUNNING: list[Interruptible] = []
"""Of this process, as its signals are."""

_LONGEST_WAIT = 5.0
"""Seconds until a Ctrl-C is answered, whether or not the statements have ended."""


@contextmanager
def running(connection: Interruptible) -> Iterator[None]:
    """Around a statement of a connection, which a Ctrl-C is to end."""
    _RUNNING.append(connection)
    try:
        yield
    finally:
        _RUNNING.remove(connection)


class PassingOn:
    """Ends the statements that run at each Ctrl-C that comes in, from a thread of its own."""

    def __init__(self, incoming: socket.socket) -> None:
        """Reads the signals from `incoming`, until its other end is closed."""
        self._incoming = incoming
        self._done = threading.Event()

    def run(self) -> None:
        """What the thread does."""
        try:
            while signals := self._incoming.recv(64):
                if signal.SIGINT in signals:
                    self._end_running()
                    self._done.set()
        finally:
            self._done.set()

    def wait(self) -> None:
        """Waits until a Ctrl-C has ended the statements; for Python's handler, before it raises.

        On a busy machine the thread may come late: it would end a statement that began after the Ctrl-C was answered,
        such as the release of the best node.
        """
        self._done.wait(_LONGEST_WAIT)

    def _end_running(self) -> None:
        at_work = tuple(_RUNNING)
        if not at_work:  # DuckDB may be half imported in the thread that waits
            return
        import duckdb

        for each in at_work:
            with suppress(duckdb.ConnectionException):  # its statement ended, and it was closed
                each.interrupt()


@contextmanager
def passed_on() -> Iterator[PassingOn]:
    """While the block runs, a Ctrl-C ends the statements that run. In the main thread alone."""
    incoming, outgoing = socket.socketpair()
    outgoing.setblocking(False)
    before = signal.set_wakeup_fd(outgoing.fileno(), warn_on_full_buffer=False)
    passing = PassingOn(incoming)
    watcher = threading.Thread(target=passing.run, daemon=True)
    watcher.start()
    try:
        yield passing
    finally:
        signal.set_wakeup_fd(before)
        outgoing.close()
        watcher.join()
        incoming.close()
