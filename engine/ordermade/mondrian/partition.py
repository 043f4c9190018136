"""A partition: groups of records, and the level of each in every hierarchy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ordermade.mondrian.domains import Codes


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """Records in groups, in the order in which the groups were finished, depth first.

    `order`: the rows, group after group, ascending within one; group g has `order[starts[g]:starts[g + 1]]`.
    `levels[g, attribute]`: the level of the group's class in a hierarchy, -1 of attributes that have none. `made`: the
    splits that were made; `tried`: those that were looked at.
    """

    order: NDArray[np.int32]
    starts: NDArray[np.int64]
    levels: NDArray[np.int8]
    made: int
    tried: int

    @property
    def groups(self) -> int:
        """The number of groups."""
        return int(self.starts.size) - 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The records of each group."""
        return np.diff(self.starts)

    @property
    def labels(self) -> NDArray[np.int32]:
        """The group of each record."""
        found = np.empty(self.order.size, dtype=np.int32)
        found[self.order] = np.repeat(np.arange(self.groups, dtype=np.int32), self.sizes)
        return found

    def ascending(self, codes: Codes) -> Codes:
        """The codes that the records have in one attribute, group after group, ascending within one."""
        values = int(codes.max(initial=0)) + 1
        groups = np.repeat(np.arange(self.groups, dtype=np.int64) * values, self.sizes)
        ordered = np.sort(groups + codes[self.order])
        return (ordered - groups).astype(np.int32)

    def present(self, codes: Codes) -> tuple[NDArray[np.int64], Codes]:
        """The codes that are present in each group, each once, ascending: group g has those from starts[g] on.

        Returns the starts, the last being the end, and the codes. `codes`: those of the records in one attribute.
        """
        ordered = self.ascending(codes)
        first = np.diff(ordered, prepend=np.int32(-1)) != 0
        first[self.starts[:-1]] = True
        before = np.concatenate([[0], np.cumsum(first)])
        return before[self.starts], ordered[first]
