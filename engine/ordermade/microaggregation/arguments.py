"""The arguments of a method beside its records: numbers and generators, checked here."""

from __future__ import annotations

import math

import numpy as np

from ordermade.errors import InputError


def number_from(value: object, least: float, what: str, example: float) -> float:
    """A finite number of at least `least`. Raises InputError for anything else; `what` is its name in the message."""
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        try:
            found = float(value)
        except OverflowError:
            found = math.inf
        if least <= found < math.inf:
            return found
    raise InputError(f"{what} is no number of at least {least:g}", next_step=f"Give a number such as {example:g}.")


def whole_number_from(value: object, least: int, what: str, example: int) -> int:
    """A whole number of at least `least`. Raises InputError for anything else; `what` is its name in the message."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= least:
        return int(value)
    raise InputError(f"{what} is no whole number of at least {least}", next_step=f"Give a number such as {example}.")


def generator_from(rng: object) -> np.random.Generator:
    """The generator; that of seed 0 for None. Raises InputError for anything else."""
    if rng is None:
        return np.random.default_rng(0)
    if isinstance(rng, np.random.Generator):
        return rng
    raise InputError("rng is no random generator of numpy", next_step="Give numpy.random.default_rng(1), or nothing.")
