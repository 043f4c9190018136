"""The search of lattices of any size: it lists no node but those that it measures.

It measures between the cheapest node that nothing rules out (`cheapest`) and the coarsest one. On a way from the one to
the other, which gives up first the detail that parts the rows most for its cost, it finds where failing ends and
passing begins. The failing node there rules out all that refine it, which raises the bound; the passing one may be
better than the best so far. Where the cheapest node left is no better than the best, the best is the optimum.

Needs an objective whose levels have costs. Nothing else: levels need not nest, and of a requirement that a coarser node
may break each answer counts for its own node, and for what it rules out.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from fractions import Fraction
from typing import TypeAlias

from ordermade.lattice.lattice import Axis, Lattice, Node
from ordermade.lattice.observation import Observation
from ordermade.loss.objectives import Score
from ordermade.search.cheapest import Cheapest
from ordermade.search.problem import Batch, Outcome, Problem, Search, Stopped

STEPS = 300
"""The steps towards the cheapest node after which a cheap one is as good a beginning for the next questions."""

Asking: TypeAlias = Generator[Batch, Sequence[Observation], None]


def hitting_set(problem: Problem) -> Search:
    """Measure on ways between the cheapest node left and the coarsest, until no node left is better than the best."""
    frontier = Frontier(problem)
    stopped = None
    try:
        yield from frontier.ask([coarsest(problem.lattice)])
        bounding = True
        while (cheapest := frontier.cheapest_left()) is not None:
            ways = frontier.ways
            yield from _cross(frontier, cheapest, ways.by_attribute(cheapest) if bounding else ways.by_gain(cheapest))
            bounding = not bounding
    except Stopped as stop:
        stopped = stop.reason
    return frontier.outcome(stopped)


def coarsest(lattice: Lattice) -> Node:
    """The last accepted level of every attribute."""
    return tuple(axis.accepted[-1] for axis in lattice.axes)


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

    def __init__(self, problem: Problem) -> None:
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
        self._measured: dict[Node, Observation] = {}
        self._admitted: list[Node] = []
        self._out: set[Node] = set()
        for each in problem.proofs.every:
            if problem.requirement.rules_out(each.observation):
                self._cheapest.rule_out(each.finer)
        for node, observation in ({} if problem.evidence is None else problem.evidence.observed).items():
            if problem.decides(observation):
                self.learn(node, observation)

    def ask(self, nodes: Sequence[Node]) -> Asking:
        """Measure the nodes that were not measured yet, and learn from them."""
        new = [node for node in nodes if node not in self._measured]
        proved = {node: found for node in new if (found := self.problem.exact(node)) is not None}
        for node, observation in proved.items():
            self.learn(node, observation)
        unknown = [node for node in new if node not in proved]
        if unknown:
            for node, observation in zip(unknown, (yield Batch.of(unknown, None, self.so_far)), strict=True):
                self.learn(node, observation)

    def learn(self, node: Node, observation: Observation) -> None:
        """Take in a measured node of the lattice, accepted or not."""
        self._measured[node] = observation
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

    def known(self, node: Node) -> bool:
        """Whether a node is known to pass. One that was measured and fails is not, nor is one that nothing settles."""
        observation = self._measured.get(node)
        if observation is not None:
            return self.problem.requirement.passes(observation)
        return any(self.problem.lattice.refines(each, node) for each in self._admitted)

    def cheapest_left(self) -> Node | None:
        """The cheapest node that may be better than the best, None where none may be, or too much is left to list."""
        node = self._cheapest.node(STEPS) or self._cheapest.cheap()
        if node is None or not self._may_be_better(node):
            node = self._cheapest.node()
        return node if node is not None and self._may_be_better(node) else None

    def is_left(self, node: Node) -> bool:
        """Whether a node may still be better than the best."""
        return node not in self._measured and self._cheapest.is_left(node) and self._may_be_better(node)

    def so_far(self) -> tuple[Score | None, Score | None]:
        """The score of the best node, and the bound on those that are left."""
        bound = self._cheapest.bound
        least = None if bound is None else bound * self.problem.objective.unit
        return (None if self._key is None else self._key[0]), least

    def outcome(self, stopped: str | None, steps: int = STEPS) -> Outcome:
        """The outcome as far as it is known by now; so many steps are taken towards its bound."""
        left = self._cheapest.node(steps)
        bound = self._cheapest.bound
        certified = bound is None or (self._key is not None and self._best_is_proved(left, bound))
        best = None if self._key is None else self._key[1]
        return Outcome(
            best=best,
            observation=None if best is None else self._measured.get(best),
            passing_minimal=self._minimal(),
            certified=certified,
            bound=None if certified or bound is None else bound * self.problem.objective.unit,
            stopped=None if certified else stopped or "memory",
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
        passing = [node for node in self._out if self.known(node)]
        refines = self.problem.lattice.refines
        return tuple(sorted(n for n in passing if not any(other != n and refines(other, n) for other in passing)))


class _Ways:
    """Ways from a node up to the coarsest one, and where on them passing is expected to begin.

    The rows of an attribute's level are parted as if into `exp` of its entropy (of the second order) many classes of
    one size; those of several attributes multiply. The border between failing and passing lies at a similar product on
    every way, so it is looked for where it was before.
    """

    def __init__(self, problem: Problem) -> None:
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


def _parting(problem: Problem, position: int) -> list[float]:
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
