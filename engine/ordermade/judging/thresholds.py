"""The least number of hits that is too many for guessing: the safety thresholds of the contest PWSCUP 2018.

Source: Nakamura 2019, Table 1 (7, 11, 13, 16, 19, 500 and 1,000 attempts: 7, 10, 11, 13, 15, 308 and 612 hits), read
as the least r with sum over i >= r of C(n, i) (1/3)^i < 0.0005. C(n, i) (1/3)^i is how many groups of i attempts are
expected to hit all together where each hits with a chance of 1/3: never less than the chance that i of them hit. So the
thresholds are high; r hits are rarer by guessing than 0.0005, mostly by far.
"""

from __future__ import annotations

import math

CHANCE = 3
"""A guess hits once in so many times."""
RARE = (5, 10_000)
"""Hits less probable than this share are no guessing."""


def unsafe_from(attempts: int) -> int | None:
    """The least number of hits among so many attempts that is unsafe; None where even all of them are not.

    Exact, in whole numbers, and fast for hundreds of thousands of attempts. Raises ValueError for fewer than one.
    """
    if attempts < 1:
        raise ValueError("an attack has at least one attempt")
    hits = _about(attempts)
    while not _is_rare(attempts, hits):
        hits += 1
    while hits and _is_rare(attempts, hits - 1):
        hits -= 1
    return hits if hits <= attempts else None


def is_unsafe(hits: int, attempts: int) -> bool:
    """Whether an attack that hit so many times in so many attempts shows that a release is unsafe."""
    least = unsafe_from(attempts)
    return least is not None and hits >= least


def _is_rare(attempts: int, hits: int) -> bool:
    """Whether the sum over i >= hits is below the limit; both sides are taken times 3^attempts, where all is whole."""
    share, of = RARE
    limit = share * CHANCE**attempts
    if hits > attempts:
        return True
    term = math.comb(attempts, hits) * CHANCE ** (attempts - hits)
    total = 0
    for each in range(hits, attempts + 1):
        total += term
        if of * total >= limit:
            return False
        left, divisor = attempts - each, CHANCE * (each + 1)
        term = term * left // divisor  # without remainder: it is the next term
        if 2 * left <= divisor and of * (total + 2 * term) < limit:
            return True  # from here on each term is half of the one before, or less
    return True


def _about(attempts: int) -> int:
    """The hits at which the first term falls below the limit, by logarithms: near the threshold, exact later."""
    share, of = RARE
    limit = math.log(share / of)
    low, high = attempts // (CHANCE + 1), attempts + 1  # the terms fall from a quarter of the attempts on
    while low < high:
        middle = (low + high) // 2
        if middle > attempts or _logarithm(attempts, middle) < limit:
            high = middle
        else:
            low = middle + 1
    return low


def _logarithm(attempts: int, hits: int) -> float:
    """The logarithm of one term, approximately."""
    chosen = math.lgamma(attempts + 1) - math.lgamma(hits + 1) - math.lgamma(attempts - hits + 1)
    return chosen - hits * math.log(CHANCE)
