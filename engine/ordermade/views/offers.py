"""The output of offers: by themselves, beneath a refusal, and where one was accepted."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from ordermade.errors import OrdermadeError
from ordermade.views.screen import notify, print_document, print_table, say

if TYPE_CHECKING:
    from ordermade.engine import Engine
    from ordermade.methods.shared.result import Result
    from ordermade.offers.offer import Offer, Offers
    from ordermade.requests.model import Request
    from ordermade.requests.read import ReadRequest


def print_offers(offers: Offers, read: ReadRequest[Request], *, verbose: bool = False) -> None:
    """Prints the offers of a request, or why there are none; with `verbose` classes, raw losses and the cost too."""
    from ordermade.offers.offer import beneath, offer_table

    if offers.status == "passes":
        say(f"{read.where} passes as it is: `ordermade request run {read.where}` releases it.")
        return
    if offers.status == "unknown":
        notify(f"No offers: {offers.reason}.")
        return
    if not offers.offers:
        say("Nothing near to the request passes.")
    else:
        say("Passes instead:")
        print_table(*offer_table(offers, _objective(read) if verbose else None))
    lines = list(beneath(offers, cost=verbose))
    if lines:
        say("")
    for each in lines:
        say(each)
    kept = [each for each in offers.offers if each.beside != "breach"]
    if kept:
        say(f"\nNext: ordermade request run {shlex.quote(read.where)} --offer {kept[0].number}")


def _objective(read: ReadRequest[Request]) -> str:
    search = getattr(read.request, "search", None)
    return "loss" if search is None else str(search.objective)


def under_refusal(
    engine: Engine, read: ReadRequest[Request], result: Result, recipients: Sequence[str] = ()
) -> Offers | None:
    """The offers of a request for generalisation or tables that was refused for its data; None where there are none.

    The refusal stands whatever becomes of them.
    """
    stopped = getattr(getattr(result, "search", None), "stopped", None)
    offered = read.request.method in ("generalization", "table")
    if not offered or result.status != "refused" or result.rows is None or stopped:
        return None
    try:
        offers = engine.offers(read, under_refusal=True, recipients=recipients)
    except (OrdermadeError, KeyboardInterrupt):
        return None
    return offers if offers.status == "refused" else None


def accepted(
    engine: Engine, read: ReadRequest[Request], number: int, recipients: Sequence[str] = (), *, as_json: bool
) -> Offer:
    """The offer of that number. Where the data changed since, prints the offers anew and ends with exit status 1."""
    from ordermade.offers.offer import OffersChanged

    try:
        return engine.offered(read, number, recipients)
    except OffersChanged as changed:
        if as_json:
            print_document("request run", replace(changed.offers, status="changed", reason=changed.what))
        notify(f"Refused: {changed.message}")
        if not as_json:
            print_offers(changed.offers, read)
        raise typer.Exit(1) from None


def as_promised(offer: Offer, result: Result, *, shown: bool) -> None:
    """Prints what the release gives up where it is `shown`; a warning where it is not as promised."""
    difference = offer.difference(result) if result.released else None
    if difference is not None:
        notify(f"Warning: the {difference} of the release differ from the offer: the data changed meanwhile.")
    elif shown and result.released:
        say(f"\nOffer {offer.number}, as promised: {'; '.join(offer.gives_up)}.")
