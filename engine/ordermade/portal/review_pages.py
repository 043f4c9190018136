"""Reviews in a browser: what waits for a vote, and each request with its evidence first."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi.responses import Response

from ordermade.errors import InputError, OrdermadeError, PolicyBroken, Refused
from ordermade.portal.request_facts import RequestFacts, difference
from ordermade.portal.request_pages import LONGEST_TEXT, no_path, offered_of
from ordermade.portal.routing import Pages
from ordermade.portal.visits import Visit, Visiting
from ordermade.requests.read import read_request
from ordermade.service.shown import ShownRequest
from ordermade.state.submissions import SubmissionDetails

pages = Pages()

OPEN_STATES = ("predicted", "revised", "in_review", "proposed", "approved")
"""The states of requests that a reviewer still follows."""


@dataclass(frozen=True, slots=True)
class PolicyEvidence:
    """Whether a request keeps the policy of today: `kept`, `broken` with its problems, or `unknown`."""

    answer: str
    problems: tuple[str, ...] = ()


@pages.page("/reviews", "submissions.review")
def queue(visit: Visiting) -> Response:
    """The requests that wait: those that the user may vote on first, the oldest first."""
    noun = visit.engine.submissions
    turns = noun.to_review()
    voted = {each.submission.id: each.voted for each in turns}
    others = [each for each in reversed(noun.list()) if each.status in OPEN_STATES and each.id not in voted]
    return visit.page("reviews.html.j2", mine=[each.submission for each in turns], others=others, voted=voted)


@pages.page("/reviews/{number}", "submissions.review")
def review(visit: Visiting, number: int) -> Response:
    """One request to be voted on: the evidence, the request, what differs from the revision before, the votes."""
    noun = visit.engine.submissions
    details = noun.get(number)
    place = details.revisions.index(details.in_force)
    before = details.revisions[place - 1] if place else None
    dataset = offered_of(visit, details)
    return visit.page(
        "review.html.j2",
        details=details,
        facts=RequestFacts.of(details.in_force.request, dataset),
        evidence=_of_policy(visit, details),
        hierarchies=noun.hierarchies(number),
        lines=() if before is None else difference(before.request, details.in_force.request),
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


def _of_policy(visit: Visit, details: SubmissionDetails) -> PolicyEvidence:
    try:
        visit.engine.check(read_request(details.in_force.request))
    except PolicyBroken as broken:
        return PolicyEvidence("broken", tuple(broken.problems) or (broken.what,))
    except OrdermadeError:
        return PolicyEvidence("unknown")
    return PolicyEvidence("kept")
