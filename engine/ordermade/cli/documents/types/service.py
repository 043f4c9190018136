"""The types of the documents of `ordermade user`, and of the requests that users submit."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from typing_extensions import TypedDict

from ordermade.cli.documents.types.offer import Offer
from ordermade.cli.documents.types.opening import Opening


class User(TypedDict):
    """A user."""

    id: int
    """The number."""
    name: str
    """The name."""
    roles: list[str]
    """`data-user`, `provider`, `reviewer`."""
    added_at: datetime
    """The time the user was added."""
    tokens: int
    """The number of tokens that are accepted now."""


class Token(TypedDict):
    """A token on record, without its secret."""

    id: int
    """Its number."""
    name: str
    """Its user."""
    user_id: int
    """The number of the user."""
    scope: list[str]
    """The roles that it acts in."""
    made_at: datetime
    """The time it was made."""
    expires_at: datetime
    """The time it expires."""
    revoked_at: datetime | None
    """The time it was revoked."""


class UserAdded(Opening):
    """A user was added."""

    command: Literal["user add"]
    """`user add`."""
    user: User
    """The user."""


class UserList(Opening):
    """The users and their tokens."""

    command: Literal["user list"]
    """`user list`."""
    users: list[User]
    """The users, by name."""
    tokens: list[Token]
    """The tokens, in the order they were made."""


class TokenMade(Opening):
    """A token was made."""

    command: Literal["user token"]
    """`user token`."""
    token: str
    """The token, which is shown this once."""
    record: Token
    """Its record."""


class TokensRevoked(Opening):
    """Tokens were revoked."""

    command: Literal["user revoke"]
    """`user revoke`."""
    revoked: list[int]
    """The numbers of the tokens that were revoked now."""


class UserRemoved(Opening):
    """A user was removed."""

    command: Literal["user remove"]
    """`user remove`."""
    user: str
    """The name of the user."""
    tokens_revoked: int
    """The number of tokens that were revoked."""
    providers_left: int
    """The number of users who are providers."""


class Submission(TypedDict):
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
    expires_at: datetime | None
    """The time it expires; null if never."""
    supersedes: int | None
    """The request that it does again."""
    request_id: int | None
    """The request that ran for it."""
    release_id: int | None
    """The release that came out."""


class SubmittedRevision(TypedDict):
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
    reason: str | None
    """The reason."""


class Vote(TypedDict):
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
    reset_at: datetime | None
    """The time it was reset; null while it counts."""


class Moved(Opening):
    """A submitted request after a move."""

    submission: Submission
    """The request."""
    revision: SubmittedRevision | None
    """The revision that the move made; null if none."""


class RequestSubmit(Moved):
    """A request was submitted."""

    command: Literal["request submit"]
    """`request submit`."""


class SubmittedAgain(Moved):
    """A delivered request was submitted again."""

    command: Literal["request rerun"]
    """`request rerun`."""


class RequestAccept(Moved):
    """A proposal was accepted."""

    command: Literal["request accept"]
    """`request accept`."""


class RequestRevise(Moved):
    """A request was revised."""

    command: Literal["request revise"]
    """`request revise`."""


class RequestReview(Moved):
    """A vote was noted."""

    command: Literal["request review"]
    """`request review`."""


class RequestApprove(Moved):
    """A review was closed."""

    command: Literal["request approve"]
    """`request approve`."""


class RequestRefuse(Moved):
    """A request was refused."""

    command: Literal["request refuse"]
    """`request refuse`."""


class RequestWithdraw(Moved):
    """A request was withdrawn."""

    command: Literal["request withdraw"]
    """`request withdraw`."""


class RequestPropose(Moved):
    """Another request was proposed."""

    command: Literal["request propose"]
    """`request propose`."""


class OffersToPropose(Opening):
    """The offers that a provider may propose."""

    command: Literal["request propose"]
    """`request propose`."""
    request: int
    """The submitted request."""
    status: str
    """`refused`, `passes` or `unknown`."""
    offers: list[Offer]
    """The offers."""


class Delivered(Opening):
    """A release was delivered."""

    command: Literal["request deliver"]
    """`request deliver`."""
    submission: Submission
    """The request."""
    release: int
    """The number of the release."""
    where: str
    """Its file."""
    copy: str | None
    """The copy; null without `--to`."""


class Collected(Opening):
    """A release was collected."""

    command: Literal["request collect"]
    """`request collect`."""
    request: int
    """The request."""
    copy: str
    """The copy."""


class Step(TypedDict):
    """A step of a submitted request."""

    at: str
    """The time, in UTC."""
    actor: str
    """The user who took it."""
    step: str
    """The step."""
    why: str | None
    """The reason."""


class History(Opening):
    """The history of a submitted request."""

    command: Literal["request history"]
    """`request history`."""
    request: int
    """The request."""
    steps: list[Step]
    """Its steps, the earliest first."""


class SubmittedRun(Opening):
    """A submitted request that was run, or returned to its reviewers."""

    command: Literal["request run"]
    """`request run`."""
    submission: Submission
    """The request."""
    returned: str | None
    """The reason it was returned and not run; null if it ran."""
    status: str | None
    """`released` or `refused`; null if it did not run."""
    reason: str | None
    """The reason of a refusal."""
    k: int | None
    """The measured k of the release."""
    rows: int | None
    """The rows of the release."""


class DataRefusal(TypedDict):
    """A revision that the data refused, or that was sent back to review."""

    revision: int
    """The number of the revision."""
    refused_at: str
    """When."""
    reason: str
    """Why, with what was measured; empty once it is erased."""
    counts: bool
    """Whether it counts for its user: an outage does not."""


class SubmissionShown(Opening):
    """A submitted request."""

    command: Literal["request show"]
    """`request show`."""
    submission: Submission
    """The request."""
    revisions: list[SubmittedRevision]
    """Its revisions, in order."""
    reviews: list[Vote]
    """The votes, the earliest first."""
    possible: list[str]
    """The moves that the acting user may make now."""
    where: str | None
    """The file of the release, once it is delivered."""
    refused_by_data: list[DataRefusal]
    """What the data refused of it, the earliest first; empty for others than a provider."""
