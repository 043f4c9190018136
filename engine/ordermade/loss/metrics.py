"""The metrics of information loss: a metric is one entry of `METRICS`, with its formula, bounds, range and words.

N is the number of units (rows; persons where there is an entity column) and s of them are suppressed; c are the sizes
of the released classes, m is the number of attributes, d the leaves of an attribute's hierarchy. Entropy and Loss weigh
rows where units are persons, too: a cell is a row's. Searches use the bounds; tests hold every line of the table.

Exact formulas first (integers and fractions, which objectives compare), with the bounds of those that the classes
decide, then the ranges, then the entries, and all of them at one node as floats.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from ordermade.lattice.lattice import Lattice, Node
from ordermade.lattice.observation import Observation, Requirement, SuppressedFigures
from ordermade.loss.costs import DECIMALS, AttributeCosts, entropy_units, in_units, loss_units
from ordermade.loss.extremes import Extremes, Range

MetricName: TypeAlias = Literal[
    "prec",
    "prec_suppressed_as_1",
    "height",
    "loss",
    "dm",
    "dm_star",
    "aecs",
    "c_avg",
    "entropy",
    "entropy_ignoring_suppression",
    "classes",
]
"""The names of the metrics, in the order in which they are offered as objectives."""

Score: TypeAlias = int | float | Fraction
"""A number; lower is better. Scores of one objective compare exactly with each other, not with another's."""

Units: TypeAlias = tuple[tuple[int | None, ...], ...]
"""For each attribute, the cost of each level by its number in whole units; None where it is not known."""

FollowsFrom: TypeAlias = Literal["levels", "node", "rows", "units", "labels", "original"]
"""What a metric follows from: it decides who may read it.

`levels`: the levels, the classes and k alone. `node`: the same, unless rows are recoded locally, and then `rows`.
`rows`: the released table and the number of suppressed rows. `units`: the same, with persons where k counts persons.
All others compare the table with values that were not released. `labels`: with the number of values under a label,
those that a hierarchy lists or that occur. `original`: with how often the values under a label occur, or with the
suppressed classes: less what the release shows, that is how many rows a value or a suppressed class had.
"""


