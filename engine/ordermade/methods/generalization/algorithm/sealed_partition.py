"""The sealed partition of least loss: disjoint regions that together hold every row, found exactly.

A region is a class of one node, and its rows are released at that node: no row of it has another label. At first the
regions are the classes of the coarsest node, mostly one; a region may be split along one attribute into the classes of
the next finer accepted level, if every part that has rows may be released, be split again, or be suppressed. So the
least cost of a region follows from those of its parts:

    f(region) = min(released as it is, suppressed, the least over the attributes of the sum of f over its parts)

It is computed for every region of every node, the finest first: an optimum among all partitions by such splits, in
whatever order a greedy algorithm would have made them. Regions of fewer than k rows can only be suppressed, and are not
kept, so that the nodes with the most classes cost little.

Suppression is priced: a suppressed row costs `price` times a row at `*`. Several prices are followed at once; at each
the partition is the cheapest of all that suppress as many rows. Without suppression the price is infinite.

Costs are whole numbers below 2^53, so that sums are exact in floating point, and ties are ties on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Integers: TypeAlias = npt.NDArray[np.int64]
Reals: TypeAlias = npt.NDArray[np.float64]
Places: TypeAlias = tuple[int, ...]
"""A node by the place of its level among the accepted levels of each attribute."""

MAX_BITS = 62
"""Of the whole number that names a class of all attributes: some bits for each of them."""
LARGEST_SUM = 2**52
"""Whole numbers up to here, and sums of two of them, are exact in floating point."""
MAX_UNITS = 10**9
"""Of cost of a row at `*`."""
RELEASED, SUPPRESSED = -1, -2
"""What becomes of a region that is not split."""
FIRST_PRICES = (1.0, 2.0, 6.0, math.inf)
"""Of a suppressed row, in rows at `*`: followed at once, and then some between the two that the limit lies between."""
PRICES_BETWEEN = 3
SHRUNK = 2
"""What decides is merged for a table of classes where these are so much fewer; else when regions are released."""
HIGHEST_FINITE = 60.0


def prices_between(beyond: Sequence[float], within: Sequence[float]) -> list[float]:
    """Prices between those that suppress more than a limit and those that keep it; none where all keep it."""
    if not beyond:
        return []
    low, high = max(beyond), min([HIGHEST_FINITE, *within])
    return [low * (high / low) ** (step / (PRICES_BETWEEN + 1)) for step in range(1, PRICES_BETWEEN + 1)]


def dearer_prices(rows: int) -> Iterator[float]:
    """Prices above those, up to one at which a suppressed row costs more than all `rows`: the fewest are then."""
    price = HIGHEST_FINITE
    while price < rows + 1:
        yield price
        price *= 16
    yield float(rows + 1)


class Deciding(Protocol):
    """What decides on some regions beside their rows, at first on the combinations."""

    @property
    def regions(self) -> int:
        """How many there are."""
        ...

    def merged(self, into: Integers, number: int) -> Deciding:
        """The same of so many regions made of these: `into` has the new region of each, -1 where it is in none."""
        ...

    def passing(self) -> npt.NDArray[np.bool_]:
        """Whether each of the regions may be released if its rows are enough; there is one at least."""
        ...


@dataclass(frozen=True, slots=True)
class SealedLevels:
    """The accepted levels of one attribute, each after those that refine it.

    `codes[level]`: the class of each combination, numbered from 0; `finer[level]`: the levels next below it;
    `costs[level]`: the cost of one row in each class. `places[level]`: the level's place in each of the attributes
    `of` that it stands for: one, unless attributes were joined.
    """

    codes: tuple[Integers, ...]
    finer: tuple[tuple[int, ...], ...]
    costs: tuple[Reals, ...]
    of: tuple[int, ...]
    places: tuple[Places, ...]

    @classmethod
    def of_cells(
        cls,
        place: int,
        cells: Integers,
        classes: Sequence[Integers],
        finer: Sequence[Sequence[int]],
        costs: Sequence[Reals],
    ) -> SealedLevels:
        """From the cell of each combination, the class of each cell at each level, and the cost of each class.

        Cells that no combination has are left out, and classes numbered anew: in one order at every level, where
        levels nest.
        """
        used, cells = np.unique(cells, return_inverse=True)
        order = np.lexsort(tuple(each[used] for each in classes))
        codes, of_classes = [], []
        for of_cells, cost in zip(classes, costs, strict=True):
            each = of_cells[used]
            values, first, inverse = np.unique(each[order], return_index=True, return_inverse=True)
            by_rank = np.argsort(first, kind="stable")
            rank = np.empty(len(values), dtype=np.int64)
            rank[by_rank] = np.arange(len(values))
            numbered = np.empty(len(each), dtype=np.int64)
            numbered[order] = rank[inverse]
            codes.append(numbered[cells])
            of_classes.append(cost[values[by_rank]])
        levels = tuple((level,) for level in range(len(codes)))
        return cls(tuple(codes), tuple(tuple(each) for each in finer), tuple(of_classes), (place,), levels)

    def joined(self, other: SealedLevels) -> SealedLevels:
        """This attribute and another as one: its levels are the pairs of theirs, its classes those that occur."""
        codes, finer, costs, places = [], [], [], []
        for i, j in product(range(len(self.codes)), range(len(other.codes))):
            width = len(other.costs[j])
            values, inverse = np.unique(self.codes[i] * width + other.codes[j], return_inverse=True)
            codes.append(inverse.astype(np.int64))
            costs.append(self.costs[i][values // width] + other.costs[j][values % width])
            below = [(each, j) for each in self.finer[i]] + [(i, each) for each in other.finer[j]]
            finer.append(tuple(a * len(other.codes) + b for a, b in below))
            places.append((*self.places[i], *other.places[j]))
        return SealedLevels(tuple(codes), tuple(finer), tuple(costs), (*self.of, *other.of), tuple(places))

    @property
    def base(self) -> Integers:
        """The class of each combination at all the finest levels together, numbered from 0."""
        finest = [codes for codes, below in zip(self.codes, self.finer, strict=True) if not below]
        base = finest[0]
        for codes in finest[1:]:
            base = np.unique(base * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)[1]
        return base.astype(np.int64)


def joined_to_fit(attributes: Sequence[SealedLevels]) -> list[SealedLevels]:
    """The attributes, the smallest ones joined until one whole number of 64 bits can name a class of all of them."""
    found = list(attributes)
    while sum(_bits(each.base) for each in found) > MAX_BITS and len(found) > 1:
        found.sort(key=lambda each: (_number(each.base), each.of))
        found[:2] = [found[0].joined(found[1])]
    return sorted(found, key=lambda each: (len(each.codes), each.of))


def _number(codes: Integers) -> int:
    return int(codes.max(initial=0)) + 1


def _bits(codes: Integers) -> int:
    return (_number(codes) - 1).bit_length()


@dataclass(frozen=True, slots=True)
class Sealed:
    """A sealed partition: for each combination the number of its node among `nodes`, -1 where it is suppressed.

    `regions` of each node; `suppressed`: the rows that are.
    """

    nodes: tuple[Places, ...]
    regions: tuple[int, ...]
    node_of: Integers
    suppressed: int


@dataclass(slots=True)
class _Regions:
    """The regions of one node that have at least k rows, by ascending key.

    `rows` of each; `costs[price, region]`, the least; `choices[price, region]`: RELEASED, SUPPRESSED, or the number of
    a split. Rows and costs are dropped when no coarser node needs them.
    """

    keys: Integers
    rows: Reals
    costs: Reals
    choices: npt.NDArray[np.int8]


_NONE: Reals = np.zeros(0)


@dataclass(frozen=True, slots=True)
class _ClassTable:
    """Keys of classes, ascending, with the rows of each.

    Where more than rows decides: `deciding` on these classes or on parts of them, and the class `class_of` each part.
    """

    keys: Integers
    rows: Reals
    deciding: Deciding | None = None
    class_of: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def added_up(self, keys: Integers, *, merging: bool) -> _ClassTable:
        """The different ones of new keys of the classes, with the rows of each.

        `merging`: whether what decides may be merged for them, which costs more than it saves where little follows.
        """
        if len(keys) == 0:
            return self
        order = None if (keys[1:] >= keys[:-1]).all() else np.argsort(keys, kind="stable")
        keys, rows = (keys, self.rows) if order is None else (keys[order], self.rows[order])
        is_first = np.concatenate(([True], keys[1:] != keys[:-1]))
        starts = np.flatnonzero(is_first)
        found, sums = keys[starts], np.add.reduceat(rows, starts)
        if self.deciding is None:
            return _ClassTable(found, sums)
        number_of = np.cumsum(is_first) - 1
        if order is not None:
            number_of[order] = number_of.copy()
        class_of = number_of[self.class_of]
        if not merging or self.deciding.regions <= SHRUNK * len(found):
            return _ClassTable(found, sums, self.deciding, class_of)
        return _ClassTable(found, sums, self.deciding.merged(class_of, len(found)), np.arange(len(found)))

    def passing(self, chosen: Integers) -> npt.NDArray[np.bool_]:
        """Whether each of some classes may be released, by their places."""
        if self.deciding is None or len(chosen) == 0:
            return np.ones(len(chosen), dtype=np.bool_)
        number_of = np.full(len(self.keys), -1, dtype=np.int64)
        number_of[chosen] = np.arange(len(chosen))
        return self.deciding.merged(number_of[self.class_of], len(chosen)).passing()


class Partitions:
    """The least costs of all regions of a table, and the partitions that have them, at several prices."""

    def __init__(
        self,
        attributes: Sequence[SealedLevels],
        rows: Integers,
        k: int,
        prices: Sequence[float],
        progress: Callable[[int], None] | None = None,
        deciding: Deciding | None = None,
    ) -> None:
        """`rows` of each combination; `prices` of a suppressed row, of 1 or more. `progress` receives the nodes left.

        Among equal costs a region is split, along the attribute listed first, else released, else suppressed.
        Where more than k rows decides: `deciding` on the combinations, merged for the regions that are best released.
        """
        self._attributes = joined_to_fit(attributes)
        self._number = len(attributes)
        self._in_order = sorted(range(len(self._attributes)), key=lambda place: self._attributes[place].of)
        self._rows, self._k, self._progress = rows, k, progress
        bases = [each.base for each in self._attributes]
        bits = [_bits(each) for each in bases]
        self._shifts = [sum(bits[place + 1 :]) for place in range(len(bits))]
        self._masks = [(1 << each) - 1 for each in bits]
        self._changes = [
            _changed_bits(each, base, shift)
            for each, base, shift in zip(self._attributes, bases, self._shifts, strict=True)
        ]
        dearest = max([1.0, *(each for each in prices if math.isfinite(each))])
        units = min(MAX_UNITS, LARGEST_SUM // max(1, math.ceil(int(rows.sum()) * dearest)))
        self._units = max(1, units)
        self._prices = np.floor(np.array(prices, dtype=np.float64) * self._units)
        self._costs = [[np.rint(cost * self._units) for cost in each.costs] for each in self._attributes]
        self._above = [
            [sum(level in below for below in each.finer) for level in range(len(each.finer))]
            for each in self._attributes
        ]
        self._regions: dict[Places, _Regions] = {}
        self._still_needed: dict[Places, int] = {}
        self._left = math.prod(len(each.codes) for each in self._attributes)
        keys = self._keys(bases)
        combinations = _ClassTable(keys, rows.astype(np.float64), deciding, np.arange(len(keys)))
        self._visit((), combinations.added_up(keys, merging=True))

    def partition(self, price: int) -> Sealed | None:
        """The cheapest partition at the price of that number; None where some rows can be neither released nor not."""
        root = min(self._roots(), key=lambda node: self._cost_of_root(node, price))
        if not math.isfinite(self._cost_of_root(root, price)):
            return None
        node_of = np.full(len(self._rows), -1, dtype=np.int64)
        released: list[tuple[Places, int]] = []
        waiting: dict[Places, list[Integers]] = {root: [np.arange(len(self._rows))]}
        for node in reversed(self._regions):
            if node in waiting:
                members = np.concatenate(waiting.pop(node))
                self._follow(node, members, price, node_of, released, waiting)
        suppressed = int(self._rows[node_of < 0].sum())
        nodes = tuple(self._named(node) for node, _ in released)
        return Sealed(nodes, tuple(regions for _, regions in released), node_of, suppressed)

    def _follow(
        self,
        node: Places,
        members: Integers,
        price: int,
        node_of: Integers,
        released: list[tuple[Places, int]],
        waiting: dict[Places, list[Integers]],
    ) -> None:
        """Releases the combinations of a node whose regions are released, and hands the others on to finer nodes."""
        regions = self._regions[node]
        if not len(regions.keys):
            return
        keys = self._keys([each.codes[level][members] for each, level in zip(self._attributes, node, strict=True)])
        places = np.minimum(np.searchsorted(regions.keys, keys), len(regions.keys) - 1)
        is_kept = regions.keys[places] == keys
        choices = np.where(is_kept, regions.choices[price, places], SUPPRESSED)
        for number, (finer, _, _) in enumerate(self._splits(node)):
            if (chosen := choices == number).any():
                waiting.setdefault(finer, []).append(members[chosen])
        if (whole := choices == RELEASED).any():
            node_of[members[whole]] = len(released)
            released.append((node, len(np.unique(places[whole]))))

    def _roots(self) -> list[Places]:
        """The coarsest nodes: one, where levels nest."""
        coarsest = [[level for level, above in enumerate(each) if not above] for each in self._above]
        return list(product(*coarsest))

    def _cost_of_root(self, root: Places, price: int) -> float:
        regions = self._regions[root]
        short = float(self._rows.sum() - regions.rows.sum())
        rest = self._prices[price] * short if short else 0.0
        return float(regions.costs[price].sum() + rest)

    def _named(self, node: Places) -> Places:
        """A node by the places of the levels of the attributes as they were given."""
        found = [0] * self._number
        for each, level in zip(self._attributes, node, strict=True):
            for place, given in zip(each.of, each.places[level], strict=True):
                found[place] = given
        return tuple(found)

    def _keys(self, codes: Sequence[Integers]) -> Integers:
        found = np.zeros(len(codes[0]) if codes else len(self._rows), dtype=np.int64)
        for each, shift in zip(codes, self._shifts, strict=True):
            found |= each << shift
        return found

    def _moved(self, keys: Integers, place: int, changes: Integers) -> Integers:
        """The keys with the class of one attribute replaced by the coarser class that it is in."""
        moved: Integers = keys ^ changes[self._codes(keys, place)]
        return moved

    def _codes(self, keys: Integers, place: int) -> Integers:
        """The class of one attribute in each key."""
        found: Integers = (keys >> self._shifts[place]) & self._masks[place]
        return found

    def _visit(self, levels: Places, classes: _ClassTable) -> None:
        """Goes through the nodes with these levels of the first attributes, the finest first.

        `classes` at these levels, of the other attributes at all their finest levels together.
        """
        place = len(levels)
        if place == len(self._attributes):
            self._settle(levels, classes)
            return
        tables: list[_ClassTable] = []
        for level, below in enumerate(self._attributes[place].finer):
            source, table = (below[0], tables[below[0]]) if below else (-1, classes)
            keys = self._moved(table.keys, place, self._changes[place][level, source])
            tables.append(table.added_up(keys, merging=place + 1 < len(self._attributes)))
            self._visit((*levels, level), tables[-1])

    def _settle(self, node: Places, classes: _ClassTable) -> None:
        """Finds the least costs of the regions of a node, after those of all finer nodes."""
        if self._progress:
            self._progress(self._left)
        self._left -= 1
        enough = np.flatnonzero(classes.rows >= self._k)
        keys, rows = classes.keys[enough], classes.rows[enough]
        costs = np.full((len(self._prices), len(keys)), np.inf)
        choices = np.full(costs.shape, SUPPRESSED, dtype=np.int8)
        for number, (finer, place, changes) in enumerate(self._splits(node)):
            self._take_cheaper(costs, choices, self._of_parts(finer, place, changes, keys, rows), number)
        cost = self._cost_of_a_row(node, keys) * rows
        wanted = cost < costs
        if classes.deciding is not None:  # of those that cost less than their parts
            best = np.flatnonzero(wanted.any(axis=0))
            wanted[:, best] &= classes.passing(enough[best])
        np.copyto(costs, cost, where=wanted)
        np.copyto(choices, RELEASED, where=wanted)
        self._take_cheaper(costs, choices, self._prices[:, np.newaxis] * rows, SUPPRESSED)
        self._regions[node] = _Regions(keys, rows, costs, choices)
        self._still_needed[node] = sum(above[level] for above, level in zip(self._above, node, strict=True))

    def _of_parts(self, finer: Places, place: int, changes: Integers, keys: Integers, rows: Reals) -> Reals:
        """What the parts of each region cost at each price; those of fewer than k rows are suppressed."""
        parts = self._regions[finer]
        within = keys.searchsorted(self._moved(parts.keys, place, changes))
        short = rows - np.bincount(within, weights=parts.rows, minlength=len(keys))
        found = np.empty((len(self._prices), len(keys)))
        is_short = short.nonzero()[0]
        for number, price in enumerate(self._prices):
            found[number] = np.bincount(within, weights=parts.costs[number], minlength=len(keys))
            found[number, is_short] += price * short[is_short]
        self._still_needed[finer] -= 1
        if not self._still_needed[finer]:
            parts.rows, parts.costs = _NONE, _NONE
        return found

    @staticmethod
    def _take_cheaper(costs: Reals, choices: npt.NDArray[np.int8], other: Reals, choice: int) -> None:
        cheaper = other < costs
        np.copyto(costs, other, where=cheaper)
        np.copyto(choices, choice, where=cheaper)

    def _splits(self, node: Places) -> list[tuple[Places, int, Integers]]:
        """The nodes that regions of a node are split into: each with the attribute, and the bits that change."""
        return [
            ((*node[:place], below, *node[place + 1 :]), place, self._changes[place][node[place], below])
            for place in self._in_order
            for below in self._attributes[place].finer[node[place]]
        ]

    def _cost_of_a_row(self, node: Places, keys: Integers) -> Reals:
        found: Reals = np.zeros(len(keys))
        for place, level in enumerate(node):
            found += self._costs[place][level][self._codes(keys, place)]
        return found


def _changed_bits(levels: SealedLevels, base: Integers, shift: int) -> dict[tuple[int, int], Integers]:
    """For each level and each one next below it (-1: the base), the bits of a key that change, by the finer class."""
    found = {}
    for level, below in enumerate(levels.finer):
        for source in below or (-1,):
            codes = base if source == -1 else levels.codes[source]
            holds = np.zeros(_number(codes), dtype=np.int64)
            holds[codes] = levels.codes[level]
            found[level, source] = (holds ^ np.arange(len(holds))) << shift
    return found
