"""Rounds of questions that look for a good node first: those that are expected to improve on the best the most.

A search of a large lattice that only closes in on a proof measures what bounds the optimum, which is far from it. So
before it, and where it finds a better node, nodes around the best ones are measured in rounds. The share of rows that a
node suppresses is forecast by the entropies of its levels, and corrected by the measured nodes near it (a Gaussian
process of its logit, Rasmussen and Williams 2006). A node is worth its expected improvement: the chance that it passes
and is better, times by how much (Jones et al. 1998). Nothing of a proof rests on it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation
from ordermade.prediction.cells import Reals, normal_above
from ordermade.prediction.independence import HALF
from ordermade.search.problem import AT_ONCE, SearchProblem
from ordermade.search.proof_size import level_figures

LEARNT_FROM = 160
"""The measured nodes that correct a forecast: those whose share of suppressed rows is nearest to the best's."""
CONSTANT, SLOPE, AROUND = 3.0, 0.3, 0.7
"""What is not known of a logit, in standard deviations: everywhere, for each figure of a node, and around it."""
APART = 2.0
"""The difference of two nodes' levels, in nats of entropy, over which what is around falls to 1/e."""
NOISE = 0.05
REMEMBERED, SURE_OF_DOUBT = 48, 2
"""The forecasts that correct the standard deviations of the next, and how many right ones these stand for at first."""
OF_FEW = 2.0
"""The variance of the logit of few suppressed rows, times as many: they come in classes."""
AWAY = 0.1
"""The standard deviation that a node whose logit is 1 from the best's leaves to nodes there."""
WIDTH = 6
"""The best nodes, from which others are looked for."""
LARGEST = 600.0
"""The logits beyond which a share is as good as 0 or 1."""
CLIMBS = 60
"""The most steps from them: a lattice may have as many levels in all."""
CANDIDATES = 128
"""The nodes that a round is chosen from."""
LEAST_GAIN = 3e-6
"""The expected improvement that is worth no question, as a share of the best score."""
STALE = 5
"""The rounds without a better node after which a descent ends."""
OF_FIRST = 0.3
"""Of the improvement that is expected of the first node of a round, the share that the others have at least."""
LIKE = 0.7
"""What is left of the improvement that is expected of a node, where one of the same forecast is measured with it."""

FIGURES = 3
"""The figures of a level: the logarithm of its classes, its entropy, and that of the second order."""

Place: TypeAlias = tuple[int, ...]
"""A node by the numbers of its levels among the accepted ones."""
Places = npt.NDArray[np.intp]
"""Places of nodes, a row each."""


