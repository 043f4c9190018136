"""The state of a search: the settled nodes, and those that may still be better than the best.

Nothing here rests on a prediction but `yields`, which only chooses the next question. The rules of inference:

(1) a node that fails for k alone under the limit, or in whatever is monotone, rules out every node that refines it;
(2) a node that passes in what is monotone admits every coarser one; else its answer is its own. Where the objective is
    monotone, none of those is better, whether it passes or not;
(3) a measured node whose bound is no better than the best's score rules out every coarser one (`Objective.bound`); of
    several, the bound of the finer ones and the suppression at the coarser ones add up (see `suppressed_bounds`);
(4) a node whose levels alone cost as much as the best is ruled out (`Objective.level_costs`), and so is one whose
    levels cost so much with the cost of a coarser node's suppressed rows (see `level_bounds`);
(5) a node that cannot have classes enough to score as well as the best is ruled out (see `conceivable`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.proofs import FAILS, PASSES, UNKNOWN
from ordermade.loss.objectives import Score
from ordermade.prediction.cells import Reals
from ordermade.search import grid
from ordermade.search.bounds import ExpectedBounds, LevelBounds, MostClasses, SuppressedBounds
from ordermade.search.grid import Reach, Region, ranks
from ordermade.search.problem import Problem

SURE_TO_BE_FEWER = 0.1
"""Spread of ln classes: how far the expected number of a node's classes tends to be from the true one."""


class Standing(ABC):
    """The settled and the open nodes of one problem; grows with every node that is measured."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.reach = Reach(problem.lattice)
        self.tags = problem.proofs.tags(problem.requirement).copy()
        self.measured: dict[Node, Observation] = {}

    @property
    @abstractmethod
    def open(self) -> grid.Flags:
        """The cells that may be better than the best node so far: what a proof still has to rule out."""

    @property
    @abstractmethod
    def best(self) -> Node | None:
        """The best node of those that are known to pass, None if there is none."""

    @abstractmethod
    def yields(self, chance: Reals, rules_out: Reals, divisions: Reals) -> Reals:
        """Expect how many open cells measuring each cell rules out; below 0 where it is not worth measuring.

        `chance`: that each cell passes; `rules_out`: that it fails so that every finer one does. `divisions`: expected
        of each cell.
        """

    @property
    def most_suppressed(self) -> int:
        """The most units that a node which is better than the best can suppress for k."""
        return self.problem.requirement.most_suppressed

    def learn(self, node: Node, observation: Observation) -> None:
        """Take in a measured node, accepted or not."""
        self.measured[node] = observation
        required = self.problem.requirement
        if required.rules_out(observation):
            self.tags[self.reach.finer(node)] = FAILS
        elif required.admits(observation):
            self.tags[self.reach.coarser(node)] = PASSES
        elif node in self.problem.lattice:
            self.tags[grid.cell_of(self.problem.lattice, node)] = PASSES if required.passes(observation) else FAILS

    def outcome_parts(self) -> tuple[Node | None, Observation | None, tuple[Node, ...], bool]:
        """The best node, its observation if known, the minimal nodes known to pass, and whether the best is proved."""
        best = self.best
        observation = None if best is None else self.measured.get(best) or self.problem.exact(best)
        minimal = grid.minimal(self.problem.lattice, self.tags == PASSES)
        return best, observation, minimal, not self.open.any()


def standing(problem: Problem) -> Standing:
    """Where a search for this problem begins: with what is proved beforehand."""
    return _OfClasses(problem) if problem.objective.needs_observation else _OfLevels(problem)


class _OfLevels(Standing):
    """For an objective of the levels: every score is known beforehand, and a proof that a node passes is enough."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self._ranks = ranks(problem)
        self._best_rank = problem.lattice.size
        self._note_best()

    @property
    def open(self) -> grid.Flags:
        found: grid.Flags = (self.tags == UNKNOWN) & (self._ranks < self._best_rank)
        return found

    @property
    def best(self) -> Node | None:
        if self._best_rank == self._ranks.size:
            return None
        return grid.node_at(self.problem.lattice, int(np.argmax(self._ranks == self._best_rank)))

    def learn(self, node: Node, observation: Observation) -> None:
        super().learn(node, observation)
        self._note_best()

    def yields(self, chance: Reals, rules_out: Reals, divisions: Reals) -> Reals:  # noqa: ARG002 - scores are known without divisions
        still = self.open
        finer = self.reach.finer_among(still)
        expected = rules_out * finer + chance * self._no_better(still)
        worth: Reals = np.where(self.tags == UNKNOWN, expected, -1.0)
        return worth

    def _no_better(self, still: grid.Flags) -> Reals:
        """Count the cells that are set and rank no better than each cell."""
        in_order = np.zeros(self._ranks.size, dtype=np.int64)
        in_order[self._ranks[still]] = 1
        better = np.concatenate(([0], np.cumsum(in_order)))
        count: Reals = (better[-1] - better[self._ranks]).astype(np.float64)
        return count

    def _note_best(self) -> None:
        passing = self._ranks[self.tags == PASSES]
        self._best_rank = int(passing.min(initial=self._best_rank))


