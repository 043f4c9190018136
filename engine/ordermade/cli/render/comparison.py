"""The options and the output of `ordermade microaggregation`: methods, losses and seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ordermade.display.cells import cell

if TYPE_CHECKING:
    from ordermade.methods.microaggregation.algorithm.methods import Options
    from ordermade.methods.microaggregation.compare import Compared, Comparison

METHOD_HEADINGS = ("method", "takes", "reads", "what it does", "source")
MOST_KS = 200
"""The most values of k in one comparison."""


def method_rows() -> list[tuple[str, ...]]:
    """The registry of methods."""
    from ordermade.methods.microaggregation.algorithm.methods import METHODS

    return [
        (each.name, each.takes, ", ".join(each.options) or "-", each.words, each.source) for each in METHODS.values()
    ]


def options_of(seconds: str, gamma: str, anchors: int, seed: int, *, improve: bool) -> Options:
    """The options of all algorithms, held to the ranges of the request file. Raises InputError for another."""
    from pydantic import TypeAdapter, ValidationError

    from ordermade.errors import InputError
    from ordermade.methods.microaggregation.algorithm.methods import Options
    from ordermade.requests.numbers import Anchors, Gamma, Seconds, Seed

    def checked(option: str, kind: Any, value: Any) -> Any:
        try:
            return TypeAdapter(kind).validate_python(value)
        except ValidationError as error:
            what, _, instead = error.errors()[0]["msg"].partition("; ")
            instead = instead or "write a number"
            raise InputError(what, where=option, next_step=f"{instead[0].upper()}{instead[1:]}.") from None

    return Options(
        gamma=float(checked("--gamma", Gamma, _decimal("--gamma", gamma))),
        anchors=checked("--anchors", Anchors, anchors),
        seed=checked("--seed", Seed, seed),
        improve=improve,
        seconds=float(checked("--seconds", Seconds, _decimal("--seconds", seconds))),
    )


def _decimal(option: str, written: str) -> Any:
    from decimal import Decimal, InvalidOperation

    from ordermade.errors import InputError

    try:
        return Decimal(written)
    except InvalidOperation:
        raise InputError("this is no number", where=option, next_step="Write a number such as 0.5.") from None


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