class Descent:
    """The nodes to measure next on the way to a good one."""

    def __init__(self, problem: SearchProblem) -> None:
        """Raises ValueError for an objective whose levels have no costs."""
        costs = problem.objective.level_costs
        if costs is None:
            raise ValueError(f"the levels of {problem.objective.name} have no costs")
        self._problem = problem
        self._accepted = [axis.accepted for axis in problem.lattice.axes]
        unit = float(problem.objective.unit)
        self._costs = [
            np.array([unit * float(each[level] or 0) for level in accepted])
            for each, accepted in zip(costs, self._accepted, strict=True)
        ]
        self._most = unit * sum(float(max(cost or 0 for cost in each)) for each in costs)
        self._figures = [_figures(problem, position) for position in range(len(costs))]
        self._rows = max(problem.proofs.rows or 1, 1)
        self._stale, self._best = 0, math.inf
        self._misses: list[float] = []
        """Of the latest forecasts, by how many standard deviations each was wrong."""
        self._forecasts: dict[Node, tuple[float, float]] = {}

    def round(
        self, measured: Mapping[Node, Observation], best: Node, score: float, is_left: Callable[[Node], bool]
    ) -> list[Node]:
        """The nodes of the next round; none where nothing is worth it. `best`: the best node, and its `score`."""
        self._stale = 0 if score < self._best else self._stale + 1
        self._best = score
        known = {
            node: self._logit(observation)
            for node, observation in measured.items()
            if node in self._problem.lattice and self._problem.decides(observation) and observation.adds_up
        }
        if best not in known or self._stale > STALE:
            self._best = math.inf
            return []
        self._learn_doubt(known)
        forecast = self._forecast(known, known[best])
        passing = [node for node in known if self._problem.requirement.passes(measured[node])]
        starts = sorted(passing, key=lambda node: self._problem.key(node, measured[node]))[:WIDTH]
        return self._chosen(forecast, self._climbed(forecast, self._at(starts), score, is_left), score, is_left)

    def _learn_doubt(self, known: Mapping[Node, float]) -> None:
        """Take in how wrong the forecasts of the last round were."""
        for node, (mean, spread) in self._forecasts.items():
            if node in known:
                self._misses.append((known[node] - mean) / spread)
        self._misses = self._misses[-REMEMBERED:]

    @property
    def _doubt(self) -> float:
        """By what the standard deviations of forecasts are too small."""
        squares = sum(each * each for each in self._misses)
        return math.sqrt((squares + SURE_OF_DOUBT) / (len(self._misses) + SURE_OF_DOUBT))

    def _logit(self, observation: Observation) -> float:
        """The logit of the share of suppressed rows; of none, it falls as the least class grows beyond k."""
        required = self._problem.requirement
        suppressed = required.suppressed(observation)
        beyond = 0.0 if suppressed else math.log(max(observation.k, 1) / max(required.k, 1))
        return math.log((suppressed + HALF) / (observation.rows - suppressed + HALF)) - beyond

    def _forecast(self, known: Mapping[Node, float], of_best: float) -> _Forecast:
        nearest = sorted(known, key=lambda node: abs(known[node] - of_best))[:LEARNT_FROM]
        logits = np.array([known[node] for node in nearest])
        return _Forecast(self._figures, self._at(nearest), logits, of_best, self._rows, self._problem.k)

    def _at(self, nodes: Sequence[Node]) -> Places:
        return _rows([self._place(node) for node in nodes])

    def _place(self, node: Node) -> Place:
        return tuple(accepted.index(level) for accepted, level in zip(self._accepted, node, strict=True))

    def _expected(self, forecast: _Forecast, places: Places, score: float) -> Reals:
        """The expected improvement on a score by each node."""
        levels = np.zeros(len(places))
        for i, each in enumerate(self._costs):
            levels += each[places[:, i]]
        by_suppressed = self._most - levels if self._problem.objective.needs_observation else np.zeros(len(places))
        share = np.full(len(places), self._problem.requirement.most_suppressed / self._rows)
        np.minimum(share, (score - levels) / np.maximum(by_suppressed, 1e-12), out=share)
        rows = np.clip(share, 0.0, 1.0) * self._rows
        mean, spread = forecast.at(places)
        spread = spread * self._doubt
        beyond = (mean - np.log((rows + 2 * HALF) / (self._rows - rows + HALF))) / spread
        chance = normal_above(beyond)
        # The mean of what is left of a normal distribution below its end.
        within = mean - spread * np.exp(-beyond * beyond / 2) / math.sqrt(2 * math.pi) / np.maximum(chance, 1e-300)
        gain = score - levels - by_suppressed * _share(within)
        expected: Reals = np.where((share >= 0) & (levels < score), chance * np.maximum(gain, 0.0), 0.0)
        return expected

    def _climbed(
        self, forecast: _Forecast, starts: Places, score: float, is_left: Callable[[Node], bool]
    ) -> dict[Place, float]:
        """The nodes along which the expected improvement rises from the starts, and those beside them: it of each."""
        found: dict[Place, float] = {}
        left: dict[Place, bool] = {}
        front: list[Place] = [tuple(each) for each in starts.tolist()]
        done: set[Place] = set()
        for _ in range(CLIMBS):
            if not front:
                break
            done.update(front)
            new = list(dict.fromkeys(other for each in front for other in self._beside(each) if other not in found))
            if new:
                found.update(zip(new, self._expected(forecast, _rows(new), score).tolist(), strict=True))
            best: list[Place] = []
            for each in sorted(found, key=found.__getitem__, reverse=True):
                if len(best) == WIDTH or found[each] <= 0:
                    break
                if each not in left:
                    left[each] = is_left(self._node(each))
                if left[each]:
                    best.append(each)
            front = [each for each in best if each not in done]
        return found

    def _node(self, place: Place) -> Node:
        return tuple(accepted[level] for accepted, level in zip(self._accepted, place, strict=True))

    def _beside(self, node: Place) -> Iterator[Place]:
        """The nodes that differ in one attribute, and those that give a level of one for a level of another."""
        many = [len(each) for each in self._accepted]
        for i, place in enumerate(node):
            for other in range(many[i]):
                if other != place:
                    yield (*node[:i], other, *node[i + 1 :])
        for i, finer in enumerate(node):
            for j, coarser in enumerate(node):
                if i != j and finer > 0 and coarser + 1 < many[j]:
                    changed = list(node)
                    changed[i], changed[j] = finer - 1, coarser + 1
                    yield tuple(changed)

    def _chosen(
        self,
        forecast: _Forecast,
        found: Mapping[Place, float],
        score: float,
        is_left: Callable[[Node], bool],
    ) -> list[Node]:
        """The nodes of a round: each the best by what those before it are expected to leave."""
        least = max(LEAST_GAIN, 1 / self._problem.lattice.size) * score
        left: list[Place] = []
        for each in sorted(found, key=found.__getitem__, reverse=True):
            if found[each] < least or len(left) == CANDIDATES:
                break
            if is_left(self._node(each)):
                left.append(each)
        if not left:
            return []
        expected, places = np.array([found[each] for each in left]), _rows(left)
        least = max(least, OF_FIRST * expected[0])
        chosen: list[int] = []
        while len(chosen) < AT_ONCE and expected.max() >= least:
            chosen.append(int(np.argmax(expected)))
            expected *= 1 - (1 - LIKE) * forecast.nearness(places, places[chosen[-1:]])[:, 0]
            expected[chosen[-1]] = -1.0
        nodes = [self._node(left[each]) for each in chosen]
        of_each = (each.tolist() for each in forecast.at(places[chosen]))
        self._forecasts = dict(zip(nodes, zip(*of_each, strict=True), strict=True))
        return nodes


