"""Submitted requests in the state: where each stands, its revisions, the votes and the comments on them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ordermade.errors import UnknownName
from ordermade.phrases import phrase
from ordermade.state import data_refusals
from ordermade.state.changes import StateChanges
from ordermade.state.hierarchies import HIERARCHIES
from ordermade.state.records.submissions import Comment, Review, Revision, Submission
from ordermade.state.requests import next_number
from ordermade.state.statements import rows, utc_now, without_zone
from ordermade.state.table import Among, Since, Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ordermade.state.connection import StateConnection


@dataclass(frozen=True, slots=True)
class AcceptedTerms:
    """The terms of a dataset, by their hash, that a user accepted, and when."""

    dataset_name: str
    user_name: str
    terms_hash: str
    accepted_at: datetime


SUBMISSIONS = Table("submissions", Submission)
REVISIONS = Table("submission_revisions", Revision, key=("submission_id", "revision"))
REVIEWS = Table("reviews", Review, key=("submission_id", "revision", "reviewer", "voted_at"))
COMMENTS = Table("comments", Comment)
ACCEPTED_TERMS = Table("accepted_terms", AcceptedTerms, key=("dataset_name", "user_name", "terms_hash"))


@dataclass(frozen=True, slots=True)
class SubmissionDetails:
    """A submitted request with its revisions, votes and comments."""

    submission: Submission
    """The request."""
    revisions: tuple[Revision, ...]
    """Its revisions, the first one first."""
    reviews: tuple[Review, ...]
    """The votes, in their order."""
    comments: tuple[Comment, ...] = ()
    """The comments, in their order."""

    @property
    def in_force(self) -> Revision:
        """The revision in force."""
        return next(each for each in self.revisions if each.revision == self.submission.revision)

    @property
    def proposed(self) -> Revision | None:
        """The revision that the provider proposed last; None unless the user has to accept it."""
        return self.revisions[-1] if self.submission.status == "proposed" else None

    @property
    def votes(self) -> tuple[Review, ...]:
        """The votes that count."""
        return tuple(each for each in self.reviews if each.counts and each.revision == self.submission.revision)

    @property
    def authors(self) -> frozenset[str]:
        """Whoever submitted, revised or proposed."""
        return frozenset({self.submission.submitted_by, *(each.made_by for each in self.revisions)})


def add(changes: StateChanges, submission: Submission) -> int:
    """Adds a submitted request; its number, which none of the requests that were run has."""
    values = {
        "id": next_number(changes.connection),
        "title": submission.title,
        "dataset_name": submission.dataset_name,
        "submitted_by": submission.submitted_by,
        "status": submission.status,
        "revision": submission.revision,
        "submitted_at": submission.submitted_at,
        "moved_at": submission.moved_at,
        "expires_at": submission.expires_at,
        "supersedes": submission.supersedes,
    }
    return changes.add(SUBMISSIONS, values).id


def move(changes: StateChanges, submission: Submission, **to: Any) -> Submission:
    """Notes where a submitted request stands now; the request as it is then, with its times in UTC."""
    moved = replace(submission, **{"moved_at": utc_now(), **to})
    values = {
        "title": moved.title,
        "status": moved.status,
        "revision": moved.revision,
        "moved_at": moved.moved_at,
        "expires_at": None if moved.expires_at is None else bare(moved.expires_at),
        "request_id": moved.request_id,
        "release_id": moved.release_id,
        "claim": moved.claim,
        "lease": moved.lease,
    }
    ends = moved.lease_ends_at if moved.claim is not None else None
    renewed = {"lease_ends_at": None if ends is None else bare(ends)}  # and put off without a step
    changes.put(SUBMISSIONS, {"id": moved.id}, values, renewed)
    over = None if moved.expires_at is None else bare(moved.expires_at).replace(tzinfo=UTC)
    return replace(moved, moved_at=moved.moved_at.replace(tzinfo=UTC), expires_at=over)


def bare(time: datetime) -> datetime:
    """A time in UTC as the state keeps it, without its zone."""
    return time if time.tzinfo is None else without_zone(time)


def revise(changes: StateChanges, revision: Revision) -> None:
    """Adds a revision."""
    values = {
        "submission_id": revision.submission_id,
        "revision": revision.revision,
        "request_hash": revision.request_hash,
        "meaning_hash": revision.meaning_hash,
        "chance": revision.chance,
        "made_by": revision.made_by,
        "made_at": revision.made_at,
        "reason": revision.reason,
    }
    hidden = {"request": revision.request, "prediction": revision.prediction}
    changes.add(REVISIONS, values, hidden)


def older_than(connection: StateConnection, dataset: str, before: datetime) -> tuple[tuple[int, int], ...]:
    """The revisions with a text of a dataset's submitted requests that ended before a moment (UTC, without a zone)."""
    found = rows(connection, "state/submissions_old", dataset_name=dataset, before=before)
    return tuple((int(number), int(revision)) for number, revision in found)


