"""A partition: groups of records, the level of each in every hierarchy, and its loss and precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ordermade.methods.mondrian.algorithm.domains import Codes, Domain, Nested, Ordered, Shares


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


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """The shares of each group (row) and attribute (column), from 0 to 1.

    `widths`: the share of the domain that the group's label covers. `steps`: the share of the hierarchy's height that
    the label lies above the values; of an attribute without a hierarchy the width. `sizes`: the records of each group.
    """

    widths: Shares
    steps: Shares
    sizes: NDArray[np.int64]

    @property
    def loss(self) -> Shares:
        """The mean width of each attribute over all records."""
        return self._mean(self.widths)

    @property
    def prec(self) -> float:
        """1 - the mean of the steps over all records and attributes; higher is better.

        The precision of Sweeney 2002, equation (1) of the TF-IDF paper.
        """
        return float(1 - self._mean(self.steps).mean())

    @property
    def kept(self) -> NDArray[np.int64]:
        """The records, for each attribute, whose label covers less than the whole domain."""
        found: NDArray[np.int64] = ((self.steps < 1) * self.sizes[:, None]).sum(axis=0)
        return found

    def _mean(self, shares: Shares) -> Shares:
        found: Shares = (shares * self.sizes[:, None]).sum(axis=0) / self.sizes.sum()
        return found


def coverage(domains: Sequence[Domain], codes: Codes, partition: Partition) -> Coverage:
    """The coverage of a partition's groups over records with these codes (a row a record)."""
    widths = np.column_stack(
        [_widths(domain, codes[:, place], partition, place) for place, domain in enumerate(domains)]
    )
    steps = widths.copy()
    for place, domain in enumerate(domains):
        if isinstance(domain, Nested):
            steps[:, place] = partition.levels[:, place] / domain.top if domain.top else 0.0
    return Coverage(widths, steps, partition.sizes)


def _widths(domain: Domain, codes: Codes, partition: Partition, place: int) -> Shares:
    if isinstance(domain, Nested):
        return _nested(domain, codes[partition.order[partition.starts[:-1]]], partition.levels[:, place])
    if isinstance(domain, Ordered):
        if domain.span == 0:
            return np.zeros(partition.groups)
        of_groups = codes[partition.order]
        least = np.minimum.reduceat(of_groups, partition.starts[:-1])
        greatest = np.maximum.reduceat(of_groups, partition.starts[:-1])
        covered: Shares = (domain.places[greatest] - domain.places[least]) / domain.span
        return covered
    if domain.values < 2:
        return np.zeros(partition.groups)
    return (np.diff(partition.present(codes)[0]) - 1) / (domain.values - 1)


def _nested(domain: Nested, first: Codes, levels: NDArray[np.int8]) -> Shares:
    """The widths of the classes that hold the first record of each group, at the level of the group."""
    found = np.ones(first.size)
    for level in range(domain.top):
        at = levels == level
        found[at] = domain.widths[level][domain.classes[level, first[at]]]
    return found
