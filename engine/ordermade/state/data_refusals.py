"""What the data alone decided against submitted requests, counted for each user and dataset; why, the provider reads.

A fault that no value leads to, such as an outage of a server, sends requests back too: it is noted, and not counted.

The audit has no word of it, for users read their requests' part of that.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ordermade.state.statements import rows, run, utc_now

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection
    from ordermade.state.records.submissions import Submission


@dataclass(frozen=True, slots=True)
class DataRefusal:
    """A revision that the data refused, or that was sent back to review: when, why, and whether that counts."""

    revision: int
    refused_at: datetime
    reason: str
    counts: bool


def note(connection: StateConnection, submission: Submission, reason: str, *, counts: bool = True) -> None:
    """Notes that the data refused the revision in force; `counts`: not where a fault that is nobody's sent it back."""
    run(
        connection,
        "state/data_refusal_insert",
        submission_id=submission.id,
        revision=submission.revision,
        dataset_name=submission.dataset_name,
        user_name=submission.submitted_by,
        refused_at=utc_now(),
        reason=reason,
        uncounted=not counts,
    )


def since(connection: StateConnection, dataset: str, user: str, moment: datetime) -> tuple[datetime, ...]:
    """When the data refused revisions of a user since a moment (UTC, without a zone), each once, the earliest first."""
    values = {"dataset_name": dataset, "user_name": user, "since": moment}
    return tuple(found for (found,) in rows(connection, "state/data_refusals_since", **values))


def of_submission(connection: StateConnection, number: int) -> tuple[DataRefusal, ...]:
    """What the data refused of a submitted request, the earliest first."""
    found = rows(connection, "state/data_refusals_of_submission", submission_id=number)
    return tuple(DataRefusal(*row) for row in found)


def erase(connection: StateConnection, number: int, revision: int) -> None:
    """Erases why the data refused a revision; that they did still counts."""
    run(connection, "state/data_refusals_erase", submission_id=number, revision=revision)
