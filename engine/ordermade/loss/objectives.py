"""Objectives of a search: a score to minimise, weights of attributes, one entry for each metric.

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
from ordermade.lattice.observation import Observation, Requirement, SuppressedFigures
from ordermade.loss import metrics
from ordermade.loss.metrics import DECIMALS, METRICS, AttributeCosts, Metric, in_units


def even_squares(units: int, classes: int) -> int:
    """The least sum of squares of so many classes that hold at least so many units: they are as even as can be."""
    size, larger = divmod(max(units, 0), max(classes, 1))
    return (classes - larger) * size * size + larger * (size + 1) * (size + 1)


def least_discernibility(units: int, classes: int, requirement: Requirement) -> int:
    """The least DM of a passing node with at most so many classes of at least k.

    A suppressed unit costs all of them, which is never less than it saves, unless there is but one class.
    """
    suppressed = min(requirement.most_suppressed, units // 2) if classes <= 1 else 0
    return even_squares(units - suppressed, max(classes, 1)) + units * suppressed


def least_squares(units: int, classes: int, requirement: Requirement) -> int:
    """The least sum of squares of all classes: the units that may be suppressed are in classes of one."""
    suppressed = min(requirement.most_suppressed, units)
    return even_squares(units - suppressed, max(classes, 1)) + suppressed


def least_average_class_size(units: int, classes: int, requirement: Requirement) -> Fraction:
    """The least average class size, AECS: the suppressed units are one more class."""
    return Fraction(units, max(classes, 1) + (1 if requirement.most_suppressed else 0))


def least_average_class_size_in_k(units: int, classes: int, requirement: Requirement) -> Fraction:
    """The least C_AVG: as few units as may be, in as many classes as can be."""
    return Fraction(max(units - requirement.most_suppressed, 0), max(classes, 1) * requirement.k)


def discernibility(observation: Observation, requirement: Requirement) -> int:
    """DM: in a coarser node a row of a class below k has a class of k at least, or is suppressed, which costs more."""
    k = requirement.k
    if not observation.adds_up:
        return least_discernibility(observation.rows, observation.most_classes(k), requirement)
    small = [(size, classes) for size, classes in observation.sizes if size < k]
    return observation.sum_of_squares + sum((k - size) * size * classes for size, classes in small)


def suppressed_adds(observation: Observation, requirement: Requirement) -> int:
    """To the DM of a node and of all that are finer: their rows in classes below k cost all rows each, and not k.

    Besides `discernibility` of a yet finer node, of which they are rows in classes below k, too.
    """
    k = requirement.k
    return observation.below(k) * (observation.rows - k) if observation.determines_below(k) else 0


def squares(observation: Observation, requirement: Requirement) -> int:
    """The sum of the squares: in a coarser node a row of a class below k has a class of k, or may be suppressed.

    Least where the suppressed rows are those of the smallest classes.
    """
    k, left = requirement.k, requirement.most_suppressed
    if not observation.adds_up:
        by_divisions = even_squares(observation.rows, max(observation.divisions, 1))
        return max(by_divisions, least_squares(observation.rows, observation.most_classes(k), requirement))
    total = observation.sum_of_squares
    for size, classes in observation.sizes:
        if size < k:
            kept = min(size * classes, left)
            left -= kept
            total += (k - size) * (size * classes - kept)
    return total


def average_class_size(observation: Observation, requirement: Requirement) -> Fraction:
    """AECS: a suppressed row is a row less to fill classes with, and all of them one class more."""
    k = requirement.k
    small = [(size, classes) for size, classes in observation.sizes if size < k]
    held = sum(size * classes for size, classes in small)
    large = observation.divisions - sum(classes for _, classes in small)
    most = observation.most_classes(k)
    if requirement.most_suppressed and held:
        most = max(most, large + (held - 1) // k + 1)
    return Fraction(observation.rows, max(min(most, observation.divisions), 1))


def average_class_size_in_k(observation: Observation, requirement: Requirement) -> Fraction:
    """C_AVG: it falls by suppressing rows that fill no class of k; by models other rows may be suppressed, too."""
    k = requirement.k
    suppressed = requirement.most_suppressed
    if observation.adds_up and not requirement.models:
        held = sum(size * classes for size, classes in observation.sizes if size < k)
        suppressed = min(suppressed, held % k)
    return Fraction(max(observation.rows - suppressed, 0), max(observation.most_classes(k), 1) * k)


Score: TypeAlias = int | float | Fraction
"""A number; lower is better. Scores of one objective compare exactly with each other, not with another's."""

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
    steps = metrics.prec_steps(lattice)
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
    "OBJECTIVES",
    "LevelCosts",
    "Objective",
    "ObjectiveDefinition",
    "ObjectiveTerms",
    "Score",
    "distance_beyond",
    "objective",
]

Units: TypeAlias = tuple[tuple[int | None, ...], ...]


@dataclass(frozen=True, slots=True)
class ObjectiveTerms:
    """The context of an objective: lattice, costs of the attributes' levels, requirement, and weights."""

    lattice: Lattice
    costs: Sequence[AttributeCosts]
    requirement: Requirement
    weights: Weights


