"""The extremes of a table: what the best and the worst value of every metric follow from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ordermade.lattice.lattice import Lattice
from ordermade.lattice.observation import Observation
from ordermade.loss.costs import AttributeCosts

Range: TypeAlias = tuple[float | None, float | None]
"""The best and the worst value of a metric; None where it is not known."""


@dataclass(frozen=True, slots=True)
class Extremes:
    """The extremes of one table, from which the best and the worst value of each metric follow; None: not known.

    `units`: its rows, or its persons where k counts persons; `k` of the request. `classes` and `squares`: the number of
    equivalence classes of the original table over the attributes, and the sum of the squares of their sizes. `tops`:
    the top level of each attribute. `entropy` (in bits) and `loss`: their values with every attribute at `*`.
    """

    units: int | None = None
    k: int | None = None
    classes: int | None = None
    squares: int | None = None
    tops: tuple[int, ...] | None = None
    entropy: float | None = None
    loss: float | None = None

    @classmethod
    def of_lattice(
        cls,
        lattice: Lattice,
        units: int,
        k: int,
        costs: Sequence[AttributeCosts] | None = None,
        original: Observation | None = None,
    ) -> Extremes:
        """The extremes of a table with its lattice of levels.

        `costs` of its attributes in their order; `original`: the observation of the node of level 0 of each, None where
        it was not measured.
        """
        entropies = [None] if costs is None else [each.entropy[-1] for each in costs]
        losses = [None] if costs is None else [each.loss[-1] for each in costs]
        known, lost = ([each for each in of if each is not None] for of in (entropies, losses))
        return cls(
            units=units,
            k=k,
            classes=None if original is None else original.divisions,
            squares=None if original is None else original.sum_of_squares,
            tops=tuple(axis.top for axis in lattice.axes),
            entropy=sum(known) if len(known) == len(entropies) else None,
            loss=sum(lost) / len(lost) if lost and len(lost) == len(losses) else None,
        )
