"""The search of lattices of any size: it lists no node but those that it measures.

It looks for a good node first (`descent`). Then it measures between the cheapest node that nothing rules out
(`cheapest`) and the coarsest one. On a way from the one to the other, which gives up first the detail that parts the
rows most for its cost, it finds where failing ends and passing begins. The failing node there rules out all that refine
it, which raises the bound; the passing one may be better than the best so far, and others beside it better still. Where
the cheapest node left is no better than the best, the best is the optimum. A node whose suppressed rows alone cost more
than the best is as good as one that fails.

Needs an objective whose levels have costs. Nothing else: levels need not nest, and of a requirement that a coarser node
may break each answer counts for its own node, and for what it rules out.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Generator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import TypeAlias

from ordermade.lattice.lattice import Axis, Lattice, Node
from ordermade.lattice.observation import Observation
from ordermade.loss.objectives import LevelCosts, Score
from ordermade.search.bounds import SURE
from ordermade.search.descent import Descent
from ordermade.search.problem import Batch, Outcome, Search, SearchProblem, SearchProgress, Stopped

MAX_PARTS = 400_000
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
        return len(self._parts) > MAX_PARTS

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


STEPS = 300
"""The steps towards the cheapest node after which a cheap one is as good a beginning for the next questions."""

AGAIN = 1.25
"""So many times as many measured nodes forecast better: then better ones are looked for again."""

Asking: TypeAlias = Generator[Batch, Sequence[Observation], None]


def hitting_set(problem: SearchProblem) -> Search:
    """Measure on ways between the cheapest node left and the coarsest, until no node left is better than the best."""
    frontier = Frontier(problem)
    stopped = None
    try:
        yield from frontier.ask([coarsest(problem.lattice)])
        descent, bounding = Descent(problem), True
        # Where what suppressed rows cost bounds nothing yet, one way up bounds nothing either.
        reached, known = (frontier.best, 1) if problem.objective.monotone else (None, 0)
        while (cheapest := frontier.cheapest_left()) is not None:
            if frontier.best != reached or len(frontier.measured) > AGAIN * known:
                yield from _descend(frontier, descent)
                reached, known = frontier.best, len(frontier.measured)
                continue
            ways = frontier.ways
            yield from _cross(frontier, cheapest, ways.by_attribute(cheapest) if bounding else ways.by_gain(cheapest))
            bounding = not bounding
    except Stopped as stop:
        stopped = stop.reason
    return frontier.outcome(stopped)


def coarsest(lattice: Lattice) -> Node:
    """The last accepted level of every attribute."""
    return tuple(axis.accepted[-1] for axis in lattice.axes)


def _descend(frontier: Frontier, descent: Descent) -> Asking:
    """Look for better nodes around the best ones, until none is expected."""
    while (best := frontier.best) is not None:
        nodes = descent.round(frontier.measured, *best, frontier.is_left)
        if not nodes:
            return
        yield from frontier.ask(nodes)


def _cross(frontier: Frontier, cheapest: Node, way: Sequence[Node]) -> Asking:
    """Find the border between failing and passing on a way up from a node; that node is settled at the end."""
    fails, passes = -1, len(way)
    for place, node in enumerate(way):
        if frontier.known(node):
            passes = place
            break
    while passes - fails > 1:
        place = frontier.ways.likely_border(way, fails, passes)
        yield from frontier.ask([way[place]])
        if frontier.known(way[place]):
            passes = place
        else:
            fails = place
    if fails >= 0 and passes < len(way):
        frontier.ways.learn(way[fails], way[passes])
    if frontier.is_left(cheapest):
        yield from frontier.ask([cheapest])


class Frontier:
    """The measured nodes of a search, the best that passes, and what is left."""

    def __init__(self, problem: SearchProblem) -> None:
        costs = problem.objective.level_costs
        if costs is None:
            raise ValueError(f"the levels of {problem.objective.name} have no costs")
        self.problem = problem
        self.ways = _Ways(problem)
        self._cheapest = Cheapest(problem.lattice, costs)
        self._costs = costs
        self._key: tuple[Score, Node] | None = None
        self._least = Fraction()
        """The score of the best, in units of the levels' costs."""
        self.measured: dict[Node, Observation] = {}
        self._admitted: list[Node] = []
        self._least_of_finer: list[tuple[Fraction, Node]] = []
        """A heap of the measured nodes, by less than what each that refines it costs."""
        self._out_with_finer: set[Node] = set()
        required = problem.requirement
        self._grows = problem.objective.needs_observation and (not required.models or required.monotone)
        """Whether suppressed rows cost, and are suppressed at what refines their node, too."""
        self._out: set[Node] = set()
        for each in problem.proofs.every:
            if problem.requirement.rules_out(each.observation):
                self._cheapest.rule_out(each.finer)
        for node, observation in ({} if problem.evidence is None else problem.evidence.observed).items():
            if problem.decides(observation):
                self.learn(node, observation)

    def ask(self, nodes: Sequence[Node]) -> Asking:
        """Measure the nodes that were not measured yet, and learn from them."""
        new = [node for node in nodes if node not in self.measured]
        proved = {node: found for node in new if (found := self.problem.exact(node)) is not None}
        for node, observation in proved.items():
            self.learn(node, observation)
        unknown = [node for node in new if node not in proved]
        if unknown:
            for node, observation in zip(unknown, (yield Batch.of(unknown, None, self.so_far)), strict=True):
                self.learn(node, observation)

    def learn(self, node: Node, observation: Observation) -> None:
        """Take in a measured node of the lattice, accepted or not."""
        self.measured[node] = observation
        required, axes = self.problem.requirement, self.problem.lattice.axes
        if required.rules_out(observation):
            finer = [_finer(axis, level) for axis, level in zip(axes, node, strict=True)]
            self._cheapest.rule_out(finer)
            return
        if required.admits(observation):
            self._admitted.append(node)
        if node not in self.problem.lattice:
            return
        self._cheapest.rule_out([(level,) for level in node])
        self._out.add(node)
        if not required.passes(observation):
            return
        key = self.problem.key(node, observation)
        if self._key is None or key < self._key:
            self._key = key
            self._least = self._cost(node)
            if self.problem.objective.needs_observation:
                self._least = Fraction(key[0]) / self.problem.objective.unit
            self._cheapest.drop_from(self._least, node)
        if self._grows:
            heapq.heappush(self._least_of_finer, (-self._least_finer(node, key[0]), node))
            self._rule_out_costly()

    def _least_finer(self, node: Node, score: Score) -> Fraction:
        """What no node costs less than that refines a passing one: the same rows are suppressed there, at their cost.

        In units of the levels' costs.
        """
        objective = self.problem.objective
        each_finer = (_finer(*each) for each in zip(self.problem.lattice.axes, node, strict=True))
        costs = zip(self._costs, each_finer, strict=True)
        least = sum((min(Fraction(each[level] or 0) for level in finer) for each, finer in costs), Fraction())
        added = Fraction(score) / objective.unit - self._cost(node)
        return least + max(Fraction(), added * SURE - objective.rounding)

    def _rule_out_costly(self) -> None:
        """Rule out what refines nodes whose suppressed rows alone cost more than the best."""
        axes, before = self.problem.lattice.axes, len(self._out_with_finer)
        while self._least_of_finer and -self._least_of_finer[0][0] > self._least:
            _, node = heapq.heappop(self._least_of_finer)
            self._cheapest.rule_out([_finer(*each) for each in zip(axes, node, strict=True)])
            self._out_with_finer.add(node)
        if len(self._out_with_finer) > before:
            self._admitted = [each for each in self._admitted if each not in self._out_with_finer]

    def known(self, node: Node) -> bool:
        """Whether a node is known to pass, and one that refines it may be as good as the best.

        One that was measured and fails is not, nor is one that nothing settles.
        """
        observation = self.measured.get(node)
        if observation is not None:
            return node not in self._out_with_finer and self.problem.requirement.passes(observation)
        return any(self.problem.lattice.refines(each, node) for each in self._admitted)

    def cheapest_left(self) -> Node | None:
        """The cheapest node that may be better than the best, None where none may be, or too much is left to list."""
        node = self._cheapest.node(STEPS) or self._cheapest.cheap()
        if node is None or not self._may_be_better(node):
            node = self._cheapest.node()
        return node if node is not None and self._may_be_better(node) else None

    @property
    def best(self) -> tuple[Node, float] | None:
        """The best node that passes, and its score."""
        return None if self._key is None else (self._key[1], float(self._key[0]))

    def is_left(self, node: Node) -> bool:
        """Whether a node may still be better than the best."""
        return node not in self.measured and self._cheapest.is_left(node) and self._may_be_better(node)

    def so_far(self) -> SearchProgress:
        """The score of the best node, and the bound on those that are left."""
        bound = self._cheapest.bound
        least = None if bound is None else bound * self.problem.objective.unit
        return SearchProgress(None if self._key is None else self._key[0], least, self.score_proved)

    @property
    def score_proved(self) -> bool:
        """Whether no node that is left scores less than the best."""
        bound = self._cheapest.bound
        return self._key is not None and (bound is None or bound >= self._least)

    def outcome(self, stopped: str | None, steps: int = STEPS) -> Outcome:
        """The outcome as far as it is known by now; so many steps are taken towards its bound."""
        left = self._cheapest.node(steps)
        bound = self._cheapest.bound
        certified = bound is None or (self._key is not None and self._best_is_proved(left, bound))
        best = None if self._key is None else self._key[1]
        return Outcome(
            best=best,
            observation=None if best is None else self.measured.get(best),
            passing_minimal=self._minimal(),
            certified=certified,
            bound=None if certified or bound is None else bound * self.problem.objective.unit,
            stopped=None if certified else stopped or "memory",
            score_proved=not certified and self.score_proved,
        )

    def _best_is_proved(self, left: Node | None, bound: Fraction) -> bool:
        """Whether no node that is left is better than the best: the bound is beyond it, or the cheapest no better."""
        return bound > self._least or (left is not None and not self._may_be_better(left))

    def _may_be_better(self, node: Node) -> bool:
        if self._key is None:
            return True
        cost = self._cost(node)
        return cost < self._least or (cost == self._least and node < self._key[1])

    def _cost(self, node: Node) -> Fraction:
        return sum((Fraction(each[level] or 0) for level, each in zip(node, self._costs, strict=True)), Fraction())

    def _minimal(self) -> tuple[Node, ...]:
        """The measured nodes that pass and that no other of them refines."""
        passing = [node for node in self._out if self.problem.requirement.passes(self.measured[node])]
        refines = self.problem.lattice.refines
        return tuple(sorted(n for n in passing if not any(other != n and refines(other, n) for other in passing)))


