"""The cells above and below a node, and how much of a set of cells they are: refinement over the accepted levels."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ordermade.lattice.lattice import Lattice
from ordermade.lattice.node import Node
from ordermade.search import grid

Counts: TypeAlias = npt.NDArray[np.int32]
Indices: TypeAlias = npt.NDArray[np.intp]
Region: TypeAlias = tuple[Indices, ...]
"""An index of an array over the accepted levels: a box of cells, not always contiguous."""


class Reach:
    """The refinement of one lattice, ready for whole arrays over its accepted levels."""

    def __init__(self, lattice: Lattice) -> None:
        self._accepted = [axis.accepted for axis in lattice.axes]
        self._coarser = [_indices(axis.accepted, axis.order.finer) for axis in lattice.axes]
        self._finer = [_indices(axis.accepted, tuple(zip(*axis.order.finer, strict=True))) for axis in lattice.axes]
        self._matrices = [
            None if axis.order.is_chain(axis.accepted) else grid.refinement(axis).astype(np.float64)
            for axis in lattice.axes
        ]

    def coarser(self, node: Node) -> Region:
        """The accepted cells that a node, accepted or not, refines."""
        return np.ix_(*(along[level] for along, level in zip(self._coarser, node, strict=True)))

    def finer(self, node: Node) -> Region:
        """The accepted cells that refine a node, accepted or not."""
        return np.ix_(*(along[level] for along, level in zip(self._finer, node, strict=True)))

    def box(self, sides: Sequence[Collection[int]]) -> Region:
        """The accepted cells whose level of each attribute is one of the given ones."""
        return np.ix_(
            *(
                np.array([index for index, level in enumerate(accepted) if level in levels], dtype=np.intp)
                for accepted, levels in zip(self._accepted, sides, strict=True)
            )
        )

    def finer_among(self, flags: grid.Flags) -> Counts:
        """Count the cells that are set and refine each cell (a cell refines itself)."""
        counts = flags.astype(np.int32)
        for position, matrix in enumerate(self._matrices):
            if matrix is None:
                np.cumsum(counts, axis=position, out=counts)
            else:
                counts = _along(matrix.T, counts, position)
        return counts

    def coarser_among(self, flags: grid.Flags) -> Counts:
        """Count the cells that are set and that each cell refines (itself among them)."""
        counts = flags.astype(np.int32)
        for position, matrix in enumerate(self._matrices):
            if matrix is None:
                backwards = np.flip(counts, axis=position)
                np.cumsum(backwards, axis=position, out=backwards)
            else:
                counts = _along(matrix, counts, position)
        return counts


def _indices(accepted: tuple[int, ...], related: tuple[tuple[bool, ...], ...]) -> list[Indices]:
    """For each level, the indices of the accepted levels related to it."""
    return [np.array([index for index, level in enumerate(accepted) if row[level]], dtype=np.intp) for row in related]


def _along(matrix: npt.NDArray[np.float64], counts: Counts, position: int) -> Counts:
    """One product with a refinement matrix along one axis; exact, as counts are far below 2**53."""
    product = np.tensordot(matrix, counts.astype(np.float64), axes=(1, position))
    summed: Counts = np.moveaxis(product, 0, position).astype(np.int32)
    return summed
