"""An objective of a search: a score to minimise, and what is known of it beforehand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from ordermade.lattice.lattice import Lattice
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.loss import losses

Score: TypeAlias = int | float | Fraction | tuple[int, Fraction]
"""Lower is better. Scores of one objective compare exactly with each other, not with another's."""

LevelCosts: TypeAlias = tuple[tuple[int | float | None, ...], ...]
"""For each attribute, the cost of each level by its number; None where the level's classes were not counted."""


@dataclass(frozen=True, slots=True)
class Objective:
    """A score to minimise.

    `needs_observation`: whether it depends on the measured classes, not on the levels alone; `needs_withheld`: whether
    besides on figures of the suppressed rows (`Observation.withheld`). `score(node, observation)`, of a passing node,
    takes None for the observation where it is not needed, and raises ValueError where it is and lacks figures.

    `monotone`: whether a node that is coarser than a passing one never scores less.

    `level_costs`: what each level number of each attribute adds to a sum that the score never falls short of: `unit` x
    the sum <= the score, and = where no observation is needed. None where the levels bound nothing.

    `rounding`: by how many units the sum of the attributes' costs may be rounded down.

    `bound(observation)`: what no passing node can score less than that is measured so, or coarser; `withheld_adds`: by
    how much more, if it is finer than another one that is measured so. `least(units, classes)`: what none can that has
    at most so many classes of at least k. None where the classes bound nothing.
    """

    name: str
    needs_observation: bool
    score: Callable[[Node, Observation | None], Score]
    level_costs: LevelCosts | None = None
    unit: Fraction = Fraction(1)
    needs_withheld: bool = False
    monotone: bool = True
    rounding: int = 0
    bound: Callable[[Observation], Score] | None = None
    withheld_adds: Callable[[Observation], int] | None = None
    least: Callable[[int, int], Score] | None = None


def distance_beyond(lattice: Lattice) -> Objective:
    """The distance of a node beyond the accepted levels of `lattice`: levels above them, summed, then Prec.

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
