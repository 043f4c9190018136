"""The claims of a certificate: what a counted node proves about other nodes, and whether nothing better is left over.

Independent of the searches: no bound here is one of theirs. Everything is a box of nodes. A node that fails rules out
all that refine it; one whose classes are too few or too large, all that it refines; the costs of the levels, whatever
costs as much as the optimum. `cheapest_left` finds a node that none of them covers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from ordermade.errors import Unproved

Node: TypeAlias = tuple[int, ...]
Why: TypeAlias = Literal["fails", "fails itself", "no better", "no better itself", "suppresses too much"]
"""The node and all that refine it fail; it fails itself; it and all that it refines are no better, or it itself is not;
all that refine it and whose levels cost as much as `from` are no better, for the rows that they suppress."""


SUMS = frozenset({"prec", "prec_suppressed_as_1", "height", "loss", "entropy", "entropy_ignoring_suppression"})
OF_CLASSES = frozenset({"classes", "dm", "dm_star", "aecs", "c_avg"})
"""The objectives that add up the costs of the levels, and those that the classes decide. Claims score no other."""


@dataclass(frozen=True, slots=True)
class ClaimedColumn:
    """One quasi-identifier: accepted levels, which level refines which, weight, and the cost of each level (or None).

    `counted`: the levels that can be counted. Costs are in the unit of the objective, weighted.
    """

    accepted: tuple[int, ...]
    counted: frozenset[int]
    refines: tuple[tuple[bool, ...], ...]
    weight: Fraction
    costs: tuple[Fraction, ...] | None

    @property
    def top(self) -> int:
        """The number of the level `*`."""
        return len(self.refines) - 1


@dataclass(frozen=True, slots=True)
class ClaimedTerms:
    """The terms of a request: what passes, what is minimised, and the columns.

    `units` are rows, or persons where `persons`; `limit` of them may be suppressed. `inherited`: a class that fails a
    model leaves failing classes in every finer node. `classes_a_unit`: the most released classes a released unit.
    `margin`: the part of a score that may be rounding; 0 where scores are exact. Raises Unproved for an objective that
    no claim scores, or by the costs of levels that it does not have: every node would be as good as the best.
    """

    k: int
    limit: int
    units: int
    persons: bool
    inherited: bool
    classes_a_unit: Fraction | None
    objective: str
    columns: tuple[ClaimedColumn, ...]
    margin: Fraction

    def __post_init__(self) -> None:
        adds_up = self.objective in SUMS
        if self.objective not in SUMS | OF_CLASSES or any((each.costs is None) == adds_up for each in self.columns):
            raise Unproved(f"certificates have no second count of {self.objective}", where="search.objective")

    def is_better(self, score: Fraction, best: Fraction | None) -> bool:
        """True if a score is lower than the best by more than rounding; anything is better than nothing."""
        return best is None or score < best - self.margin

    def level_cost(self, node: Node) -> Fraction:
        """The sum of the costs of a node's levels; 0 where levels cost nothing."""
        pairs = zip(self.columns, node, strict=True)
        return sum((each.costs[level] for each, level in pairs if each.costs), Fraction())


@dataclass(frozen=True, slots=True)
class ClaimedFigures:
    """The counts of one node by the database.

    `sizes`: (size, whether a model fails, how many classes). `below`: units in a class below k, `suppressed`: in one
    below k or failing. `cost_below`, `cost_suppressed`: what the suppressed rows of these classes add to the costs of
    the levels, where the objective has them pay.
    """

    sizes: tuple[tuple[int, bool, int], ...]
    below: int
    suppressed: int
    cost_below: Fraction = Fraction()
    cost_suppressed: Fraction = Fraction()

    @property
    def classes(self) -> int:
        """Classes of any size."""
        return sum(count for _, _, count in self.sizes)

    def released(self, k: int) -> list[tuple[int, int]]:
        """The sizes of the classes that can be released, each with its number."""
        return [(size, count) for size, fails, count in self.sizes if size >= k and not fails]

    def least(self, k: int) -> int:
        """The size of the smallest released class; 0 where none is."""
        return min((size for size, _ in self.released(k)), default=0)


