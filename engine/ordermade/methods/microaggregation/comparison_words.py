"""A comparison of methods of microaggregation as it is shown: its table, and a row for each k."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ordermade.display.cells import cell

if TYPE_CHECKING:
    from ordermade.methods.microaggregation.compare import Compared, Comparison


def facts(found: Comparison) -> Iterator[tuple[str, Any]]:
    """The compared table and options, in a few lines."""
    yield "table", found.table
    yield "where", found.filter
    yield "rows", found.rows
    yield "attributes", found.attributes
    yield "standardised", found.standardised
    if found.options.improve:
        yield "improved", f"all, within {cell(found.options.seconds)} s for each algorithm at each k"
    else:
        yield "improved", f"auto alone, within {cell(found.options.seconds)} s at each k"


def loss_headings(found: Comparison) -> tuple[str, ...]:
    """`k`, then the algorithms."""
    return ("k", *found.algorithms)


def loss_rows(found: Comparison) -> list[tuple[Any, ...]]:
    """For each k the loss of each algorithm in %."""
    return _rows(found, lambda each: 100 * each.loss)


def seconds_rows(found: Comparison) -> list[tuple[Any, ...]]:
    """For each k the seconds of each algorithm."""
    return _rows(found, lambda each: each.seconds)


def _rows(found: Comparison, figure: Callable[[Compared], float]) -> list[tuple[Any, ...]]:
    by_point = {(each.k, each.algorithm): figure(each) for each in found.outcomes}
    return [(k, *(by_point[k, algorithm] for algorithm in found.algorithms)) for k in found.ks]


def document(found: Comparison) -> dict[str, Any]:
    """The whole comparison, as one object."""
    return {
        "table": found.table,
        "where": found.filter,
        "rows": found.rows,
        "attributes": found.attributes,
        "standardised": found.standardised,
        "options": {name: getattr(found.options, name) for name in ("gamma", "anchors", "seed", "improve", "seconds")},
        "outcomes": found.outcomes,
    }