def erase(changes: StateChanges, number: int, revision: int) -> None:
    """Erases the texts of a revision and of what was said about it; its hashes stay. The audit never had the texts."""
    key, hidden = {"submission_id": number, "revision": revision}, {"request": "", "prediction": ""}
    changes.put(REVISIONS, key, {}, hidden)
    for (each,) in COMMENTS.read(changes.connection, ("id",), submission_id=number, revision=revision):
        changes.put(COMMENTS, {"id": each}, {}, {"text": ""})
    data_refusals.erase(changes.connection, number, revision)


def vote(changes: StateChanges, review: Review) -> None:
    """Adds a vote."""
    values = {
        "vote": review.vote,
        "reason": review.reason,
        "policy_id": review.policy_id,
        "dataset_version_id": review.dataset_version_id,
        "meaning_hash": review.meaning_hash,
    }
    changes.add(REVIEWS, _key(review) | values)


def comment(changes: StateChanges, dossier: SubmissionDetails, about: str, text: str) -> Comment:
    """Adds a comment of who acts on the revision in force; the comment as it is stored."""
    values = {
        "submission_id": dossier.submission.id,
        "revision": dossier.submission.revision,
        "about": about,
        "made_by": changes.actor,
        "made_at": utc_now(),
    }
    return changes.add(COMMENTS, values, {"text": text})


def reset(changes: StateChanges, reviews: Iterable[Review]) -> None:
    """Notes that votes no longer count; those that were reset before are left as they are."""
    for each in reviews:
        if each.counts:
            changes.put(REVIEWS, _key(each), {"reset_at": utc_now()})


def _key(review: Review) -> dict[str, Any]:
    return {
        "submission_id": review.submission_id,
        "revision": review.revision,
        "reviewer": review.reviewer,
        "voted_at": bare(review.voted_at),
    }


def accept_terms(changes: StateChanges, dataset: str, user: str, terms_hash: str) -> None:
    """Notes that a user accepted the terms of a dataset, unless it is noted."""
    key: dict[str, Any] = {"dataset_name": dataset, "user_name": user, "terms_hash": terms_hash}
    if terms_hash not in accepted_by(changes.connection, dataset, user):
        changes.add(ACCEPTED_TERMS, key | {"accepted_at": utc_now()})


def accepted_by(connection: StateConnection, dataset: str, user: str) -> frozenset[str]:
    """The hashes of the terms of a dataset that a user accepted."""
    found = ACCEPTED_TERMS.read(connection, ("terms_hash",), dataset_name=dataset, user_name=user)
    return frozenset(str(terms_hash) for (terms_hash,) in found)


def submitted_since(connection: StateConnection, dataset: str, user: str, since: datetime) -> tuple[datetime, ...]:
    """When a user submitted requests for a dataset since a moment (UTC, without a zone), the earliest first."""
    of_user: dict[str, Any] = {"dataset_name": dataset, "submitted_by": user, "submitted_at": Since(since)}
    found = SUBMISSIONS.read(connection, ("submitted_at",), order_by=("submitted_at",), **of_user)
    return tuple(moment for (moment,) in found)


