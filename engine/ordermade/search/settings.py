"""What a request may set of the search `pak`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Overshoot = Literal["include", "exclude"]


@dataclass(frozen=True, slots=True)
class PakSettings:
    """How `pak` goes on from its prediction.

    `then_certify`: go on until the optimum is proved; else stop where the paper does. `overshoot`: whether a node with
    more divisions than predicted may be the start. `sample`: how many of the coarsest nodes are measured for the fit
    where table C does not have three division counts yet.
    """

    then_certify: bool = True
    overshoot: Overshoot = "include"
    sample: int = 9
