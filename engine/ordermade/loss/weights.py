"""The weights of attributes in an objective that adds up over the attributes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ordermade.errors import RequestError, UnknownName, quoted
from ordermade.lattice.lattice import Lattice


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each attribute, in their order, as whole numbers: `each` / `scale` is the requested one."""

    each: tuple[int, ...]
    scale: int = 1

    @property
    def total(self) -> int:
        """The sum of the whole numbers, 1 where there is no attribute."""
        return sum(self.each) or 1


def equal_weights(lattice: Lattice) -> Weights:
    """Every attribute counts the same."""
    return Weights((1,) * len(lattice.axes))


def weights_of(lattice: Lattice, requested: Mapping[str, Fraction] | None) -> Weights:
    """The weights of a request by column; an attribute that is not named weighs 1.

    Raises RequestError for a weight below 0 and where every attribute weighs 0, UnknownName for another column.
    """
    if not requested:
        return equal_weights(lattice)
    columns = [axis.column for axis in lattice.axes]
    for column, weight in requested.items():
        if column not in columns:
            raise UnknownName("quasi-identifier", column, columns, where="search.weights")
        if weight < 0:
            raise RequestError(f"the weight of {quoted(column)} is below 0", where="search.weights")
    wanted = [Fraction(requested.get(column, 1)) for column in columns]
    if not any(wanted):
        raise RequestError(
            "every quasi-identifier weighs 0", where="search.weights", next_step="Let one of them weigh more."
        )
    scale = math.lcm(*(weight.denominator for weight in wanted))
    return Weights(tuple(int(weight * scale) for weight in wanted), scale)
