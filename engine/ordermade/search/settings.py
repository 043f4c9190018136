"""The settings of the search `pak` in a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Overshoot = Literal["include", "exclude"]


@dataclass(frozen=True, slots=True)
class PakSettings:
    """The way `pak` goes on from its prediction.

    `then_certify`: go on until the optimum is proved; else stop where the paper does. `overshoot`: whether a node with
    more classes than predicted may be the start. `sample`: how many of the coarsest nodes are measured for the fit
    where table C does not have three numbers of classes yet.
    """

    then_certify: bool = True
    overshoot: Overshoot = "include"
    sample: int = 9
