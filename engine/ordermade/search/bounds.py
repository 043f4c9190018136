"""Lower bounds on the score of every accepted node: levels, suppressed rows, possible classes.

A row suppressed at a node is suppressed at every node that refines it, where k alone decides, or models that are
monotone. There its class is no larger, so it costs no less: the cost that suppressed rows add to the levels' never
falls when refining. So a passing node bounds the loss that all finer ones add to that of their levels.

Let T be the most classes of at least k units that a measured node v, or any coarser one, can have. A node u cannot have
more of them than T, times the parts that each attribute of u whose level v does not refine can split a class of v into:
every class of u is a class of v seen through coarser levels, split by those attributes at most. A class of k is nowhere
part of a smaller one. Where the level of u refines that of v, the other classes of v have a class each at least: so
many parts are the classes of u's level less those of v's, and one.

Nor can the sum of the squares of the classes fall by more than these parts: of so many parts of a class, the squares
are least where all are of one size.

A row that is suppressed for k at a node is in a class below k at every node that refines it. So the measured coarser
nodes bound the rows that a node suppresses from below, the measured finer ones the classes of all its rows:
together that is more than either gives.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from ordermade.lattice.cells import Region
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.proofs import MAX_ROWS
from ordermade.loss.objectives import Score
from ordermade.prediction.cells import Reals
from ordermade.search import grid
from ordermade.search.grid import LARGEST_EXACT, ROUNDING, RefinementIndex, Sums, level_sums
from ordermade.search.problem import SearchProblem

FINEST_SCALE = 10**9
"""Units are made finer, by this at most, so that the cost of suppressed rows is not lost in rounding it down."""
SURE = 1 - Fraction(1, 10**9)
"""The share of the cost of suppressed rows that is no rounding of floats."""
EXPECTED_TO_BE_SUPPRESSED = 0.6
"""The share of the limit that a passing node is expected to suppress, before any was measured."""


class LevelBounds:
    """For every accepted node, what its score is at least, in units of the level costs."""

    def __init__(self, problem: SearchProblem, reach: RefinementIndex) -> None:
        self._problem = problem
        self._reach = reach
        self._sums: Sums | None = level_sums(problem)
        self._scale = 1
        if self._sums is not None and self._sums.dtype == np.int64:
            self._scale = max(1, min(FINEST_SCALE, LARGEST_EXACT // max(1, self._most_of_levels())))
            self._sums = self._sums * self._scale
        self._least: Sums | None = None if self._sums is None else self._sums.copy()
        required = problem.requirement
        self._grows = required.most_suppressed > 0 and (not required.models or required.monotone)
        self._shares: list[float] = []

    def learn(self, node: Node, observation: Observation) -> None:
        """Take in a measured node that passes."""
        if self._sums is None or self._least is None or node not in self._problem.lattice:
            return
        own = self._sums[grid.cell_of(self._problem.lattice, node)].item()
        added = self._in_units(self._problem.objective.score(node, observation)) - Fraction(own)
        room = float(self._sums.max()) - float(own)
        if room > 0:
            self._shares.append(float(added) / room)
        surely = int(added * SURE) - self._problem.objective.rounding * self._scale
        if self._grows and surely > 0 and self._sums.dtype == np.int64:
            surely = min(surely, LARGEST_EXACT - 1)  # less is a bound, too, and with the levels' cost it fits 64 bits
            finer = self._reach.finer(node)
            self._least[finer] = np.maximum(self._least[finer], self._sums[finer] + surely)

    def least_scores(self) -> Reals:
        """The score that each accepted node is not below, as far as levels bound it; else minus infinity."""
        if self._least is None:
            return np.full(self._problem.lattice.shape, -np.inf)
        return self._least.astype(np.float64) * float(self._problem.objective.unit / self._scale)

    def no_better_than(self, score: Score, best: Node) -> grid.Flags:
        """The nodes that cannot score better than the best, nor as well and come before it."""
        if self._least is None:
            return np.zeros(self._problem.lattice.shape, dtype=np.bool_)
        allowed = self._in_units(score)
        if self._least.dtype == np.float64:
            over: grid.Flags = self._least > float(allowed) * (1 + ROUNDING)
            return over
        worse: grid.Flags = self._least > int(allowed)
        if allowed.denominator == 1:
            place = np.ravel_multi_index(grid.cell_of(self._problem.lattice, best), self._problem.lattice.shape)
            later = np.arange(self._least.size).reshape(self._least.shape) >= place
            worse |= (self._least == int(allowed)) & later
        return worse

    def no_less_than(self, score: Score) -> grid.Flags:
        """The nodes that cannot score less."""
        if self._least is None:
            return np.zeros(self._problem.lattice.shape, dtype=np.bool_)
        allowed = self._in_units(score)
        if self._least.dtype == np.float64:
            over: grid.Flags = self._least > float(allowed) * (1 + ROUNDING)
            return over
        no_less: grid.Flags = self._least >= math.ceil(allowed)
        return no_less

    def no_better(self, still: grid.Flags) -> Reals | None:
        """Count the cells that are set and cannot beat each cell's expected score; None if unbounded."""
        if self._sums is None or self._least is None:
            return None
        required = self._problem.requirement
        rows = max(self._problem.proofs.rows or 1, 1)
        share = EXPECTED_TO_BE_SUPPRESSED * required.most_suppressed / rows
        if self._shares:
            share = float(np.median(self._shares))
        expected = self._sums + share * (float(self._sums.max()) - self._sums)
        ascending = np.sort(self._least[still])
        count: Reals = (ascending.size - np.searchsorted(ascending, expected)).astype(np.float64)
        return count

    def _most_of_levels(self) -> int:
        """The most that levels cost, accepted or not: a suppressed row may cost as much as `*` does."""
        costs = self._problem.objective.level_costs or ()
        return sum(int(max((cost for cost in each if cost is not None), default=0)) for each in costs)

    def _in_units(self, score: Score) -> Fraction:
        return Fraction(score) / self._problem.objective.unit * self._scale