def passes(terms: ClaimedTerms, figures: ClaimedFigures) -> bool:
    """Return whether a node with these figures may be released."""
    classes = sum(count for _, count in figures.released(terms.k))
    units = terms.units - figures.suppressed
    if classes == 0 or figures.suppressed > terms.limit:
        return False
    return terms.classes_a_unit is None or classes <= terms.classes_a_unit * units


def score(terms: ClaimedTerms, node: Node, figures: ClaimedFigures) -> Fraction:
    """The score of a node that passes, lower is better: the requested objective, its suppressed units included."""
    k, units, lost = terms.k, terms.units, figures.suppressed
    kept = figures.released(k)
    classes = sum(count for _, count in kept)
    squares = sum(size * size * count for size, count in kept)
    levels = terms.level_cost(node)
    match terms.objective:
        case "classes":
            return Fraction(-classes)
        case "dm":
            return Fraction(squares + units * lost)
        case "dm_star":
            return Fraction(sum(size * size * count for size, _, count in figures.sizes))
        case "aecs":
            return Fraction(units, classes + (1 if lost else 0))
        case "c_avg":
            return Fraction(units - lost, classes * k)
        case "prec_suppressed_as_1":
            return levels + (1 - levels) * Fraction(lost, units)
    return levels + figures.cost_suppressed


