"""What a search may minimise. One registry: `OBJECTIVES`.

Every objective here is monotone while no row is suppressed: coarsening a node never lowers its score. Levels
are numbered consistently with refinement (prec, height); merging classes lowers their number (divisions,
aecs, c_avg) and raises the sum of their squares (dm); the costs of levels are made monotone where they are
built (entropy, loss). So the best passing node is always one of the minimal passing nodes, and a search may
stop at those.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from ordermade.errors import RequestError, UnknownName, quoted
from ordermade.lattice.lattice import Lattice
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.requirement import Requirement
from ordermade.loss import losses
from ordermade.loss.costs import AttributeCosts

Score: TypeAlias = int | float | Fraction | tuple[int, Fraction]
"""Lower is better. Scores of one objective compare exactly with each other, not with another's."""

LevelCosts: TypeAlias = tuple[tuple[int | float | None, ...], ...]
"""For each attribute, the cost of each level by its number; None where the level's classes were not counted."""


@dataclass(frozen=True, slots=True)
class Objective:
    """A score to minimise.

    `needs_observation`: whether it depends on the measured classes, not on the levels alone. `score(node,
    observation)` takes None for the observation where it is not needed, and raises ValueError where it is.
    `level_costs`: for an objective of the levels, what each level number of each attribute adds. Their sums order the
    nodes as the scores do: integers exactly, floats up to rounding. None where a search must ask for every score.
    """

    name: str
    needs_observation: bool
    score: Callable[[Node, Observation | None], Score]
    level_costs: LevelCosts | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """What an objective is bound to: the request's lattice, the costs of the attributes' levels, what is required."""

    lattice: Lattice
    costs: Sequence[AttributeCosts]
    requirement: Requirement


@dataclass(frozen=True, slots=True)
class Definition:
    """An objective before it is bound to a request: its name, what it means, and how it is bound."""

    name: str
    meaning: str
    bind: Callable[[Terms], Objective]


def objective(
    name: str, lattice: Lattice, costs: Sequence[AttributeCosts] | None, requirement: Requirement
) -> Objective:
    """The objective of that name for one request.

    `costs` has one entry for each attribute in their order (only entropy and loss read it). Raises
    UnknownName for a name that is not registered, RequestError where the objective needs costs that are not
    known.
    """
    if name not in OBJECTIVES:
        raise UnknownName("objective", name, OBJECTIVES, where="search.objective")
    return OBJECTIVES[name].bind(Terms(lattice, costs or (), requirement))


def distance_beyond(lattice: Lattice) -> Objective:
    """How far a node lies beyond what `lattice` accepts: levels above the accepted ones, summed, then Prec.

    For nodes of `lattice.widened()`, where it is monotone: it finds the nearest node that passes after a
    refusal.
    """
    last = tuple(axis.accepted[-1] for axis in lattice.axes)

    def score(node: Node, _: Observation | None) -> Score:
        beyond = sum(max(0, level - limit) for level, limit in zip(node, last, strict=True))
        return beyond, losses.prec(lattice, node)

    steps = losses.prec_steps(lattice)
    one_beyond = 1 + sum(each[-1] for each in steps)
    level_costs = tuple(
        tuple(max(0, level - limit) * one_beyond + step for level, step in enumerate(each))
        for each, limit in zip(steps, last, strict=True)
    )
    return Objective("distance_beyond", needs_observation=False, score=score, level_costs=level_costs)


def _of_levels(
    name: str,
    meaning: str,
    score_of: Callable[[Terms, Node], Score],
    level_costs: Callable[[Lattice], LevelCosts],
) -> Definition:
    """An objective that the levels alone decide."""

    def bind(terms: Terms) -> Objective:
        return Objective(
            name,
            needs_observation=False,
            score=lambda node, _: score_of(terms, node),
            level_costs=level_costs(terms.lattice),
        )

    return Definition(name, meaning, bind)


def _of_classes(name: str, meaning: str, score_of: Callable[[Terms, Observation], Score]) -> Definition:
    """An objective that the measured classes decide."""

    def bind(terms: Terms) -> Objective:
        def score(_: Node, observation: Observation | None) -> Score:
            if observation is None:
                raise ValueError(f"the objective {name} needs the node's observation")
            return score_of(terms, observation)

        return Objective(name, needs_observation=True, score=score)

    return Definition(name, meaning, bind)


def _of_costs(
    name: str,
    meaning: str,
    by_level: Callable[[AttributeCosts], Sequence[float | None]],
    total: Callable[[Node, Sequence[AttributeCosts]], float | None],
) -> Definition:
    """An objective that adds the costs of the levels; `by_level` are the costs it reads."""

    def bind(terms: Terms) -> Objective:
        _require(name, terms.lattice, [by_level(each) for each in terms.costs])

        def score(node: Node, _: Observation | None) -> Score:
            cost = total(node, terms.costs)
            if cost is None:
                raise ValueError(f"the {name} of a level that is not accepted is not known")
            return cost

        level_costs = tuple(tuple(by_level(each)) for each in terms.costs)
        return Objective(name, needs_observation=False, score=score, level_costs=level_costs)

    return Definition(name, meaning, bind)


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


OBJECTIVES: dict[str, Definition] = {
    each.name: each
    for each in (
        _of_levels(
            "prec",
            "mean of level / top level over the attributes",
            lambda terms, node: losses.prec(terms.lattice, node),
            losses.prec_steps,
        ),
        _of_levels(
            "height",
            "sum of the levels",
            lambda _, node: sum(node),
            lambda lattice: tuple(tuple(range(len(axis.order))) for axis in lattice.axes),
        ),
        _of_classes(
            "divisions",
            "number of classes, the only objective that is maximised",
            lambda _, observation: -observation.divisions,
        ),
        _of_classes(
            "dm",
            "discernibility: sum of the squared class sizes",
            lambda _, observation: losses.discernibility(observation),
        ),
        _of_classes(
            "c_avg",
            "rows / classes / k",
            lambda terms, observation: losses.average_class_size_in_k(observation, terms.requirement.k),
        ),
        _of_classes("aecs", "rows / classes", lambda _, observation: losses.average_class_size(observation)),
        _of_costs(
            "entropy",
            "non-uniform entropy in bits, summed over the attributes",
            lambda each: each.entropy,
            losses.entropy,
        ),
        _of_costs(
            "loss",
            "Loss (NCP): mean share of the hierarchy's leaves that a value is blurred to",
            lambda each: each.loss,
            losses.domain_loss,
        ),
    )
}
"""Every objective a request may name."""