@dataclass(frozen=True, slots=True)
class ObjectiveDefinition:
    """An objective before it is bound to a request: its metric, and how it is bound."""

    metric: Metric
    bind: Callable[[ObjectiveTerms], Objective]

    @property
    def name(self) -> str:
        """The name that requests use."""
        return self.metric.name

    @property
    def meaning(self) -> str:
        """Its definition in words."""
        return self.metric.meaning

    def monotone(self, requirement: Requirement) -> bool:
        """True if a node that is coarser than a passing one never scores less."""
        if requirement.persons and not self.metric.monotone_of_persons:
            return False
        return self.metric.monotone_under_limit or not requirement.most_suppressed


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
    if name not in OBJECTIVES:
        raise UnknownName("objective", name, OBJECTIVES, where="search.objective")
    if weights and not METRICS[name].weighted:
        fitting = ", ".join(each.name for each in METRICS.values() if each.weighted)
        raise RequestError(
            f"the objective {name} does not add up over the quasi-identifiers: weights say nothing to it",
            where="search.weights",
            next_step=f"Leave `weights` out, or choose one of {fitting}.",
        )
    return OBJECTIVES[name].bind(ObjectiveTerms(lattice, costs or (), requirement, weights_of(lattice, weights)))


def _of_levels(
    name: str, steps: Callable[[Lattice], Units], unit: Callable[[ObjectiveTerms], Fraction]
) -> ObjectiveDefinition:
    """An objective that the levels alone decide: `unit` x the weighted sum of `steps`."""

    def bind(terms: ObjectiveTerms) -> Objective:
        return _sum_of_levels(name, _weighted(steps(terms.lattice), terms.weights), unit(terms))

    return ObjectiveDefinition(METRICS[name], bind)


def _of_classes(
    name: str,
    score_of: Callable[[Observation, Requirement], Score],
    bound: Callable[[Observation, Requirement], Score],
    least: Callable[[int, int, Requirement], Score],
    suppressed_adds: Callable[[Observation, Requirement], int] | None = None,
    *,
    by_squares: bool = False,
) -> ObjectiveDefinition:
    """An objective that the measured classes decide; `by_squares`: see `Objective.bounded_by_squares`."""

    def bind(terms: ObjectiveTerms) -> Objective:
        required = terms.requirement
        adds = suppressed_adds if required.most_suppressed else None
        return Objective(
            name,
            needs_observation=True,
            score=lambda _, observation: score_of(_measured(name, observation), required),
            monotone=OBJECTIVES[name].monotone(required),
            bound=lambda observation: bound(observation, required),
            suppressed_adds=None if adds is None else lambda observation: adds(observation, required),
            least=lambda units, classes: least(units, classes, required),
            bounded_by_squares=by_squares,
        )

    return ObjectiveDefinition(METRICS[name], bind)


def _of_costs(
    name: str,
    by_level: Callable[[AttributeCosts], Sequence[float | None]],
    unit: Callable[[ObjectiveTerms], Fraction],
    suppressed: Callable[[Node, Sequence[AttributeCosts], SuppressedFigures], list[int | None]] | None,
) -> ObjectiveDefinition:
    """An objective that adds the costs of the levels: `by_level`, and with `suppressed` the cost of suppressed rows."""

    def bind(terms: ObjectiveTerms) -> Objective:
        costs = [by_level(each) for each in terms.costs]
        _require(name, terms.lattice, costs)
        units = tuple(tuple(in_units(cost) for cost in each) for each in costs)
        of_levels = _sum_of_levels(name, _weighted(units, terms.weights), unit(terms))
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

    return ObjectiveDefinition(METRICS[name], bind)


def _prec_suppressed_as_1() -> ObjectiveDefinition:
    name = "prec_suppressed_as_1"

    def bind(terms: ObjectiveTerms) -> Objective:
        of_levels = _sum_of_levels(name, _weighted(metrics.prec_steps(terms.lattice), terms.weights), _prec_unit(terms))
        if not terms.requirement.most_suppressed:
            return of_levels

        def score(node: Node, observation: Observation | None) -> Score:
            levels = Fraction(of_levels.score(node, None))
            return metrics.prec_with_suppression(levels, _measured(name, observation), terms.requirement)

        return Objective(
            name,
            needs_observation=True,
            score=score,
            level_costs=of_levels.level_costs,
            unit=of_levels.unit,
            monotone=False,
        )

    return ObjectiveDefinition(METRICS[name], bind)


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


def _prec_unit(terms: ObjectiveTerms) -> Fraction:
    return Fraction(1, metrics.prec_unit(terms.lattice) * terms.weights.total)


def _heights(lattice: Lattice) -> Units:
    return tuple(tuple(range(len(axis.order))) for axis in lattice.axes)


def _bits(terms: ObjectiveTerms) -> Fraction:
    return Fraction(1, DECIMALS * terms.weights.scale)


DEFINITIONS = (
    _of_levels("prec", metrics.prec_steps, _prec_unit),
    _prec_suppressed_as_1(),
    _of_levels("height", _heights, lambda terms: Fraction(1, terms.weights.scale)),
    _of_classes(
        "classes",
        lambda observation, required: -required.released(observation).classes,
        lambda observation, required: -observation.most_classes(required.k),
        lambda _, classes, __: -classes,
    ),
    _of_classes(
        "dm",
        metrics.discernibility,
        discernibility,
        least_discernibility,
        suppressed_adds,
        by_squares=True,
    ),
    _of_classes(
        "dm_star",
        lambda observation, _: observation.sum_of_squares,
        squares,
        least_squares,
        by_squares=True,
    ),
    _of_classes("c_avg", metrics.average_class_size_in_k, average_class_size_in_k, least_average_class_size_in_k),
    _of_classes("aecs", metrics.average_class_size, average_class_size, least_average_class_size),
    _of_costs("entropy", lambda each: each.entropy, _bits, metrics.entropy_units),
    _of_costs("entropy_ignoring_suppression", lambda each: each.entropy, _bits, None),
    _of_costs(
        "loss",
        lambda each: each.loss,
        lambda terms: Fraction(1, DECIMALS * terms.weights.total),
        metrics.loss_units,
    ),
)

OBJECTIVES: dict[str, ObjectiveDefinition] = {
    name: next(each for each in DEFINITIONS if each.name == name) for name in METRICS
}
"""Every objective a request may name."""


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
