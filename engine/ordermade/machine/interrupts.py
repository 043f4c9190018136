"""Ctrl-C in the middle of a statement: every running statement ends at once.

Python calls its signal handlers between two steps of the main thread. While the main thread waits in DuckDB there is no
such step, so another thread receives the signal.
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
        """End the running statement, which then raises an error of its library."""


_RUNNING: list[Interruptible] = []
"""The connections of this process with a running statement."""

_LONGEST_WAIT = 5.0
"""The longest wait for the statements to end after a Ctrl-C, in seconds."""


@contextmanager
def running(connection: Interruptible) -> Iterator[None]:
    """While the block runs, a Ctrl-C ends the statement of this connection."""
    _RUNNING.append(connection)
    try:
        yield
    finally:
        _RUNNING.remove(connection)


class InterruptThread:
    """The thread that ends the running statements at each Ctrl-C."""

    def __init__(self, incoming: socket.socket) -> None:
        """`incoming`: the socket with the numbers of signals; closing its other end ends the thread."""
        self._incoming = incoming
        self._done = threading.Event()

    def run(self) -> None:
        """The body of the thread: reads signals until the other end of the socket is closed."""
        try:
            while signals := self._incoming.recv(64):
                if signal.SIGINT in signals:
                    self._end_running()
                    self._done.set()
        finally:
            self._done.set()

    def wait(self) -> None:
        """Wait until a Ctrl-C has ended the statements. Python's handler calls it before it raises.

        Without it, on a busy machine the thread could end a statement that began after the handler had raised, such as
        the release of the best node.
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
def passed_on() -> Iterator[InterruptThread]:
    """While the block runs, a Ctrl-C ends the running statements. The main thread alone may call it."""
    incoming, outgoing = socket.socketpair()
    outgoing.setblocking(False)
    before = signal.set_wakeup_fd(outgoing.fileno(), warn_on_full_buffer=False)
    passing = InterruptThread(incoming)
    watcher = threading.Thread(target=passing.run, daemon=True)
    watcher.start()
    try:
        yield passing
    finally:
        signal.set_wakeup_fd(before)
        outgoing.close()
        watcher.join()
        incoming.close()