class _Ways:
    """Ways from a node up to the coarsest one, and where on them passing is expected to begin.

    The rows of an attribute's level are parted as if into `exp` of its entropy (of the second order) many classes of
    one size; those of several attributes multiply. The border between failing and passing lies at a similar product on
    every way, so it is looked for where it was before.
    """

    def __init__(self, problem: SearchProblem) -> None:
        self._lattice = problem.lattice
        self._parting = [_parting(problem, position) for position in range(len(problem.lattice.axes))]
        costs = problem.objective.level_costs or ()
        self._costs = [[float(cost or 0) for cost in each] for each in costs]
        self._borders: list[float] = []

    def by_attribute(self, node: Node) -> list[Node]:
        """The nodes from this one to the coarsest: one attribute after another is given up, the least parting first.

        The last of them that fails keeps few attributes, so that few changes meet its clause: the bound rises fast.
        """
        way = [node]
        last = coarsest(self._lattice)
        for position in sorted(range(len(node)), key=lambda each: self._parting[each][node[each]]):
            if node[position] != last[position]:
                node = (*node[:position], last[position], *node[position + 1 :])
                way.append(node)
        return way

    def by_gain(self, node: Node) -> list[Node]:
        """The nodes from this one to the coarsest, a level after another, what parts most for its cost given up first.

        The first of them that passes has kept what costs most for the least parting: it is likely to be a good one.
        """
        way = [node]
        while True:
            steps = [(p, s) for p in range(len(node)) if (s := self._next(p, node[p])) is not None]
            if not steps:
                return way
            position, level = max(steps, key=lambda step: self._gain(node, *step))
            node = (*node[:position], level, *node[position + 1 :])
            way.append(node)

    def likely_border(self, way: Sequence[Node], fails: int, passes: int) -> int:
        """The place on a way to measure next, between one that fails and one that passes."""
        if not self._borders:
            return (fails + passes) // 2
        recent = sorted(self._borders[-5:])
        border = recent[len(recent) // 2]
        inside = range(fails + 1, passes)
        near = min(inside, key=lambda place: abs(self._parted(way[place]) - border))
        # The longer the way that is left, the less it pays to go to its end.
        margin = len(inside) // 4
        return min(max(near, inside[0] + margin), inside[-1] - margin)

    def learn(self, fails: Node, passes: Node) -> None:
        """Take in a border: the failing and the passing node beside it."""
        self._borders.append((self._parted(fails) + self._parted(passes)) / 2)

    def _parted(self, node: Node) -> float:
        return sum(each[level] for each, level in zip(self._parting, node, strict=True))

    def _next(self, position: int, level: int) -> int | None:
        """The next coarser accepted level, None at the last."""
        axis = self._lattice.axes[position]
        return next((each for each in axis.accepted if each > level and axis.order.refines(level, each)), None)

    def _gain(self, node: Node, position: int, level: int) -> float:
        own, costs = self._parting[position], self._costs[position]
        cost = costs[level] - costs[node[position]]
        gain = own[node[position]] - own[level]
        return gain / cost if cost > 0 else math.inf


def _parting(problem: SearchProblem, position: int) -> list[float]:
    """For each level of an attribute, the logarithm of the number of classes of one size that part its rows alike."""
    top = problem.lattice.top
    found = []
    for level in range(top[position] + 1):
        alone = problem.proofs.exact((*top[:position], level, *top[position + 1 :]))
        if alone is None or not alone.sum_of_squares:
            found.append(float(top[position] - level))
        else:
            held = sum(size * classes for size, classes in alone.sizes) or alone.rows
            found.append(max(0.0, 2 * math.log(max(held, 1)) - math.log(alone.sum_of_squares)))
    return found


def _finer(axis: Axis, level: int) -> tuple[int, ...]:
    return tuple(each for each in axis.accepted if axis.order.refines(each, level))
