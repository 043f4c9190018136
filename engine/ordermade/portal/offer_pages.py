"""Offers that the engine finds instead of a request, for a provider in a browser: looked for, compared, proposed.

One list is made at a time, of as few nodes as beneath a refusal: pages of others are not to wait for it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

from fastapi.responses import Response

from ordermade.errors import Refused, SourceFault
from ordermade.offers.answer import QUICK_LIMITS
from ordermade.offers.offer import Offer, offer_table
from ordermade.phrases import phrase
from ordermade.portal.concessions import ComparedRequests, compared
from ordermade.portal.request_pages import offered_of
from ordermade.portal.routing import Pages
from ordermade.portal.visits import Visit, Visiting
from ordermade.service.revising import text_of
from ordermade.service.shown import ShownRequest
from ordermade.state.submissions import SubmissionDetails

pages = Pages()

_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True, slots=True)
class OfferShown:
    """An offer of a list: what it gives up, its figures by heading, and the text of its request."""

    offer: Offer
    comparison: ComparedRequests
    figures: tuple[tuple[str, object], ...]
    text: str


@pages.page("/reviews/{number}/offers", "submissions.offers")
def offers(visit: Visiting, number: int) -> Response:
    """What is done to find offers, and the button that does it."""
    details = _open(visit, number)
    nodes, rows = QUICK_LIMITS
    return visit.page("offers.html.j2", details=details, nodes=nodes, rows=rows, found=None, shown=())


@pages.action("/reviews/{number}/offers", "submissions.offers", at_once=2)  # one that looks, one that is refused
def find(visit: Visiting, number: int) -> Response:
    """Looks for the offers that pass instead of the revision that the page showed, and lists them."""
    details = _open(visit, number)
    ShownRequest(visit.number("last")).require(details)
    if not _ONE_AT_A_TIME.acquire(blocking=False):
        raise Refused(
            phrase("offers for another request are being looked for"), next_step=phrase("Try again in a minute.")
        )
    try:
        found = visit.engine.submissions.offers(number, quick=True)
    except SourceFault as fault:
        raise Refused(fault.what, next_step=fault.next_step) from None
    finally:
        _ONE_AT_A_TIME.release()
    dataset, text = offered_of(visit, details), details.in_force.request
    headings, rows = offer_table(found)
    shown = []
    for each, row in zip(found.offers, rows, strict=True):
        offered = text_of(each.read.request)
        figures = tuple(zip(headings[2:], row[2:], strict=True))
        shown.append(OfferShown(each, compared(text, offered, dataset), figures, offered))
    nodes, most = QUICK_LIMITS
    return visit.page("offers.html.j2", details=details, nodes=nodes, rows=most, found=found, shown=shown)


def _open(visit: Visit, number: int) -> SubmissionDetails:
    """The request, where a counter-offer to it may be made now. Raises UnknownName, Refused."""
    noun = visit.engine.submissions
    if "propose" not in noun.allowed(number):
        raise Refused(phrase("no counter-offer to it can be made now"), next_step=phrase("Look at where it stands."))
    return noun.get(number)
