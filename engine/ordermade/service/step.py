"""A step of the service: one write transaction that reads where a request stands, moves it, and notes that it did."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.errors import InputError, OrdermadeError, PolicyBroken, Refused, ReleaseFault
from ordermade.phrases import phrase
from ordermade.release.files import manifest_of
from ordermade.requests.read import read_request
from ordermade.service.authentication import Credential
from ordermade.service.certifying import certificate_of
from ordermade.service.effective_policy import EffectivePolicy, governing
from ordermade.service.lifecycle import (
    ENDED,
    Actor,
    LifecycleMove,
    SubmissionState,
    automatic_move,
    move,
    words,
)
from ordermade.service.revising import deliveries, release_of
from ordermade.service.shown import ShownRequest
from ordermade.service.submitted import as_now, is_due, is_own, seen
from ordermade.state import data_refusals, mails, releases, submissions
from ordermade.state.authority import OfService
from ordermade.state.changes import StateChanges
from ordermade.state.database import StateFile
from ordermade.state.leases import Lease, has_process
from ordermade.state.records.submissions import Review, Revision, Submission
from ordermade.state.runs import alive
from ordermade.state.statements import utc_now
from ordermade.state.submissions import SubmissionDetails

if TYPE_CHECKING:
    from ordermade.policies.decision import BrokenRule
    from ordermade.requests.model import Request
    from ordermade.requests.read import ReadRequest
    from ordermade.service.revising import PredictionSummary, WrittenRevision
    from ordermade.state.connection import StateConnection

MAILED = ("proposed", "refused", "delivered", "withdrawn", "expired")
"""The states of which the user of a request has mail: it is the user's turn, or the request has come to an end."""
_MAX_KEPT = 256


@lru_cache(_MAX_KEPT)
def request_of(text: str) -> Request:
    """The request of a kept text."""
    return read_request(text).request


@dataclass(frozen=True, slots=True)
class RevisionCheck:
    """A look at what a revision rests on, taken before a step: the request checked anew, and its dataset's version.

    `version`: None where the data rule every release out, cannot be looked at, or, for a vote, were never seen.
    `breaks`: it breaks the policy, and so was not checked any further. `counted`: the refusal of its filter by a rule
    that only the data decide.
    `fault`: what ended the look at the data.
    """

    written: WrittenRevision
    version: int | None
    breaks: bool = False
    counted: PolicyBroken | None = None
    fault: OrdermadeError | None = None


