"""The submitted requests of a state, as an actor may read them; their moves are in `service/submissions.py`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.catalogue.arguments import typed_methods
from ordermade.errors import UnknownName
from ordermade.phrases import phrase
from ordermade.records.listing import Listing
from ordermade.release import entitled
from ordermade.service.authentication import Credential
from ordermade.service.engine_api import EngineApi
from ordermade.service.lifecycle import (
    DATA_USER,
    ENDED,
    MOVES,
    PROVIDER,
    REVIEWER,
    Actor,
    SubmissionState,
    may,
)
from ordermade.service.permissions import require_call
from ordermade.state import data_refusals, releases
from ordermade.state import submissions as stored
from ordermade.state.audit import AUDIT
from ordermade.state.database import StateFile
from ordermade.state.leases import has_process
from ordermade.state.records.audit import AuditEntry
from ordermade.state.records.submissions import Submission
from ordermade.state.runs import alive
from ordermade.state.statements import utc_now
from ordermade.state.submissions import SubmissionDetails
from ordermade.state.table import PRESENT

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection
    from ordermade.state.data_refusals import DataRefusal

_NO_MOVES = ("request claim", "request interrupt", "request comment")
"""The steps that leave a request where it stands: of processes, and comments."""

_VOTED_ON = frozenset(state for each in MOVES if each.name == "review" for state in each.sources)
"""The states in which a request is voted on."""

_SHOWN = {
    "id": "id",
    "status": "status",
    "dataset": "dataset_name",
    "by": "submitted_by",
    "revision": "revision",
    "title": "title",
}


@dataclass(frozen=True, slots=True)
class SubmissionProgress:
    """Where a submitted request stands on its way to an answer."""

    submission: int
    """Its number."""
    status: str
    """Its state of the lifecycle."""
    since: datetime
    """The time it came to stand there; of one that runs, when that began. In UTC."""
    is_running: bool
    """Whether a process runs it."""
    before: int | None
    """How many are run before it; null unless it is approved and waits to be run."""
    why: str | None
    """The words of the step that it stands there by, as far as who looks may read them."""


@dataclass(frozen=True, slots=True)
class ReviewTurn:
    """A submitted request that the actor may vote on now."""

    submission: Submission
    """The request."""
    voted: bool
    """Whether a vote of the actor on the revision in force counts already."""


@typed_methods
@dataclass(frozen=True, slots=True)
class SubmittedRequests:
    """The submitted requests of a state, for whoever reads them: by a token, or at the provider's own shell.

    A request of somebody else is UnknownName for a data user.
    """

    state: StateFile
    office: EngineApi = field(repr=False)
    credential: Credential = field(default_factory=Credential, repr=False)

    def acting(self) -> Actor:
        """Who acts, and in which roles. Raises Refused for a token that is not accepted, StateFault."""
        with self.state.reading() as connection:
            return self.credential.actor(connection)

    def list(self) -> tuple[Submission, ...]:
        """The submitted requests, the latest first: a data user's own, everybody's for others. Raises StateFault."""
        with self.state.reading() as connection:
            acting = self.credential.actor(connection)
            found = stored.listed(connection, None if sees_all(acting) else acting.name)
        return Listing(tuple(entitled.submission(as_now(each)) for each in found), "submitted requests", _SHOWN)

    def get(self, number: int) -> SubmissionDetails:
        """One submitted request with its revisions, votes and comments. Raises UnknownName, StateFault."""
        with self.state.reading() as connection:
            acting = self.credential.actor(connection)
            dossier = seen(connection, number, acting)
        found = replace(dossier, submission=as_now(dossier.submission))
        return found if acting.is_provider else entitled.dossier(found)

    def to_review(self) -> tuple[ReviewTurn, ...]:
        """The requests that the actor may vote on now, the one submitted first at the head.

        Raises Refused for others than reviewers and providers, StateFault.
        """
        with self.state.reading() as connection:
            acting = self.credential.actor(connection)
            require_call("submissions.to_review", acting)
            return review_turns(connection, acting)

    def where(self, number: int) -> str | None:
        """The file of the release; for others than the provider its name, once delivered. None before, and after."""
        with self.state.reading() as connection:
            acting = self.credential.actor(connection)
            submission = as_now(seen(connection, number, acting).submission)
            is_shown = submission.status == "delivered" or (submission.status == "run" and acting.is_provider)
            if submission.release_id is None or not is_shown:
                return None
            name = releases.get(connection, submission.release_id).name
            return name if acting.is_provider else Path(name).name

    def history(self, number: int) -> tuple[AuditEntry, ...]:
        """Every step of a submitted request, the earliest first; the rows that it wrote for the provider alone.

        Raises UnknownName, StateFault.
        """
        with self.state.reading() as connection:
            acting = self.credential.actor(connection)
            at = seen(connection, number, acting).submission
            steps = AUDIT.select(connection, subject=str(number), data=PRESENT, order_by=("id",))
            found = [each for each in steps if each.action.startswith("request ")]
        return tuple(found) if acting.is_provider else entitled.history(found, at)

    def progress(self, number: int) -> SubmissionProgress:
        """Whether a request runs, since when, or waits to be run, after how many; and why it stands where it does.

        Raises UnknownName, StateFault.
        """
        with self.state.reading() as connection:
            acting = self.credential.actor(connection)
            at = as_now(seen(connection, number, acting).submission)
            runs = at.status == "approved" and has_process(at, alive(self.state.path), utc_now())
            waits = at.status == "approved" and not runs
            before = stored.before(connection, number) if waits else None
        steps = [each for each in self.history(number) if each.action not in _NO_MOVES]
        why = "its time was over" if at.status == "expired" else steps[-1].detail
        return SubmissionProgress(at.id, at.status, at.moved_at, runs, before, why)

    def refused_by_data(self, number: int) -> tuple[DataRefusal, ...]:
        """What the data refused of a submitted request, and why: for a provider.

        Raises Refused for others, UnknownName, StateFault.
        """
        with self.state.reading() as connection:
            acting = self.credential.actor(connection)
            require_call("submissions.refused_by_data", acting)
            seen(connection, number, acting)
            return data_refusals.of_submission(connection, number)

    def numbered(self, number: int) -> int | None:
        """The submitted request that has this number, or for which the request of this number ran; else None.

        Raises UnknownName where others than the provider may not see it, or there is none; StateFault.
        """
        with self.state.reading() as connection:
            acting = self.credential.actor(connection)
            found = stored.of_request(connection, number)
            if found is None and acting.is_provider:
                return None
            try:
                return seen(connection, number if found is None else found, acting).submission.id
            except UnknownName:  # whose number would say which request of somebody else ran under this one
                next_step = phrase("`ordermade request list` shows them.")
                raise UnknownName("submitted request", str(number), next_step=next_step) from None


def is_own(submission: Submission, acting: Actor) -> bool:
    """Whether an actor submitted it, and acts as a data user: a token for fewer roles gives fewer rights."""
    return DATA_USER in acting.roles and acting.name == submission.submitted_by


def sees_all(acting: Actor) -> bool:
    """Whether an actor sees the requests of others, too."""
    return bool(acting.roles & {PROVIDER, REVIEWER})


def of_those_seen(found: Iterable[Submission], acting: Actor) -> tuple[Submission, ...]:
    """The requests among these that the actor may see."""
    return tuple(each for each in found if sees_all(acting) or each.submitted_by == acting.name)


def seen(connection: StateConnection, number: int, acting: Actor) -> SubmissionDetails:
    """A submitted request, if the actor may see it. Raises UnknownName, in the same words where it may not."""
    dossier = stored.get(connection, number)
    if not is_own(dossier.submission, acting) and not sees_all(acting):
        raise UnknownName("submitted request", str(number), next_step=phrase("`ordermade request list` shows them."))
    return dossier


def is_due(submission: Submission) -> bool:
    """Whether its time is over."""
    return submission.expires_at is not None and stored.bare(submission.expires_at) <= utc_now()


def as_now(submission: Submission) -> Submission:
    """The request as it stands now: expired where its time is over, although no step has noted that yet."""
    is_over = is_due(submission) and submission.status not in ENDED
    return replace(submission, status="expired") if is_over else submission


def review_turns(connection: StateConnection, acting: Actor) -> tuple[ReviewTurn, ...]:
    """The requests that somebody may vote on now, the one submitted first at the head."""
    every = [as_now(each) for each in reversed(stored.listed(connection))]
    found = {each.id: each for each in every if each.status in _VOTED_ON}
    authors, voters = stored.authors_of(connection, found), stored.voters_of(connection, found)
    return tuple(
        ReviewTurn(each, (number, each.revision, acting.name) in voters)
        for number, each in found.items()
        if may(SubmissionState(each.status, each.submitted_by, authors[number]), "review", acting)
    )
