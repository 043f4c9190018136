"""The metrics of information loss: registry, treatment of suppressed rows, and the losses of one node.

N is the number of units (rows; persons where there is an entity column) and s of them are suppressed; c are the sizes
of the released classes, m is the number of attributes, d the leaves of an attribute's hierarchy. Entropy and Loss weigh
rows where units are persons, too: a cell is a row's. Searches use the bounds; tests hold every line of the table.

Exact formulas first (integers and fractions, which objectives compare), then the record of all of them as
floats. `loss.metrics` says how each treats suppressed rows. Here s is the units (rows, or persons) suppressed of N.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction

from ordermade.lattice.lattice import Lattice, Node
from ordermade.lattice.observation import Observation, Withheld
from ordermade.lattice.requirement import Requirement
from ordermade.loss.costs import DECIMALS, AttributeCosts, in_units


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric of information loss.

    `meaning`: its definition. `withheld`: its treatment of suppressed rows. `bound`: its lower bound at a node and at
    every coarser one. While nothing may be suppressed and rows are counted, coarsening a passing node never lowers any
    of them; `monotone_under_limit`: whether that holds if rows may be suppressed, `monotone_of_persons`: if persons
    are counted. `weighted`: whether attributes may weigh differently.
    """

    name: str
    meaning: str
    withheld: str
    bound: str
    monotone_under_limit: bool
    monotone_of_persons: bool = True
    weighted: bool = False


LEVELS_SUM = "its own levels' value, which is known before anything is counted"
MOST_CLASSES = "computed with the classes of at least k rows, and those that the rows of smaller ones fill"

METRICS: dict[str, Metric] = {
    each.name: each
    for each in (
        Metric(
            "prec",
            "mean of level / top level over the attributes (Sweeney 2002)",
            "nothing: the levels alone decide",
            LEVELS_SUM,
            monotone_under_limit=True,
            weighted=True,
        ),
        Metric(
            "prec_suppressed_as_1",
            "Prec, a suppressed row counting as if every attribute were at `*`",
            "(1 - s/N) x prec + s/N",
            "prec",
            monotone_under_limit=False,
            weighted=True,
        ),
        Metric(
            "height",
            "sum of the levels",
            "nothing: the levels alone decide",
            LEVELS_SUM,
            monotone_under_limit=True,
            weighted=True,
        ),
        Metric(
            "divisions",
            "number of released classes, the only metric that is maximised",
            "suppressed classes do not count",
            "not more than the classes of at least k rows and those that the rows of smaller ones fill",
            monotone_under_limit=False,
        ),
        Metric(
            "dm",
            "discernibility: sum of c^2 + N x s (Bayardo and Agrawal 2005)",
            "each suppressed row costs N",
            "the sum of the squares of all classes, a row of a class below k costing k; of persons N^2 / classes",
            monotone_under_limit=False,
            monotone_of_persons=False,
        ),
        Metric(
            "dm_star",
            "sum of the squares of all classes, released or not",
            "a suppressed row costs the size of its class",
            "itself; of persons N^2 / classes",
            monotone_under_limit=True,
            monotone_of_persons=False,
        ),
        Metric(
            "c_avg",
            "(N - s) / released classes / k (LeFevre et al. 2006)",
            "neither suppressed rows nor suppressed classes count",
            MOST_CLASSES,
            monotone_under_limit=False,
        ),
        Metric(
            "aecs",
            "N / (released classes + 1 if s > 0): the average class size",
            "all suppressed rows are one class",
            MOST_CLASSES + ", never below N / classes",
            monotone_under_limit=False,
        ),
        Metric(
            "entropy",
            "non-uniform entropy in bits, summed over the attributes (Gionis and Tassa 2009)",
            "its value at the node's level costs too: s log2 s - sum of n log2 n over the values n of suppressed rows",
            "its value without suppression",
            monotone_under_limit=False,
            weighted=True,
        ),
        Metric(
            "entropy_ignoring_suppression",
            "non-uniform entropy in bits as if every row were released",
            "they count as the released ones do",
            LEVELS_SUM,
            monotone_under_limit=True,
            weighted=True,
        ),
        Metric(
            "loss",
            "Loss (NCP): mean share of the hierarchy's leaves that a value is blurred to (Iyengar 2002)",
            "each counts as `*`, that is 1",
            "its value without suppression",
            monotone_under_limit=False,
            weighted=True,
        ),
    )
}
"""Every metric, in the order in which losses are reported."""


