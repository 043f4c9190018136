"""Offers as they are shown: what each gives up, and its figures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ordermade.least_k import in_words

if TYPE_CHECKING:
    from ordermade.offers.offer import Offer, Offers


def offer_table(offers: Offers, objective: str) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """The headings and a row an offer: what is given up, and the figures; losses by the objective, and `loss`."""
    named = tuple(dict.fromkeys((objective, "loss")))
    rows = [
        (
            each.number,
            "; ".join(each.gives_up),
            each.figures.k,
            each.figures.divisions,
            *(each.figures.loss.get(name) for name in named),
            _suppressed(each, offers.least_k),
        )
        for each in offers.offers
    ]
    return ("offer", "given up", "k", "classes", *named, "suppressed rows"), rows


def _suppressed(offer: Offer, least_k: int) -> str:
    rows = offer.figures.suppressed_rows
    if rows == 0:
        return "0"
    return in_words(0 if rows is None else rows, least_k)


def beneath(offers: Offers) -> Iterable[str]:
    """The lines beneath the table: how the list falls short, and its cost."""
    for each in offers.left_out:
        yield f"{each[:1].upper()}{each[1:]}."
    yield f"Nodes measured for the offers: {offers.nodes_measured:,}."
