"""The lattice of generalisations that a request accepts: its nodes and their refinement."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class LevelOrder:
    """The refinement of levels: `finer[i][j]` where every class of level i lies inside one class of level j.

    Reflexive and transitive. Levels are numbered consistently: i refines j only if i <= j (of two levels with
    equal classes the lower number counts as the finer one). Every level refines the top one, the last.
    """

    finer: tuple[tuple[bool, ...], ...]

    @classmethod
    def chain(cls, levels: int) -> LevelOrder:
        """The order of `levels` nested levels: each refines all later ones."""
        return cls(tuple(tuple(i <= j for j in range(levels)) for i in range(levels)))

    def __len__(self) -> int:
        return len(self.finer)

    @property
    def top(self) -> int:
        """The number of the top level, `*`."""
        return len(self.finer) - 1

    def refines(self, fine: int, coarse: int) -> bool:
        """True if level `fine` refines level `coarse` (a level refines itself)."""
        return self.finer[fine][coarse]

    def is_chain(self, levels: Iterable[int] | None = None) -> bool:
        """True if the given levels (default: all) nest, each in the next."""
        chosen = sorted(range(len(self)) if levels is None else set(levels))
        return all(self.finer[i][j] for i, j in pairwise(chosen))

    def direct_generalisations(self, level: int, among: Sequence[int]) -> tuple[int, ...]:
        """The levels of `among` that cover `level`: coarser, with none of `among` strictly between."""
        coarser = [j for j in among if j != level and self.finer[level][j]]
        return tuple(j for j in coarser if not any(i != j and self.finer[i][j] for i in coarser))

    def minimal(self, among: Sequence[int]) -> tuple[int, ...]:
        """The finest levels of `among`: those that no other one of them refines."""
        return tuple(j for j in among if not any(i != j and self.finer[i][j] for i in among))


Levels: TypeAlias = frozenset[int]
"""Some levels of one attribute, by number."""

Node: TypeAlias = tuple[int, ...]
"""One level number for each quasi-identifier, in the order of the request, which is the priority."""

NodeKey: TypeAlias = frozenset[tuple[str, str]]
"""A node as table C knows it: (column, content hash of the level) of each attribute below `*`."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One quasi-identifier of a request: its column, the order of its levels, and the level numbers accepted.

    The accepted levels are at least one, ascending and without repetition; raises ValueError otherwise.
    """

    column: str
    order: LevelOrder
    accepted: tuple[int, ...]

    def __post_init__(self) -> None:
        known = range(len(self.order))
        if not self.accepted or any(level not in known for level in self.accepted):
            raise ValueError(f"{self.column}: accepted levels must be some of 0 to {known.stop - 1}")
        if list(self.accepted) != sorted(set(self.accepted)):
            raise ValueError(f"{self.column}: accepted levels must ascend without repetition")

    @property
    def top(self) -> int:
        """The number of the top level, `*`, whether it is accepted or not."""
        return self.order.top


@dataclass(frozen=True, slots=True)
class Lattice:
    """All nodes a request accepts: the product of its axes' accepted levels, ordered by refinement."""

    axes: tuple[Axis, ...]

    @property
    def size(self) -> int:
        """The number of nodes."""
        return math.prod(len(axis.accepted) for axis in self.axes)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of accepted levels of each attribute."""
        return tuple(len(axis.accepted) for axis in self.axes)

    @property
    def top(self) -> Node:
        """Every attribute at `*`; not always an accepted node."""
        return tuple(axis.top for axis in self.axes)

    def nodes(self) -> Iterator[Node]:
        """Every accepted node, finest first in the order of the level numbers."""
        return itertools.product(*(axis.accepted for axis in self.axes))

    def coarsest(self) -> Iterator[Node]:
        """The accepted nodes that refine no other accepted one; several where levels do not nest, the highest first."""
        return itertools.product(
            *(
                [
                    level
                    for level in reversed(axis.accepted)
                    if not axis.order.direct_generalisations(level, axis.accepted)
                ]
                for axis in self.axes
            )
        )

    def __contains__(self, node: Node) -> bool:
        return len(node) == len(self.axes) and all(
            level in axis.accepted for level, axis in zip(node, self.axes, strict=True)
        )

    def refines(self, fine: Node, coarse: Node) -> bool:
        """True if every class of `fine` lies inside one class of `coarse`."""
        return all(axis.order.refines(i, j) for axis, i, j in zip(self.axes, fine, coarse, strict=True))

    @property
    def not_nested(self) -> tuple[str, ...]:
        """The columns whose accepted levels do not form a chain."""
        return tuple(axis.column for axis in self.axes if not axis.order.is_chain(axis.accepted))

    def widened(self) -> Lattice:
        """The same lattice with every level above an attribute's last accepted one accepted as well.

        Where a request is refused, the nearest node that passes is looked for here: what is finer than the
        accepted nodes fail as they do, so only coarser levels can help.
        """
        return Lattice(
            tuple(
                Axis(axis.column, axis.order, (*axis.accepted, *range(axis.accepted[-1] + 1, axis.top + 1)))
                for axis in self.axes
            )
        )
