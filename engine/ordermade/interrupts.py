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


@contextmanager
def running(connection: Interruptible) -> Iterator[None]:
    """Around a statement of a connection, which a Ctrl-C is to end."""
    _RUNNING.append(connection)
    try:
        yield
    finally:
        _RUNNING.remove(connection)


@contextmanager
def passed_on() -> Iterator[None]:
    """While the block runs, a Ctrl-C ends the statements that run. In the main thread alone."""
    incoming, outgoing = socket.socketpair()
    outgoing.setblocking(False)
    before = signal.set_wakeup_fd(outgoing.fileno(), warn_on_full_buffer=False)
    watcher = threading.Thread(target=_pass_on, args=(incoming,), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        outgoing.close()
        watcher.join()
        incoming.close()


def _pass_on(incoming: socket.socket) -> None:
    while signals := incoming.recv(64):
        if signal.SIGINT in signals:
            import duckdb

            for each in tuple(_RUNNING):
                with suppress(duckdb.ConnectionException):  # its statement ended, and it was closed
                    each.interrupt()
