"""What each method releases of many small tables at once, decided as the engine decides it, k alone being asked.

A function is `(domain, tables) -> placed`: by table and cell, the region under whose label the rows of the cell are
released, `SUPPRESSED` where they are not; of cells without rows it says nothing. Tables have k rows at least.
Every level is accepted, `*` too; attributes weigh the same. Tests hold each of them to the engine's own functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ordermade.evaluation.small_tables import SUPPRESSED, Flags, Integers, Node, SmallDomain
from ordermade.loss.metrics import DECIMALS
from ordermade.methods.generalization.algorithm.sealed_partition import (
    FIRST_PRICES,
    LARGEST_SUM,
    MOST_UNITS,
    prices_between,
)

Algorithm: TypeAlias = Callable[[SmallDomain, Integers], Integers]
Reals: TypeAlias = npt.NDArray[np.float64]

NOT_RELEASED = np.iinfo(np.int64).max
"""The round of a cell that no round has released."""


def full_domain(k: int, limit: Fraction) -> Algorithm:
    """The best node by Prec under the limit, the first attribute keeping its detail among equals."""

    def decide(domain: SmallDomain, tables: Integers) -> Integers:
        return _at_nodes(domain, tables, _best_nodes(domain, tables, k, limit), k)

    return decide


def rounds(k: int, limit: Fraction) -> Algorithm:
    """Local recoding by rounds, not sealed: finest first, and with the full-domain node first where that loses less."""

    def decide(domain: SmallDomain, tables: Integers) -> Integers:
        most, best = _most(tables, limit), _best_nodes(domain, tables, k, limit)
        alone = _at_nodes(domain, tables, best, k)
        order = _in_order(domain, tables)
        finest = _by_rounds(domain, tables, order, k, most)
        is_enough = _is_within(tables, finest, most)
        is_enough &= _loss(domain, tables, finest) <= _loss(domain, tables, alone)
        begun = np.flatnonzero(~is_enough)
        if not len(begun):
            return finest
        some = tables[begun]
        after = _by_rounds(domain, some, _moved_first(order[begun], best[begun]), k, most[begun])
        within = _is_within(some, after, most[begun])
        finest[begun] = np.where(within[:, np.newaxis], after, alone[begun])
        return finest

    return decide


def sealed(k: int, limit: Fraction) -> Algorithm:
    """The sealed partition at the lowest price of a suppressed row that keeps the limit.

    The full-domain release instead, where that loses less.
    """

    def decide(domain: SmallDomain, tables: Integers) -> Integers:
        most = _most(tables, limit)
        alone = _at_nodes(domain, tables, _best_nodes(domain, tables, k, limit), k)
        found = _cheapest(domain, tables, k, most)
        is_enough = (found != SUPPRESSED).any(axis=1, where=tables > 0)
        is_enough &= _loss(domain, tables, found) <= _loss(domain, tables, alone)
        return np.where(is_enough[:, np.newaxis], found, alone)

    return decide


def mondrian(k: int) -> Algorithm:
    """Mondrian along hierarchies, each split chosen by precision: the attribute with the fewest levels, or the first.

    A split is valid where each part that has rows has k; one part alone is valid, too.
    """

    def decide(domain: SmallDomain, tables: Integers) -> Integers:
        sizes, placed = domain.sizes(tables), np.full(tables.shape, SUPPRESSED, dtype=np.int64)
        by_score = sorted(range(len(domain.attributes)), key=lambda place: (domain.attributes[place].top, place))
        is_open = _only_whole(domain, len(tables))
        for region in reversed(range(len(domain.regions))):
            waiting = is_open[region]
            for place in by_score:
                parts = domain.parts[region][place]
                if not parts or not waiting.any():
                    continue
                split = waiting & ((sizes[:, parts] == 0) | (sizes[:, parts] >= k)).all(axis=1)
                for part in parts:
                    is_open[part] |= split & (sizes[:, part] > 0)
                waiting = waiting & ~split
            placed[np.ix_(waiting, domain.holds[region])] = region
        return placed

    return decide


def _most(tables: Integers, limit: Fraction) -> Integers:
    """The rows of each table that may be suppressed."""
    found: Integers = tables.sum(axis=1) * limit.numerator // limit.denominator
    return found


def _is_within(tables: Integers, placed: Integers, most: Integers) -> Flags:
    found: Flags = np.where(placed == SUPPRESSED, tables, 0).sum(axis=1) <= most
    return found


def _only_whole(domain: SmallDomain, tables: int) -> Flags:
    """The regions that are open, by table: at first the whole table alone, the last one."""
    found = np.zeros((len(domain.regions), tables), dtype=np.bool_)
    found[-1] = True
    return found


# ---- one node --------------------------------------------------------------------------------------------------------


def _best_nodes(domain: SmallDomain, tables: Integers, k: int, limit: Fraction) -> Integers:
    """The number of the best passing node of each table: one that releases something and keeps the limit."""
    sizes, most = domain.sizes(tables), _most(tables, limit)
    tops = [each.top for each in domain.attributes]

    def score(number: int) -> tuple[Fraction, Node]:
        node = domain.nodes[number]
        return sum((Fraction(level, top) for level, top in zip(node, tops, strict=True)), Fraction(0)), node

    best = np.full(len(tables), SUPPRESSED, dtype=np.int64)
    for number in sorted(range(len(domain.nodes)), key=score):
        of_classes = sizes[:, np.unique(domain.region_of[number])]
        short = np.where(of_classes < k, of_classes, 0).sum(axis=1)
        passes = (short <= most) & (of_classes >= k).any(axis=1)
        best = np.where((best == SUPPRESSED) & passes, number, best)
    return best


def _at_nodes(domain: SmallDomain, tables: Integers, nodes: Integers, k: int) -> Integers:
    regions = domain.region_of[nodes]
    return np.where(np.take_along_axis(domain.sizes(tables), regions, axis=1) >= k, regions, SUPPRESSED)


def _loss(domain: SmallDomain, tables: Integers, placed: Integers) -> Integers:
    """Loss with suppressed rows as `*`, each attribute rounded down, summed: `local_rounds.loss_of` in units."""
    rows, found = tables.sum(axis=1), np.zeros(len(tables), dtype=np.int64)
    for place, attribute in enumerate(domain.attributes):
        if attribute.values > 1:
            steps = np.array([*(each.steps[place] for each in domain.regions), attribute.values - 1])
            found += (tables * steps[placed]).sum(axis=1) * DECIMALS // (rows * (attribute.values - 1))
    return found


# ---- rounds ----------------------------------------------------------------------------------------------------------


def _in_order(domain: SmallDomain, tables: Integers) -> Integers:
    """The numbers of the nodes by their loss over all rows, table by table: `local_rounds.in_order`."""
    rows, scores = tables.sum(axis=1), np.zeros((len(tables), len(domain.nodes)), dtype=np.int64)
    for place, attribute in enumerate(domain.attributes):
        for level, classes in enumerate(attribute.classes):
            steps = np.bincount(classes)[np.array(classes)] - 1
            above = (tables * steps[domain.cells[:, place]]).sum(axis=1)
            units = above * DECIMALS // (rows * max(attribute.values - 1, 1))
            at = [node[place] == level for node in domain.nodes]
            scores[:, at] += units[:, np.newaxis]
    return np.argsort(scores, axis=1, kind="stable")


def _moved_first(order: Integers, nodes: Integers) -> Integers:
    is_first = order == nodes[:, np.newaxis]
    return np.take_along_axis(order, np.argsort(~is_first, axis=1, kind="stable"), axis=1)


def _by_rounds(domain: SmallDomain, tables: Integers, order: Integers, k: int, most: Integers) -> Integers:
    """The rounds through the nodes in these orders, the rest gathered by later ones where it is more than may be."""
    left, placed = tables.copy(), np.full(tables.shape, SUPPRESSED, dtype=np.int64)
    round_of = np.full(tables.shape, NOT_RELEASED, dtype=np.int64)
    step_of = np.zeros((len(tables), len(domain.nodes)), dtype=np.int64)
    done = np.zeros(len(tables), dtype=np.int64)
    for step in range(len(domain.nodes)):
        for number in np.unique(order[:, step]):
            at = np.flatnonzero(order[:, step] == number)
            regions = domain.region_of[number]
            of_cells = domain.sizes(left[at])[:, regions]
            whole = (of_cells >= k) & (left[at] > 0)
            placed[at] = np.where(whole, regions, placed[at])
            round_of[at] = np.where(whole, done[at][:, np.newaxis], round_of[at])
            left[at] = np.where(whole, 0, left[at])
            step_of[at, done[at]] = step
            done[at] += whole.any(axis=1)
    _gather(domain, tables, order, k, most, placed, round_of, step_of, done)
    return placed


def _gather(
    domain: SmallDomain,
    tables: Integers,
    order: Integers,
    k: int,
    most: Integers,
    placed: Integers,
    round_of: Integers,
    step_of: Integers,
    done: Integers,
) -> None:
    """Takes back 1, 2, 4, … rounds where too much is left, and releases the rest by one node: `local_rounds.gather`."""
    stranded, back = np.flatnonzero(~_is_within(tables, placed, most)), 1
    while len(stranded := stranded[done[stranded] > back]):
        kept = done[stranded] - back
        rest = np.where(round_of[stranded] >= kept[:, np.newaxis], tables[stranded], 0)
        sizes, taken = domain.sizes(rest), np.full(len(stranded), -1, dtype=np.int64)
        for step in range(len(domain.nodes)):
            regions = domain.region_of[order[stranded, step]]
            of_cells = np.take_along_axis(sizes, regions, axis=1)
            short = np.where(of_cells < k, rest, 0).sum(axis=1)
            fits = (of_cells >= k).any(axis=1) & (short <= most[stranded]) & (step >= step_of[stranded, kept])
            first = fits & (taken < 0)
            taken[first] = step
            again = np.where((rest > 0) & (of_cells >= k), regions, SUPPRESSED)
            placed[stranded[first]] = np.where(rest > 0, again, placed[stranded])[first]
        stranded, back = stranded[taken < 0], back * 2


# ---- sealed ----------------------------------------------------------------------------------------------------------


def _cheapest(domain: SmallDomain, tables: Integers, k: int, most: Integers) -> Integers:
    """The partition at the lowest price within the limit, of those prices that the engine follows."""
    found = np.full(tables.shape, SUPPRESSED, dtype=np.int64)
    nothing = np.flatnonzero(most == 0)
    if len(nothing):
        (found[nothing],) = _parted(domain, tables[nothing], k, [math.inf])
    some = np.flatnonzero(most > 0)
    if not len(some):
        return found
    tables, most, chosen = tables[some], most[some], np.full((len(some), tables.shape[1]), SUPPRESSED, dtype=np.int64)
    first = _parted(domain, tables, k, FIRST_PRICES)
    is_within = np.array([_is_within(tables, each, most) for each in first]).T
    for pattern in np.unique(is_within, axis=0):
        at = np.flatnonzero((is_within == pattern).all(axis=1))
        within = [price for price, fits in zip(FIRST_PRICES, pattern, strict=True) if fits]
        beyond = [price for price, fits in zip(FIRST_PRICES, pattern, strict=True) if not fits]
        steps = prices_between(beyond, within)
        between = zip(steps, _parted(domain, tables[at], k, steps) if steps else (), strict=True)
        known = zip(FIRST_PRICES, (each[at] for each in first), strict=True)
        is_chosen = np.zeros(len(at), dtype=np.bool_)
        for _, each in sorted([*between, *known], key=lambda pair: pair[0]):
            fits = ~is_chosen & _is_within(tables[at], each, most[at])
            fits &= ((each != SUPPRESSED) & (tables[at] > 0)).any(axis=1)
            chosen[at[fits]] = each[fits]
            is_chosen |= fits
    found[some] = chosen
    return found


def _parted(domain: SmallDomain, tables: Integers, k: int, prices: Sequence[float]) -> list[Integers]:
    """The partition of least cost at each price: `sealed_partition.Partitions` on every table."""
    dearest = max([1.0, *(each for each in prices if math.isfinite(each))])
    units = max(1, min(MOST_UNITS, LARGEST_SUM // max(1, math.ceil(int(tables[0].sum()) * dearest))))
    costs = _costs(domain, units)
    sizes = domain.sizes(tables).T.astype(np.float64)
    return [_parted_at(domain, sizes, k, costs, math.floor(p * units) if math.isfinite(p) else p) for p in prices]


def _costs(domain: SmallDomain, units: int) -> Reals:
    """The cost of a row in each region: the mean Loss of its attributes, each a whole number of units."""
    share, found = 1 / len(domain.attributes), np.zeros(len(domain.regions))
    for place, attribute in enumerate(domain.attributes):
        steps = np.array([each.steps[place] for each in domain.regions])
        is_top = np.array([each.node[place] == attribute.top for each in domain.regions])
        found += np.rint(share * np.where(is_top, 1.0, steps / max(attribute.values - 1, 1)) * units)
    return found


def _parted_at(domain: SmallDomain, sizes: Reals, k: int, costs: Reals, price: float) -> Integers:
    released, suppressed = len(domain.attributes), len(domain.attributes) + 1
    least, choices = np.zeros(sizes.shape), np.full(sizes.shape, suppressed, dtype=np.int8)
    for region, rows in enumerate(sizes):
        cost, choice = np.full(len(rows), np.inf), choices[region]
        options = []
        for place, parts in enumerate(domain.parts[region]):
            if parts:
                several = list(parts)
                short = rows - np.where(sizes[several] >= k, sizes[several], 0.0).sum(axis=0)
                options.append((place, least[several].sum(axis=0) + np.where(short > 0, price, 0.0) * short))
        options.append((released, costs[region] * rows))
        options.append((suppressed, np.where(rows > 0, price, 0.0) * rows))
        for number, other in options:
            choice[other < cost] = number
            cost = np.minimum(cost, other)
        is_kept = rows >= k
        choice[~is_kept] = suppressed
        least[region] = np.where(is_kept, cost, 0.0)
    return _followed(domain, choices)


def _followed(domain: SmallDomain, choices: npt.NDArray[np.int8]) -> Integers:
    """The regions that are released, from the whole table down."""
    placed = np.full((choices.shape[1], len(domain.cells)), SUPPRESSED, dtype=np.int64)
    is_open = _only_whole(domain, choices.shape[1])
    for region in reversed(range(len(domain.regions))):
        for place, parts in enumerate(domain.parts[region]):
            split = is_open[region] & (choices[region] == place)
            for part in parts:
                is_open[part] |= split
        whole = is_open[region] & (choices[region] == len(domain.attributes))
        placed[np.ix_(whole, domain.holds[region])] = region
    return placed
