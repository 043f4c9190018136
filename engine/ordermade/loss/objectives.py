"""Objectives of a search: a score to minimise, weights of attributes; every metric is one.

While nothing may be suppressed coarsening a node never lowers a score (but dm and dm_star where persons are counted):
levels are numbered consistently with refinement (prec, height); merging classes lowers their number (`classes`, aecs,
c_avg) and raises the sum of their squares (dm); the costs of levels are made monotone where they are built (entropy,
loss). Then the best passing node is always one of the minimal passing nodes, and a search may stop at those. Where rows
may be suppressed, a coarser node suppresses fewer of them, and their cost may make it the better one: then
searches rule nodes out by the lower bounds of their scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from ordermade.errors import RequestError, UnknownName, quoted
from ordermade.lattice.lattice import Lattice, Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.loss.costs import DECIMALS, AttributeCosts, in_units
from ordermade.loss.metrics import METRICS, Metric, OfClasses, OfCosts, OfLevels, Score, Units, prec_steps

LevelCosts: TypeAlias = tuple[tuple[int | float | None, ...], ...]
"""For each attribute, the cost of each level by its number; None where the level's classes were not counted."""


@dataclass(frozen=True, slots=True)
class Objective:
    """A score to minimise.

    `needs_observation`: whether it depends on the measured classes, not on the levels alone; `needs_suppressed`:
    whether besides on figures of the suppressed rows (`Observation.suppressed`). `score(node, observation)`, of a
    passing node, takes None for the observation where it is not needed, and raises ValueError where it is and lacks
    figures.

    `monotone`: whether a node that is coarser than a passing one never scores less.

    `level_costs`: what each level number of each attribute adds to a sum that the score never falls short of: `unit` x
    the sum <= the score, and = where no observation is needed. None where the levels bound nothing.

    `rounding`: by how many units the sum of the attributes' costs may be rounded down.

    `bound(observation)`: what no passing node can score less than that is measured so, or coarser; `suppressed_adds`:
    by how much more, if it is finer than another one that is measured so. `least(units, classes)`: what none can that
    has at most so many classes of at least k. None where the classes bound nothing. `bounded_by_squares`: whether
    `bound` rises with the sum of the squares of the classes, not with how few they are.
    """

    name: str
    needs_observation: bool
    score: Callable[[Node, Observation | None], Score]
    level_costs: LevelCosts | None = None
    unit: Fraction = Fraction(1)
    needs_suppressed: bool = False
    monotone: bool = True
    rounding: int = 0
    bound: Callable[[Observation], Score] | None = None
    suppressed_adds: Callable[[Observation], int] | None = None
    least: Callable[[int, int], Score] | None = None
    bounded_by_squares: bool = False


def distance_beyond(lattice: Lattice) -> Objective:
    """The distance of a node beyond the accepted levels of `lattice`: levels above them, summed, then Prec.

    For nodes of `lattice.widened()`, where it is monotone: it finds the nearest node that passes after a refusal. It is
    one number, as every score: searches, bounds and progress reckon with scores.
    """
    last = tuple(axis.accepted[-1] for axis in lattice.axes)
    steps = prec_steps(lattice)
    one_beyond = 1 + sum(each[-1] for each in steps)
    level_costs = tuple(
        tuple(max(0, level - limit) * one_beyond + step for level, step in enumerate(each))
        for each, limit in zip(steps, last, strict=True)
    )

    def score(node: Node, _: Observation | None) -> Score:
        return sum(costs[level] for level, costs in zip(node, level_costs, strict=True))

    return Objective("distance_beyond", needs_observation=False, score=score, level_costs=level_costs)


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each attribute, in their order, as whole numbers: `each` / `scale` is the requested one."""

    each: tuple[int, ...]
    scale: int = 1

    @property
    def total(self) -> int:
        """The sum of the whole numbers, 1 where there is no attribute."""
        return sum(self.each) or 1


def equal_weights(lattice: Lattice) -> Weights:
    """Every attribute counts the same."""
    return Weights((1,) * len(lattice.axes))


def weights_of(lattice: Lattice, requested: Mapping[str, Fraction] | None) -> Weights:
    """The weights of a request by column; an attribute that is not named weighs 1.

    Raises RequestError for a weight below 0 and where every attribute weighs 0, UnknownName for another column.
    """
    if not requested:
        return equal_weights(lattice)
    columns = [axis.column for axis in lattice.axes]
    for column, weight in requested.items():
        if column not in columns:
            raise UnknownName("quasi-identifier", column, columns, where="search.weights")
        if weight < 0:
            raise RequestError(f"the weight of {quoted(column)} is below 0", where="search.weights")
    wanted = [Fraction(requested.get(column, 1)) for column in columns]
    if not any(wanted):
        raise RequestError(
            "every quasi-identifier weighs 0", where="search.weights", next_step="Let one of them weigh more."
        )
    scale = math.lcm(*(weight.denominator for weight in wanted))
    return Weights(tuple(int(weight * scale) for weight in wanted), scale)


__all__ = [
    "LevelCosts",
    "Objective",
    "ObjectiveTerms",
    "Score",
    "distance_beyond",
    "objective",
]


@dataclass(frozen=True, slots=True)
class ObjectiveTerms:
    """The context of an objective: lattice, costs of the attributes' levels, requirement, and weights."""

    lattice: Lattice
    costs: Sequence[AttributeCosts]
    requirement: Requirement
    weights: Weights