@dataclass(frozen=True, slots=True)
class Losses:
    """The information a node loses, by metric (see `loss.metrics`). Lower is better, but for `divisions`.

    `entropy` and `loss` are None where a level's classes were not counted, or where rows are suppressed whose figures
    were not measured; `entropy_ignoring_suppression` where a level's classes were not counted.
    """

    prec: float
    prec_suppressed_as_1: float
    height: int
    divisions: int
    dm: int
    dm_star: int
    c_avg: float
    aecs: float
    entropy: float | None
    entropy_ignoring_suppression: float | None
    loss: float | None

    def as_dict(self) -> dict[str, float | int | None]:
        """The metrics by name, in the order in which they are reported."""
        return asdict(self)


def losses(
    lattice: Lattice,
    node: Node,
    observation: Observation,
    requirement: Requirement,
    costs: Sequence[AttributeCosts] | None,
) -> Losses:
    """All losses of `node`, measured as `observation` and released as `requirement` says.

    `costs` has one entry an attribute, in their order. Attributes weigh the same, whatever a search weighed.
    """
    withheld = requirement.withheld_figures(observation, len(node))
    levels = prec(lattice, node)
    by_entropy, by_loss = None, None
    if costs is not None and withheld is not None:
        by_entropy, by_loss = entropy_units(node, costs, withheld), loss_units(node, costs, withheld)
    ignoring = None if costs is None else [in_units(each.entropy[i]) for i, each in zip(node, costs, strict=True)]
    return Losses(
        prec=float(levels),
        prec_suppressed_as_1=float(prec_with_suppression(levels, observation, requirement)),
        height=sum(node),
        divisions=requirement.released(observation).classes,
        dm=discernibility(observation, requirement),
        dm_star=observation.sum_of_squares,
        c_avg=float(average_class_size_in_k(observation, requirement)),
        aecs=float(average_class_size(observation, requirement)),
        entropy=_as_float(_total(by_entropy), 1),
        entropy_ignoring_suppression=_as_float(_total(ignoring), 1),
        loss=_as_float(_total(by_loss), max(1, len(node))),
    )


def prec(lattice: Lattice, node: Node) -> Fraction:
    """Mean over the attributes of level / top level; an attribute whose only level is `*` counts as 0."""
    unit = prec_unit(lattice)
    steps = sum(level * (unit // (axis.top or 1)) for axis, level in zip(lattice.axes, node, strict=True))
    return Fraction(steps, unit * max(1, len(lattice.axes)))


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
    return levels + (1 - levels) * Fraction(requirement.withheld(observation), observation.rows)


def discernibility(observation: Observation, requirement: Requirement) -> int:
    """DM: sum of the squares of the released classes' sizes + N x s."""
    released = requirement.released(observation)
    return released.sum_of_squares + observation.rows * released.withheld


def average_class_size(observation: Observation, requirement: Requirement) -> Fraction:
    """AECS: N / classes, the suppressed rows being one more class; 0 for an empty dataset."""
    released = requirement.released(observation)
    classes = released.classes + (1 if released.withheld else 0)
    return Fraction(observation.rows, classes) if classes else Fraction(0)


def average_class_size_in_k(observation: Observation, requirement: Requirement) -> Fraction:
    """C_AVG: (N - s) / released classes / k; 0 where nothing is released."""
    released = requirement.released(observation)
    return Fraction(released.units, released.classes * requirement.k) if released.classes else Fraction(0)


def entropy_units(node: Node, costs: Sequence[AttributeCosts], withheld: Withheld) -> list[int | None]:
    """The entropy of each attribute, in units of its last decimal; None where it is not known."""
    each = zip(node, costs, withheld.information, strict=True)
    return [of.entropy_units(level, withheld.rows, bits) for level, of, bits in each]


def loss_units(node: Node, costs: Sequence[AttributeCosts], withheld: Withheld) -> list[int | None]:
    """The Loss of each attribute, in units of its last decimal; None where it is not known."""
    each = zip(node, costs, withheld.leaves, strict=True)
    return [of.loss_units(level, withheld.rows, leaves) for level, of, leaves in each]


def _total(units: Iterable[int | None] | None) -> int | None:
    """The sum, or None if a part is None."""
    known = [None] if units is None else list(units)
    numbers = [each for each in known if each is not None]
    return sum(numbers) if len(numbers) == len(known) else None


def _as_float(units: int | None, of: int) -> float | None:
    return None if units is None else float(Fraction(units, of * DECIMALS))
