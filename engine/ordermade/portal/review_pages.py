"""Reviews in a browser: what waits for a vote, and each request with its evidence first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fastapi.responses import Response

from ordermade.errors import InputError, OrdermadeError, PolicyBroken, Refused, ReleaseFault, SourceFault, UnknownName
from ordermade.portal.comment_pages import CommentsShown
from ordermade.portal.request_facts import DifferingLine, RequestFacts, difference
from ordermade.portal.request_pages import LONGEST_TEXT, no_path, offered_of
from ordermade.portal.routing import Pages
from ordermade.portal.statement_text import without_values
from ordermade.portal.visits import Visit, Visiting
from ordermade.reports.file import Report, ReportOfTables
from ordermade.requests.read import read_request
from ordermade.service.permissions import permits
from ordermade.service.shown import ShownRequest
from ordermade.state.submissions import SubmissionDetails

pages = Pages()

OPEN_STATES = ("predicted", "revised", "in_review", "proposed", "approved")
"""The states of requests that a reviewer still follows."""


@dataclass(frozen=True, slots=True)
class EarlierRevision:
    """An earlier revision, and how it differs from the one in force; `voted`: that who looks voted on it last."""

    revision: int
    lines: tuple[DifferingLine, ...]
    voted: bool


@pages.page("/reviews", "submissions.review")
def queue(visit: Visiting) -> Response:
    """The requests that wait: those that the user has yet to vote on first, the oldest first."""
    noun = visit.engine.submissions
    turns = noun.to_review()
    mine = [each.submission for each in turns if not each.voted]
    voted = {each.submission.id for each in turns if each.voted}
    waiting = {each.id for each in mine}
    others = [each for each in reversed(noun.list()) if each.status in OPEN_STATES and each.id not in waiting]
    return visit.page("reviews.html.j2", mine=mine, others=others, voted=voted)


@pages.page("/reviews/{number}", "submissions.review")
def review(visit: Visiting, number: int) -> Response:
    """One request to be voted on: the evidence, the request, what differs from the revision before, the votes."""
    noun = visit.engine.submissions
    details = noun.get(number)
    dataset = offered_of(visit, details)
    may_read_sql = permits("explain", visit.user.actor)
    return visit.page(
        "review.html.j2",
        details=details,
        facts=RequestFacts.of(details.in_force.request, dataset),
        evidence=noun.evidence(number),
        hierarchies=noun.hierarchies(number),
        checked=_checked(visit, details),
        release=_release(visit, details),
        by_data=noun.refused_by_data(number) if permits("submissions.refused_by_data", visit.user.actor) else (),
        earlier=tuple(_earlier(details, visit.user.actor.name)),
        comments=CommentsShown.on(visit, "reviews", details),
        may_read_sql=may_read_sql,
        moves=noun.allowed(number),
        history=noun.history(number),
        needed=None if dataset is None else dataset.reviews,
    )


@pages.action("/reviews/{number}/vote", "submissions.review")
def vote(visit: Visiting, number: int) -> Response:
    """Votes on the revision that the page showed."""
    noun = visit.engine.submissions
    shown, cast = ShownRequest(visit.number("revision")), visit.entry("vote", 20)
    try:
        noun.review(number, cast, visit.entry("why", 500) or None, shown=shown)
    except InputError as fault:
        raise Refused(fault.what, next_step=fault.next_step) from None
    return visit.see_other(f"/reviews/{number}")


@pages.action("/reviews/{number}/propose", "submissions.propose")
def propose(visit: Visiting, number: int) -> Response:
    """Makes a counter-offer: another text of the request, by a provider."""
    noun = visit.engine.submissions
    shown, why = ShownRequest(visit.number("last")), visit.entry("why", 500) or None
    noun.propose(number, request=no_path(visit.entry("text", LONGEST_TEXT)), why=why, shown=shown)
    return visit.see_other(f"/reviews/{number}")


@pages.page("/reviews/{number}/statements", "explain")
def statements(visit: Visiting, number: int) -> Response:
    """The SQL of every step of a run of the revision in force, placeholders for its values; nothing is run."""
    details = visit.engine.submissions.get(number)
    try:
        steps = visit.engine.explain(read_request(details.in_force.request))
    except SourceFault as fault:
        raise Refused(fault.what, next_step=fault.next_step) from None
    shown = [(each, without_values(each.sql)) for each in steps]
    return visit.page("statements.html.j2", details=details, steps=shown)


def _checked(visit: Visit, details: SubmissionDetails) -> str:
    """Why the request does not fit its dataset, columns and hierarchies as they are; empty where it does.

    Or where it breaks the policy, which the evidence says rule by rule, or its text was erased.
    """
    if not details.in_force.request:
        return ""
    try:
        visit.engine.check(read_request(details.in_force.request))
    except PolicyBroken:
        return ""
    except OrdermadeError as fault:
        return fault.what
    return ""


def _release(visit: Visit, details: SubmissionDetails) -> Report | ReportOfTables | None:
    """The report for users on what came out; None where nothing did, or it is gone."""
    at = details.submission
    if at.release_id is None or at.status not in ("run", "delivered"):
        return None
    try:
        return visit.engine.releases.report(at.release_id, "user")
    except (Refused, ReleaseFault, UnknownName):
        return None


def _earlier(details: SubmissionDetails, name: str) -> Iterator[EarlierRevision]:
    """The revision before the one in force, and the last that a reviewer voted on, where that is another."""
    now = details.in_force
    before = [each for each in details.revisions if each.revision < now.revision and each.request]
    voted = {each.revision for each in details.reviews if each.reviewer == name}
    last_voted = next((each for each in reversed(before) if each.revision in voted), None)
    for each in dict.fromkeys((*before[-1:], *([] if last_voted is None else [last_voted]))):
        yield EarlierRevision(each.revision, difference(each.request, now.request), each is last_voted)
