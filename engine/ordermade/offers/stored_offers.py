"""Lists of offers as the state keeps them, and as changes of a request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction

from ordermade.offers.offer import VARIANT, Change, Found, OfferFigures, RequestChanges
from ordermade.offers.space import column_left_out
from ordermade.requests.resolve_generalization import Resolved
from ordermade.state.offer_lists import StoredOffer, StoredOfferList


def kept(found: Sequence[Found], left_out: Sequence[str]) -> StoredOfferList:
    """A list as the state keeps it."""
    return StoredOfferList(tuple(_kept(change, figures) for change, figures in found), tuple(left_out))


def _kept(change: Change, figures: OfferFigures) -> StoredOffer:
    given_up, variant = change.concession, change.changes.get(VARIANT)
    return StoredOffer(
        change.kind,
        given_up.beyond,
        given_up.less_k,
        str(given_up.more_suppressed),
        None if variant is None else str(variant),
        asdict(figures),
    )


def found_before(listed: StoredOfferList, resolved: Resolved) -> list[Found] | None:
    """The offers of a list that was kept for this request; None where one cannot be of it, so that it is made again.

    A list that was edited is named by `state verify`, as every row is.
    """
    try:
        return [(_change(each, resolved), OfferFigures(**each.figures)) for each in listed.offers]
    except (LookupError, ValueError, TypeError, ArithmeticError):
        return None


def _change(offer: StoredOffer, resolved: Resolved) -> Change:
    """The change of a request that an offer is. Raises LookupError, ValueError, TypeError where it has no such one."""
    changes = RequestChanges(resolved)
    match offer.kind:
        case "levels":
            return changes.levels(offer.beyond)
        case "column" if (place := column_left_out(resolved.lattice, offer.beyond)) is not None:
            return changes.column(place, offer.beyond)
        case "suppression":
            return changes.limit(resolved.limit + Fraction(offer.more_suppressed))
        case "k":
            return changes.smaller_k(resolved.request.k - offer.less_k)
        case "local":
            return changes.local()
        case "mondrian":
            for each in changes.mondrian():
                if each.changes[VARIANT] == offer.variant:
                    return each
    raise LookupError(offer.kind)
