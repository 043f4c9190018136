"""The metrics of information loss: costs of levels, registry, treatment of suppressed rows, losses of one node.

The cost of a level comes from the marginal counts of one attribute. Non-uniform entropy (Gionis and Tassa 2009) and
Loss (NCP; Iyengar 2002, in ARX's reading: a share of the leaves that the hierarchy lists, whether they occur or not)
are sums over the attributes of a node, so one pass over each column's values prices every node of the lattice, as long
as no row is suppressed. Suppressed rows cost more, never less: their cost is that of their figures at one node
(`SuppressedFigures`).

N is the number of units (rows; persons where there is an entity column) and s of them are suppressed; c are the sizes
of the released classes, m is the number of attributes, d the leaves of an attribute's hierarchy. Entropy and Loss weigh
rows where units are persons, too: a cell is a row's. Searches use the bounds; tests hold every line of the table.

Exact formulas first (integers and fractions, which objectives compare), then the record of all of them as floats.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TypeAlias

from ordermade.lattice.lattice import Lattice, LevelOrder, Node
from ordermade.lattice.observation import Observation, Requirement, SuppressedFigures

DECIMALS = 10**10
"""Each attribute's cost is rounded down to ten decimals; in units of the last one costs are whole numbers."""

NOISE = 1e-9
"""Relative size of what may be rounding in a difference of two sums of floats."""

LevelClasses: TypeAlias = Sequence[tuple[int, int]]
"""The classes of one level that hold rows: (rows, leaves of the hierarchy under the class)."""


