"""A lease is renewed while its request runs, from a thread beside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from threading import Event, Thread
from typing import TYPE_CHECKING

from ordermade.errors import OrdermadeError
from ordermade.state import leases
from ordermade.state.statements import utc_now

if TYPE_CHECKING:
    from ordermade.state.database import StateFile
    from ordermade.state.leases import Lease

_LONGEST_WAIT = 5.0
"""Seconds that a renewal waits for the lock of the state: there is another after it."""


@contextmanager
def renewed(state: StateFile, lease: Lease) -> Iterator[None]:
    """Renews a lease until the end of the block, or until it is another's.

    A renewal that fails, for the disk is full, is tried again; the lease may be over meanwhile.
    """
    over, every = Event(), leases.RENEWED_EVERY.total_seconds()
    beside = replace(state, wait_seconds=min(state.wait_seconds, _LONGEST_WAIT), notice=None)

    def renew_on() -> None:
        while not over.wait(every):
            with suppress(OrdermadeError), beside.writing() as connection:
                if not leases.renew(connection, lease, utc_now()):
                    return

    thread = Thread(target=renew_on, name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
