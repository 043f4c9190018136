"""The guided search: which node to measure next, until nothing better than the best node found is left unproved.

Prediction chooses the questions, their answers prove: a wrong prediction costs questions, never the optimum. Where the
class sizes of the attributes are known the forecast chooses the first one, too; else the power law does.
"""

from __future__ import annotations

import heapq
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from ordermade.errors import TooLittleKnown
from ordermade.lattice.lattice import Lattice, Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.proofs import UNKNOWN
from ordermade.prediction.cells import Reals
from ordermade.prediction.forecast import Forecast
from ordermade.prediction.power import PowerLaw, expected_divisions, fit_scores, fitted
from ordermade.prediction.prediction import Evidence
from ordermade.search import grid
from ordermade.search.problem import Batch, Outcome, Search, SearchProblem, SearchStart
from ordermade.search.rounds import chosen, round_in_questions
from ordermade.search.search_state import doubted, least_doubt, search_state
from ordermade.search.worth import ClassFigures, Foreseen

Asking: TypeAlias = Generator[Batch, Sequence[Observation], None]


class GuidedSearch:
    """A search under way: the settled nodes, the forecast of the rest, and the measurement of nodes."""

    def __init__(self, problem: SearchProblem, evidence: Evidence) -> None:
        """`evidence` is the problem's, or the rows alone where the problem has none."""
        self.problem = problem
        self.evidence = evidence
        self.state = search_state(problem)

    @cached_property
    def forecast(self) -> Forecast:
        """The forecast of every node; made when the first node is to be chosen, if one is."""
        return Forecast(self.evidence, self.problem.requirement)

    @cached_property
    def figures(self) -> ClassFigures | None:
        """The forecasts of what the classes bound, made when the forecast is; None where they bound no score."""
        if self.problem.objective.bound is None:
            return None
        return ClassFigures(self.problem, self.forecast, self.divisions, self.state.measured)

    @property
    def divisions(self) -> Reals:
        """The expected number of classes of every accepted node."""
        return _forecast_divisions(self.problem.lattice, self.forecast)

    def ask(self, nodes: Iterable[Node]) -> Asking:
        """Measure nodes, accepted or not, that were not measured yet, and learn from them.

        A node whose observation is proved is not measured.
        """
        new = [node for node in dict.fromkeys(nodes) if node not in self.state.measured]
        known = {node: found for node in new if (found := self.problem.exact(node)) is not None}
        unknown = [node for node in new if node not in known]
        answers: Sequence[Observation] = ()
        if unknown:
            left = max(len(unknown), int(np.count_nonzero(self.state.open)))
            answers = yield Batch.of(unknown, left, self.state.so_far)
        figures, measured = self.figures, known | dict(zip(unknown, answers, strict=True))
        for node, observation in measured.items():
            self.state.learn(node, observation)
        self.forecast.learn(measured)
        if figures is not None:
            figures.learn(measured)

    def expect_anew(self) -> None:
        """Make the forecast again: measured nodes may show how many classes the attributes have."""
        self.evidence = replace(self.evidence, observed={**self.evidence.observed, **self.state.measured})
        self.forecast = Forecast(self.evidence, self.problem.requirement)
        self.__dict__.pop("figures", None)  # they are made anew when they are next needed

    def most_decisive(self) -> list[Node]:
        """The nodes of a round: measuring the first is expected to rule out most of what is open."""
        self.forecast.narrow(self.state.unsettled)
        doubt = least_doubt(int(np.count_nonzero(self.state.open)))
        passes = doubted(self.forecast.chance_to_pass(self.problem.k), doubt)
        stays_open = self.forecast.chance_to_leave_open(self.problem.k)
        foreseen = Foreseen(passes, passes if stays_open is None else doubted(stays_open, doubt))
        yields = self.state.yields(foreseen if self.figures is None else self.figures.foreseen(foreseen))
        combinations = min(float(self.divisions.max()), self.evidence.rows)
        k_alone = self.problem.requirement.k_alone and not self.problem.objective.needs_observation
        round_costs = round_in_questions(self.problem.lattice.size, combinations, k_alone=k_alone)
        places = chosen(yields, self.problem.lattice, self.state.reach, round_costs)
        return [grid.node_at(self.problem.lattice, each) for each in places]

    def outcome(self, start: SearchStart | None) -> Outcome:
        """The outcome as far as it is known by now."""
        best, observation, minimal, certified = self.state.outcome_parts()
        score_proved = not certified and self.state.score_proved
        return Outcome(best, observation, minimal, certified, start, score_proved=score_proved)


def guided(problem: SearchProblem) -> Search:
    """Ask the most decisive questions until the optimum is proved.

    Where the class sizes of the attributes are known, the forecast that rests on them chooses the first one, too. Else,
    or where the settings say so, the first is the node that the power law predicts.
    """
    search = yield from begun_search(problem)
    start: SearchStart | None = None
    if search.state.open.any() and (problem.settings.by_law or not search.forecast.knows_class_sizes):
        start = yield from started(search)
    yield from certify(search)
    return search.outcome(start)


def certify(search: GuidedSearch) -> Asking:
    """Measure nodes until the best is proved to be the optimum, or every accepted node to fail.

    The nodes of a round are those expected to rule out most others. A node that is worse than the best
    may be among them: where a coarse node fails for k, all finer ones fail with it.
    """
    while search.state.open.any():
        yield from search.ask(search.most_decisive())


