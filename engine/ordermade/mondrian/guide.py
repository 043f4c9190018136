"""Rules as a partition reads them: the classes that meet a rule, and the share of a class inside one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordermade.mondrian.domains import Shares


@dataclass(frozen=True, slots=True, eq=False)
class NestedReach:
    """Rules on an attribute with a hierarchy. `meets[level][rule, class]`: whether a class has a value of the rule.

    All values of the class count, whether they occur or not. `inside[level][rule, class]`: the share of the class that
    the rule means, from 0 to 1, every value of it being as probable. Both have the level `*`, with one class, at the
    end. `means[rule, value]`: whether the rule means the value. A rule that is silent means every value.
    """

    meets: tuple[NDArray[np.uint8], ...]
    inside: tuple[Shares, ...]
    means: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class OrderedReach:
    """Rules on an attribute that is cut: rule r means `low[r]` to `high[r]`, ends included (may be infinite).

    As codes: `first[r]` is the first value at or above `low[r]` (their number where there is none), `last[r]` the last
    one at or below `high[r]` (-1 where there is none). A class from code a to code b meets the rule if
    first <= b and last >= a. `points[code]`: the values, in the unit that `low` and `high` are in; `step`: 1 where only
    whole numbers of that unit are values (and [a, b] has b - a + 1 of them), 0 of continuous ones.
    """

    points: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    step: float


@dataclass(frozen=True, slots=True, eq=False)
class ValuesReach:
    """Rules on an attribute that is released as a set. `means[rule, value]`: whether the rule means the value."""

    means: NDArray[np.bool_]


Reach: TypeAlias = NestedReach | OrderedReach | ValuesReach


@dataclass(frozen=True, slots=True, eq=False)
class Guide:
    """Rules with their weights, and their reach on each attribute, in the order of the attributes.

    `asks[rule, attribute]`: whether the rule says anything of the attribute (where it does not, it means everything).
    """

    weights: Shares
    reaches: tuple[Reach, ...]
    asks: NDArray[np.bool_]
