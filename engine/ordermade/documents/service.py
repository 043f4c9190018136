"""The documents of `ordermade user`, and of the requests that users submit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.records.printed import printed

if TYPE_CHECKING:
    from datetime import datetime

    from ordermade.offers.offer import Offer
    from ordermade.service.running import Ran
    from ordermade.state.data_refusals import DataRefusal
    from ordermade.state.records.audit import AuditEntry
    from ordermade.state.records.submissions import Comment, Revision, Submission
    from ordermade.state.submissions import SubmissionDetails
    from ordermade.state.users import Token, User


@dataclass(frozen=True, slots=True)
class UserAdded:
    """A user was added."""

    user: User
    """The user."""


@dataclass(frozen=True, slots=True)
class UserList:
    """The users and their tokens."""

    users: Sequence[User]
    """The users, by name."""
    tokens: Sequence[Token]
    """The tokens, in the order they were made."""


@dataclass(frozen=True, slots=True)
class TokensRevoked:
    """Tokens were revoked."""

    revoked: Sequence[int]
    """The numbers of the tokens that were revoked now."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A submitted request after a move."""

    submission: Submission
    """The request."""
    revision: Revision | None = None
    """The revision that the move made; null if none."""


@dataclass(frozen=True, slots=True)
class OffersToPropose:
    """The offers that a provider may propose."""

    request: int
    """The submitted request."""
    status: str
    """`refused`, `passes` or `unknown`."""
    offers: Sequence[Offer]
    """The offers."""


@dataclass(frozen=True, slots=True)
class Commented:
    """A comment was made."""

    comment: Comment
    """The comment."""


@dataclass(frozen=True, slots=True)
class Collected:
    """A release was collected."""

    request: int
    """The request."""
    copy: Path
    """The copy."""


@dataclass(frozen=True, slots=True)
class HistoryStep:
    """A step of a submitted request."""

    at: datetime
    """The time, in UTC."""
    actor: str
    """The user who took it."""
    step: str
    """The step."""
    why: str | None
    """The reason."""

    @classmethod
    def of(cls, entry: AuditEntry) -> HistoryStep:
        """The step that an entry of the audit notes."""
        return cls(entry.happened_at, entry.actor, entry.action.removeprefix("request "), entry.detail)


@dataclass(frozen=True, slots=True)
class SubmissionHistory:
    """The history of a submitted request."""

    request: int
    """The request."""
    steps: Sequence[HistoryStep]
    """Its steps, the earliest first."""


@dataclass(frozen=True, slots=True)
class SubmittedRun:
    """A submitted request that was run, or returned to its reviewers."""

    submission: Submission
    """The request."""
    returned: str | None
    """The reason it was returned and not run; null if it ran."""
    status: str | None = None
    """`released` or `refused`; null if it did not run."""
    reason: str | None = None
    """The reason of a refusal."""
    k: int | None = None
    """The measured k of the release."""
    rows: int | None = None
    """The rows of the release."""

    @classmethod
    def of(cls, ran: Ran) -> SubmittedRun:
        """The run, without the result's own figures."""
        result, returned = ran.result, ran.returned or None
        if result is None:
            return cls(ran.submission, returned)
        rows = None if result.release is None else result.release.rows
        return cls(ran.submission, returned, result.status, result.reason, result.k, rows)


@dataclass(frozen=True, slots=True)
class SubmissionShown:
    """A submitted request."""

    dossier: SubmissionDetails = field(metadata=printed(spread=True))
    """The request with its revisions and votes."""
    possible: Sequence[str]
    """The moves that the acting user may make now."""
    where: str | None
    """The file of the release, once it is delivered."""
    refused_by_data: Sequence[DataRefusal]
    """What the data refused of it, the earliest first; empty for others than a provider."""
