"""MIL: of groups along one attribute, those that no move of one record between neighbours makes better.

After "k-anonymisation: minimising the information loss" (the MIL paper, section 3): the groups that MDAV or V-MDAV
made, each with every value at most those of the next, give records to their neighbours while SSE falls.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordermade.compiled import compiled, inner
from ordermade.errors import InputError
from ordermade.microaggregation.arrays import Column, Labels, column, labels_of, require_k
from ordermade.microaggregation.best_ends import number_groups
from ordermade.microaggregation.report import Report
from ordermade.microaggregation.standard import scaled

CLEARLY = 1e-12
"""A move is made where SSE falls by more than this share of the two groups' gains and losses."""
NOTHING = 1e-280
"""A squared distance of values not beyond 1 whose digits may be lost: no move is made for it."""


def mil(x: ArrayLike, labels: ArrayLike, k: int) -> tuple[Labels, Report]:
    """Groups from which no single record can be moved to a neighbouring group, k left, so that SSE falls.

    Sweeps over the pairs of neighbours from left to right. Of each pair the left group gives its greatest value to the
    right one while that lowers SSE and k are left (a), then takes the right one's least (b). It ends with the first
    sweep without a move. A group may grow beyond 2k - 1. Of equal values in one group the lowest row is the least.

    It does end: the differences to the value judged are all of one sign, and are summed with compensation, so that both
    sides of a judgement are known to a few roundings, far less than the 1e-12 by which one must be below the other.
    Every move thus lowers the exact SSE, no groups come twice, and there are finitely many.

    Args:
        x: the attribute, a number a record, in any order.
        labels: the group of each record, numbered in any order.
        k: the fewest records of a group; no group of `labels` has fewer.

    Returns:
        The group of each record (n int32 numbers, ascending by value), and a report with the figures `judgements` (how
        often a move was judged: the paper's measure of time), `moves` and `sweeps` (the last one, without a move,
        too). A judgement takes as long as its two groups are large.

    Raises:
        InputError: x holds no finite numbers, k is none of 1 to n, the labels are no groups of k, or groups overlap:
            the greatest value of one is above the least of the next (condition (1) of the paper).
    """
    numbers = column(x)
    k = require_k(k, numbers.size)
    order, first = _in_order(numbers, labels_of(labels, numbers.size, k))
    judgements, moves, sweeps = improve_ends(scaled(numbers[order])[0], first, k)
    sizes = np.diff(first)
    figures = {"judgements": judgements, "moves": moves, "sweeps": sweeps}
    return number_groups(order, first), Report(sizes.size, int(sizes.min()), int(sizes.max()), figures)


def _in_order(numbers: Column, labels: Labels) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The rows group by group, ascending by value, and the place where each group begins (and n)."""
    by_group = np.lexsort((numbers, labels))
    first = np.concatenate(([0], np.cumsum(np.bincount(labels))))
    least, most = numbers[by_group[first[:-1]]], numbers[by_group[first[1:] - 1]]
    groups = np.lexsort((by_group[first[:-1]], most, least))
    if (most[groups[:-1]] > least[groups[1:]]).any():
        raise InputError(
            "the groups overlap: one has values on both sides of another's",
            next_step="Give groups of neighbouring values, as mdav and optimal_1d make them of one attribute; those of "
            "vmdav may overlap where values are equal.",
        )
    rank = np.empty(groups.size, dtype=np.int64)
    rank[groups] = np.arange(groups.size)
    order = np.lexsort((numbers, rank[labels]))
    return order, np.concatenate(([0], np.cumsum(np.diff(first)[groups]))).astype(np.int32)


@compiled
def improve_ends(values: Column, first: NDArray[np.int32], k: int) -> tuple[int, int, int]:
    """Move the places where groups begin, in place; return the numbers of judgements, moves and sweeps."""
    judgements, moves, sweeps = 0, 0, 0
    moved = True
    while moved:
        moved = False
        sweeps += 1
        for i in range(first.size - 2):
            while first[i + 1] - first[i] > k:
                judgements += 1
                end = first[i + 1]
                if not _is_better(values, first[i], end, first[i + 2], end - 1, 1):
                    break
                first[i + 1] -= 1
                moves += 1
                moved = True
            while first[i + 2] - first[i + 1] > k:
                judgements += 1
                end = first[i + 1]
                if not _is_better(values, first[i], end, first[i + 2], end, -1):
                    break
                first[i + 1] += 1
                moves += 1
                moved = True
    return judgements, moves, sweeps


@inner
def _is_better(values: Column, start: int, middle: int, end: int, place: int, to_right: int) -> bool:
    """Whether SSE clearly falls when the value at a place moves to the right (1) or left (-1) of two neighbours.

    Inequalities (7) and (8) of the paper, the value itself being the origin of both means.
    """
    left, right = middle - start, end - middle
    below = _mean_from(values, start, middle, values[place])
    above = _mean_from(values, middle, end, values[place])
    with_left, with_right = left / (left - to_right), right / (right + to_right)
    of_left, of_right = with_left * (below * below), with_right * (above * above)
    lost, gained = (of_left, of_right) if to_right == 1 else (of_right, of_left)
    return lost > NOTHING and gained < lost - CLEARLY * (lost + gained)


@inner
def _mean_from(values: Column, start: int, end: int, origin: float) -> float:
    """The mean of the values from start to end less the origin, summed with compensation (Kahan)."""
    total, missed = 0.0, 0.0
    for place in range(start, end):
        term = (values[place] - origin) - missed
        more = total + term
        missed = (more - total) - term
        total = more
    return total / (end - start)
