"""The named losses of one node, as a request reports them.

Exact formulas first (integers and fractions, which objectives compare), then the record of all of them as
floats. Here every row is released; the formulas already tell the released rows from the suppressed ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction

from ordermade.lattice.lattice import Lattice
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.loss.costs import AttributeCosts


@dataclass(frozen=True, slots=True)
class Losses:
    """The information a node loses, by metric. Lower is better, but for `divisions`.

    `prec`: mean of level / top level (Sweeney 2002). `height`: sum of the levels. `divisions`: released
    classes. `dm`: discernibility (Bayardo and Agrawal 2005). `c_avg`: released rows / released classes / k
    (LeFevre et al. 2006). `aecs`: mean class size. `entropy`: non-uniform entropy in bits (Gionis and Tassa
    2009). `loss`: Loss, also known as NCP, mean over the attributes (Iyengar 2002). The last two are None
    where a level's classes were not counted.
    """

    prec: float
    height: int
    divisions: int
    dm: int
    c_avg: float
    aecs: float
    entropy: float | None
    loss: float | None

    def as_dict(self) -> dict[str, float | int | None]:
        """The metrics by name, in the order in which they are reported."""
        return asdict(self)


def losses(
    lattice: Lattice, node: Node, observation: Observation, k: int, costs: Sequence[AttributeCosts] | None
) -> Losses:
    """All losses of `node`, measured as `observation`; `costs` has one entry an attribute, in their order."""
    return Losses(
        prec=float(prec(lattice, node)),
        height=sum(node),
        divisions=observation.divisions,
        dm=discernibility(observation),
        c_avg=float(average_class_size_in_k(observation, k)),
        aecs=float(average_class_size(observation)),
        entropy=None if costs is None else entropy(node, costs),
        loss=None if costs is None else domain_loss(node, costs),
    )


def prec(lattice: Lattice, node: Node) -> Fraction:
    """Mean over the attributes of level / top level; an attribute whose only level is `*` counts as 0."""
    unit = _prec_unit(lattice)
    steps = sum(level * (unit // (axis.top or 1)) for axis, level in zip(lattice.axes, node, strict=True))
    return Fraction(steps, unit * max(1, len(lattice.axes)))


def prec_steps(lattice: Lattice) -> tuple[tuple[int, ...], ...]:
    """What each level of each attribute adds to Prec, all in one unit that makes them whole numbers."""
    unit = _prec_unit(lattice)
    return tuple(tuple(level * (unit // (axis.top or 1)) for level in range(axis.top + 1)) for axis in lattice.axes)


def _prec_unit(lattice: Lattice) -> int:
    return math.lcm(*(axis.top or 1 for axis in lattice.axes))


def discernibility(observation: Observation) -> int:
    """DM: sum of the squares of the released classes' sizes + rows x suppressed rows."""
    released = _released(observation)
    return released.sum_of_squares + observation.rows * released.suppressed_rows


def average_class_size(observation: Observation) -> Fraction:
    """AECS: rows / classes, the suppressed rows being one more class; 0 for an empty dataset."""
    released = _released(observation)
    classes = released.classes + (1 if released.suppressed_rows else 0)
    return Fraction(observation.rows, classes) if classes else Fraction(0)


def average_class_size_in_k(observation: Observation, k: int) -> Fraction:
    """C_AVG: released rows / released classes / k; 0 where nothing is released."""
    released = _released(observation)
    rows = observation.rows - released.suppressed_rows
    return Fraction(rows, released.classes * k) if released.classes else Fraction(0)


def entropy(node: Node, costs: Sequence[AttributeCosts]) -> float | None:
    """Non-uniform entropy: the sum over the attributes, in bits; None if one is not known."""
    return _sum(each.entropy[level] for level, each in zip(node, costs, strict=True))


def domain_loss(node: Node, costs: Sequence[AttributeCosts]) -> float | None:
    """Loss (NCP): the mean over the attributes, from 0 to 1; None if one is not known."""
    total = _sum(each.loss[level] for level, each in zip(node, costs, strict=True))
    return None if total is None else total / max(1, len(node))


@dataclass(frozen=True, slots=True)
class _Released:
    """What of a measured node is released, and what is withheld."""

    classes: int
    sum_of_squares: int
    suppressed_rows: int


def _released(observation: Observation) -> _Released:
    return _Released(observation.divisions, observation.sum_of_squares, suppressed_rows=0)


def _sum(parts: Iterable[float | None]) -> float | None:
    """The correctly rounded sum (so it never falls where a part rises), or None if a part is None."""
    known = list(parts)
    numbers = [part for part in known if part is not None]
    return math.fsum(numbers) if len(numbers) == len(known) else None