class _OfClasses(Standing):
    """For an objective of the measured classes: the best node has to be measured; bounds rule out the others."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self._excluded: grid.Flags = np.zeros(problem.lattice.shape, dtype=np.bool_)
        self._key: tuple[Score, Node] | None = None
        self._levels = LevelBounds(problem, self.reach)
        self._classes = MostClasses(problem, self.reach)
        self._suppressed = SuppressedBounds(problem, self.reach)
        bound = problem.objective.bound
        placed = problem.proofs.every if bound is not None else ()
        self._bounding: list[tuple[Score, Node | None, Region]] = [
            (bound(each.observation), None, self.reach.box(each.coarser)) for each in placed if bound is not None
        ]
        self._expected = ExpectedBounds()
        self._open: grid.Flags | None = None
        for node, observation in ({} if problem.evidence is None else problem.evidence.observed).items():
            if node in problem.lattice and problem.decides(observation):
                self.learn(node, observation)

    @property
    def open(self) -> grid.Flags:
        if self._open is None:
            self._open = (self.tags != FAILS) & ~self._excluded
            if self.problem.objective.monotone:
                passing = self.tags == PASSES
                self._open &= ~(self.reach.finer_among(passing) > passing)
        return self._open

    @property
    def best(self) -> Node | None:
        return None if self._key is None else self._key[1]

    @property
    def most_suppressed(self) -> int:
        most = super().most_suppressed
        bound = None if self._key is None else self._suppressed.most_suppressed(self._key[0], self.open)
        return most if bound is None else min(most, bound)

    def learn(self, node: Node, observation: Observation) -> None:
        super().learn(node, observation)
        self._open = None
        passes = self.problem.requirement.passes(observation)
        objective = self.problem.objective
        if node in self.problem.lattice:
            cell = grid.cell_of(self.problem.lattice, node)
            self._excluded[cell] = True
            if objective.bound is not None:
                self._expected.learn(cell, objective.bound(observation))
            if passes:
                key = self.problem.key(node, observation)
                self._key = key if self._key is None else min(self._key, key)
        coarser = self.reach.coarser(node)
        if objective.bound is not None:
            self._bounding.append((objective.bound(observation), node, coarser))
        self._suppressed.learn(observation, coarser, self.reach.finer(node))
        if passes:
            self._levels.learn(node, observation)
        self._classes.learn(coarser, observation)
        self._exclude(observation.rows)

    def yields(self, chance: Reals, rules_out: Reals, divisions: Reals) -> Reals:
        still = self.open
        finer, coarser = self.reach.finer_among(still), self.reach.coarser_among(still)
        above = self._levels.no_better(still)
        if above is not None:
            expected = rules_out * finer + chance * np.maximum(above, 1)
        else:
            worse = self._chance_to_be_worse(divisions)
            expected = rules_out * finer + (1 - chance) * worse * (coarser - still) + chance * coarser
        worth: Reals = np.where((self.tags == UNKNOWN) | still, expected, -1.0)
        return worth

    def _chance_to_be_worse(self, divisions: Reals) -> Reals:
        """The probability that a node's score is no better than the best's: nodes of fewer classes lose more."""
        from scipy.special import ndtr

        if self._key is None:
            return np.zeros(self.problem.lattice.shape)
        expected = self._expected.no_better_than(self._key[0], divisions)
        if expected is not None:
            return expected
        most = max(self.measured[self._key[1]].divisions, 1)
        chance: Reals = ndtr((np.log(most) - np.log(np.maximum(divisions, 1.0))) / SURE_TO_BE_FEWER)
        return chance

    def _exclude(self, units: int) -> None:
        """Rule out what cannot be better than the best node.

        Of two nodes of one score the one that comes first in the order of the levels is the better, and what is coarser
        comes later.
        """
        if self._key is None:
            return
        waiting = []
        for score, node, region in self._bounding:
            if score > self._key[0] or (node is not None and (score, node) >= self._key):  # type: ignore[operator]
                self._excluded[region] = True
            else:
                waiting.append((score, node, region))
        self._bounding = waiting
        self._excluded |= self._levels.no_better_than(*self._key)
        self._excluded |= self._suppressed.worse_than(self._key[0])
        self._excluded |= self._classes.too_few(self.problem, units, self._key[0])
        self._open = None