def objective(
    name: str,
    lattice: Lattice,
    costs: Sequence[AttributeCosts] | None,
    requirement: Requirement,
    weights: Mapping[str, Fraction] | None = None,
) -> Objective:
    """The objective of that name for one request.

    `costs` has one entry for each attribute in their order (only entropy and loss read it). `weights`: how much a
    column counts, 1 where it is not named. Raises UnknownName for a name that is not registered, RequestError where the
    objective needs costs that are not known, or knows no weights.
    """
    if name not in METRICS:
        raise UnknownName("objective", name, METRICS, where="search.objective")
    metric = METRICS[name]
    if weights and not metric.weighted:
        fitting = ", ".join(each.name for each in METRICS.values() if each.weighted)
        raise RequestError(
            f"the objective {name} does not add up over the quasi-identifiers: weights say nothing to it",
            where="search.weights",
            next_step=f"Leave `weights` out, or choose one of {fitting}.",
        )
    terms = ObjectiveTerms(lattice, costs or (), requirement, weights_of(lattice, weights))
    match metric.formula:
        case OfLevels() as formula:
            return _of_levels(metric, formula, terms)
        case OfCosts() as formula:
            return _of_costs(metric, formula, terms)
        case OfClasses() as formula:
            return _of_classes(metric, formula, terms)


def _of_levels(metric: Metric, formula: OfLevels, terms: ObjectiveTerms) -> Objective:
    """A sum that the levels alone decide, and with it what suppressed rows add."""
    steps = 1 if formula.unit is None else formula.unit(terms.lattice)
    of_levels = _sum_of_levels(
        metric.name, _weighted(formula.steps(terms.lattice), terms.weights), _unit(metric, steps, terms.weights)
    )
    suppressed = formula.suppressed
    if suppressed is None or not terms.requirement.most_suppressed:
        return of_levels

    def score(node: Node, observation: Observation | None) -> Score:
        levels = Fraction(of_levels.score(node, None))
        return suppressed(levels, _measured(metric.name, observation), terms.requirement)

    return Objective(
        metric.name,
        needs_observation=True,
        score=score,
        level_costs=of_levels.level_costs,
        unit=of_levels.unit,
        monotone=False,
    )


def _of_classes(metric: Metric, formula: OfClasses, terms: ObjectiveTerms) -> Objective:
    """A figure of the measured classes."""
    required = terms.requirement
    adds = formula.suppressed_adds if required.most_suppressed else None
    return Objective(
        metric.name,
        needs_observation=True,
        score=lambda _, observation: formula.score(_measured(metric.name, observation), required),
        monotone=metric.monotone(required),
        bound=lambda observation: formula.bound(observation, required),
        suppressed_adds=None if adds is None else lambda observation: adds(observation, required),
        least=lambda units, classes: formula.least(units, classes, required),
        bounded_by_squares=formula.by_squares,
    )


