"""What a release tells by being minimal: two attackers of small tables, compared exactly.

A reader who knows the algorithm knows that a finer release which could have been made was not (Wong, Fu, Wang and Pei,
"Minimality Attack in Privacy Preserving Data Publishing", VLDB 2007). Here every table of a domain is decided once by
the algorithm, and the attack is a lookup: the tables that give the same output as the true one are kept.

An output is what a reader sees: the number of rows under each label, and the number of suppressed rows. Both attackers
know it, the domain, the hierarchies and k; neither knows anything of a person beforehand: each row has each cell with
the same probability, independently, so that a table is as probable as it has orders of its rows.

* *Labels*. A row under a label may have any cell that the label holds, a suppressed row any at all. k says no more:
  every placement of the rows under their labels leaves as many rows in every class. So each cell of a label with m
  cells has the probability 1 / m, whatever the other rows are.
* *Algorithm*. The same, of the placements that the algorithm would have released in this way. For given rows under
  labels these are the kept tables: all rows of a cell are released in one region, so that a table and an output leave
  no choice of who is under which label, and by symmetry each kept table has (its orders) / (orders of the labels)
  placements of given rows.

The true table is kept, and is a placement that the labels leave possible. So the second attacker excludes no truth,
and knows at least what the first does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bench.minimal.small_tables import SUPPRESSED, Flags, Integers, Node, SmallDomain, orderings
from ordermade.loss.costs import DECIMALS
from ordermade.methods.generalization.algorithm.sealed_partition import (
    FIRST_PRICES,
    LARGEST_SUM,
    MAX_UNITS,
    prices_between,
)


@dataclass(frozen=True, slots=True)
class ClassTold:
    """What the algorithm tells of a released class: `rows` of it, under a label.

    `named`: the values that the label leaves possible, all attributes together, `left` those that the algorithm does;
    `cells` and `cells_left` the same of cells. `likeliest`: the probability of a row's most likely cell, 1 / `cells` by
    the labels alone.
    """

    label: int
    rows: int
    named: int
    left: int
    cells: int
    cells_left: int
    likeliest: float

    @property
    def rise(self) -> float:
        """By how much the probability of the most likely cell of a row rises."""
        return self.likeliest - 1 / self.cells


@dataclass(frozen=True, slots=True)
class Told:
    """What the algorithm tells of an output beyond its labels.

    `placements` of all rows, suppressed ones too, that the labels leave possible, and of these `kept` by the algorithm.
    Both count every way to have so many rows under each label, of which there are `orders`.
    """

    classes: tuple[ClassTold, ...]
    suppressed: int
    orders: int
    placements: int
    kept: int

    @property
    def anything(self) -> bool:
        """Whether some placement is impossible that the labels leave possible."""
        return self.kept < self.placements

    @property
    def rules_out_a_value(self) -> bool:
        """Whether no row of some class can have a value that its label names."""
        return any(each.left < each.named for each in self.classes)

    @property
    def bits(self) -> float:
        """The information told, in bits: of so many placements, all as probable, the kept ones remain."""
        return math.log2(self.placements / self.kept)

    @property
    def bits_open(self) -> float:
        """What the labels leave open, in bits: of whoever knows which rows are under which label."""
        return math.log2(self.placements // self.orders)


@dataclass(frozen=True)
class Attack:
    """An algorithm, known to an attacker who sees what it releases of a table of so many rows on a small domain.

    Memory and time go with the number of all such tables (`number_of_tables`): 100,000 are some seconds.
    """

    domain: SmallDomain
    algorithm: Algorithm
    tables: Integers
    """Every table, as of `SmallDomain.tables`."""
    _known: dict[int, Told] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def placed(self) -> Integers:
        """The region of each cell of each table, `SUPPRESSED` where its rows are not released."""
        return self.algorithm(self.domain, self.tables)

    @cached_property
    def _under(self) -> Integers:
        """The label of each cell of each table; one more than there are where its rows are suppressed."""
        cells, of_regions = self.domain.labels
        return np.append(of_regions, len(cells))[self.placed]

    @cached_property
    def _outputs(self) -> tuple[Integers, Integers]:
        """The rows under each label, output by output; the output of each table."""
        seen = np.zeros((len(self.tables), len(self.domain.labels[0])), dtype=np.int16)
        for label in range(seen.shape[1]):
            seen[:, label] = np.where(self._under == label, self.tables, 0).sum(axis=1)
        outputs, of_tables = np.unique(seen, axis=0, return_inverse=True)
        return outputs.astype(np.int64), of_tables.reshape(-1).astype(np.int64)

    @cached_property
    def _by_output(self) -> tuple[Integers, Integers]:
        """The tables, those of one output side by side, and the start of each output."""
        outputs, of_tables = self._outputs
        ordered = np.argsort(of_tables, kind="stable")
        return ordered, np.searchsorted(of_tables[ordered], np.arange(len(outputs) + 1))

    def output_of(self, table: int) -> int:
        """The number of the output of the table with this number."""
        return int(self._outputs[1][table])

    @property
    def outputs(self) -> int:
        """The number of different outputs."""
        return len(self._outputs[0])

    def kept(self, output: int) -> Integers:
        """The numbers of the tables that give an output."""
        ordered, starts = self._by_output
        return ordered[starts[output] : starts[output + 1]]

    def told(self, output: int) -> Told:
        """What the algorithm tells of an output."""
        if output not in self._known:
            self._known[output] = self._told(output)
        return self._known[output]

    def _told(self, output: int) -> Told:
        kept, seen = self.kept(output), self._outputs[0][output]
        tables, weights = self.tables[kept], orderings(self.tables[kept])
        suppressed = int(tables[0].sum() - seen.sum())
        counts = [*seen.tolist(), suppressed]
        cells = [*self.domain.labels[0].sum(axis=1).tolist(), len(self.domain.cells)]
        orders = math.factorial(sum(counts)) // math.prod(map(math.factorial, counts))
        placements = orders * math.prod(of**rows for of, rows in zip(cells, counts, strict=True))
        classes = tuple(
            self._of_class(label, int(seen[label]), tables, weights, self._under[kept] == label)
            for label in np.flatnonzero(seen).tolist()
        )
        return Told(classes, suppressed, orders, placements, int(weights.sum()))

    def _of_class(self, label: int, rows: int, tables: Integers, weights: Integers, is_under: Flags) -> ClassTold:
        holds = self.domain.labels[0][label]
        weighed = (weights[:, np.newaxis] * np.where(is_under, tables, 0)).sum(axis=0)
        return ClassTold(
            label=label,
            rows=rows,
            named=_values(self.domain.cells[holds]),
            left=_values(self.domain.cells[weighed > 0]),
            cells=int(holds.sum()),
            cells_left=int((weighed > 0).sum()),
            likeliest=float(weighed.max() / weighed.sum()),
        )


def _values(cells: Integers) -> int:
    """The different values that cells have, all attributes together."""
    return sum(len(np.unique(each)) for each in cells.T)


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
    units = max(1, min(MAX_UNITS, LARGEST_SUM // max(1, math.ceil(int(tables[0].sum()) * dearest))))
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