@dataclass(slots=True)
class ServiceStep:
    """A step under way: who acts, what was written, and the releases to take away once it is committed."""

    state: StateFile
    changes: StateChanges
    acting: Actor
    gone: list[Path] = field(default_factory=list)
    _policies: dict[str, EffectivePolicy] = field(default_factory=dict)
    _alive: frozenset[str] | None = None

    @property
    def connection(self) -> StateConnection:
        """The connection, within the transaction."""
        return self.changes.connection

    def dossier(self, number: int, shown: ShownRequest | None = None) -> SubmissionDetails:
        """A submitted request, if the actor may see it. Raises UnknownName, in the same words where it may not.

        `shown`: raises Refused where it is not as it was shown.
        """
        found = seen(self.connection, number, self.acting)
        if shown is not None:
            shown.require(found)
        return found

    def governing(self, dataset: str) -> EffectivePolicy:
        """The policy of a dataset that is in force, the same until the step is over."""
        if dataset not in self._policies:
            self._policies[dataset] = governing(self.connection, dataset)
        return self._policies[dataset]

    def is_claimed(self, submission: Submission, *, besides: Lease | None = None) -> bool:
        """Whether a process runs it that lives and whose lease is not over; `besides`: one's own."""
        if submission.claim is None or (besides is not None and submission.claim == besides.claim):
            return False
        if self._alive is None:
            self._alive = alive(self.state.path)
        return has_process(submission, self._alive, utc_now())

    def standing(
        self, dossier: SubmissionDetails, look: RevisionCheck | None = None, *, lease: Lease | None = None
    ) -> SubmissionState:
        """Where it stands; with a `look`, whether it is still what was reviewed."""
        submission, votes = dossier.submission, dossier.votes
        policy = self.governing(submission.dataset_name)
        authors = dossier.authors
        text = dossier.in_force.request
        request = request_of(text) if text else None
        return SubmissionState(
            state=submission.status,
            submitted_by=submission.submitted_by,
            authors=authors,
            approvals=sum(each.vote == "approve" and each.reviewer not in authors for each in votes),
            refusals=sum(each.vote == "refuse" for each in votes),
            needed=policy.reviews_of(self.connection, submission.submitted_by, request),
            automatic=request is not None
            and policy.automatic(self.connection, request, submission.submitted_by)
            and not self.broken(policy, request, submission.submitted_by),
            changed="" if look is None else self._changed(dossier, policy, look),
            claimed=self.is_claimed(submission, besides=lease),
            due=is_due(submission),
        )

    def tightened(self, dossier: SubmissionDetails, request: Request) -> str:
        """Why the policy in force does not allow a submitted request any more; empty where it does."""
        policy = self.governing(dossier.submission.dataset_name)
        broken = self.broken(policy, request, dossier.submission.submitted_by)
        return f"the policy was tightened: {'; '.join(each.message for each in broken)}" if broken else ""

    def _changed(self, dossier: SubmissionDetails, policy: EffectivePolicy, look: RevisionCheck) -> str:
        request = look.written.request
        if tightened := self.tightened(dossier, request):
            return tightened
        approvals = [each for each in dossier.votes if each.vote == "approve"]
        if look.breaks:
            return "the policy was changed while it was looked at"
        if look.counted is not None:
            return f"the policy does not allow its rows any more: {'; '.join(look.counted.problems)}"
        recipient = dossier.submission.submitted_by
        needed = policy.reviews_of(self.connection, recipient, request)
        if len(approvals) < needed and not policy.automatic(self.connection, request, recipient):
            return f"the policy asks for {needed} reviews now, and it has {len(approvals)}"
        meaning = look.written.meaning(self.connection)
        if any(each != meaning for each in (dossier.in_force.meaning_hash, *(vote.meaning_hash for vote in approvals))):
            return "a hierarchy or a file that it names has changed since"
        if any(each.dataset_version_id not in (None, look.version) for each in approvals):
            return "the data have changed since the review"
        return ""

    def broken(self, policy: EffectivePolicy, request: Request, recipient: str) -> tuple[BrokenRule, ...]:
        """Every rule that a submitted request breaks now, its recipient's terms included."""
        standing = policy.standing_of(self.connection, recipient, submits=False)
        return policy.broken(self.connection, request, standing)

    def require_rules(
        self, read: ReadRequest[Request], recipient: str, *, submits: bool = False, revises: bool = False
    ) -> None:
        """Raises PolicyBroken with every rule that a request breaks; `recipient`: who is to get the release."""
        policy = self.governing(str(read.request.dataset))
        policy.require(self.connection, read, recipient, submits=submits, revises=revises)

    def refused_by_data(self, submission: Submission, reason: str, *, counts: bool = True) -> None:
        """Notes that the data refused the revision in force, or sent it back; `reason`: the provider's.

        `counts`: whether the data decided it, so that it counts for its user.
        """
        data_refusals.note(self.connection, submission, reason, counts=counts)

    def count_forecast(self, submission: Submission, predicted: PredictionSummary) -> None:
        """Counts a forecast that proves a request to fail: its user reads that as they read a refusal."""
        if predicted.fails:
            self.refused_by_data(submission, f"the forecast: {predicted.words}")

    def made(self, dossier: SubmissionDetails, found: LifecycleMove, why: str | None, **to: object) -> Submission:
        """Moves it and notes the step; its user has mail on that, unless it is the user who moved it."""
        moved = submissions.move(self.changes, dossier.submission, status=found.target, **to)
        self.changes.audited(f"request {found.name}", str(moved.id), why)
        is_known = self.acting.name == moved.submitted_by and not found.by_itself
        if moved.status in MAILED and not is_known:
            mails.add_of_move(self.connection, moved.id, moved.status)
        return moved

    def revise(
        self,
        number: int,
        place: int,
        asked: WrittenRevision,
        predicted: PredictionSummary,
        reason: str | None,
        *,
        by: str | None = None,
    ) -> None:
        """Adds a revision of a submitted request, which takes this place; `by` another than who acts."""
        added = Revision(
            submission_id=number,
            revision=place,
            request=asked.text,
            request_hash=asked.text_hash,
            meaning_hash=asked.meaning(self.connection),
            prediction=predicted.words,
            chance=predicted.chance,
            made_by=by or self.acting.name,
            made_at=utc_now(),
            reason=reason,
        )
        submissions.revise(self.changes, added)

    def settled(self, number: int) -> Submission:
        """Approves it where the votes that the policy asks for are there, or the policy approves it without."""
        dossier = submissions.get(self.connection, number)
        standing = self.standing(dossier)
        found = automatic_move(standing, "approve")
        if found is None:
            return dossier.submission
        count = f"{standing.approvals} of {standing.needed} approvals"
        return self.made(dossier, found, "within the bounds of the policy" if standing.automatic else count)

    def reset_unlike(self, dossier: SubmissionDetails, vote: Review) -> None:
        """Resets the votes that are not of the policy, version and meaning of a new one, and the same reviewer's.

        A vote from before the data were first seen is of any version.
        """
        now = (vote.policy_id, vote.meaning_hash)
        stale = [
            each
            for each in dossier.votes
            if each.reviewer == vote.reviewer
            or (each.policy_id, each.meaning_hash) != now
            or len({each.dataset_version_id, vote.dataset_version_id} - {None}) > 1
        ]
        submissions.reset(self.changes, stale)

    def end_release(self, dossier: SubmissionDetails, *, by: int | None = None) -> None:
        """Notes that the release of a submitted request was withdrawn, or superseded `by` one; its files go then."""
        for number in self._releases_of(dossier):
            release = releases.get(self.connection, number)
            if release.ended is not None:
                continue
            if by is None:
                releases.withdraw(self.connection, release.id, restore=False)
            else:
                releases.replaced(self.connection, release.id, by)
            if release.path is not None:
                self.gone.append(Path(release.path))

    def _releases_of(self, dossier: SubmissionDetails) -> list[int]:
        """The release of a submitted request; where none is noted, those of runs that were killed before it was."""
        submission = dossier.submission
        if submission.release_id is not None:
            return [submission.release_id]
        found = []
        for each in dossier.revisions:
            if each.request:
                to = release_of(self.state.path, submission.id, each.revision, request_of(each.request)).path
                found.append(releases.standing(self.connection, path=str(to)))
        return [each for each in found if each is not None]

    def remove_left(self, needed: Path | None = None) -> None:
        """Removes files that a step was to take away, and was killed before: of releases that came to their end.

        While the state is locked, so that no release takes one of their names. A file that cannot be removed is left
        to a later step; raises ReleaseFault where its name is `needed`.
        """
        folder = f"{deliveries(self.state.path)}{os.sep}"
        for each in map(Path, releases.ended_in(self.connection, folder)):
            try:
                remove_release(each)
            except OSError as error:
                if each == needed:
                    what = phrase("the file of an ended release is in the way: %(strerror)s", strerror=error.strerror)
                    raise ReleaseFault(
                        what, where=str(each), next_step="Remove it, and run the request again."
                    ) from error

    def take_away(self) -> None:
        """Takes the files of releases away that came to their end, once that is committed."""
        for each in self.gone:
            remove_release(each)

    def due(self) -> Iterator[tuple[SubmissionDetails, LifecycleMove]]:
        """Every request whose time is over and that may expire now, with the move that it makes."""
        for each in submissions.due(self.connection):
            dossier = submissions.get(self.connection, each.id)
            over = automatic_move(self.standing(dossier), "expire")
            if over is not None:
                yield dossier, over

    def expire(self) -> tuple[Submission, ...]:
        """Moves every request whose time is over; the submission alone, where the service acts for it."""
        found = []
        authority = self.state.authority
        only = authority.submission if isinstance(authority, OfService) else None
        is_bound = authority.is_bound and not self.acting.is_provider
        for dossier, over in list(self.due()):
            if is_bound and dossier.submission.id != only:
                continue
            self.end_release(dossier)
            submissions.reset(self.changes, dossier.reviews)
            found.append(self.made(dossier, over, "its time was over"))
        return tuple(found)


