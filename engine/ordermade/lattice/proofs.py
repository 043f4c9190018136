"""What earlier observations prove of the nodes of a lattice: k and divisions are monotone under refinement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from ordermade.lattice.lattice import Axis, Lattice
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation

FAILS, UNKNOWN, PASSES = -1, 0, 1
MOST_ROWS = 2**62

Tags = npt.NDArray[np.int8]
Levels = frozenset[int]


@dataclass(frozen=True, slots=True)
class Placed:
    """An observation of the same dataset version, placed in a lattice by refinement.

    `coarser[i]`: the levels of attribute i that the observation's level refines (the top level always among
    them). `finer[i]`: the levels that refine the observation's; empty where none does. An observation that
    also groups by an attribute the lattice does not have has no finer node there: its `finer` is all empty.
    """

    observation: Observation
    coarser: tuple[Levels, ...]
    finer: tuple[Levels, ...]


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is proved of one node: the least and the most its k and its divisions can be."""

    least_k: int
    most_k: int
    least_divisions: int
    most_divisions: int


class Proofs:
    """What placed observations prove: a node coarser than one that passes passes, a finer one than a failing fails."""

    def __init__(self, lattice: Lattice, rows: int | None, placed: Sequence[Placed] = ()) -> None:
        """`rows` of the dataset; None where even that is not known, and then nothing else is."""
        self.lattice = lattice
        self.rows = rows
        self.placed = tuple(placed)
        self._coarser = [_membership([each.coarser[i] for each in placed], axis) for i, axis in enumerate(lattice.axes)]
        self._finer = [_membership([each.finer[i] for each in placed], axis) for i, axis in enumerate(lattice.axes)]
        self._k = np.array([each.observation.k for each in placed], dtype=np.int64)
        self._divisions = np.array([each.observation.divisions for each in placed], dtype=np.int64)

    def bounds(self, node: Node) -> Bounds:
        """What is proved of a node, accepted or not; the root is proved by the rows alone."""
        if self.rows is None:
            return Bounds(0, MOST_ROWS, 0, MOST_ROWS)
        least = min(self.rows, 1)
        if node == self.lattice.top:
            return Bounds(self.rows, self.rows, least, least)
        coarser, finer = self._sides(node)
        return Bounds(
            least_k=int(self._k[coarser].max(initial=least)),
            most_k=int(self._k[finer].min(initial=self.rows)),
            least_divisions=int(self._divisions[finer].max(initial=least)),
            most_divisions=int(self._divisions[coarser].min(initial=self.rows)),
        )

    def passes(self, node: Node, k: int) -> bool | None:
        """Whether a node passes for k, as far as it is proved; None where it is not."""
        bounds = self.bounds(node)
        if bounds.least_k >= k:
            return True
        return False if bounds.most_k < k else None

    def exact(self, node: Node) -> Observation | None:
        """The observation of a node with the same classes: one that both refines the node and is refined by it."""
        if node == self.lattice.top and self.rows is not None:
            return Observation.from_histogram([(self.rows, 1)] if self.rows else [])
        coarser, finer = self._sides(node)
        same = np.flatnonzero(coarser & finer)
        return self.placed[int(same[0])].observation if same.size else None

    def tags(self, k: int) -> Tags:
        """FAILS, UNKNOWN or PASSES for every accepted node, as an array over the accepted levels."""
        tags: Tags = np.zeros(self.lattice.shape, dtype=np.int8)
        for each in sorted(self.placed, key=_reach, reverse=True):
            passes = each.observation.passes(k)
            sides = each.coarser if passes else each.finer
            tag = PASSES if passes else FAILS
            if any(tags[corner] != tag for corner in self._corners(sides, finest=passes)):
                tags[np.ix_(*self._indices(sides))] = tag
        if self._root_is_accepted() and self.rows is not None:
            tags[(-1,) * tags.ndim] = PASSES if self.rows >= k else FAILS
        return tags

    def _sides(self, node: Node) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Which observations refine the node, and which are refined by it."""
        coarser = np.ones(len(self.placed), dtype=np.bool_)
        finer = np.ones(len(self.placed), dtype=np.bool_)
        for i, level in enumerate(node):
            coarser &= self._coarser[i][:, level]
            finer &= self._finer[i][:, level]
        return coarser, finer

    def _indices(self, sides: Sequence[Levels]) -> list[list[int]]:
        return [
            [index for index, level in enumerate(axis.accepted) if level in levels]
            for axis, levels in zip(self.lattice.axes, sides, strict=True)
        ]

    def _corners(self, sides: Sequence[Levels], *, finest: bool) -> Iterator[tuple[int, ...]]:
        """The extreme accepted cells of a side: if all of them carry a tag, the whole side does."""
        return product(
            *(_extremes(axis, levels, finest=finest) for axis, levels in zip(self.lattice.axes, sides, strict=True))
        )

    def _root_is_accepted(self) -> bool:
        return all(axis.accepted[-1] == axis.top for axis in self.lattice.axes)


def _membership(sides: Sequence[Levels], axis: Axis) -> npt.NDArray[np.bool_]:
    """Whether each observation's side holds each level: observations by levels."""
    found = np.zeros((len(sides), len(axis.order)), dtype=np.bool_)
    for number, levels in enumerate(sides):
        found[number, list(levels)] = True
    return found


def _extremes(axis: Axis, levels: Levels, *, finest: bool) -> list[int]:
    """The indices of the accepted levels of a side that no other one of them refines (or that refine no other one)."""
    accepted = [level for level in axis.accepted if level in levels]

    def beyond(level: int, other: int) -> bool:
        return other != level and (axis.order.refines(other, level) if finest else axis.order.refines(level, other))

    return [axis.accepted.index(level) for level in accepted if not any(beyond(level, other) for other in accepted)]


def _reach(placed: Placed) -> int:
    """How much of a lattice an observation can speak of: those that reach furthest are laid down first."""
    return sum(len(levels) for levels in placed.coarser) + sum(len(levels) for levels in placed.finer)