def begun_search(problem: SearchProblem) -> Generator[Batch, Sequence[Observation], GuidedSearch]:
    """The search of a problem. Where nothing is known, not even the rows, the last accepted node is measured first."""
    if problem.evidence is not None:
        return GuidedSearch(problem, problem.evidence)
    last = tuple(axis.accepted[-1] for axis in problem.lattice.axes)
    (observation,) = yield Batch.of([last], left=problem.lattice.size)
    most_suppressed = problem.requirement.most_suppressed
    search = GuidedSearch(problem, Evidence.nothing(problem.lattice, observation.rows, most_suppressed))
    search.state.learn(last, observation)
    search.forecast.learn({last: observation})
    return search


def divisions_of_nodes(lattice: Lattice, evidence: Evidence | None) -> Reals:
    """The expected number of classes of every accepted node, as an array over its accepted levels."""
    return _estimated(lattice) if evidence is None else _forecast_divisions(lattice, Forecast(evidence))


def _forecast_divisions(lattice: Lattice, forecast: Forecast) -> Reals:
    """Return the forecast number of classes, or an estimate if the forecast is the same for all nodes."""
    divisions = forecast.divisions
    return divisions if np.ptp(divisions) > 0 else _estimated(lattice)


def _estimated(lattice: Lattice) -> Reals:
    """Estimate where no class was ever counted: each level below `*` has one class more than the one above it."""
    estimated: Reals = np.ones(lattice.shape)
    for position, axis in enumerate(lattice.axes):
        classes = np.array([1.0 + axis.top - level for level in axis.accepted])
        estimated *= classes.reshape(grid.along(position, estimated.ndim))
    return estimated


Law = tuple[PowerLaw, list[tuple[int, int]]]
"""The law and the points (number of classes, k) it was fitted to."""


def started(search: GuidedSearch) -> Generator[Batch, Sequence[Observation], SearchStart | None]:
    """Measure the open node that the law predicts and return it; None where the sample settled every node."""
    law, sample = yield from law_of(search)
    problem, state = search.problem, search.state
    target = None if law is None else law[0].divisions(problem.k)
    candidates = state.open & (state.tags == UNKNOWN)
    place = nearest(search.divisions, candidates, target, overshoot=problem.settings.overshoot == "include")
    if place is None:
        return None
    node = grid.node_at(problem.lattice, place)
    yield from search.ask([node])
    return start_of(node, law, problem.k, sample)


def law_of(
    search: GuidedSearch,
) -> Generator[Batch, Sequence[Observation], tuple[Law | None, tuple[Observation, ...]]]:
    """The power law, None where none can be fitted, and what was measured to fit it.

    Table C and the class sizes of the columns are enough in most cases; else the `sample` coarsest nodes are measured.
    """
    try:
        return fitted(search.evidence), ()
    except TooLittleKnown:
        pass
    before = set(search.state.measured)
    yield from search.ask(coarsest(search.evidence, search.problem.settings.sample))
    sample = tuple(each for node, each in search.state.measured.items() if node not in before)
    search.expect_anew()
    try:
        return fitted(search.evidence), sample
    except TooLittleKnown:
        return None, sample


def start_of(node: Node, law: Law | None, k: int, sample: Sequence[Observation]) -> SearchStart:
    """The start of the search, for its report."""
    start = SearchStart(node, sampled=len(sample), sampled_divisions=sum(each.divisions for each in sample))
    if law is None:
        return start
    power, points = law
    r = fit_scores(power, points).r
    return SearchStart(node, power.divisions(k), power.alpha, power.beta, r, start.sampled, start.sampled_divisions)


def nearest(divisions: Reals, candidates: grid.Flags, target: float | None, *, overshoot: bool) -> int | None:
    """The candidate (a flat index) whose number of classes is nearest to the target; None without a candidate.

    Of equally near ones the first: the first listed attribute keeps its detail. Without a target (no law) the
    coarsest. Without `overshoot` nodes above the target are left out; if that leaves none, the coarsest.
    """
    x = np.rint(divisions.ravel())  # numbers of classes are whole: their expectations tie where they do
    places = np.flatnonzero(candidates)
    if not places.size:
        return None
    if target is not None and not overshoot:
        below = places[x[places] <= target]
        places, target = (below, target) if below.size else (places, None)
    if target is None:
        return int(places[::-1][np.argmin(x[places][::-1])])
    # A target beyond all nodes, be it infinite, is as near as the last of them.
    aim = min(max(target, float(x[places].min())), float(x[places].max()))
    return int(places[np.argmin(np.abs(x[places] - aim))])


def coarsest(evidence: Evidence, count: int) -> list[Node]:
    """The nodes with the fewest expected classes, in that order; attributes may be at `*`, but not all of them.

    The product of the attributes' classes stands for the node's; where they are not known, a level counts for more
    classes the further it is from `*`.
    """
    lattice = evidence.lattice
    levels = [
        sorted((_classes(evidence, position, level), level) for level in axis.accepted if level != axis.top)
        for position, axis in enumerate(lattice.axes)
    ]
    return [node for node, _ in zip(_by_product(lattice.top, levels), range(count), strict=False)]


def _by_product(top: Node, levels: Sequence[Sequence[tuple[float, int]]]) -> Iterator[Node]:
    """Nodes by ascending product of classes: each is reached once, by adding attributes in their order."""
    waiting: list[tuple[float, Node, int]] = [(1.0, top, 0)]
    while waiting:
        product, node, first = heapq.heappop(waiting)
        if node != top:
            yield node
        for position in range(first, len(top)):
            for classes, level in levels[position]:
                finer = (*node[:position], level, *node[position + 1 :])
                heapq.heappush(waiting, (product * classes, finer, position + 1))


def _classes(evidence: Evidence, position: int, level: int) -> float:
    top = evidence.lattice.top
    try:
        return max(1.0, expected_divisions(evidence, (*top[:position], level, *top[position + 1 :])))
    except TooLittleKnown:
        return 2.0 + top[position] - level
