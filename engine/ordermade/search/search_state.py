"""The state of a search: the settled nodes, and those that may still be better than the best.

Nothing here rests on a prediction but `yields`, which only chooses the next question. The rules of inference:

(1) a node that fails for k alone under the limit, or in whatever is monotone, rules out every node that refines it;
(2) a node that passes in what is monotone admits every coarser one; else its answer is its own. Where the objective is
    monotone, none of those is better, whether it passes or not;
(3) a measured node whose bound is no better than the best's score rules out every coarser one (`Objective.bound`); of
    several, the bound of the finer ones and the suppression at the coarser ones add up (see `suppressed_bounds`);
(4) a node whose levels alone cost as much as the best is ruled out (`Objective.level_costs`), and so is one whose
    levels cost so much with the cost of a coarser node's suppressed rows (see `level_bounds`);
(5) a node that cannot have classes enough to score as well as the best is ruled out (see `MostClasses`), and so is one
    whose classes, parts of a measured node's, cannot be small enough for that (see `Parts`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_left

import numpy as np

from ordermade.lattice.cells import Region
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.proofs import FAILS, MAX_ROWS, PASSES, UNKNOWN
from ordermade.loss.objectives import Score
from ordermade.prediction.cells import Reals, normal_above
from ordermade.prediction.independence import HALF
from ordermade.search import grid
from ordermade.search.bounds import LevelBounds, MostClasses, SuppressedBounds
from ordermade.search.grid import ROUNDING, RefinementIndex, ranks
from ordermade.search.problem import SearchProblem, SearchProgress
from ordermade.search.rounds import Yields
from ordermade.search.worth import LET_GO, Foreseen, expected_beyond, ln_of, ln_room

LEAST_RULING = 1e-3
LEAST_DOUBT = 0.005
"""No forecast is taken to be surer than this, so that no question is thought to be without information."""
SCORE_FIRST_FROM = 256
"""The questions after which the score is to be proved before ties are settled.

From the first question on, that costs Adult 2 to 11 % more questions in all, and random lattices 7 %. After so many it
costs next to none: of eight like columns at 5 % (65,536 nodes) the score is proved by 2,082 of 2,371 questions, and
where ties are not put last by all of 2,381.
"""
DOUBTED_AT_ONCE = 1.0
"""The open cells that the least doubts of all of them add up to, at most.

