"""A partition: its memory (records, open groups, room for one split), its groups, their levels, loss and precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordermade.methods.mondrian.algorithm.domains import (
    Attributes,
    Codes,
    Domain,
    Nested,
    Numbers,
    OrderedDomain,
    Shares,
    most_parts,
)
from ordermade.methods.mondrian.algorithm.rules import EncodedRules, Words

DIGITS = 2048
"""The most ranges that codes are counted in to find a median."""
OPEN, GROUPS, SETTLED, MADE, TRIED = range(5)
"""The tally: open groups, all groups; records of finished groups, splits made, splits tried."""
START, END, SIDE, ROWS = range(4)
"""The place of an open group: its records, which of the two tables they are in, and the rows they stand for."""

Levels = NDArray[np.int8]


class EncodedRecords(NamedTuple):
    """The records, those of one group side by side, and the finished groups. Groups of different records share it.

    A split writes the records of each child, in their order, to the other of the two tables. A finished group has
    `least` records at least.
    """

    tables: NDArray[np.int32]
    """side, record, attribute"""
    rows: NDArray[np.int32]
    """side, record"""
    weights: NDArray[np.int64] | None
    """side, record: the rows that it stands for; None where a record is a row"""
    order: Codes
    begins: Numbers
    """The start of the finished group that starts at least x i to least x (i + 1) - 1; -1 where there is none."""
    levels: Levels
    """The levels of that group."""
    least: int


class WaitingPart(NamedTuple):
    """The open groups, the next one last. `words`: the rules that each meets."""

    spans: NDArray[np.int64]
    levels: Levels
    words: Words


class Workspace(NamedTuple):
    """Scratch memory to split one group. Of `child` and of both `picked` each has the part where its records are."""

    tally: Numbers
    child: Codes
    """The child of each record."""
    picked: Codes
    picked_weights: Numbers | None
    """The rows of each; None where a record is a row."""
    own_levels: Numbers
    low: Numbers
    """The least code of each ordered attribute, in the group."""
    high: Numbers
    bounds: Shares
    parts: Numbers
    """The children that a split by each attribute would make; one more, for none, that is 0."""
    counts: Numbers
    """All 0 between uses."""
    touched: Numbers
    number: Numbers
    sample: Numbers
    digits: Numbers
    sizes: Numbers
    """The rows of each child."""
    lengths: Numbers
    """The records of each child."""
    variety: Numbers
    """The values of either of two children."""
    next_at: Numbers
    codes: Numbers
    """A code of each child's records."""


class Meeting(NamedTuple):
    """Scratch memory for the rules that the children of a group meet, and the number of groups that meet each."""

    own_words: Numbers
    words: Words
    value_words: Words
    low: Numbers
    high: Numbers
    met: Numbers
    """The number of groups that meet each rule."""
    worth: Shares
    """The worth of each rule that a child meets: its weight times idf."""


