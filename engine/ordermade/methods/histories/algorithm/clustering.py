"""Clusters of customers: neighbours in rank order (the paper), or customers with similar histories.

After the PWSCUP paper (section 3), as `shared/papers/README.md` reads it. Their records are matched by SQL.

The loss of a cluster after the best matching is estimated (`likeness`). Partners are looked for among the next `window`
customers in rank order, as the numbers of purchases must be alike for few records to be deleted: clusters are grown
from the losses of pairs (`partners`), then made better by swaps of customers (`swapping`).

The number of tries depends on the number of customers and records alone, never on the clock, so that the same records
always give the same clusters.
"""

from __future__ import annotations

import numpy as np

from ordermade.machine.parallel import WorkerPool
from ordermade.methods.histories.algorithm.histories import (
    NONE,
    Clusters,
    HistoryArrays,
    Progress,
    counted,
    part,
    unreported,
)
from ordermade.methods.histories.algorithm.loss_estimate import Laid, Members, laid, room
from ordermade.methods.histories.algorithm.pairing import Table, grown, likest, pair_losses, paired, sharpen
from ordermade.methods.histories.algorithm.swapping import SwapState, is_refined, refined, standing, swap


def clusters_by_rank(customers: int, k: int) -> Clusters:
    """Each k consecutive customers, in rank order, are a cluster; the last (customers mod k) are dropped."""
    found = (np.arange(customers) // k).astype(np.int32)
    found[customers - customers % k :] = NONE
    return found


WINDOW = 60
"""The number of customers to look for partners among, or 10 k if that is more."""
PAIRS = 1 << 26
"""The most pairs of customers that are compared (256 MiB): beyond, the window is narrower, though never below 3 k."""
LIKEST = 16
"""The number of other customers whose clusters a customer is tried in."""
SHARP = 6
"""The number of others that each customer is matched exactly with, for k = 2."""
TRIES = 3
"""The number of places in each of those clusters that a customer is tried in."""
SWEEPS = 4
"""The most times that every customer is tried."""
BLOCK = 512
"""The most customers that one thread searches at once; fewer if they have many records."""


def similar(
    histories: HistoryArrays, k: int, *, window: int | None = None, threads: int = 1, progress: Progress = unreported
) -> Clusters:
    """The cluster of each customer: k customers each, numbered in the order of their first customers; NONE: dropped.

    The same for any number of threads.

    Args:
        histories: the records.
        k: how many customers a cluster has; fewer customers than k are all dropped.
        window: a customer's partners are looked for among so many customers before and after in rank order, k - 1 at
            least. By default 60, or 10 k if that is more; the last swaps, by true losses, may go beyond it then.
        threads: how many clusters are worked on at once.
        progress: called with the share of the work that is done.
    """
    customers = histories.customers
    dropped = np.arange(customers - customers % k, customers)
    if k == 1 or dropped.size == customers:
        return clusters_by_rank(customers, k)
    pool, records = WorkerPool(threads), laid(histories)
    reach = _reach(customers, k, window)
    losses = pair_losses(records, reach, pool, part(progress, 0.0, 0.2))
    if k == 2:
        sharpen(histories, losses, likest(losses, SHARP), pool, part(progress, 0.2, 0.9))
        pairs = grown(losses, k, dropped)
        return _numbered(paired(histories, losses, likest(losses, LIKEST), pairs, part(progress, 0.9, 1.0)))
    state = standing(records, grown(losses, k, dropped), k, reach)
    partners = likest(losses, LIKEST)
    del losses
    swaps_end = 0.5 if is_refined(histories) else 1.0
    _swap_all(records, state, partners, dropped, pool, part(progress, 0.2, swaps_end))
    found = state.cluster.astype(np.int32)
    if is_refined(histories):
        widest = customers if window is None else reach
        found = refined(histories, found, partners, widest, pool, part(progress, swaps_end, 1.0))
    return _numbered(found)


def _reach(customers: int, k: int, window: int | None) -> int:
    """The window to use: no more than the customers after the first, no less than a cluster takes."""
    if window is None:
        window = min(max(WINDOW, 10 * k), max(3 * k, PAIRS // customers))
    return min(max(window, k - 1), customers - 1)


def _swap_all(
    records: Laid, state: SwapState, partners: Table, dropped: Members, pool: WorkerPool, progress: Progress
) -> None:
    """Swap customers until no swap gains anything: block by block, every other time in shifted ones.

    The last customers of all may be swapped with those who are dropped.
    """
    count, k = state.members.shape

    def search(block: tuple[int, int]) -> int:
        first, end = block
        swappable = dropped if end == count else dropped[:0]
        # A customer dropped by now may have more records than anybody in the clusters.
        space = room(records, k, np.append(state.members[first:end], swappable))
        return swap(records, state, partners, swappable, first, end, TRIES, space)

    for sweep in range(SWEEPS):
        blocks = _blocks(records, state, is_shifted=sweep % 2 == 1)
        of_sweep = part(progress, sweep / SWEEPS, (sweep + 1) / SWEEPS)
        if sum(counted(pool.each(search, blocks), len(blocks), of_sweep)) == 0:
            break


def _blocks(records: Laid, state: SwapState, *, is_shifted: bool) -> list[tuple[int, int]]:
    """Runs of clusters (first, end) of BLOCK customers, or of fewer who have a quarter of all records."""
    members = state.members
    sizes = (records.starts[members + 1] - records.starts[members]).sum(axis=1)
    found: list[tuple[int, int]] = []
    first, rows = 0, 0
    for cluster, size in enumerate(sizes.tolist()):
        rows += size
        customers = (cluster + 1 - first) * members.shape[1]
        whole = customers >= BLOCK or (customers >= BLOCK // 4 and rows >= records.items.size // 4)
        if whole or (is_shifted and not found and 2 * customers >= BLOCK // 4):
            found.append((first, cluster + 1))
            first, rows = cluster + 1, 0
    if first < len(members):
        found.append((first, len(members)))
    return found


def _numbered(clusters: Clusters) -> Clusters:
    """The clusters numbered in the order of their first customers."""
    kept = np.flatnonzero(clusters != NONE)
    _, firsts, numbers = np.unique(clusters[kept], return_index=True, return_inverse=True)
    order = np.empty(firsts.size, dtype=np.int32)
    order[np.argsort(firsts)] = np.arange(firsts.size)
    found = np.full(clusters.size, NONE, dtype=np.int32)
    found[kept] = order[numbers]
    return found
