"""Distributions of numbers before and after, in bins that each hold k or more records, so that they may be shown."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ordermade.errors import InputError
from ordermade.microaggregation.arrays import Column
from ordermade.microaggregation.groups import Groups

MOST_BINS = 18
"""The number of bins, about, before any are merged."""
DECADES = 4
"""The powers of ten with edges of their own where most records are in one bin of equal ones."""
ENDS = 0.02
"""The share of the records, at each end, that lies beyond the outermost edges."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """The records in each bin, `before` and `after`. Between the bins are the `edges`, ascending round numbers.

    There is one bin more than there are edges: the first has no lower end and the last no upper end. A number on an
    edge is in the bin above it. Before, every bin holds k records or more.
    """

    edges: tuple[float, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]


def distribution(before: Column, after: Column, groups: Groups, k: int) -> Distribution:
    """The distribution of one number a record, and of the one number a group that is released for it.

    No edge is taken from a single record: edges are multiples of 1, 2 or 5 times a power of ten (where one bin would
    have most records: 1, 2, 5, 10, 20, ...), and bins with fewer than k of them are merged with the next ones. Raises
    InputError for numbers of other groups, and for fewer than k records.
    """
    if before.shape != groups.labels.shape or after.shape != groups.sizes.shape:
        raise InputError(
            "the values are of other groups", next_step="Give one value a record, and one released a group."
        )
    if before.size < k:
        raise InputError(f"there are fewer than {k} records", next_step="Give a smaller k.")
    low, high = _middle(before, k)
    fine = _round_edges(low, high)
    counts = _counted(fine, before)
    if 2 * max(counts) > before.size:
        ladder = _ladder(low, high)
        of_ladder = _counted(ladder, before)
        if max(of_ladder) < max(counts):
            fine, counts = ladder, of_ladder
    edges = fine[_kept(counts, k)]
    shown = np.searchsorted(edges, after, side="right")
    released = np.bincount(shown, weights=groups.sizes, minlength=edges.size + 1).astype(np.int64)
    return Distribution(tuple(edges.tolist()), tuple(_counted(edges, before)), tuple(released.tolist()))


def _counted(edges: Column, numbers: Column) -> list[int]:
    """The number of values in each bin."""
    found: list[int] = np.bincount(np.searchsorted(edges, numbers, side="right"), minlength=edges.size + 1).tolist()
    return found


def _middle(numbers: Column, k: int) -> tuple[float, float]:
    """The range that holds most records, with some of them at each end left out: k at least."""
    last = numbers.size - 1
    out = min(max(k, int(ENDS * numbers.size)), last // 2)
    ordered = np.partition(numbers, sorted({out, last - out}))
    return float(ordered[out]), float(ordered[last - out])


def _round_edges(low: float, high: float) -> Column:
    """Round numbers from `low` to `high`, ascending, each once; none where the two are as good as one."""
    step = _round_up((high / 2 - low / 2) / (MOST_BINS / 2))
    if step == 0 or not math.isfinite(low / step) or not math.isfinite(high / step):
        return np.empty(0)
    first, last = math.ceil(low / step), math.floor(high / step)
    # Fifteen digits: 0.3 and not three times the float that is nearest to 0.1.
    return np.unique([float(f"{number * step:.15g}") for number in range(first, last + 1)])


def _ladder(low: float, high: float) -> Column:
    """1, 2, 5, 10, 20, ... from `low` to `high`, on both sides of 0: for numbers of which most are small."""
    top = max(abs(low), abs(high))
    if top == 0:
        return np.empty(0)
    decade = math.floor(math.log10(top))
    steps = [float(f"{each}e{power}") for power in range(decade - DECADES, decade + 1) for each in (1, 2, 5)]
    return np.unique([each for each in (*steps, *(-each for each in steps), 0.0) if low <= each <= high])


def _round_up(number: float) -> float:
    """The least of 1, 2, 5, 10 times a power of ten that is not below a number; 0 of 0."""
    if number == 0:
        return 0.0
    power = float(f"1e{math.floor(math.log10(number))}")  # the nearest float, where 10.0 ** -5 is not
    return next((each * power for each in (1, 2, 5) if each * power >= number), 10 * power)


def _kept(counts: list[int], k: int) -> list[int]:
    """The indices of the edges to keep, so that no bin has fewer than k: records left over at the end join the last."""
    kept, held = [], 0
    for edge, count in enumerate(counts[:-1]):
        held += count
        if held >= k:
            kept.append(edge)
            held = 0
    if kept and held + counts[-1] < k:
        kept.pop()
    return kept
