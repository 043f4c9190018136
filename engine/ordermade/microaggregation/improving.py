"""Improve groups of several attributes: MIL's moves for more than one, and perturbations within a budget."""

from __future__ import annotations

import threading
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordermade.microaggregation.arrays import Labels, Table, labels_of, require_k, table
from ordermade.microaggregation.budget import Budget, Pace, begin
from ordermade.microaggregation.chance import Chance, chance_of
from ordermade.microaggregation.loss import information_loss
from ordermade.microaggregation.membership import membership_of, numbered
from ordermade.microaggregation.perturbation import (
    DISSOLVED,
    MOVES,
    SPLIT,
    SWAPS,
    Search,
    descend_where_waiting,
    rebuild_some,
)
from ordermade.microaggregation.pool import pool_of
from ordermade.microaggregation.report import Report, report_of
from ordermade.microaggregation.vicinity import vicinity_of

LARGEST_K = 500
"""The largest k at which all distances between the records of two groups are kept: beyond it they are too many."""
POOL, POOL_GROUPS = 40, 8
"""The number of records of a pool, and of groups of k in it: the smaller of both, at least 4 k."""
TOLERANCE = 0.1
"""The tolerated increase of loss by a rebuilt neighbourhood at first; it falls to nothing as the budget is used up."""
FOR_NEIGHBOURS = 0.6
"""The share of the time to find the neighbours in; to descend by them takes about the rest."""
LEAST_REBUILDS = 100
"""The fewest rebuilds of a round: less would not be worth a call of compiled code."""


def improve(
    X: ArrayLike,
    labels: ArrayLike,
    k: int,
    *,
    seconds: float | None = None,
    rounds: int | None = None,
    rng: np.random.Generator | None = None,
    stop: threading.Event | None = None,
) -> tuple[Labels, Report]:
    """Groups with no more SSE than those given, each of k records or more; numbered by their first records.

    First a descent: while SSE falls, a record moves to a near group or swaps places with one of a near group. Then, as
    long as `seconds` (of the whole call) or `rounds` allow, a few near groups at a time are taken apart and made anew,
    one fewer or one more of them now and then, and descended in; a round does so as often as there are groups. With
    neither, the descent is all. With `rounds` alone, the result is the same for an `rng` (None: `default_rng(0)`)
    wherever it runs. Where nothing can be gained (k = 1 or beyond 500, fewer than 2k records, an SSE of 0) the start
    comes back at once, but that k = 1 leaves every record alone. Once `stop` is set (by another thread) the best found
    until then comes back at the next look at the clock.

    Figures: `sse`, `moves` and `swaps` (that were kept), `dissolved` and `split` (groups fewer and more), `rounds`.
    Raises InputError as `table`, `require_k` and `labels_of`, and for a budget that is none.
    """
    records = table(X)
    k = require_k(k, len(records))
    start = labels_of(labels, len(records), k)
    budget = begin(seconds, rounds, stop)
    if k == 1:
        start = np.arange(len(records), dtype=np.int32)
    before = information_loss(records, start).sse
    if before == 0 or len(records) < 2 * k or k > LARGEST_K:
        return start, _report(start, before, _nothing(), 0)
    found, tally, done = _searched(records, start, k, budget, chance_of(rng))
    after = information_loss(records, found).sse
    if not after < before:
        return start, _report(start, before, _nothing(), done)
    return found, _report(found, after, tally, done)


def _searched(X: Table, start: Labels, k: int, budget: Budget, chance: Chance) -> tuple[Labels, NDArray[np.int64], int]:
    """The best groups found, the counts of the steps, and the number of rounds."""
    left = X - X.mean(axis=0)
    left /= np.abs(left).max()
    size = max(4 * k, min(POOL, POOL_GROUPS * k))
    search = _search(left, start, k, size, budget, chance)
    pace = Pace()
    while search.ends[1] > 0 and budget.time_used() < 1:
        pace.work(int(search.ends[1]), partial(descend_where_waiting, search, size))
    pace, now, least, rounds = Pace(), 0.0, 0.0, 0
    best = search.membership.labels.copy()
    while (used := budget.used(rounds)) < 1:
        to_do = max(int(search.membership.in_use[0]), LEAST_REBUILDS)
        while to_do > 0 and budget.time_used() < 1:
            tolerance = TOLERANCE * (1 - used) ** 2
            done, changed = pace.work(to_do, partial(rebuild_some, search, size, tolerance))
            to_do, now = to_do - done, now + changed
        rounds += 1
        if now < least:
            least, best = now, search.membership.labels.copy()
    return numbered(best), search.tally, rounds


def _search(X: Table, start: Labels, k: int, size: int, budget: Budget, chance: Chance) -> Search:
    membership, halvings = membership_of(X, start, k)
    groups = int(membership.in_use[0])
    search = Search(
        X,
        k,
        membership,
        vicinity_of(X, max(16, 2 * k), lambda: budget.time_used() > FOR_NEIGHBOURS),
        pool_of(size + 2 * k, size // k + 4),
        chance,
        tally=_nothing(),
        waiting=np.arange(len(membership.sizes), dtype=np.int64),
        ends=np.array([0, groups], dtype=np.int64),
        waits=np.arange(len(membership.sizes)) < groups,
    )
    search.tally[SPLIT] = halvings
    return search


def _nothing() -> NDArray[np.int64]:
    return np.zeros(4, dtype=np.int64)


def _report(labels: Labels, sse: float, tally: NDArray[np.int64], rounds: int) -> Report:
    return report_of(
        labels,
        sse=sse,
        moves=int(tally[MOVES]),
        swaps=int(tally[SWAPS]),
        dissolved=int(tally[DISSOLVED]),
        split=int(tally[SPLIT]),
        rounds=rounds,
    )