def remove_release(path: Path, *, is_delivery: bool = True) -> None:
    """Removes the file of a release and its manifest, the manifest last, where they are. Raises OSError.

    `is_delivery`: whether it is of a submitted request, and a certificate beside it is of the service, too.
    """
    path.unlink(missing_ok=True)
    if is_delivery:
        certificate_of(path).unlink(missing_ok=True)
    manifest_of(path).unlink(missing_ok=True)


@contextmanager
def step(state: StateFile, credential: Credential, number: int | None = None) -> Iterator[ServiceStep]:
    """A step of a submission, or of a new one, in one write transaction; a step that is refused writes nothing.

    Whatever is due expires first; where the service acts for a user, this submission alone. Raises Refused for a token
    that is not accepted any more, StateFault.
    """
    if number is not None:
        state = state.of_submission(number)
    with state.writing() as connection:
        acting = credential.actor(connection)
        under_way = ServiceStep(state, StateChanges(connection, acting.name), acting)
        under_way.expire()
        yield under_way
    under_way.take_away()


def named(
    under_way: ServiceStep, dossier: SubmissionDetails, name: str, look: RevisionCheck | None = None
) -> LifecycleMove:
    """The move of that name. Raises Refused with the reason and what is allowed instead."""
    return move(under_way.standing(dossier, look), name, under_way.acting)


