"""Submitted requests as the state keeps them: where each stands, its revisions and their reviews."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from ordermade.records.cards import HasSummary
from ordermade.records.printed import NOT_PRINTED


@dataclass(frozen=True, slots=True, repr=False)
class Submission(HasSummary):
    """A submitted request."""

    id: int
    """Its number."""
    title: str
    """Its title."""
    dataset_name: str
    """Its dataset."""
    submitted_by: str
    """The user who submitted it."""
    status: str
    """Its state of the lifecycle."""
    revision: int
    """The number of the revision in force."""
    submitted_at: datetime
    """The time it was submitted."""
    moved_at: datetime
    """The time it last moved."""
    expires_at: datetime | None = None
    """The time it expires; null if never."""
    supersedes: int | None = None
    """The request that it does again."""
    request_id: int | None = None
    """The request that ran for it."""
    release_id: int | None = None
    """The release that came out."""
    claim: str | None = field(default=None, metadata=NOT_PRINTED)
    """The folder of its run, while it runs."""
    lease: int | None = field(default=None, metadata=NOT_PRINTED)
    """The number of the lease that it was last run under."""
    lease_ends_at: datetime | None = field(default=None, metadata=NOT_PRINTED)
    """The time its lease is over."""


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision of a submitted request."""

    submission_id: int
    """The submitted request."""
    revision: int
    """Its number."""
    request: str
    """The request, as YAML."""
    request_hash: str
    """The SHA-256 of that."""
    meaning_hash: str
    """The SHA-256 of the request with the contents of the hierarchies and files that it names; empty by a token."""
    prediction: str
    """The prediction, in words."""
    chance: float | None
    """The predicted chance that it passes; null if unknown."""
    made_by: str
    """The user who made it."""
    made_at: datetime
    """The time it was made."""
    reason: str | None = None
    """The reason."""


@dataclass(frozen=True, slots=True)
class Review:
    """A vote on a revision."""

    submission_id: int
    """The submitted request."""
    revision: int
    """The revision."""
    reviewer: str
    """The reviewer."""
    vote: str
    """`approve` or `refuse`."""
    reason: str | None
    """The reason."""
    policy_id: int | None
    """The policy then."""
    dataset_version_id: int | None
    """The dataset version then."""
    meaning_hash: str
    """The meaning of the request then; empty by a token."""
    voted_at: datetime
    """The time of the vote."""
    reset_at: datetime | None = None
    """The time it was reset; null while it counts."""

    @property
    def counts(self) -> bool:
        """Whether the vote was not reset."""
        return self.reset_at is None


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a submitted request, which decides nothing."""

    id: int
    """Its number."""
    submission_id: int
    """The submitted request."""
    revision: int
    """The revision that was in force then."""
    about: str
    """What it is about: `request`, `k`, `suppression`, `filter`, `column:NAME` or `check:NAME`."""
    made_by: str
    """The user who made it."""
    made_at: datetime
    """The time it was made."""
    text: str
    """The text; empty once it was erased by policy."""
