"""Offers as they are shown: what each gives up, and its figures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ordermade.least_k import in_words
from ordermade.loss.shares import Extremes, shares
from ordermade.methods.shared.result_words import loss_in_words

if TYPE_CHECKING:
    from ordermade.offers.offer import Offer, Offers


def offer_table(offers: Offers, objective: str | None = None) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """The headings and a row an offer: the change, its k, the detail given up, the suppressed rows.

    With an `objective` also the classes and the raw losses, by it and by `loss`.
    """
    named = () if objective is None else tuple(dict.fromkeys((objective, "loss")))
    rows = [
        (
            each.number,
            "; ".join(each.gives_up),
            each.figures.k,
            loss_in_words(shares(each.figures.loss, Extremes())),
            _suppressed(each, offers.least_k),
            *(() if objective is None else (each.figures.divisions,)),
            *(each.figures.loss.get(name) for name in named),
        )
        for each in offers.offers
    ]
    more = () if objective is None else ("classes", *named)
    return ("offer", "instead", "k", "detail given up", "rows suppressed", *more), rows


def _suppressed(offer: Offer, least_k: int) -> str:
    rows = offer.figures.suppressed_rows
    if rows == 0:
        return "0"
    return in_words(0 if rows is None else rows, least_k)


def beneath(offers: Offers, *, cost: bool = True) -> Iterable[str]:
    """The lines beneath the table: how the list falls short, and its `cost`."""
    for each in offers.left_out:
        yield f"{each[:1].upper()}{each[1:]}."
    if cost:
        yield f"Nodes measured for the offers: {offers.nodes_measured:,}."
