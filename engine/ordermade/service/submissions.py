"""Submitted requests: each move of the lifecycle as a call, and what an actor may see of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.catalogue.arguments import typed_methods
from ordermade.errors import InputError, Refused
from ordermade.offers.offer import offer_of
from ordermade.phrases import phrase
from ordermade.release.entitled import LOOKED_AT
from ordermade.requests.read import read_request
from ordermade.service import comments
from ordermade.service.comment_subjects import WHOLE
from ordermade.service.desk import Desk
from ordermade.service.effective_policy import governing, moment_after
from ordermade.service.evidence import ReviewEvidence, evidence
from ordermade.service.lifecycle import (
    Actor,
    SubmissionState,
    allowed,
    automatic_move,
    move,
)
from ordermade.service.revising import (
    LONGEST_REASON,
    PredictionSummary,
    WrittenRevision,
    of_user,
    outlook,
    reason_of,
    text_of,
)
from ordermade.service.rewritten_filters import carry_over, of_today
from ordermade.service.running import certificate, collect, deliver, delivered_file, run
from ordermade.service.shown import ShownRequest
from ordermade.service.step import (
    RevisionCheck,
    ServiceStep,
    last_delivered,
    named,
    require_same,
    step,
)
from ordermade.service.submitted import SubmittedRequests, of_those_seen, seen
from ordermade.service.user_refusals import is_of_data, said
from ordermade.state import submissions as stored
from ordermade.state import user_hierarchies
from ordermade.state.changes import StateChanges
from ordermade.state.records.submissions import Comment, Review, Submission
from ordermade.state.statements import utc_now
from ordermade.state.submissions import SubmissionDetails

if TYPE_CHECKING:
    from ordermade.offers.offer import Offers
    from ordermade.requests.read import RequestLike
    from ordermade.service.forecasting import LiveForecast
    from ordermade.service.running import Delivered, Ran
    from ordermade.state.user_hierarchies import UserHierarchy


@typed_methods
@dataclass(frozen=True, slots=True)
class Submissions(SubmittedRequests):
    """The submitted requests of a state, for whoever acts: by a token, or at the provider's own shell.

    Every step is one transaction. Without the right, or where the lifecycle has no such move, Refused is raised with
    the moves that are allowed; a request of somebody else is UnknownName for a data user.
    """

    @property
    def _desk(self) -> Desk:
        return Desk(self.state, self.office, self.credential)

    def allowed(self, number: int) -> tuple[str, ...]:
        """The names of the moves that the actor may make now. Raises UnknownName, StateFault."""
        with self.state.reading() as connection:
            acting, _, standing = self._desk.standing(connection, number)
        return tuple(dict.fromkeys(each.name for each in allowed(standing, acting)))

    def hierarchies(self, number: int) -> tuple[UserHierarchy, ...]:
        """The hierarchies of its user's own that a request names, as they are now. Raises UnknownName, StateFault."""
        with self.state.reading() as connection:
            dossier = seen(connection, number, self.credential.actor(connection))
            mine = user_hierarchies.in_use(connection, dossier.submission.submitted_by)
        text = dossier.in_force.request
        names = read_request(text).request.hierarchy_names if text and mine else frozenset()
        return tuple(each for each in mine if each.name in names)

    def forecast(self, request: RequestLike) -> LiveForecast:
        """Whether a request that the actor might submit is released: likely, open or unlikely; no source is opened.

        By the policy, the hierarchies and what the actor's pool received alone: see `prediction/foretold.py`. Different
        requests are counted. Raises PolicyBroken with every rule that it breaks, RequestError with every mistake,
        Refused after as many as the policy allows, StateFault.
        """
        from ordermade.service.forecasting import forecast_of

        return forecast_of(self._desk, request)

    def submit(self, request: RequestLike, why: str | None = None, *, accept_terms: bool = False) -> Submission:
        """Submits a request and notes what is predicted of it; `accept_terms`: of its dataset's policy.

        Raises PolicyBroken with every rule that it breaks, RequestError with every mistake, StateFault.
        """
        reason = reason_of(why)
        acting = self._desk.acting_to_submit()
        asked = self._desk.written(_given(request, acting), acting.name, submits=True, accepts=accept_terms)
        predicted = outlook(self.office, asked.read)
        with step(self.state, self.credential) as under_way:
            acting = under_way.acting
            move(SubmissionState("draft", acting.name), "submit", acting)
            terms = under_way.governing(asked.dataset).terms_hash
            if accept_terms and terms is not None:
                stored.accept_terms(under_way.changes, asked.dataset, acting.name, terms)
            under_way.require_rules(asked.read, acting.name, submits=True)
            return self._submitted(under_way, asked, predicted, acting.name, reason)

    def _submitted(
        self,
        under_way: ServiceStep,
        asked: WrittenRevision,
        predicted: PredictionSummary,
        recipient: str,
        reason: str | None,
        supersedes: int | None = None,
    ) -> Submission:
        """Adds a submitted request, with its first revision and what is predicted of it."""
        now, changes = utc_now(), under_way.changes
        new = Submission(
            id=0,
            title=asked.request.title,
            dataset_name=asked.dataset,
            submitted_by=recipient,
            status="submitted",
            revision=1,
            submitted_at=now,
            moved_at=now,
            expires_at=moment_after(now, under_way.governing(asked.dataset).expires_after),
            supersedes=supersedes,
        )
        number = stored.add(changes, new)
        under_way.revise(number, 1, asked, predicted, reason)
        changes.audited("request submit", str(number), reason)
        dossier = stored.get(under_way.connection, number)
        predicting = automatic_move(under_way.standing(dossier), "predict")
        if predicting is None:
            raise RuntimeError("what is submitted can be predicted")
        under_way.count_forecast(under_way.made(dossier, predicting, predicted.words), predicted)
        return under_way.settled(number)

    def rerun(self, number: int, why: str | None = None) -> Submission:
        """Submits a delivered request again, for the same user, to be reviewed and run on the data of today.

        The last delivered one is submitted, where the request was done again before. It is withdrawn, and its release
        superseded, once the new one is delivered. The actor is an author of the new one, and may not review it, as its
        user may not. Raises Refused, PolicyBroken, UnknownName, StateFault.
        """
        reason = reason_of(why) or f"request {number} again"
        acting = self._desk.acting_to_submit()
        with self.state.reading() as connection:
            earlier = last_delivered(connection, number, acting)
        recipient = earlier.submission.submitted_by
        asked = self._desk.written(of_today(earlier.in_force.request), recipient, submits=True)
        predicted = outlook(self.office, asked.read)
        with step(self.state, self.credential) as under_way:
            if last_delivered(under_way.connection, number, under_way.acting) != earlier:
                raise Refused(phrase("it was delivered again meanwhile"), next_step=phrase("Give the command again."))
            move(SubmissionState("draft", recipient), "submit", under_way.acting)
            under_way.require_rules(asked.read, recipient, submits=True)
            return self._submitted(under_way, asked, predicted, recipient, reason, earlier.submission.id)

    def evidence(self, number: int) -> ReviewEvidence:
        """What reviewers go by besides the request: the rules of the policy, and what the ledger decides uncounted.

        Raises UnknownName, StateFault.
        """
        return evidence(self._desk, number)

    def offers(self, number: int, *, quick: bool = False) -> Offers:
        """The passing alternatives to the revision in force that its user may have, for a provider.

        `quick`: no more is measured for them than beneath a refusal, and the list is not kept. Raises Refused.
        """
        dossier = self._desk.open_to(number, "propose")
        recipient = dossier.submission.submitted_by
        read = self._desk.in_force(dossier).read
        found = self.office.offers(read, under_refusal=quick, recipients=(recipient,))
        with self.state.reading() as connection:
            policy = governing(connection, dossier.submission.dataset_name)
            standing = policy.standing_of(connection, dossier.submission.submitted_by, submits=False)
            kept = [each for each in found.offers if not policy.broken(connection, each.read.request, standing)]
        return replace(found, offers=tuple(replace(each, number=place) for place, each in enumerate(kept, 1)))

    def propose(
        self,
        number: int,
        offer: int | None = None,
        request: RequestLike | None = None,
        why: str | None = None,
        *,
        shown: ShownRequest | None = None,
    ) -> Submission:
        """Proposes another revision to the user: an offer by its number, or a request.

        `shown`: refused where it is not as it was shown.

        Raises Refused, PolicyBroken with every rule that it breaks, InputError.
        """
        if (offer is None) == (request is None):
            raise InputError(phrase("a proposal is an offer or a request"), next_step=phrase("Give one of the two."))
        reason = reason_of(why)
        if offer is not None:
            chosen = offer_of(self.offers(number), offer)
            request = text_of(chosen.read.request)
            reason = reason or reason_of(f"offer {offer}: {'; '.join(chosen.gives_up)}"[:LONGEST_REASON])
        recipient = self._desk.open_to(number, "propose", shown).submission.submitted_by
        asked = self._desk.written(request or "", recipient)
        predicted = outlook(self.office, asked.read)
        with step(self.state, self.credential, number) as under_way:
            dossier = under_way.dossier(number, shown)
            proposing = named(under_way, dossier, "propose")
            require_same(dossier, asked)
            under_way.require_rules(asked.read, dossier.submission.submitted_by)
            place = dossier.revisions[-1].revision + 1
            under_way.revise(number, place, asked, predicted, reason)
            return under_way.made(dossier, proposing, reason)

    def accept(self, number: int, why: str | None = None, *, shown: ShownRequest | None = None) -> Submission:
        """Accepts the proposal, which is in force then; every vote is reset.

        `shown`: refused where it is not as it was shown.

        Raises Refused, PolicyBroken where the policy was tightened since it was proposed, UnknownName.
        """
        with step(self.state, self.credential, number) as under_way:
            dossier = under_way.dossier(number, shown)
            accepting = named(under_way, dossier, "accept")
            proposal = dossier.revisions[-1]
            asked = read_request(proposal.request)
            under_way.require_rules(asked, dossier.submission.submitted_by)
            stored.reset(under_way.changes, dossier.reviews)
            to = {"revision": proposal.revision, "title": asked.request.title}
            under_way.made(dossier, accepting, reason_of(why), **to)
            return under_way.settled(number)

    def revise(
        self,
        number: int,
        request: RequestLike,
        why: str | None = None,
        *,
        accept_terms: bool = False,
        shown: ShownRequest | None = None,
    ) -> Submission:
        """Puts another request in its place; every vote is reset. `accept_terms`: of its dataset's policy as it is now.

        `shown`: refused where it is not as it was shown.

        Raises PolicyBroken with every rule that it breaks, RequestError, Refused, UnknownName.
        """
        reason = reason_of(why)
        recipient = self._desk.open_to(number, "revise", shown).submission.submitted_by
        asked = self._desk.written(_given(request, self.acting()), recipient, revises=True, accepts=accept_terms)
        predicted = outlook(self.office, asked.read)
        with step(self.state, self.credential, number) as under_way:
            dossier = under_way.dossier(number, shown)
            revising = named(under_way, dossier, "revise")
            require_same(dossier, asked)
            terms = under_way.governing(dossier.submission.dataset_name).terms_hash
            if accept_terms and terms is not None:
                stored.accept_terms(under_way.changes, asked.dataset, dossier.submission.submitted_by, terms)
            under_way.require_rules(asked.read, dossier.submission.submitted_by, revises=True)
            place = dossier.revisions[-1].revision + 1
            under_way.revise(number, place, asked, predicted, reason)
            stored.reset(under_way.changes, dossier.reviews)
            under_way.end_release(dossier)
            moved = under_way.made(dossier, revising, reason, revision=place, title=asked.request.title, claim=None)
            under_way.count_forecast(moved, predicted)
            return under_way.settled(number)

    def review(
        self, number: int, vote: str, why: str | None = None, *, shown: ShownRequest | None = None
    ) -> Submission:
        """Votes `approve` or `refuse` on the revision in force; a later vote of the same reviewer takes its place.

        The data are not read: the vote holds for the version that they were last seen with, so that a change since
        resets it when the request runs. With the approvals that the policy asks for, and none against it, the request
        is approved. `shown`: refused where it is not as it was shown.

        Raises Refused, PolicyBroken for a vote to approve a request that the policy does not allow, UnknownName; for a
        provider SourceFault, in the place of which others read that the provider looks at it.
        """
        if vote not in ("approve", "refuse"):
            raise InputError(phrase("a vote is `approve` or `refuse`"), where="vote")
        if vote == "refuse" and not (why or "").strip():
            raise InputError(phrase("a vote to refuse has a reason"), where="why", next_step=phrase("Give --why."))
        reason = reason_of(why)
        dossier = self._desk.open_to(number, "review", shown)
        carry_over(self._desk, dossier)
        looked = look_to_vote(self._desk, dossier)
        with step(self.state, self.credential, number) as under_way:
            dossier = under_way.dossier(number, shown)
            reviewing = named(under_way, dossier, "review")
            if dossier.in_force.request != looked.written.text:
                raise Refused(
                    phrase("it was revised meanwhile"),
                    next_step=phrase("Look at it: `ordermade request show %(number)s`.", number=number),
                )
            if vote == "approve":
                under_way.require_rules(looked.written.read, dossier.submission.submitted_by)
            cast = Review(
                number,
                dossier.submission.revision,
                under_way.acting.name,
                vote,
                reason,
                under_way.governing(dossier.submission.dataset_name).policy_id,
                looked.version,
                self._meaning(under_way, dossier, looked, vote),
                utc_now(),
            )
            under_way.reset_unlike(dossier, cast)
            stored.vote(under_way.changes, cast)
            under_way.made(dossier, reviewing, f"{vote}: {reason}" if reason else vote)
            return under_way.settled(number)

    @staticmethod
    def _meaning(under_way: ServiceStep, dossier: SubmissionDetails, looked: RevisionCheck, vote: str) -> str:
        """What the request means now, which is what it meant when it was submitted. Raises Refused where it is not."""
        submitted = dossier.in_force.meaning_hash
        if looked.breaks:  # its files were not looked at: it is only refused
            if vote == "approve":
                raise Refused(phrase("the policy was changed while it was looked at"), next_step=phrase("Vote again."))
            return submitted
        if looked.written.meaning(under_way.connection) != submitted:
            raise Refused(
                phrase("a hierarchy or a file that it names has changed since it was submitted"),
                next_step=phrase("Its user revises it, with the same file or another."),
            )
        return submitted

    def comment(self, number: int, text: str, at: str = WHOLE, *, shown: ShownRequest | None = None) -> Comment:
        """Says something about a request, which everybody reads who may see it; nothing is moved, and no vote reset.

        `at`: what it is about: `request`, `k`, `suppression`, `filter`, `column:NAME`, or a check of the review, such
        as `check:policy`. `shown`: refused where it is not as it was shown. Raises Refused for a request that ended,
        InputError, UnknownName.
        """
        with step(self.state, self.credential, number) as under_way:
            return comments.comment(under_way, number, text, at, shown)

    def approve(self, number: int, why: str | None = None) -> Submission:
        """Closes the review of a request that has its approvals, in spite of a vote to refuse. Raises Refused."""
        with step(self.state, self.credential, number) as under_way:
            dossier = under_way.dossier(number)
            return under_way.made(dossier, named(under_way, dossier, "approve"), reason_of(why), claim=None)

    def refuse(self, number: int, why: str) -> Submission:
        """Refuses a request with a reason, which its user sees, until it is delivered; its release goes.

        Raises Refused, UnknownName, InputError.
        """
        if not why.strip():
            raise InputError(phrase("a refusal has a reason"), where="why")
        with step(self.state, self.credential, number) as under_way:
            dossier = under_way.dossier(number)
            refusing = named(under_way, dossier, "refuse")
            under_way.end_release(dossier)
            return under_way.made(dossier, refusing, reason_of(why), claim=None, release_id=None)

    def withdraw(self, number: int, why: str | None = None, *, shown: ShownRequest | None = None) -> Submission:
        """Ends a request: its user before it is delivered, the provider after it; its release goes.

        `shown`: refused where it is not as it was shown.

        Raises Refused, UnknownName.
        """
        with step(self.state, self.credential, number) as under_way:
            dossier = under_way.dossier(number, shown)
            withdrawing = named(under_way, dossier, "withdraw")
            under_way.end_release(dossier)
            return under_way.made(dossier, withdrawing, reason_of(why), claim=None)

    def run(self, number: int, *, certifies: bool = False) -> Ran:
        """Runs the revision in force of an approved request; see `service/running.py`.

        `certifies`: writes a certificate beside the release, where nothing better is proved to pass.
        Raises Refused, UnknownName, InputError, SourceFault, StateFault, ReleaseFault.
        """
        return run(self._desk, number, certifies=certifies)

    def deliver(self, number: int, to: Path | str | None = None) -> Delivered:
        """Measures the release again and hands it over; `to`: copies it there, too. Raises Refused, ReleaseFault."""
        return deliver(self._desk, number, None if to is None else Path(to))

    def collect(self, number: int, to: Path | str) -> Path:
        """Copies the delivered release and its manifest to a new file; its path. Raises Refused, InputError."""
        return collect(self._desk, number, Path(to))

    def delivered_file(self, number: int) -> Path:
        """The file of a delivered release, as it was delivered. Raises Refused, UnknownName, ReleaseFault."""
        return delivered_file(self._desk, number)

    def certificate(self, number: int) -> str | None:
        """The certificate of a delivered release, as its user may have it: without a count. None: it has none.

        Raises Refused, UnknownName, ReleaseFault.
        """
        return certificate(self._desk, number)

    def due(self) -> tuple[Submission, ...]:
        """The requests that `expire` would move, as they stand: those that the actor may see. Raises StateFault."""
        with self.state.reading() as connection:
            acting = self.credential.actor(connection)
            under_way = ServiceStep(self.state, StateChanges(connection, acting.name), acting)
            return of_those_seen((dossier.submission for dossier, _ in under_way.due()), acting)

    def expire(self) -> tuple[Submission, ...]:
        """Moves every request whose time is over that the actor may see, as a provider's step does; those moved.

        Files of releases that came to their end go, too, where a killed step left any. Raises StateFault.
        """
        if self.state.authority.is_bound and not self.acting().is_provider:
            return tuple(each for due in self.due() for each in self._expired(due.id))
        return self._expired(None)

    def _expired(self, number: int | None) -> tuple[Submission, ...]:
        state = self.state if number is None else self.state.of_submission(number)
        with state.writing() as connection:
            acting = self.credential.actor(connection)
            under_way = ServiceStep(state, StateChanges(connection, acting.name), acting)
            found = under_way.expire()
            if number is None:
                under_way.remove_left()
        under_way.take_away()
        return of_those_seen(found, acting)


def _given(request: RequestLike, acting: Actor) -> RequestLike:
    """The request as its author may give it. Raises InputError where a user by a token names a file."""
    return request if acting.is_provider else of_user(request)


def look_to_vote(of: Desk, dossier: SubmissionDetails) -> RevisionCheck:
    """What a request that is voted on means now; its data are not read, but when it runs.

    Raises what ends the look to a provider, Refused in the same words to others, whatever that was; what is of the
    request itself to everybody.
    """
    found = of.looked_to_vote(dossier)
    if found.fault is None:
        return found
    with step(of.state, of.credential, dossier.submission.id) as under_way:
        under_way.refused_by_data(dossier.submission, said(found.fault), counts=is_of_data(found.fault))
    if of.acting().is_provider:
        raise found.fault
    where = f"request {dossier.submission.id}"
    raise Refused(LOOKED_AT, where=where, next_step=phrase("Vote again once it goes on."))