def _share(logits: Reals) -> Reals:
    share: Reals = 1 / (1 + np.exp(np.clip(-logits, -LARGEST, LARGEST)))
    return share


def _rows(places: Sequence[Place]) -> Places:
    return np.array(places, dtype=np.intp)


def _figures(problem: SearchProblem, position: int) -> Reals:
    """The figures of each accepted level of an attribute; where its classes are not known, each level halves them."""
    axis = problem.lattice.axes[position]
    known = level_figures(problem, position)
    if known is None:
        halves = math.log(2) * np.arange(axis.top, -1, -1, dtype=np.float64)
        known = np.column_stack([halves] * FIGURES)
    of_accepted: Reals = known[list(axis.accepted)]
    return of_accepted


class _Forecast:
    """The logit of the share of suppressed rows of any node, by a Gaussian process over measured ones."""

    def __init__(
        self, figures: Sequence[Reals], places: Places, logits: Reals, of_best: float, rows: int, k: int
    ) -> None:
        self._figures, self._places, self._rows = figures, places, rows
        # Of classes of one size, half the rows are in classes below k where there are as many classes as rows by k.
        self._even = math.log(max(rows, 1) / max(k, 1))
        own = self._covariance(places, places)
        suppressed = rows * _share(logits)
        chance = 1 / (suppressed + 1) + 1 / (rows - suppressed + 1)
        noise = NOISE**2 + (AWAY * (logits - of_best)) ** 2 + chance
        self._inverse = np.linalg.inv(own + np.diag(noise))
        self._weights = self._inverse @ (logits - self._usual(places))

    def at(self, places: Places) -> tuple[Reals, Reals]:
        """The mean of each node's logit, and its standard deviation."""
        with_measured = self._covariance(places, self._places)
        mean: Reals = self._usual(places) + with_measured @ self._weights
        sums = self._sums(places)
        own = CONSTANT**2 + AROUND**2 + SLOPE**2 * (sums * sums).sum(axis=1)
        variance = own - ((with_measured @ self._inverse) * with_measured).sum(axis=1)
        suppressed = self._rows * _share(mean)
        variance = np.maximum(variance, NOISE**2) + OF_FEW / (suppressed + 1)
        return mean, np.sqrt(variance)

    def nearness(self, places: Places, others: Places) -> Reals:
        """How near each node is to each of the others, from 0 to 1."""
        apart = np.zeros((len(places), len(others)))
        for i, each in enumerate(self._figures):
            entropy = each[:, 1]
            apart += np.abs(entropy[places[:, i]][:, None] - entropy[others[:, i]][None, :])
        near: Reals = np.exp(-apart / APART)
        return near

    def _covariance(self, places: Places, others: Places) -> Reals:
        linear = self._sums(places) @ self._sums(others).T
        covariance: Reals = CONSTANT**2 + SLOPE**2 * linear + AROUND**2 * self.nearness(places, others)
        return covariance

    def _sums(self, places: Places) -> Reals:
        """Each figure summed over the attributes, less what it is where classes of one size have k rows each."""
        sums = np.full((len(places), FIGURES), -self._even)
        for i, each in enumerate(self._figures):
            sums += each[places[:, i]]
        return sums

    def _usual(self, places: Places) -> Reals:
        usual: Reals = self._sums(places)[:, 1]
        return usual
