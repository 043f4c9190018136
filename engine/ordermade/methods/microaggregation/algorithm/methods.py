"""The registry of grouping methods, and their options: for request files, commands and docs.

Light on purpose: reading it imports no array library and compiles nothing.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ordermade.records.printed import NOT_PRINTED

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


Takes: TypeAlias = Literal["one numeric attribute", "any attributes"]


@dataclass(frozen=True, slots=True)
class GroupingMethod:
    """A method of making groups."""

    name: str
    """Its name in requests."""
    words: str
    """The method in one sentence."""
    source: str
    """The paper that it is from."""
    takes: Takes = "any attributes"
    """The attributes that it takes."""
    options: tuple[str, ...] = ()
    """The options of a request that it alone reads."""
    largest_block: int = field(default=50_000, metadata=NOT_PRINTED)
    """The most records of a block, beyond which it would visit too many pairs: a third of a second for 8 columns."""


_LISTED = (
    GroupingMethod(
        "auto",
        "For one numeric attribute `optimal`; else the least loss among the methods that fit the time budget.",
        "ours",
        options=("gamma", "anchors", "radius_divisor", "radius"),
        largest_block=20_000,
    ),
    GroupingMethod(
        "optimal",
        "The groups of least loss that there are, in sorted order; nothing is better.",
        "Hansen and Mukherjee 2003",
        takes="one numeric attribute",
    ),
    GroupingMethod(
        "mdav",
        "Groups of k around the record farthest from the mean and the one farthest from that, again and again.",
        "Domingo-Ferrer and Torra 2005",
    ),
    GroupingMethod(
        "mdav-mil",
        "`mdav`, then records move between neighbouring groups while that lessens the loss.",
        "the MIL paper",
        takes="one numeric attribute",
    ),
    GroupingMethod(
        "vmdav",
        "Groups of k to 2k - 1 around the record farthest from the mean; near ones join, as far as `gamma` lets them.",
        "Solanas and Martinez-Balleste 2006",
        options=("gamma",),
    ),
    GroupingMethod(
        "vmdav-mil",
        "`vmdav`, then records move between neighbouring groups while that lessens the loss.",
        "the MIL paper",
        takes="one numeric attribute",
        options=("gamma",),
    ),
    GroupingMethod(
        "npn",
        "A path from each record to its nearest unvisited one, cut into the best groups of k to 2k - 1.",
        "Domingo-Ferrer et al. 2006",
        largest_block=20_000,
    ),
    GroupingMethod(
        "fdh",
        "A path through regions around anchors, cut into the best groups of k to 2k - 1.",
        "the FDH-MHM paper",
        options=("anchors", "radius_divisor", "radius"),
        largest_block=20_000,
    ),
)
METHODS: Mapping[str, GroupingMethod] = types.MappingProxyType({each.name: each for each in _LISTED})
