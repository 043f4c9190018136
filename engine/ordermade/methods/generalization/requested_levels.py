"""What the answer to a request for generalisation depends on, by the request alone: nothing is counted for it."""

from __future__ import annotations

from collections.abc import Sequence

from ordermade.lattice.lattice import LevelOrder
from ordermade.ledger.entries import ShownColumn
from ordermade.ledger.simulatable import RequestedLevels
from ordermade.loss.metrics import METRICS
from ordermade.prediction.foretold import ForetoldLevels
from ordermade.requests.resolve_generalization import Resolved


def requested_levels(resolved: Resolved) -> RequestedLevels:
    """What the answer to a request depends on, by the request alone."""
    request = resolved.request
    unjudged = of_no_level(resolved)
    if unjudged:
        return RequestedLevels(resolved.filter_text, request.k, unjudged=unjudged)
    if resolved.with_values or resolved.sensitive or resolved.risk is not None:
        return RequestedLevels(resolved.filter_text, request.k)
    by_classes = METRICS[request.search.objective].follows_from in ("levels", "node", "rows", "units")
    is_certain = resolved.lattice.size == 1 or (by_classes and request.search.budget is None)
    finest = _coarsened(resolved, [each.hierarchy.order.minimal(each.accepted) for each in resolved.qis])
    coarsest = _coarsened(resolved, [_coarsest_of(each.hierarchy.order, each.accepted) for each in resolved.qis])
    return RequestedLevels(
        resolved.filter_text, request.k, finest if is_certain else None, coarsest, resolved.limit, shows_all=True
    )


def foretold_levels(resolved: Resolved) -> ForetoldLevels:
    """What a forecast for its user is of."""
    request = resolved.request
    finest = coarsest = None
    if not of_no_level(resolved):
        finest = _coarsened(resolved, [each.hierarchy.order.minimal(each.accepted) for each in resolved.qis])
        coarsest = _coarsened(resolved, [_coarsest_of(each.hierarchy.order, each.accepted) for each in resolved.qis])
    only_k = not resolved.sensitive and resolved.risk is None
    return ForetoldLevels(resolved.filter_text, request.k, resolved.limit, finest, coarsest, only_k)


def _coarsest_of(order: LevelOrder, accepted: Sequence[int]) -> tuple[int, ...]:
    """The accepted levels that every accepted level refines."""
    return tuple(level for level in accepted if all(order.refines(each, level) for each in accepted))


def _coarsened(resolved: Resolved, levels: Sequence[Sequence[int]]) -> tuple[ShownColumn, ...] | None:
    """Every quasi-identifier at its one level, those at `*` left out; None where one has none or several."""
    if any(len(each) != 1 for each in levels):
        return None
    return tuple(
        ShownColumn(each.column, each.hierarchy.content_hash, level, each.missing_as_star)
        for each, (level,) in zip(resolved.qis, levels, strict=True)
        if level < each.hierarchy.top
    )


def of_no_level(resolved: Resolved) -> str:
    """Why the classes of a request are of no one level, whatever is released; empty where they are not."""
    if resolved.request.is_local:
        return f"is of {resolved.request.recoding_name} recoding, whose classes are of no one level"
    if resolved.entity is not None:
        return "counts persons, who may have several rows"
    return ""
