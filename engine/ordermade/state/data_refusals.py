"""What the data alone decided against submitted requests, counted for each user and dataset; why, the provider reads.

A fault that no value leads to, such as an outage of a server, sends requests back too: it is noted, and not counted.

The audit has no word of it, for users read their requests' part of that.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ordermade.state.statements import utc_now
from ordermade.state.table import Since, Table

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection
    from ordermade.state.records.submissions import Submission


@dataclass(frozen=True, slots=True)
class DataRefusal:
    """A revision that the data refused, or that was sent back to review."""

    revision: int
    """The number of the revision."""
    refused_at: datetime
    """When."""
    reason: str
    """Why, with what was measured; empty once it is erased."""
    counts: bool
    """Whether it counts for its user: an outage does not."""


@dataclass(frozen=True, slots=True)
class DataRefusalRow:
    """The row of a refusal by the data; `uncounted`: that of a fault, where None and False count."""

    id: int
    submission_id: int
    revision: int
    dataset_name: str
    user_name: str
    refused_at: datetime
    reason: str
    uncounted: bool | None


DATA_REFUSALS = Table("data_refusals", DataRefusalRow)


def note(connection: StateConnection, submission: Submission, reason: str, *, counts: bool = True) -> None:
    """Notes that the data refused the revision in force; `counts`: not where a fault that is nobody's sent it back."""
    DATA_REFUSALS.insert(
        connection,
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
    of_user: dict[str, Any] = {"dataset_name": dataset, "user_name": user, "refused_at": Since(moment)}
    columns = ("submission_id", "revision", "refused_at", "uncounted")
    first: dict[tuple[int, int], datetime] = {}
    for number, revision, refused_at, uncounted in DATA_REFUSALS.read(
        connection, columns, order_by=("refused_at",), **of_user
    ):
        if not uncounted:
            first.setdefault((number, revision), refused_at)
    return tuple(first.values())


def of_submission(connection: StateConnection, number: int) -> tuple[DataRefusal, ...]:
    """What the data refused of a submitted request, the earliest first."""
    found = DATA_REFUSALS.select(connection, submission_id=number, order_by=("id",))
    return tuple(DataRefusal(each.revision, each.refused_at, each.reason, not each.uncounted) for each in found)


def erase(connection: StateConnection, number: int, revision: int) -> None:
    """Erases why the data refused a revision; that they did still counts."""
    DATA_REFUSALS.update(connection, {"submission_id": number, "revision": revision}, reason="")