What a question rules out is weighed over all open cells. Were each doubted as much, however many there are, a long shot
at most of them would be worth more than any question whose answer is open, and no answer would refute it.
"""


class SearchState(ABC):
    """The settled and the open nodes of one problem; grows with every node that is measured."""

    def __init__(self, problem: SearchProblem) -> None:
        self.problem = problem
        self.reach = RefinementIndex(problem.lattice)
        self.tags = problem.proofs.tags(problem.requirement).copy()
        self.measured: dict[Node, Observation] = {}
        self._open: grid.Flags | None = None

    @property
    def open(self) -> grid.Flags:
        """The cells that may be better than the best node so far: what a proof still has to rule out."""
        if self._open is None:
            self._open = self._left_open()
        return self._open

    @abstractmethod
    def _left_open(self) -> grid.Flags:
        """The open cells, by all nodes learnt so far: once a round, however many nodes it measured."""

    @property
    @abstractmethod
    def better(self) -> grid.Flags:
        """The open cells that may score less than the best node so far; the others can but tie with it."""

    @property
    def score_proved(self) -> bool:
        """Whether no open cell can score less than the best node so far: the first of the two stages of a proof."""
        return self.best is not None and not self.better.any()

    @property
    def unsettled(self) -> grid.Flags:
        """The cells that may be worth measuring: what they are expected to be matters."""
        found: grid.Flags = (self.tags == UNKNOWN) | self.open
        return found

    @property
    @abstractmethod
    def best(self) -> Node | None:
        """The best node of those that are known to pass, None if there is none."""

    @abstractmethod
    def bound(self) -> Score | None:
        """The score that no open node is below; None where there is no open node, or nothing bounds them."""

    @abstractmethod
    def yields(self, foreseen: Foreseen) -> Yields:
        """Expect how much of the open cells measuring each cell rules out; below 0 where it is not worth measuring."""

    def learn(self, node: Node, observation: Observation) -> None:
        """Take in a measured node, accepted or not."""
        self.measured[node] = observation
        self._open = None
        required = self.problem.requirement
        if required.rules_out(observation):
            self.tags[self.reach.finer(node)] = FAILS
        elif required.admits(observation):
            self.tags[self.reach.coarser(node)] = PASSES
        elif node in self.problem.lattice:
            self.tags[grid.cell_of(self.problem.lattice, node)] = PASSES if required.passes(observation) else FAILS

    def so_far(self) -> SearchProgress:
        """The score of the best node, if it is known, and the bound on those that may be better."""
        best = self.best
        observation = None if best is None else self.measured.get(best)
        known = best is not None and (observation is not None or not self.problem.objective.needs_observation)
        score = self.problem.objective.score(best, observation) if known and best is not None else None
        return SearchProgress(score, self.bound(), self.score_proved)

    def outcome_parts(self) -> tuple[Node | None, Observation | None, tuple[Node, ...], bool]:
        """The best node, its observation if known, the minimal nodes known to pass, and whether the best is proved."""
        best = self.best
        observation = None if best is None else self.measured.get(best) or self.problem.exact(best)
        minimal = grid.minimal(self.problem.lattice, self.tags == PASSES)
        return best, observation, minimal, not self.open.any()


def search_state(problem: SearchProblem) -> SearchState:
    """Where a search for this problem begins: with what is proved beforehand."""
    return _OfClasses(problem) if problem.objective.needs_observation else _OfLevels(problem)


class _OfLevels(SearchState):
    """For an objective of the levels: every score is known beforehand, and a proof that a node passes is enough."""

    def __init__(self, problem: SearchProblem) -> None:
        super().__init__(problem)
        self._ranks = ranks(problem)
        self._in_order = np.argsort(self._ranks, axis=None)
        self._best_rank = self._first_to_tie = problem.lattice.size

    @property
    def better(self) -> grid.Flags:
        found: grid.Flags = self.open & (self._ranks < self._first_to_tie)
        return found

    @property
    def best(self) -> Node | None:
        rank = self._noted_rank()
        return None if rank == self._ranks.size else grid.node_at(self.problem.lattice, int(self._in_order[rank]))

    def _noted_rank(self) -> int:
        """The best rank of those that are known to pass; the number of cells where none is."""
        if self._open is None:
            self._open = self._left_open()
        return self._best_rank

    def _left_open(self) -> grid.Flags:
        best_rank = int(self._ranks[self.tags == PASSES].min(initial=self._best_rank))
        if best_rank < self._best_rank:
            self._best_rank, self._first_to_tie = best_rank, self._first_of_score(best_rank)
        still: grid.Flags = (self.tags == UNKNOWN) & (self._ranks < self._best_rank)
        return still

    def bound(self) -> Score | None:
        ranks = np.where(self.open, self._ranks, self._ranks.size)
        if ranks.min(initial=self._ranks.size) == self._ranks.size:
            return None
        return self.problem.objective.score(grid.node_at(self.problem.lattice, int(np.argmin(ranks))), None)

    def yields(self, foreseen: Foreseen) -> Yields:
        doubt = least_doubt(int(np.count_nonzero(self.open)))
        chance, rules_out = _bold(foreseen.passes, doubt), 1 - _bold(foreseen.stays_open, doubt)
        unknown = self.tags == UNKNOWN
        rarity = self._rarity(np.where(unknown, rules_out, 0.0), self._to_rule_out())
        return Yields(
            weights=rarity,
            finer=np.where(unknown, rules_out * self.reach.finer_sums(rarity), -1.0),
            passes=chance,
            no_better=np.where(unknown, chance * self._no_better(rarity), 0.0),
        )

    def _to_rule_out(self) -> grid.Flags:
        """The open cells that a question is chosen for: after many questions those that score less than the best first.

        So the score of a hard lattice is proved before its ties are settled.
        """
        if len(self.measured) < SCORE_FIRST_FROM:
            return self.open
        better = self.better
        return better if better.any() else self.open

    def _rarity(self, rules_out: Reals, still: grid.Flags) -> Reals:
        """The weight of each cell of `still`, 0 of others: the more, the fewer questions are expected to rule it out.

        Any question that fails further up rules out a cell far below the border between passing and failing; one next
        to it waits for its own. Where all count the same, questions are chosen that later ones make superfluous. The
        power of 1.5 was found on random lattices.
        """
        ruling = np.maximum(self.reach.coarser_sums(rules_out)[still], LEAST_RULING)
        rarity: Reals = np.zeros(still.shape)
        rarity[still] = 1 / (ruling * np.sqrt(ruling))
        return rarity

    def _no_better(self, figures: Reals) -> Reals:
        """The sum over the cells that rank no better than each cell; figures are 0 from the best rank on."""
        better_than_best = self._in_order[: self._noted_rank()]
        in_order = figures.ravel()[better_than_best]
        no_better: Reals = np.zeros(self._ranks.shape)
        no_better.ravel()[better_than_best] = np.cumsum(in_order[::-1])[::-1]
        return no_better

    def _first_of_score(self, rank: int) -> int:
        """The least rank of the nodes that score as well as the one of a rank."""

        def score(place: int) -> Score:
            return self.problem.objective.score(grid.node_at(self.problem.lattice, int(self._in_order[place])), None)

        return bisect_left(range(rank), score(rank), key=score)


def _bold(chance: Reals, doubt: float) -> Reals:
    """A chance, not quite 0 or 1, that is surer than the forecast one: its odds are those to the third power.

    A wrong guess costs one question, and tells of other nodes.
    """
    likely, unlikely = chance * chance * chance, 1 - chance
    unlikely *= unlikely * unlikely
    return doubted(likely / (likely + unlikely), doubt)


def least_doubt(open_cells: int) -> float:
    """The least doubt of a forecast where so many cells are open."""
    return min(LEAST_DOUBT, DOUBTED_AT_ONCE / max(open_cells, 1))


def doubted(chance: Reals, doubt: float) -> Reals:
    """A chance that is never surer than by `doubt`, nor unknown."""
    known: Reals = np.clip(chance, doubt, 1 - doubt)
    known[np.isnan(known)] = 0.5
    return known


class _OfClasses(SearchState):
    """For an objective of the measured classes: the best node has to be measured; bounds rule out the others."""

    def __init__(self, problem: SearchProblem) -> None:
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
        for node, observation in ({} if problem.evidence is None else problem.evidence.observed).items():
            if node in problem.lattice and problem.decides(observation):
                self.learn(node, observation)

    def _left_open(self) -> grid.Flags:
        self._exclude()
        still: grid.Flags = (self.tags != FAILS) & ~self._excluded
        if self.problem.objective.monotone:
            passing = self.tags == PASSES
            still &= ~(self.reach.finer_among(passing) > passing)
        return still

    @property
    def better(self) -> grid.Flags:
        found = self.open.copy()
        if self._key is None:
            return found
        score = self._key[0]
        found &= ~(self._levels.no_less_than(score) | self._suppressed.worse_than(score))
        found &= ~self._classes.too_few(self.problem, self._units, score, to_tie=False)
        for bound, _, region in self._bounding:
            if bound >= score:
                found[region] = False
        return found

    @property
    def best(self) -> Node | None:
        return None if self._key is None else self._key[1]

    @property
    def _units(self) -> int:
        return next((each.rows for each in self.measured.values()), self.problem.proofs.rows or 0)

    def learn(self, node: Node, observation: Observation) -> None:
        super().learn(node, observation)
        passes = self.problem.requirement.passes(observation)
        objective = self.problem.objective
        if node in self.problem.lattice:
            cell = grid.cell_of(self.problem.lattice, node)
            self._excluded[cell] = True
            if passes:
                key = self.problem.key(node, observation)
                self._key = key if self._key is None else min(self._key, key)
        coarser = self.reach.coarser(node)
        if objective.bound is not None:
            self._bounding.append((objective.bound(observation), node, coarser))
        self._suppressed.learn(observation, coarser, self.reach.finer(node), node)
        if passes:
            self._levels.learn(node, observation)
        self._classes.learn(coarser, observation, node)

    def bound(self) -> Score | None:
        still = self.open
        if not still.any():
            return None
        least = np.maximum(self._levels.least_scores(), self._suppressed.least_scores())
        for score, _, region in self._bounding:
            least[region] = np.maximum(least[region], float(score))
        found = float(least[still].min())
        by_classes = self.problem.objective.least
        if by_classes is not None:
            most = min(float(self._classes.most[still].max()), float(MAX_ROWS))
            found = max(found, float(by_classes(self._units, int(most))))
        # What floats round must not make a bound of it that is none.
        return found - abs(found) * ROUNDING if math.isfinite(found) else None

    def yields(self, foreseen: Foreseen) -> Yields:
        still, rules_out = self.open, 1 - foreseen.stays_open
        above = self._levels.no_better(still)
        worthwhile = (self.tags == UNKNOWN) | still
        if above is None:
            return self._yields_by_classes(foreseen, still, worthwhile)
        return Yields(
            weights=still.astype(np.float64),
            finer=np.where(worthwhile, rules_out * self.reach.finer_among(still), -1.0),
            passes=np.where(above >= 1, foreseen.passes, 0.0),
            no_better=np.where(worthwhile & (above >= 1), foreseen.passes * above, 0.0),
            itself=np.where(worthwhile & (above < 1), foreseen.passes, 0.0),
        )

    def _yields_by_classes(self, foreseen: Foreseen, still: grid.Flags, worthwhile: grid.Flags) -> Yields:
        """The cells that a node's rows below k rule out, and its bound; itself, and what a new best node rules out.

        As long as there is no best node, the best score that is expected stands for its own.
        """
        bound, below, adds = foreseen.bound, foreseen.below, self._suppressed.each_adds
        fails, passes = 1 - foreseen.stays_open, foreseen.passes
        if bound is None:
            raise ValueError(f"nothing bounds the objective {self.problem.objective.name}")
        expected = bound.mean
        if adds and below is not None:
            expected = np.logaddexp(expected, below.mean + math.log(adds))
        likely = still & (fails < 0.5)
        best = float(expected[likely if likely.any() else still].min()) if self._key is None else ln_of(self._key[0])
        finer: Reals = fails * self.reach.finer_among(still)
        ruled_out, worse = fails, bound.above(best)
        room: Reals | float = best
        if adds:
            score = math.exp(best)
            room = ln_room(self._suppressed.room_of_classes(score))
            worse = np.maximum(worse, bound.above(room))
            if below is not None:
                rows = np.minimum(self._suppressed.room_of_suppressed(score), self.problem.requirement.most_suppressed)
                ln_rows = ln_room(rows + HALF)
                finer = expected_beyond(ln_rows, still, below, fails, self.reach.finer_sums)
                ruled_out = np.maximum(fails, below.above(ln_rows))
        sure = passes if self.problem.objective.monotone else np.zeros_like(passes)
        coarser = expected_beyond(room, still, bound, sure, self.reach.coarser_sums)
        spread = bound.spread if below is None else np.maximum(bound.spread, below.spread)
        better = passes * normal_above((expected - best) / spread)
        return Yields(
            weights=still.astype(np.float64),
            finer=np.where(worthwhile, finer, -1.0),
            passes=better,
            no_better=np.where(still, LET_GO * np.count_nonzero(still) * better, 0.0),
            coarser=np.where(worthwhile, coarser, 0.0),
            itself=np.where(still, 1 - np.maximum(ruled_out, worse), 0.0),
        )

    def _exclude(self) -> None:
        """Rule out what cannot be better than the best node.

        Of two nodes of one score the one that comes first in the order of the levels is the better, and what is coarser
        comes later.
        """
        if self._key is None:
            return
        waiting = []
        for score, node, region in self._bounding:
            if score > self._key[0] or (node is not None and (score, node) >= self._key):
                self._excluded[region] = True
            else:
                waiting.append((score, node, region))
        self._bounding = waiting
        self._excluded |= self._levels.no_better_than(*self._key)
        self._excluded |= self._suppressed.worse_than(self._key[0])
        self._excluded |= self._classes.too_few(self.problem, self._units, self._key[0])
