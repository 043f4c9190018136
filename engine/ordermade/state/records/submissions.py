"""Submitted requests as the state keeps them: where each stands, its revisions and their reviews."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ordermade.display.cards import Carded


@dataclass(frozen=True, slots=True, repr=False)
class Submission(Carded):
    """A submitted request. `status`: its state of the lifecycle; `revision`: the number of the one in force.

    `request_id`, `release_id`: what ran for it, and what came out. `claim`: the folder of the process that runs it.
    """

    id: int
    title: str
    dataset_name: str
    submitted_by: str
    status: str
    revision: int
    submitted_at: datetime
    moved_at: datetime
    expires_at: datetime | None = None
    supersedes: int | None = None
    request_id: int | None = None
    release_id: int | None = None
    claim: str | None = None


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision of a submitted request; one that was proposed and not accepted has a greater number than in force.

    `request` is YAML; `meaning_hash` is of the request with the contents of the hierarchies and files that it names.
    `prediction`: in words, without counts; `chance` that it passes, None if unknown. Both texts are empty once erased.
    """

    submission_id: int
    revision: int
    request: str
    request_hash: str
    meaning_hash: str
    prediction: str
    chance: float | None
    made_by: str
    made_at: datetime
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """A vote, `approve` or `refuse`, on a revision, with the policy, version and meaning then; see `counts`."""

    submission_id: int
    revision: int
    reviewer: str
    vote: str
    reason: str | None
    policy_id: int | None
    dataset_version_id: int | None
    meaning_hash: str
    voted_at: datetime
    reset_at: datetime | None = None

    @property
    def counts(self) -> bool:
        """Whether the vote was not reset."""
        return self.reset_at is None
