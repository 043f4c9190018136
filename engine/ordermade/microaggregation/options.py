"""The options of grouping: the method by name, and its parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

NumberAggregate: TypeAlias = Literal["mean", "median"]
"""The replacement of the numbers of a group."""
ClassAggregate: TypeAlias = Literal["mode", "ancestor"]
"""The replacement of the values of a hierarchy."""
Rounding: TypeAlias = Literal["keep", "integer"]
"""Whether the replacement of numbers is kept exactly or rounded to a whole number."""
Radius: TypeAlias = Literal["mean", "median"]
"""The distance from an anchor to the other records that a region of `fdh` reaches."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of `grouped`; the defaults are those of a request.

    `gamma` of `vmdav`; `anchors`, `radius_divisor` and `radius` of `fdh`; `seed` of every random choice; `improve`:
    whether the groups of the method are improved; `seconds`: how long `auto` and improving may take in all; `rounds`:
    how many rounds of perturbation at most (None: as many as fit the time). With `seconds` None the clock is not looked
    at, and the groups are the same on every machine.
    """

    algorithm: str = "auto"
    gamma: float = 0.2
    anchors: int = 3
    radius_divisor: float = 1.0
    radius: Radius = "mean"
    seed: int = 1
    improve: bool = True
    seconds: float | None = 10.0
    rounds: int | None = None
