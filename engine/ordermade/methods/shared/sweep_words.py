"""A sweep as it is shown: risk and loss of every k, apart, and how to choose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ordermade.methods.shared.result_words import one_in

if TYPE_CHECKING:
    from ordermade.methods.shared.sweep import Point, Sweep


def facts(found: Sweep) -> Iterator[tuple[str, Any]]:
    """The request common to every k, in a few lines."""
    yield "request", found.title or None
    yield "dataset", found.dataset
    yield "method", found.method
    yield "rows", found.rows
    yield "persons", found.persons
    yield found.loss_name, found.meaning


CHOICE = (
    "k is what the law and the provider require, at least. Above that, take the greatest k whose loss you can bear: "
    "a larger k lowers the risk, and costs detail."
)
"""How to choose among the rows of a sweep; none of them is the best."""


def headings(found: Sweep, *, everything: bool = False) -> tuple[str, ...]:
    """Risk and loss of each k, apart; suppressed rows only where there are any."""
    more = ("k measured", "classes", "seconds") if everything else ()
    return ("k", "risk", "chance", found.loss_name, *_suppressed(found), *more, "")


def rows(found: Sweep, *, everything: bool = False) -> list[tuple[Any, ...]]:
    """A row a k; the last cell has in short the reason of its refusal. `everything`: raw figures and seconds too."""
    named = _suppressed(found)
    return [
        (
            each.k,
            *_risk_and_loss(each),
            *(None if each.loss is None else number for number in _figures(each, len(named))),
            *((each.measured_k, each.divisions, round(each.seconds, 3)) if everything else ()),
            "" if each.reason is None else f"refused: {_gist(each.reason)}",
        )
        for each in found.points
    ]


def _risk_and_loss(point: Point) -> tuple[Any, ...]:
    """The risk of the smallest class, in words too, and the loss: those of JSON and plot."""
    if point.risk is None or point.loss is None:
        return None, None, None
    return round(point.risk, 4), one_in(point.risk), round(point.loss, 4)


def outcome(found: Sweep) -> Iterator[tuple[str, Any]]:
    """How to choose, and the whole reason of the first k that is refused."""
    if found.passes:
        yield "to choose", CHOICE
    refused = next((each for each in found.points if each.reason is not None), None)
    if refused is not None:
        yield "refused", f"k = {refused.k:,}: {refused.reason}"


def under_the_table(found: Sweep, *, everything: bool = False) -> Iterator[tuple[str, Any]]:
    """The outcome, and with `everything` the cost of every k together."""
    yield from outcome(found)
    if not everything:
        return
    yield "source queries", found.cost.source_queries
    yield "seconds", round(found.cost.seconds, 2)


def _gist(reason: str) -> str:
    """A reason without its details, which every k would repeat."""
    return re.split(r": |; |\. ", reason, maxsplit=1)[0]


def _suppressed(found: Sweep) -> tuple[str, ...]:
    if not any(each.suppressed_rows for each in found.points):
        return ()
    if all(each.suppressed_persons is None for each in found.points):
        return ("rows suppressed",)
    if found.method == "history":  # a customer with a deleted purchase may be released with the others
        return "rows deleted", "customers incomplete"
    return "rows suppressed", "persons suppressed"


def _figures(point: Point, many: int) -> tuple[int | None, ...]:
    return (point.suppressed_rows, point.suppressed_persons)[:many]