def least_coarser(terms: ClaimedTerms, node: Node, figures: ClaimedFigures) -> Fraction:
    """A score that no passing node falls below which this one refines, itself included.

    A class of at least k units of a coarser node holds one of this node's, or is made of small ones alone: `most`
    bounds their number. Of persons, who may be in several classes, squares are bounded by the number of classes alone.
    """
    k, units, limit = terms.k, terms.units, terms.limit
    small = [(size, count) for size, _, count in figures.sizes if size < k]
    large = figures.classes - sum(count for _, count in small)
    most = max(1, large + sum(size * count for size, count in small) // k)
    squares = sum(size * size * count for size, _, count in figures.sizes)
    match terms.objective:
        case "classes":
            return Fraction(-most)
        case "dm" if terms.persons:
            left = (0, min(limit, units // 2))
            return min(Fraction((units - lost) ** 2, most) + units * lost for lost in left)
        case "dm":
            return Fraction(squares + sum((k - size) * size * count for size, count in small))
        case "dm_star":
            return Fraction(units * units, max(1, figures.classes)) if terms.persons else Fraction(squares)
        case "aecs":
            return Fraction(units, most + (1 if limit else 0))
        case "c_avg":
            return Fraction(units - limit, most * k)
    return terms.level_cost(node)


@dataclass(frozen=True, slots=True)
class Box:
    """Nodes that are ruled out: one set of levels a column, where the levels cost at least `least` (None: always)."""

    levels: tuple[frozenset[int], ...]
    least: Fraction | None = None


def proved(
    terms: ClaimedTerms, best: Fraction | None, node: Node, figures: ClaimedFigures
) -> Iterator[tuple[Why, Box]]:
    """Yield every reason why this node, or nodes around it, cannot be better than `best`, with the nodes it covers."""
    finer, coarser = _finer(terms, node), _coarser(terms, node)
    itself = Box(tuple(frozenset([level]) for level in node))
    nothing_large = not any(size >= terms.k for size, _, _ in figures.sizes)
    lost = figures.suppressed if terms.inherited else figures.below
    crowded = terms.classes_a_unit is not None and figures.classes > terms.classes_a_unit * terms.units
    if lost > terms.limit or nothing_large or (crowded and not terms.limit):
        yield "fails", finer
    elif not passes(terms, figures):
        yield "fails itself", itself
    elif not terms.is_better(score(terms, node, figures), best):
        yield "no better itself", itself
    if best is None:
        return
    if not terms.is_better(least_coarser(terms, node, figures), best):
        yield "no better", coarser
    least = _least_levels(terms, best, figures)
    if least is not None:
        yield "suppresses too much", Box(finer.levels, least)


def _least_levels(terms: ClaimedTerms, best: Fraction, figures: ClaimedFigures) -> Fraction | None:
    """The cost of levels from which on a finer node is no better, for the rows below k here, which stay so.

    None where suppressed rows do not pay.
    """
    share = Fraction(figures.below, terms.units) if terms.units else Fraction()
    match terms.objective:
        case "prec_suppressed_as_1" if 0 < share < 1:
            return (best - share) / (1 - share)
        case "loss" | "entropy" if figures.cost_below > 0:
            return best - figures.cost_below
        case "dm" if not terms.persons and figures.below:
            spent = terms.units * figures.below + (terms.units - figures.below) * terms.k
            return None if terms.is_better(Fraction(spent), best) else Fraction()
    return None


def _finer(terms: ClaimedTerms, node: Node) -> Box:
    """The accepted nodes that refine a node."""
    pairs = zip(terms.columns, node, strict=True)
    return Box(tuple(frozenset(i for i in each.accepted if each.refines[i][level]) for each, level in pairs))


def _coarser(terms: ClaimedTerms, node: Node) -> Box:
    """The accepted nodes that a node refines."""
    pairs = zip(terms.columns, node, strict=True)
    return Box(tuple(frozenset(i for i in each.accepted if each.refines[level][i]) for each, level in pairs))


def left_over(terms: ClaimedTerms, best: Fraction | None, boxes: Sequence[Box]) -> Node | None:
    """A node that may be better than `best` and that no box covers; None where there is none.

    Level by level, column by column. Of a beginning of a node only two things matter to the rest: which boxes it is
    still in, and the cost of its levels. Covered at some cost, all of the same boxes are covered at a higher one.
    """
    costs, stop, least = _whole(terms, best, boxes)
    columns, places = terms.columns, range(len(terms.columns))
    inside = [
        {level: sum(1 << n for n, box in enumerate(boxes) if level in box.levels[i]) for level in columns[i].accepted}
        for i in places
    ]
    rest = [sum(min(each.values()) for each in costs[i:]) for i in range(len(columns) + 1)]
    everything = (1 << len(boxes)) - 1
    whole = [everything] * (len(columns) + 1)
    for i in reversed(places):
        whole[i] = whole[i + 1]
        for level in columns[i].accepted:
            whole[i] &= inside[i][level]
    always = sum(1 << n for n, at in enumerate(least) if at is None)
    sometimes = [(1 << n, at) for n, at in enumerate(least) if at is not None]
    covered: dict[tuple[int, int], int] = {}

    def beyond(i: int, active: int, cost: int) -> Node | None:
        at_least = cost + rest[i]
        sure = active & whole[i]
        if (stop is not None and at_least >= stop) or sure & always:
            return None
        if any(sure & bit and at_least >= at for bit, at in sometimes):
            return None
        if i == len(columns):
            return ()
        if covered.get((i, active), at_least + 1) <= at_least:
            return None
        for level in sorted(columns[i].accepted, key=costs[i].__getitem__):
            tail = beyond(i + 1, active & inside[i][level], cost + costs[i][level])
            if tail is not None:
                return (level, *tail)
        covered[i, active] = at_least
        return None

    return beyond(0, everything, 0)


Thresholds: TypeAlias = tuple[list[dict[int, int]], int | None, list[int | None]]


def _whole(terms: ClaimedTerms, best: Fraction | None, boxes: Sequence[Box]) -> Thresholds:
    """The costs of levels, the cost that is no better, and the boxes' own, as whole numbers of one unit."""
    every = [cost for each in terms.columns for cost in each.costs or ()]
    unit = math.lcm(*(cost.denominator for cost in every)) if every else 1
    costs = [
        {level: int(each.costs[level] * unit) if each.costs else 0 for level in each.accepted} for each in terms.columns
    ]
    at: Callable[[Fraction], int] = lambda cost: math.ceil((cost - terms.margin) * unit)  # noqa: E731
    stop = at(best) if best is not None and every else None
    return costs, stop, [None if box.least is None else at(box.least) for box in boxes]