def _of_costs(metric: Metric, formula: OfCosts, terms: ObjectiveTerms) -> Objective:
    """A sum of the costs of the levels, and with it of the suppressed rows."""
    name, costs = metric.name, [formula.by_level(each) for each in terms.costs]
    _require(name, terms.lattice, costs)
    units = tuple(tuple(in_units(cost) for cost in each) for each in costs)
    of_levels = _sum_of_levels(name, _weighted(units, terms.weights), _unit(metric, DECIMALS, terms.weights))
    suppressed = formula.suppressed
    if suppressed is None or not terms.requirement.most_suppressed:
        return of_levels

    def score(node: Node, observation: Observation | None) -> Score:
        figures = terms.requirement.suppressed_figures(_measured(name, observation), len(node))
        if figures is None:
            raise ValueError(f"the objective {name} needs the figures of the suppressed rows")
        known = [each for each in suppressed(node, terms.costs, figures) if each is not None]
        if len(known) < len(node):
            raise _not_known(name)
        return of_levels.unit * sum(w * each for w, each in zip(terms.weights.each, known, strict=True))

    return Objective(
        name,
        needs_observation=True,
        score=score,
        level_costs=of_levels.level_costs,
        unit=of_levels.unit,
        needs_suppressed=True,
        monotone=False,
        rounding=terms.weights.total,
    )


def _unit(metric: Metric, steps: int, weights: Weights) -> Fraction:
    """One of so many `steps` in the score: of a share, with the weights divided by their total."""
    return Fraction(1, steps * (weights.total if metric.share else weights.scale))


def _sum_of_levels(name: str, level_costs: LevelCosts, unit: Fraction) -> Objective:
    def score(node: Node, _: Observation | None) -> Score:
        known = [cost for level, each in zip(node, level_costs, strict=True) if (cost := each[level]) is not None]
        if len(known) < len(node):
            raise _not_known(name)
        return unit * sum(known)

    return Objective(name, needs_observation=False, score=score, level_costs=level_costs, unit=unit)


def _weighted(costs: Units, weights: Weights) -> Units:
    return tuple(
        tuple(None if cost is None else weight * cost for cost in each)
        for weight, each in zip(weights.each, costs, strict=True)
    )


def _measured(name: str, observation: Observation | None) -> Observation:
    if observation is None:
        raise ValueError(f"the objective {name} needs the node's observation")
    return observation


def _not_known(name: str) -> ValueError:
    return ValueError(f"the {name} of a level that is not accepted is not known")


def _require(name: str, lattice: Lattice, costs: Sequence[Sequence[float | None]]) -> None:
    """Raise RequestError unless every accepted level of every attribute has a cost."""
    for position, axis in enumerate(lattice.axes):
        known = costs[position] if position < len(costs) else ()
        if any(level >= len(known) or known[level] is None for level in axis.accepted):
            raise RequestError(
                f"the {name} of the accepted levels of {quoted(axis.column)} is not known",
                where="search.objective",
                next_step="Choose an objective that needs no counts of values: `objective: prec`.",
            )


_COLUMNS: Mapping[str, Callable[[Metric], str]] = {
    "name": lambda each: f"`{each.name}`",
    "what it is": lambda each: each.meaning,
    "what it says of suppressed rows": lambda each: each.suppressed,
    "at a node and all that is coarser, never below": lambda each: each.bound,
    "`weights`": lambda each: "yes" if each.weighted else "no",
    "never lower at a coarser passing node": lambda each: _never_lower(each),
}


def losses_reference() -> str:
    """The Markdown of every metric: its definition, and its treatment of suppressed rows."""
    return _table(*list(_COLUMNS)[:3])


def conclusions_reference() -> str:
    """The Markdown of what a search may conclude from each metric."""
    return _table("name", *list(_COLUMNS)[3:])


def _table(*headings: str) -> str:
    rows = ([_COLUMNS[heading](each) for heading in headings] for each in METRICS.values())
    lines = (list(headings), ["---"] * len(headings), *rows)
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def _never_lower(each: Metric) -> str:
    if each.monotone_under_limit:
        return "yes" if each.monotone_of_persons else "where rows are counted"
    return "if nothing is suppressed" if each.monotone_of_persons else "if nothing is suppressed and rows are counted"
