"""Leases: the right of one process to run a submitted request, for a minute at a time.

A process takes the next number, renews its lease while it runs, and releases only while the number is still its own:
the transactions that publish check that. So a process that was stopped and wakes late publishes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ordermade.errors import Refused
from ordermade.state.submissions import SUBMISSIONS, bare, move

if TYPE_CHECKING:
    from collections.abc import Collection

    from ordermade.state.changes import StateChanges
    from ordermade.state.connection import StateConnection
    from ordermade.state.records.submissions import Submission

LASTS = timedelta(seconds=60)
"""The time after which a lease that was not renewed is over."""
RENEWED_EVERY = timedelta(seconds=15)
"""The time between two renewals."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A lease that was taken: of a submitted request, by its number and the folder of the run."""

    submission: int
    """The number of the submitted request."""
    number: int
    """The number of the lease: one more than that of the last one."""
    claim: str
    """The folder of the run."""


def take(changes: StateChanges, submission: Submission, claim: str, now: datetime) -> Lease:
    """Takes a request for a run whose folder is `claim`, in the place of whoever had it. `now`: in UTC, without a zone.

    A process takes it that has seen that nobody has it (`has_process`).
    """
    number = (submission.lease or 0) + 1
    move(changes, submission, claim=claim, lease=number, lease_ends_at=now + LASTS)
    return Lease(submission.id, number, claim)


def renew(connection: StateConnection, lease: Lease, now: datetime) -> bool:
    """Puts the end of a lease off; whether it was still one. The audit does not say so: it has its beginning."""
    of_lease = {"id": lease.submission, "lease": lease.number, "claim": lease.claim}
    return bool(SUBMISSIONS.update(connection, of_lease, lease_ends_at=now + LASTS))


def is_held(connection: StateConnection, lease: Lease) -> bool:
    """Whether the request is still that of the lease: nobody took it, and it was not moved otherwise."""
    found = SUBMISSIONS.read(connection, ("lease", "claim"), id=lease.submission)
    return found == [(lease.number, lease.claim)]


def require_held(connection: StateConnection, lease: Lease | None) -> None:
    """Raises Refused where the request is no longer that of the lease; None: of no submitted request."""
    if lease is not None and not is_held(connection, lease):
        raise Refused("another process has taken the request meanwhile", next_step="`ordermade request show` it.")


def has_process(submission: Submission, alive: Collection[str], now: datetime) -> bool:
    """Whether a process runs a request: it lives, by the folders of runs that are `alive`, and its lease is not over.

    A run of before there were leases has no end.
    """
    if submission.claim is None or submission.claim not in alive:
        return False
    return submission.lease_ends_at is None or now < bare(submission.lease_ends_at)