MAX_CELLS_LAID = 50_000_000
"""Of the cells visited to take in what is proved beforehand: further observations would only sharpen the bound."""


class MostClasses:
    """For every accepted node, the most classes of at least k units that it can have."""

    def __init__(self, problem: SearchProblem, reach: RefinementIndex) -> None:
        """From what is proved before the search: the classes of single attributes, and every placed observation."""
        proofs, lattice = problem.proofs, problem.lattice
        self._k = problem.k
        self._shape = lattice.shape
        self._parts = PartBounds(problem)
        most = MAX_ROWS if proofs.rows is None or problem.requirement.persons else proofs.rows // max(self._k, 1)
        self.most: Reals = np.full(self._shape, float(max(most, 1)))
        self._lay(tuple([slice(0, 0)] * len(self._shape)), None, 1)
        for each in proofs.every[: MAX_CELLS_LAID // max(1, lattice.size)]:
            self.learn(reach.box(each.coarser), each.observation)

    def learn(self, coarser: Region, observation: Observation, node: Node | None = None) -> None:
        """Take in a measured node (None: of another lattice); `coarser` are the accepted levels that it refines."""
        self._lay(coarser, node, observation.most_classes(self._k))

    def too_few(self, problem: SearchProblem, units: int, best: Score, *, to_tie: bool = True) -> grid.Flags:
        """The nodes whose classes cannot be enough to score as well as `best` on a dataset of so many units.

        Without `to_tie` those whose classes cannot be enough to score less.
        """
        few: grid.Flags = self.most < _least_classes(problem, units, best, to_tie=to_tie)
        return few

    def _lay(self, refined: Region, node: Node | None, classes: int) -> None:
        np.minimum(self.most, max(classes, 1) * self._parts.of_k(refined, node), out=self.most)


class PartBounds:
    """The most parts that the classes of a measured node are split into at every accepted node."""

    def __init__(self, problem: SearchProblem) -> None:
        self._axes = len(problem.lattice.axes)
        self._of_k = _of_single_attributes(problem)
        self._orders = [(axis.order, axis.accepted) for axis in problem.lattice.axes]
        self._counted = _counted_alone(problem)
        self._known: dict[tuple[int, int], Reals] = {}

    def of_k(self, refined: Region, node: Node | None) -> Reals:
        """Parts of at least k units. `refined`: the accepted levels that the measured `node` refines."""
        return self._product(refined, node, of_k=True)

    def of_any(self, refined: Region, node: Node | None) -> Reals:
        """Parts of any size."""
        return self._product(refined, node, of_k=False)

    def _product(self, refined: Region, node: Node | None, *, of_k: bool) -> Reals:
        parts: Reals = np.ones((1,) * self._axes)
        for position, levels in enumerate(refined):
            each = self._finer_than(position, None if node is None else node[position])
            each = np.minimum(each, self._of_k[position]) if of_k else each.copy()
            each[levels if isinstance(levels, slice) else levels.ravel()] = 1.0
            parts = parts * each.reshape(grid.along(position, self._axes))
        return parts

    def _finer_than(self, position: int, level: int | None) -> Reals:
        """The parts of each accepted level of an attribute, within one class of a level."""
        most, least = self._counted[position]
        order, accepted = self._orders[position]
        if level is None:
            return most
        if (position, level) not in self._known:
            within = np.maximum(most - least[level] + 1, 1)
            finer = np.array([order.refines(each, level) for each in accepted], dtype=np.bool_)
            self._known[position, level] = np.where(finer, within, most)
        return self._known[position, level]


def _counted_alone(problem: SearchProblem) -> list[tuple[Reals, list[int]]]:
    """Of each attribute alone: the most classes of each accepted level, and the fewest of every level."""
    proofs, top = problem.proofs, problem.lattice.top

    def counted(position: int, level: int) -> tuple[int, int]:
        node = (*top[:position], level, *top[position + 1 :])
        exact, bounds = proofs.exact(node), proofs.bounds(node)
        if exact is not None:
            return exact.divisions, exact.divisions
        # Persons may be in many classes each: how many persons there are is no bound.
        unknown = problem.requirement.persons and bounds.most_divisions >= (proofs.rows or 0)
        return bounds.least_divisions, MAX_ROWS if unknown else max(1, bounds.most_divisions)

    found = []
    for position, axis in enumerate(problem.lattice.axes):
        both = [counted(position, level) for level in range(len(axis.order))]
        most = np.array([both[level][1] for level in axis.accepted], dtype=np.float64)
        found.append((most, [fewest for fewest, _ in both]))
    return found


def _of_single_attributes(problem: SearchProblem) -> list[Reals]:
    """The most classes of each accepted level of each attribute alone."""
    proofs, top = problem.proofs, problem.lattice.top

    def most(node: tuple[int, ...]) -> int:
        exact = proofs.exact(node)
        if exact is not None:
            return max(1, exact.most_classes(problem.k))
        bound = proofs.bounds(node).most_divisions
        # Persons may be in many classes each: how many persons there are is no bound.
        unknown = problem.requirement.persons and bound >= (proofs.rows or 0)
        return MAX_ROWS if unknown else max(1, bound)

    return [
        np.array([most((*top[:i], level, *top[i + 1 :])) for level in axis.accepted], dtype=np.float64)
        for i, axis in enumerate(problem.lattice.axes)
    ]


def _least_classes(problem: SearchProblem, units: int, best: Score, *, to_tie: bool) -> int:
    """The fewest classes with which a node can score as well as `best`, without `to_tie` less: they bound the score.

    The least scores fall with the classes. At most one more than there are units; 0 where the classes bound nothing.
    """
    least = problem.objective.least
    if least is None:
        return 0
    low, high = 1, max(1, units) + (0 if to_tie else 1)
    while low < high:
        middle = (low + high) // 2
        if least(units, middle) > best or (not to_tie and least(units, middle) == best):
            low = middle + 1
        else:
            high = middle
    return low


class SuppressedBounds:
    """The least score of every accepted node, for objectives that give the cost of a suppressed row."""

    def __init__(self, problem: SearchProblem, reach: RefinementIndex) -> None:
        """From what is proved before the search: every placed observation."""
        self._objective = problem.objective
        self._by_classes: Reals = np.zeros(problem.lattice.shape)
        self._added: Reals = np.zeros(problem.lattice.shape)
        self._each_adds = 0.0
        self._parts = PartBounds(problem)
        self._persons = problem.requirement.persons
        if self._objective.suppressed_adds is not None:
            for each in problem.proofs.every[: MAX_CELLS_LAID // max(1, problem.lattice.size)]:
                self.learn(each.observation, reach.box(each.coarser), reach.box(each.finer))

    def learn(self, observation: Observation, coarser: Region, finer: Region, node: Node | None = None) -> None:
        """Take in a measured node (None: of another lattice).

        `coarser` are the accepted cells that it refines, `finer` those that refine it.
        """
        objective = self._objective
        if objective.suppressed_adds is None or objective.bound is None:
            return
        if not self._each_adds:
            # The finest node there can be: every row by itself.
            alone = Observation.from_histogram([(1, observation.rows)])
            np.maximum(self._by_classes, _real(objective.bound(alone)), out=self._by_classes)
            self._each_adds = objective.suppressed_adds(alone) / max(observation.rows, 1)
        if observation.adds_up:
            # Of persons, who may be in two parts of a class, the squares may fall when classes are merged.
            self._by_classes[coarser] = np.maximum(self._by_classes[coarser], _real(objective.bound(observation)))
            if not self._persons:
                squares = observation.sum_of_squares / self._parts.of_any(coarser, node)
                np.maximum(self._by_classes, squares, out=self._by_classes)
        self._added[finer] = np.maximum(self._added[finer], float(objective.suppressed_adds(observation)))

    def least_scores(self) -> Reals:
        """The score that each accepted node is not below, where suppressed rows have costs; else minus infinity."""
        if self._objective.suppressed_adds is None:
            return np.full_like(self._by_classes, -np.inf)
        least: Reals = self._by_classes + self._added
        return least

    def worse_than(self, score: Score) -> grid.Flags:
        """The nodes that cannot score as well."""
        worse: grid.Flags = self._by_classes + self._added > _real(score) * (1 + ROUNDING)
        return worse if self._objective.suppressed_adds is not None else np.zeros_like(worse)

    @property
    def each_adds(self) -> float:
        """The least that a suppressed row adds to a score; 0 where it adds nothing, or nothing was measured yet."""
        return self._each_adds

    def room_of_classes(self, score: float) -> Reals:
        """Of a score at every node, what is left to its classes by the rows that it suppresses at least."""
        room: Reals = score - self._added
        return room

    def room_of_suppressed(self, score: float) -> Reals:
        """The rows that every node can suppress, by its classes, and score as well."""
        room: Reals = (score - self._by_classes) / self._each_adds
        return room


def _real(score: Score) -> float:
    return float(score)