def of_request(connection: StateConnection, number: int) -> int | None:
    """The number of the submitted request that has this number, or for which the request of this number ran."""
    return next((int(found) for (found,) in rows(connection, "state/submission_of_request", number=number)), None)


def of_release(connection: StateConnection, number: int) -> int | None:
    """The number of the submitted request that a release came out of; None where it came out of none."""
    return next((each.id for each in SUBMISSIONS.select(connection, release_id=number)), None)


def listed(connection: StateConnection, submitted_by: str | None = None) -> tuple[Submission, ...]:
    """Every submitted request, or those of one user, the latest first."""
    of_user: dict[str, Any] = {} if submitted_by is None else {"submitted_by": submitted_by}
    return tuple(SUBMISSIONS.select(connection, order_by=("-id",), **of_user))


def waiting(connection: StateConnection) -> tuple[Submission, ...]:
    """The approved requests in the order in which they are run: the one approved first, or taken first, before all."""
    return tuple(SUBMISSIONS.select(connection, status="approved", order_by=("moved_at", "id")))


def before(connection: StateConnection, number: int) -> int:
    """How many requests are run before an approved one."""
    ((found,),) = rows(connection, "state/submissions_before", number=number, now=utc_now())
    return int(found)


def again(connection: StateConnection, number: int) -> tuple[Submission, ...]:
    """A submitted request and every one that did it again, or does, in order."""
    return tuple(Submission(*row) for row in rows(connection, "state/submissions_again", number=number))


def due(connection: StateConnection) -> tuple[Submission, ...]:
    """The submitted requests whose time is over and which are not noted as ended."""
    return tuple(Submission(*row) for row in rows(connection, "state/submissions_due", now=utc_now()))


_PAST_NUMBERS = 2**63
"""The first number that the state cannot have."""


def get(connection: StateConnection, number: int) -> SubmissionDetails:
    """A submitted request with its revisions, votes and comments. Raises UnknownName."""
    found = SUBMISSIONS.find(connection, id=number) if 0 < number < _PAST_NUMBERS else None
    if found is None:
        raise UnknownName("submitted request", str(number), next_step=phrase("`ordermade request list` shows them."))
    return SubmissionDetails(
        found,
        tuple(REVISIONS.select(connection, submission_id=number, order_by=("revision",))),
        tuple(REVIEWS.select(connection, submission_id=number, order_by=("voted_at", "reviewer"))),
        tuple(COMMENTS.select(connection, submission_id=number, order_by=("id",))),
    )


def authors_of(connection: StateConnection, numbers: Iterable[int]) -> dict[int, frozenset[str]]:
    """The users who made a revision of each of these submitted requests, as `SubmissionDetails.authors` has them."""
    found: dict[int, set[str]] = {}
    for number, name in REVISIONS.read(connection, ("submission_id", "made_by"), submission_id=Among([*numbers])):
        found.setdefault(int(number), set()).add(str(name))
    return {number: frozenset(names) for number, names in found.items()}


def voters_of(connection: StateConnection, numbers: Iterable[int]) -> frozenset[tuple[int, int, str]]:
    """The votes on these submitted requests that were not reset: request, revision and reviewer of each."""
    columns = ("submission_id", "revision", "reviewer")
    found = REVIEWS.read(connection, columns, submission_id=Among([*numbers]), reset_at=None)
    return frozenset((int(number), int(revision), str(name)) for number, revision, name in found)


def hierarchy_hashes(connection: StateConnection, names: Iterable[str]) -> dict[str, str]:
    """The content hash of each registered hierarchy of these names."""
    found = HIERARCHIES.read(connection, ("name", "content_hash"), removed_at=None, name=Among(sorted(names)))
    return dict(found)
