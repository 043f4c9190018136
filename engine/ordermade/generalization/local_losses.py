"""The losses of a local recoding: metrics that are sums over rows, each row at the levels it is released at.

Said of the release: `loss`, `entropy`, `prec` and `prec_suppressed_as_1`, which are then one (each row by its own
levels, a suppressed one as `*`); `divisions`, `dm`, `aecs`, `c_avg` (by the classes that a reader of the release sees).
Not said, None: `height`, `dm_star`, `entropy_ignoring_suppression`, which are figures of one node.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.loss.costs import DECIMALS, AttributeCosts, information

RowsByCell = Mapping[int | None, Mapping[int, int]]
"""Rows released of each cell of one attribute, by the number of the round (None: suppressed)."""

Losses = Mapping[str, float | int | None]


@dataclass(frozen=True, slots=True)
class CellClasses:
    """The cells of one attribute: `classes[level][cell]`, the class of each at each level below `*`.

    `leaves[level][class]`: the leaves of the hierarchy under a class, for the levels between 0 and `*`.
    """

    base: int
    top: int
    classes: Mapping[int, Mapping[int, int]]
    leaves: Mapping[int, Mapping[int, int]]
    costs: AttributeCosts


def loss_of(attributes: Sequence[CellClasses], levels: Sequence[Node], rows: Sequence[RowsByCell]) -> float | None:
    """Loss (NCP) of the release: the mean over the attributes, suppressed rows as `*`; None where it is not known.

    `levels`: the node of each round, the first being round 1. Each attribute is rounded down to ten decimals, as the
    Loss of one node is.
    """
    units = [_loss_units(each, [node[place] for node in levels], rows[place]) for place, each in enumerate(attributes)]
    known = [each for each in units if each is not None]
    return float(Fraction(sum(known), max(1, len(units)) * DECIMALS)) if len(known) == len(units) else None


def _loss_units(attribute: CellClasses, levels: Sequence[int], rows: RowsByCell) -> int | None:
    """(sum of leaves over the rows - N) / (N (d - 1)), in whole units of the last decimal."""
    domain, all_rows = attribute.costs.domain_leaves, _all(rows)
    if all_rows == 0 or domain == 1 or attribute.top == 0:
        return 0
    above = Fraction(0)
    for number, cells in rows.items():
        level = attribute.top if number is None else levels[number - 1]
        if level == attribute.top:
            above += sum(cells.values())
        elif level > 0:
            if domain is None:
                return None
            under, classes = attribute.leaves[level], attribute.classes[level]
            above += Fraction(sum(n * (under[classes[cell]] - 1) for cell, n in cells.items()), domain - 1)
    return math.floor(above * DECIMALS / all_rows)


def _summed(classes: Mapping[int, int], of_cells: Mapping[int, int]) -> dict[int, int]:
    found: dict[int, int] = {}
    for cell, number in classes.items():
        found[number] = found.get(number, 0) + of_cells.get(cell, 0)
    return found


def _all(rows: RowsByCell) -> int:
    return sum(sum(cells.values()) for cells in rows.values())


def _entropy(attribute: CellClasses, levels: Sequence[int], rows: RowsByCell) -> float | None:
    """Bits lost: the sum over the rows of log2(rows of the dataset with the released value / with the original)."""
    all_rows, at_top = _all(rows), attribute.costs.entropy[attribute.top]
    if all_rows == 0 or attribute.top == 0:
        return 0.0
    if at_top is None:
        return None
    whole: dict[int, int] = {}
    for cells in rows.values():
        for cell, n in cells.items():
            whole[cell] = whole.get(cell, 0) + n
    counts = {level: _summed(of, whole) for level, of in attribute.classes.items()}
    parts = [-(information(whole.values()) if attribute.base == 0 else all_rows * math.log2(all_rows) - at_top)]
    for number, cells in rows.items():
        level = attribute.top if number is None else levels[number - 1]
        for cell, n in cells.items():
            size = all_rows if level == attribute.top else counts[level][attribute.classes[level][cell]]
            parts.append(n * math.log2(size))
    return max(0.0, math.floor(math.fsum(parts) * DECIMALS) / DECIMALS)


def _prec(attribute: CellClasses, levels: Sequence[int], rows: RowsByCell) -> Fraction:
    if attribute.top == 0:
        return Fraction(0)
    steps = sum(
        (attribute.top if number is None else levels[number - 1]) * sum(cells.values())
        for number, cells in rows.items()
    )
    return Fraction(steps, attribute.top * max(1, _all(rows)))


def losses_of(
    attributes: Sequence[CellClasses],
    levels: Sequence[Node],
    rows: Sequence[RowsByCell],
    released: Observation,
    units: int,
    withheld: int,
    k: int,
) -> Losses:
    """Every metric of the release, by name.

    `released`: its classes as a reader sees them; `units` (rows, or persons) of the dataset, `withheld` of them.
    """
    by_attribute = [(each, [node[place] for node in levels], rows[place]) for place, each in enumerate(attributes)]
    bits = [_entropy(*each) for each in by_attribute]
    known = [each for each in bits if each is not None]
    classes = released.divisions + (1 if withheld else 0)
    prec = sum((_prec(*each) for each in by_attribute), Fraction(0)) / max(1, len(attributes))
    return {
        "prec": float(prec),
        "prec_suppressed_as_1": float(prec),
        "height": None,
        "divisions": released.divisions,
        "dm": released.sum_of_squares + units * withheld,
        "dm_star": None,
        "c_avg": float(Fraction(units - withheld, released.divisions * k)) if released.divisions else 0.0,
        "aecs": float(Fraction(units, classes)) if classes else 0.0,
        "entropy": math.fsum(known) if len(known) == len(bits) else None,
        "entropy_ignoring_suppression": None,
        "loss": loss_of(attributes, levels, rows),
    }
