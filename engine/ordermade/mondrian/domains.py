"""The domains of attributes in a partition: leaves of a hierarchy, places on an axis, or distinct values only.

Records come as codes: of every attribute the number of the record's value, from 0, in the order of the values. How an
attribute is split follows from its domain, and so does how much of it a class covers (its width, from 0 to 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Codes: TypeAlias = NDArray[np.int32]
"""Numbers of values, or of classes of them."""
Shares: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Nested:
    """The values are leaves of a hierarchy whose levels nest: a class is split into its children.

    `classes[level, value]`: the class of a value, from 0, at each level below `*` (at level 0 mostly its own). Classes
    are numbered in the order of their least value. `widths[level][class]`: the share of the domain that a class covers,
    (leaves - 1) / (all leaves - 1). No class is split below the level `finest`.
    """

    classes: Codes
    widths: tuple[Shares, ...]
    finest: int = 0

    @property
    def top(self) -> int:
        """The number of the level `*`: the height of the hierarchy."""
        return int(self.classes.shape[0])


@dataclass(frozen=True, slots=True, eq=False)
class Ordered:
    """The values have an order: a class is cut in two, at its median unless the choice of splits says otherwise.

    `places`: where each value is on its axis, ascending. A class from code a to code b covers (places[b] - places[a]) /
    span of the domain; `span` may be wider than the values, and is 0 where there is one value.
    """

    places: NDArray[np.float64]
    span: float


@dataclass(frozen=True, slots=True, eq=False)
class Unordered:
    """The values are only different: a class is parted into two sets of values with near-equal counts.

    That is the other rule of the TF-IDF paper (2.2): values are merged until the groups are about as large. A class of
    m of the `values` covers (m - 1) / (values - 1) of the domain.
    """

    values: int


Domain: TypeAlias = Nested | Ordered | Unordered