def last_delivered(connection: StateConnection, number: int, acting: Actor) -> SubmissionDetails:
    """The request, or what did it again last, as it was delivered to the actor; to anybody, for a provider.

    Raises Refused where nothing of that is delivered now, and where one that is open does it again; UnknownName.
    """
    at = as_now(seen(connection, number, acting).submission)
    if not acting.is_provider and not is_own(at, acting):
        raise Refused(phrase("`rerun` is not possible: somebody else submitted it"))
    every = [as_now(each) for each in submissions.again(connection, number)]
    for each in every[1:]:
        if each.status not in ("refused", "delivered", *ENDED):
            look = f"It is {words(each.status)}: `ordermade request show {each.id}`."
            raise Refused(phrase("request %(id)s does it again already", id=each.id), next_step=look)
    delivered = [each.id for each in every if each.status == "delivered"]
    if not delivered:
        look = f"Look at it: `ordermade request show {at.id}`."
        raise Refused(
            phrase("only what was delivered is run again, and it is %(words)s", words=words(at.status)), next_step=look
        )
    return submissions.get(connection, delivered[-1])


def require_same(dossier: SubmissionDetails, asked: WrittenRevision) -> None:
    """Raises InputError where the request in the place of a submitted one is of another dataset."""
    if asked.dataset != dossier.submission.dataset_name:
        raise InputError(
            phrase(
                "the request is of the dataset %(datasetname)s, and stays so",
                datasetname=dossier.submission.dataset_name,
            ),
            where="dataset",
            next_step=phrase("Submit another request."),
        )