@dataclass(frozen=True, slots=True)
class AttributeCosts:
    """The costs of one attribute by level number, None where the level's classes were not counted.

    `entropy` in bits, summed over all rows; `loss` from 0 (level 0) to 1 (`*`), averaged over the rows. Both
    never fall from a level to one that it refines.

    The cost of suppressed rows is computed from `rows` of the dataset (rows too if persons are counted), `leaves`, by
    level the sum over the rows of the leaves under the row's class, None where it is not known; `domain_leaves`, the
    leaves of the hierarchy, None where it has no number.
    """

    entropy: tuple[float | None, ...]
    loss: tuple[float | None, ...]
    rows: int = 0
    leaves: tuple[int | None, ...] = ()
    domain_leaves: int | None = None

    def entropy_units(self, level: int, rows: int, information: float) -> int | None:
        """The entropy of a level with this many rows suppressed, in units of the last decimal.

        `information`: the sum of n log2 n over the classes of this attribute among the suppressed rows. A recipient of
        the rest learns their values at this level, but not which row has which.
        """
        units = in_units(self.entropy[level])
        if units is None or rows == 0:
            return units
        whole = rows * math.log2(rows)
        bits = whole - information
        # Two classes of suppressed rows cost at least two bits: a cost below one is rounding.
        return units if bits <= min(1.0, NOISE * whole) else units + math.floor(bits * DECIMALS)

    def loss_units(self, level: int, rows: int, leaves: int | None) -> int | None:
        """The loss of a level with this many rows suppressed, each counting as `*`; in units of the last decimal.

        `leaves`: the sum of the leaves under the suppressed rows' classes. In integers: (sum of leaves over released
        rows + rows suppressed x d - N) / (N (d - 1)), rounded down.
        """
        units = in_units(self.loss[level])
        if units is None or rows == 0 or self.rows == 0 or level == len(self.loss) - 1:
            return units
        domain = self.domain_leaves
        if domain is not None and domain <= 1:
            return units
        if level == 0:
            return rows * DECIMALS // self.rows
        if domain is None or leaves is None or self.leaves[level] is None:
            return None
        above = (self.leaves[level] or 0) - leaves + rows * domain - self.rows
        return max(units, above * DECIMALS // (self.rows * (domain - 1)))


def in_units(cost: float | None) -> int | None:
    """A cost as a whole number of its last decimal."""
    return None if cost is None else round(cost * DECIMALS)


def attribute_costs(
    order: LevelOrder,
    classes: Mapping[int, LevelClasses],
    *,
    leaf_information: float,
    domain_leaves: int | None,
) -> AttributeCosts:
    """The costs of every level in `classes`, and of level 0 and `*`, which need no counting.

    `classes` gives for each counted level its classes that hold rows; `leaf_information` is the sum of n log2
    n over the original values (see `information`); `domain_leaves` is the number of leaves of the hierarchy,
    or None where it has no number: then Loss is unknown between level 0 and `*`. Raises ValueError if no
    level was counted.
    """
    if not classes:
        raise ValueError("costs need the classes of at least one level")
    rows = sum(n for n, _ in next(iter(classes.values())))
    entropy: list[float | None] = [None] * len(order)
    loss: list[float | None] = [None] * len(order)
    for level in range(len(order)):
        counted = [(rows, 0)] if level == order.top else classes.get(level)
        if level == 0 and order.top > 0:
            entropy[level], loss[level] = 0.0, 0.0
        elif counted is not None:
            entropy[level] = _not_below(_finer(entropy, order, level), *_entropy(counted, leaf_information))
            share = _top_loss(rows, domain_leaves) if level == order.top else _loss(counted, domain_leaves)
            if share is not None:
                floor = _finer(loss, order, level)
                loss[level] = _not_below(floor, share, NOISE * floor)
    leaves = tuple(_leaves(classes.get(level)) for level in range(len(order)))
    return AttributeCosts(tuple(entropy), tuple(loss), rows, leaves, domain_leaves)


def information(counts: Iterable[int]) -> float:
    """The sum of n log2 n over the counts (0 for a count of 0)."""
    return math.fsum(n * math.log2(n) for n in counts if n > 1)


def _leaves(classes: LevelClasses | None) -> int | None:
    return None if classes is None else sum(n * leaves for n, leaves in classes)


def _entropy(classes: LevelClasses, leaf_information: float) -> tuple[float, float]:
    """Bits lost at a level, and how much of them may be rounding.

    The loss -sum n(leaf) log2(n(leaf) / n(class)) is the difference of two large sums. Merging two values
    costs at least 2 bits (one row each), so a difference of less than one bit is always rounding.
    """
    level_information = information(n for n, _ in classes)
    bits = level_information - leaf_information
    return math.floor(bits * DECIMALS) / DECIMALS, min(1.0, NOISE * level_information)


def _loss(classes: LevelClasses, domain_leaves: int | None) -> float | None:
    """(a/N - 1/d) / (1 - 1/d) with a = sum of n leaves/d, rounded down.

    In integers: (sum of n leaves - N) / (N (d - 1)).
    """
    if domain_leaves is None:
        return None
    rows = sum(n for n, _ in classes)
    if rows == 0 or domain_leaves <= 1:
        return 0.0
    above = sum(n * leaves for n, leaves in classes) - rows
    return above * DECIMALS // (rows * (domain_leaves - 1)) / DECIMALS


def _top_loss(rows: int, domain_leaves: int | None) -> float:
    return 0.0 if rows == 0 or (domain_leaves is not None and domain_leaves <= 1) else 1.0


def _finer(costs: Sequence[float | None], order: LevelOrder, level: int) -> float:
    """The largest cost among the levels that refine `level`, itself excepted; 0 if none is known."""
    finer = (cost for i, cost in enumerate(costs[:level]) if order.refines(i, level))
    return max((cost for cost in finer if cost is not None), default=0.0)


def _not_below(finer: float, cost: float, noise: float) -> float:
    """`cost`, or the finer level's where it is not above it by more than rounding.

    Every search relies on costs that never fall when coarsening, and on equal classes costing the same.
    """
    return cost if cost > finer + noise else finer


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric of information loss.

    `meaning`: its definition. `suppressed`: its treatment of suppressed rows. `bound`: its lower bound at a node and at
    every coarser one. While nothing may be suppressed and rows are counted, coarsening a passing node never lowers any
    of them; `monotone_under_limit`: whether that holds if rows may be suppressed, `monotone_of_persons`: if persons
    are counted. `weighted`: whether attributes may weigh differently.
    """

    name: str
    meaning: str
    suppressed: str
    bound: str
    monotone_under_limit: bool
    monotone_of_persons: bool = True
    weighted: bool = False


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
            "classes",
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
            MAX_CLASSES,
            monotone_under_limit=False,
        ),
        Metric(
            "aecs",
            "N / (released classes + 1 if s > 0): the average class size",
            "all suppressed rows are one class",
            MAX_CLASSES + ", never below N / classes",
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
    """The information a node loses, by metric (see `loss.metrics`). Lower is better, but for `classes`.

    `entropy` and `loss` are None where a level's classes were not counted, or where rows are suppressed whose figures
    were not measured; `entropy_ignoring_suppression` where a level's classes were not counted.
    """

    prec: float
    prec_suppressed_as_1: float
    height: int
    classes: int
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
    suppressed = requirement.suppressed_figures(observation, len(node))
    levels = prec(lattice, node)
    by_entropy, by_loss = None, None
    if costs is not None and suppressed is not None:
        by_entropy, by_loss = entropy_units(node, costs, suppressed), loss_units(node, costs, suppressed)
    ignoring = None if costs is None else [in_units(each.entropy[i]) for i, each in zip(node, costs, strict=True)]
    return Losses(
        prec=float(levels),
        prec_suppressed_as_1=float(prec_with_suppression(levels, observation, requirement)),
        height=sum(node),
        classes=requirement.released(observation).classes,
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


def entropy_units(node: Node, costs: Sequence[AttributeCosts], suppressed: SuppressedFigures) -> list[int | None]:
    """The entropy of each attribute, in units of its last decimal; None where it is not known."""
    each = zip(node, costs, suppressed.information, strict=True)
    return [of.entropy_units(level, suppressed.rows, bits) for level, of, bits in each]


def loss_units(node: Node, costs: Sequence[AttributeCosts], suppressed: SuppressedFigures) -> list[int | None]:
    """The Loss of each attribute, in units of its last decimal; None where it is not known."""
    each = zip(node, costs, suppressed.leaves, strict=True)
    return [of.loss_units(level, suppressed.rows, leaves) for level, of, leaves in each]


def _total(units: Iterable[int | None] | None) -> int | None:
    """The sum, or None if a part is None."""
    known = [None] if units is None else list(units)
    numbers = [each for each in known if each is not None]
    return sum(numbers) if len(numbers) == len(known) else None


def _as_float(units: int | None, of: int) -> float | None:
    return None if units is None else float(Fraction(units, of * DECIMALS))