def records_of(codes: Codes, weights: Numbers | None, k: int) -> EncodedRecords:
    """All records, in the first table. `weights`: the rows that each stands for, one without them."""
    n, columns = codes.shape
    least = k if weights is None else 1
    records = EncodedRecords(
        tables=np.empty((2, n, columns), dtype=np.int32),
        rows=np.empty((2, n), dtype=np.int32),
        weights=None if weights is None else np.empty((2, n), dtype=np.int64),
        order=np.empty(n, dtype=np.int32),
        begins=np.full(n // least + 1, -1, dtype=np.int64),
        levels=np.empty((n // least + 1, columns), dtype=np.int8),
        least=least,
    )
    records.tables[0] = codes
    records.rows[0] = np.arange(n, dtype=np.int32)
    if records.weights is not None and weights is not None:
        records.weights[0] = weights
    return records


def waiting_for(attributes: Attributes, rules: EncodedRules, records: int, least: int) -> WaitingPart:
    """Room for the open groups of so many records, `least` each. Room that is never written to takes no memory."""
    most = records // least + 1
    return WaitingPart(
        spans=np.empty((most, ROWS + 1), dtype=np.int64),
        levels=np.empty((most, attributes.kinds.size), dtype=np.int8),
        words=np.empty((most, rules.words.shape[1]), dtype=np.int64),
    )


def workspace_for(
    attributes: Attributes, child: Codes, picked: Codes, picked_weights: Numbers | None, most: int
) -> Workspace:
    """Room to split groups into `most` children at most. The arrays given have a number a record, of no meaning yet."""

    def numbers(size: int) -> Numbers:
        return np.zeros(size, dtype=np.int64)

    columns = attributes.kinds.size
    values = max(int(attributes.values.max()), most_parts(attributes)) + 1
    return Workspace(
        tally=numbers(TRIED + 1),
        child=child,
        picked=picked,
        picked_weights=picked_weights,
        own_levels=numbers(columns),
        low=numbers(columns),
        high=numbers(columns),
        bounds=np.zeros(columns),
        parts=numbers(columns + 1),
        counts=numbers(values),
        touched=numbers(values),
        number=numbers(values),
        sample=numbers(values),
        digits=numbers(DIGITS),
        sizes=numbers(most),
        lengths=numbers(most),
        variety=numbers(2),
        next_at=numbers(most),
        codes=numbers(most),
    )


def meeting_for(rules: EncodedRules, most: int) -> Meeting:
    """Room for the rules of `most` children at most."""
    words = rules.words.shape[1]
    return Meeting(
        own_words=np.zeros(words, dtype=np.int64),
        words=np.zeros((most, words), dtype=np.int64),
        value_words=np.zeros((most, words), dtype=np.int64),
        low=np.zeros(most, dtype=np.int64),
        high=np.zeros(most, dtype=np.int64),
        met=np.zeros(rules.weights.size, dtype=np.int64),
        worth=np.zeros(rules.weights.size),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """Records in groups, in the order in which the groups were finished, depth first.

    `order`: the records, group after group, ascending within one; group g has `order[starts[g]:starts[g + 1]]`.
    `levels[g, attribute]`: the level of the group's class in a hierarchy, -1 of attributes that have none. `made`: the
    splits that were made; `tried`: those that were looked at. `weights`: the rows that each record stands for, by its
    number; None where a record is a row.
    """

    order: NDArray[np.int32]
    starts: NDArray[np.int64]
    levels: NDArray[np.int8]
    made: int
    tried: int
    weights: NDArray[np.int64] | None = None

    @property
    def groups(self) -> int:
        """The number of groups."""
        return int(self.starts.size) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The records of each group."""
        return np.diff(self.starts)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The rows of each group."""
        if self.weights is None:
            return self.lengths
        found: NDArray[np.int64] = np.add.reduceat(self.weights[self.order], self.starts[:-1])
        return found

    @property
    def labels(self) -> NDArray[np.int32]:
        """The group of each record."""
        found = np.empty(self.order.size, dtype=np.int32)
        found[self.order] = np.repeat(np.arange(self.groups, dtype=np.int32), self.lengths)
        return found

    def ascending(self, codes: Codes) -> Codes:
        """The codes that the records have in one attribute, group after group, ascending within one."""
        groups, values = self._keyed(codes)
        return (np.sort(groups + values) - groups).astype(np.int32)

    def weighed(self, codes: Codes) -> tuple[Codes, NDArray[np.int64]]:
        """The codes as `ascending` gives them, with the rows that each of them stands for."""
        if self.weights is None:
            return self.ascending(codes), np.ones(self.order.size, dtype=np.int64)
        groups, values = self._keyed(codes)
        order = np.argsort(groups + values)
        return values[order], self.weights[self.order][order]

    def _keyed(self, codes: Codes) -> tuple[NDArray[np.int64], Codes]:
        """Of each record, in order, the least key of its group and its code: their sums sort group by group."""
        values = int(codes.max(initial=0)) + 1
        groups = np.repeat(np.arange(self.groups, dtype=np.int64) * values, self.lengths)
        return groups, codes[self.order]

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
    the label lies above the values; of an attribute without a hierarchy the width. `sizes`: the rows of each group.
    """

    widths: Shares
    steps: Shares
    sizes: NDArray[np.int64]

    @property
    def loss(self) -> Shares:
        """The mean width of each attribute over all rows."""
        return self._mean(self.widths)

    @property
    def prec(self) -> float:
        """1 - the mean of the steps over all rows and attributes; higher is better.

        The precision of Sweeney 2002, equation (1) of the TF-IDF paper.
        """
        return float(1 - self._mean(self.steps).mean())

    @property
    def kept(self) -> NDArray[np.int64]:
        """The rows, for each attribute, whose label covers less than the whole domain."""
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
    if isinstance(domain, OrderedDomain):
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
