"""The least questions that a proof is expected to need, before it is found: of a lattice of any size. Pure.

Every node that scores less than the optimum has to be ruled out, by a failing node that it refines. One question rules
out two of them only if their join, the finest node that both refine, fails. So of any of these nodes a proof needs at
least as many questions as there are nodes without a failing join of two of them. Where each has one with d others, that
is the sum of 1 / (1 + d) over the nodes, or more (Caro 1979, Wei 1981).

Nodes are drawn from those that cost little less than the best node, evenly, by counting costs attribute after
attribute: none is listed. Whether a join fails is forecast by one figure that adds up over the attributes: entropies of
their levels, of the orders 0, 1 and 2, weighed so that they give the rows in classes below k of the measured nodes.
Nothing of a proof rests on it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ordermade.lattice.lattice import Axis, Node
from ordermade.lattice.observation import Observation
from ordermade.loss.objectives import Score
from ordermade.prediction.cells import Reals
from ordermade.prediction.independence import HALF
from ordermade.search.problem import MeasuringBudget, SearchProblem, WithinBudget

STEPS = 720
"""The costs of nodes are rounded to so many steps: levels in equal parts up to 6, of up to 30 attributes, exactly."""
BAND = 4
"""The nodes that are drawn cost the most that is less than the best, or so many steps less."""
DRAWN = 40_000
NEAREST = (1.0, 0.3, 0.1, 0.03)
"""The shares of the nodes drawn, those next to the border, whose bounds are compared."""
LOOKED_AT = 150
ENOUGH = 24
"""Measured nodes from which the weights of the figures are read."""
NEAR = 1.5
RIDGE = 0.01
"""The weights are drawn to 0 by so much of what all measured nodes count."""
MUCH = 2.0
"""A proof is said not to come where it needs so many times more than what is left: a forecast is no more than that."""
FIRST_SECONDS = 5.0
"""Of a search, before which nothing is said; of a budget of seconds a fifth, where that is less."""
LONG_SECONDS = 600.0
"""Where nothing limits a search, a proof that takes longer is said to."""

Drawn = npt.NDArray[np.intp]


def least_questions(problem: SearchProblem, measured: Mapping[Node, Observation], best: Score | None) -> int | None:
    """The fewest questions that any proof is expected to need that no node scores less than the best.

    `best`: the score of the best node so far. None where too little was measured, where no node has passed, where the
    classes of a single attribute are not known, or where passing or the score follows from more than k and the levels.
    """
    costs, required, axes = problem.objective.level_costs, problem.requirement, problem.lattice.axes
    if costs is None or best is None or problem.objective.needs_observation or not required.k_alone:
        return None
    figures = [level_figures(problem, position) for position in range(len(axes))]
    known = [each for each in figures if each is not None]
    rows = {
        node: observation.below(problem.k)
        for node, observation in measured.items()
        if node in problem.lattice and observation.determines_below(problem.k)
    }
    if len(known) < len(axes) or len(rows) < ENOUGH:
        return None
    border, weights = _fitted(known, rows, math.log(required.most_suppressed + HALF))
    attributes = [_Attribute.of(*each, weights) for each in zip(axes, costs, known, strict=True)]
    return _least_of(attributes, border, float(best / problem.objective.unit))


def level_figures(problem: SearchProblem, position: int) -> Reals | None:
    """For each level of an attribute the logarithm of its classes, its entropy, and that of the second order.

    None where the classes of a level are not known.
    """
    top = problem.lattice.top
    found = []
    for level in range(top[position] + 1):
        alone = problem.proofs.exact((*top[:position], level, *top[position + 1 :]))
        if alone is None or not alone.sizes:
            return None
        classes = np.array([many for _, many in alone.sizes], dtype=np.float64)
        shares = np.array([size for size, _ in alone.sizes], dtype=np.float64)
        shares /= (shares * classes).sum()
        entropy = -(classes * shares * np.log(shares)).sum()
        found.append((math.log(classes.sum()), entropy, -math.log((classes * shares * shares).sum())))
    return np.array(found)


def _fitted(figures: Sequence[Reals], rows: Mapping[Node, int], limit: float) -> tuple[float, Reals]:
    """The border, and the weights of the figures that give the rows in classes below k of the measured nodes best.

    Logarithms of rows, by weighted least squares: nodes count the more, the nearer they are to the `limit`.
    """
    below = np.log(np.array(list(rows.values()), dtype=np.float64) + HALF)
    added = [sum(each[level] for each, level in zip(figures, node, strict=True)) for node in rows]
    terms = np.column_stack([np.ones(len(added)), np.array(added)])
    counted = np.exp(-np.abs(below - limit) / NEAR)
    ridge = np.diag([RIDGE / 1e4, RIDGE, RIDGE, RIDGE]) * counted.sum()
    found = np.linalg.solve(terms.T @ (terms * counted[:, None]) + ridge, terms.T @ (counted * below))
    return limit - float(found[0]), found[1:]


def no_proof_by(
    left: int, seconds_a_question: float, budget: MeasuringBudget, spent: float, counted: int
) -> str | None:
    """What ends before a proof can come, in words; None where one may come.

    `left`: the questions that it needs yet; `spent` and `counted`: the seconds and the nodes of the budget so far.
    """
    seconds = left * seconds_a_question
    if budget.questions is not None and left > MUCH * (budget.questions - counted):
        return f"the budget of {budget.questions:,} questions"
    if budget.seconds is not None and seconds > MUCH * (budget.seconds - spent):
        return f"the budget of {budget.seconds:g} seconds"
    if budget.seconds is None and budget.questions is None and seconds > LONG_SECONDS:
        return in_time(LONG_SECONDS)
    return None


def in_time(seconds: float) -> str:
    """Seconds in minutes, hours or days."""
    for name, each in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * each:
            return f"{seconds / each:,.0f} {name}"
    return f"{seconds:,.0f} seconds"


class Outlook:
    """Says once, early in a search, where no proof is expected to come by its end."""

    def __init__(self, problem: SearchProblem, within: WithinBudget) -> None:
        self._problem, self._within = problem, within
        self._began = within.clock()
        most = within.budget.seconds
        self._by = FIRST_SECONDS if most is None else min(FIRST_SECONDS, most / 5)

    def look(self, measured: Mapping[Node, Observation]) -> None:
        """Forecasts, and again after twice as many seconds, until it has something to say: it takes half a second."""
        within, now = self._within, self._within.clock() - self._began
        if within.notice is None or now < self._by or len(measured) < ENOUGH:
            return
        self._by = 2 * now
        problem = self._problem
        if problem.objective.needs_observation:
            return
        passing = (node for node, each in measured.items() if problem.requirement.passes(each))
        best = min((problem.objective.score(node, None) for node in passing if node in problem.lattice), default=None)
        least = least_questions(problem, measured, best)
        if least is None or least <= len(measured):
            return
        left, each = least - len(measured), now / len(measured)
        ends = no_proof_by(left, each, within.budget, within.clock(), within.measured())
        if ends is not None:
            within.notice(
                f"A proof that nothing is better needs {left:,} more questions at least, by a forecast: "
                f"{in_time(left * each)} at the speed so far, more than {ends}. Without it the answer is the best node "
                "found, with a bound; give the search more, leave columns out, or use hierarchies of fewer levels."
            )
            within.notice = None


@dataclass(frozen=True, slots=True)
class _Attribute:
    """The accepted levels of an attribute: their costs, and of each pair what a level that both refine has at best."""

    costs: Reals
    joint_costs: Reals
    joint_parting: Reals

    @classmethod
    def of(cls, axis: Axis, costs: Sequence[float | None], figures: Reals, weights: Reals) -> _Attribute:
        accepted, refines = axis.accepted, axis.order.refines
        parting = (figures @ weights).tolist()
        own = {level: (float(costs[level] or 0), parting[level]) for level in accepted}
        shape = (len(accepted), len(accepted))
        joint_costs, joint_parting = np.full(shape, np.inf), np.full(shape, -np.inf)
        for i, one in enumerate(accepted):
            for j, other in enumerate(accepted):
                both = [own[each] for each in accepted if refines(one, each) and refines(other, each)]
                if both:
                    joint_costs[i, j] = min(cost for cost, _ in both)
                    joint_parting[i, j] = max(parted for _, parted in both)
        return cls(np.array([own[level][0] for level in accepted]), joint_costs, joint_parting)


def _least_of(attributes: Sequence[_Attribute], border: float, best: float) -> int:
    """The greatest bound of several sets of nodes that cost less than the best: those next to the border, and more."""
    step = sum(float(each.costs.max()) for each in attributes) / STEPS
    if step <= 0:
        return 0
    steps = [np.rint(each.costs / step).astype(np.int64) for each in attributes]
    limit = math.ceil(best / step - 0.5)
    ways = _ways(steps, limit)
    (costs,) = np.nonzero(ways[0][:limit])
    if not costs.size:
        return 0
    of_cost = ways[0][max(0, int(costs[-1]) - BAND) : limit]
    drawn = _drawn(steps, ways, of_cost, limit, np.random.default_rng(0))
    parted = np.zeros(DRAWN)
    for each, levels in zip(attributes, drawn, strict=True):
        parted += each.joint_parting[levels, levels]
    nearest = np.argsort(parted, kind="stable")[np.count_nonzero(parted <= border) :]
    found = 0.0
    for share in NEAREST:
        of = nearest[: max(1, int(share * nearest.size))]
        if of.size < 2:
            continue
        number = float(of_cost.sum()) * of.size / DRAWN
        together = _share_together(attributes, [each[of] for each in drawn], border, best - step / 2)
        found = max(found, float((1 / np.maximum(together, 1 / number)).mean()))
    return int(found)


def _share_together(attributes: Sequence[_Attribute], drawn: Sequence[Drawn], border: float, best: float) -> Reals:
    """Of some nodes, the share of all with which the join fails; a node may be drawn again, as one of them."""
    every = len(drawn[0])
    some = range(0, every, max(1, every // LOOKED_AT))
    found = []
    for place in some:
        costs, parted = np.zeros(every), np.zeros(every)
        for each, levels in zip(attributes, drawn, strict=True):
            costs += each.joint_costs[levels[place]][levels]
            parted += each.joint_parting[levels[place]][levels]
        together = np.count_nonzero((parted > border) | (costs < best))
        found.append((together - 1) / (every - 1))
    return np.array(found)


def _ways(steps: Sequence[npt.NDArray[np.int64]], limit: int) -> list[Reals]:
    """For the attributes from each on, the nodes of each cost below the limit."""
    ways: list[Reals] = [np.zeros(max(limit, 1))]
    ways[0][0] = 1.0
    for costs in reversed(steps):
        added = np.zeros_like(ways[0])
        for cost in costs.tolist():
            if cost < limit:
                added[cost:] += ways[0][: limit - cost]
        ways.insert(0, added)
    return ways


def _drawn(
    steps: Sequence[npt.NDArray[np.int64]], ways: Sequence[Reals], of_cost: Reals, limit: int, rng: np.random.Generator
) -> list[Drawn]:
    """Nodes drawn evenly of those that cost as much: for each attribute the index of the level of each."""
    left = limit - len(of_cost) + rng.choice(len(of_cost), size=DRAWN, p=of_cost / of_cost.sum())
    found = []
    for costs, rest in zip(steps, ways[1:], strict=True):
        after = left[:, None] - costs[None, :]
        upto = np.where(after >= 0, rest[np.maximum(after, 0)], 0.0).cumsum(axis=1)
        chosen = (rng.random((DRAWN, 1)) * upto[:, -1:] >= upto).sum(axis=1)
        chosen = np.minimum(chosen, len(costs) - 1)
        left = left - costs[chosen]
        found.append(chosen)
    return found
