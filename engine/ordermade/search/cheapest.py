"""The cheapest node that nothing measured rules out, of a lattice of any size: no node but the measured ones is listed.

A failing node rules out every node that refines it. A node that is left differs from each of them somewhere: for every
failing node f, some attribute has a level that does not refine that of f. These clauses and a cost that is a sum over
the attributes make an integer program; its least cost bounds the score of every node that is left (implicit hitting
sets: Moreno-Centeno and Karp, "The Implicit Hitting Set Approach to Solve Combinatorial Optimization Problems", 2013).

It is solved best first. What was parted for one clause stays parted when the next ones come, so that a search goes on
where it was. The cost of clauses that share no attribute adds up, which makes the bound of a part.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

from ordermade.lattice.lattice import Lattice, Node
from ordermade.loss.objectives import LevelCosts

MOST_PARTS = 400_000
"""Of the nodes that are left, at most so many parts are kept: some 400 MB."""
PACKED = 12
"""Of the clauses that the cheapest node of a part breaks, so many are added up to a bound."""


@dataclass(order=True, slots=True)
class _Part:
    """Some of the nodes: those whose level of each attribute is one of a set, in bits. `least`: their least cost."""

    least: int
    levels: tuple[int, ...] = field(compare=False)


class Cheapest:
    """The nodes of a lattice that are left, and the cheapest of them. Raises ValueError for levels without a cost.

    Of nodes of one cost the first in the order of the levels is the cheapest, as in all searches.
    """

    def __init__(self, lattice: Lattice, costs: LevelCosts) -> None:
        self._accepted = [axis.accepted for axis in lattice.axes]
        exact, self._scale = _whole(self._accepted, costs)
        # Costs are made so much larger that the order of the levels fits below them.
        bases = [max(accepted) + 1 for accepted in self._accepted]
        places = [1] * len(bases)
        for position in range(len(bases) - 2, -1, -1):
            places[position] = places[position + 1] * bases[position + 1]
        self._room = places[0] * bases[0]
        self._costs = [
            [cost * self._room + level * place for cost, level in zip(each, accepted, strict=True)]
            for each, accepted, place in zip(exact, self._accepted, places, strict=True)
        ]
        self._by_levels: list[dict[int, int]] = [{} for _ in bases]
        self._clauses = 0
        self._meets: list[list[int]] = [[0] * len(accepted) for accepted in self._accepted]
        """By attribute and level: the clauses that the level meets, in bits."""
        self._options: list[list[tuple[int, int]]] = []
        """By clause: the attributes that can meet it, with the levels that do, in bits."""
        every = tuple((1 << len(accepted)) - 1 for accepted in self._accepted)
        self._parts = [_Part(self._least(every), every)]

    @property
    def is_full(self) -> bool:
        """Whether more parts would be needed than are kept: the bound stays as it is."""
        return len(self._parts) > MOST_PARTS

    def rule_out(self, levels: Sequence[Collection[int]]) -> None:
        """Takes out the nodes whose level of every attribute is one of the given ones."""
        options = []
        bit = 1 << self._clauses
        each_of = zip(self._accepted, levels, self._meets, strict=True)
        for position, (accepted, out, meets) in enumerate(each_of):
            bits = 0
            for index, level in enumerate(accepted):
                if level not in out:
                    bits |= 1 << index
                    meets[index] |= bit
            if bits:
                options.append((position, bits))
        self._options.append(options)
        self._clauses += 1

    def node(self, steps: int | None = None) -> Node | None:
        """The cheapest node that is left; None where none is, or more parts or `steps` would be needed to find it."""
        taken = 0
        while self._parts:
            part = self._parts[0]
            chosen = self._chosen(part.levels)
            broken = self._broken(chosen)
            if not broken:
                return self._at(chosen)
            if self.is_full or (steps is not None and taken >= steps):
                return None
            heapq.heappop(self._parts)
            for each in self._parted(part.levels, chosen, broken):
                heapq.heappush(self._parts, each)
            taken += 1
        return None

    def is_left(self, node: Node) -> bool:
        """Whether nothing rules out a node of the lattice."""
        return not self._broken([accepted.index(level) for accepted, level in zip(self._accepted, node, strict=True)])

    def cheap(self) -> Node | None:
        """A cheap node that is left: one clause after another is met in the cheapest way. None at a dead end."""
        if not self._parts:
            return None
        levels = self._parts[0].levels
        while broken := self._broken(chosen := self._chosen(levels)):
            ways = self._ways(levels, broken.bit_length() - 1)
            if not ways:
                return None
            position, bits = min(ways, key=lambda way: self._added(chosen, *way))
            levels = (*levels[:position], bits, *levels[position + 1 :])
        return self._at(chosen)

    def _at(self, chosen: Sequence[int]) -> Node:
        return tuple(accepted[index] for accepted, index in zip(self._accepted, chosen, strict=True))

    @property
    def bound(self) -> Fraction | None:
        """The cost that no node which is left is below; None where none is left."""
        return Fraction(self._parts[0].least // self._room, self._scale) if self._parts else None

    def drop_from(self, cost: Fraction, node: Node) -> None:
        """Forgets the parts without a node that costs less than a passing one, or as much and comes first."""
        order = sum(self._costs[i][self._accepted[i].index(level)] for i, level in enumerate(node)) % self._room
        most = cost * self._scale
        limit = (most.numerator // most.denominator) * self._room + (order if most.denominator == 1 else self._room)
        left = [each for each in self._parts if each.least < limit]
        if len(left) < len(self._parts):
            heapq.heapify(left)
            self._parts = left

    def _chosen(self, levels: Sequence[int]) -> list[int]:
        return [self._cheapest_of(position, bits) for position, bits in enumerate(levels)]

    def _cheapest_of(self, position: int, bits: int) -> int:
        """The index of the cheapest of some levels of an attribute."""
        known = self._by_levels[position]
        if bits not in known:
            costs = self._costs[position]
            known[bits] = min((index for index in range(len(costs)) if bits >> index & 1), key=costs.__getitem__)
        return known[bits]

    def _least(self, levels: Sequence[int]) -> int:
        return sum(self._costs[i][index] for i, index in enumerate(self._chosen(levels)))

    def _broken(self, chosen: Sequence[int]) -> int:
        """The clauses that a node breaks, in bits."""
        met = 0
        for meets, index in zip(self._meets, chosen, strict=True):
            met |= meets[index]
        return ((1 << self._clauses) - 1) & ~met

    def _parted(self, levels: tuple[int, ...], chosen: Sequence[int], broken: int) -> list[_Part]:
        """The part without the nodes that break a clause, in parts: each meets it by another attribute first."""
        ways = min(self._some(broken), key=lambda clause: len(self._ways(levels, clause)))
        children, left = [], list(levels)
        for position, bits in sorted(self._ways(levels, ways), key=lambda way: self._added(chosen, *way)):
            child = (*left[:position], left[position] & bits, *left[position + 1 :])
            children.append(_Part(self._bound_of(child), child))
            left[position] &= ~bits
            if not left[position]:
                break
        return children

    def _ways(self, levels: Sequence[int], clause: int) -> list[tuple[int, int]]:
        """The attributes by which a part can meet a clause, with the levels that do."""
        return [(i, both) for i, meets in self._options[clause] if (both := levels[i] & meets)]

    def _added(self, chosen: Sequence[int], position: int, bits: int) -> int:
        """The cost of meeting a clause by one attribute."""
        costs = self._costs[position]
        return costs[self._cheapest_of(position, bits)] - costs[chosen[position]]

    def _bound_of(self, levels: tuple[int, ...]) -> int:
        """The least cost of a part: its cheapest levels, and what meeting clauses adds that share no attribute."""
        chosen = self._chosen(levels)
        least = sum(self._costs[i][index] for i, index in enumerate(chosen))
        taken: set[int] = set()
        broken = [(self._ways(levels, clause), clause) for clause in self._some(self._broken(chosen))]
        for ways, _ in sorted(broken, key=lambda each: len(each[0])):
            if taken.isdisjoint(position for position, _ in ways) and ways:
                least += min(self._added(chosen, *way) for way in ways)
                taken.update(position for position, _ in ways)
        return least

    def _some(self, clauses: int) -> list[int]:
        """The numbers of some clauses, the latest first: they are the strongest."""
        found: list[int] = []
        while clauses and len(found) < PACKED:
            last = clauses.bit_length() - 1
            found.append(last)
            clauses ^= 1 << last
        return found


def _whole(accepted: Sequence[Sequence[int]], costs: LevelCosts) -> tuple[list[list[int]], int]:
    """The costs of the accepted levels as whole numbers, and by how much they were made larger."""
    exact = [[each[level] for level in levels] for levels, each in zip(accepted, costs, strict=True)]
    if any(cost is None for each in exact for cost in each):
        raise ValueError("an accepted level has no cost")
    fractions = [[Fraction(cost or 0) for cost in each] for each in exact]
    scale = lcm(*(cost.denominator for each in fractions for cost in each))
    return [[int(cost * scale) for cost in each] for each in fractions], scale
