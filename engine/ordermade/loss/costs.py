"""The costs of the levels of an attribute, by entropy and by Loss, from the counts of its values.

Non-uniform entropy (Gionis and Tassa 2009) and Loss (NCP; Iyengar 2002, in ARX's reading: a share of the leaves that
the hierarchy lists, whether they occur or not) are sums over the attributes of a node, so one pass over each column's
values prices every node of the lattice, as long as no row is suppressed. Suppressed rows cost more, never less: their
cost is that of their figures at one node (`SuppressedFigures`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ordermade.lattice.lattice import LevelOrder, Node
from ordermade.lattice.observation import SuppressedFigures

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
    leaves of the hierarchy, None where it has no number. `starred`: the rows whose value is `*` at every level.
    """

    entropy: tuple[float | None, ...]
    loss: tuple[float | None, ...]
    rows: int = 0
    leaves: tuple[int | None, ...] = ()
    domain_leaves: int | None = None
    starred: int = 0

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
        if level == 0 and not self.starred:
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
    starred: int = 0,
) -> AttributeCosts:
    """The costs of every level in `classes`, and of level 0 and `*`, which need no counting.

    `classes` gives for each counted level its classes that hold rows; `leaf_information` is the sum of n log2
    n over the original values (see `information`); `domain_leaves` is the number of leaves of the hierarchy,
    or None where it has no number: then Loss is unknown between level 0 and `*`. `starred` rows have `*` at every
    level, the original values among them; in `classes` all leaves are under theirs. Raises ValueError if no level was
    counted.
    """
    if not classes:
        raise ValueError("costs need the classes of at least one level")
    rows = sum(n for n, _ in next(iter(classes.values())))
    entropy: list[float | None] = [None] * len(order)
    loss: list[float | None] = [None] * len(order)
    for level in range(len(order)):
        counted = [(rows, 0)] if level == order.top else classes.get(level)
        if level == 0 and order.top > 0:
            entropy[level], loss[level] = 0.0, _starred_loss(rows, starred, domain_leaves)
        elif counted is not None:
            entropy[level] = _not_below(_finer(entropy, order, level), *_entropy(counted, leaf_information))
            share = _top_loss(rows, domain_leaves) if level == order.top else _loss(counted, domain_leaves)
            if share is not None:
                floor = _finer(loss, order, level)
                loss[level] = _not_below(floor, share, NOISE * floor)
    leaves = [_leaves(classes.get(level)) for level in range(len(order))]
    if starred and order.top > 0 and domain_leaves is not None:
        leaves[0] = rows + starred * (domain_leaves - 1)
    return AttributeCosts(tuple(entropy), tuple(loss), rows, tuple(leaves), domain_leaves, starred)


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


def _starred_loss(rows: int, starred: int, domain_leaves: int | None) -> float:
    """The Loss of the original values, of which so many rows have `*`; rounded down."""
    if rows == 0 or (domain_leaves is not None and domain_leaves <= 1):
        return 0.0
    return starred * DECIMALS // rows / DECIMALS


def _finer(costs: Sequence[float | None], order: LevelOrder, level: int) -> float:
    """The largest cost among the levels that refine `level`, itself excepted; 0 if none is known."""
    finer = (cost for i, cost in enumerate(costs[:level]) if order.refines(i, level))
    return max((cost for cost in finer if cost is not None), default=0.0)


def _not_below(finer: float, cost: float, noise: float) -> float:
    """`cost`, or the finer level's where it is not above it by more than rounding.

    Every search relies on costs that never fall when coarsening, and on equal classes costing the same.
    """
    return cost if cost > finer + noise else finer


def entropy_units(node: Node, costs: Sequence[AttributeCosts], suppressed: SuppressedFigures) -> list[int | None]:
    """The entropy of each attribute, in units of its last decimal; None where it is not known."""
    each = zip(node, costs, suppressed.information, strict=True)
    return [of.entropy_units(level, suppressed.rows, bits) for level, of, bits in each]


def loss_units(node: Node, costs: Sequence[AttributeCosts], suppressed: SuppressedFigures) -> list[int | None]:
    """The Loss of each attribute, in units of its last decimal; None where it is not known."""
    each = zip(node, costs, suppressed.leaves, strict=True)
    return [of.loss_units(level, suppressed.rows, leaves) for level, of, leaves in each]
