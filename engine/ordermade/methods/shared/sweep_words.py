"""A sweep as it is shown: loss, safety and total of every k, and the best k."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ordermade.display.cells import cell

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


def headings(found: Sweep) -> tuple[str, ...]:
    """The figures of each k; suppressed rows only where there are any."""
    return ("k", found.loss_name, "safety (1/k)", "total", "k measured", "classes", *_suppressed(found), "seconds", "")


def rows(found: Sweep) -> list[tuple[Any, ...]]:
    """A row a k; the last cell has `best`, or in short the reason of its refusal."""
    named = _suppressed(found)
    return [
        (
            each.k,
            each.loss,
            None if each.total is None else each.safety,
            each.total,
            each.measured_k,
            each.divisions,
            *(None if each.total is None else number for number in _figures(each, len(named))),
            round(each.seconds, 3),
            "best" if each == found.best else "" if each.reason is None else f"refused: {_gist(each.reason)}",
        )
        for each in found.points
    ]


def outcome(found: Sweep) -> Iterator[tuple[str, Any]]:
    """The best k, and the whole reason of the first one that is refused."""
    best = found.best
    if best is not None:
        yield "best", f"k = {best.k:,}: {cell(best.loss)} + {cell(best.safety)} = {cell(best.total)}"
    refused = next((each for each in found.points if each.reason is not None), None)
    if refused is not None:
        yield "refused", f"k = {refused.k:,}: {refused.reason}"


def under_the_table(found: Sweep) -> Iterator[tuple[str, Any]]:
    """The outcome, and the cost of every k together."""
    yield from outcome(found)
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
