"""The documents of `ordermade request offers`, and of an offer that was accepted of data that changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ordermade.cli.documents.opening import FORMAT

if TYPE_CHECKING:
    from ordermade.cli.documents.types.offer import OffersAnew, RequestOffers
    from ordermade.offers.offer import Offers, OffersChanged


def offers(found: Offers) -> RequestOffers:
    """The document of `request offers`."""
    return cast("RequestOffers", {"format": FORMAT, "command": "request offers", **found.as_dict()})


def offers_anew(changed: OffersChanged) -> OffersAnew:
    """The document of `request run --offer` where the data changed."""
    shown = {**changed.offers.as_dict(), "status": "changed", "reason": changed.what}
    return cast("OffersAnew", {"format": FORMAT, "command": "request run", **shown})
