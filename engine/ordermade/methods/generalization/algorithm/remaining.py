"""The rows that rounds of local recoding leave to be released, counted in memory where k alone decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ordermade.lattice.lattice import Node
from ordermade.methods.generalization.algorithm.sealed_partition import MOST_BITS, Integers
from ordermade.methods.generalization.local_rounds import Classes, Round


class RemainingInMemory:
    """Combinations of cells that are still to be released; keeps the rounds that released something.

    `rounds` are those so far, and `round_of` has the number of the round of each combination, 0 where it remains.
    """

    def __init__(self, codes: Sequence[Mapping[int, Integers]], rows: Integers, k: int) -> None:
        """`codes[attribute][level]`: the class of each combination, numbered from 0. `rows` of each combination."""
        self._codes, self._rows, self._k = codes, rows, k
        self._left = np.arange(len(rows))
        self.rounds: list[Round] = []
        self.round_of = np.zeros(len(rows), dtype=np.int64)

    @property
    def rows(self) -> int:
        """The number of remaining rows."""
        return int(self._rows[self._left].sum())

    @property
    def units(self) -> int:
        """The same: rows are counted here, not persons."""
        return self.rows

    def classes(self, nodes: Sequence[Node]) -> list[Classes]:
        """The classes of the remaining rows at each node."""
        found = []
        for node in nodes:
            _, sizes = self._sizes(node)
            is_large = sizes >= self._k
            found.append(Classes(int(is_large.sum()), int(sizes[~is_large].sum())))
        return found

    def release(self, node: Node) -> Round | None:
        """Releases the classes of a node that have k rows, of the remaining rows; None where none has."""
        classes, sizes = self._sizes(node)
        is_large = sizes >= self._k
        if not is_large.any():
            return None
        released = is_large[classes]
        found = Round(node, int(is_large.sum()), int(sizes[is_large].sum()))
        self.rounds.append(found)
        self.round_of[self._left[released]] = len(self.rounds)
        self._left = self._left[~released]
        return found

    def take_back(self, kept: int) -> None:
        """Takes back all rounds but the first `kept`."""
        del self.rounds[kept:]
        self.round_of[self.round_of > kept] = 0
        self._left = np.flatnonzero(self.round_of == 0)

    def _sizes(self, node: Node) -> tuple[Integers, Integers]:
        """The class of each remaining combination at a node, and the rows of each class."""
        keys, bits = np.zeros(len(self._left), dtype=np.int64), 0
        for codes, level in zip(self._codes, node, strict=True):
            own = codes[level]
            width = int(own.max(initial=0)).bit_length()
            if bits + width > MOST_BITS:
                keys = np.unique(keys, return_inverse=True)[1].astype(np.int64)
                bits = len(keys).bit_length()
            keys, bits = (keys << width) | own[self._left], bits + width
        classes = np.unique(keys, return_inverse=True)[1].astype(np.int64)
        sizes = np.bincount(classes, weights=self._rows[self._left]).astype(np.int64)
        return classes, sizes
