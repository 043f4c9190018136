"""What a split tells of a target, and the cut of an ordered attribute that tells most and leaves both halves valid.

Information gain, in nats: InfoGain Mondrian (LeFevre et al., KDD 2006). Sums are of whole numbers (see `scale_of`), so
that they do not depend on the order of the records; gains are compared to `DECIMALS` decimals.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordermade.compiled import compiled
from ordermade.mondrian.check import Check, Numbers, Room
from ordermade.mondrian.domains import Codes


class Target(NamedTuple):
    """The target: the number of each record's value; `terms[c]`: c ln c, of every count there may be."""

    codes: Codes
    terms: NDArray[np.float64]


class TargetRoom(NamedTuple):
    """Where splits are judged: one a thread. `left`, `right`: all zero in between, a number a value of the target.

    The rest is written over, a number a record: `keys` (its code and its row), `ordered` (rows in the order of their
    codes), `scores` (of the cut behind it).
    """

    left: Numbers
    right: Numbers
    keys: Numbers
    ordered: Codes
    scores: Numbers


def target_of(codes: Codes, n: int) -> Target:
    """The target of n records; without `codes` (of size 0), an empty one to be handed over where nothing is gained."""
    raise NotImplementedError


def target_room(values: int, n: int) -> TargetRoom:
    """Room to judge splits of up to n records: 20 bytes a record, 16 a value of the target."""
    raise NotImplementedError


@compiled
def scale_of(n: int) -> float:
    """By what terms c ln c of a class of n records are multiplied before they are rounded: a power of two.

    The greatest one at which their sums still fit into 64 bits.
    """
    raise NotImplementedError


@compiled
def entropy_of(target: Target, room: TargetRoom, rows: Codes, start: int, end: int, scale: float) -> int:
    """The entropy of the target among the records `rows[start:end]`, times their number, times `scale`."""
    raise NotImplementedError


@compiled
def score_of(gained: int, n: int, scale: float) -> float:
    """The gain of a split of n records as a whole number of 1e-12 nats: equal gains are equal.

    `gained`: `entropy_of` the class less those of its children, all with the class's `scale_of(n)`.
    """
    raise NotImplementedError


@compiled
def best_cut(
    check: Check,
    room: Room,
    target: Target,
    target_room: TargetRoom,
    codes: Codes,
    attribute: int,
    rows: Codes,
    start: int,
    end: int,
) -> tuple[float, int]:
    """Of the cuts that leave both halves valid the one of the greatest gain: its score, and its code.

    `codes[start:end, attribute]` are the codes of the records `rows[start:end]`. Records up to the code go left. (-1.0,
    -1) where no cut is valid. Ties go to the cut nearest the middle of the records, then to the lower one.
    """
    raise NotImplementedError