def prec_steps(lattice: Lattice) -> tuple[tuple[int, ...], ...]:
    """The share of each level of each attribute in Prec, all in one unit that makes them whole numbers."""
    unit = prec_unit(lattice)
    return tuple(tuple(level * (unit // (axis.top or 1)) for level in range(axis.top + 1)) for axis in lattice.axes)


def prec_unit(lattice: Lattice) -> int:
    """The number of steps from level 0 to `*`, the same for every attribute."""
    return math.lcm(*(axis.top or 1 for axis in lattice.axes))


def prec_with_suppression(levels: Fraction, observation: Observation, requirement: Requirement) -> Fraction:
    """(1 - s/N) x Prec + s/N: a suppressed row counts as if every attribute were at `*`."""
    if observation.rows == 0:
        return levels
    return levels + (1 - levels) * Fraction(requirement.suppressed(observation), observation.rows)


def discernibility(observation: Observation, requirement: Requirement) -> int:
    """DM: sum of the squares of the released classes' sizes + N x s."""
    released = requirement.released(observation)
    return released.sum_of_squares + observation.rows * released.suppressed


def average_class_size(observation: Observation, requirement: Requirement) -> Fraction:
    """AECS: N / classes, the suppressed rows being one more class; 0 for an empty dataset."""
    released = requirement.released(observation)
    classes = released.classes + (1 if released.suppressed else 0)
    return Fraction(observation.rows, classes) if classes else Fraction(0)


def average_class_size_in_k(observation: Observation, requirement: Requirement) -> Fraction:
    """C_AVG: (N - s) / released classes / k; 0 where nothing is released."""
    released = requirement.released(observation)
    return Fraction(released.units, released.classes * requirement.k) if released.classes else Fraction(0)


def _levels(lattice: Lattice) -> Units:
    return tuple(tuple(range(len(axis.order))) for axis in lattice.axes)


def _classes(observation: Observation, requirement: Requirement) -> int:
    return requirement.released(observation).classes


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


def discernibility_bound(observation: Observation, requirement: Requirement) -> int:
    """DM: in a coarser node a row of a class below k has a class of k at least, or is suppressed, which costs more."""
    k = requirement.k
    if not observation.adds_up:
        return least_discernibility(observation.rows, observation.most_classes(k), requirement)
    small = [(size, classes) for size, classes in observation.sizes if size < k]
    return observation.sum_of_squares + sum((k - size) * size * classes for size, classes in small)


def discernibility_added(observation: Observation, requirement: Requirement) -> int:
    """To the DM of a node and of all that are finer: their rows in classes below k cost all rows each, and not k.

    Besides `discernibility_bound` of a yet finer node, of which they are rows in classes below k, too.
    """
    k = requirement.k
    return observation.below(k) * (observation.rows - k) if observation.determines_below(k) else 0


def squares_bound(observation: Observation, requirement: Requirement) -> int:
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


def average_class_size_bound(observation: Observation, requirement: Requirement) -> Fraction:
    """AECS: a suppressed row is a row less to fill classes with, and all of them one class more."""
    k = requirement.k
    small = [(size, classes) for size, classes in observation.sizes if size < k]
    held = sum(size * classes for size, classes in small)
    large = observation.divisions - sum(classes for _, classes in small)
    most = observation.most_classes(k)
    if requirement.most_suppressed and held:
        most = max(most, large + (held - 1) // k + 1)
    return Fraction(observation.rows, max(min(most, observation.divisions), 1))


def average_class_size_in_k_bound(observation: Observation, requirement: Requirement) -> Fraction:
    """C_AVG: it falls by suppressing rows that fill no class of k; by models other rows may be suppressed, too."""
    k = requirement.k
    suppressed = requirement.most_suppressed
    if observation.adds_up and not requirement.models:
        held = sum(size * classes for size, classes in observation.sizes if size < k)
        suppressed = min(suppressed, held % k)
    return Fraction(max(observation.rows - suppressed, 0), max(observation.most_classes(k), 1) * k)


def _prec_range(of: Extremes) -> Range:
    return 0.0, sum(top > 0 for top in of.tops) / len(of.tops) if of.tops else 1.0


def _height_range(of: Extremes) -> Range:
    return 0.0, None if of.tops is None else float(sum(of.tops))


def _loss_range(of: Extremes) -> Range:
    return 0.0, 1.0 if of.loss is None else of.loss


def _classes_range(of: Extremes) -> Range:
    return of.classes, 1.0


def _squares_range(of: Extremes) -> Range:
    return of.squares, None if of.units is None else float(of.units) ** 2


def _average_range(of: Extremes) -> Range:
    return (of.units / of.classes if of.units is not None and of.classes else None), of.units


def _average_in_k_range(of: Extremes) -> Range:
    best, worst = _average_range(of)
    if not of.k:
        return None, None
    return None if best is None else best / of.k, None if worst is None else worst / of.k


def _entropy_range(of: Extremes) -> Range:
    return 0.0, of.entropy


@dataclass(frozen=True, slots=True)
class ReleasedNode:
    """A node as it is released: measured as `observation`, suppressed as `requirement` says.

    `costs`: one entry an attribute, in their order; None where they are not known.
    """

    lattice: Lattice
    levels: Node
    observation: Observation
    requirement: Requirement
    costs: Sequence[AttributeCosts] | None

    @property
    def suppressed(self) -> SuppressedFigures | None:
        """The figures of its suppressed rows; None where they were not measured."""
        return self.requirement.suppressed_figures(self.observation, len(self.levels))


@dataclass(frozen=True, slots=True)
class OfLevels:
    """A sum over the attributes that is known before anything is counted.

    `steps` of every level of each attribute, so many of which are 1 (`unit`; None: each is). `suppressed`: the value
    with suppressed rows from the value without.
    """

    steps: Callable[[Lattice], Units]
    unit: Callable[[Lattice], int] | None = None
    suppressed: Callable[[Fraction, Observation, Requirement], Fraction] | None = None

    def value(self, of: ReleasedNode, attributes: int) -> int | Fraction:
        """The sum at a node, of so many `attributes` that it is a mean of (1: of none)."""
        steps = sum(each[level] or 0 for each, level in zip(self.steps(of.lattice), of.levels, strict=True))
        if self.unit is None:
            return steps
        levels = Fraction(steps, self.unit(of.lattice) * attributes)
        return levels if self.suppressed is None else self.suppressed(levels, of.observation, of.requirement)


@dataclass(frozen=True, slots=True)
class OfCosts:
    """A sum over the attributes of the costs of the levels (`by_level`), for which their values are counted.

    `suppressed`: the cost of each attribute with the figures of the suppressed rows. `of_logarithms`: whether costs are
    sums of logarithms, which floats round.
    """

    by_level: Callable[[AttributeCosts], Sequence[float | None]]
    suppressed: Callable[[Node, Sequence[AttributeCosts], SuppressedFigures], list[int | None]] | None = None
    of_logarithms: bool = True

    def value(self, of: ReleasedNode, attributes: int) -> Fraction | None:
        """The sum at a node, of so many `attributes` that it is a mean of; None where a cost is not known."""
        if of.costs is None:
            return None
        if self.suppressed is None:
            units = [in_units(self.by_level(each)[i]) for i, each in zip(of.levels, of.costs, strict=True)]
        elif (suppressed := of.suppressed) is None:
            return None
        else:
            units = self.suppressed(of.levels, of.costs, suppressed)
        known = [each for each in units if each is not None]
        return Fraction(sum(known), attributes * DECIMALS) if len(known) == len(units) else None


@dataclass(frozen=True, slots=True)
class OfClasses:
    """A figure of the measured classes, with what bounds it as a score, lower being better.

    `bound` of a node and of all that is coarser, `least` of one with so many units in at most so many classes of at
    least k. `suppressed_adds`: by how much more than the bound, if it is finer than a measured one. `by_squares`:
    whether `bound` rises with the sum of the squares of the classes. `maximised`: whether the score is its negative.
    """

    figure: Callable[[Observation, Requirement], int | Fraction]
    bound: Callable[[Observation, Requirement], Score]
    least: Callable[[int, int, Requirement], Score]
    suppressed_adds: Callable[[Observation, Requirement], int] | None = None
    by_squares: bool = False
    maximised: bool = False

    def value(self, of: ReleasedNode, _: int) -> int | Fraction:
        """The figure at a node."""
        return self.figure(of.observation, of.requirement)

    def score(self, observation: Observation, requirement: Requirement) -> int | Fraction:
        """The figure as a score: lower is better."""
        found = self.figure(observation, requirement)
        return -found if self.maximised else found


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric of information loss: whatever the engine knows of it but for its second count by certificates.

    `meaning`: its definition. `suppressed`: its treatment of suppressed rows. `bound`: its lower bound at a node and at
    every coarser one. While nothing may be suppressed and rows are counted, coarsening a passing node never lowers any
    of them; `monotone_under_limit`: whether that holds if rows may be suppressed, `monotone_of_persons`: if persons
    are counted.

    `formula`: how it is computed. `extent`: its best and worst value on a table (see `loss.shares`). `ranked_by`: the
    metric that ranks nodes before they are counted. `follows_from`: what, which decides who may read it. `words`: its
    name and definition for the reader of a report. `share`: whether it lies between 0, nothing lost, and 1, everything,
    as the mean over the attributes: their weights are divided by the total of these.
    """

    name: MetricName
    meaning: str
    suppressed: str
    bound: str
    monotone_under_limit: bool
    formula: OfLevels | OfCosts | OfClasses
    extent: Callable[[Extremes], Range]
    ranked_by: MetricName
    follows_from: FollowsFrom
    words: tuple[str, str]
    monotone_of_persons: bool = True
    share: bool = False

    @property
    def weighted(self) -> bool:
        """Whether it adds up over the attributes, so that these may weigh differently."""
        return not isinstance(self.formula, OfClasses)

    def monotone(self, requirement: Requirement) -> bool:
        """True if a node that is coarser than a passing one never scores less."""
        if requirement.persons and not self.monotone_of_persons:
            return False
        return self.monotone_under_limit or not requirement.most_suppressed

    def value(self, of: ReleasedNode) -> float | int | None:
        """Its value at a node, attributes weighing the same; None where a cost is not known."""
        found = self.formula.value(of, max(1, len(of.levels)) if self.share else 1)
        return float(found) if isinstance(found, Fraction) else found


LEVELS_SUM = "its own levels' value, which is known before anything is counted"
MAX_CLASSES = "computed with the classes of at least k rows, and those that the rows of smaller ones fill"

METRICS: dict[str, Metric] = {
    each.name: each
    for each in (
        Metric(
            "prec",
            "mean of level / top level over the attributes (Sweeney 2002)",
            "nothing: the levels alone decide",
            LEVELS_SUM,
            monotone_under_limit=True,
            formula=OfLevels(prec_steps, prec_unit),
            extent=_prec_range,
            ranked_by="prec",
            follows_from="node",
            words=("Prec", "mean height of the released levels in their hierarchies"),
            share=True,
        ),
        Metric(
            "prec_suppressed_as_1",
            "Prec, a suppressed row counting as if every attribute were at `*`",
            "(1 - s/N) x prec + s/N",
            "prec",
            monotone_under_limit=False,
            formula=OfLevels(prec_steps, prec_unit, prec_with_suppression),
            extent=_prec_range,
            ranked_by="prec",
            follows_from="units",
            words=("Prec, suppressed rows as 1", "Prec, each suppressed row counting as fully generalised"),
            share=True,
        ),
        Metric(
            "height",
            "sum of the levels",
            "nothing: the levels alone decide",
            LEVELS_SUM,
            monotone_under_limit=True,
            formula=OfLevels(_levels),
            extent=_height_range,
            ranked_by="height",
            follows_from="levels",
            words=("height", "sum of the released levels"),
        ),
        Metric(
            "classes",
            "number of released classes, the only metric that is maximised",
            "suppressed classes do not count",
            "not more than the classes of at least k rows and those that the rows of smaller ones fill",
            monotone_under_limit=False,
            formula=OfClasses(
                _classes,
                lambda of, required: -of.most_classes(required.k),
                lambda _, classes, __: -classes,
                maximised=True,
            ),
            extent=_classes_range,
            ranked_by="classes",
            follows_from="levels",
            words=("number of classes", "equivalence classes of the release; more is better"),
        ),
        Metric(
            "dm",
            "discernibility: sum of c^2 + N x s (Bayardo and Agrawal 2005)",
            "each suppressed row costs N",
            "the sum of the squares of all classes, a row of a class below k costing k; of persons N^2 / classes",
            monotone_under_limit=False,
            monotone_of_persons=False,
            formula=OfClasses(
                discernibility, discernibility_bound, least_discernibility, discernibility_added, by_squares=True
            ),
            extent=_squares_range,
            ranked_by="classes",
            follows_from="units",
            words=("discernibility (DM)", "sum of the squared class sizes; a suppressed row costs all rows"),
        ),
        Metric(
            "dm_star",
            "sum of the squares of all classes, released or not",
            "a suppressed row costs the size of its class",
            "itself; of persons N^2 / classes",
            monotone_under_limit=True,
            monotone_of_persons=False,
            formula=OfClasses(lambda of, _: of.sum_of_squares, squares_bound, least_squares, by_squares=True),
            extent=_squares_range,
            ranked_by="classes",
            follows_from="original",
            words=("discernibility (DM*)", "sum of the squared sizes of all classes, suppressed ones included"),
        ),
        Metric(
            "c_avg",
            "(N - s) / released classes / k (LeFevre et al. 2006)",
            "neither suppressed rows nor suppressed classes count",
            MAX_CLASSES,
            monotone_under_limit=False,
            formula=OfClasses(average_class_size_in_k, average_class_size_in_k_bound, least_average_class_size_in_k),
            extent=_average_in_k_range,
            ranked_by="classes",
            follows_from="units",
            words=("average class size (C_AVG)", "released rows per class, divided by k"),
        ),
        Metric(
            "aecs",
            "N / (released classes + 1 if s > 0): the average class size",
            "all suppressed rows are one class",
            MAX_CLASSES + ", never below N / classes",
            monotone_under_limit=False,
            formula=OfClasses(average_class_size, average_class_size_bound, least_average_class_size),
            extent=_average_range,
            ranked_by="classes",
            follows_from="units",
            words=("average class size (AECS)", "rows per class, suppressed rows being one class"),
        ),
        Metric(
            "entropy",
            "non-uniform entropy in bits, summed over the attributes (Gionis and Tassa 2009)",
            "its value at the node's level costs too: s log2 s - sum of n log2 n over the values n of suppressed rows",
            "its value without suppression",
            monotone_under_limit=False,
            formula=OfCosts(lambda costs: costs.entropy, entropy_units),
            extent=_entropy_range,
            ranked_by="entropy_ignoring_suppression",
            follows_from="original",
            words=("non-uniform entropy", "bits of the original values that the labels leave open"),
        ),
        Metric(
            "entropy_ignoring_suppression",
            "non-uniform entropy in bits as if every row were released",
            "they count as the released ones do",
            LEVELS_SUM,
            monotone_under_limit=True,
            formula=OfCosts(lambda costs: costs.entropy),
            extent=_entropy_range,
            ranked_by="entropy_ignoring_suppression",
            follows_from="original",
            words=(
                "non-uniform entropy, all rows",
                "bits that the labels leave open, as if no row were suppressed",
            ),
        ),
        Metric(
            "loss",
            "Loss (NCP): mean share of the hierarchy's leaves that a value is blurred to (Iyengar 2002)",
            "each counts as `*`, that is 1",
            "its value without suppression",
            monotone_under_limit=False,
            formula=OfCosts(lambda costs: costs.loss, loss_units, of_logarithms=False),
            extent=_loss_range,
            ranked_by="prec",
            follows_from="labels",
            words=("Loss (NCP)", "mean share of a hierarchy's values among which a label leaves the choice"),
            share=True,
        ),
    )
}
"""Every metric, in the order in which losses are reported. Every one is an objective that a request may name."""


def losses(
    lattice: Lattice,
    node: Node,
    observation: Observation,
    requirement: Requirement,
    costs: Sequence[AttributeCosts] | None,
) -> dict[str, float | int | None]:
    """All losses of `node` by metric, measured as `observation` and released as `requirement` says.

    Lower is better, but for `classes`. `costs` has one entry an attribute, in their order. None where a level's classes
    were not counted, or where rows are suppressed whose figures were not measured and count. Attributes weigh the same,
    whatever a search weighed.
    """
    of = ReleasedNode(lattice, node, observation, requirement, costs)
    return {name: each.value(of) for name, each in METRICS.items()}
