"""The options of `ordermade microaggregation compare`, held to the ranges of the request file."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ordermade.errors import InputError
from ordermade.methods.microaggregation.algorithm.methods import Options
from ordermade.requests.numbers import Anchors, Gamma, Seconds, Seed


def options_of(seconds: str, gamma: str, anchors: int, seed: int, *, improve: bool) -> Options:
    """The options of all algorithms, held to the ranges of the request file. Raises InputError for another."""

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
    try:
        return Decimal(written)
    except InvalidOperation:
        raise InputError("this is no number", where=option, next_step="Write a number such as 0.5.") from None
